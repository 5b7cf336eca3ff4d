// Replays polls through the daemon's own `poll` and `step`. Nothing is sent and nothing is stored: the result is the
// messages that would have been sent.
import type { Recipient, RecipientsOf } from '../core/model/ids.ts';
import type { Message } from '../core/model/delivery.ts';
import type { Memory } from '../core/model/memory.ts';
import type { Decision } from '../core/model/decision.ts';
import type { Head, Observation, TickChain } from '../core/model/observation.ts';
import type { Instant } from '../lib/clock.ts';
import type { Watch } from '../core/model/watch/watch.ts';
import type { Read } from '../core/model/watch/question.ts';
import { shiftClock } from '../core/model/quality/clock-shift.ts';
import { withReadDetails } from '../core/alerts/details.ts';
import { blankMemory } from '../core/step.ts';
import { isStop, pollSafely } from '../engine/polling/observe.ts';
import type { Log } from '../telemetry/log.ts';

/** One poll to be replayed. */
export interface ReplayedPoll {
  readonly at: Instant;
  readonly head: () => Head | null;
  readonly read: Read;
  /** False if the poll cannot ask for the head. `head` is used then. */
  readonly canAskHead: boolean;
  /** Reads the details of events; left out: messages have none. */
  readonly details?: Read;
  /** The newest block that the explorer had read. */
  readonly chain: () => Promise<TickChain>;
  /** The memory to start from instead of the previous poll's memory; undefined to continue. */
  readonly memory?: Memory;
  /** The time up to which the daemon counted the watch as covered; undefined: as after the previous poll. */
  readonly coveredUntil?: Instant | null;
  /** The interval in force; undefined for the rule's interval. */
  readonly paceMs?: number;
}

export interface ReplayedDecision {
  readonly watch: Watch;
  readonly observation: Observation;
  readonly decision: Decision;
}

/** Replays polls in order, starting from a blank memory. */
export async function* replay(
  watch: Watch,
  polls: Iterable<ReplayedPoll>,
  log: Pick<Log, 'error'>,
): AsyncGenerator<ReplayedDecision> {
  let memory = blankMemory(watch);
  for (const made of polls) {
    const { at, read, head, canAskHead, chain, paceMs = watch.schedule.intervalMs } = made;
    const reader = { read, now: () => at, head, canAskHead, chain, paceMs, endsPoll: isStop };
    const judged = await pollSafely(watch, startOf(memory, made), reader, log);
    if (judged === null) continue;
    const { decision, observation } = judged;
    ({ memory } = decision);
    const { details } = made;
    const transitions =
      details === undefined ? decision.transitions : await withReadDetails(watch, decision.transitions, details);
    yield { watch, observation, decision: { ...decision, transitions } };
  }
}

function startOf(memory: Memory, { at, memory: given, coveredUntil }: ReplayedPoll): Memory {
  const start = given ?? memory;
  // The clock was set back before this poll, and the daemon shifted its memory by the difference.
  if (start.coveredUntil !== null && start.coveredUntil > at && typeof coveredUntil === 'number')
    return shiftClock(start, start.coveredUntil - coveredUntil);
  return coveredUntil === undefined || coveredUntil === start.coveredUntil ? start : { ...start, coveredUntil };
}

/** One message, with the recipients that would have got it. */
export interface ReplayedMessage {
  readonly watch: Watch;
  readonly message: Message;
  readonly to: readonly Recipient[];
}

export function messagesOf({ watch, decision }: ReplayedDecision, recipientsOf: RecipientsOf): ReplayedMessage[] {
  return decision.transitions.map(({ message, notify }) => {
    const to = notify.flatMap((channel) => recipientsOf(channel) ?? []);
    return { watch, message, to };
  });
}
