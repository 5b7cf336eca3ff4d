// Tracks events that were sent, or wait for confirmations: each poll finds them unchanged, changed, gone or present
// again.
import { Address, isAddressText } from '../values/address.ts';
import { condense, expand } from '../values/condensed.ts';
import type { Delivery, Message } from '../model/delivery.ts';
import { blockOf, firstMessage } from './event-message.ts';
import { advanceEvent, isGone, type Sighting } from './event-state.ts';
import { encode } from '../values/encoded.ts';
import { valueAt, type AnyView, type Json } from '../values/fields.ts';
import { eventKey } from '../model/identity.ts';
import type { DetectedEvent } from '../model/kind.ts';
import type { EventState } from '../model/memory.ts';
import { followUp, messageOf, pathsToShow } from './message.ts';
import type { EventAlert } from '../model/watch.ts';
import type { EventReason, Reason } from '../model/decision.ts';
import type { HeadNeed } from '../model/observation.ts';
import { deliveriesOf, type AlertsByKey, type Poll } from './alert-evaluation.ts';
import { contextOf, limitOf, truthOf } from './event-matching.ts';
import { needOf } from '../chain/tick-chain.ts';
import { viewOf, type Remembered } from '../values/tracked.ts';

/** Result of one poll for one event. */
export interface EventStep {
  readonly key: string;
  readonly before: EventState | null;
  /** Null: nothing can retract it any more, so it is no longer tracked. */
  readonly after: EventState | null;
  readonly deliveries: readonly Delivery[];
  readonly reason: Reason | null;
  /** The height that the explorer's head must reach to show whether the item is gone. */
  readonly needs: HeadNeed | null;
}

/** One poll for every event that is remembered. */
export function trackEvents(poll: Poll, alert: EventAlert, known: AlertsByKey): EventStep[] {
  const tracked = Object.entries(known).flatMap(([key, state]) =>
    state.type === 'event' ? [[key, state] as const] : [],
  );
  if (tracked.length === 0) return [];
  const eventByKey = new Map(poll.detection?.events.map((event) => [event.key, event]));
  const paths = { shown: pathsToShow(poll.watch, alert), compared: comparedPaths(poll, alert) };
  return tracked.map(([key, state]) =>
    trackEvent(poll, alert, { key, before: state, event: eventByKey.get(key), paths }),
  );
}

interface TrackedEvent {
  readonly key: string;
  readonly before: EventState;
  /** Undefined: this poll did not show it. */
  readonly event: DetectedEvent | undefined;
  /** Of the alert: what its messages show, and what makes a correction. */
  readonly paths: { readonly shown: readonly string[]; readonly compared: readonly string[] };
}

function trackEvent(poll: Poll, alert: EventAlert, tracked: TrackedEvent): EventStep {
  const { key, before, event, paths } = tracked;
  const seen = event === undefined ? null : { event, values: valuesOf(event.view, paths.shown) };
  const sighting = seen === null ? missingSighting(poll, before) : sightingOf(alert, tracked, seen);
  const { after: progress, transition } = advanceEvent(alert, before, sighting, { at: poll.time.at, head: poll.head });
  const emitted = transition === 'none' ? null : followUpOf(poll, alert, tracked, transition);
  const values = seen === null ? before.values : merged(before.values, seen.values, sighting);
  const isSame = progress === before && values === before.values && emitted === null;
  const told = emitted === null ? {} : { seq: emitted.seq, told: emitted.told, message: null };
  const next = isSame ? before : { ...before, ...progress, ...told, values };
  return {
    key,
    before,
    after: progress === null ? null : next,
    deliveries: emitted === null ? [] : deliveriesOf(emitted.told, emitted.message),
    reason: transition === 'none' ? null : reasonOf(alert, key, transition),
    needs: needFor(poll, before, sighting),
  };
}

/**
 * An item is only shown to be gone by a complete reading of its range, from an explorer that has read as far as its
 * block.
 */
function missingSighting(poll: Poll, before: EventState): Sighting {
  if (poll.detection !== null && poll.detection.doubt !== null) return { type: 'doubted' };
  const range = poll.detection?.range ?? null;
  const { block } = before;
  if (!poll.isComplete || range === null || block === null || block < range.from) return { type: 'unread' };
  const to = range.to === 'head' ? poll.reach : range.to;
  if (to !== null && block <= to)
    return { type: 'absent', isProven: range.replaced.includes(block) || isReplaced(poll, before, block) };
  return isGone(before) || range.to !== 'head' ? { type: 'unread' } : { type: 'behind' };
}

/** Another block has its height, and was first shown after the item was last seen. */
function isReplaced({ chain, time }: Poll, { turnedAt }: EventState, block: number): boolean {
  const seenUntil = turnedAt ?? time.coveredUntil ?? Infinity;
  return typeof chain === 'object' && chain.replaced.some(([height, since]) => height === block && since > seenUntil);
}

/** The explorer's head may show that the item is gone; the block at its height may prove it. */
function needFor(poll: Poll, { block, ...before }: EventState, sighting: Sighting): HeadNeed | null {
  const isOpen = sighting.type === 'behind' || (sighting.type === 'absent' && !sighting.isProven && !isGone(before));
  return isOpen && block !== null && poll.detection?.range?.to === 'head' ? needOf(poll.chain, block) : null;
}

function sightingOf(
  alert: EventAlert,
  { before, paths }: TrackedEvent,
  seen: { readonly event: DetectedEvent; readonly values: Remembered },
): Sighting {
  const block = blockOf(seen.event);
  const both = paths.compared.filter((path) => isKnown(before.values, path) && isKnown(seen.values, path));
  const isOther = both.some((path) => differ(before.values, seen.values, path));
  if (!isOther) return { type: 'seen', as: 'same', block };
  const truth = truthOf(alert, contextOf(seen.event, null));
  return { type: 'seen', as: truth === 'unknown' ? 'same' : truth ? 'other' : 'no-match', block };
}

/** Paths that were matched on or are shown, without those that change while the item stays the same. */
function comparedPaths({ watch: { kind } }: Poll, alert: EventAlert): string[] {
  const paths = new Set([...kind.shown, ...(alert.if?.reads ?? [])]);
  return [...paths].filter((path) => !kind.fleeting.some((one) => path === one || path.startsWith(`${one}.`)));
}

function isKnown(values: Remembered, path: string): boolean {
  return (values[path] ?? null) !== null;
}

function differ(one: Remembered, other: Remembered, path: string): boolean {
  return comparable(one[path]) !== comparable(other[path]);
}

/** Servers differ in the letter case of addresses, which is no change. */
function comparable(value: Json | undefined): string {
  const text = JSON.stringify(value ?? null);
  return isAddressText(value) ? text.toLowerCase() : text;
}

interface FollowUp {
  readonly seq: number;
  readonly told: EventState['told'];
  readonly message: Message;
}

const NOT_FOUND = 'not found any more';
const NO_MATCH = 'it changed, and does not match any more';

/** The message of a transition: the first one goes to all recipients of the rule, later ones to those who got it. */
function followUpOf(poll: Poll, alert: EventAlert, tracked: TrackedEvent, transition: EventReason): FollowUp | null {
  const { before, event } = tracked;
  const { at } = poll.time;
  const seq = before.seq + 1;
  const { told } = before;
  const last = (): Message | null => {
    if (event === undefined) return null;
    const context = contextOf(event, null);
    return firstMessage(poll, alert, { event, context, unjudged: limitOf(alert, context) });
  };
  const next = (type: Message['type'], reason: string | null, now: Message | null): FollowUp => {
    const message = followUp(toldMessage(poll, alert, tracked), { type, at, seq, reason }, now);
    return { seq, told, message };
  };
  switch (transition) {
    case 'confirmed': {
      const message = last() ?? { ...(before.message ?? toldMessage(poll, alert, tracked)), at };
      return { seq, told: alert.notify, message };
    }
    case 'retracted':
      return next('alert.retracted', event === undefined ? NOT_FOUND : NO_MATCH, null);
    case 'reinstated':
      return next('alert.reinstated', null, null);
    case 'corrected':
      return next('alert.corrected', null, last());
    default:
      return null;
  }
}

/**
 * Builds the first message again from what is remembered. A thousand whole messages per alert would take too much
 * memory.
 */
function toldMessage(poll: Poll, alert: EventAlert, { key, before }: TrackedEvent): Message {
  const { watch } = poll;
  const { title, since, seq, values } = before;
  const context = contextOf({ view: viewOf(watch.kind.fields, expand(values)) }, null);
  const stage = { type: 'alert.event', episode: 1, seq, at: poll.time.at, since, late: false, reason: null } as const;
  return { ...messageOf(watch, alert, context, { ...stage, key: eventKey(watch, alert.id, key) }), title };
}

/** Known values at those paths; long ones condensed. */
export function valuesOf(view: AnyView, paths: readonly string[]): Remembered {
  return Object.fromEntries(
    paths.flatMap((path) => {
      const value = valueAt(view, path);
      if (value === undefined) return [];
      // Addresses as they were shown, so that people can compare the two messages.
      return [[path, value instanceof Address ? value.text : condense(encode(value))]];
    }),
  );
}

/** A value that becomes known later is added without a correction. The same object as before when nothing was added. */
function merged(before: Remembered, now: Remembered, sight: Sighting): Remembered {
  if (sight.type !== 'seen' || sight.as === 'no-match') return before;
  if (sight.as === 'other') return { ...before, ...now };
  const isSame = Object.keys(now).every((path) => isKnown(before, path));
  return isSame ? before : { ...now, ...before };
}

export function reasonOf(alert: EventAlert, key: string, type: EventReason): Reason {
  return { type, alert: alert.id, key };
}
