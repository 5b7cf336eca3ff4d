// Memories of watches, by id. A memory has a version, which rises with every decision that changed it.
import type { Decision } from '../../../core/model/decision.ts';
import type { WatchId } from '../../../core/model/ids.ts';
import type { Memory } from '../../../core/model/memory.ts';
import type { OnDamaged } from '../../contract/memories.ts';
import { int, text, type Row } from '../../sql/rows.ts';
import { columns, insertion, list, paged, type ListStatement, type PagedStatement, type Sql } from '../../sql/sql.ts';
import { StorageError } from '../../contract/store.ts';
import { MEMORY_FORMAT, memoryOf, NewerMemoryError } from './stored-memory.ts';

const BARE = `
  SELECT memory.watch, version, format, checksum, state, alerts, history, data, covered.until AS covered_until, pace_ms
  FROM memory LEFT JOIN covered ON covered.watch = memory.watch`;

/** Every memory. */
export const REMEMBERED = paged(['watch'], ({ after, end }) => `${BARE} WHERE ${after} ${end}`, 'memory');

const ONE = list({ watch: 'text' }, (row) => `${BARE} ${row.also} WHERE memory.watch = ${row.watch}`);

/** The number of rows that are read at once: 2,000 memories are a few megabytes. */
const PAGE = 2000;

interface OfWatches {
  readonly all: PagedStatement;
  readonly one: ListStatement<{ readonly watch: 'text' }>;
}

/** The rows of these watches, or of all, in pages. */
export async function* rowsOf(sql: Sql, { all, one }: OfWatches, ids?: readonly WatchId[]): AsyncGenerator<Row> {
  if (ids === undefined) for await (const rows of sql.pages(all, PAGE)) yield* rows;
  const watches = [...new Set(ids)].map((watch) => ({ watch }));
  for (let at = 0; at < watches.length; at += PAGE) yield* await sql.allOf(one, watches.slice(at, at + PAGE));
}

/** Without `onDamaged`, a damaged row rejects with a StorageError that names its watch. */
export async function recall(sql: Sql, ids?: readonly WatchId[], onDamaged?: OnDamaged): Promise<Map<WatchId, Memory>> {
  const memories = new Map<WatchId, Memory>();
  for await (const row of rowsOf(sql, { all: REMEMBERED, one: ONE }, ids)) {
    const id = text(row, 'watch');
    try {
      memories.set(id, memoryOf(row));
    } catch (error) {
      if (onDamaged === undefined || !(error instanceof StorageError)) throw error;
      onDamaged(id, error.message, error instanceof NewerMemoryError);
    }
  }
  return memories;
}

const WATCHES = 'SELECT watch FROM memory';

export async function remembered(sql: Sql): Promise<WatchId[]> {
  return (await sql.all(WATCHES)).map((row) => text(row, 'watch'));
}

const VERSION = list(
  { watch: 'text' },
  (row) => `SELECT memory.watch, version FROM memory ${row.also} WHERE memory.watch = ${row.watch}`,
);

/** The version of each of these watches' memories; watches without one are left out. */
export async function versionsOf(sql: Sql, ids: readonly WatchId[]): Promise<Map<WatchId, number>> {
  const watches = ids.map((watch) => ({ watch }));
  const rows = await sql.allOf(VERSION, watches);
  return new Map(rows.map((row) => [text(row, 'watch'), int(row, 'version')]));
}

const PARTS = { ...columns('text', 'watch', 'checksum'), ...columns('json', 'state', 'alerts', 'history', 'data') };
const BEGIN = insertion(
  'memory',
  { ...PARTS, version: 'int', format: 'int' },
  'ON CONFLICT (watch) DO NOTHING RETURNING watch',
);

const RENEW = list(
  { ...PARTS, expects: 'int', format: 'int' },
  (row) => `
  UPDATE memory SET version = memory.version + 1, checksum = ${row.checksum}, state = ${row.state},
    alerts = ${row.alerts}, history = ${row.history}, data = ${row.data}, format = ${row.format}
  ${row.from} WHERE memory.watch = ${row.watch} AND memory.version = ${row.expects}
    AND memory.format <= ${MEMORY_FORMAT}
  RETURNING memory.watch`,
);

/**
 * Stores the memories of decisions, each of another watch. Resolves with the watches whose memory had the expected
 * version; it has the next version now.
 *
 * `format`: the newest format that all live replicas can read. A row in a format that this release cannot read is not
 * changed.
 */
export async function keepMemories(sql: Sql, decisions: readonly Decision[], format: number): Promise<Set<WatchId>> {
  const rows = decisions.map(({ watchId: watch, memory, expects }) => ({
    ...memory,
    watch,
    expects,
    version: 1,
    format,
  }));
  const [first, later] = [rows.filter(({ expects }) => expects === 0), rows.filter(({ expects }) => expects > 0)];
  const begun = await sql.allOf(BEGIN, first);
  const renewed = await sql.allOf(RENEW, later);
  return new Set([...begun, ...renewed].map((row) => text(row, 'watch')));
}

const FORGET = list(
  { watch: 'text', format: 'int' },
  (row) =>
    `DELETE FROM memory ${row.using} WHERE memory.watch = ${row.watch} AND (${row.format} = 0 OR memory.format <= ${row.format})`,
);

/**
 * Removes memories with the rows beside them; memories of a newer release stay. Resolves with the number of removed
 * memories.
 */
export async function forget(sql: Sql, ids: readonly WatchId[]): Promise<number> {
  const watches = [...new Set(ids)].map((watch) => ({ watch, format: MEMORY_FORMAT }));
  return sql.each(FORGET, watches);
}

/** Removes a memory even if a newer release wrote it, since an operator asked for it. */
export async function takeOut(sql: Sql, watch: WatchId): Promise<boolean> {
  return (await sql.each(FORGET, [{ watch, format: 0 }])) > 0;
}
