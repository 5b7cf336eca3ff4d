// The statements that write a recording and keep it within its limits.
import type { Memory } from '../core/model/memory.ts';
import type { Head, Observation } from '../core/model/observation.ts';
import type { Instant } from '../lib/clock.ts';
import type { WatchId } from '../core/model/ids.ts';
import type { Cursor } from '../core/model/watch/question.ts';
import { firstNumber } from '../store/sqlite/database.ts';
import type { Packed } from './bodies.ts';
import { cursorText, keyOfAsked, sortedEntries, type RecordedQuestion, type RecordedRefusal } from './model.ts';
import { inTransaction, type RecordingDatabase } from './schema.ts';

export interface PackedAnswer {
  readonly asked: RecordedQuestion;
  readonly cursor: Cursor | null;
  readonly again: boolean;
  readonly gave: Packed | RecordedRefusal;
}

export interface PackedPoll {
  readonly watch: WatchId;
  readonly startedAt: Instant;
  readonly observation: Observation;
  readonly coveredUntil: Instant | null;
  readonly memory: Packed | null;
  readonly answers: readonly PackedAnswer[];
}

export interface Bounds {
  readonly keepMs: number;
  readonly maxBytes: number;
}

export interface Writer {
  /** Writes all of the polls or none. */
  write(polls: readonly PackedPoll[]): void;
  /** Drops some of the polls beyond the limits, oldest first. Returns whether there are more to drop. */
  prune(bounds: Bounds, now: Instant): boolean;
}

/** The number of polls that are dropped at a time, which takes some milliseconds. */
const PORTION = 200;

/** The tables must exist already. */
export function createWriter(db: RecordingDatabase): Writer {
  const numbers = createNumbers(db);
  const poll = db.prepare(`
    INSERT INTO polls (watch, started_at, at, outcome, detail, head_height, head_timestamp, head_read_at,
      head_stale_after, covered_until, memory, chain, pace_ms)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const answer = db.prepare(`
    INSERT INTO answers (poll, number, question, cursor, again, body, refusal, detail)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);

  function writePoll({ watch, startedAt, observation, coveredUntil, memory, answers }: PackedPoll): void {
    const { lastInsertRowid } = poll.run(
      numbers.ofWatch(watch),
      startedAt,
      observation.at,
      ...outcomeOf(observation),
      ...columnsOf(observation.type === 'seen' ? observation.head : null),
      coveredUntil,
      memory === null ? null : numbers.ofBody(memory),
      chainText(observation),
      Math.round(observation.paceMs),
    );
    for (const [number, { asked, cursor, again, gave }] of answers.entries())
      answer.run(
        lastInsertRowid,
        number,
        numbers.ofQuestion(asked),
        cursorText(cursor),
        again ? 1 : 0,
        'hash' in gave ? numbers.ofBody(gave) : null,
        'reason' in gave ? gave.reason : null,
        'reason' in gave ? gave.detail : null,
      );
  }

  const drop = createDrop(db);
  return {
    write(polls) {
      try {
        inTransaction(db, () => {
          for (const one of polls) writePoll(one);
        });
      } catch (error) {
        // The transaction was rolled back, so the numbers assigned in it are not valid.
        numbers.forget();
        throw error;
      }
    },
    prune({ keepMs, maxBytes }, now) {
      const oldest = db.prepare('SELECT id, at FROM polls ORDER BY id LIMIT 1').get();
      if (oldest === undefined) return false;
      const isTooOld = Number(oldest['at']) < now - keepMs;
      if (!isTooOld && usedBytes(db) <= maxBytes) return false;
      inTransaction(db, () => {
        drop(isTooOld ? now - keepMs : null);
      });
      db.exec('PRAGMA incremental_vacuum');
      return true;
    },
  };
}

/** The memory of a poll, as text; `memoryFrom` of the reader is its counterpart. */
export function memoryText({ checksum, state, alerts, history, data, coveredUntil, paceMs }: Memory): string {
  return JSON.stringify({ checksum, state, alerts, history, data, coveredUntil, paceMs });
}

function outcomeOf(observation: Observation): [outcome: string, detail: string | null] {
  if (observation.type === 'missed') return [observation.reason, observation.detail];
  return [observation.partial === null ? 'complete' : 'partial', observation.partial];
}

function chainText(observation: Observation): string | null {
  return observation.type === 'missed' || observation.chain === 'not-asked' ? null : JSON.stringify(observation.chain);
}

function columnsOf(head: Head | null): [string | null, number | null, number | null, number | null] {
  if (head === null) return [null, null, null, null];
  return [String(head.height), head.timestamp, head.readAt, head.staleAfterMs];
}

function usedBytes(db: RecordingDatabase): number {
  const pages = firstNumber(db, 'PRAGMA page_count') - firstNumber(db, 'PRAGMA freelist_count');
  return pages * firstNumber(db, 'PRAGMA page_size');
}

/** Numbers of watches, questions and bodies, assigned at first use. */
function createNumbers(db: RecordingDatabase) {
  const cache = new Map<string, number>();
  const watch = db.prepare(
    'INSERT INTO watches (watch) VALUES (?) ON CONFLICT DO UPDATE SET watch = watch RETURNING id',
  );
  const question = db.prepare(`
    INSERT INTO questions (explorer, operation, path, params) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET path = path RETURNING id`);
  const body = db.prepare(`
    INSERT INTO bodies (hash, packed) VALUES (?, ?) ON CONFLICT DO UPDATE SET hash = hash RETURNING id`);
  const findBody = db.prepare('SELECT id FROM bodies WHERE hash = ?');

  function cached(key: string, give: () => number): number {
    const known = cache.get(key) ?? give();
    cache.set(key, known);
    return known;
  }
  return {
    ofWatch: (id: WatchId) => cached(id, () => Number(watch.get(id)?.['id'])),
    ofQuestion: (asked: RecordedQuestion) =>
      cached(keyOfAsked(asked), () => {
        const { explorer, operation, path, params } = asked;
        return Number(question.get(explorer, operation, path, JSON.stringify(sortedEntries(params)))?.['id']);
      }),
    // Not cached: the body may have been deleted.
    ofBody: ({ hash, bytes }: Packed) => Number((findBody.get(hash) ?? body.get(hash, bytes))?.['id']),
    forget() {
      cache.clear();
    },
  };
}

/** Drops the oldest polls, or only those before `before`, and the bodies that no poll needs any more. */
function createDrop(db: RecordingDatabase): (before: Instant | null) => void {
  db.exec('CREATE TEMP TABLE doomed (poll INTEGER PRIMARY KEY); CREATE TEMP TABLE loose (body INTEGER PRIMARY KEY)');
  const steps = [
    'DELETE FROM doomed',
    'DELETE FROM loose',
    `INSERT INTO doomed SELECT id FROM (SELECT id, at FROM polls ORDER BY id LIMIT ${PORTION}) WHERE at < :before`,
    `INSERT OR IGNORE INTO loose SELECT body FROM answers WHERE poll IN (SELECT poll FROM doomed) AND body IS NOT NULL`,
    `INSERT OR IGNORE INTO loose SELECT memory FROM polls WHERE id IN (SELECT poll FROM doomed) AND memory IS NOT NULL`,
    'DELETE FROM polls WHERE id IN (SELECT poll FROM doomed)',
    `DELETE FROM bodies WHERE id IN (SELECT body FROM loose)
      AND NOT EXISTS (SELECT 1 FROM answers WHERE answers.body = bodies.id)
      AND NOT EXISTS (SELECT 1 FROM polls WHERE polls.memory = bodies.id)`,
  ].map((sql) => ({ statement: db.prepare(sql), isDated: sql.includes(':before') }));
  return (before) => {
    for (const { statement, isDated } of steps)
      if (isDated) statement.run({ before: before ?? Number.MAX_SAFE_INTEGER });
      else statement.run();
  };
}
