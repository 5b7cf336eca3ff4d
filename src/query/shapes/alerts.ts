// Alerts that are open, and the history of one.
import { z } from 'zod';
import { AlertExplanation } from './explanations.ts';
import { AckShape } from '../../operators/shapes.ts';
import { Count, Time } from '../../core/values/answer-shapes.ts';
import {
  ABOUT,
  CountNow,
  LabelsShape,
  list,
  FieldRow,
  MeasureShape,
  PageLink,
  Point,
  RecipientStatus,
  SeverityShape,
  Subject,
  Text,
  ToldMessage,
} from './common.ts';

export const ALERT_STATES = ['firing', 'recovering', 'event', 'flapping'] as const;

export const AlertCard = z
  .strictObject({
    key: z.string(),
    episode: Count,
    seq: Count.describe('The newest transition. An acknowledgement sends it back.'),
    watch: z.string().describe('The name of the watch.'),
    alert: z.string(),
    rule: z.string().describe('The id of its rule. Alerts with the same `rule` and `alert` can share a card.'),
    labels: LabelsShape,
    title: z
      .string()
      .describe(
        'The present value, and the value with which it fired: `treasury ETH 0.0487, below 3; fired at 2.748`. While the present value is not known, it is the last known value and its age. For an alert that is over, it is the title of the last message.',
      ),
    severity: SeverityShape,
    state: z.enum(ALERT_STATES),
    is_open: z
      .boolean()
      .describe(
        'True for a condition that fires, and for an event that has to be acknowledged. False for an event that is only shown for a day.',
      ),
    alerts: Count.describe(
      'The number of alerts that share this card of the overview: all events of a rule, or more than eight conditions. The other members describe the newest event, or the most urgent condition. In lists it is 1.',
    ),
    since: Time.describe('The time at which the oldest alert of the card began or happened.'),
    up_to: Time.describe(
      'The time at which the newest alert of the card was decided. An acknowledgement of all of them sends it back.',
    ),
    of: Subject.nullable(),
    measure: MeasureShape.nullable(),
    count: CountNow.nullable(),
    detail: Text.describe('The details of an event; empty for a condition.'),
    runbook: z.string().nullable().describe('A page that says what to do.'),
    links: z.array(PageLink).describe('The transactions and blocks of an event, or of the counted items.'),
    line_has_limits: z.boolean().describe('True if `line` shows the values that the limits of `measure` apply to.'),
    line: z.array(Point).describe('The value over the last six hours, oldest first.'),
    firings: Count.describe('The number of times it fired within the hour while it was flapping; else 0.'),
    recipients: z.array(RecipientStatus),
    ack: AckShape.nullable(),
    silence: z.string().nullable().describe('The id of a silence that holds its messages back.'),
  })
  .meta({ id: 'AlertCard', description: 'An open alert.' });
export type AlertCard = z.output<typeof AlertCard>;

export const AlertList = list(AlertCard).meta({ id: 'AlertList' });

export const AlertRow = z
  .strictObject({
    key: z.string().nullable().describe('Null while it is pending: nothing was decided yet.'),
    episode: Count.nullable(),
    seq: Count.nullable(),
    alerts: Count.describe('The number of events of the rule that share this row; 1 for a condition.'),
    watch: z.string(),
    alert: z.string(),
    title: z.string().describe('The title, as in `AlertCard`; for a pending alert, its condition.'),
    severity: SeverityShape,
    state: z.enum(['pending', ...ALERT_STATES]),
    why: z
      .enum(['pending', 'acknowledged', 'silenced', 'inhibited', 'info'])
      .describe('The reason why it needs no attention now, and so has no card.'),
    since: Time,
    fires_at: Time.nullable().describe('The time at which a pending alert fires if nothing changes.'),
    measure: MeasureShape.nullable(),
    count: CountNow.nullable(),
    ack: AckShape.nullable(),
    silence: z.strictObject({ id: z.string(), until: Time, actor: z.string(), comment: z.string() }).nullable(),
  })
  .meta({ id: 'AlertRow', description: 'An alert that needs no attention now.' });
export type AlertRow = z.output<typeof AlertRow>;

export const EventRow = z
  .strictObject({
    last: Time,
    watch: z.string(),
    alert: z.string(),
    title: z.string(),
    severity: SeverityShape,
    key: z.string(),
    episode: Count,
    newest: Text,
    is_retracted: z.boolean().describe('True if the newest event was retracted: it did not happen.'),
    count: Count.describe('The number of events within the last twelve hours.'),
    notified: z.array(z.string()).describe('Channels that accepted a message about one of them.'),
    owed: Count.describe('Messages about them that are pending.'),
  })
  .meta({ id: 'EventRow', description: 'The events of one alert.' });
export type EventRow = z.output<typeof EventRow>;

export const EndedRow = z
  .strictObject({
    key: z.string(),
    episode: Count,
    watch: z.string(),
    alert: z.string(),
    title: z.string().describe('The title in the message about its end.'),
    severity: SeverityShape,
    since: Time,
    ended: Time,
    acknowledged_by: z.string().nullable(),
  })
  .meta({ id: 'EndedRow', description: 'An alert that fired and is over.' });
export type EndedRow = z.output<typeof EndedRow>;

export const ItemRow = z
  .strictObject({
    key: z.string(),
    episode: Count,
    at: Time,
    alert: z.string(),
    severity: SeverityShape,
    title: z.string(),
    detail: Text,
    links: z.array(PageLink),
    is_retracted: z.boolean().describe('True if it was retracted: it did not happen.'),
  })
  .meta({ id: 'ItemRow', description: 'An event.' });
export type ItemRow = z.output<typeof ItemRow>;

const TIMELINE_KINDS = [
  'pending',
  'fires',
  'event',
  'accepted',
  'not-accepted',
  'given-up',
  'acknowledged',
  'held',
  'released',
  'corrected',
  'retracted',
  'reinstated',
  'resolved',
] as const;

export const TimelineEntry = z
  .strictObject({
    at: Time,
    kind: z.enum(TIMELINE_KINDS),
    text: Text,
    detail: z.string().nullable().describe('The answer of a server, or a comment.'),
    actor: z.string().nullable().describe('The operator who did it; null: the daemon.'),
    recipient: z.strictObject({ channel: z.string(), recipient: z.string() }).nullable(),
    about: z.enum(ABOUT).nullable().describe('The kind of message that was tried; null if the entry is no try.'),
    tries: Count.nullable().describe('Consecutive tries of the message with this answer.'),
    until: Time.nullable().describe(
      'The time of the last of these tries, or the end of an acknowledgement or silence.',
    ),
  })
  .meta({ id: 'TimelineEntry', description: 'One thing that happened to an alert.' });
export type TimelineEntry = z.output<typeof TimelineEntry>;

export const Episode = z
  .strictObject({
    key: z.string(),
    episode: Count,
    alert: z.string(),
    since: Time,
    until: Time.nullable().describe('Null while it lasts.'),
    acknowledged_by: z.string().nullable(),
  })
  .meta({ id: 'Episode', description: 'The time from the firing of an alert to its end.' });
export type Episode = z.output<typeof Episode>;

export const AlertHistory = z
  .strictObject({
    card: AlertCard,
    ended: Time.nullable().describe('The time at which it resolved or was retracted; null while it is open.'),
    timeline: z.array(TimelineEntry),
    fields: z.array(FieldRow).describe('The values of its newest message.'),
    condition: AlertExplanation.nullable().describe(
      'The present state of its rule; null: the rule is not in force any more.',
    ),
    told: z
      .array(ToldMessage)
      .describe('Each message about it, the oldest first. Messages that were replaced are left out.'),
    ack: AckShape.nullable(),
    earlier: z.array(Episode),
  })
  .meta({ id: 'AlertHistory', description: 'The history of one episode of an alert.' });
export type AlertHistory = z.output<typeof AlertHistory>;

/** Facts about a watch or an alert that no longer exists. */
export const Gone = z
  .strictObject({
    since: Time.describe('The time of the last stored fact about it.'),
    history: z.array(TimelineEntry).describe('The newest first.'),
  })
  .meta({ id: 'Gone', description: 'A watch or alert that no longer exists; the state still has its history.' });
export type Gone = z.output<typeof Gone>;
