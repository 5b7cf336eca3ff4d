// `while:` alerts: one condition per watch, pending, firing, resolved.
import { compare, newCondition, type Truths } from './condition-state.ts';
import { stepConditionState, type ConditionStep } from './condition-alert.ts';
import type { ConditionState } from '../../model/memory.ts';
import type { Condition } from '../../model/watch/condition.ts';
import type { ConditionAlert } from '../../model/watch/watch.ts';
import type { Truth } from '../../model/ids.ts';
import {
  type AlertEvaluation,
  type AlertPoll,
  type AlertsByKey,
  contextOf,
  readsMissing,
  sameOr,
} from '../alert-evaluation.ts';
import { isActive } from '../emission.ts';
import { needOf } from '../../chain/tick-chain.ts';

/** The finding key of a watch's one condition. */
const ONLY = '';

export function stepCondition(poll: AlertPoll, alert: ConditionAlert, known: AlertsByKey): AlertEvaluation {
  const state = known[ONLY]?.type === 'condition' ? known[ONLY] : newCondition(poll.time.at);
  const truths: Truths = {
    while: truthOf(poll, alert.while),
    until: alert.until === null ? null : truthOf(poll, alert.until),
  };
  // No message is sent while the condition is unknown, so this empty context is never shown.
  const context = poll.context ?? contextOf({ view: poll.watch.kind.fields.make({}) }, null, poll.time.at);
  const isDoubted = isBehind(poll, state, truths);
  const stepped = withHead(
    poll,
    stepConditionState(poll, alert, state, isDoubted ? UNKNOWN : truths, { key: ONLY, context }),
    state,
  );
  const isAboutHead = isDoubted || (hasFired(stepped.state, state) && poll.reach === null);
  return {
    // An alert that never fired is kept too: a replica that takes over, or the next process, has to give it the same
    // key.
    alerts: stepped.state === known[ONLY] ? known : sameOr(known, [[ONLY, stepped.state]]),
    transitions: stepped.transitions,
    firing: stepped.firing,
    reasons: isDoubted ? [...stepped.reasons, { type: 'behind', alert: alert.id, key: ONLY }] : stepped.reasons,
    truth: truths.while,
    matchingBaseline: 0,
    needs: isAboutHead ? needOf(poll.chain, state.head ?? 0) : null,
  };
}

const UNKNOWN: Truths = { while: 'unknown', until: null };

/**
 * True if the explorer has not read as far as the head at which the alert fired. Then its answer cannot resolve the
 * alert.
 */
function isBehind({ reach }: AlertPoll, state: ConditionState, truths: Truths): boolean {
  if (state.head === null || !isActive(state)) return false;
  return compare(truths, state) === false && (reach ?? -1) < state.head;
}

function withHead({ reach }: AlertPoll, lived: ConditionStep, before: ConditionState): ConditionStep {
  return hasFired(lived.state, before) ? { ...lived, state: { ...lived.state, head: reach } } : lived;
}

function hasFired(after: ConditionState, before: ConditionState): boolean {
  return after.episode > before.episode;
}

function truthOf(poll: AlertPoll, condition: Condition): Truth {
  const { context, isStale } = poll;
  if (context === null || (isStale && !condition.headOnly) || readsMissing(poll, condition)) return 'unknown';
  return condition.evaluate(context);
}
