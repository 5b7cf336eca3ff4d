// One poll of a stateful alert: its new state, and the messages that follow. Shared by conditions and counts.
import { advance, type Truths } from './condition-state.ts';
import { conditionKey } from '../../model/watch/identity.ts';
import { messageOf, presentOf, resolvedMessage, type MessageHeader } from '../message.ts';
import type { Message } from '../../model/delivery.ts';
import type { ConditionState } from '../../model/memory.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { ConditionReason, FiringAlert, Reason } from '../../model/decision.ts';
import type { FindingKey } from '../../model/ids.ts';
import type { Transition } from '../../model/transition.ts';
import type { StatefulAlert } from '../../model/watch/watch.ts';
import type { EvaluationContext } from '../../model/watch/condition.ts';
import type { Counted } from '../sentence.ts';
import { transitionOf, type AlertPoll } from '../alert-evaluation.ts';
import { isActive, emissionOf, type Emission } from '../emission.ts';

/** The owner of the state: the only condition of a watch, or one group of a count. */
export interface AlertSubject {
  readonly key: FindingKey;
  /** The values that a message shows. */
  readonly context: EvaluationContext;
  /** Set for a count. */
  readonly counted?: Counted;
}

export interface ConditionStep {
  /** The same object as before when nothing changed. */
  readonly state: ConditionState;
  readonly transitions: readonly Transition[];
  readonly reasons: readonly Reason[];
  readonly firing: readonly FiringAlert[];
}

/** The state after the poll, and the messages and reasons that follow from it. */
export function stepConditionState(
  poll: AlertPoll,
  alert: StatefulAlert,
  before: ConditionState,
  truths: Truths,
  subject: AlertSubject,
): ConditionStep {
  const { after, transition } = advance(alert, before, truths, poll.time);
  const emission = emissionOf(alert, after, transition, poll.time.at);
  const { state, transitions } = emit(poll, alert, emission, subject);
  const suppression = emission.emits === 'steady' ? 'steady' : emission.suppressedBy;
  const types: ConditionReason[] = suppression === null ? [transition] : [transition, suppression];
  const reasons = types.map((type): Reason => ({ type, alert: alert.id, key: subject.key }));
  const firing = firingOf(poll, alert, state, { ...subject, isKnown: truths.while !== 'unknown' });
  return { state, transitions, reasons, firing };
}

/** The present values of a firing alert, for messages that are sent later. */
function firingOf(
  poll: AlertPoll,
  alert: StatefulAlert,
  state: ConditionState,
  { isKnown, context, counted }: AlertSubject & { readonly isKnown: boolean },
): FiringAlert[] {
  if (state.firing === null) return [];
  const present = isKnown ? presentOf(poll, alert, context, { at: poll.time.at, counted: counted ?? null }) : null;
  return [{ key: state.firing.key, present }];
}

type Emitted = Omit<ConditionStep, 'reasons' | 'firing'>;

function emit(poll: AlertPoll, alert: StatefulAlert, { after, emits }: Emission, subject: AlertSubject): Emitted {
  switch (emits) {
    case 'nothing':
      return { state: after, transitions: [] };
    case 'firing':
      return emitFiring(poll, alert, after, subject, suppressedCount(after));
    case 'flapping':
      return emitFiring(poll, alert, after, subject, FLAPPING);
    case 'resolved':
      return emitResolved(poll, alert, after, subject, suppressedCount(after));
    case 'steady': {
      const reason = `steady for 30 minutes${after.flaps === 0 ? '' : `; ${suppressedCount(after) ?? ''}`}`;
      return (isActive(after) ? emitFiring : emitResolved)(poll, alert, after, subject, reason);
    }
  }
}

const FLAPPING =
  'flapping: it fired three times within an hour; the next message comes when it is steady for 30 minutes';

function suppressedCount({ flaps }: ConditionState): string | null {
  if (flaps === 0) return null;
  return `it fired and ended ${flaps === 1 ? 'one more time' : `${flaps} more times`} without a message`;
}

type Emit = (
  poll: AlertPoll,
  alert: StatefulAlert,
  after: ConditionState,
  subject: AlertSubject,
  reason: string | null,
) => Emitted;

const emitFiring: Emit = (poll, alert, after, subject, reason) => {
  const message = conditionMessage(poll, alert, after, subject, { type: 'alert.firing', reason });
  return {
    state: { ...after, firing: message, flaps: 0 },
    transitions: [transitionOf(poll, alert, message)],
  };
};

const emitResolved: Emit = (poll, alert, after, subject, reason) => {
  const state = { ...after, firing: null, flaps: 0 };
  if (after.firing === null) return { state, transitions: [] };
  const last = conditionMessage(poll, alert, after, subject, { type: 'alert.resolved', reason });
  const isNegated = alert.title !== null && alert.resolved === null;
  const end = resolvedMessage(after.firing, { at: poll.time.at, seq: after.seq }, { reason, last, isNegated });
  return { state, transitions: [transitionOf(poll, alert, end)] };
};

function conditionMessage(
  poll: AlertPoll,
  alert: StatefulAlert,
  state: ConditionState,
  { key, context, counted }: AlertSubject,
  { type, reason }: Pick<MessageHeader, 'type' | 'reason'>,
): Message {
  const { watch, time } = poll;
  const { episode, seq } = state;
  const firedAt = state.firings.at(-1) ?? time.at;
  const header: MessageHeader = {
    type,
    key: conditionKey(watch, alert.id, { born: state.born, group: key }),
    episode,
    seq,
    at: time.at,
    since: beganAt(alert, state) ?? firedAt,
    firedAt,
    late: false,
    reason,
  };
  return messageOf(poll, alert, context, header, counted);
}

/** For a condition of the built-in watch, the check of the daemon supplies the begin. */
function beganAt(alert: StatefulAlert, { began }: ConditionState): Instant | null {
  return alert.type === 'condition' && alert.found !== null ? alert.found.since : began;
}
