// Decides whether a transition of a condition is sent. The state itself is always current. A message may wait for the
// end of a cooldown. After three firings within an hour it waits until the condition has been steady for half an hour;
// the time before firing or ending (`for`, `keep_firing_for`) is part of that. Suppressed transitions are counted, and
// the last state is always sent.
import type { StateChange } from './conditions/condition-state.ts';
import type { ConditionState } from '../model/memory.ts';
import type { Instant } from '../../lib/clock.ts';
import type { StatefulAlert } from '../model/watch/watch.ts';

const FLAPPING_WITHIN_MS = 3_600_000;
const FLAPPING_TIMES = 3;
const STEADY_AFTER_MS = 1_800_000;

export interface Emission {
  readonly after: ConditionState;
  /** `flapping`: this firing is sent, and then nothing until the condition is `steady`, firing or not. */
  readonly emits: 'nothing' | 'firing' | 'resolved' | 'flapping' | 'steady';
  /** The reason why the transition is not sent. */
  readonly suppressedBy: 'cooldown' | 'flapping' | null;
}

/** Decides which message a transition sends, if any. */
export function emissionOf(
  rule: Pick<StatefulAlert, 'cooldownMs' | 'forMs' | 'keepFiringForMs'>,
  state: ConditionState,
  transition: StateChange,
  at: Instant,
): Emission {
  switch (transition) {
    case 'firing':
      return onFiring({ ...state, firings: [...recent(state.firings, at), at] }, at - rule.forMs, at);
    case 'resolved':
      return onResolved(state, rule, at);
    case 'unknown':
      return { after: state, emits: 'nothing', suppressedBy: null };
    default:
      return onNothingNew(state, at);
  }
}

/** `since`: when the condition became true. */
function onFiring(state: ConditionState, since: Instant, at: Instant): Emission {
  if (state.flapping !== null) return whileFlapping({ ...state, flapping: since }, since, at);
  if (isCooling(state, at)) return suppress(state, 'cooldown');
  if (state.firings.length >= FLAPPING_TIMES)
    return { after: { ...state, flapping: since }, emits: 'flapping', suppressedBy: 'flapping' };
  return { after: state, emits: 'firing', suppressedBy: null };
}

/**
 * An end that the cooldown suppressed does not prolong the cooldown. Otherwise a condition that often changes would
 * never be sent again.
 */
function onResolved(
  state: ConditionState,
  { cooldownMs, keepFiringForMs }: Pick<StatefulAlert, 'cooldownMs' | 'keepFiringForMs'>,
  at: Instant,
): Emission {
  const cooling = { cooldownUntil: cooldownMs === 0 ? null : at + cooldownMs };
  const since = at - keepFiringForMs;
  if (state.flapping !== null)
    return whileFlapping({ ...state, ...cooling, flapping: since, flaps: state.flaps + 1 }, since, at);
  if (state.firing === null) return suppress({ ...state, flaps: state.flaps + 1 }, 'cooldown');
  return { after: { ...state, ...cooling }, emits: 'resolved', suppressedBy: null };
}

function whileFlapping(after: ConditionState, since: Instant, at: Instant): Emission {
  return isSteady(since, at) ? afterFlapping(after) : suppress(after, 'flapping');
}

function onNothingNew(state: ConditionState, at: Instant): Emission {
  if (state.flapping !== null) return isSteady(state.flapping, at) ? afterFlapping(state) : nothing(state);
  const isSuppressed = isActive(state) && state.firing === null;
  return isSuppressed && !isCooling(state, at) ? { after: state, emits: 'firing', suppressedBy: null } : nothing(state);
}

/** The counts of flapping start again. An episode that still lasts keeps its start. */
function afterFlapping(state: ConditionState): Emission {
  const firings = isActive(state) ? state.firings.slice(-1) : [];
  return { after: { ...state, seq: state.seq + 1, flapping: null, firings }, emits: 'steady', suppressedBy: null };
}

function nothing(state: ConditionState): Emission {
  return { after: state, emits: 'nothing', suppressedBy: null };
}

function suppress(after: ConditionState, suppressedBy: 'cooldown' | 'flapping'): Emission {
  return { after, emits: 'nothing', suppressedBy };
}

export function isActive({ state }: ConditionState): boolean {
  return state === 'firing' || state === 'recovering';
}

/** The start of the present firing, sent or not; undefined if the alert is not active. */
export function activeSince(state: ConditionState): Instant | undefined {
  return isActive(state) ? (state.began ?? state.firings.at(-1) ?? state.firing?.since) : undefined;
}

function isCooling({ cooldownUntil }: ConditionState, at: Instant): boolean {
  return cooldownUntil !== null && at < cooldownUntil;
}

function isSteady(since: Instant, at: Instant): boolean {
  return at - since >= STEADY_AFTER_MS;
}

function recent(firings: readonly Instant[], at: Instant): Instant[] {
  return firings.filter((then) => then > at - FLAPPING_WITHIN_MS);
}
