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
    seq: Count.describe('The newest transition. To be sent back with an acknowledgement.'),
    watch: z.string().describe('The name of the watch.'),
    alert: z.string(),
    rule: z.string().describe('The id of its rule. Alerts with the same `rule` and `alert` can share a card.'),
    labels: LabelsShape,
    title: z
      .string()
      .describe(
        'What is so now, and with which value it fired: `treasury ETH 0.0487, below 3; fired at 2.748`. Where nobody can tell, what was read last, and how long ago. Of what is over: its last message.',
      ),
    severity: SeverityShape,
    state: z.enum(ALERT_STATES),
    is_open: z
      .boolean()
      .describe(
        'True for a condition that fires, and for an event that has to be acknowledged. False: an event that is only shown for a day.',
      ),
    alerts: Count.describe(
      'How many share this card of the overview: all events of a rule, or more than eight conditions. The others are of the newest event, or the most urgent condition. In lists 1.',
    ),
    since: Time.describe('When the oldest alert of the card began or happened.'),
    up_to: Time.describe('When the newest of them was decided. To be sent back to acknowledge them all.'),
    of: Subject.nullable(),
    measure: MeasureShape.nullable(),
    count: CountNow.nullable(),
    detail: Text.describe('For an event, what happened.'),
    runbook: z.string().nullable().describe('A page that says what to do.'),
    links: z.array(PageLink).describe('Of an event, and of what was counted: its transactions and blocks.'),
    line_has_limits: z.boolean().describe('Whether the limits of `measure` are of what `line` shows.'),
    line: z.array(Point).describe('The value over the last six hours, oldest first.'),
    firings: Count.describe('How often it fired within the hour while it was flapping; else 0.'),
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
    alerts: Count.describe('How many events of the rule share this row; 1 of a condition.'),
    watch: z.string(),
    alert: z.string(),
    title: z.string().describe('As of an `AlertCard`; of one that is pending, its condition.'),
    severity: SeverityShape,
    state: z.enum(['pending', ...ALERT_STATES]),
    why: z
      .enum(['pending', 'acknowledged', 'silenced', 'inhibited', 'info'])
      .describe('Why it is no card: it needs no attention now.'),
    since: Time,
    fires_at: Time.nullable().describe('When a pending alert fires if nothing changes.'),
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
    is_retracted: z.boolean().describe('The newest was taken back: it did not happen.'),
    count: Count.describe('Within the last twelve hours.'),
    notified: z.array(z.string()).describe('Channels that accepted one of them.'),
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
    is_retracted: z.boolean().describe('It was taken back: it did not happen.'),
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
    about: z.enum(ABOUT).nullable().describe('Of a try: which message it was.'),
    tries: Count.nullable().describe('Consecutive tries of the message with this answer.'),
    until: Time.nullable().describe('The last of them, or when what began then ends.'),
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
  .meta({ id: 'Episode', description: 'From the firing of an alert to its end.' });
export type Episode = z.output<typeof Episode>;

export const AlertHistory = z
  .strictObject({
    card: AlertCard,
    ended: Time.nullable().describe('When it resolved or was retracted; null while it is open.'),
    timeline: z.array(TimelineEntry),
    fields: z.array(FieldRow).describe('The values of its newest message.'),
    condition: AlertExplanation.nullable().describe('How its rule reads now; null: it is not in force any more.'),
    told: z.array(ToldMessage).describe('Each message about it, the oldest first; without those that others replaced.'),
    ack: AckShape.nullable(),
    earlier: z.array(Episode),
  })
  .meta({ id: 'AlertHistory', description: 'What happened in one episode of an alert.' });
export type AlertHistory = z.output<typeof AlertHistory>;

/** Facts about a watch or an alert that no longer exists. */
export const Gone = z
  .strictObject({
    since: Time.describe('The time of the last stored fact about it.'),
    history: z.array(TimelineEntry).describe('The newest first.'),
  })
  .meta({ id: 'Gone', description: 'It is no longer there; the state still knows of it.' });
export type Gone = z.output<typeof Gone>;
