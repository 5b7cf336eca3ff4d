// Why an alert fires or does not.
import { z } from 'zod';
import { HEALTHS } from '../../core/model/health.ts';
import { Count, Time } from '../../core/values/answer-shapes.ts';
import { CountNow, RecipientStatus, SeverityShape, Text, TruthShape } from './common.ts';

export const ReadValue = z
  .strictObject({
    name: z.string().describe('A field, or a window such as `change("1h")`.'),
    value: Text.nullable(),
    before: Text.nullable().describe('Where the last known value before was another one.'),
    why: z.string().nullable().describe('Why it is not known.'),
  })
  .meta({ id: 'Read', description: 'A value that a condition reads.' });
export type ReadValue = z.output<typeof ReadValue>;

/** A condition, or a part of one. Its `parts` are of the same shape. */
export const ConditionPart = z
  .strictObject({
    text: z.string().describe('As the rule has it.'),
    truth: TruthShape.nullable().describe('Null: nothing was read yet that it could be judged on.'),
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
    reasons: z.array(z.string()).describe('Why it is unknown, as far as that is not said beside what it reads.'),
  })
  .meta({ id: 'ConditionExplanation' });
export type ConditionExplanation = z.output<typeof ConditionExplanation>;

export const AlertStateExplanation = z
  .strictObject({
    state: z.enum(['inactive', 'pending', 'firing', 'recovering', 'event']),
    since: Time.nullable(),
    words: z.string(),
    held_back: z.array(z.string()).describe('What has to be over before it fires, or is told.'),
    remarks: z.array(z.string()),
  })
  .meta({ id: 'AlertStateExplanation' });

export const AlertExplanation = z
  .strictObject({
    alert: z.string(),
    type: z.enum(['event', 'condition', 'count']),
    severity: SeverityShape,
    source: z.string().describe('`rules/treasury.yaml:21`'),
    on: z.string().nullable().describe('Of which events, where it is no condition over values.'),
    item: Text.nullable().describe('The item that the conditions of an event were last judged on.'),
    states: z.array(AlertStateExplanation).describe('One for each group of a count, else one. Empty: not known.'),
    more_groups: Count,
    conditions: z.array(ConditionExplanation),
    needs: z.array(z.string()).describe('All of these have to come true for a change.'),
    aim: z.enum(['to fire', 'to end', 'to match']).nullable().describe('What the needs lead to.'),
    counts: z.array(CountNow).describe('Of an alert that counts: one for each group, as of the last poll.'),
    held_back: z.array(z.string()).describe('Why nothing can be decided.'),
    operators: z.array(z.string()).describe('Silences and acknowledgements, in words.'),
    health: z.enum(HEALTHS),
    health_since: Time.nullable(),
    labels: z.record(z.string(), z.string()),
    recipients: z.array(RecipientStatus).describe('Of what of it is open.'),
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
  .meta({ id: 'AlertExplanation', description: 'Why an alert fires or not.' });
export type AlertExplanation = z.output<typeof AlertExplanation>;
