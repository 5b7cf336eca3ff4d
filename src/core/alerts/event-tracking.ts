// What becomes of an event that was told, or will be: it is read again, found to be otherwise, gone, or there again.
import { encode } from '../values/encoded.ts';
import { valueAt, type AnyView } from '../values/fields.ts';
import { blockOf, firstMessage } from './event-message.ts';
import { advanceEvent, isGone, type Sighting } from './event-state.ts';
import { idOf } from '../model/identity.ts';
import type { DetectedEvent } from '../model/kind.ts';
import { followUp } from './message.ts';
import type { Delivery } from '../model/delivery.ts';
import type { EventState } from '../model/memory.ts';
import type { EventAlert } from '../model/watch.ts';
import type { EventReason, Reason } from '../model/decision.ts';
import type { HeadNeed } from '../model/observation.ts';
import { deliveriesOf, type AlertsByKey, type Poll } from './alert-evaluation.ts';
import { contextOf, truthOf } from './event-matching.ts';
import { needOf } from '../tick-chain.ts';

/** What one poll made of one event. */
export interface EventStep {
  readonly key: string;
  readonly before: EventState | null;
  /** Null: nothing can take it back, so that it is not followed. */
  readonly after: EventState | null;
  readonly deliveries: readonly Delivery[];
  readonly reason: Reason | null;
  /** The head that would show whether it is gone. */
  readonly needs: HeadNeed | null;
}

/** One poll in the life of every event that is remembered. */
export function trackEvents(poll: Poll, alert: EventAlert, known: AlertsByKey): EventStep[] {
  const tracked = Object.entries(known).flatMap(([key, state]) =>
    state.type === 'event' ? [[key, state] as const] : [],
  );
  if (tracked.length === 0) return [];
  const eventByKey = new Map(poll.detection?.events.map((event) => [event.key, event]));
  return tracked.map(([key, state]) => trackEvent(poll, alert, { key, before: state, event: eventByKey.get(key) }));
}

interface TrackedEvent {
  readonly key: string;
  readonly before: EventState;
  /** Undefined: this poll did not show it. */
  readonly event: DetectedEvent | undefined;
}

function trackEvent(poll: Poll, alert: EventAlert, tracked: TrackedEvent): EventStep {
  const { key, before, event } = tracked;
  const seen = event === undefined ? null : { event, rev: revOf(poll, alert, event.view) };
  const sighting = seen === null ? missingSighting(poll, before) : sightingOf(alert, before, seen);
  const { after: progress, transition } = advanceEvent(alert, before, sighting, poll.head);
  const followUp = transition === 'none' ? null : followUpOf(poll, alert, tracked, transition);
  const rev =
    seen === null || (sighting.type === 'seen' && sighting.as === 'no-match')
      ? before.rev
      : merged(before.rev, seen.rev);
  const isSame = progress === before && rev === before.rev && followUp === null;
  const next = isSame ? before : { ...before, ...progress, ...followUp, rev };
  return {
    key,
    before,
    after: progress === null ? null : next,
    deliveries: followUp === null ? [] : deliveriesOf(followUp.told, followUp.message),
    reason: transition === 'none' ? null : reasonOf(alert, key, transition),
    needs: sighting.type === 'behind' ? needOf(poll.chain, before.block ?? 0) : null,
  };
}

/** Only a complete reading of its range shows that it is gone, by an explorer that has read as far as its block. */
function missingSighting(poll: Poll, before: EventState): Sighting {
  const range = poll.detection?.range ?? null;
  const { block } = before;
  if (!poll.isComplete || range === null || block === null || block < range.from) return { type: 'unread' };
  const to = range.to === 'head' ? poll.reach : range.to;
  if (to !== null && block <= to) return { type: 'absent', readingsNeeded: range.readingsNeeded };
  return isGone(before) || range.to !== 'head' ? { type: 'unread' } : { type: 'behind' };
}

function sightingOf(
  alert: EventAlert,
  before: EventState,
  seen: { event: DetectedEvent; rev: EventState['rev'] },
): Sighting {
  const block = blockOf(seen.event);
  const isOther = Object.entries(seen.rev).some(([path, digest]) => (before.rev[path] ?? digest) !== digest);
  if (!isOther) return { type: 'seen', as: 'same', block };
  const truth = truthOf(alert, contextOf(seen.event, null));
  return { type: 'seen', as: truth === 'unknown' ? 'same' : truth ? 'other' : 'no-match', block };
}

type FollowUp = Pick<EventState, 'seq' | 'message' | 'told'>;

/** What a transition tells: to all whom the rule names when it is the first message, then to those who had that. */
function followUpOf(poll: Poll, alert: EventAlert, tracked: TrackedEvent, transition: EventReason): FollowUp | null {
  const { before, event } = tracked;
  const { at } = poll.time;
  const seq = before.seq + 1;
  const match = event === undefined ? null : { event, context: contextOf(event, null) };
  const { told } = before;
  switch (transition) {
    case 'confirmed': {
      const message = match === null ? { ...before.message, at } : firstMessage(poll, alert, match);
      return { seq, message, told: alert.notify };
    }
    case 'retracted': {
      const reason = event === undefined ? 'not found any more' : 'it changed, and does not match any more';
      return { seq, told, message: followUp(before.message, { type: 'alert.retracted', at, seq, reason }) };
    }
    case 'reinstated':
      return { seq, told, message: followUp(before.message, { type: 'alert.reinstated', at, seq, reason: null }) };
    case 'corrected': {
      const last = match === null ? null : firstMessage(poll, alert, match);
      const message = followUp(before.message, { type: 'alert.corrected', at, seq, reason: null }, last);
      return { seq, told, message };
    }
    default:
      return null;
  }
}

/** A digest of each value that was matched on or is shown, but for those that change while the item stays itself. */
export function revOf({ watch }: Poll, alert: EventAlert, view: AnyView): EventState['rev'] {
  const { shown, fleeting } = watch.kind;
  const rev: Record<string, string> = {};
  for (const path of new Set([...shown, ...(alert.if?.reads ?? [])])) {
    const value = fleeting.some((one) => path === one || path.startsWith(`${one}.`)) ? undefined : valueAt(view, path);
    if (value !== undefined) rev[path] = idOf(JSON.stringify(encode(value))).slice(0, DIGEST_LENGTH);
  }
  return rev;
}

const DIGEST_LENGTH = 8;

/** What became known later is no correction; the very same object when nothing did. */
function merged(before: EventState['rev'], now: EventState['rev']): EventState['rev'] {
  const isSame = Object.entries(now).every(([path, digest]) => before[path] === digest);
  return isSame ? before : { ...before, ...now };
}

export function reasonOf(alert: EventAlert, key: string, type: EventReason): Reason {
  return { type, alert: alert.id, key };
}
