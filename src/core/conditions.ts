// `while:` alerts: one condition per watch, pending, firing, resolved.
import { newCondition, type Truths } from './alert.ts';
import { live } from './lasting.ts';
import type { Condition, ConditionAlert, Truth } from './model.ts';
import { sameOr, type AlertsByKey, type Part, type Poll } from './part.ts';
import { sceneOf } from './picking.ts';

/** The finding key of a watch's one condition. */
const ONLY = '';

export function stepCondition(poll: Poll, alert: ConditionAlert, known: AlertsByKey): Part {
  const state = known[ONLY]?.type === 'condition' ? known[ONLY] : newCondition(poll.time.at);
  const truths: Truths = {
    while: truthOf(poll, alert.while),
    until: alert.until === null ? null : truthOf(poll, alert.until),
  };
  // Nothing is said of an unknown thing, so nothing of this is ever shown.
  const scene = poll.scene ?? sceneOf({ view: poll.watch.kind.fields.make({}) }, null);
  const lived = live(poll, alert, state, truths, { key: ONLY, scene });
  return {
    alerts: lived.state === state ? known : sameOr(known, [[ONLY, lived.state]]),
    deliveries: lived.deliveries,
    reasons: lived.reasons,
    truth: truths.while,
    matchingBaseline: 0,
  };
}

function truthOf({ scene, isStale }: Poll, condition: Condition): Truth {
  return scene === null || (isStale && !condition.headOnly) ? 'unknown' : condition.evaluate(scene);
}
