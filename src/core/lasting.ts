// One poll in the life of an alert that lasts: its state, and what is said of it. Shared by conditions and counts.
import { advance, type Truths } from './alert.ts';
import { conditionKey } from './identity.ts';
import { messageOf, resolvedMessage, type Stage } from './message.ts';
import type { Delivery, Fact, Message } from './delivery.ts';
import type { ConditionState } from './memory.ts';
import type { ConditionReason, FindingKey, LastingAlert, Reason, Scene } from './model.ts';
import { deliveriesOf, type Poll } from './part.ts';
import { isActive, tellingOf, type Telling } from './telling.ts';

/** Whose life it is: a watch's one condition, or one group of a count. */
export interface Subject {
  readonly key: FindingKey;
  /** What a message shows. */
  readonly scene: Scene;
  /** Facts that are of no field, such as a count. */
  readonly facts?: Readonly<Record<string, Fact>>;
}

export interface Lived {
  /** The very same object as before when nothing changed. */
  readonly state: ConditionState;
  readonly deliveries: readonly Delivery[];
  readonly reasons: readonly Reason[];
}

/** The state after the poll, and the messages and reasons that follow from it. */
export function live(poll: Poll, alert: LastingAlert, before: ConditionState, truths: Truths, subject: Subject): Lived {
  const { after, transition } = advance(alert, before, truths, poll.time);
  const telling = tellingOf(alert, after, transition, poll.time.at);
  const { state, deliveries } = say(poll, alert, telling, subject);
  const aside = telling.tell === 'steady' ? 'steady' : telling.held;
  const types: ConditionReason[] = aside === null ? [transition] : [transition, aside];
  const reasons = types.map((type): Reason => ({ type, alert: alert.id, key: subject.key }));
  return { state, deliveries, reasons };
}

type Said = Omit<Lived, 'reasons'>;

/** Firing is told to all whom the rule names; its end to those who heard of it, and to nobody else. */
function say(poll: Poll, alert: LastingAlert, { after, tell }: Telling, subject: Subject): Said {
  switch (tell) {
    case 'nothing':
      return { state: after, deliveries: [] };
    case 'firing':
      return sayFiring(poll, alert, after, subject, untold(after));
    case 'flapping':
      return sayFiring(poll, alert, after, subject, FLAPPING);
    case 'resolved':
      return sayResolved(poll, alert, after, subject, untold(after));
    case 'steady': {
      const reason = `steady for 30 minutes${after.flaps === 0 ? '' : `; ${untold(after) ?? ''}`}`;
      return (isActive(after) ? sayFiring : sayResolved)(poll, alert, after, subject, reason);
    }
  }
}

const FLAPPING =
  'flapping: it fired three times within an hour; the next message comes when it is steady for 30 minutes';

function untold({ flaps }: ConditionState): string | null {
  if (flaps === 0) return null;
  return flaps === 1 ? 'one more time it fired and ended untold' : `${flaps} more times it fired and ended untold`;
}

type Say = (poll: Poll, alert: LastingAlert, after: ConditionState, subject: Subject, reason: string | null) => Said;

const sayFiring: Say = (poll, alert, after, subject, reason) => {
  const message = firingMessage(poll, alert, after, subject, reason);
  return {
    state: { ...after, firing: message, told: alert.notify, flaps: 0 },
    deliveries: deliveriesOf(alert.notify, message),
  };
};

const sayResolved: Say = (poll, alert, after, subject, reason) => {
  const state = { ...after, firing: null, told: [], flaps: 0 };
  if (after.firing === null) return { state, deliveries: [] };
  const last = firingMessage(poll, alert, after, subject, null);
  const end = resolvedMessage(after.firing, { at: poll.time.at, seq: after.seq }, { reason, last });
  return { state, deliveries: deliveriesOf(after.told, end) };
};

function firingMessage(
  { watch, time }: Poll,
  alert: LastingAlert,
  state: ConditionState,
  { key, scene, facts = {} }: Subject,
  reason: string | null,
): Message {
  const { episode, seq } = state;
  const stage: Stage = {
    type: 'alert.firing',
    key: conditionKey(watch, alert.id, { born: state.born, group: key }),
    episode,
    seq,
    at: time.at,
    since: state.firings.at(-1) ?? time.at,
    late: false,
    reason,
  };
  return messageOf(watch, alert, scene, stage, facts);
}
