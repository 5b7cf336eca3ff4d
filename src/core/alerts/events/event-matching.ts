// Finds the items of a poll that match an `on:` alert. An item whose condition is unknown stays open, and is evaluated
// again at each poll that reads it. Polls read it until it has left the pages or, in a list that is swept, until the
// look-back of the sweep has passed. If its condition is still unknown then, the item counts as undecided and is
// removed. Items beyond the budget of steps stay open too. If such an item is never evaluated, it counts as not judged.
import { truthOfAll } from '../../model/health.ts';
import { blockOf, type DetectedEvent } from '../../model/detection.ts';
import type { OpenEvent } from '../../model/memory.ts';
import { LOOK_BACK_MS } from '../../model/watch/kind.ts';
import type { EventAlert } from '../../model/watch/watch.ts';
import type { Reason } from '../../model/decision.ts';
import type { EvaluationContext } from '../../model/watch/condition.ts';
import type { Truth } from '../../model/ids.ts';
import { eachInSteps, type Steps } from '../../../lib/steps.ts';
import { claimantOf } from '../../model/watch/identity.ts';
import { isFinal } from './event-state.ts';
import { isJudgedAgain } from '../in-a-row.ts';
import {
  type AlertPoll,
  type AlertsByKey,
  ALL_ITEMS,
  contextOf,
  isSpent,
  judgeItem,
  type MatchingAlert,
  ofRatio,
  truthOf,
} from '../alert-evaluation.ts';
import type { Remembered } from '../../values/encoded.ts';

/** An open event with its key. */
type Opened = [string, OpenEvent];

/** An item for an alert, and the context of its `if`. */
export interface Match {
  readonly event: DetectedEvent;
  readonly context: EvaluationContext;
  /** Set when the evaluation hit a limit: the item is sent with this reason, so that a long text cannot hide it. */
  readonly unjudged: string | null;
  /** False if the alert counts the item among those that do not match. */
  readonly isHit: boolean;
  readonly isClaim: boolean;
}

export interface EventMatches {
  /** Items that match. Each item matches at most once. */
  readonly matches: readonly Match[];
  /** Items that do not match. */
  readonly others: readonly DetectedEvent[];
  /** The items that stay open. */
  readonly open: readonly (readonly [string, OpenEvent])[];
  readonly reasons: readonly Reason[];
  /**
   * The result over all evaluated items: true if one matched, else unknown if one is unknown, else false. Claims with
   * an unknown result are ignored, since anybody can make them.
   */
  readonly truth: Truth | 'not-evaluated';
  readonly matchingBaseline: readonly DetectedEvent[];
  /** Items of the baseline that do not match. */
  readonly otherBaseline: readonly DetectedEvent[];
}

/** `events`: those of the poll with the alert's event name. `known`: the remembered state by finding key. */
export function* matchEvents(
  poll: AlertPoll,
  alert: MatchingAlert,
  events: readonly DetectedEvent[],
  known: AlertsByKey,
): Steps<EventMatches> {
  const opened = Object.entries(known).filter(isOpen);
  const openOf = openLookup(alert, opened);
  // Nearly all rows of a page are known and need no evaluation. Visiting each of them took a twentieth of all work.
  const asked = events.filter(
    (event) => hasNews(event) || openOf(event.key) !== null || isInRow(poll, alert, event, known),
  );
  const evaluated = (yield* eachInSteps(claimsLast(poll, alert, asked), ({ event, isClaim }) =>
    evaluateItem(poll, alert, { event, isClaim, known, open: openOf(event.key) }),
  )).flat();
  const matches = evaluated.filter(({ truth, unjudged }) => truth === true || unjudged !== null);
  const unknown = evaluated.filter(({ truth, unjudged }) => truth === 'unknown' && unjudged === null);
  const remaining = stillOpen(poll, alert, events, opened);
  const open = withinBounds([...unknown.map((one): Opened => [one.event.key, openedBy(poll, one)]), ...remaining.kept]);
  const baseline = events.filter(({ novelty }) => novelty === 'baseline');
  const truths = yield* eachInSteps(baseline, (event) => truthOf(poll, alert, contextOfBaseline(poll, event)));
  const others = evaluated.filter(({ truth }) => truth === false).map(({ event }) => event);
  const settled = others.map(({ key }): Reason => ({ type: 'no-match', alert: alert.id, key }));
  return {
    matches,
    others,
    open: open.kept,
    reasons: [
      ...settled,
      ...unknown.flatMap((one) => firstUnknown(alert, one)),
      ...[...remaining.undecided, ...open.dropped].map((one) => reasonOfLost(alert, one)),
    ],
    truth: truthOfAll(evaluated.flatMap(({ truth, isClaim }) => (isClaim && truth === 'unknown' ? [] : [truth]))),
    matchingBaseline: baseline.filter((_event, i) => truths[i] === true),
    otherBaseline: baseline.filter((_event, i) => truths[i] === false),
  };
}

interface EvaluatedMatch extends Match {
  readonly truth: Truth;
  readonly open: OpenEvent | null;
  /** The item was not evaluated. */
  readonly isBeyondBudget: boolean;
}

/**
 * Finds the open item of a key. If a thing changes again while its last change is still open, both changes count as
 * one: it begins with the values before the first change, so a limit on the difference applies to both together.
 */
function openLookup(alert: MatchingAlert, opened: readonly Opened[]): (key: string) => OpenEvent | null {
  const thingOf = (key: string): string => thingOfKey(alert, key);
  const openByThing = new Map(opened.toReversed().map(([key, open]) => [thingOf(key), open]));
  return (key) => openByThing.get(thingOf(key)) ?? null;
}

/**
 * The key of the thing that changed: the key of a change, without the number of the change. Other keys are unchanged.
 */
function thingOfKey({ on }: MatchingAlert, key: string): string {
  return on === 'changed' ? key.slice(0, key.lastIndexOf('#')) : key;
}

interface AskedItem {
  readonly event: DetectedEvent;
  readonly isClaim: boolean;
  readonly known: AlertsByKey;
  readonly open: OpenEvent | null;
}

/** The events that anybody can claim come last, so that they take no steps from the others. */
function claimsLast(
  { watch }: AlertPoll,
  alert: MatchingAlert,
  events: readonly DetectedEvent[],
): readonly Pick<AskedItem, 'event' | 'isClaim'>[] {
  return events.map((event) => ({ event, isClaim: claimantOf(watch, alert, event.view) !== null })).toSorted(byClaim);
}

function byClaim(a: { readonly isClaim?: boolean | undefined }, b: typeof a): number {
  return Number(a.isClaim === true) - Number(b.isClaim === true);
}

function evaluateItem(
  poll: AlertPoll,
  alert: MatchingAlert,
  { event, isClaim, known, open }: AskedItem,
): EvaluatedMatch[] {
  const prior = known[event.key];
  const isChanged =
    isInRow(poll, alert, event, known) ||
    (event.novelty === 'changed' && alert.type === 'event' && isJudgedAnew(poll, alert, event));
  const isRelevant = open !== null || (event.novelty === 'new' ? isConcerned(poll, alert, event) : isChanged);
  // A tracked item was evaluated before, even if the list's state no longer has it, so it is left out.
  if (event.novelty === 'baseline' || !isRelevant || prior?.type === 'event') return [];
  const before = open === null ? event.before : (open.before as Remembered | null);
  const context = contextOf(event, before, event.happenedAt ?? open?.since ?? poll.time.at);
  const isBeyondBudget = isSpent(poll, alert);
  const { truth, isHit } = judgeItem(poll, alert, context);
  const unjudged = truth === 'unknown' && !isBeyondBudget ? limitOf(alert, context) : null;
  // The item was evaluated before, so a value that is unknown for a while does not open it again.
  if (isChanged && open === null && truth === 'unknown' && unjudged === null && !isBeyondBudget) return [];
  // An item that could not be evaluated counts as a hit, so that a long text cannot hide it.
  return [{ event, isClaim, context, truth, unjudged, open, isBeyondBudget, isHit: isHit || unjudged !== null }];
}

/** True if the alert counts items in a row, and the item is known in the row with another place or another value. */
function isInRow({ watch }: AlertPoll, alert: MatchingAlert, event: DetectedEvent, known: AlertsByKey): boolean {
  if (alert.type !== 'count' || alert.fires.type !== 'in-a-row') return false;
  const group = known[ALL_ITEMS];
  const row = group?.type === 'group' ? group.row : undefined;
  return row !== undefined && isJudgedAgain(watch.kind, alert, { row, event });
}

/**
 * True if a value that the alert's `if` reads has changed. An item that was final at the last reading was evaluated, and
 * perhaps sent, before its state was dropped, so it is not sent a second time.
 */
function isJudgedAnew(poll: AlertPoll, alert: EventAlert, event: DetectedEvent): boolean {
  const { changed } = event;
  if (!(alert.if?.reads ?? []).some((path) => changed.includes(path))) return false;
  return !isFinal(alert, blockOf(event), headAtLastReading(poll, event));
}

/**
 * The height of the head at the last reading. It is estimated from the times, as if blocks came at equal intervals. The
 * estimated distance from the item to the head is doubled, so that an item that may have been final counts as final. If
 * this machine's clock is behind the chain, the result is the item's own block: a message that is sent twice is better
 * than no message.
 */
function headAtLastReading({ head, time }: AlertPoll, event: DetectedEvent): number | null {
  const block = blockOf(event);
  const { happenedAt } = event;
  const { at, coveredUntil } = time;
  if (head === null || block === null || happenedAt === null || coveredUntil === null) return head;
  if (at <= happenedAt) return block;
  const part = Math.max(0, (2 * (coveredUntil - happenedAt)) / (at - happenedAt));
  return block + Math.ceil((head - block) * Math.min(1, part));
}

/**
 * The limit that the `if` of the item exceeds, so that it cannot be evaluated; else null. Always null for `none_for`,
 * since such an item does not end the absence.
 */
export function limitOf(alert: MatchingAlert, context: EvaluationContext): string | null {
  if (alert.type === 'count' && alert.fires.type === 'none-for') return null;
  return alert.if?.limitOf(context) ?? ofRatio(alert)?.limitOf(context) ?? null;
}

function openedBy({ time }: AlertPoll, { event, isClaim, open, isBeyondBudget }: EvaluatedMatch): OpenEvent {
  const isSame = (open?.isBeyondBudget ?? false) === isBeyondBudget && (open?.isClaim ?? false) === isClaim;
  if (open !== null && isSame) return open;
  const { since, before } = open ?? { since: time.at, before: event.before };
  return {
    type: 'open',
    since,
    before,
    ...(isBeyondBudget ? { isBeyondBudget } : {}),
    ...(isClaim ? { isClaim } : {}),
  };
}

/**
 * The most open items beyond the budget. While pages are unread, open items stay, and each poll may add more of them.
 */
const MOST_BEYOND_BUDGET = 1000;

function withinBounds(open: readonly Opened[]): { kept: readonly Opened[]; dropped: readonly Opened[] } {
  const beyond = open.filter(([, { isBeyondBudget }]) => isBeyondBudget === true);
  if (beyond.length <= MOST_BEYOND_BUDGET) return { kept: open, dropped: [] };
  const dropped = new Set(beyond.toSorted(([, a], [, b]) => byClaim(a, b)).slice(MOST_BEYOND_BUDGET));
  return { kept: open.filter((one) => !dropped.has(one)), dropped: [...dropped] };
}

/** A claim that stays unknown, such as one about a token without a price, needs nobody's attention. */
function reasonOfLost(alert: MatchingAlert, [key, { isBeyondBudget, isClaim }]: Opened): Reason {
  const unknown = isClaim === true ? 'no-match' : 'undecided';
  return { type: isBeyondBudget === true ? 'not-judged' : unknown, alert: alert.id, key };
}

function firstUnknown(alert: MatchingAlert, { event, open }: EvaluatedMatch): Reason[] {
  return open === null ? [{ type: 'open', alert: alert.id, key: event.key }] : [];
}

function isOpen(entry: [string, AlertsByKey[string]]): entry is Opened {
  return entry[1].type === 'open';
}

function hasNews({ novelty }: DetectedEvent): boolean {
  return novelty === 'new' || novelty === 'changed';
}

/** If a server leaves a value out of all items, the oldest ones are removed. */
const MOST_OUT_OF_SIGHT = 200;

/**
 * Divides the open items that this poll did not read. In a list that is swept, a sweep reads an item far below the head
 * again within about an hour, so the item is kept until then. Items of a count are not kept, because the count is
 * unknown as long as one of its items is unknown. Items beyond the budget are not kept either: the daemon reports at
 * once that they were not judged.
 */
function stillOpen(
  { isComplete, watch, time }: AlertPoll,
  alert: MatchingAlert,
  events: readonly DetectedEvent[],
  opened: readonly Opened[],
): { kept: readonly Opened[]; undecided: readonly Opened[] } {
  if (opened.length === 0) return { kept: [], undecided: [] };
  const read = new Set(events.map(({ key }) => thingOfKey(alert, key)));
  const gone = opened.filter(([key]) => !read.has(thingOfKey(alert, key)));
  if (!isComplete) return { kept: gone, undecided: [] };
  const isSwept = alert.type === 'event' && watch.kind.coverage !== undefined;
  const isRecent = ({ since, isBeyondBudget }: OpenEvent): boolean =>
    isSwept && isBeyondBudget !== true && time.at - since < LOOK_BACK_MS;
  const recent = gone.filter(([, open]) => isRecent(open));
  const ranked = recent.toSorted(([, a], [, b]) => byClaim(a, b) || b.since - a.since);
  const kept = new Set(ranked.slice(0, MOST_OUT_OF_SIGHT));
  return { kept: [...kept], undecided: gone.filter((one) => !kept.has(one)) };
}

/**
 * A change is relevant if it touches a field that `if` reads. If `if` reads no field, the fields that the kind compares
 * by default count.
 */
function isConcerned({ watch }: AlertPoll, alert: MatchingAlert, event: DetectedEvent): boolean {
  if (alert.on !== 'changed') return true;
  const reads = alert.if?.reads ?? [];
  const compared = reads.length === 0 ? watch.kind.comparedByDefault : reads;
  return event.changed.some((path) => compared.some((read) => isWithin(path, read)));
}

function isWithin(path: string, read: string): boolean {
  return path === read || path.startsWith(`${read}.`) || read.startsWith(`${path}.`);
}

function contextOfBaseline({ time }: AlertPoll, event: DetectedEvent): EvaluationContext {
  return contextOf(event, event.before, event.happenedAt ?? time.at);
}
