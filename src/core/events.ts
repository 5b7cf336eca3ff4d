// `on:` alerts: one per occurrence. It happened; it never resolves. What stands in a block is followed until nothing
// takes it back: told when it is deep enough, and told again when it turns out otherwise.
import { encode, valueAt, type AnyView } from './fields.ts';
import { advanceEvent, beginEvent, type Sight } from './event-state.ts';
import { eventKey, idOf } from './identity.ts';
import type { Noted } from './kind.ts';
import { followUp, messageOf } from './message.ts';
import type { Delivery, EventAlert, EventReason, EventState, Message, Reason } from './model.ts';
import { deliveriesOf, sameOr, unread, type AlertsByKey, type Part, type Poll } from './part.ts';
import { pick, sceneOf, truthOf, type Match } from './picking.ts';

export function stepEvents(poll: Poll, alert: EventAlert, known: AlertsByKey): Part {
  if (poll.noticed === null) return unread(known);
  const events = poll.noticed.events.filter(({ on }) => on === alert.on);
  const picked = pick(poll, alert, events, known);
  const begun = picked.matches.map((match) => begin(poll, alert, match));
  const steps = [...begun, ...holdStorm(alert, followAll(poll, alert, known))];
  const alive = steps.flatMap(({ key, after }) => (after === null ? [] : [[key, after] as const]));
  return {
    alerts: sameOr(known, [...picked.open, ...newest(alive)]),
    deliveries: steps.flatMap(({ deliveries }) => deliveries),
    reasons: [...steps.flatMap(({ reason }) => (reason === null ? [] : [reason])), ...picked.reasons],
    truth: picked.truth,
    matchingBaseline: picked.matchingBaseline.length,
  };
}

/** What one poll made of one event. */
interface Step {
  readonly key: string;
  /** Null: nothing can take it back, so that it is not followed. */
  readonly after: EventState | null;
  readonly deliveries: readonly Delivery[];
  readonly reason: Reason | null;
}

const NOWHERE = { after: null, transition: 'confirmed' } as const;

function begin(poll: Poll, alert: EventAlert, { noted, scene }: Match): Step {
  const { after: life, transition } =
    noted.block === 'nowhere' ? NOWHERE : beginEvent(alert, blockOf(noted), poll.head);
  const isTold = transition === 'confirmed';
  const message = firstMessage(poll, alert, { noted, scene });
  const rev = life === null ? {} : revOf(poll, alert, noted.view);
  const after = life && {
    type: 'event' as const,
    ...life,
    rev,
    seq: isTold ? 1 : 0,
    message,
    told: toldTo(alert, isTold),
  };
  const deliveries = isTold ? deliveriesOf(alert.notify, message) : [];
  return { key: noted.key, after, deliveries, reason: reasonOf(alert, noted.key, isTold ? 'told' : 'observed') };
}

function toldTo(alert: EventAlert, isTold: boolean): EventState['told'] {
  return isTold ? alert.notify : [];
}

function blockOf({ block }: Noted): number | null {
  return typeof block === 'number' ? block : null;
}

const LATE_AFTER_MS = 600_000;

function firstMessage(poll: Poll, alert: EventAlert, { noted, scene }: Match): Message {
  const { at } = poll.time;
  const since = noted.happenedAt ?? at;
  const isSure = noted.block === 'nowhere' || isDeep(poll, alert, noted);
  return messageOf(poll.watch, alert, scene, {
    type: 'alert.event',
    key: eventKey(poll.watch, alert.id, noted.key),
    episode: 1,
    seq: 1,
    at,
    since,
    late: at - since > LATE_AFTER_MS,
    reason: alert.provisional && !isSure ? `provisional: not ${alert.confirmations} blocks deep yet` : null,
  });
}

function isDeep(poll: Poll, alert: EventAlert, noted: Noted): boolean {
  return beginEvent({ ...alert, provisional: false }, blockOf(noted), poll.head).transition === 'confirmed';
}

function followAll(poll: Poll, alert: EventAlert, known: AlertsByKey): Step[] {
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
  return {
    key,
    after: life === null || isSame ? life && before : { ...before, ...life, ...said?.state, rev },
    deliveries: said === null ? [] : deliveriesOf(said.state.told, said.state.message),
    reason: transition === 'none' ? null : reasonOf(alert, key, transition),
  };
}

/** Only a complete reading of its range shows that it is gone. */
function unseen(poll: Poll, { block }: EventState): Sight {
  const range = poll.noticed?.range ?? null;
  const isRead = poll.isComplete && range !== null && block !== null && block >= range.from;
  if (!isRead) return { type: 'unread' };
  return { type: 'absent', believedAfter: range.believedAfter };
}

function sightOf(alert: EventAlert, before: EventState, seen: { noted: Noted; rev: EventState['rev'] }): Sight {
  const block = blockOf(seen.noted);
  const isOther = Object.entries(seen.rev).some(([path, digest]) => (before.rev[path] ?? digest) !== digest);
  if (!isOther) return { type: 'seen', as: 'same', block };
  const truth = truthOf(alert, sceneOf(seen.noted, null));
  return { type: 'seen', as: truth === 'unknown' ? 'same' : truth ? 'other' : 'no-match', block };
}

interface Said {
  readonly state: Pick<EventState, 'seq' | 'message' | 'told'>;
}

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
      return { state: { seq, message, told: alert.notify } };
    }
    case 'retracted': {
      const reason = noted === undefined ? 'not found any more' : 'it changed, and does not match any more';
      return { state: { seq, told, message: followUp(before.message, { type: 'alert.retracted', at, seq, reason }) } };
    }
    case 'reinstated':
      return {
        state: { seq, told, message: followUp(before.message, { type: 'alert.reinstated', at, seq, reason: null }) },
      };
    case 'corrected': {
      const last = match === null ? null : firstMessage(poll, alert, match);
      const message = followUp(before.message, { type: 'alert.corrected', at, seq, reason: null }, last);
      return { state: { seq, told, message } };
    }
    default:
      return null;
  }
}

/** A digest of each value that was matched on or is shown, but for those that change while the item stays itself. */
function revOf({ watch }: Poll, alert: EventAlert, view: AnyView): EventState['rev'] {
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

// More than this at once speak of the explorer, not of the chain.
const STORM = 20;

function holdStorm(alert: EventAlert, steps: readonly Step[]): readonly Step[] {
  const isRetracted = ({ reason }: Step): boolean => reason?.type === 'retracted';
  const count = steps.filter(isRetracted).length;
  if (count <= STORM) return steps;
  const text = `${alert.id}: ${count} items vanished at once; their retractions are held back until they are back or fewer`;
  const note: Reason = { type: 'note', text };
  return steps.map((step) => (isRetracted(step) ? { ...step, after: held(step), deliveries: [], reason: note } : step));
}

/** Suspect, as it was: the next complete reading judges again. */
function held({ after }: Step): EventState | null {
  return after && { ...after, state: 'suspect', seq: after.seq - 1 };
}

// So many are followed per alert; older ones are taken for final.
const MOST_FOLLOWED = 200;

function newest(alive: readonly (readonly [string, EventState])[]): readonly (readonly [string, EventState])[] {
  if (alive.length <= MOST_FOLLOWED) return alive;
  const rank = ([, { block }]: readonly [string, EventState]): number => block ?? Infinity;
  return alive.toSorted((a, b) => rank(b) - rank(a)).slice(0, MOST_FOLLOWED);
}

function reasonOf(alert: EventAlert, key: string, type: EventReason): Reason {
  return { type, alert: alert.id, key };
}
