// Reads a recording for a replay. Rows are validated here.
import { z } from 'zod';
import { type Memory } from '../core/model/memory.ts';
import { type Head, MISS_REASONS } from '../core/model/observation.ts';
import type { Instant } from '../lib/clock.ts';
import type { WatchId } from '../core/model/ids.ts';
import type { Cursor } from '../core/model/watch/question.ts';
import { answering } from '../store/sqlite/database.ts';
import type { Row } from '../store/sql/rows.ts';
import { MEMORY_FORMAT, memoryOf } from '../store/tables/memory/stored-memory.ts';
import { StorageError } from '../store/contract/store.ts';
import { unpack } from './bodies.ts';
import { sortedEntries, type RecordedQuestion, type RecordedAnswer, type RecordedPoll } from './model.ts';
import { addedColumns, openToReplay, type RecordingDatabase } from './schema.ts';

export interface RecordedTime {
  readonly from: Instant;
  readonly until: Instant;
  readonly polls: number;
  readonly watches: number;
}

/** The polls that were due together at one explorer. */
export interface RecordedTick {
  readonly startedAt: Instant;
  readonly at: Instant;
  readonly head: Head | null;
}

/** Every method throws a StorageError if the file is damaged. */
export interface Recording extends Disposable {
  /** Null if nothing is recorded yet. */
  span(): RecordedTime | null;
  has(watch: WatchId): boolean;
  /** The polls of a watch, in the order in which the daemon applied them. */
  polls(watch: WatchId): Iterable<RecordedPoll>;
  /** Every tick in which any watch asked for the first page of a question. */
  ticks(asked: RecordedQuestion): Iterable<RecordedTick>;
  /** The answers that one poll read, in order. */
  answers(poll: number): readonly RecordedAnswer[];
  /** The answers that all polls of one tick read. */
  answersInTick(explorer: string, startedAt: Instant): readonly RecordedAnswer[];
  body(number: number): Buffer;
}

/** Throws a StorageError if there is no recording at `file`. */
export function openRecording(file: string): Recording {
  const db = openToReplay(file);
  const read = <T>(work: () => T): T => answering(file, 'read', work);
  const statements = read(() => prepare(db));
  const damaged = (what: string): StorageError =>
    new StorageError(`${file} is damaged: ${what}. Make a new recording.`);

  function body(number: number): Buffer {
    const row = statements.body.get(number);
    if (row === undefined) throw damaged(`body ${number} is missing`);
    const { packed } = packedRow.parse(row);
    return unpack(packed);
  }

  function pollOf(row: Row): RecordedPoll {
    const { id, watch, started_at, at, covered_until, memory, chain, pace_ms } = pollRow.parse(row);
    return {
      id,
      watch,
      startedAt: started_at,
      at,
      head: headOf(row),
      chain: chain === null ? null : tickChain.parse(JSON.parse(chain)),
      coveredUntil: covered_until,
      paceMs: pace_ms,
      memory: memory === null ? null : memoryFrom(watch, body(memory)),
    };
  }

  return {
    span: () => read(() => spanOf(statements.span.get())),
    has: (watch) => read(() => statements.has.get(watch) !== undefined),
    *polls(watch) {
      for (const row of read(() => statements.polls.all(watch))) yield read(() => pollOf(row));
    },
    *ticks({ explorer, operation, path, params }) {
      const key = [explorer, operation, path, JSON.stringify(sortedEntries(params))];
      for (const row of read(() => statements.ticks.all(...key))) {
        const { started_at, at } = tickRow.parse(row);
        yield { startedAt: started_at, at, head: headOf(row) };
      }
    },
    answers: (poll) => read(() => statements.answers.all(poll).map(answerOf)),
    answersInTick: (explorer, startedAt) => read(() => statements.inTick.all(startedAt, explorer).map(answerOf)),
    body: (number) => read(() => body(number)),
    [Symbol.dispose]: () => {
      if (db.isOpen) db.close();
    },
  };
}

const ANSWER = `
  SELECT explorer, operation, path, params, cursor, again, body, refusal, answers.detail
  FROM answers JOIN questions ON questions.id = question`;
const HEAD = 'head_height, head_timestamp, head_read_at, head_stale_after';

function prepare(db: RecordingDatabase) {
  return {
    span: db.prepare(
      'SELECT min(at) AS first, max(at) AS last, count(*) AS polls, count(DISTINCT watch) AS watches FROM polls',
    ),
    has: db.prepare('SELECT 1 FROM polls WHERE watch = (SELECT id FROM watches WHERE watch = ?) LIMIT 1'),
    polls: db.prepare(`
      SELECT polls.id, watches.watch, started_at, at, ${HEAD}, covered_until, memory,
        ${addedColumns(db)}
      FROM polls JOIN watches ON watches.id = polls.watch WHERE watches.watch = ? ORDER BY polls.id`),
    ticks: db.prepare(`
      SELECT started_at, max(at) AS at, ${HEAD} FROM polls WHERE id IN (
        SELECT poll FROM answers WHERE cursor IS NULL AND again = 0 AND question =
          (SELECT id FROM questions WHERE explorer = ? AND operation = ? AND path = ? AND params = ?))
      GROUP BY started_at ORDER BY started_at`),
    answers: db.prepare(`${ANSWER} WHERE poll = ? ORDER BY number`),
    inTick: db.prepare(`
      ${ANSWER} WHERE poll IN (SELECT id FROM polls WHERE started_at = ?) AND explorer = ? ORDER BY poll, number`),
    body: db.prepare('SELECT packed FROM bodies WHERE id = ?'),
  };
}

const instant = z.number();
const packedRow = z.object({ packed: z.instanceof(Uint8Array) });
const spanRow = z.object({ first: instant.nullable(), last: instant.nullable(), polls: z.int(), watches: z.int() });
const tickRow = z.object({ started_at: instant, at: instant });
const pollRow = z.object({
  id: z.int(),
  watch: z.string(),
  started_at: instant,
  at: instant,
  covered_until: instant.nullable(),
  memory: z.int().nullable(),
  chain: z.string().nullable(),
  pace_ms: z.number().nullable(),
});
const tickChain = z.union([
  z.literal('unknown'),
  z.object({
    head: z.number(),
    // Recordings of earlier releases have no such field.
    isBehind: z.boolean().default(false),
    replaced: z.array(z.tuple([z.number(), instant])),
  }),
]);
const headRow = z.object({
  head_height: z.string().regex(/^\d+$/),
  head_timestamp: instant,
  head_read_at: instant,
  head_stale_after: z.number(),
});
const answerRow = z.object({
  explorer: z.string(),
  operation: z.string(),
  path: z.string(),
  params: z.string(),
  cursor: z.string().nullable(),
  again: z.int(),
  body: z.int().nullable(),
  refusal: z.enum(MISS_REASONS).nullable(),
  detail: z.string().nullable(),
});
const texts = z.record(z.string(), z.string());
const pairs = z.array(z.tuple([z.string(), z.string()]));
const memoryBody = z.object({
  checksum: z.string(),
  state: z.unknown(),
  alerts: z.unknown(),
  history: z.unknown(),
  data: z.unknown(),
  coveredUntil: instant.nullable(),
  // Recordings of earlier releases have no such field.
  paceMs: z.number().nullable().default(null),
});

function spanOf(row: Row | undefined): RecordedTime | null {
  const { first, last, polls, watches } = spanRow.parse(row);
  return first === null || last === null ? null : { from: first, until: last, polls, watches };
}

function headOf(row: Row): Head | null {
  if (row['head_height'] === null) return null;
  const { head_height, head_timestamp, head_read_at, head_stale_after } = headRow.parse(row);
  return {
    height: BigInt(head_height),
    timestamp: head_timestamp,
    readAt: head_read_at,
    staleAfterMs: head_stale_after,
  };
}

function answerOf(row: Row): RecordedAnswer {
  const { explorer, operation, path, params, cursor, again, body, refusal, detail } = answerRow.parse(row);
  const asked = { explorer, operation, path, params: Object.fromEntries(pairs.parse(JSON.parse(params))) };
  const gave = body === null ? { reason: refusal ?? 'network', detail: detail ?? '' } : { body };
  return { asked, cursor: cursorFrom(cursor), again: again === 1, gave };
}

function cursorFrom(text: string | null): Cursor | null {
  return text === null ? null : texts.parse(JSON.parse(text));
}

/** The recorded text has no version of the memory. Version 1 stands for it, which changes no decision. */
function memoryFrom(watch: WatchId, text: Buffer): Memory {
  const { checksum, coveredUntil, paceMs, ...parts } = memoryBody.parse(JSON.parse(text.toString('utf8')));
  return memoryOf({
    watch,
    version: 1,
    // The current format: a new memory format also raises the schema of the recording.
    format: MEMORY_FORMAT,
    checksum,
    state: JSON.stringify(parts.state),
    alerts: JSON.stringify(parts.alerts),
    history: JSON.stringify(parts.history),
    data: JSON.stringify(parts.data),
    covered_until: coveredUntil,
    pace_ms: paceMs,
  });
}
