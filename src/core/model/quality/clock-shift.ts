// A clock that is set back would lengthen every wait by the same time: `for`, a cooldown, a window. So the remembered
// times are moved with it.
import type { Alert, ConditionState, GroupState, Memory, Run } from '../memory.ts';
import type { Instant } from '../../../lib/clock.ts';

/**
 * The clocks are compared at least once in this time. An instant may be stored between a jump and the comparison that
 * detects it.
 */
export const NOTICED_WITHIN_MS = 60_000;

/**
 * The memory as if the clock had always been `byMs` behind. Times of the chain, and times that are parts of ids, are
 * not changed.
 */
export function shiftClock(memory: Memory, byMs: number): Memory {
  const { alerts, history, data, coveredUntil } = memory;
  return {
    ...memory,
    alerts: mapValues(alerts, (byKey) => mapValues(byKey, (alert) => shiftAlert(alert, byMs))),
    history: mapValues(history, (runs) => runs.map((run) => shiftRun(run, byMs))),
    data: data === null ? null : { ...data, since: data.since - byMs, lastOk: shiftInstant(data.lastOk, byMs) },
    coveredUntil: shiftInstant(coveredUntil, byMs),
  };
}

/**
 * The milliseconds by which the memory's times must be moved back for a poll at `at`; 1 if the clock shows the last
 * time again.
 */
export function skewOf({ coveredUntil }: Memory, at: Instant): number {
  return coveredUntil === null ? 0 : Math.max(0, coveredUntil - at + 1);
}

/**
 * The memory, ready for a poll at `at`. After a clock was set back, it would otherwise wait until the clock has caught
 * up.
 */
export function readyFor(memory: Memory, at: Instant): Memory {
  const byMs = skewOf(memory, at);
  return byMs === 0 ? memory : shiftClock(memory, byMs);
}

function shiftAlert(alert: Alert, byMs: number): Alert {
  switch (alert.type) {
    case 'open':
      return { ...alert, since: alert.since - byMs };
    case 'event':
      return { ...alert, turnedAt: shiftInstant(alert.turnedAt, byMs) };
    case 'condition':
      return shiftCondition(alert, byMs);
    case 'group':
      return { ...alert, ...shiftedUnjudged(alert, byMs), condition: shiftCondition(alert.condition, byMs) };
  }
}

function shiftedUnjudged({ unjudgedFrom }: GroupState, byMs: number): Pick<GroupState, 'unjudgedFrom'> {
  return unjudgedFrom === undefined ? {} : { unjudgedFrom: unjudgedFrom - byMs };
}

function shiftCondition(state: ConditionState, byMs: number): ConditionState {
  return {
    ...state,
    since: shiftInstant(state.since, byMs),
    began: shiftInstant(state.began, byMs),
    cooldownUntil: shiftInstant(state.cooldownUntil, byMs),
    firings: state.firings.map((at) => at - byMs),
    flapping: shiftInstant(state.flapping, byMs),
  };
}

function shiftRun([from, until, value]: Run, byMs: number): Run {
  return [from - byMs, shiftInstant(until, byMs), value];
}

function shiftInstant(at: Instant | null, byMs: number): Instant | null {
  return at === null ? null : at - byMs;
}

function mapValues<V>(record: Readonly<Record<string, V>>, change: (value: V) => V): Record<string, V> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
