// `on:` alerts: one per occurrence. It happened; it never resolves. What stands in a block is followed until nothing
// takes it back: told when it is deep enough, and told again when it turns out otherwise.
import { blockOf, firstMessage } from './event-message.ts';
import { beginEvent } from './event-state.ts';
import { trackEvents, reasonOf, revOf, type EventStep } from './event-tracking.ts';
import type { EventState } from '../model/memory.ts';
import type { EventAlert } from '../model/watch.ts';
import type { Reason } from '../model/decision.ts';
import { deliveriesOf, sameOr, unread, type AlertsByKey, type AlertEvaluation, type Poll } from './alert-evaluation.ts';
import { greatestNeed } from '../tick-chain.ts';
import { matchEvents, type Match } from './event-matching.ts';

export function stepEvents(poll: Poll, alert: EventAlert, known: AlertsByKey): AlertEvaluation {
  if (poll.detection === null) return unread(known);
  const events = poll.detection.events.filter(({ on }) => on === alert.on);
  const matched = matchEvents(poll, alert, events, known);
  const begun = matched.matches.map((match) => beginTracking(poll, alert, match));
  const steps = [...begun, ...suppressMassRetraction(alert, trackEvents(poll, alert, known))];
  const tracked = steps.flatMap(({ key, after }) => (after === null ? [] : [[key, after] as const]));
  return {
    alerts: sameOr(known, [...matched.open, ...newest(tracked)]),
    deliveries: steps.flatMap(({ deliveries }) => deliveries),
    reasons: [...steps.flatMap(({ reason }) => (reason === null ? [] : [reason])), ...matched.reasons],
    truth: matched.truth,
    matchingBaseline: matched.matchingBaseline.length,
    needs: greatestNeed(steps.map(({ needs }) => needs)),
  };
}

const UNTRACKED = { after: null, transition: 'confirmed' } as const;

function beginTracking(poll: Poll, alert: EventAlert, { event, context }: Match): EventStep {
  const { after: progress, transition } =
    event.block === 'nowhere' ? UNTRACKED : beginEvent(alert, blockOf(event), poll.head);
  const isNotified = transition === 'confirmed';
  const message = firstMessage(poll, alert, { event, context });
  const rev = progress === null ? {} : revOf(poll, alert, event.view);
  const after = progress && {
    type: 'event' as const,
    ...progress,
    rev,
    seq: isNotified ? 1 : 0,
    message,
    told: isNotified ? alert.notify : [],
  };
  const deliveries = isNotified ? deliveriesOf(alert.notify, message) : [];
  return {
    key: event.key,
    before: null,
    after,
    deliveries,
    reason: reasonOf(alert, event.key, isNotified ? 'told' : 'observed'),
    needs: null,
  };
}

// More than this at once speak of the explorer, not of the chain.
const MASS_RETRACTION = 20;

function suppressMassRetraction(alert: EventAlert, steps: readonly EventStep[]): readonly EventStep[] {
  const isRetracted = ({ reason }: EventStep): boolean => reason?.type === 'retracted';
  const count = steps.filter(isRetracted).length;
  if (count <= MASS_RETRACTION) return steps;
  const text = `${alert.id}: ${count} items vanished at once; their retractions are held back until they are back or fewer`;
  const note: Reason = { type: 'note', text };
  // They stay as they were: the next complete reading judges again.
  return steps.map((step) =>
    isRetracted(step) ? { ...step, after: step.before, deliveries: [], reason: note } : step,
  );
}

// So many that were told are followed per alert; older ones are taken for final. What is not told yet is never let go,
// nor what was taken back: should it come back, that must be said.
const MOST_TRACKED = 100;

type TrackedEntries = readonly (readonly [string, EventState])[];

function newest(tracked: TrackedEntries): TrackedEntries {
  if (tracked.length <= MOST_TRACKED) return tracked;
  const isOwed = ([, { state, seq }]: TrackedEntries[number]): boolean => seq === 0 || state === 'retracted';
  const rank = (one: TrackedEntries[number]): number => (isOwed(one) ? Infinity : (one[1].block ?? Infinity));
  return tracked.toSorted((a, b) => rank(b) - rank(a)).slice(0, Math.max(MOST_TRACKED, tracked.filter(isOwed).length));
}
