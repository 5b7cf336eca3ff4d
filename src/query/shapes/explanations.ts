// The explanation of an alert: the reasons why it fires or does not.
import { z } from 'zod';
import { HEALTHS } from '../../core/model/health.ts';
import { Count, Time } from '../../core/values/answer-shapes.ts';
import { CountNow, RecipientStatus, SeverityShape, Text, TruthShape } from './common.ts';

export const ReadValue = z
  .strictObject({
    name: z.string().describe('A field, or a window such as `change("1h")`.'),
    value: Text.nullable(),
    before: Text.nullable().describe('The last known value before, if it was another one; else null.'),
    why: z.string().nullable().describe('The reason why the value is not known; null if it is known.'),
  })
  .meta({ id: 'Read', description: 'A value that a condition reads.' });
export type ReadValue = z.output<typeof ReadValue>;

/** A condition, or a part of one. Its `parts` are of the same shape. */
export const ConditionPart = z
  .strictObject({
    text: z.string().describe('The text in the rule.'),
    truth: TruthShape.nullable().describe('Null: nothing was read yet, so it could not be judged.'),
    reads: z.array(ReadValue),
    get parts() {
      return z.array(ConditionPart);
    },
  })
  .meta({ id: 'Part', description: 'A condition, or a part of one.' });
export type ConditionPart = z.output<typeof ConditionPart>;

export const ConditionExplanation = z
  .strictObject({
    name: z.enum(['while', 'until', 'if']),
    part: ConditionPart,
    reasons: z.array(z.string()).describe('The reasons why it is unknown, without the reasons in its `reads`.'),
  })
  .meta({ id: 'ConditionExplanation' });
export type ConditionExplanation = z.output<typeof ConditionExplanation>;

export const AlertStateExplanation = z
  .strictObject({
    state: z.enum(['inactive', 'pending', 'firing', 'recovering', 'event']),
    since: Time.nullable(),
    words: z.string(),
    held_back: z
      .array(z.string())
      .describe('The reasons why it does not fire yet, or why its messages are not sent yet.'),
    remarks: z.array(z.string()),
  })
  .meta({ id: 'AlertStateExplanation' });

export const AlertExplanation = z
  .strictObject({
    alert: z.string(),
    type: z.enum(['event', 'condition', 'count']),
    severity: SeverityShape,
    source: z.string().describe('`rules/treasury.yaml:21`'),
    on: z.string().nullable().describe('The events that the alert is about; null for a condition over values.'),
    item: Text.nullable().describe('The item that the conditions of an event were last judged on.'),
    states: z.array(AlertStateExplanation).describe('One for each group of a count, else one. Empty: not known.'),
    more_groups: Count,
    conditions: z.array(ConditionExplanation),
    needs: z.array(z.string()).describe('Sentences that all have to become true for a change.'),
    aim: z
      .enum(['to fire', 'to end', 'to match'])
      .nullable()
      .describe('The change that follows when all `needs` are true.'),
    counts: z
      .array(CountNow)
      .describe('The counts of an alert that counts items: one for each group, as of the last poll.'),
    held_back: z.array(z.string()).describe('The reasons why nothing can be decided.'),
    operators: z.array(z.string()).describe('Silences and acknowledgements, in words.'),
    health: z.enum(HEALTHS),
    health_since: Time.nullable(),
    labels: z.record(z.string(), z.string()),
    recipients: z.array(RecipientStatus).describe('The recipients of its open alerts.'),
    messages: z.array(
      z.strictObject({
        type: z.string(),
        at: Time,
        channel: z.string(),
        recipient: z.string(),
        state: z.string(),
        answer: z.string().nullable(),
      }),
    ),
    would_notify: z.array(z.strictObject({ channel: z.string(), recipient: z.string() })),
  })
  .meta({ id: 'AlertExplanation', description: 'The reasons why an alert fires or does not.' });
export type AlertExplanation = z.output<typeof AlertExplanation>;
