// `while:` alerts: one condition per watch, pending, firing, resolved.
import { compare, newCondition, type Truths } from './alert.ts';
import { live, type Lived } from './lasting.ts';
import type { ConditionState } from './memory.ts';
import type { Condition, ConditionAlert, Truth } from './model.ts';
import { sameOr, type AlertsByKey, type Part, type Poll } from './part.ts';
import { sceneOf } from './picking.ts';
import { isActive } from './telling.ts';
import { needOf } from './tick-chain.ts';

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
  const isDoubted = isBehind(poll, state, truths);
  const lived = withHead(poll, live(poll, alert, state, isDoubted ? UNKNOWN : truths, { key: ONLY, scene }), state);
  const isAboutHead = isDoubted || (hasFired(lived.state, state) && poll.reach === null);
  return {
    alerts: lived.state === state ? known : sameOr(known, [[ONLY, lived.state]]),
    deliveries: lived.deliveries,
    reasons: isDoubted ? [...lived.reasons, { type: 'behind', alert: alert.id, key: ONLY }] : lived.reasons,
    truth: truths.while,
    matchingBaseline: 0,
    needs: isAboutHead ? needOf(poll.chain, state.head ?? 0) : null,
  };
}

const UNKNOWN: Truths = { while: 'unknown', until: null };

/** It would end by the word of an explorer that has not read as far as the one by whose word it fired. */
function isBehind({ reach }: Poll, state: ConditionState, truths: Truths): boolean {
  if (state.head === null || !isActive(state)) return false;
  return compare(truths, state) === false && (reach ?? -1) < state.head;
}

function withHead({ reach }: Poll, lived: Lived, before: ConditionState): Lived {
  return hasFired(lived.state, before) ? { ...lived, state: { ...lived.state, head: reach } } : lived;
}

function hasFired(after: ConditionState, before: ConditionState): boolean {
  return after.episode > before.episode;
}

function truthOf({ scene, isStale }: Poll, condition: Condition): Truth {
  return scene === null || (isStale && !condition.headOnly) ? 'unknown' : condition.evaluate(scene);
}
