// Writes polls to a file, apart from the polls themselves.
//
//   a poll reads     its answers are noted, by the object that they were decoded to
//   a poll settles   its note waits in memory
//   every second     waiting notes are compressed and written in batches; then polls over the limits are deleted
//
// A recording must not cost an alert, so no function here throws during a poll. If the file cannot be written, this is
// logged once per cause, and counted. Waiting notes are tried again; beyond a limit the oldest ones are dropped.
import type { Memory } from '../core/model/memory.ts';
import { type Clock, type Instant, nextTurn } from '../lib/clock.ts';
import type { Observation } from '../core/model/observation.ts';
import type { WatchId } from '../core/model/ids.ts';
import { Missed, type Cursor, type Read } from '../core/model/watch/question.ts';
import type { HookedPoll, PollStart, PollHook } from '../engine/polling/read.ts';
import { StorageError } from '../store/contract/store.ts';
import { answering, isRefused } from '../store/sqlite/database.ts';
import type { Log } from '../telemetry/log.ts';
import { createBody, type Body } from './bodies.ts';
import type { RecordedQuestion, RecordedRefusal } from './model.ts';
import { closeWhole, openToRecord } from './schema.ts';
import { createWriter, memoryText, type Bounds, type PackedAnswer, type PackedPoll } from './writer.ts';

export interface RecorderOptions extends Bounds {
  /** If the file does not exist, it is created with its directories. */
  readonly file: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Called for each batch that could not be written. */
  readonly onFailed?: () => void;
}

export interface Recorder extends PollHook, AsyncDisposable {
  /** Called for every answer that an explorer decoded, with its body. */
  readonly onAnswer: (answer: object, body: Buffer) => void;
  /** Writes every second until the signal aborts. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** Writes the waiting notes. */
  flush(): Promise<void>;
}

interface Answer {
  readonly asked: RecordedQuestion;
  readonly cursor: Cursor | null;
  readonly again: boolean;
  readonly gave: Body | RecordedRefusal;
}

interface PendingPoll {
  readonly watch: WatchId;
  readonly startedAt: Instant;
  readonly observation: Observation;
  readonly coveredUntil: Instant | null;
  readonly memory: Promise<Memory> | null;
  readonly answers: readonly Answer[];
  /** Adds the answers about details. */
  readonly details: Promise<void> | null;
}

const WRITE_MS = 1000;
/**
 * The most polls of a batch. A batch is one transaction, which blocks the process for about five milliseconds if every
 * poll is new.
 */
const BATCH = 50;
const MOST_WAITING = 20_000;
/**
 * The interval at which the memory of a watch is stored. After the oldest polls are dropped, a replay starts from the
 * next stored memory.
 */
const MEMORY_EVERY_MS = 6 * 3_600_000;

/** Throws a StorageError if the file cannot be used; its text is for the operator. */
export function openRecorder(options: RecorderOptions): Recorder {
  const { clock, log } = options;
  const file = openToRecord(options.file);
  const waiting = createWaitingPolls(options, file);
  const bodyByAnswer = new WeakMap<object, Body>();
  const rememberedAt = new Map<WatchId, Instant>();

  /** The memory if it is due to be stored: after a blank start of a watch, and every few hours. */
  function memoryToKeep({ watch, memory, wholeMemory }: PollStart, now: Instant): PendingPoll['memory'] {
    const last = rememberedAt.get(watch.id);
    if (last !== undefined && now - last < MEMORY_EVERY_MS && memory.version > 0) return null;
    rememberedAt.set(watch.id, now);
    // Read at once, because the store may be closed when the note is written. If the history of windows cannot be read,
    // the memory is noted without it.
    return wholeMemory().catch(() => memory);
  }

  return {
    onAnswer(answer, body) {
      bodyByAnswer.set(answer, createBody(body));
    },
    onPoll(poll, read): HookedPoll {
      const { watch, memory, startedAt } = poll;
      const answers: Answer[] = [];
      return {
        read: noting(read, bodyByAnswer, answers),
        readDetails: (more) => noting(more, bodyByAnswer, answers),
        settled(observation, details) {
          const kept = memoryToKeep(poll, observation.at);
          const { coveredUntil } = memory;
          waiting.add({ watch: watch.id, startedAt, observation, coveredUntil, memory: kept, answers, details });
        },
      };
    },
    flush: waiting.flush,
    async run(signal) {
      while (!signal.aborted) {
        await waiting.flush();
        await clock.sleep(WRITE_MS, signal);
      }
    },
    async [Symbol.asyncDispose]() {
      if (!file.db.isOpen) return;
      await waiting.flush();
      const polls = waiting.size();
      if (polls > 0) log.warn('recording:incomplete', { polls });
      closeWhole(file.db);
    },
  };
}

interface WaitingPolls {
  add(poll: PendingPoll): void;
  readonly size: () => number;
  /** Writes what waits, and drops what is too old. Runs once at a time, so that polls stay in order. */
  readonly flush: () => Promise<void>;
}

function createWaitingPolls(options: RecorderOptions, { db, path }: ReturnType<typeof openToRecord>): WaitingPolls {
  const { clock, log } = options;
  const writer = answering(path, 'prepare', () => createWriter(db));
  let waiting: PendingPoll[] = [];
  let writing: Promise<void> = Promise.resolve();
  let lastCause: string | null = null;

  async function writeWaiting(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, BATCH);
      try {
        const polls = await Promise.all(batch.map(packed));
        answering(path, 'write', () => {
          writer.write(polls);
        });
        works();
      } catch (error) {
        fails(error, isForNow(error) ? batch : []);
        return;
      }
      await nextTurn();
    }
    await prune();
  }

  async function prune(): Promise<void> {
    try {
      while (answering(path, 'prune', () => writer.prune(options, clock.now()))) await nextTurn();
    } catch (error) {
      fails(error, []);
    }
  }

  function fails(error: unknown, batch: readonly PendingPoll[]): void {
    options.onFailed?.();
    const cause = error instanceof StorageError ? error.message : String(error);
    if (cause !== lastCause)
      log.error('recording:failed', { error, effect: 'alerts continue; the recording may have a gap' });
    lastCause = cause;
    waiting = [...batch, ...waiting].slice(-MOST_WAITING);
  }

  function works(): void {
    if (lastCause !== null) log.info('recording:works-again');
    lastCause = null;
  }

  return {
    add(poll) {
      waiting.push(poll);
    },
    size: () => waiting.length,
    flush() {
      writing = writing.then(writeWaiting);
      return writing;
    },
  };
}

/**
 * Whether a retry can help: the file is locked, or the disk is full. A batch that the file can never take is dropped.
 */
function isForNow(error: unknown): boolean {
  return error instanceof StorageError && !isRefused(error.cause);
}

function noting(read: Read, bodyByAnswer: WeakMap<object, Body>, answers: Answer[]): Read {
  async function note<T extends object>(
    { explorer, operation, path, params }: RecordedQuestion,
    cursor: Cursor | null,
    again: boolean,
    asked: Promise<T>,
  ): Promise<T> {
    const entry = { asked: { explorer, operation, path, params }, cursor, again };
    try {
      const value = await asked;
      const body = bodyByAnswer.get(value);
      if (body !== undefined) answers.push({ ...entry, gave: body });
      return value;
    } catch (error) {
      if (error instanceof Missed) answers.push({ ...entry, gave: { reason: error.reason, detail: error.message } });
      throw error;
    }
  }
  const { sweepPage, isShared } = read;
  return {
    ...(isShared === undefined ? {} : { isShared }),
    ...(sweepPage === undefined
      ? {}
      : { sweepPage: (question, cursor) => note(question, cursor, false, sweepPage(question, cursor)) }),
    one: (question) => note(question, null, false, read.one(question)),
    page: (question, cursor) => note(question, cursor, false, read.page(question, cursor)),
    pageAgain: (question, cursor) => note(question, cursor, true, read.pageAgain(question, cursor)),
  };
}

async function packed(pending: PendingPoll): Promise<PackedPoll> {
  await pending.details;
  const memory = pending.memory === null ? null : createBody(Buffer.from(memoryText(await pending.memory)));
  return {
    ...pending,
    memory: memory === null ? null : await memory.packed(),
    answers: await Promise.all(pending.answers.map(packedAnswer)),
  };
}

async function packedAnswer({ gave, ...entry }: Answer): Promise<PackedAnswer> {
  return { ...entry, gave: 'packed' in gave ? await gave.packed() : gave };
}
