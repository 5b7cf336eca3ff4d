// Tracks events that were sent, or wait for confirmations: each poll finds them unchanged, changed, gone or present
// again.
import type { Instant } from '../../../lib/clock.ts';
import { eachInSteps, type Steps } from '../../../lib/steps.ts';
import type { EventReason, Reason } from '../../model/decision.ts';
import type { Message } from '../../model/delivery.ts';
import { blockOf, type DetectedEvent, type Detection } from '../../model/detection.ts';
import type { FindingKey } from '../../model/ids.ts';
import type { EventState } from '../../model/memory.ts';
import type { HeadNeed } from '../../model/observation.ts';
import type { Transition } from '../../model/transition.ts';
import { claimantOf, claimRule, eventKey } from '../../model/watch/identity.ts';
import type { EventAlert } from '../../model/watch/watch.ts';
import { expand } from '../../values/condensed.ts';
import type { AnyView } from '../../values/fields.ts';
import { viewOf } from '../../values/encoded.ts';
import { outcomeWords } from '../../wording/condition-words.ts';
import { ownValue } from '../../wording/values.ts';
import { lineOf, showPath, showTime } from '../../wording/words.ts';
import { type AlertPoll, type AlertsByKey, contextOf, transitionOf } from '../alert-evaluation.ts';
import { followUp, messageOf, pathsToShow } from '../message.ts';
import { namesOf } from '../sentence.ts';
import { atFirstPrice, comparedPaths, compareEvent } from './event-comparison.ts';
import { limitOf, type Match } from './event-matching.ts';
import type { Sighting } from './event-progress.ts';
import { missingSighting, needFor, type TrackedEvent } from './event-sighting.ts';
import { advanceEvent, beginEvent } from './event-state.ts';

/** Result of one poll for one event. */
export interface EventStep {
  readonly key: string;
  readonly before: EventState | null;
  /** Null once nothing can retract the event any more, so it is no longer tracked. */
  readonly after: EventState | null;
  readonly transitions: readonly Transition[];
  readonly reason: Reason | null;
  /** The height that the explorer's head must reach to show whether the item is gone. */
  readonly needs: HeadNeed | null;
  readonly isClaim: boolean;
}

/** The steps of all remembered events in one poll. */
export function* trackEvents(poll: AlertPoll, alert: EventAlert, known: AlertsByKey): Steps<EventStep[]> {
  const tracked = Object.entries(known).flatMap(([key, state]) =>
    state.type === 'event' ? [[key, state] as const] : [],
  );
  if (tracked.length === 0) return [];
  const eventByKey = new Map(poll.detection?.events.map((event) => [event.key, event]));
  const replaced = replacedItems(poll.detection);
  const paths = { shown: pathsToShow(poll.watch, alert), compared: comparedPaths(poll, alert) };
  return yield* eachInSteps(tracked, ([key, before]) => {
    const isReplaced = replaced.has(key, before);
    const event = isReplaced ? undefined : eventByKey.get(key);
    return trackEvent(poll, alert, { key, before, event, isReplaced, paths });
  });
}

interface ReplacedItems {
  has(key: FindingKey, item: EventState): boolean;
}

/**
 * The replaced items in one poll: pending items that will never be in a block, because another item took their place,
 * or the explorer marks them as dropped.
 */
function replacedItems(detection: Detection<unknown> | null): ReplacedItems {
  const dropped = new Set(detection?.dropped);
  const minedBySlot = new Map<string, FindingKey>();
  for (const { key, slot, block } of detection?.events ?? [])
    if (slot !== null && typeof block === 'number') minedBySlot.set(slot, key);
  return {
    has(key, { block, slot }) {
      if (block !== null) return false;
      const mined = slot === null ? undefined : minedBySlot.get(slot);
      return dropped.has(key) || (mined !== undefined && mined !== key);
    },
  };
}

function trackEvent(poll: AlertPoll, rule: EventAlert, tracked: TrackedEvent): EventStep {
  const { key, before, event, paths } = tracked;
  const isClaim = isToldAsClaim(poll, rule, tracked);
  const alert = claimRule(rule, isClaim);
  const { sighting, values } =
    event === undefined
      ? { sighting: missingSighting(poll, tracked), values: before.values }
      : compareEvent(poll, alert, { before, event, paths });
  const now = { at: poll.time.at, head: poll.head, reach: poll.reach };
  const { after: progress, transition } = advanceEvent(alert, before, sighting, now);
  const emitted = transition === 'none' ? null : followUpOf(poll, alert, { ...tracked, sighting }, transition);
  const slot = event === undefined ? before.slot : event.slot;
  const isSame = progress === before && values === before.values && slot === before.slot && emitted === null;
  const toldAt = before.toldAt ?? poll.time.at;
  const told = isClaim ? (true as const) : undefined;
  const sent = emitted === null ? {} : { seq: emitted.seq, message: null, title: emitted.title, toldAt, isClaim: told };
  const next = isSame ? before : { ...before, ...progress, ...sent, values, slot };
  return {
    key,
    before,
    after: progress === null ? null : next,
    transitions: emitted === null ? [] : [transitionOf(poll, alert, emitted)],
    reason: transition === 'none' ? null : reasonOf(alert, key, transition),
    needs: needFor(poll, before, sighting),
    isClaim,
  };
}

/**
 * After the first message, an event stays a claim, or stays none. Before it, this may change: a reload may give the
 * contract a name or remove it, and the explorer may show a price of the contract or drop it.
 */
function isToldAsClaim({ watch }: AlertPoll, rule: EventAlert, { before, event }: TrackedEvent): boolean {
  if (before.seq > 0 || event === undefined) return before.isClaim === true;
  return claimantOf(watch, rule, atFirstPrice(event.view, before.values)) !== null;
}

const BLOCK_REPLACED = 'the block was replaced';
const NOT_FOUND = 'not found any more';
const NO_MATCH = 'it changed, and does not match any more';
const REPLACED = 'another one was mined in its place';

/** The message of a transition; null if none is sent. */
function followUpOf(
  poll: AlertPoll,
  alert: EventAlert,
  tracked: SightedEvent,
  transition: EventReason,
): Message | null {
  const { before, event } = tracked;
  const { at } = poll.time;
  const seq = before.seq + 1;
  const last = (): Message | null => {
    if (event === undefined) return null;
    const view = atFirstPrice(event.view, before.values);
    const context = contextOf({ view }, null, event.happenedAt ?? before.since);
    return firstMessage(poll, alert, { event, context, unjudged: limitOf(alert, context) });
  };
  const next = (type: Message['type'], reason: string | null, now: Message | null): Message => {
    const notified = toldMessage(poll, alert, tracked);
    const isInBlock = typeof event?.block === 'number';
    const changed = event === undefined ? null : changedWords(poll, tracked, event.view);
    const words = wordsOf(notified, { type, at, reason, now, toldAt: before.toldAt, isInBlock, changed });
    return followUp(notified, { type, at, seq, reason, ...words }, now);
  };
  switch (transition) {
    case 'confirmed':
      return { ...(last() ?? { ...(before.message ?? toldMessage(poll, alert, tracked)), at }), seq };
    case 'retracted':
      return next('alert.retracted', whyRetracted(tracked), null);
    case 'reinstated':
      return next('alert.reinstated', null, null);
    case 'corrected':
      return next('alert.corrected', null, last());
    default:
      return null;
  }
}

interface SightedEvent extends TrackedEvent {
  readonly sighting: Sighting;
}

function whyRetracted({ before, event, isReplaced, sighting }: SightedEvent): string {
  if (isReplaced) return REPLACED;
  if (event !== undefined) return NO_MATCH;
  const isProven = sighting.type === 'absent' && sighting.isProven && before.block !== null;
  return isProven ? BLOCK_REPLACED : NOT_FOUND;
}

interface Later {
  readonly at: Instant;
  readonly toldAt: Instant | null;
  readonly type: Message['type'];
  readonly reason: string | null;
  readonly now: Message | null;
  readonly isInBlock: boolean;
  readonly changed: string | null;
}

/** The detail behind the title of a later message, and its first lines. */
function wordsOf(
  notified: Message,
  { at, toldAt, type, reason, now, isInBlock, changed }: Later,
): Pick<Message, 'detail' | 'lines'> {
  if (type === 'alert.retracted')
    return {
      detail: reason,
      lines: lineOf(toldAt === null ? null : `Sent at ${showTime(toldAt, { now: at, zone: notified.zone })}.`),
    };
  if (now === null)
    return { detail: notified.detail, lines: lineOf(isInBlock ? 'It is in a block again.' : 'It is there again.') };
  const { measured: then } = notified;
  const moved =
    then === null || now.measured === null || then === now.measured ? null : ([then, now.measured] as const);
  const told = moved === null ? changed : toldAndNow(moved);
  return { detail: now.detail, lines: [...lineOf(told), ...now.lines] };
}

const MOST_CHANGED = 3;

/** `Before: 250. Now: 240.` */
function toldAndNow([then, now]: readonly [then: string, now: string]): string {
  return `Before: ${then}. Now: ${now}.`;
}

/** `Before: waiting. Now: failed.`, `Before: nonce 3. Now: nonce 4.`; null if the changed value is untrusted text. */
function changedWords(
  { watch }: AlertPoll,
  { before, paths }: Pick<TrackedEvent, 'before' | 'paths'>,
  now: AnyView,
): string | null {
  const names = namesOf(watch);
  const then = viewOf(watch.kind.fields, expand(before.values));
  const changed = paths.compared.flatMap((path) => {
    const [old, value] = [ownValue({ names, view: then }, path), ownValue({ names, view: now }, path)];
    return old === value ? [] : [[valueWords(path, old), valueWords(path, value)] as const];
  });
  const shown = changed.slice(0, MOST_CHANGED);
  const [olds, values] = [shown.map(([old]) => old).join(', '), shown.map(([, value]) => value).join(', ')];
  return shown.length === 0 ? null : toldAndNow([olds, values]);
}

function valueWords(path: string, value: string | undefined): string {
  if (path === 'status' && value === undefined) return 'waiting';
  return outcomeWords(path, value) ?? `${showPath(path)} ${value ?? 'not known'}`;
}

/**
 * Builds the first message again from the remembered values. A thousand whole messages per alert would take too much
 * memory.
 */
function toldMessage(poll: AlertPoll, alert: EventAlert, { key, before }: TrackedEvent): Message {
  const { watch } = poll;
  const { title, since, seq, values } = before;
  const context = contextOf({ view: viewOf(watch.kind.fields, expand(values)) }, null, since);
  const stage = { type: 'alert.event', episode: 1, seq, at: poll.time.at, since, firedAt: null } as const;
  return {
    ...messageOf(poll, alert, context, { ...stage, key: eventKey(watch, alert.id, key), late: false, reason: null }),
    title,
  };
}

export function reasonOf(alert: EventAlert, key: string, type: EventReason): Reason {
  return { type, alert: alert.id, key };
}

// The first message of an event, and its state after it.

/** A message that is sent later than this after its event is marked as late. */
export const LATE_AFTER_MS = 600_000;

/** The message for an item that matches. */
export function firstMessage(
  poll: AlertPoll,
  alert: EventAlert,
  { event, context, unjudged }: Omit<Match, 'isHit' | 'isClaim'>,
): Message {
  const { at } = poll.time;
  const since = event.happenedAt ?? at;
  const isSure = event.block === 'nowhere' || isConfirmed(poll, alert, event);
  const reasons = [
    ...(unjudged === null ? [] : [`could not be judged: ${unjudged}`]),
    ...(alert.provisional && !isSure ? [`provisional: not ${alert.confirmations} blocks deep yet`] : []),
  ];
  return messageOf(poll, alert, context, {
    type: 'alert.event',
    key: eventKey(poll.watch, alert.id, event.key),
    episode: 1,
    seq: 1,
    at,
    since,
    firedAt: null,
    late: at - since > LATE_AFTER_MS,
    reason: reasons.length === 0 ? null : reasons.join('; '),
  });
}

function isConfirmed(poll: AlertPoll, alert: EventAlert, event: DetectedEvent): boolean {
  return beginEvent({ ...alert, provisional: false }, blockOf(event), poll.head).transition === 'confirmed';
}
