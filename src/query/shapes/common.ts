// Parts that the results of queries share. These zod shapes are the types of the results, and the API document is made
// of them (`z.toJSONSchema(shape, { io: 'input' })`). Keys are snake_case, as in webhook bodies. Null means: unknown.
//
// Text from the chain is a `ChainText`. In a result it is an `Untrusted`, which no renderer can print by mistake; in
// JSON it is a plain string, since an `Untrusted` is one. A sentence that may contain such text is a list of segments,
// `Text`, also in JSON: a client sees which parts are untrusted. A plain `z.string()` contains words of this program,
// names of the config, text of operators, or an answer of a server, made one line; HTML still has to escape it.
import { z } from 'zod';
import { SEVERITIES } from '../../core/model/ids.ts';
import { Count, Time } from '../../core/values/answer-shapes.ts';
import { untrusted } from '../../lib/untrusted.ts';

/** Pages use the same words for causes as messages. */
export { causeWords, sinceWords } from '../../core/model/quality/blind-cause.ts';

export const AmountShape = z
  .string()
  .regex(/^-?\d+(?:\.\d+)?$/)
  .meta({ id: 'Amount', description: 'An exact number as plain decimal text, such as `940264.594685`.' });
export type AmountShape = z.output<typeof AmountShape>;

export const ChainText = z.string().transform(untrusted).meta({
  id: 'ChainText',
  description: 'Text that strangers wrote on the chain, as it came. Never trust or render it as it is.',
});

export const Text = z
  .array(z.union([z.strictObject({ text: z.string() }), z.strictObject({ untrusted: ChainText })]))
  .meta({ id: 'Text', description: 'A sentence in parts. `untrusted` parts were written by strangers on the chain.' });
export type Text = z.output<typeof Text>;

export const SeverityShape = z.enum(SEVERITIES).meta({ id: 'Severity' });
export type SeverityShape = z.output<typeof SeverityShape>;

export const TruthShape = z.union([z.boolean(), z.literal('unknown')]).meta({ id: 'Truth' });
export type TruthShape = z.output<typeof TruthShape>;

/** One page of a list: `next` is to be sent as `after` for the following one; null at the end. */
export function list<T extends z.ZodType>(items: T) {
  return z.strictObject({ items: z.array(items), next: z.string().nullable() });
}
export interface List<T> {
  items: T[];
  next: string | null;
}

export const Subject = z
  .strictObject({
    name: z.string().nullable().describe('The name in the config.'),
    address: z.string().describe('Upper and lower case are its checksum.'),
    explorer: z.string().describe('The name in the config.'),
    page_url: z.url().nullable().describe('Its page at the explorer.'),
  })
  .meta({ id: 'Subject', description: 'An address that is watched.' });
export type Subject = z.output<typeof Subject>;

export const MeasureShape = z
  .strictObject({
    field: z.string().describe('The measured field or window: `balance`, `change("1h")`.'),
    value: AmountShape.nullable(),
    unit: z.string().describe('`USDC`, `%`, `s`; empty where there is none.'),
    limit: AmountShape.nullable().describe('The constant of the comparison that decides the alert.'),
    distance: AmountShape.nullable().describe('The difference between value and limit, never below zero.'),
    side: z
      .enum(['below', 'above'])
      .nullable()
      .describe('The side of the limit on which the value is. Null at the limit.'),
    fires: z.enum(['below', 'above']).nullable().describe('The side of the limit on which the alert fires.'),
    clears_at: AmountShape.nullable().describe('The limit at which the alert ends.'),
    at: Time.nullable().describe('The time at which the value was read.'),
    is_stale: z.boolean().describe('True if the value is old: the present value is not known.'),
  })
  .meta({ id: 'Measure', description: 'A measured value against its limit.' });
export type MeasureShape = z.output<typeof MeasureShape>;

export const RecipientStatus = z
  .strictObject({
    channel: z.string(),
    recipient: z.string(),
    state: z.enum(['accepted', 'owed', 'given-up', 'held']),
    accepted_at: Time.nullable(),
    tries: Count,
    next_try: Time.nullable(),
    answer: z.string().nullable().describe('The last answer of the server, in one line.'),
  })
  .meta({ id: 'RecipientStatus', description: 'The state of the message to one recipient.' });
export type RecipientStatus = z.output<typeof RecipientStatus>;

/** The kinds of messages about an alert. */
export const ABOUT = [
  'firing',
  'event',
  'repeat',
  'summary',
  'corrected',
  'reinstated',
  'retracted',
  'resolved',
] as const;
export type MessageAbout = (typeof ABOUT)[number];

export const ToldMessage = z
  .strictObject({ about: z.enum(ABOUT), decided_at: Time, ...RecipientStatus.shape })
  .meta({ id: 'ToldMessage', description: 'One message about an alert, and its state.' });
export type ToldMessage = z.output<typeof ToldMessage>;

export const CountNow = z
  .strictObject({
    count: Count,
    is_least: z.boolean().describe('True if there may be more: the count stops at a maximum.'),
    limit: Count.nullable().describe(
      'The count at which the alert fires; null: it depends on a sum, on a part, or on the absence of items.',
    ),
    of: z.string().describe('The sort of the items: `failed vault calls`.'),
    window_ms: Count.nullable().describe('Null: it counts items in a row, however long they take.'),
    newest: Text,
    items: z
      .array(z.strictObject({ at: Time, place: z.string(), page_url: z.string().nullable() }))
      .describe('At most five, the newest first.'),
  })
  .describe('The count of an alert that counts items: the number, the window, and the newest items.');
export type CountNow = z.output<typeof CountNow>;

export const LabelsShape = z.record(z.string(), z.string()).describe('The labels that routes and silences match.');

export const SourcePlace = z
  .strictObject({
    file: z.string().describe('The name in the config.'),
    line: Count,
    url: z.string().nullable().describe('The URL of the line, made by `http.source_url` of the config.'),
  })
  .meta({ id: 'SourcePlace', description: 'The place of a rule in its file.' });
export type SourcePlace = z.output<typeof SourcePlace>;

export const PageLink = z
  .strictObject({ label: z.string().describe('`Transaction`, `Block`.'), url: z.string() })
  .meta({ id: 'PageLink', description: 'A page of an explorer.' });
export type PageLink = z.output<typeof PageLink>;

export const FieldRow = z
  .strictObject({
    name: z.string().describe('`transaction_hash`, `token.symbol`.'),
    value: Text,
    page_url: z.string().nullable().describe('The page of the explorer about it.'),
  })
  .meta({ id: 'Field', description: 'A value that a message carries, in full.' });
export type FieldRow = z.output<typeof FieldRow>;

export const Point = z.tuple([Time, AmountShape]);
export type Point = z.output<typeof Point>;

export const BAR_STATES = ['critical', 'warning', 'unknown', 'quiet'] as const;
export const BARS = 48;

export const Bars = z
  .strictObject({
    from: Time.describe('The time at which the first half hour begins.'),
    states: z.array(z.enum(BAR_STATES)).length(BARS).describe('The worst state of each half hour, oldest first.'),
    notified: z
      .array(
        z
          .int()
          .min(0)
          .max(BARS - 1),
      )
      .describe('Indexes of the half hours in which somebody was notified.'),
  })
  .meta({ id: 'Bars', description: 'The last 24 hours in half hours.' });
export type Bars = z.output<typeof Bars>;
