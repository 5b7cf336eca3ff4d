// `on: schedule` alerts: at each time of their cron the present values are told, whatever they are. They keep no memory:
// a time is due when it lies after the last usable answer. After a pause only the newest time is told.
import type { ScheduledReport, EventAlert } from '../model/watch/watch.ts';
import { eventKey } from '../model/watch/identity.ts';
import type { EvaluationContext } from '../model/watch/condition.ts';
import type { Message } from '../model/delivery.ts';
import type { Instant } from '../../lib/clock.ts';
import {
  sameOr,
  transitionOf,
  unevaluated,
  unread,
  type AlertEvaluation,
  type AlertsByKey,
  type AlertPoll,
} from './alert-evaluation.ts';
import { holds } from './events/event-matching.ts';
import { LATE_AFTER_MS } from './events/event-message.ts';
import { messageOf } from './message.ts';

export function stepReport(
  poll: AlertPoll,
  alert: EventAlert,
  report: ScheduledReport,
  known: AlertsByKey,
): AlertEvaluation {
  if (poll.detection === null) return unread(known);
  const due = dueTime(poll, report);
  const nothing = unevaluated(sameOr(known, []));
  if (due === null) return nothing;
  const context = poll.context ?? emptyContext(poll);
  const truth = holds(poll, alert.if, context);
  const key = `schedule ${due}`;
  if (truth !== true) {
    const type = truth === false ? 'no-match' : 'undecided';
    return { ...nothing, reasons: [{ type, alert: alert.id, key }], truth };
  }
  const message = reportMessage(poll, alert, context, { key, due });
  return {
    ...nothing,
    transitions: [transitionOf(poll, alert, message)],
    reasons: [{ type: 'told', alert: alert.id, key }],
    truth,
  };
}

function dueTime({ time }: AlertPoll, report: ScheduledReport): Instant | null {
  const last = report.lastDue(time.at);
  return last !== null && time.coveredUntil !== null && last > time.coveredUntil ? last : null;
}

function emptyContext({ watch, time }: AlertPoll): EvaluationContext {
  return { view: watch.kind.fields.make({}), before: null, history: null, at: time.at };
}

const STALE = 'the head of the chain stands still: the values may be old';

function reportMessage(
  poll: AlertPoll,
  alert: EventAlert,
  context: EvaluationContext,
  { key, due }: { readonly key: string; readonly due: Instant },
): Message {
  const { at } = poll.time;
  return messageOf(poll, alert, context, {
    type: 'alert.event',
    key: eventKey(poll.watch, alert.id, key),
    episode: 1,
    seq: 1,
    at,
    since: due,
    late: at - due > LATE_AFTER_MS,
    reason: poll.isStale ? STALE : null,
  });
}
