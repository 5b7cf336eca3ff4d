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
  .meta({ id: 'WatchState', description: 'The first of these that holds.' });
export type WatchState = z.output<typeof WatchState>;

export const WatchRow = z
  .strictObject({
    name: z.string(),
    rule: z.string(),
    labels: LabelsShape.describe('Those that all of its alerts have.'),
    kind: z.string(),
    explorer: z.string(),
    state: WatchState,
    severity: SeverityShape.nullable().describe('Of what fires or is pending.'),
    since: Time.nullable().describe('Since when it is in this state.'),
    fires_at: Time.nullable().describe('Of what is pending: when it fires, if nothing changes.'),
    blind: z
      .strictObject({ cause: z.string(), since: Time, fields: z.array(z.string()) })
      .nullable()
      .describe('Why nothing is known of it now.'),
    is_healthy: z.boolean(),
    measure: MeasureShape.nullable().describe('Null: it watches for events, or nothing was read yet.'),
    needs: z.string().nullable().describe('What has to change for an alert to fire, in a sentence.'),
    as_of: Time.nullable().describe('Of the last usable answer.'),
    interval_ms: Count,
    effective_ms: Count.describe('Longer than `interval_ms` where the plan of the explorer stretches it.'),
    bars: Bars,
  })
  .meta({ id: 'WatchRow', description: 'A watch.' });
export type WatchRow = z.output<typeof WatchRow>;

export const WatchCounts = z
  .strictObject(Object.fromEntries(WATCH_STATES.map((state) => [state, Count])) as Record<WatchState, typeof Count>)
  .meta({ id: 'WatchCounts' });

export const WatchList = list(WatchRow)
  .extend({
    all: Count.describe('Watches that match the search, whatever their state.'),
    counts: WatchCounts,
    unhealthy: Count.describe('Watches with an unhealthy alert, without those that are blind.'),
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
    truths: z.record(z.string(), TruthShape).describe('By alert.'),
    ms: Count.describe('How long it took.'),
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
    measured: z.string().nullable().describe('The field that polls show the value of; null: there is none.'),
    polls: z.array(PollRow).nullable().describe('The newest first. Null: only the daemon knows them.'),
    replica: z.string().nullable().describe('The other replica that polls it, and knows its last polls.'),
    data: z.strictObject({ state: z.enum(DATA_STATES), since: Time }).nullable(),
    remarks: z.array(z.string()).describe('What else is to be known of its data.'),
    pause: z.strictObject({ until: Time, actor: z.string(), comment: z.string() }).nullable(),
    next: Time.nullable().describe('When it is polled next.'),
    credits_per_day: z.number().nullable(),
    samples_kept: Count.describe('Runs of equal values.'),
    fields: z.array(z.string()).describe('Of which a chart can be drawn.'),
    episodes: z.array(Episode),
    items: z.array(ItemRow).describe('Events of its alerts, the newest first; at most twenty.'),
    source: SourcePlace,
    rule: z.string().nullable().describe('Its text, as it is in force.'),
  })
  .meta({ id: 'WatchExplanation', description: 'A watch, and why its alerts fire or not.' });
export type WatchExplanation = z.output<typeof WatchExplanation>;
