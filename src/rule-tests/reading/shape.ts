// The schema of a test file. The fields of a row of `saw` depend on the kind and are checked elsewhere.
import { z } from 'zod';
import { duration, integer, oneOrMore, text } from '../../config/values/scalars.ts';
import { MESSAGE_TYPES, stateWord } from '../../core/model/delivery.ts';
import { MISS_REASONS } from '../../core/model/observation.ts';
import { SEVERITIES } from '../../core/model/ids.ts';

const HALF_YEAR_MS = 183 * 86_400_000;
const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?(?:Z|[+-]\d\d:\d\d)$/;

const at = () => duration(0, HALF_YEAR_MS, 'time since the start, such as 1m30s');

export const TestFileShape = z.strictObject({
  rules: oneOrMore('the rule file that is tested; relative paths start at this file'),
  config: text(
    'the config that gives addresses, tokens and channels their names; without it they are made up',
  ).optional(),
  tests: z
    .array(z.unknown())
    .min(1, 'names no test')
    .meta({ description: 'each runs on its own, from an empty memory' }),
});

export const TestShape = z.strictObject({
  name: text('the behaviour that the test checks, in a sentence', 200),
  watch: text('the id of a watch, or id[label] for one of several instances', 200),
  start: z
    .string()
    .refine((written) => RFC3339.test(written) && !Number.isNaN(Date.parse(written)), {
      error: 'must be a time, such as 2026-01-01T00:00:00Z',
    })
    .transform((written) => Date.parse(written))
    .default(Date.parse('2026-01-01T00:00:00Z'))
    .meta({ description: 'time at which the clock starts; 2026-01-01T00:00:00Z when left out' }),
  baseline: z
    .literal('none')
    .optional()
    .meta({ description: 'none: the list was empty before the first row, which is news then' }),
  saw: z.array(z.unknown()).min(1, 'has no poll').meta({ description: 'the values that each poll read, in order' }),
  expect: z.array(z.unknown()).meta({ description: 'all messages, in order; no other message may be sent' }),
});

/** A test of a report, in place of a watch. */
export const ReportTestShape = TestShape.omit({ watch: true, baseline: true }).extend({
  report: text('the id of a report', 64),
  saw: z.array(z.unknown()).min(1, 'has no poll').meta({
    description: 'the values that polls of its watches read, in order; the fields of a watch are below its name',
  }),
});

export const ReportRowShape = z.looseObject({ at: at() });

export const AnswerShape = z.strictObject({
  path: text('path of the request, such as addresses/treasury/tokens; pages of one list follow each other'),
  status: integer(100, 599, 'HTTP status').default(200),
  body: z.unknown().optional().meta({ description: 'the JSON, or a text that holds it' }),
  file: text('a file that holds the body; relative paths start at this file').optional(),
});

/** Keys of every row, for any kind. */
export const RowShape = z.strictObject({
  at: at(),
  missed: z
    .enum(['error', ...MISS_REASONS])
    .optional()
    .meta({ description: 'the reason why no usable answer came' }),
  partial: text('the reason why not everything was read').optional(),
  head: z
    .strictObject({
      height: integer(0, 999_999_999_999_999, 'its number').default(0),
      age: duration(0, HALF_YEAR_MS, 'age of the block').prefault('0s'),
    })
    .optional()
    .meta({ description: 'the newest block of the chain; an old one makes everything else unknown' }),
  answers: z
    .array(AnswerShape)
    .min(1, 'the list is empty')
    .optional()
    .meta({ description: "the explorer's answers as recorded, instead of fields" }),
});

const line = (description: string) =>
  z
    .union([z.string(), z.strictObject({ contains: text('a part of it') })])
    .optional()
    .meta({ description });

const STATES = MESSAGE_TYPES.map(stateWord);

export const ExpectShape = z.strictObject({
  at: at(),
  alert: text('the id of an alert of the watch', 64),
  state: z.enum(STATES).meta({ description: 'event, firing, resolved' }),
  severity: z.enum(SEVERITIES).optional().meta({ description: 'the severity of the alert' }),
  title: line('the title as it is sent'),
  text: line('the text as it is sent'),
  fields: z.record(z.string(), z.unknown()).optional().meta({ description: 'values that the message carries' }),
  to: oneOrMore('the channels to which it is sent').optional(),
  group: z
    .record(z.string(), text('its value', 200))
    .optional()
    .meta({ description: 'the labels that alerts of one message share, as the routes say' }),
});

export type WrittenTest = z.output<typeof TestShape>;
export type WrittenReportTest = z.output<typeof ReportTestShape>;
export type WrittenRow = z.output<typeof RowShape>;
export type WrittenAnswer = z.output<typeof AnswerShape>;
