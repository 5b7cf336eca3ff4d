// The first page: firing alerts, and whether the data can be trusted.
import { z } from 'zod';
import { AlertCard, AlertRow, EndedRow, EventRow } from './alerts.ts';
import { Count, Time } from '../../core/values/answer-shapes.ts';
import { SPEND_CLASSES } from '../../core/spending/spend.ts';
import { BAR_STATES, Bars } from './common.ts';

export const VERDICTS = ['critical', 'warning', 'blind', 'in-hand', 'starting', 'quiet'] as const;
export const PageVerdict = z.enum(VERDICTS).meta({ id: 'Verdict', description: 'Whether somebody has to get up.' });
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
    since: Time.nullable().describe('Since when it is not fresh; of `unread`, when the explorer last answered.'),
  })
  .meta({ id: 'HeadAge', description: 'How fresh the chain is that an explorer shows.' });
export type HeadAge = z.output<typeof HeadAge>;

export const BlindCauseShape = z
  .strictObject({
    cause: z.string().describe('`timeout`, `stale`, `blind-field`, `damaged-memory` and so on.'),
    explorer: z.string(),
    since: Time.describe('Of the watch that has been blind for longest.'),
    watches: Count,
    rules: Count,
    names: z.array(z.string()).describe('The first ten of them.'),
    fields: z.array(z.string()).describe('Of `blind-field`: those that the explorer sends no more.'),
  })
  .meta({ id: 'BlindCause', description: 'Watches of one explorer that are blind for one reason.' });
export type BlindCauseShape = z.output<typeof BlindCauseShape>;

export const ChannelDebt = z
  .strictObject({
    channel: z.string(),
    rows: Count,
    since: Time.describe('When the oldest was decided.'),
    tried_often: Count.describe('Of them: those that one more failed try may give up.'),
    last_try: Time.nullable(),
    last_answer: z.string().nullable(),
  })
  .meta({ id: 'ChannelDebt', description: 'Messages that are owed on one channel.' });
export type ChannelDebt = z.output<typeof ChannelDebt>;

export const Forecast = z
  .strictObject({
    explorers: z.array(z.string()).describe('Those that share the plan.'),
    remaining: z
      .number()
      .nullable()
      .describe('What the server said last, less what was asked since. Below zero: overdrawn. Null: not known yet.'),
    is_counted: z.boolean().describe('The server never said it: only own requests are counted.'),
    plan: z.number().describe('Credits of one period.'),
    per: z.enum(['day', 'month']),
    is_assumed: z.boolean().describe('The config names no credits.'),
    from: Time.describe('When the period began, or the daemon in it.'),
    resets_at: Time.describe('When the next credits come.'),
    curve: z
      .array(z.strictObject({ at: Time, remaining: z.number() }))
      .describe('Credits that were left since the period began, the oldest first: at most 96.'),
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
      .describe('What is left at the reset: without what is planned, and without what others are expected to spend.'),
    runs_out_at: Time.nullable().describe('Null: they last, or it is not known.'),
    reserve: z.number().describe('Warning and info leave it to critical watches and to other programs.'),
    spent: z
      .record(z.enum(SPEND_CLASSES), z.number())
      .describe(
        'In this period. `pages`: second pages and readings. `sweep`: known rows, read again. `probe`: whether the explorer answers, and which chain it shows.',
      ),
    foreign: z.number().describe('Spent by other programs in this period.'),
    stretch: z
      .strictObject({ critical: z.number(), warning: z.number(), info: z.number() })
      .describe('How many times as long intervals are.'),
    intervals: z.string().describe('The same in words: `warning ×2.1, info ×4.4`. Empty: as they are written.'),
  })
  .meta({ id: 'Forecast', description: 'Whether the credits of a plan last until its next period.' });
export type Forecast = z.output<typeof Forecast>;

export const ClusterShape = z
  .strictObject({
    replicas: z
      .array(z.strictObject({ name: z.string(), is_self: z.boolean(), config: z.string() }))
      .describe('Those that live.'),
    shards: z
      .array(z.strictObject({ shard: z.string(), replica: z.string().nullable() }))
      .describe('What is shared out between them; null: none works on it.'),
    config_in_force: z
      .string()
      .nullable()
      .describe('That of most replicas. A replica with another one claims nothing.'),
  })
  .meta({ id: 'Cluster', description: 'The replicas that share the state, and what each works on.' });
export type ClusterShape = z.output<typeof ClusterShape>;

export const Trust = z
  .strictObject({
    heads: z.array(HeadAge).describe('The oldest first.'),
    blind: z.array(BlindCauseShape).describe('Those that have been blind for longest first.'),
    overdue: z
      .array(BlindCauseShape)
      .describe('Watches that missed a due time and are not blind yet: since when no answer could be used.'),
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
    credits: z.array(Forecast.nullable()).describe('By plan; null: not known.'),
    troubles: z.array(z.string()).describe('What keeps explorers from being asked, or from being believed.'),
    storage: z.enum(['works', 'fails', 'full']).nullable(),
    rejected: z
      .strictObject({ since: Time, place: z.string().nullable(), why: z.string() })
      .nullable()
      .describe('Why the files on the disk are not in force; null: they are.'),
    cluster: ClusterShape.nullable().describe('Null: one process has the state for itself.'),
  })
  .meta({ id: 'Trust', description: 'What the verdict rests on.' });
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
    waiting_since: Time.nullable().describe('Since when the oldest alert waits that nobody has in hand.'),
    cards: z.array(AlertCard).describe('Critical first, then what fires, then events; at most eight.'),
    more: z.strictObject({ alerts: Count, rules: Count }).describe('What has no card because of that limit.'),
    unhandled: Count,
    trust: Trust,
    handled: z.array(AlertRow),
    more_handled: Count,
    recent: z.array(EndedRow).describe('What ended within the last 24 hours, the last one first; at most five.'),
    events: z.array(EventRow).describe('Of the last twelve hours.'),
    bars: z
      .array(z.strictObject({ watch: z.string(), state: z.enum(BAR_STATES), since: Time, bars: Bars }))
      .describe('Of watches with something to show, the worst of now first.'),
    more_bars: Count.describe('Watches with something to show that have no row.'),
    of_watches: Count.describe('Watches with the labels that were asked for; all watches where none were.'),
    calls_nobody: z.boolean().describe('Every channel is of the type `log`: no message reaches people elsewhere.'),
    as_of: Time,
  })
  .meta({ id: 'Overview', description: 'What fires, and whether the answer can be trusted.' });
export type Overview = z.output<typeof Overview>;

export function summaryOf({ verdict, unhandled, trust }: Overview): OverviewSummary {
  return { verdict, unhandled, given_up: trust.given_up };
}
