import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Memory } from '../../core/model/memory.ts';
import type { Decision } from '../../core/model/decision.ts';
import type { WatchId } from '../../core/model/ids.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Row } from '../rows/rows.ts';
import { diagnosticsOf, memoryOf } from '../rows/memory-rows.ts';
import type { Coverage, OnDamaged, StoredDiagnostics } from '../memories.ts';
import { StorageError } from '../store.ts';

/** Every row of memory, with its coverage. */
export const REMEMBERED = `
  SELECT memory.watch, version, checksum, state, alerts, history, data, coverage.until AS covered_until
  FROM memory LEFT JOIN coverage ON coverage.watch = memory.watch`;

/** Reads what is remembered. Without `onDamaged`, a damaged row throws a StorageError that names its watch. */
export function createRecall(
  db: DatabaseSync,
): (ids?: readonly WatchId[], onDamaged?: OnDamaged) => Map<WatchId, Memory> {
  const rowsOf = byWatch(db.prepare(REMEMBERED), db.prepare(`${REMEMBERED} WHERE memory.watch = ?`), (row) => row);
  return (ids, onDamaged) => {
    const memories = new Map<WatchId, Memory>();
    for (const [id, row] of rowsOf(ids)) {
      try {
        memories.set(id, memoryOf(row));
      } catch (error) {
        if (onDamaged === undefined || !(error instanceof StorageError)) throw error;
        onDamaged(id, error.message);
      }
    }
    return memories;
  };
}

/** Reads whose memory there is. */
export function createRemembered(db: DatabaseSync): () => WatchId[] {
  const select = db.prepare('SELECT watch FROM memory');
  return () => select.all().map(({ watch }) => String(watch));
}

/** Reads until when each watch was covered. */
export function createCovered(db: DatabaseSync): () => Map<WatchId, Instant> {
  const select = db.prepare('SELECT watch, until FROM coverage WHERE until IS NOT NULL');
  return () => new Map(select.all().map(({ watch, until }) => [String(watch), Number(until)]));
}

export const DIAGNOSTICS = 'SELECT watch, look, health FROM coverage';

/** Reads what is kept beside memory. */
export function createDiagnosticsView(db: DatabaseSync): (ids?: readonly WatchId[]) => Map<WatchId, StoredDiagnostics> {
  return byWatch(db.prepare(DIAGNOSTICS), db.prepare(`${DIAGNOSTICS} WHERE watch = ?`), diagnosticsOf);
}

/** What the rows hold, by watch: `one` for each of the ids, `all` where none are named. */
function byWatch<T>(
  all: StatementSync,
  one: StatementSync,
  toValue: (row: Row) => T,
): (ids?: readonly WatchId[]) => Map<WatchId, T> {
  return (ids) => {
    const rows = ids === undefined ? all.all() : ids.map((id) => one.get(id)).filter((row) => row !== undefined);
    return new Map(rows.map((row) => [String(row['watch']), toValue(row)]));
  };
}

/** The statements that change memory. None of them opens a transaction. */
interface MemoryTable {
  /** 0 when nothing is remembered. */
  versionOf(id: WatchId): number;
  keep(decision: Decision): void;
  cover(id: WatchId, coverage: Coverage): void;
  forget(id: WatchId): void;
}

export function createMemoryTable(db: DatabaseSync): MemoryTable {
  const version = db.prepare('SELECT version FROM memory WHERE watch = ?');
  const write = db.prepare(`
    INSERT INTO memory (watch, version, checksum, state, alerts, history, data) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (watch) DO UPDATE SET
      version = excluded.version, checksum = excluded.checksum, state = excluded.state, alerts = excluded.alerts,
      history = excluded.history, data = excluded.data`);
  const cover = db.prepare(`
    INSERT INTO coverage (watch, until, look, health)
    SELECT watch, ?2, coalesce(?3, 'null'), coalesce(?4, '{}') FROM memory WHERE watch = ?1
    ON CONFLICT (watch) DO UPDATE SET
      until = excluded.until, look = coalesce(?3, look), health = coalesce(?4, health)
    WHERE until IS NOT excluded.until OR ?3 IS NOT NULL OR ?4 IS NOT NULL`);
  const forget = db.prepare('DELETE FROM memory WHERE watch = ?');
  return {
    versionOf: (id) => Number(version.get(id)?.['version'] ?? 0),
    keep({ watchId, expects, memory }) {
      const { checksum, coveredUntil } = memory;
      const parts = [memory.state, memory.alerts, memory.history, memory.data].map((part) => JSON.stringify(part));
      write.run(watchId, expects + 1, checksum, ...parts);
      cover.run(watchId, coveredUntil, null, null);
    },
    cover(id, { until, snapshot, health }) {
      cover.run(id, until, textOf(snapshot), textOf(health));
    },
    forget(id) {
      forget.run(id);
    },
  };
}

/** Null: it stays as it was. */
function textOf(part: unknown): string | null {
  return part === undefined ? null : JSON.stringify(part);
}
