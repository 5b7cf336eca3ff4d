// `while:` alerts: one condition per watch, pending, firing, resolved.
import { advance, newCondition } from './alert.ts';
import { conditionKey } from './identity.ts';
import { messageOf, resolvedMessage, type Stage } from './message.ts';
import type { Condition, ConditionAlert, ConditionState, Delivery, Truth } from './model.ts';
import { deliveriesOf, type AlertsByKey, type Part, type Poll } from './part.ts';

/** The finding key of a watch's one condition. */
const ONLY = '';

export function stepCondition(poll: Poll, alert: ConditionAlert, known: AlertsByKey): Part {
  const state = known[ONLY]?.type === 'condition' ? known[ONLY] : newCondition(poll.time.at);
  const truths = {
    while: truthOf(poll, alert.while),
    until: alert.until === null ? null : truthOf(poll, alert.until),
  };
  const { after, transition } = advance(alert, state, truths, poll.time);
  const said = say(poll, alert, after, transition);
  return {
    alerts: said.state === state ? known : { [ONLY]: said.state },
    deliveries: said.deliveries,
    reasons: transition === 'none' ? [] : [{ type: transition, alert: alert.id, key: ONLY }],
    matchingBaseline: 0,
  };
}

function truthOf({ scene, isStale }: Poll, condition: Condition): Truth {
  return scene === null || (isStale && !condition.headOnly) ? 'unknown' : condition.evaluate(scene);
}

interface Said {
  readonly state: ConditionState;
  readonly deliveries: readonly Delivery[];
}

/** Firing is told to all whom the rule names; its end to those who heard of it, and to nobody else. */
function say({ watch, scene, time }: Poll, alert: ConditionAlert, after: ConditionState, transition: string): Said {
  if (scene === null || (transition !== 'firing' && transition !== 'resolved')) return { state: after, deliveries: [] };
  const message = messageOf(watch, alert, scene, stageOf(conditionKey(watch, alert.id, after), after, time.at));
  if (transition === 'firing')
    return {
      state: { ...after, firing: message, told: alert.notify },
      deliveries: deliveriesOf(alert.notify, message),
    };
  const state = { ...after, firing: null, told: [] };
  if (after.firing === null) return { state, deliveries: [] };
  const end = resolvedMessage(after.firing, { at: time.at, seq: after.seq }, { reason: null, last: message });
  return { state, deliveries: deliveriesOf(after.told, end) };
}

function stageOf(key: string, { episode, seq }: ConditionState, at: number): Stage {
  return { type: 'alert.firing', key, episode, seq, at, observedAt: at, since: at, late: false };
}
