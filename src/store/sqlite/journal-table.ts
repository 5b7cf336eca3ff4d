// The journal. Lines are appended in the transaction that caused them, without a hash, so that commits do not wait for
// each other's lines; one owner chains them afterwards, in order.
import type { DatabaseSync } from 'node:sqlite';
import {
  createVerifier,
  GENESIS,
  nextAnchor,
  type JournalAnchor,
  type ChainedText,
  type ChainCheck,
} from '../../core/journal/chain.ts';
import { textOf, type JournalEntry } from '../../core/journal/entry.ts';
import type { Instant } from '../../lib/clock.ts';
import { anchorOf, countsOf, journalLineOf, journalTextOf, MOST_COUNTED, MOST_LINES } from '../rows/journal-rows.ts';
import type { HistoryFilter, JournalCounts, JournalLine } from '../journal.ts';
import { limitBy } from './database.ts';

/** The statements on `journal` and `checkpoints`. None of them opens a transaction. */
export interface JournalTable {
  append(entries: readonly JournalEntry[]): void;
  hasUnchained(): boolean;
  /** Chains up to so many of those that are not chained yet, in the order in which they were appended. */
  chain(limit: number): void;
  /** Drops what is older, and what is too much, from the beginning of the chain, up to so many lines. */
  prune(before: Instant, at: Instant, limit: number): void;
}

const COLUMNS = 'number, at, kind, subject, actor, data, position, hash';

export function createJournalTable(db: DatabaseSync, mostLines = MOST_LINES): JournalTable {
  const insert = db.prepare('INSERT INTO journal (at, kind, subject, actor, data) VALUES (?, ?, ?, ?, ?)');
  const unchained = db.prepare(`SELECT ${COLUMNS} FROM journal WHERE position IS NULL ORDER BY number ${limitBy('?')}`);
  const link = db.prepare('UPDATE journal SET position = ?, hash = ? WHERE number = ?');
  const head = createHead(db);
  const oldest = db.prepare(
    `SELECT position, hash, at FROM journal WHERE position IS NOT NULL ORDER BY position ${limitBy('?')}`,
  );
  const keep = db.prepare('INSERT INTO checkpoints (position, at, hash) VALUES (?, ?, ?)');
  const drop = db.prepare('DELETE FROM journal WHERE position <= ?');

  function append(entries: readonly JournalEntry[]): void {
    for (const entry of entries) {
      const { at, kind, subject, actor, data } = textOf(entry);
      insert.run(at, kind, subject, actor, data);
    }
  }

  /** The last of the oldest lines that is to go; null when none is. */
  function lastToGo(before: Instant, limit: number): JournalAnchor | null {
    const newest = head()?.position ?? 0;
    let last: JournalAnchor | null = null;
    for (const row of oldest.iterate(limit)) {
      const found = anchorOf(row);
      if (Number(row['at']) >= before && found.position > newest - mostLines) break;
      last = found;
    }
    return last;
  }

  return {
    append,
    hasUnchained: () => unchained.get(1) !== undefined,
    chain(limit) {
      let previous = head() ?? GENESIS;
      for (const row of unchained.all(limit)) {
        previous = nextAnchor(previous, journalTextOf(row));
        link.run(previous.position, previous.hash, Number(row['number']));
      }
    },
    prune(before, at, limit) {
      const last = lastToGo(before, limit);
      if (last === null) return;
      keep.run(last.position, at, last.hash);
      const data = { position: last.position, hash: last.hash };
      append([{ at, kind: 'checkpoint', subject: 'daemon', actor: 'daemon', data }]);
      drop.run(last.position);
    },
  };
}

/** Reads the anchor of the newest line that is chained; null when there never was one. */
function createHead(db: DatabaseSync): () => JournalAnchor | null {
  const newest = db.prepare(
    'SELECT position, hash FROM journal WHERE position IS NOT NULL ORDER BY position DESC LIMIT 1',
  );
  const checkpoint = createCheckpoint(db);
  return () => {
    const row = newest.get();
    return row === undefined ? checkpoint() : anchorOf(row);
  };
}

/** Reads the anchor of the last line that was dropped; null when none was. */
function createCheckpoint(db: DatabaseSync): () => JournalAnchor | null {
  const newest = db.prepare('SELECT position, hash FROM checkpoints ORDER BY position DESC LIMIT 1');
  return () => {
    const row = newest.get();
    return row === undefined ? null : anchorOf(row);
  };
}

/** What reads the journal without touching it. */
export interface JournalView {
  /** Newest first. */
  history(filter: HistoryFilter): JournalLine[];
  head(): JournalAnchor | null;
  /** Of the chained lines after that position, by kind. Null: of none. */
  count(after: number | null): JournalCounts;
  /** Every line from the last checkpoint on. */
  verify(anchor: JournalAnchor | null): ChainCheck;
}

export function createJournalView(db: DatabaseSync): JournalView {
  const select = db.prepare(`
    SELECT ${COLUMNS} FROM journal
    WHERE (?1 IS NULL OR subject IN (SELECT value FROM json_each(?1))) AND at >= ?2 ORDER BY number DESC ${limitBy('?3')}`);
  const chained = db.prepare(`SELECT ${COLUMNS} FROM journal WHERE position IS NOT NULL ORDER BY position`);
  const counts = db.prepare(`
    SELECT kind, count(*) AS count, max(position) AS line
    FROM (SELECT position, kind FROM journal WHERE position > ? ORDER BY position LIMIT ${MOST_COUNTED}) GROUP BY kind`);
  const checkpoint = createCheckpoint(db);
  const head = createHead(db);
  return {
    count(after) {
      if (after === null) return { line: head()?.position ?? 0, lines: {} };
      return countsOf(after, counts.all(after));
    },
    history: ({ subjects, since, limit }) =>
      select
        .all(subjects === undefined ? null : JSON.stringify(subjects), since ?? -Number.MAX_SAFE_INTEGER, limit)
        .map(journalLineOf),
    head,
    verify(anchor) {
      const verifier = createVerifier(checkpoint(), anchor);
      for (const row of chained.iterate())
        verifier.add({ ...journalTextOf(row), ...anchorOf(row) } satisfies ChainedText);
      return verifier.end();
    },
  };
}
