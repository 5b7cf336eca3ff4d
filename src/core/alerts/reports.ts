// `on: schedule` alerts: the present values are sent at each time of their cron, whatever they are. A time is due if it
// is after the last usable answer. It stays due until a poll is complete and knows each value of the report, and those
// of its `if`. After half of its period it is sent with the known values. After a pause only the newest time is sent.
import type { ScheduledReport, EventAlert } from '../model/watch/watch.ts';
import { dueOf, eventKey, scheduleKey } from '../model/watch/identity.ts';
import type { EvaluationContext, Template } from '../model/watch/condition.ts';
import type { EventReason } from '../model/decision.ts';
import type { Message } from '../model/delivery.ts';
import type { OpenEvent } from '../model/memory.ts';
import type { Truth } from '../model/ids.ts';
import type { Instant } from '../../lib/clock.ts';
import { typeAt, valueAt } from '../values/fields.ts';
import { showPath, showTime } from '../wording/words.ts';
import {
  type AlertEvaluation,
  type AlertPoll,
  type AlertsByKey,
  holds,
  sameOr,
  transitionOf,
  unevaluated,
  unread,
} from './alert-evaluation.ts';
import { LATE_AFTER_MS } from './events/event-tracking.ts';
import { messageOf } from './message.ts';

const LONGEST_WAIT_MS = 12 * 3_600_000;
/** Stored in `before`: the report was sent. Kept until an answer comes, so that the report is not sent again. */
const TOLD = 'told';

interface Due {
  readonly at: Instant;
  readonly key: string;
  readonly open: OpenEvent;
}

export function stepReport(
  poll: AlertPoll,
  alert: EventAlert,
  report: ScheduledReport,
  known: AlertsByKey,
): AlertEvaluation {
  const due = dueTime(poll, report, known);
  if (due === null) return poll.detection === null ? unread(known) : unevaluated(sameOr(known, []));
  const context = poll.context ?? emptyContext(poll);
  const truth = poll.detection === null ? 'unknown' : holds(poll, alert.if, context);
  const isKnown = truth === false || (truth === true && knowsAll(poll, report, context));
  const isWaiting = !(poll.isComplete && isKnown) && poll.time.at < due.at + waitOf(report, due.at);
  const isTold = !isWaiting && truth !== false;
  const evaluation = reasoned(alert, due, truth, isWaiting ? 'values-awaited' : isTold ? 'told' : 'no-match');
  if (isWaiting) return { ...evaluation, ...waiting(known, due) };
  const alerts = sameOr(known, keptOf(poll, due));
  if (!isTold) return { ...evaluation, alerts };
  const message = reportMessage(poll, alert, { report, context, due, isSure: truth === true || alert.if === null });
  return { ...evaluation, alerts, transitions: [transitionOf(poll, alert, message)] };
}

function reasoned(alert: EventAlert, { key }: Due, truth: Truth, type: EventReason): AlertEvaluation {
  return { ...unevaluated({}), reasons: [{ type, alert: alert.id, key }], truth };
}

/** Gives the reason to wait only at the first poll that waits. */
function waiting(known: AlertsByKey, { key, open }: Due): Partial<AlertEvaluation> {
  const alerts = sameOr(known, [[key, open]]);
  return alerts === known ? { alerts, reasons: [] } : { alerts };
}

/**
 * If no answer came, the due time is still after the last answer. So the report is kept as sent, and not sent again.
 */
function keptOf({ detection }: AlertPoll, { key, open }: Due): [string, OpenEvent][] {
  return detection === null ? [[key, { ...open, before: TOLD }]] : [];
}

function dueTime({ time }: AlertPoll, { times }: ScheduledReport, known: AlertsByKey): Due | null {
  const [opened] = Object.entries(known).flatMap(([key, alert]) => {
    const at = dueOf(key);
    return alert.type === 'open' && at !== null && at <= time.at && times.upTo(at) === at
      ? [{ at, key, open: alert }]
      : [];
  });
  const at = times.upTo(time.at);
  const isNews = at !== null && time.coveredUntil !== null && at > time.coveredUntil;
  if (isNews && at !== opened?.at)
    return { at, key: scheduleKey(at), open: { type: 'open', since: time.coveredUntil, before: null } };
  return opened === undefined || opened.open.before === TOLD ? null : opened;
}

function waitOf({ times }: ScheduledReport, due: Instant): number {
  const next = times.after(due);
  return next === null ? LONGEST_WAIT_MS : Math.min(LONGEST_WAIT_MS, (next - due) / 2);
}

function emptyContext({ watch, time }: AlertPoll): EvaluationContext {
  return { view: watch.kind.fields.make({}), before: null, history: null, at: time.at };
}

function knowsAll({ watch }: AlertPoll, { values }: ScheduledReport, context: EvaluationContext): boolean {
  return values.every(({ template }) => isKnown(watch, template, context));
}

/**
 * True if all values of the template are known, or have a text for "absent". Missing history of a window does not delay
 * the report, since waiting would not fill it.
 */
function isKnown({ kind }: AlertPoll['watch'], { reads }: Template, { view }: EvaluationContext): boolean {
  return reads.every((path) => {
    const type = typeAt(kind.fields, path);
    return valueAt(view, path) !== undefined || (type?.type === 'text' && type.absent !== undefined);
  });
}

const STALE = 'the head of the chain stands still: the values may be old';
const UNSURE = 'condition not known';

interface Told {
  readonly report: ScheduledReport;
  readonly context: EvaluationContext;
  readonly due: Due;
  /** Whether its condition is known to hold. */
  readonly isSure: boolean;
}

function reportMessage(poll: AlertPoll, alert: EventAlert, { report, context, due, isSure }: Told): Message {
  const { at } = poll.time;
  const reasons = [poll.isStale ? STALE : null, isSure ? null : UNSURE].filter((one) => one !== null);
  const message = messageOf(poll, alert, context, {
    type: 'alert.event',
    key: eventKey(poll.watch, alert.id, due.key),
    episode: 1,
    seq: 1,
    at,
    since: due.at,
    firedAt: null,
    late: at - due.at > LATE_AFTER_MS,
    reason: reasons.length === 0 ? null : reasons.join('; '),
  });
  const lines = report.values.map(({ name, template }, i) =>
    isKnown(poll.watch, template, context)
      ? (message.lines[i] ?? [])
      : [
          {
            text: `${showPath(name)}: not known since ${showTime(due.open.since, { now: at, zone: poll.watch.zone })}`,
          },
        ],
  );
  return { ...message, lines };
}
