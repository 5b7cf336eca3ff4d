// The first page: firing alerts, and whether the data can be trusted.
import { z } from 'zod';
import { AlertCard, AlertRow, EndedRow, EventRow } from './alerts.ts';
import { Count, Time } from '../../core/values/answer-shapes.ts';
import { SPEND_CLASSES } from '../../core/spending/spend.ts';
import { BAR_STATES, Bars } from './common.ts';

export const VERDICTS = ['critical', 'warning', 'blind', 'in-hand', 'starting', 'quiet'] as const;
export const PageVerdict = z
  .enum(VERDICTS)
  .meta({ id: 'Verdict', description: 'The overall state: it says whether somebody has to act now.' });
export type PageVerdict = z.output<typeof PageVerdict>;

export const HeadAge = z
  .strictObject({
    explorer: z.string(),
    height: z.string().nullable(),
    at: Time.nullable().describe('The time of its newest block.'),
    age_ms: Count.nullable(),
    state: z
      .enum(['fresh', 'stalled', 'overdue', 'blind', 'unread', 'unknown'])
      .describe(
        '`stalled`: no new block. `overdue`: not read for three intervals. `blind`: a watch of the explorer is. `unread`: no watch reads it. `unknown`: it was not read yet.',
      ),
    since: Time.nullable().describe(
      'The time since which it is not fresh; for `unread`, the time of the last answer of the explorer.',
    ),
  })
  .meta({ id: 'HeadAge', description: 'The age of the newest block that an explorer shows.' });
export type HeadAge = z.output<typeof HeadAge>;

export const BlindCauseShape = z
  .strictObject({
    cause: z.string().describe('`timeout`, `stale`, `blind-field`, `damaged-memory` and so on.'),
    explorer: z.string(),
    since: Time.describe('The time since which the first of these watches has been blind.'),
    watches: Count,
    rules: Count,
    names: z.array(z.string()).describe('The names of the first ten watches.'),
    fields: z
      .array(z.string())
      .describe('The fields that the explorer does not send any more; only for `blind-field`.'),
  })
  .meta({ id: 'BlindCause', description: 'Watches of one explorer that are blind for one reason.' });
export type BlindCauseShape = z.output<typeof BlindCauseShape>;

export const ChannelDebt = z
  .strictObject({
    channel: z.string(),
    rows: Count,
    since: Time.describe('The time at which the oldest message was decided.'),
    tried_often: Count.describe('The number of messages that may be given up after one more failed try.'),
    last_try: Time.nullable(),
    last_answer: z.string().nullable(),
  })
  .meta({ id: 'ChannelDebt', description: 'Messages that are owed on one channel.' });
export type ChannelDebt = z.output<typeof ChannelDebt>;

export const Forecast = z
  .strictObject({
    explorers: z.array(z.string()).describe('The explorers that share the plan.'),
    remaining: z
      .number()
      .nullable()
      .describe(
        'The credits that the server reported last, less the credits spent since. Below zero: overdrawn. Null: not known yet.',
      ),
    is_counted: z
      .boolean()
      .describe('True if the server never reported its credits, so that only own requests are counted.'),
    plan: z.number().describe('The credits of one period.'),
    per: z.enum(['day', 'month']),
    is_assumed: z.boolean().describe('True if the config names no credits, so that `plan` is assumed.'),
    from: Time.describe('The time at which the period began, or at which the daemon began to count within it.'),
    resets_at: Time.describe('The time at which the credits are refilled.'),
    curve: z
      .array(z.strictObject({ at: Time, remaining: z.number() }))
      .describe('The credits left over time since the period began, the oldest first: at most 96 points.'),
    wanted_per_day: z.number().describe('The price of all requests in a day as the rules are written.'),
    wanted_share: z
      .number()
      .nullable()
      .describe('The same as a part of what the plan leaves without its reserve: 2.5 is 250 %.'),
    planned_per_day: z
      .number()
      .describe('The price of all requests in a day at the intervals in force, with second pages and retries.'),
    at_reset: z
      .number()
      .nullable()
      .describe(
        'The credits that will be left at the reset, after the planned requests and the spending that is expected of other programs.',
      ),
    runs_out_at: Time.nullable().describe('Null: they last, or it is not known.'),
    reserve: z.number().describe('Warning and info leave it to critical watches and to other programs.'),
    spent: z
      .record(z.enum(SPEND_CLASSES), z.number())
      .describe(
        'The credits spent in this period. `pages`: second pages and readings. `sweep`: known rows, read again. `probe`: whether the explorer answers, and which chain it shows. `enrich`: details of events.',
      ),
    foreign: z.number().describe('The credits that other programs spent in this period.'),
    stretch: z
      .strictObject({ critical: z.number(), warning: z.number(), info: z.number() })
      .describe('The factor by which intervals are longer than written, by severity.'),
    intervals: z.string().describe('The same in words: `warning ×2.1, info ×4.4`. Empty: as they are written.'),
  })
  .meta({ id: 'Forecast', description: 'The credits of a plan, and whether they last until its next period.' });
export type Forecast = z.output<typeof Forecast>;

export const ClusterShape = z
  .strictObject({
    replicas: z
      .array(z.strictObject({ name: z.string(), is_self: z.boolean(), config: z.string() }))
      .describe('The replicas that are alive.'),
    shards: z
      .array(z.strictObject({ shard: z.string(), replica: z.string().nullable() }))
      .describe('The shards that the replicas share; null: no replica works on the shard.'),
    config_in_force: z
      .string()
      .nullable()
      .describe('The config of most replicas. A replica with another config claims no shard.'),
  })
  .meta({ id: 'Cluster', description: 'The replicas that share the state, and the shards on which each works.' });
export type ClusterShape = z.output<typeof ClusterShape>;

export const Trust = z
  .strictObject({
    heads: z.array(HeadAge).describe('The oldest first.'),
    blind: z.array(BlindCauseShape).describe('The causes of blindness, the one that has lasted longest first.'),
    overdue: z
      .array(BlindCauseShape)
      .describe(
        'Watches that missed a due time and are not blind yet. `since` is the time since which no answer could be used.',
      ),
    watches: Count,
    oldest: z
      .strictObject({ watch: z.string(), at: Time, age_ms: Count, interval_ms: Count })
      .nullable()
      .describe('The answer that is oldest against the interval of its watch.'),
    unhealthy: Count.nullable().describe(
      'Alerts of rules that are always true, or unknown for too long though no watch of theirs is blind.',
    ),
    not_judged: Count.describe('Items of the last hour for which a poll had not enough steps.'),
    owed: z.array(ChannelDebt),
    given_up: Count.describe('Messages given up in seven days that nobody dismissed.'),
    credits: z.array(Forecast.nullable()).describe('The credits by plan; null: not known.'),
    troubles: z
      .array(z.string())
      .describe('The reasons why explorers are not asked, or why their answers are not used.'),
    storage: z.enum(['works', 'fails', 'full']).nullable(),
    rejected: z
      .strictObject({ since: Time, place: z.string().nullable(), why: z.string() })
      .nullable()
      .describe('The reason why the files on the disk are not in force; null: they are in force.'),
    cluster: ClusterShape.nullable().describe('Null: one process has the state for itself.'),
  })
  .meta({ id: 'Trust', description: 'The facts on which the verdict is based.' });
export type Trust = z.output<typeof Trust>;

/** The part of the overview that every page shows. */
export interface OverviewSummary {
  readonly verdict: PageVerdict;
  /** Alerts that need attention. */
  readonly unhandled: number;
  readonly given_up: number;
}

export const Overview = z
  .strictObject({
    verdict: PageVerdict,
    headline: z.string(),
    detail: z.string(),
    waiting_since: Time.nullable().describe(
      'The time since which the oldest alert waits that nobody has acknowledged.',
    ),
    cards: z.array(AlertCard).describe('Critical first, then what fires, then events; at most eight.'),
    more: z
      .strictObject({ alerts: Count, rules: Count })
      .describe('The number of alerts and rules that have no card because of that limit.'),
    unhandled: Count,
    trust: Trust,
    handled: z.array(AlertRow),
    more_handled: Count,
    recent: z.array(EndedRow).describe('Alerts that ended within the last 24 hours, the last one first; at most five.'),
    events: z.array(EventRow).describe('Events of the last twelve hours.'),
    bars: z
      .array(z.strictObject({ watch: z.string(), state: z.enum(BAR_STATES), since: Time, bars: Bars }))
      .describe('The last 24 hours of watches with something to show; the watch in the worst state now is first.'),
    more_bars: Count.describe('Watches with something to show that have no row.'),
    of_watches: Count.describe('Watches with the labels that were asked for; all watches where none were.'),
    calls_nobody: z
      .boolean()
      .describe('True if every channel is of the type `log`, so that no message reaches people elsewhere.'),
    as_of: Time,
  })
  .meta({ id: 'Overview', description: 'The alerts that fire, and whether the data can be trusted.' });
export type Overview = z.output<typeof Overview>;

export function summaryOf({ verdict, unhandled, trust }: Overview): OverviewSummary {
  return { verdict, unhandled, given_up: trust.given_up };
}
