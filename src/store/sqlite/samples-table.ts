import type { DatabaseSync } from 'node:sqlite';
import type { ClosedRuns } from '../../core/model/decision.ts';
import type { WatchId } from '../../core/model/ids.ts';
import type { Run, Samples } from '../../core/model/memory.ts';
import type { Instant } from '../../lib/clock.ts';

/** The statements on `samples`. None of them opens a transaction. */
export interface SamplesTable {
  keep(watch: WatchId, closed: ClosedRuns): void;
}

export function createSamplesTable(db: DatabaseSync): SamplesTable {
  const insert = db.prepare('INSERT INTO samples (watch, path, since, until, value) VALUES (?, ?, ?, ?, ?)');
  const prune = db.prepare('DELETE FROM samples WHERE watch = ? AND path = ? AND until < ?');
  const drop = db.prepare('DELETE FROM samples WHERE watch = ? AND path = ?');
  const shift = db.prepare('UPDATE samples SET since = since - ?2, until = until - ?2 WHERE watch = ?1');
  return {
    keep(watch, { runs, dropped, shiftedMs }) {
      if (shiftedMs !== 0) shift.run(watch, shiftedMs);
      for (const path of dropped) drop.run(watch, path);
      for (const { path, since, until, value, keptFrom } of runs) {
        insert.run(watch, path, since, until, value);
        prune.run(watch, path, keptFrom);
      }
    },
  };
}

export interface SamplesView {
  of(watch: WatchId): Samples;
  after(of: { readonly watch: WatchId; readonly path: string }, after: Instant, limit: number): Run[];
}

export function createSamplesView(db: DatabaseSync): SamplesView {
  const all = db.prepare('SELECT path, since, until, value FROM samples WHERE watch = ? ORDER BY path, until');
  const some = db.prepare(
    'SELECT since, until, value FROM samples WHERE watch = ? AND path = ? AND until > ? ORDER BY until',
  );
  return {
    of(watch) {
      const samples: Record<string, Run[]> = {};
      for (const row of all.iterate(watch)) (samples[String(row['path'])] ??= []).push(runOf(row));
      return samples;
    },
    after({ watch, path }, after, limit) {
      const runs: Run[] = [];
      for (const row of some.iterate(watch, path, after)) {
        runs.push(runOf(row));
        if (runs.length === limit) break;
      }
      return runs;
    },
  };
}

function runOf(row: Readonly<Record<string, unknown>>): Run {
  return [Number(row['since']), Number(row['until']), String(row['value'])];
}
