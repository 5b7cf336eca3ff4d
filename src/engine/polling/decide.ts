// Computes the decision of a poll from its reading. Commits nothing and changes no memory.
import type { JudgedPoll } from '../../core/chain/tick-chain.ts';
import type { Decision } from '../../core/model/decision.ts';
import { Postponed } from '../../core/model/watch/question.ts';
import { isUrgent } from '../../core/model/transition.ts';
import { withClosedApart } from '../../core/alerts/history.ts';
import type { Past } from '../../core/windows/stored-runs.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Store } from '../../store/contract/store.ts';
import { runsBefore } from './beside-memory.ts';
import { isStop, judgeSafely } from './observe.ts';
import { missedByDefect, missedFor, type PollReading, type ReadTools } from './read.ts';
import type { HeldWatch } from './state.ts';

export interface DecideTools extends Pick<ReadTools, 'clock' | 'log' | 'paceOf'> {
  readonly store: Pick<Store, 'samples' | 'samplesAfter'>;
}

/** The result of a poll. */
export interface DecidedPoll extends PollReading {
  readonly decision: Decision;
  /** The decision before the closed runs were taken out of its memory. */
  readonly whole: Decision;
  /** Milliseconds from the start of the poll to its decision. */
  readonly tookMs: number;
}

/**
 * An exception in the evaluation counts as a missed poll. Resolves with null if the daemon is stopping, or if this
 * process may no longer poll the explorer. Throws `Postponed` if the plan has no credits for the chain's head now.
 */
export async function decide(state: HeldWatch, reading: PollReading, tools: DecideTools): Promise<DecidedPoll | null> {
  try {
    return await decideOnSameChain(state, reading, tools);
  } catch (error) {
    if (error instanceof Postponed) throw error;
    if (isStop(error)) return null;
    return decideOnSameChain(state, { ...reading, ...missedByDefect(state, reading, error, tools) }, tools);
  }
}

/** If the explorer shows another chain than before, the poll counts as missed. */
async function decideOnSameChain(
  state: HeldWatch,
  reading: PollReading,
  tools: DecideTools,
): Promise<DecidedPoll | null> {
  const { watch, memory, shiftedMs, beganMs, otherChain } = reading;
  const first = await judgeReading(state, reading, tools);
  if (first === null) return null;
  const other = (await otherChain?.()) ?? null;
  const judged =
    other === null
      ? first
      : await judgeReading(state, { ...reading, observation: missedFor('other-chain', other, watch, tools) }, tools);
  if (judged === null) return null;
  const { observation } = judged;
  const whole = moved(judged.decision, shiftedMs);
  const decision = withClosedApart(watch, memory, whole);
  const decided = { ...reading, observation, decision, whole, tookMs: tools.clock.monotonic() - beganMs };
  return state.isUnsure ? withDoubt(decided) : decided;
}

function judgeReading(
  state: HeldWatch,
  { watch, memory, shiftedMs, observation, chain }: PollReading,
  { store, log }: DecideTools,
): Promise<JudgedPoll | null> {
  const past = (at: Instant): Promise<Past> => runsBefore(state, { watch, memory, at, shiftedMs }, store);
  return judgeSafely(watch, memory, observation, { chain, past }, log);
}

/**
 * If the clock was set back, the times in the memory were moved back. The decision is then written in any case, so that
 * the store moves its times too.
 */
function moved(decision: Decision, shiftedMs: number): Decision {
  if (shiftedMs === 0) return decision;
  return { ...decision, hasChanged: true, closed: { ...decision.closed, shiftedMs } };
}

/**
 * Marks the messages about new critical alerts as possible copies: a replica that has ended may have sent them from
 * memory.
 */
function withDoubt(decided: DecidedPoll): DecidedPoll {
  return { ...decided, decision: doubted(decided.decision), whole: doubted(decided.whole) };
}

function doubted(decision: Decision): Decision {
  if (!decision.transitions.some(isUrgent)) return decision;
  const transitions = decision.transitions.map((one) =>
    isUrgent(one) ? { ...one, message: { ...one.message, mayBeTold: true as const } } : one,
  );
  return { ...decision, transitions };
}
