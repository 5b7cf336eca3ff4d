// One poll without its effects: what was seen, and what to think of it. The daemon and a replay both come through here.
import type { Memory } from '../core/model/memory.ts';
import type { Decision } from '../core/model/decision.ts';
import type { Head, Observation, TickChain } from '../core/model/observation.ts';
import type { Instant } from '../lib/clock.ts';
import { type Watch, headQuestionOf } from '../core/model/watch.ts';
import { Missed, type Read } from '../core/model/question.ts';
import { step } from '../core/step.ts';
import { judge, readChain, type Judged } from '../core/chain/tick-chain.ts';
import type { Log } from '../telemetry/log.ts';

/** When and where the chain was; asked once everything is read. */
export interface Surroundings {
  readonly now: () => Instant;
  readonly head: () => Head | null;
  /** False where the head cannot be asked for: then it stays as it is known. */
  readonly canAsk?: boolean;
  /** How far the explorer has read. Asked only when a decision rests on it; `readTickChain` where there is an explorer. */
  readonly chain: () => Promise<TickChain>;
}

/** What one poll saw and what comes of it. Null when the daemon is stopping. */
export async function poll(
  watch: Watch,
  memory: Memory,
  read: Read,
  surroundings: Surroundings,
  log: Pick<Log, 'error'>,
): Promise<Judged | null> {
  const observation = await observe(watch, memory, read, surroundings);
  return observation === null ? null : judgeOn(watch, memory, observation, surroundings, log);
}

/** What comes of an observation on a memory. Null when the daemon is stopping. */
export async function judgeOn(
  watch: Watch,
  memory: Memory,
  observation: Observation,
  { chain }: Pick<Surroundings, 'chain'>,
  log: Pick<Log, 'error'>,
): Promise<Judged | null> {
  try {
    return await judge(observation, (one) => decide(watch, memory, one, log), chain);
  } catch (error) {
    if (isStop(error)) return null;
    throw error;
  }
}

/** The first page of blocks as this tick shows it. Whatever goes wrong leaves it unknown; only a stop is thrown. */
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

function isStop(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

/** Null when the daemon is stopping. */
export async function observe(
  watch: Watch,
  memory: Memory,
  read: Read,
  { now, head, canAsk = true }: Omit<Surroundings, 'chain'>,
): Promise<Observation | null> {
  const state = memory.checksum === watch.checksum ? memory.state : null;
  try {
    const headQuestion = headQuestionOf(watch);
    if (headQuestion !== null && canAsk && !isFresh(head(), watch, now())) await read.page(headQuestion, null);
    const { seen, partial } = await watch.kind.observe(watch.target, state, read);
    return { type: 'seen', at: now(), head: head(), chain: 'not-asked', seen, partial };
  } catch (error) {
    if (error instanceof Missed) return { type: 'missed', at: now(), reason: error.reason, detail: error.message };
    if (isStop(error)) return null;
    const detail = error instanceof Error ? error.message : String(error);
    return { type: 'missed', at: now(), reason: 'shape', detail };
  }
}

/** Another watch, or this one, has looked at the head within the watch's interval; not later, by a clock set back since. */
function isFresh(head: Head | null, { schedule }: Watch, now: Instant): boolean {
  return head !== null && head.readAt <= now && now - head.readAt < schedule.intervalMs;
}

/** `step`, but for a defect in it: that is logged and taken for a missed poll. */
function decide(watch: Watch, memory: Memory, observation: Observation, log: Pick<Log, 'error'>): Decision {
  try {
    return step(watch, memory, observation);
  } catch (error) {
    // A defect in one rule or kind must not blind the others.
    log.error('watch:failed', { watch: watch.name, error });
    const missed: Observation = { type: 'missed', at: observation.at, reason: 'shape', detail: String(error) };
    return step(watch, memory, missed);
  }
}

/** Memory with the kind's state in the shape of this release; null when the state cannot be read. */
export function readMemory({ kind }: Watch, memory: Memory): Memory | null {
  if (memory.state === null) return memory;
  const state = kind.state.safeParse(memory.state);
  return state.success ? { ...memory, state: state.data as Memory['state'] } : null;
}
