// What watches have measured: runs of equal values, and of older ones an hour each; and when nothing was known of a watch.
import type { DatabaseSync } from 'node:sqlite';
import type { ClosedRuns } from '../../core/model/decision.ts';
import type { WatchId } from '../../core/model/ids.ts';
import type { DataSince, Run, Samples } from '../../core/model/memory.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Bucket, PathOfWatch, UnknownSpan } from '../samples.ts';
import {
  bucketOf,
  HOUR_MS,
  hoursOf,
  MOST_DROPPED,
  MOST_ROWS,
  MOST_SPANS,
  runOf,
  runsByPath,
  runsByPlace,
  spanOf,
  widened,
} from '../rows/sample-rows.ts';
import { limitBy } from './database.ts';

/** Leads to the next schema. */
export const BUCKETS_AND_SPANS = `
  CREATE TABLE sample_buckets (
    watch TEXT NOT NULL REFERENCES memory (watch) ON DELETE CASCADE,
    path TEXT NOT NULL,
    width INTEGER NOT NULL,
    at INTEGER NOT NULL,
    first TEXT NOT NULL,
    last TEXT NOT NULL,
    min TEXT NOT NULL,
    max TEXT NOT NULL,
    PRIMARY KEY (watch, path, width, at)
  ) STRICT;
  CREATE INDEX sample_buckets_at ON sample_buckets (at);

  CREATE TABLE unknown_spans (
    watch TEXT NOT NULL REFERENCES memory (watch) ON DELETE CASCADE,
    since INTEGER NOT NULL,
    until INTEGER,
    cause TEXT NOT NULL,
    PRIMARY KEY (watch, since)
  ) STRICT;
  CREATE INDEX unknown_spans_open ON unknown_spans (watch) WHERE until IS NULL;
  CREATE INDEX unknown_spans_until ON unknown_spans (until) WHERE until IS NOT NULL;
`;

/** The statements on the three tables. None of them opens a transaction. */
export interface SamplesTable {
  keep(watch: WatchId, closed: ClosedRuns): void;
  /** It was polled for the first time. */
  noteFirst(watch: WatchId, at: Instant): void;
  /** The data state of a watch after a poll. */
  noteData(watch: WatchId, data: DataSince | null, at: Instant): void;
  /** What ended before then, and what is too much. */
  prune(before: Instant): void;
}

export function createSamplesTable(db: DatabaseSync): SamplesTable {
  const insert = db.prepare('INSERT INTO samples (watch, path, since, until, value) VALUES (?, ?, ?, ?, ?)');
  const old = db.prepare(
    'SELECT since, until, value FROM samples WHERE watch = ? AND path = ? AND until < ? ORDER BY until',
  );
  const prune = db.prepare('DELETE FROM samples WHERE watch = ? AND path = ? AND until < ?');
  const drop = db.prepare('DELETE FROM samples WHERE watch = ? AND path = ?');
  const dropBuckets = db.prepare('DELETE FROM sample_buckets WHERE watch = ? AND path = ?');
  const shift = db.prepare('UPDATE samples SET since = since - ?2, until = until - ?2 WHERE watch = ?1');
  const bucket = db.prepare(
    'SELECT first, last, min, max FROM sample_buckets WHERE watch = ? AND path = ? AND width = ? AND at = ?',
  );
  const write = db.prepare(`
    INSERT INTO sample_buckets (watch, path, width, at, first, last, min, max) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (watch, path, width, at) DO UPDATE SET last = excluded.last, min = excluded.min, max = excluded.max`);
  const begin = db.prepare(`
    INSERT OR REPLACE INTO unknown_spans (watch, since, until, cause)
    SELECT ?1, ?2, NULL, ?3 WHERE NOT EXISTS (SELECT 1 FROM unknown_spans WHERE watch = ?1 AND until IS NULL)`);
  const first = db.prepare(`
    INSERT OR IGNORE INTO unknown_spans (watch, since, until, cause) VALUES (?, 0, ?, 'not-yet')`);
  const end = db.prepare('UPDATE unknown_spans SET until = max(since, ?2) WHERE watch = ?1 AND until IS NULL');
  const ended = [
    db.prepare('DELETE FROM sample_buckets WHERE at < ?'),
    db.prepare('DELETE FROM unknown_spans WHERE until < ?'),
  ];
  const tooMuch = ['samples', 'sample_buckets', 'unknown_spans'].map((table) =>
    db.prepare(`
      DELETE FROM ${table} WHERE rowid IN (
        SELECT rowid FROM ${table} WHERE rowid <= (SELECT max(rowid) FROM ${table}) - ${MOST_ROWS}
        ORDER BY rowid LIMIT ${MOST_DROPPED})`),
  );

  /** A run fills every hour that it overlaps. */
  function fill(watch: WatchId, path: string, run: Run): void {
    const [, , value] = run;
    for (const at of hoursOf(run)) {
      const { first, min, max } = widened(bucket.get(watch, path, HOUR_MS, at), value);
      write.run(watch, path, HOUR_MS, at, first, value, min, max);
    }
  }

  return {
    keep(watch, { runs, dropped, shiftedMs }) {
      if (shiftedMs !== 0) shift.run(watch, shiftedMs);
      for (const path of dropped) {
        drop.run(watch, path);
        dropBuckets.run(watch, path);
      }
      for (const { path, since, until, value, keptFrom } of runs) {
        insert.run(watch, path, since, until, value);
        for (const row of old.all(watch, path, keptFrom)) fill(watch, path, runOf(row));
        prune.run(watch, path, keptFrom);
      }
    },
    noteFirst(watch, at) {
      first.run(watch, at);
    },
    noteData(watch, data, at) {
      if (data === null) return;
      if (data.state === 'ok') end.run(watch, at);
      else begin.run(watch, data.since, data.state);
    },
    prune(before) {
      for (const statement of ended) statement.run(before);
      for (const statement of tooMuch) statement.run();
    },
  };
}

export interface SamplesView {
  of(watch: WatchId): Samples;
  after(of: PathOfWatch, after: Instant, limit: number): Run[];
  runsAfter(of: readonly PathOfWatch[], after: Instant, limit: number): Run[][];
  buckets(of: PathOfWatch, from: Instant): Bucket[];
  unknown(since: Instant, watch: WatchId | null): UnknownSpan[];
  firstPolls(watches: readonly WatchId[]): Map<WatchId, Instant>;
}

export function createSamplesView(db: DatabaseSync): SamplesView {
  const all = db.prepare('SELECT path, since, until, value FROM samples WHERE watch = ? ORDER BY path, until');
  const some = db.prepare(
    'SELECT since, until, value FROM samples WHERE watch = ? AND path = ? AND until > ? ORDER BY until',
  );
  const ofMany = db.prepare(`
    SELECT asked.key AS place, since, until, samples.value AS value FROM json_each(?) AS asked CROSS JOIN samples
      ON samples.watch = asked.value ->> '$.watch' AND samples.path = asked.value ->> '$.path' AND until > ?
    ORDER BY place, until LIMIT ?`);
  const buckets = db.prepare(`
    SELECT at, first, last, min, max FROM sample_buckets WHERE watch = ? AND path = ? AND width = ${HOUR_MS} AND at >= ?
    ORDER BY at`);
  const unknown = db.prepare(`
    SELECT watch, since, until, cause FROM unknown_spans
    WHERE (until IS NULL OR until > ?1) AND since > 0 AND (?2 IS NULL OR watch = ?2) ORDER BY since ${limitBy('?3')}`);
  const first = db.prepare(`
    SELECT watch, until FROM json_each(?) AS asked CROSS JOIN unknown_spans ON watch = asked.value AND since = 0`);
  return {
    firstPolls: (watches) =>
      new Map(first.all(JSON.stringify(watches)).map(({ watch, until }) => [String(watch), Number(until)])),
    of: (watch) => runsByPath(all.iterate(watch)),
    after({ watch, path }, after, limit) {
      const runs: Run[] = [];
      for (const row of some.iterate(watch, path, after)) {
        runs.push(runOf(row));
        if (runs.length === limit) break;
      }
      return runs;
    },
    runsAfter: (of, after, limit) => runsByPlace(of.length, ofMany.iterate(JSON.stringify(of), after, limit)),
    buckets: ({ watch, path }, from) => buckets.all(watch, path, from).map(bucketOf),
    unknown: (since, watch) => unknown.all(since, watch, MOST_SPANS).map(spanOf),
  };
}
