// Watches, and why the alerts of one fire or not.
import { z } from 'zod';
import { DATA_STATES } from '../../core/model/memory.ts';
import { MISS_REASONS } from '../../core/model/observation.ts';
import { Episode, ItemRow } from './alerts.ts';
import { AlertExplanation } from './explanations.ts';
import { Count, Time } from '../../core/values/answer-shapes.ts';
import {
  AmountShape,
  Bars,
  list,
  MeasureShape,
  SeverityShape,
  SourcePlace,
  Subject,
  TruthShape,
  LabelsShape,
} from './common.ts';

export const WATCH_STATES = ['firing', 'pending', 'blind', 'paused', 'silenced', 'starting', 'ok'] as const;
export const WatchState = z
  .enum(WATCH_STATES)
  .meta({ id: 'WatchState', description: 'The first of these states that is true of the watch.' });
export type WatchState = z.output<typeof WatchState>;

export const WatchRow = z
  .strictObject({
    name: z.string(),
    rule: z.string(),
    labels: LabelsShape.describe('The labels that all of its alerts have.'),
    kind: z.string(),
    explorer: z.string(),
    state: WatchState,
    severity: SeverityShape.nullable().describe('The severity of the alert that fires or is pending.'),
    since: Time.nullable().describe('The time at which the state began.'),
    fires_at: Time.nullable().describe('The time at which the pending alert fires if nothing changes.'),
    blind: z
      .strictObject({ cause: z.string(), since: Time, fields: z.array(z.string()) })
      .nullable()
      .describe('The reason why nothing is known of it now.'),
    is_healthy: z.boolean(),
    measure: MeasureShape.nullable().describe('Null: it watches for events, or nothing was read yet.'),
    needs: z.string().nullable().describe('The change that makes an alert fire, in a sentence.'),
    as_of: Time.nullable().describe('The time of the last usable answer.'),
    interval_ms: Count,
    effective_ms: Count.describe(
      'The interval in force. It is longer than `interval_ms` where the plan of the explorer stretches it.',
    ),
    bars: Bars,
  })
  .meta({ id: 'WatchRow', description: 'A watch.' });
export type WatchRow = z.output<typeof WatchRow>;

export const WatchCounts = z
  .strictObject(Object.fromEntries(WATCH_STATES.map((state) => [state, Count])) as Record<WatchState, typeof Count>)
  .meta({ id: 'WatchCounts' });

export const WatchList = list(WatchRow)
  .extend({
    all: Count.describe('The number of watches that match the search, in any state.'),
    counts: WatchCounts,
    unhealthy: Count.describe('The number of watches with an unhealthy alert, without the blind ones.'),
  })
  .meta({
    id: 'WatchList',
    description: '`counts` are of `all`. A watch that fires or is pending and is blind counts as both.',
  });
export type WatchList = z.output<typeof WatchList>;

export const POLL_OUTCOMES = ['complete', 'unchanged', 'partial', ...MISS_REASONS] as const;

export const PollRow = z
  .strictObject({
    at: Time,
    outcome: z.enum(POLL_OUTCOMES),
    value: AmountShape.nullable(),
    truths: z.record(z.string(), TruthShape).describe('The truth of each condition, by alert.'),
    ms: Count.describe('The duration of the poll.'),
  })
  .meta({ id: 'Poll', description: 'One poll of a watch.' });
export type PollRow = z.output<typeof PollRow>;

export const WatchExplanation = z
  .strictObject({
    watch: WatchRow,
    of: Subject.nullable(),
    token: z.strictObject({ name: z.string().nullable(), address: z.string() }).nullable(),
    measure: MeasureShape.nullable(),
    previous: AmountShape.nullable().describe(
      'The last other value; null where `measure` is of another field than the kind measures.',
    ),
    alerts: z.array(AlertExplanation),
    measured: z.string().nullable().describe('The field whose value polls show; null: there is none.'),
    polls: z.array(PollRow).nullable().describe('The last polls, the newest first. Null: only the daemon has them.'),
    replica: z.string().nullable().describe('The other replica that polls it, and has its last polls.'),
    data: z.strictObject({ state: z.enum(DATA_STATES), since: Time }).nullable(),
    remarks: z.array(z.string()).describe('Remarks about its data.'),
    pause: z.strictObject({ until: Time, actor: z.string(), comment: z.string() }).nullable(),
    next: Time.nullable().describe('The time of the next poll.'),
    credits_per_day: z.number().nullable(),
    samples_kept: Count.describe('The number of stored samples; equal values in a row count once.'),
    fields: z.array(z.string()).describe('The fields of which a chart can be drawn.'),
    episodes: z.array(Episode),
    items: z.array(ItemRow).describe('Events of its alerts, the newest first; at most twenty.'),
    source: SourcePlace,
    rule: z.string().nullable().describe('The text of the rule that is in force.'),
  })
  .meta({ id: 'WatchExplanation', description: 'A watch, and the reasons why its alerts fire or do not.' });
export type WatchExplanation = z.output<typeof WatchExplanation>;
