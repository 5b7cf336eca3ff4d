// Explorers with their cost, rules, and the daemon itself.
import { z } from 'zod';
import { HEALTHS } from '../../core/model/health.ts';
import { Count, Time } from '../../core/values/answer-shapes.ts';
import { list, SeverityShape, SourcePlace } from './common.ts';
import { ClusterShape, Forecast, HeadAge } from './overview.ts';

export const ExplorerRow = z
  .strictObject({
    name: z.string(),
    head: HeadAge.nullable(),
    answers: z
      .array(z.strictObject({ outcome: z.string(), count: Count }))
      .nullable()
      .describe('The number of answers in the last hour, by outcome.'),
    p99_ms: z.number().nullable(),
    rate: z.strictObject({ remaining: Count, limit: Count.nullable() }).nullable(),
    watches: Count,
    blind: Count,
    credits: Forecast.nullable(),
    paced: z
      .strictObject({ requests_per_second: z.number(), wanted_per_second: z.number(), intervals: z.string() })
      .nullable()
      .describe('The limit of requests that makes intervals longer; only where no plan is known.'),
    trouble: z.string().nullable().describe('The reason why it is not asked, or why its answers are not used.'),
    replica: z
      .string()
      .nullable()
      .describe('The other replica that asks it, and has the data of its head and credits.'),
  })
  .meta({ id: 'ExplorerRow', description: 'An explorer.' });
export type ExplorerRow = z.output<typeof ExplorerRow>;

export const CostRow = z
  .strictObject({
    explorer: z.string(),
    rule: z.string(),
    request: z.string(),
    interval_ms: Count,
    watches: Count,
    requests_per_day: z.number(),
    credits_per_day: z.number(),
    share: z.number().nullable().describe('The part of the credits of all rules of the explorer: 0.3 is 30 %.'),
    shared_with: z.array(z.string()),
    cheaper: z.strictObject({ interval_ms: Count, saves: z.number() }).nullable(),
  })
  .meta({
    id: 'CostRow',
    description: 'The cost of the requests of a rule in a day as it is written, without paused watches.',
  });
export type CostRow = z.output<typeof CostRow>;

export const ExplorerList = z
  .strictObject({ explorers: z.array(ExplorerRow), costs: z.array(CostRow) })
  .meta({ id: 'Explorers' });
export type ExplorerList = z.output<typeof ExplorerList>;

export const RuleRow = z
  .strictObject({
    rule: z.string(),
    alert: z.string(),
    severity: SeverityShape,
    health: z.enum(HEALTHS),
    is_healthy: z.boolean(),
    sentence: z.string(),
    source: SourcePlace,
    watches: Count,
    last_true: Time.nullable(),
    notifications_30d: Count,
  })
  .meta({ id: 'RuleRow', description: 'An alert as its rule defines it.' });
export type RuleRow = z.output<typeof RuleRow>;

/** A rule file that is in force. */
export interface RuleFileText {
  readonly file: string;
  readonly text: string;
}

export const FileProblem = z
  .strictObject({
    file: z.string(),
    line: Count,
    column: Count,
    path: z.string(),
    message: z.string(),
    hint: z.string().nullable(),
    frame: z.string().describe('The lines around it, with a caret under the place.'),
  })
  .meta({ id: 'FileProblem', description: 'A mistake in a file.' });
export type FileProblem = z.output<typeof FileProblem>;

export const RuleList = list(RuleRow)
  .extend({
    rejected: z.strictObject({ since: Time, why: z.string(), problems: z.array(FileProblem) }).nullable(),
    counts: z.strictObject({ all: Count, unhealthy: Count, fired: Count, rules: Count, files: Count }),
  })
  .meta({ id: 'RuleList' });
export type RuleList = z.output<typeof RuleList>;

export const About = z
  .strictObject({
    version: z.string(),
    started_at: Time.nullable(),
    up_ms: Count.nullable(),
    boot_id: z.string().nullable(),
    reloaded_at: Time.nullable(),
    storage: z.strictObject({
      engine: z.enum(['sqlite', 'postgresql']),
      state: z.string().nullable(),
      max_bytes: Count.nullable(),
    }),
    cluster: ClusterShape.nullable().describe('Null: one process has the state for itself.'),
    heartbeat: z.strictObject({ every_ms: Count, accepted_at: Time.nullable() }).nullable(),
    watches: Count,
    rules: Count,
    as_of: Time,
  })
  .meta({ id: 'About', description: 'The daemon.' });
export type About = z.output<typeof About>;
