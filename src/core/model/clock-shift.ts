// A clock that was set back would make every wait longer by as much: a `for` that is half over, a cooldown, a window's
// beginning. So what is remembered by that clock moves along.
import type { Alert, ConditionState, Memory, Run } from './memory.ts';
import type { Instant } from '../../lib/clock.ts';

/** Memory as if the clock had always been `byMs` behind. Times of the chain, and what makes ids, stay as they are. */
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

function shiftAlert(alert: Alert, byMs: number): Alert {
  switch (alert.type) {
    case 'open':
      return { ...alert, since: alert.since - byMs };
    case 'event':
      return { ...alert, turnedAt: shiftInstant(alert.turnedAt, byMs) };
    case 'condition':
      return shiftCondition(alert, byMs);
    case 'group':
      return { ...alert, condition: shiftCondition(alert.condition, byMs) };
  }
}

function shiftCondition(state: ConditionState, byMs: number): ConditionState {
  return {
    ...state,
    since: shiftInstant(state.since, byMs),
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
