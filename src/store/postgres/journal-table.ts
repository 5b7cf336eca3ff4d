// The journal. Lines are appended in the transaction that caused them, without a hash; one replica chains them afterwards.
// Its order is that of `position`: a line with a lower `number` may be committed later.
import { createVerifier, GENESIS, nextAnchor, type JournalAnchor, type ChainCheck } from '../../core/journal/chain.ts';
import { textOf, type JournalEntry } from '../../core/journal/entry.ts';
import type { Instant } from '../../lib/clock.ts';
import type { HistoryFilter, JournalCounts, JournalLine } from '../journal.ts';
import { anchorOf, countsOf, journalLineOf, journalTextOf, MOST_COUNTED, MOST_LINES } from '../rows/journal-rows.ts';
import type { Row } from '../rows/rows.ts';
import { columns, type Sql } from './sql.ts';

const COLUMNS = 'number, at, kind, subject, actor, data, position, hash';
/** So many lines are verified at once. */
const PAGE = 5000;

export async function append(sql: Sql, entries: readonly JournalEntry[]): Promise<void> {
  if (entries.length === 0) return;
  await sql.run(
    `INSERT INTO journal (at, kind, subject, actor, data)
    SELECT at, kind, subject, actor, data
    FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[])
      WITH ORDINALITY AS line (at, kind, subject, actor, data, place) ORDER BY place`,
    columns(entries.map(textOf), [
      ({ at }) => at,
      ({ kind }) => kind,
      ({ subject }) => subject,
      ({ actor }) => actor,
      ({ data }) => data,
    ]),
  );
}

export async function hasUnchained(sql: Sql): Promise<boolean> {
  return (await sql.first('SELECT FROM journal WHERE position IS NULL LIMIT 1')) !== undefined;
}

/** Chains up to so many of those that are not chained yet, those that were appended first before the others. */
export async function chain(sql: Sql, limit: number): Promise<void> {
  let previous = (await headOf(sql)) ?? GENESIS;
  const rows = await sql.all(`SELECT ${COLUMNS} FROM journal WHERE position IS NULL ORDER BY number LIMIT $1`, [limit]);
  const links = rows.map((row) => {
    previous = nextAnchor(previous, journalTextOf(row));
    return { number: Number(row['number']), ...previous };
  });
  await sql.run(
    `UPDATE journal SET position = link.position, hash = link.hash
    FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS link (number, position, hash)
    WHERE journal.number = link.number`,
    columns(links, [({ number }) => number, ({ position }) => position, ({ hash }) => hash]),
  );
}

/** Drops what is older, and what is too much, from the beginning of the chain, up to so many lines. */
export async function pruneJournal(sql: Sql, before: Instant, at: Instant, limit: number): Promise<void> {
  const newest = (await headOf(sql))?.position ?? 0;
  const oldest = await sql.all(
    'SELECT position, hash, at FROM journal WHERE position IS NOT NULL ORDER BY position LIMIT $1',
    [limit],
  );
  const firstKept = oldest.findIndex(
    (row) => Number(row['at']) >= before && Number(row['position']) > newest - MOST_LINES,
  );
  const row = firstKept === -1 ? oldest.at(-1) : oldest[firstKept - 1];
  if (row === undefined) return;
  const { position, hash } = anchorOf(row);
  await sql.run('INSERT INTO checkpoints (position, at, hash) VALUES ($1, $2, $3)', [position, at, hash]);
  await append(sql, [{ at, kind: 'checkpoint', subject: 'daemon', actor: 'daemon', data: { position, hash } }]);
  await sql.run('DELETE FROM journal WHERE position <= $1', [position]);
}

/** The anchor of the newest line that is chained; null when there never was one. */
export async function headOf(sql: Sql): Promise<JournalAnchor | null> {
  const row = await sql.first(
    'SELECT position, hash FROM journal WHERE position IS NOT NULL ORDER BY position DESC LIMIT 1',
  );
  return row === undefined ? checkpointOf(sql) : anchorOf(row);
}

/** The anchor of the last line that was dropped; null when none was. */
async function checkpointOf(sql: Sql): Promise<JournalAnchor | null> {
  const row = await sql.first('SELECT position, hash FROM checkpoints ORDER BY position DESC LIMIT 1');
  return row === undefined ? null : anchorOf(row);
}

export async function countLines(sql: Sql, after: number | null): Promise<JournalCounts> {
  if (after === null) {
    return { line: (await headOf(sql))?.position ?? 0, lines: {} };
  }
  const rows = await sql.all(
    `SELECT kind, count(*) AS count, max(position) AS line
    FROM (SELECT position, kind FROM journal WHERE position > $1 ORDER BY position LIMIT ${MOST_COUNTED}) AS next
    GROUP BY kind`,
    [after],
  );
  return countsOf(after, rows);
}

/** Newest first. */
export async function historyOf(sql: Sql, { subjects, since, limit }: HistoryFilter): Promise<JournalLine[]> {
  const rows = await sql.all(
    `SELECT ${COLUMNS} FROM journal
    WHERE ($1::text[] IS NULL OR subject = ANY($1)) AND at >= $2 ORDER BY number DESC LIMIT $3`,
    [subjects ?? null, since ?? -Number.MAX_SAFE_INTEGER, limit],
  );
  return rows.map(journalLineOf);
}

/** Every line from the last checkpoint on. */
export async function verify(sql: Sql, anchor: JournalAnchor | null): Promise<ChainCheck> {
  const verifier = createVerifier(await checkpointOf(sql), anchor);
  let rows: readonly Row[];
  let after = 0;
  do {
    rows = await sql.all(`SELECT ${COLUMNS} FROM journal WHERE position > $1 ORDER BY position LIMIT ${PAGE}`, [after]);
    for (const row of rows) verifier.add({ ...journalTextOf(row), ...anchorOf(row) });
    after = Number(rows.at(-1)?.['position'] ?? after);
  } while (rows.length === PAGE);
  return verifier.end();
}
