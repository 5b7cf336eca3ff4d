// The states of a condition.
//
//   inactive --true--> pending --held for `for`--> firing --false--> recovering --held for `keep_firing_for`--> inactive
//
// From `pending` back to inactive, and from `recovering` back to firing, no message is sent. An unknown condition leaves
// the state unchanged and stops the count of `for`. Only time between two consecutive polls that both knew the condition
// is counted, and at most three intervals of it, so that downtime and clock jumps neither fire nor resolve anything.
import type { ConditionState } from '../../model/memory.ts';
import type { ConditionReason } from '../../model/decision.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { StatefulAlert } from '../../model/watch/watch.ts';
import type { Truth } from '../../model/ids.ts';

/** The state before the first evaluation. */
export function newCondition(at: Instant): ConditionState {
  return {
    type: 'condition',
    born: at,
    state: 'inactive',
    output: false,
    since: null,
    heldMs: 0,
    began: null,
    episode: 0,
    seq: 0,
    head: null,
    firing: null,
    cooldownUntil: null,
    firings: [],
    flapping: null,
    flaps: 0,
  };
}

/** The time of a poll, and the interval between polls. */
export interface PollTime {
  readonly at: Instant;
  /** The time at which this watch was last evaluated; null = never. */
  readonly coveredUntil: Instant | null;
  readonly intervalMs: number;
  /** The interval of the rule, if the plan stretches it. Left out: it is `intervalMs`. */
  readonly wantedMs?: number;
}

/** The results of a rule's two thresholds in one poll. */
export interface Truths {
  readonly while: Truth;
  /** Null when the rule has no `until`. */
  readonly until: Truth | null;
}

export type StateChange = Exclude<ConditionReason, 'cooldown' | 'flapping' | 'steady'>;

export interface ConditionAdvance {
  readonly after: ConditionState;
  /** The change, or the reason why nothing changed. */
  readonly transition: StateChange;
}

type HoldTimes = Pick<StatefulAlert, 'forMs' | 'keepFiringForMs'>;

/** The state after one poll. The same object as before when nothing changed. */
export function advance(rule: HoldTimes, before: ConditionState, truths: Truths, time: PollTime): ConditionAdvance {
  const output = compare(truths, before);
  if (output === 'unknown') return { after: suspendCount(before, time), transition: 'unknown' };
  const state = resumeCount(withOutput(before, output), time);
  return output ? whenTrue(rule, state, time.at) : whenFalse(rule, state, time.at);
}

/**
 * A comparison with hysteresis: after it fired, the last output holds between `while` and `until`. In the state
 * pending, `while` itself must hold, because `for` counts only the time in which `while` is true.
 */
export function compare(truths: Truths, { state, output }: ConditionState): Truth {
  if (truths.while === 'unknown' || truths.while) return truths.while;
  if (truths.until === null || !output || state === 'pending') return false;
  return truths.until === 'unknown' ? 'unknown' : !truths.until;
}

function whenTrue(rule: HoldTimes, state: ConditionState, at: Instant): ConditionAdvance {
  switch (state.state) {
    case 'inactive':
      return rule.forMs === 0
        ? fire({ ...state, began: at })
        : { after: { ...startWait(state, 'pending', at), began: at }, transition: 'pending' };
    case 'pending':
      return heldFor(state, at) >= rule.forMs ? fire(state) : { after: state, transition: 'still-pending' };
    case 'recovering':
      return { after: endWait(state, 'firing'), transition: 'relapsed' };
    case 'firing':
      return { after: state, transition: 'still-firing' };
  }
}

function whenFalse(rule: HoldTimes, state: ConditionState, at: Instant): ConditionAdvance {
  switch (state.state) {
    case 'inactive':
      return { after: state, transition: 'clear' };
    case 'pending':
      return { after: { ...endWait(state, 'inactive'), began: null }, transition: 'dropped' };
    case 'firing':
      return rule.keepFiringForMs === 0
        ? resolve(state)
        : { after: startWait(state, 'recovering', at), transition: 'recovering' };
    case 'recovering':
      return heldFor(state, at) >= rule.keepFiringForMs
        ? resolve(state)
        : { after: state, transition: 'still-recovering' };
  }
}

function fire(state: ConditionState): ConditionAdvance {
  const after = { ...endWait(state, 'firing'), episode: state.episode + 1, seq: state.seq + 1 };
  return { after, transition: 'firing' };
}

/** The end of an episode. Also used when the rule was removed. */
export function resolve(state: ConditionState): ConditionAdvance {
  return { after: { ...endWait(state, 'inactive'), began: null, seq: state.seq + 1 }, transition: 'resolved' };
}

function startWait(state: ConditionState, to: 'pending' | 'recovering', at: Instant): ConditionState {
  return { ...state, state: to, since: at, heldMs: 0 };
}

function endWait(state: ConditionState, to: 'inactive' | 'firing'): ConditionState {
  return { ...state, state: to, since: null, heldMs: 0 };
}

function withOutput(state: ConditionState, output: boolean): ConditionState {
  return state.output === output ? state : { ...state, output };
}

function isWaiting(state: ConditionState): boolean {
  return state.state === 'pending' || state.state === 'recovering';
}

/** The duration of the present wait at `at`, in milliseconds. */
export function heldFor(state: ConditionState, at: Instant): number {
  return state.heldMs + (state.since === null ? 0 : Math.max(0, at - state.since));
}

/**
 * The condition is unknown. The time held up to the last evaluated poll is kept, and no time is added until the
 * condition is known again.
 */
function suspendCount(state: ConditionState, { coveredUntil }: PollTime): ConditionState {
  if (!isWaiting(state) || state.since === null) return state;
  return { ...state, since: null, heldMs: heldFor(state, coveredUntil ?? state.since) };
}

/**
 * The condition is known again, so counting continues from now. A gap longer than three intervals counts as three
 * intervals.
 */
function resumeCount(state: ConditionState, { at, coveredUntil, intervalMs }: PollTime): ConditionState {
  if (!isWaiting(state)) return state;
  if (state.since === null) return { ...state, since: at };
  const from = Math.max(state.since, coveredUntil ?? state.since);
  const uncounted = at - from - 3 * intervalMs;
  return uncounted > 0 ? { ...state, since: state.since + uncounted } : state;
}
