// One poll without its effects: the observation, and the decision from it. The daemon, a replay and the tests of rules
// all poll through here. They differ in the reader that answers: an explorer, a recording, or the rows of a test.
import type { Alert, EventState, Memory } from '../../core/model/memory.ts';
import type { Decision } from '../../core/model/decision.ts';
import type { Reading } from '../../core/model/watch/kind.ts';
import type { Head, HeadNeed, Observation, TickChain } from '../../core/model/observation.ts';
import type { Instant } from '../../lib/clock.ts';
import { finishInSlices } from '../../lib/steps.ts';
import { type Watch, headQuestionOf } from '../../core/model/watch/watch.ts';
import { Missed, type Read } from '../../core/model/watch/question.ts';
import { step, stepInSteps } from '../../core/step.ts';
import { NO_PAST, type Past } from '../../core/windows/stored-runs.ts';
import { judge, readChain, type JudgedPoll } from '../../core/chain/tick-chain.ts';
import type { Log } from '../../telemetry/log.ts';

/** The source of answers for one poll. */
export interface PollReader {
  /** The interval in force; by default the rule's. */
  readonly paceMs?: number;
  /** Answers the questions of the kind, and the question for the chain's head. */
  readonly read: Read;
  readonly now: () => Instant;
  /** The head of the chain at its last reading; null: it was not read. */
  readonly head: () => Head | null;
  /** False if the head cannot be requested: then the known head stays. */
  readonly canAskHead: boolean;
  /**
   * Asks how far the explorer has read. Called only when a decision depends on it; `need`: the height that the decision
   * needs.
   */
  readonly chain: (need: HeadNeed) => Promise<TickChain>;
  /** Reads the values of a kind that makes no requests; absent for other kinds. */
  readonly see?: (state: unknown) => Reading<unknown>;
  /** True if the error ends the poll; false if the poll counts as missed. Never called with a `Missed`. */
  readonly endsPoll: (error: unknown) => boolean;
  /** Reads the stored runs that the windows of the watch need at `at`; absent if the memory contains all runs. */
  readonly past?: (at: Instant) => Promise<Past>;
}

export type Decide = (observation: Observation) => Decision | Promise<Decision>;

/** Makes an observation and the decision from it. Throws the errors that end a poll. */
export async function poll(watch: Watch, memory: Memory, reader: PollReader, decide: Decide): Promise<JudgedPoll> {
  const observation = await observe(watch, memory, reader);
  return judge(observation, decide, reader.chain);
}

/**
 * Like `poll`, but a defect in a rule or a kind counts as a missed poll, so that other watches are still polled. Null
 * when the daemon is stopping.
 */
export async function pollSafely(
  watch: Watch,
  memory: Memory,
  reader: PollReader,
  log: Pick<Log, 'error'>,
): Promise<JudgedPoll | null> {
  const observation = await unlessStopped(observe(watch, memory, reader));
  return observation === null ? null : judgeSafely(watch, memory, observation, reader, log);
}

/** Makes the decision from an observation, logging defects. Null when the daemon is stopping. */
export async function judgeSafely(
  watch: Watch,
  memory: Memory,
  observation: Observation,
  { chain, past }: Pick<PollReader, 'chain' | 'past'>,
  log: Pick<Log, 'error'>,
): Promise<JudgedPoll | null> {
  const before = (await past?.(observation.at)) ?? NO_PAST;
  return unlessStopped(judge(observation, decideSafely({ watch, memory, past: before }, log), chain));
}

async function unlessStopped<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (isStop(error)) return null;
    throw error;
  }
}

/**
 * Reads the chain from this tick's first page of blocks. After an error the result is `unknown`; only an abort is
 * thrown.
 */
export async function readTickChain({ kind, target }: Watch, read: Read): Promise<TickChain> {
  const question = kind.head(target);
  if (question === null) return 'unknown';
  try {
    return readChain((await read.page(question, null)).rows);
  } catch (error) {
    if (isStop(error)) throw error;
    return 'unknown';
  }
}

/** An aborted request: the daemon is stopping. */
export function isStop(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

/** The observation of one poll, or the reason why there is none. Throws the errors that end a poll. */
export async function observe(watch: Watch, memory: Memory, reader: Omit<PollReader, 'chain'>): Promise<Observation> {
  const state = memory.checksum === watch.checksum ? memory.state : null;
  const { paceMs = watch.schedule.intervalMs } = reader;
  try {
    const headQuestion = headQuestionOf(watch);
    if (headQuestion !== null && reader.canAskHead && !isFresh(reader.head(), paceMs, reader.now()))
      await reader.read.page(headQuestion, null);
    const downTo = lowestMissing(memory);
    const { seen, partial } =
      reader.see?.(state) ?? (await watch.kind.observe(watch.target, state, reader.read, downTo));
    return { type: 'seen', at: reader.now(), paceMs, head: reader.head(), chain: 'not-asked', seen, partial };
  } catch (error) {
    const at = reader.now();
    if (error instanceof Missed) return { type: 'missed', at, paceMs, reason: error.reason, detail: error.message };
    if (reader.endsPoll(error)) throw error;
    const detail = error instanceof Error ? error.message : String(error);
    return { type: 'missed', at, paceMs, reason: 'shape', detail };
  }
}

/**
 * True if this or another watch read the head within the watch's interval. A time in the future, after the clock was
 * set back, does not count.
 */
function isFresh(head: Head | null, paceMs: number, now: Instant): boolean {
  return head !== null && head.readAt <= now && now - head.readAt < paceMs;
}

/** The inputs of a decision besides the observation. */
interface Before {
  readonly watch: Watch;
  readonly memory: Memory;
  readonly past: Past;
}

/** `step`, but a defect in it is logged and counts as a missed poll. */
function decideSafely({ watch, memory, past }: Before, log: Pick<Log, 'error'>): Decide {
  return async (observation) => {
    try {
      return await finishInSlices(stepInSteps(watch, memory, observation, past));
    } catch (error) {
      log.error('watch:failed', { watch: watch.name, error });
      const { at, paceMs } = observation;
      return step(watch, memory, { type: 'missed', at, paceMs, reason: 'shape', detail: String(error) }, past);
    }
  };
}

/** Memory with the kind's state in the shape of this release; null when the state cannot be read. */
export function readMemory({ kind }: Watch, memory: Memory): Memory | null {
  if (memory.state === null) return memory;
  const state = kind.state.safeParse(memory.state);
  return state.success ? { ...memory, state: state.data as Memory['state'] } : null;
}

/**
 * An event counts as gone after several readings without it. Returns the lowest block of the events that are missing
 * but do not count as gone yet; null if none of them is in a block. The next readings must reach down to this block.
 * Otherwise newer items push the events off the pages, and no retraction is sent.
 */
function lowestMissing({ alerts }: Pick<Memory, 'alerts'>): number | null {
  let lowest: number | null = null;
  for (const byKey of Object.values(alerts))
    for (const alert of Object.values(byKey))
      if (isMissing(alert) && alert.block !== null) lowest = Math.min(lowest ?? Infinity, alert.block);
  return lowest;
}

function isMissing(alert: Alert): alert is EventState {
  return alert.type === 'event' && (alert.state === 'suspect' || (alert.state === 'observed' && alert.absent > 0));
}
