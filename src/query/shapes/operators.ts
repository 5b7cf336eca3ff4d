// Deliveries and silences.
import { z } from 'zod';
import type { AckShape } from '../../operators/shapes.ts';
import { ChannelDebt } from './overview.ts';
import { Count, Time } from '../../core/values/answer-shapes.ts';
import { list, RecipientStatus, SeverityShape, type MeasureShape, type Subject } from './common.ts';

export const DeliveryRow = z
  .strictObject({
    id: z.string(),
    kind: z.string().describe('`news`, `repeat`, `overflow_summary`, `silence_summary` or `inhibition_summary`.'),
    state: z.enum(['given-up', 'owed', 'sent', 'merged', 'cancelled']),
    decided_at: Time,
    title: z.string(),
    severity: SeverityShape,
    watch: z.string(),
    alert: z.string().nullable(),
    key: z.string().nullable(),
    episode: Count.nullable(),
    transition: z.string(),
    members: Count.describe('The number of transitions in the message.'),
    recipient: RecipientStatus,
    is_dismissed: z.boolean(),
  })
  .meta({ id: 'DeliveryRow', description: 'One message to one recipient.' });
export type DeliveryRow = z.output<typeof DeliveryRow>;

export const DeliveryDetail = DeliveryRow.extend({
  ended_at: Time.nullable(),
  outcome: z.enum(['sent', 'again', 'rejected', 'unknown']).nullable().describe('The outcome of the last try.'),
  messages: z
    .array(
      z.strictObject({
        title: z.string(),
        transition: z.string(),
        watch: z.string(),
        alert: z.string(),
        severity: SeverityShape,
        rule: z.string().describe('`rules/treasury.yaml:21`'),
      }),
    )
    .describe('The first fifty of its messages about single alerts.'),
  more: z
    .array(z.strictObject({ watch: z.string(), alert: z.string(), count: Count }))
    .describe('The number of the other messages, by watch and alert.'),
}).meta({ id: 'DeliveryDetail', description: 'One message to one recipient, with its content.' });
export type DeliveryDetail = z.output<typeof DeliveryDetail>;

export const DeliveryList = list(DeliveryRow)
  .extend({
    counts: z.strictObject({ problems: Count, given_up: Count, owed: Count, sent: Count }),
    failing: z.array(ChannelDebt).describe('Channels that did not accept their last message.'),
  })
  .meta({ id: 'DeliveryList' });
export type DeliveryList = z.output<typeof DeliveryList>;

const Matchers = z
  .record(z.string(), z.union([z.string(), z.array(z.string())]))
  .describe(
    'Patterns by label. `*` stands for any text, a list means any of its patterns, a leading `!` negates the whole.',
  );

export const SilenceRow = z
  .strictObject({
    id: z.string(),
    kind: z.enum(['silence', 'pause']),
    state: z.enum(['active', 'scheduled', 'ended']),
    matchers: Matchers,
    from: Time,
    until: Time,
    until_resolved: z.boolean(),
    actor: z.string(),
    comment: z.string(),
    held: Count.nullable().describe('The number of notifications that it has held back.'),
  })
  .meta({ id: 'SilenceRow', description: 'A silence, or a pause.' });
export type SilenceRow = z.output<typeof SilenceRow>;

export const SilenceLists = z
  .strictObject({ active: z.array(SilenceRow), ended: z.array(SilenceRow) })
  .meta({ id: 'SilenceLists' });
export type SilenceLists = z.output<typeof SilenceLists>;

export const SilencePreview = z
  .strictObject({
    alerts: z
      .array(
        z.strictObject({
          watch: z.string().describe('The id of the rule.'),
          alert: z.string(),
          severity: SeverityShape,
          watches: Count.describe('The number of watches of the rule that it would silence.'),
          open: Count.describe('The number of these alerts that are open now.'),
          notifications_24h: Count,
          to: z.array(z.string()).describe('The channels of these alerts.'),
        }),
      )
      .describe('Open alerts first, then the alerts with the most notifications; at most a hundred.'),
    left_out: Count.describe('The number of alerts that are not listed.'),
    all: Count.describe('The number of alerts, counted for each watch.'),
    rules: Count,
    of_rules: Count.describe('The number of all rules.'),
    watches: Count,
    share: z.number().describe('The part of all watches: 0.01 is 1 %.'),
    open: Count.describe('The number of alerts that are open now.'),
    notifications_24h: Count.describe('The number of notifications of the last 24 hours that it would have held back.'),
    critical_24h: Count.describe('The number of critical notifications among them.'),
    recipients_24h: Count.describe('The number of recipients of these notifications.'),
    needs_confirm: z.boolean().describe('True if it matches more than half of the rules.'),
  })
  .meta({ id: 'SilencePreview', description: 'The alerts and notifications that a silence would hold back.' });
export type SilencePreview = z.output<typeof SilencePreview>;

/** The data of the page behind a link in a message. No call of the API returns it. */
export interface LinkedMessage {
  readonly channel: string;
  readonly recipient: string;
  readonly alerts: readonly LinkedAlert[];
}

export interface LinkedAlert {
  readonly key: string;
  readonly episode: number;
  /** The number of its newest transition; null: the alert is over. */
  readonly seq: number | null;
  readonly title: string;
  readonly severity: SeverityShape;
  readonly since: string;
  /** True for an event: it happened at `since` and does not last. */
  readonly is_event: boolean;
  readonly watch: string;
  readonly alert: string;
  readonly runbook: string | null;
  readonly of: Subject | null;
  /** The present value; null if the alert is over. */
  readonly measure: MeasureShape | null;
  readonly ack: AckShape | null;
}
