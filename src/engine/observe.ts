// One poll without its effects: what was seen, and what to think of it. The daemon and a replay both come through here.
import type { Memory } from '../core/memory.ts';
import type { Decision, Head, Instant, Observation, Watch } from '../core/model.ts';
import { headQuestionOf } from '../core/kind.ts';
import { Missed, type Read } from '../core/question.ts';
import { step } from '../core/step.ts';
import type { Log } from '../telemetry/log.ts';

/** When and where the chain was; asked once everything is read. */
export interface Surroundings {
  readonly now: () => Instant;
  readonly head: () => Head | null;
  /** False where the head cannot be asked for: then it stays as it is known. */
  readonly canAsk?: boolean;
}

/** Null when the daemon is stopping. */
export async function observe(
  watch: Watch,
  memory: Memory,
  read: Read,
  { now, head, canAsk = true }: Surroundings,
): Promise<Observation | null> {
  const state = memory.checksum === watch.checksum ? memory.state : null;
  try {
    const headQuestion = headQuestionOf(watch);
    if (headQuestion !== null && canAsk && !isFresh(head(), watch, now())) await read.page(headQuestion, null);
    const { seen, partial } = await watch.kind.observe(watch.target, state, read);
    return { type: 'seen', at: now(), head: head(), seen, partial };
  } catch (error) {
    if (error instanceof Missed) return { type: 'missed', at: now(), reason: error.reason, detail: error.message };
    if (error instanceof DOMException && error.name === 'AbortError') return null;
    const detail = error instanceof Error ? error.message : String(error);
    return { type: 'missed', at: now(), reason: 'shape', detail };
  }
}

/** Another watch, or this one, has looked at the head within the watch's interval; not later, by a clock set back since. */
function isFresh(head: Head | null, { schedule }: Watch, now: Instant): boolean {
  return head !== null && head.readAt <= now && now - head.readAt < schedule.intervalMs;
}

/** `step`, but for a defect in it: that is logged and taken for a missed poll. */
export function decide(watch: Watch, memory: Memory, observation: Observation, log: Pick<Log, 'error'>): Decision {
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
