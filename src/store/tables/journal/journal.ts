// The journal. Lines are appended without a hash, in the transaction that caused them, so that commits do not wait for
// each other's lines. One owner chains them afterwards. The order of the journal is that of `position`: if several
// replicas append, a line with a lower `number` may be committed later.
import { GENESIS, nextAnchor, type JournalAnchor } from '../../../core/journal/chain.ts';
import { textOf, type JournalEntry, type JournalText } from '../../../core/journal/entry.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { JournalCounts } from '../../contract/journal.ts';
import { int, ints, text, texts, type Row } from '../../sql/rows.ts';
import { insertion, list, type Sql } from '../../sql/sql.ts';

/** The most lines that are kept. */
const MOST_LINES = 800_000;
/** The most lines that are counted at once, which takes a few milliseconds. */
const MOST_COUNTED = 20_000;
/** The most lines that are dropped at once, which takes a few tens of milliseconds. */
export const MOST_DROPPED = 50_000;

const APPEND = insertion('journal', { at: 'int', kind: 'text', subject: 'text', actor: 'text', data: 'text' });

export async function append(sql: Sql, entries: readonly JournalEntry[]): Promise<void> {
  await sql.each(APPEND, entries.map(textOf));
}

const ANY_UNCHAINED = 'SELECT 1 FROM journal WHERE position IS NULL LIMIT 1';

export async function hasUnchained(sql: Sql): Promise<boolean> {
  return (await sql.first(ANY_UNCHAINED)) !== undefined;
}

const UNCHAINED = `
  SELECT number, at, kind, subject, actor, data FROM journal WHERE position IS NULL ORDER BY number LIMIT $1 + 0`;

const LINK = list(
  { number: 'int', position: 'int', hash: 'text' },
  (row) => `
  UPDATE journal SET position = ${row.position}, hash = ${row.hash} ${row.from} WHERE journal.number = ${row.number}`,
);

/** Chains up to `limit` unchained lines, in the order of their numbers. */
export async function chain(sql: Sql, limit: number): Promise<void> {
  const linked = [];
  let previous = (await journalHead(sql)) ?? GENESIS;
  for (const row of await sql.all(UNCHAINED, [limit])) {
    previous = nextAnchor(previous, journalTextOf(row));
    linked.push({ number: int(row, 'number'), ...previous });
  }
  await sql.each(LINK, linked);
}

const HEAD = 'SELECT position, hash FROM journal WHERE position IS NOT NULL ORDER BY position DESC LIMIT 1';

/** The anchor of the newest chained line, even if it was dropped; null if there never was one. */
export async function journalHead(sql: Sql): Promise<JournalAnchor | null> {
  const row = await sql.first(HEAD);
  return row === undefined ? checkpointOf(sql) : anchorOf(row);
}

const AT = `
  SELECT position, hash FROM journal WHERE position = $1
  UNION ALL SELECT position, hash FROM checkpoints WHERE position = $1`;

/** Null: there is no such line, or it was dropped and is at no checkpoint. */
export async function journalHashAt(sql: Sql, position: number): Promise<string | null> {
  const row = await sql.first(AT, [position]);
  return row === undefined ? null : anchorOf(row).hash;
}

const CHECKPOINT = 'SELECT position, hash FROM checkpoints ORDER BY position DESC LIMIT 1';

/** The anchor of the last dropped line; null if none was dropped. */
export async function checkpointOf(sql: Sql): Promise<JournalAnchor | null> {
  const row = await sql.first(CHECKPOINT);
  return row === undefined ? null : anchorOf(row);
}

const COUNTS = `
  SELECT kind, count(*) AS count, max(position) AS line
  FROM (SELECT position, kind FROM journal WHERE position > $1 ORDER BY position LIMIT ${MOST_COUNTED}) AS next
  GROUP BY kind`;

/** Counts chained lines after a position by kind. Null: counts none, and gives the position of the newest line. */
export async function countJournal(sql: Sql, after: number | null): Promise<JournalCounts> {
  if (after === null) return { line: (await journalHead(sql))?.position ?? 0, lines: {} };
  const rows = await sql.all(COUNTS, [after]);
  return {
    line: Math.max(after, ...rows.map((row) => int(row, 'line'))),
    lines: Object.fromEntries(rows.map((row) => [text(row, 'kind'), int(row, 'count')])),
  };
}

const OLDEST = `
  SELECT position, hash, at FROM journal WHERE position IS NOT NULL ORDER BY position LIMIT $1 + 0`;
const KEEP = 'INSERT INTO checkpoints (position, at, hash) VALUES ($1, $2, $3)';
const DROP = 'DELETE FROM journal WHERE position <= $1';

export interface JournalLimits {
  /** Older lines are dropped. */
  readonly before: Instant;
  /** The most lines to drop. */
  readonly limit: number;
  /** The most lines to keep. */
  readonly mostLines?: number;
}

/** Drops lines that are too old or too many, from the beginning of the chain, behind a checkpoint. */
export async function pruneJournal(sql: Sql, at: Instant, limits: JournalLimits): Promise<void> {
  const last = await lastToGo(sql, limits);
  if (last === null) return;
  const { position, hash } = last;
  await sql.run(KEEP, [position, at, hash]);
  await append(sql, [{ at, kind: 'checkpoint', subject: 'daemon', actor: 'daemon', data: { position, hash } }]);
  await sql.run(DROP, [position]);
}

/** The last line to drop; null if none has to be dropped. */
async function lastToGo(
  sql: Sql,
  { before, limit, mostLines = MOST_LINES }: JournalLimits,
): Promise<JournalAnchor | null> {
  const newest = (await journalHead(sql))?.position ?? 0;
  const oldest = await sql.all(OLDEST, [limit]);
  const firstKept = oldest.findIndex((row) => int(row, 'at') >= before && int(row, 'position') > newest - mostLines);
  const row = firstKept === -1 ? oldest.at(-1) : oldest[firstKept - 1];
  return row === undefined ? null : anchorOf(row);
}

export function anchorOf(row: Row): JournalAnchor {
  return { position: int(row, 'position'), hash: String(row['hash']) };
}

/** The text of a line as it was hashed. Its data need not be readable. */
export function journalTextOf(row: Row): JournalText {
  return { ...ints(row, 'at'), ...texts(row, 'kind', 'subject', 'actor', 'data') };
}
