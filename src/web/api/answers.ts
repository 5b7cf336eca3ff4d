// What calls that change something answer. Answers of the others are those of queries.
import { z } from 'zod';
import { AckShape, Gone } from '../../query/shapes/alerts.ts';
import { Count, Time } from '../../query/shapes/common.ts';

export { AckShape };

export const Pause = z
  .strictObject({
    id: z.string(),
    watch: z.string().describe('A rule, or one of its watches.'),
    from: Time,
    until: Time,
    actor: z.string(),
    comment: z.string(),
  })
  .meta({ id: 'Pause', description: 'A watch, or a rule, that is not polled.' });

const Labels = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

export const Silence = z
  .strictObject({
    id: z.string(),
    matchers: Labels.describe('Patterns by label. A list means any of them; a leading `!` negates the whole.'),
    from: Time,
    until: Time,
    until_resolved: z.boolean().describe('It ends sooner where nothing that matches fires any more.'),
    actor: z.string(),
    comment: z.string(),
    version: Count.describe('Rises when it is extended or ended.'),
  })
  .meta({ id: 'Silence', description: 'Alerts of which nobody is told.' });

export const Delivery = z
  .strictObject({
    id: z.string(),
    channel: z.string(),
    recipient: z.string(),
    state: z.enum(['owed', 'dismissed']),
  })
  .meta({ id: 'ChangedDelivery', description: 'A delivery that had been given up.' });

export const Channel = z
  .strictObject({ channel: z.string(), deliveries: Count.describe('How many are tried now.') })
  .meta({ id: 'ChangedChannel', description: 'A channel whose messages are tried now.' });

export const Sample = z
  .strictObject({
    channel: z.string(),
    tries: z.array(
      z.strictObject({
        recipient: z.string(),
        outcome: z.enum(['sent', 'again', 'rejected', 'unknown']),
        answer: z.string().describe('What the server answered, or why there was no answer.'),
      }),
    ),
  })
  .meta({ id: 'Sample', description: 'How a sample was received, by recipient. It is not tried again.' });

export const ProblemBody = z
  .strictObject({
    type: z.string().describe('`/about#stale-seq`: what kind of problem it is.'),
    title: z.string(),
    status: z.int(),
    detail: z.string().describe('What to do.'),
    instance: z.string().optional().describe('Under which the log has the details.'),
    problems: z
      .array(z.strictObject({ pointer: z.string().describe('A JSON pointer.'), detail: z.string() }))
      .optional()
      .describe('Each mistake in the request.'),
    since: Gone.shape.since.optional().describe('Of what is gone: the newest that is known of it.'),
    history: Gone.shape.history.optional().describe('Of what is gone: what is still known of it.'),
  })
  .meta({ id: 'Problem', description: 'What is wrong, as RFC 9457 has it.' });
