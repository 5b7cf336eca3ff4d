// `on:` alerts without a count: one message per occurrence, and no resolve. An item in a block is tracked until it is
// final. The first message is sent when the item has its confirmations, a correction when it changes, and a retraction
// when it disappears.
import { blockOf } from '../../model/detection.ts';
import { beginEvent } from './event-state.ts';
import { valuesOf } from './event-comparison.ts';
import { type EventStep, firstMessage, reasonOf, trackEvents } from './event-tracking.ts';
import type { EventState } from '../../model/memory.ts';
import { pathsToShow } from '../message.ts';
import type { EventAlert } from '../../model/watch/watch.ts';
import type { Reason } from '../../model/decision.ts';
import {
  transitionOf,
  sameOr,
  unevaluated,
  unread,
  type AlertsByKey,
  type AlertEvaluation,
  type AlertPoll,
} from '../alert-evaluation.ts';
import { eachInSteps, type Steps } from '../../../lib/steps.ts';
import { matchEvents, type Match } from './event-matching.ts';
import { claimRule } from '../../model/watch/identity.ts';
import { CLAIM_LIMITS, foldMany } from '../summary.ts';
import type { Transition } from '../../model/transition.ts';
import { greatestNeed } from '../../chain/tick-chain.ts';

export function* stepEvents(poll: AlertPoll, alert: EventAlert, known: AlertsByKey): Steps<AlertEvaluation> {
  if (poll.detection === null) return unread(known);
  // Most polls end here.
  if (poll.detection.events.length === 0 && Object.keys(known).length === 0) return unevaluated(known);
  const events = poll.detection.events.filter(({ on }) => on === alert.on);
  const matched = yield* matchEvents(poll, alert, events, known);
  const begun = yield* eachInSteps(matched.matches, (match) =>
    beginTracking(poll, claimRule(alert, match.isClaim), match),
  );
  const steps = [...begun, ...(yield* trackEvents(poll, alert, known))];
  const told = newest(trackedIn(steps, false));
  const claims = newest(trackedIn(steps, true));
  return {
    alerts: sameOr(known, [...matched.open, ...told.kept, ...claims.kept]),
    transitions: [
      ...foldMany(poll, alert, transitionsIn(steps, false)),
      ...foldMany(poll, claimRule(alert, true), transitionsIn(steps, true), CLAIM_LIMITS),
    ],
    reasons: [
      ...steps.flatMap(({ reason }) => (reason === null ? [] : [reason])),
      ...matched.reasons,
      ...unfollowed(alert, told.letGo, 'events'),
      ...unfollowed(alert, claims.letGo, 'claims'),
    ],
    firing: [],
    truth: matched.truth,
    matchingBaseline: matched.matchingBaseline.length,
    needs: greatestNeed(steps.map(({ needs }) => needs)),
  };
}

function transitionsIn(steps: readonly EventStep[], areClaims: boolean): readonly Transition[] {
  return steps.flatMap(({ isClaim, transitions }) => (isClaim === areClaims ? transitions : []));
}

function trackedIn(steps: readonly EventStep[], areClaims: boolean): TrackedEntries {
  return steps.flatMap(({ key, after, isClaim }) =>
    isClaim === areClaims && after !== null ? [[key, after] as const] : [],
  );
}

const UNTRACKED = { after: null, transition: 'confirmed' } as const;

function beginTracking(poll: AlertPoll, alert: EventAlert, match: Match): EventStep {
  const { event, isClaim } = match;
  const { after: progress, transition } =
    event.block === 'nowhere' ? UNTRACKED : beginEvent(alert, blockOf(event), poll.head);
  const isNotified = transition === 'confirmed';
  const message = firstMessage(poll, alert, match);
  const after: EventState | null = progress && {
    type: 'event',
    ...progress,
    slot: event.slot,
    ...(isClaim ? { isClaim } : {}),
    seq: isNotified ? 1 : 0,
    toldAt: isNotified ? poll.time.at : null,
    message: isNotified ? null : message,
    title: message.title,
    since: message.since,
    values: valuesOf(event.view, pathsToShow(poll.watch, alert)),
  };
  const transitions = isNotified ? [transitionOf(poll, alert, message)] : [];
  return {
    key: event.key,
    before: null,
    after,
    transitions,
    reason: reasonOf(alert, event.key, isNotified ? 'told' : 'observed'),
    needs: null,
    isClaim,
  };
}

// The limit of events that an alert tracks. The oldest ones beyond it are dropped. A tracked event takes about half a
// kilobyte of memory. Claims have their own limit of the same size: anybody can make claims, so claims must not
// displace events. Events that are not sent yet are never dropped, and retracted ones are not either, because their
// return has to be sent.
const MOST_TRACKED = 1000;

type TrackedEntries = readonly (readonly [string, EventState])[];

function newest(tracked: TrackedEntries): { readonly kept: TrackedEntries; readonly letGo: TrackedEntries } {
  if (tracked.length <= MOST_TRACKED) return { kept: tracked, letGo: [] };
  const isOwed = ([, { state, seq }]: TrackedEntries[number]): boolean => seq === 0 || state === 'retracted';
  const rank = (one: TrackedEntries[number]): number => (isOwed(one) ? Infinity : (one[1].block ?? Infinity));
  const ranked = tracked.toSorted((a, b) => rank(b) - rank(a));
  const count = Math.max(MOST_TRACKED, tracked.filter(isOwed).length);
  return { kept: ranked.slice(0, count), letGo: ranked.slice(count) };
}

function unfollowed(alert: EventAlert, letGo: TrackedEntries, noun: string): Reason[] {
  if (letGo.length === 0) return [];
  const text = `${alert.id}: only the newest ${MOST_TRACKED} ${noun} are tracked, and ${letGo.length} older ones count as final`;
  return [{ type: 'note', text }, ...letGo.map(([key]) => reasonOf(alert, key, 'unfollowed'))];
}
