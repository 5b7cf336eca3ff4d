// `routes` and `inhibit` of the config as schemas. The names of channels, labels and alerts are checked later.
import { z } from 'zod';
import { MuteWindowShape } from './mute-windows.ts';
import { boolean, duration, durationOrOff, NAME, oneOrMore, text } from '../values/scalars.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const channels = (description: string) => oneOrMore(description).optional();

/** One name or a list, which may be empty. */
const labelNames = () => {
  const label = text('a label', 64);
  return z.union([label.transform((one) => [one]), z.array(label)]);
};

/** Patterns by label: a text or a list of texts. */
export const MatcherShape = z.record(
  z.string().regex(NAME, 'a label has letters, digits and underscores, and starts with a letter or underscore'),
  oneOrMore('values of the label: * is any text, a list means any of them, a leading ! means none of them').superRefine(
    (patterns, context) => {
      const message = patternComplaint(patterns);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    },
  ),
);

/** The mistake in the patterns of one label; undefined if there is none. */
export function patternComplaint(patterns: readonly string[]): string | undefined {
  const negated = patterns.filter((pattern) => pattern.startsWith('!'));
  if (negated.includes('!')) return 'there is nothing after the !';
  if (negated.length > 0 && negated.length < patterns.length)
    return 'some values of the list have a leading ! and some have none: a list is negated as a whole';
  return undefined;
}

const EscalationShape = z.strictObject({
  after: duration(MINUTE_MS, 30 * DAY_MS, 'time since the first message of the alert'),
  notify: oneOrMore('channels that are notified then'),
});

/** One entry of `routes`. */
export const RouteShape = z.strictObject({
  match: MatcherShape.default({}).meta({ description: 'labels of the alerts that are meant; all alerts without it' }),
  notify: channels('channels that are notified, where the rule names none'),
  add: channels('channels that are notified too'),
  group_by: labelNames().optional().meta({ description: 'alerts with the same values of these labels share messages' }),
  group_wait: duration(0, HOUR_MS, 'time that the first news of a quiet group waits for more').optional(),
  group_interval: duration(0, DAY_MS, 'least time between two messages of a group').optional(),
  repeat: durationOrOff(
    MINUTE_MS,
    30 * DAY_MS,
    'interval of repeated messages about an alert that stays open',
  ).optional(),
  require_ack: boolean('events stay open, and are repeated, until they are acknowledged').optional(),
  escalate: z
    .array(EscalationShape)
    .min(1, 'the list is empty')
    .optional()
    .meta({ description: 'channels that are notified too if nobody acknowledges the alert in time' }),
  failover: channels('channels that are notified of a critical alert that no other channel accepted within 5 minutes'),
  mute: z
    .array(MuteWindowShape)
    .min(1, 'the list is empty')
    .optional()
    .meta({ description: 'times at which no alert is sent; ends of alerts that were sent are sent' }),
});

export type WrittenRoute = z.output<typeof RouteShape>;

/** One entry of `inhibit`. */
export const InhibitShape = z.strictObject({
  when: MatcherShape.refine((match) => Object.keys(match).length > 0, 'names no label').meta({
    description: 'labels of the alerts that mute others while they are open',
  }),
  mute: MatcherShape.meta({
    description: 'labels of the alerts that are muted',
    examples: [{ severity: '!critical' }],
  }),
  equal: labelNames().default([]).meta({ description: 'labels that both alerts have with the same value' }),
  events: z
    .enum(['summary', 'drop'])
    .default('summary')
    .meta({ description: 'muted events are sent in one summary afterwards, or dropped' }),
});
