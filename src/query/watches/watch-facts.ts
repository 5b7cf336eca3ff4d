// Facts about every watch, for lists and counts. Between two pages only few of ten thousand watches are polled, so
// facts that follow from a poll are kept until the next one.
import { activeSince, isActive } from '../../core/alerts/emission.ts';
import type { Figures } from '../../core/model/figures.ts';
import { RANK_OF } from '../../core/model/delivery.ts';
import { healthOf, isHealthy, type HealthByAlert } from '../../core/model/health.ts';
import type { AlertId, Severity, WatchId } from '../../core/model/ids.ts';
import type { BlindWatch } from '../../core/model/quality/blind-cause.ts';
import type { ConditionState, Memory } from '../../core/model/memory.ts';
import { paceOf, type AlertRule, type Watch } from '../../core/model/watch/watch.ts';
import { nextTurn, type Instant } from '../../lib/clock.ts';
import { statesIn } from '../alerts/found-state.ts';
import { closenessOf, readingOf } from '../values/measure.ts';
import { hasOldData } from '../values/readings.ts';
import type { RuntimeView, QueryContext } from '../view.ts';
import { remembered } from '../../lib/remembered.ts';

export interface WatchFacts {
  readonly watch: Watch;
  readonly memory: Memory | null;
  /** The worst alert that fires or is pending; null: there is none. */
  readonly active: Active | null;
  readonly hasPending: boolean;
  /** True if the last answer was not usable, or if its figures are stale. */
  readonly hasOldData: boolean;
  /** The distance from firing, as a part of the limit; below zero if the value is beyond it. Infinite if unknown. */
  readonly closeness: number;
  readonly health: HealthByAlert;
  /** Alerts that are always true, or unknown for too long. Computed again after a poll and in each minute. */
  readonly unhealthy: readonly AlertId[];
  readonly minute: number;
}

export interface Active {
  readonly type: 'firing' | 'pending';
  readonly severity: Severity;
  readonly since: Instant | null;
}

interface Known {
  readonly facts: WatchFacts[];
  readonly places: ReadonlyMap<WatchId, number>;
  /** The mark of the last update. */
  mark: number;
  minute: number;
}

// Facts by list of watches. The list changes only when other rules are put in force, so older facts are dropped with
// it.
const known = new WeakMap<readonly Watch[], Known>();

/** After this many watches the loop pauses, so that due polls can run. */
const READ_AT_ONCE = 1000;

/** The facts of all watches, in the order of the watches. */
export async function watchFacts(view: Pick<QueryContext, 'runtime' | 'now'>): Promise<readonly WatchFacts[]> {
  const watches = view.runtime.watches();
  const before = known.get(watches) ?? nothingKnown(watches);
  known.set(watches, before);
  const { mark, ids } = view.runtime.readings.changedSince(before.mark);
  const minute = Math.floor(view.now / MINUTE_MS);
  if (ids === null || minute !== before.minute) await lookAtAll(view, watches, before.facts);
  else for (const id of ids) lookAtOne(view, watches, before, id);
  before.mark = mark;
  before.minute = minute;
  return before.facts;
}

function nothingKnown(watches: readonly Watch[]): Known {
  return { facts: [], places: new Map(watches.map(({ id }, place) => [id, place])), mark: 0, minute: -1 };
}

async function lookAtAll(
  { runtime, now }: Pick<QueryContext, 'runtime' | 'now'>,
  watches: readonly Watch[],
  facts: WatchFacts[],
): Promise<void> {
  for (const [i, watch] of watches.entries()) {
    if (i > 0 && i % READ_AT_ONCE === 0) await nextTurn();
    facts[i] = factsOf(runtime, watch, { now, before: facts[i] });
  }
}

function lookAtOne(
  { runtime, now }: Pick<QueryContext, 'runtime' | 'now'>,
  watches: readonly Watch[],
  { facts, places }: Known,
  id: WatchId,
): void {
  const place = places.get(id);
  const watch = place === undefined ? undefined : watches[place];
  if (place !== undefined && watch !== undefined) facts[place] = factsOf(runtime, watch, { now, before: facts[place] });
}

/** The facts of all watches, sorted by name. */
export async function watchFactsByName(view: Pick<QueryContext, 'runtime' | 'now'>): Promise<readonly WatchFacts[]> {
  const watches = view.runtime.watches();
  const facts = await watchFacts(view);
  const sorted: WatchFacts[] = [];
  for (const place of orderOf(watches)) {
    const one = facts[place];
    if (one !== undefined) sorted.push(one);
  }
  return sorted;
}

const orderOf = remembered((watches: readonly Watch[]): readonly number[] => {
  const places = watches.map(({ name }, place) => ({ name, place }));
  return places.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(({ place }) => place);
});

const MINUTE_MS = 60_000;
const NO_ALERTS: readonly AlertId[] = [];

/** `before`: the earlier facts, which are used again if nothing changed. */
export function factsOf(
  runtime: RuntimeView,
  watch: Watch,
  { now, before }: { readonly now: Instant; readonly before?: WatchFacts | undefined },
): WatchFacts {
  const memory = runtime.readings.memoryOf(watch.id) ?? null;
  const minute = Math.floor(now / MINUTE_MS);
  // Every poll makes a new memory object, so the same object means that there was no poll.
  const isKnown = before !== undefined && memory !== null && before.memory === memory;
  if (isKnown && before.minute === minute) return before;
  const health = isKnown ? before.health : runtime.readings.healthOf(watch.id);
  const unhealthy = unhealthyIn(health, watch, memory, now);
  if (isKnown) return { ...before, unhealthy, minute };
  return {
    watch,
    memory,
    active: memory && worstOf(watch, memory),
    hasPending: memory !== null && hasPending(memory),
    hasOldData: hasOldData(runtime, watch),
    closeness: closenessIn(watch, runtime.readings.figuresOf(watch.id)),
    health,
    unhealthy,
    minute,
  };
}

function unhealthyIn(records: HealthByAlert, watch: Watch, memory: Memory | null, now: Instant): readonly AlertId[] {
  let unhealthy: AlertId[] | null = null;
  // Nearly all watches are healthy, so a list is created only if it is needed.
  for (const alert in records) {
    const record = records[alert];
    if (record !== undefined && !isHealthy(healthOf(record, now, paceOf(watch, memory))))
      (unhealthy ??= []).push(alert);
  }
  return unhealthy ?? NO_ALERTS;
}

/** The number of unhealthy alerts. Watches that are blind do not count, since their blindness is reported. */
export function countUnhealthy(facts: readonly WatchFacts[], blind: readonly BlindWatch[]): number {
  const blindIds = new Set(blind.map(({ watch }) => watch.id));
  const names = new Set<string>();
  for (const { watch, unhealthy } of facts)
    if (unhealthy.length > 0 && !blindIds.has(watch.id))
      for (const alert of unhealthy) names.add(JSON.stringify([watch.rule, alert]));
  return names.size;
}

/** Firing alerts come before pending ones; among these, the more severe comes first. */
function worstOf(watch: Watch, memory: Memory): Active | null {
  let worst: Active | null = null;
  for (const rule of watch.alerts) {
    if (rule.type === 'event' || memory.alerts[rule.id] === undefined) continue;
    for (const { condition } of statesIn(memory, rule.id)) {
      const active = activeOf(rule, condition);
      if (active !== null && (worst === null || rankOf(active) < rankOf(worst))) worst = active;
    }
  }
  return worst;
}

function activeOf({ severity }: AlertRule, condition: ConditionState): Active | null {
  if (isActive(condition)) return { type: 'firing', severity, since: activeSince(condition) ?? null };
  return condition.state === 'pending' ? { type: 'pending', severity, since: condition.since } : null;
}

function rankOf({ type, severity }: Active): number {
  return (type === 'firing' ? 0 : 3) + RANK_OF[severity];
}

function hasPending({ alerts }: Memory): boolean {
  for (const alert in alerts) {
    const byKey = alerts[alert];
    for (const key in byKey) {
      const one = byKey[key];
      if (one?.type === 'condition' && one.state === 'pending') return true;
      if (one?.type === 'group' && one.condition.state === 'pending') return true;
    }
  }
  return false;
}

function closenessIn({ alerts }: Watch, figures: Figures | null): number {
  const reading = readingOf(figures, { isOld: false, goodAt: null });
  let closest = Infinity;
  if (reading === null) return closest;
  for (const alert of alerts) if (alert.type === 'condition') closest = Math.min(closest, closenessOf(alert, reading));
  return closest;
}
