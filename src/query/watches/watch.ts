// A watch, and why its alerts fire or not.
import { recipientsIn } from '../../config/routing/recipients.ts';
import type { Snapshot } from '../../core/model/decision.ts';
import type { AlertId } from '../../core/model/ids.ts';
import { lastPauseOf } from '../../core/model/watch/pause.ts';
import type { DataSince, Memory } from '../../core/model/memory.ts';
import type { AlertRule, Watch } from '../../core/model/watch/watch.ts';
import { withStored } from '../../core/alerts/history.ts';
import { explainWatch, storedSnapshotOf } from '../../explain/explain.ts';
import type { Explained, ExplainedAlert, ExplainedPart } from '../../explain/model.ts';
import { exactOf, valueAt, type AnyView } from '../../core/values/fields.ts';
import type { PollRecord } from '../../engine/reporting/recent-polls.ts';
import { showInstant, type Instant } from '../../lib/clock.ts';
import type { StoredDelivery } from '../../store/contract/deliveries.ts';
import { days } from '../values/bars.ts';
import { subjectOf } from '../alerts/cards.ts';
import { countNow } from '../alerts/count-now.ts';
import { episodesOf } from '../alerts/episodes.ts';
import { statesIn } from '../alerts/found-state.ts';
import { itemsOf } from '../alerts/items.ts';
import { goneWatch } from '../alerts/gone.ts';
import { drawnPaths } from '../values/lines.ts';
import { openAlerts, type OpenAlert } from '../alerts/open-alerts.ts';
import { recipientsOf, type StatusOf } from '../alerts/recipients.ts';
import type { Gone } from '../shapes/alerts.ts';
import type { AlertExplanation, ConditionExplanation, ConditionPart } from '../shapes/explanations.ts';
import type { PollRow, WatchExplanation } from '../shapes/watches.ts';
import { placeIn, ruleText } from '../daemon/source.ts';
import { timeOf } from '../times.ts';
import type { QueryContext } from '../view.ts';
import { factsOf } from './watch-facts.ts';
import { costOfWatch } from '../../rules/costs.ts';
import { pricesIn } from '../daemon/forecast.ts';
import { watchRow } from './watch-rows.ts';
import { watchStates } from './watch-states.ts';

/** Null: neither the rules nor the state contain a watch of this name. */
export async function watch(view: QueryContext, name: string): Promise<WatchExplanation | Gone | null> {
  const found = view.runtime.watches().find((one) => one.name === name);
  return found === undefined ? goneWatch(view, name) : explanationOf(view, found);
}

async function explanationOf(view: QueryContext, watch: Watch): Promise<WatchExplanation> {
  const { runtime, store } = view;
  const states = await watchStates(view);
  const { barsOf } = await (await days(view, watch.id)).of([watch.id]);
  const facts = factsOf(runtime, watch, view);
  const { memory } = facts;
  const row = watchRow(view, facts, { states, barsOf });
  const samples = await store.samples(watch.id);
  const open = (await openAlerts(view)).filter((one) => one.row.watch === watch.id);
  const snapshot = await snapshotOf(view, watch);
  const explained = await explain(view, watch, { alerts: watch.alerts, open, snapshot });
  const statusOf = await recipientsOf(
    view,
    open.map((one) => one.row),
  );
  const pause = states.pauseOf(watch);
  const source = placeIn(runtime, watch.source);
  return {
    watch: row,
    of: subjectOf(watch),
    token: watch.token && { ...watch.token },
    measure: row.measure,
    previous: row.measure?.field === watch.kind.while?.measured ? numberIn(snapshot?.before ?? null, watch) : null,
    alerts: explained.alerts.map((one) => alertOf(view, one, { watch, open, statusOf })),
    measured: watch.kind.while?.measured ?? null,
    polls: runtime.polls(watch)?.map(pollOf) ?? null,
    replica: runtime.replicaOf(watch.target.explorer),
    data: dataOf(memory?.data ?? null),
    remarks: [...explained.remarks],
    pause: pause && { until: showInstant(pause.until), actor: pause.actor, comment: pause.comment },
    next: timeOf(explained.next),
    credits_per_day: costOfWatch(watch, pricesIn(runtime.health())).credits,
    samples_kept: Object.values(samples).reduce((sum, runs) => sum + runs.length, 0),
    fields: memory === null ? [] : drawnPaths(watch, memory),
    episodes: await episodesOf(view, watch.id),
    items: await itemsOf(view, watch.name),
    source,
    rule: ruleText(runtime, source),
  };
}

/** Null: the watch has no such alert any more. */
export async function alertExplanation(
  view: QueryContext,
  watch: Watch,
  alert: AlertId,
): Promise<AlertExplanation | null> {
  const alerts = watch.alerts.filter(({ id }) => id === alert);
  const open = (await openAlerts(view)).filter((one) => one.row.watch === watch.id && one.row.alert === alert);
  const [explained] = (await explain(view, watch, { alerts, open, snapshot: await snapshotOf(view, watch) })).alerts;
  const rows = open.map((one) => one.row);
  return explained === undefined
    ? null
    : alertOf(view, explained, { watch, open, statusOf: await recipientsOf(view, rows) });
}

const MOST_MESSAGES = 5;

/** A snapshot is stored a few seconds after the poll, so the one in memory comes first. */
export async function snapshotOf({ store, runtime }: QueryContext, watch: Watch): Promise<Snapshot | null> {
  const last = runtime.readings.snapshotOf(watch.id);
  return last ?? storedSnapshotOf(watch, (await store.diagnostics([watch.id])).get(watch.id));
}

interface Known {
  readonly alerts: readonly AlertRule[];
  readonly open: readonly OpenAlert[];
  readonly snapshot: Snapshot | null;
}

async function explain(view: QueryContext, watch: Watch, { alerts, open, snapshot }: Known): Promise<Explained> {
  const { store, runtime, now } = view;
  const deliveries = new Map<AlertId, readonly StoredDelivery[]>();
  for (const { id } of alerts) deliveries.set(id, await store.deliveriesOf(watch.id, id, MOST_MESSAGES));
  const memory = runtime.readings.memoryOf(watch.id) ?? null;
  return explainWatch(watch, alerts, {
    memory: memory && withStored(memory, await store.samples(watch.id)),
    snapshot,
    health: runtime.readings.healthOf(watch.id),
    deliveries,
    recipientsOf: recipientsIn(runtime.config()),
    pause: lastPauseOf(await store.pauses(), watch),
    from: runtime.startedAt,
    operators: { policy: await store.policy(now), open: open.map(({ row }) => row) },
    now,
  });
}

function numberIn(view: AnyView | null, { kind }: Watch): string | null {
  const path = kind.while?.measured ?? null;
  const value = view === null || path === null ? undefined : exactOf(valueAt(view, path));
  return value?.toString() ?? null;
}

function dataOf(data: DataSince | null): WatchExplanation['data'] {
  return data === null ? null : { state: data.state, since: showInstant(data.since) };
}

function pollOf({ at, outcome, value, truths, ms }: PollRecord): PollRow {
  return { at: showInstant(at), outcome, value, truths: { ...truths }, ms };
}

interface WatchParts {
  readonly watch: Watch;
  readonly open: readonly OpenAlert[];
  readonly statusOf: StatusOf;
}

function alertOf(
  { runtime, now }: QueryContext,
  explained: ExplainedAlert,
  { watch, open, statusOf }: WatchParts,
): AlertExplanation {
  const { alert, item, conditions, states, heldBack, health, messages } = explained;
  const own = open.filter(({ row }) => row.alert === alert.id);
  return {
    alert: alert.id,
    type: alert.type,
    severity: alert.severity,
    source: alert.source,
    on: explained.on,
    item: item && [...item.text],
    states: states.map(({ state, since, words, heldBack: waits, remarks }) => {
      return { state, since: timeOf(since), words, held_back: [...waits], remarks: [...remarks] };
    }),
    more_groups: explained.moreGroups,
    conditions: conditions.map(({ name, reasons, ...part }): ConditionExplanation => {
      return { name, part: partOf(part), reasons: [...reasons] };
    }),
    needs: [...explained.needs],
    aim: explained.aim,
    counts: countsOf(alert, watch, { memory: runtime.readings.memoryOf(watch.id) ?? null, now }),
    held_back: [...heldBack],
    operators: [...explained.operators],
    health: health.is,
    health_since: timeOf(health.since),
    labels: { ...explained.labels },
    recipients: own.flatMap(({ row }) => statusOf(row)),
    messages: messages.map(({ what, at, ...message }) => ({ ...message, type: what, at: showInstant(at) })),
    would_notify: explained.wouldNotify.map(({ channel, recipient }) => ({ channel, recipient })),
  };
}

const MOST_GROUPS = 20;

function countsOf(
  alert: AlertRule,
  watch: Watch,
  { memory, now }: { readonly memory: Memory | null; readonly now: Instant },
): AlertExplanation['counts'] {
  if (alert.type !== 'count' || memory === null) return [];
  const groups = statesIn(memory, alert.id).flatMap(({ group }) => group ?? []);
  return groups.slice(0, MOST_GROUPS).map((group) => countNow(watch, alert, group, memory.coveredUntil ?? now));
}

function partOf({ text, truth, reads, parts }: ExplainedPart): ConditionPart {
  return {
    text,
    truth,
    reads: reads.map(({ name, value, before, why }) => {
      return { name, value: value && [...value], before: before && [...before], why };
    }),
    parts: parts.map(partOf),
  };
}
