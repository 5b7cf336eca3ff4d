// What becomes of an event that was told, or will be: it is read again, found to be otherwise, gone, or there again.
import { encode } from './encoded.ts';
import { valueAt, type AnyView } from './fields.ts';
import { blockOf, firstMessage } from './event-message.ts';
import { advanceEvent, isGone, type Sight } from './event-state.ts';
import { idOf } from './identity.ts';
import type { Noted } from './kind.ts';
import { followUp } from './message.ts';
import type { Delivery } from './delivery.ts';
import type { EventState } from './memory.ts';
import type { EventAlert, EventReason, HeadNeed, Reason } from './model.ts';
import { deliveriesOf, type AlertsByKey, type Poll } from './part.ts';
import { sceneOf, truthOf } from './picking.ts';
import { needOf } from './tick-chain.ts';

/** What one poll made of one event. */
export interface Step {
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
export function followAll(poll: Poll, alert: EventAlert, known: AlertsByKey): Step[] {
  const followed = Object.entries(known).flatMap(([key, state]) =>
    state.type === 'event' ? [[key, state] as const] : [],
  );
  if (followed.length === 0) return [];
  const notedByKey = new Map(poll.noticed?.events.map((noted) => [noted.key, noted]));
  return followed.map(([key, state]) => follow(poll, alert, { key, before: state, noted: notedByKey.get(key) }));
}

interface Followed {
  readonly key: string;
  readonly before: EventState;
  /** Undefined: this poll did not show it. */
  readonly noted: Noted | undefined;
}

function follow(poll: Poll, alert: EventAlert, followed: Followed): Step {
  const { key, before, noted } = followed;
  const seen = noted === undefined ? null : { noted, rev: revOf(poll, alert, noted.view) };
  const sight = seen === null ? unseen(poll, before) : sightOf(alert, before, seen);
  const { after: life, transition } = advanceEvent(alert, before, sight, poll.head);
  const said = transition === 'none' ? null : followUpOf(poll, alert, followed, transition);
  const rev =
    seen === null || (sight.type === 'seen' && sight.as === 'no-match') ? before.rev : merged(before.rev, seen.rev);
  const isSame = life === before && rev === before.rev && said === null;
  const next = isSame ? before : { ...before, ...life, ...said, rev };
  return {
    key,
    before,
    after: life === null ? null : next,
    deliveries: said === null ? [] : deliveriesOf(said.told, said.message),
    reason: transition === 'none' ? null : reasonOf(alert, key, transition),
    needs: sight.type === 'behind' ? needOf(poll.chain, before.block ?? 0) : null,
  };
}

/** Only a complete reading of its range shows that it is gone, by an explorer that has read as far as its block. */
function unseen(poll: Poll, before: EventState): Sight {
  const range = poll.noticed?.range ?? null;
  const { block } = before;
  if (!poll.isComplete || range === null || block === null || block < range.from) return { type: 'unread' };
  const to = range.to === 'head' ? poll.reach : range.to;
  if (to !== null && block <= to) return { type: 'absent', believedAfter: range.believedAfter };
  return isGone(before) || range.to !== 'head' ? { type: 'unread' } : { type: 'behind' };
}

function sightOf(alert: EventAlert, before: EventState, seen: { noted: Noted; rev: EventState['rev'] }): Sight {
  const block = blockOf(seen.noted);
  const isOther = Object.entries(seen.rev).some(([path, digest]) => (before.rev[path] ?? digest) !== digest);
  if (!isOther) return { type: 'seen', as: 'same', block };
  const truth = truthOf(alert, sceneOf(seen.noted, null));
  return { type: 'seen', as: truth === 'unknown' ? 'same' : truth ? 'other' : 'no-match', block };
}

type Said = Pick<EventState, 'seq' | 'message' | 'told'>;

/** What a transition tells: to all whom the rule names when it is the first message, then to those who had that. */
function followUpOf(poll: Poll, alert: EventAlert, followed: Followed, transition: EventReason): Said | null {
  const { before, noted } = followed;
  const { at } = poll.time;
  const seq = before.seq + 1;
  const match = noted === undefined ? null : { noted, scene: sceneOf(noted, null) };
  const { told } = before;
  switch (transition) {
    case 'confirmed': {
      const message = match === null ? { ...before.message, at } : firstMessage(poll, alert, match);
      return { seq, message, told: alert.notify };
    }
    case 'retracted': {
      const reason = noted === undefined ? 'not found any more' : 'it changed, and does not match any more';
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
