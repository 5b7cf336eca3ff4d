import type { Health } from '../core/model/health.ts';
import { DATA_STATES, type DataState } from '../core/model/memory.ts';
import type { MissReason } from '../core/model/observation.ts';
import type { Severity } from '../core/model/ids.ts';
import type { Clock, Instant } from '../lib/clock.ts';
import type { MetricRegistry } from './metric-registry.ts';
import type { AlertState } from './metric-table.ts';

/** One running watch: the rule's id, and what it looks at (`''` for a whole chain). */
interface WatchLabels {
  readonly watch: string;
  readonly of: string;
}

interface ValueLabels extends WatchLabels {
  /** A token's name or address, or the symbol of the native coin. */
  readonly token: string;
  readonly field: string;
}

type PollOutcome = 'complete' | 'unchanged' | 'partial' | MissReason;

export interface AlertCount {
  readonly watch: string;
  readonly alert: string;
  readonly severity: Severity;
  readonly state: AlertState;
  readonly count: number;
}

/** How the condition of one alert does on one watch. */
export interface AlertHealth {
  readonly watch: string;
  readonly alert: string;
  readonly health: Health;
}

/** What the last poll of a watch was worth. */
export interface WatchData extends WatchLabels {
  readonly state: DataState;
}

/** A watch that is blind, and why: a word of a fixed list. */
export interface WatchBlind extends WatchLabels {
  readonly explorer: string;
  readonly reason: string;
}

export interface WatchMetrics {
  poll(poll: WatchLabels & { readonly outcome: PollOutcome; readonly at: Instant }): void;
  watchUp(watch: WatchLabels, up: boolean): void;
  /** To be told again at each successful poll: what is not confirmed for max(3 intervals, 5 minutes) disappears. */
  watchValue(labels: ValueLabels, value: number | null, intervalMs: number): void;
  undecided(watch: string, items: number): void;
  unfollowed(watch: string, events: number): void;
  notExamined(watch: string): void;
  skipped(watch: string): void;
  /** Takes out one target, and its rule when it was the last one. */
  forgetWatch(watch: WatchLabels): void;
  /** Asked on each scrape; the last one given counts. When it throws, the series are absent from that scrape. */
  mirrorAlerts(count: () => Iterable<AlertCount>): void;
  /** The same for the health of rules; those that are well need not be left out. */
  mirrorHealth(read: () => Iterable<AlertHealth>): void;
  /** The same for how good the data is. */
  mirrorData(read: () => Iterable<WatchData>): void;
  /** The same for the watches that are blind; the others are left out. */
  mirrorBlind(read: () => Iterable<WatchBlind>): void;
}

// What is exported of one rule is kept here and copied into the registry on each scrape: forgetting is one delete, and
// a poll costs no look-up of series.
interface RuleFacts {
  readonly pollsByOutcome: Map<PollOutcome, number>;
  readonly factsByTarget: Map<string, TargetFacts>;
  undecided: number;
  unfollowed: number;
  notExamined: number;
  skipped: number;
}

interface TargetFacts {
  up: boolean | null;
  lastSuccessAt: Instant | null;
  readonly values: Map<string, ConfirmedValue>;
}

interface ConfirmedValue {
  readonly labels: ValueLabels;
  readonly value: number;
  readonly expiresAt: Instant;
}

// A gauge that keeps the last value of a watch that fails looks like a watch that works.
const VALUE_KEPT_MS = 5 * 60_000;
const VALUE_KEPT_INTERVALS = 3;

export function createWatchMetrics(registry: MetricRegistry, clock: Clock): WatchMetrics {
  const factsByWatch = new Map<string, RuleFacts>();
  let countAlerts: () => Iterable<AlertCount> = () => [];
  let readHealth: () => Iterable<AlertHealth> = () => [];
  let readData: () => Iterable<WatchData> = () => [];
  let readBlind: () => Iterable<WatchBlind> = () => [];

  registry.mirror('chainwarden_watch_up', () => upOf(factsByWatch));
  registry.mirror('chainwarden_watch_polls_total', () => pollsOf(factsByWatch));
  registry.mirror('chainwarden_watch_last_success_timestamp_seconds', () => lastSuccessOf(factsByWatch));
  registry.mirror('chainwarden_watch_value', () => {
    dropExpired(factsByWatch, clock.now());
    return valuesOf(factsByWatch);
  });
  registry.mirror('chainwarden_watch_undecided_total', () => countsOf(factsByWatch, 'undecided'));
  registry.mirror('chainwarden_watch_unfollowed_total', () => countsOf(factsByWatch, 'unfollowed'));
  registry.mirror('chainwarden_watch_not_examined_total', () => countsOf(factsByWatch, 'notExamined'));
  registry.mirror('chainwarden_scheduler_skipped_total', () => countsOf(factsByWatch, 'skipped'));
  registry.mirror('chainwarden_alerts', () => summed(() => alertsOf(countAlerts())));
  registry.mirror('chainwarden_rule_health', () => summed(() => unwellOf(readHealth())));
  registry.mirror('chainwarden_watch_blind', () => summed(() => blindOf(readBlind())));
  registry.mirror('chainwarden_watch_data_state', () => orNothing(() => dataOf(readData())));

  const rule = (watch: string): RuleFacts => getOrAdd(factsByWatch, watch, freshRule);
  const target = ({ watch, of }: WatchLabels): TargetFacts => getOrAdd(rule(watch).factsByTarget, of, freshTarget);

  return {
    poll({ watch, of, outcome, at }) {
      const { pollsByOutcome } = rule(watch);
      pollsByOutcome.set(outcome, (pollsByOutcome.get(outcome) ?? 0) + 1);
      if (isUsable(outcome)) target({ watch, of }).lastSuccessAt = at;
    },
    watchUp(watch, up) {
      target(watch).up = up;
    },
    watchValue({ watch, of, token, field }, value, intervalMs) {
      const { values } = target({ watch, of });
      const key = `${token} ${field}`;
      const keptMs = Math.max(VALUE_KEPT_INTERVALS * intervalMs, VALUE_KEPT_MS);
      if (value === null || !Number.isFinite(value)) values.delete(key);
      else values.set(key, { labels: { watch, of, token, field }, value, expiresAt: clock.now() + keptMs });
    },
    undecided(watch, items) {
      rule(watch).undecided += items;
    },
    unfollowed(watch, events) {
      rule(watch).unfollowed += events;
    },
    notExamined(watch) {
      rule(watch).notExamined++;
    },
    skipped(watch) {
      rule(watch).skipped++;
    },
    forgetWatch({ watch, of }) {
      const facts = factsByWatch.get(watch);
      facts?.factsByTarget.delete(of);
      if (facts?.factsByTarget.size === 0) factsByWatch.delete(watch);
    },
    mirrorAlerts(count) {
      countAlerts = count;
    },
    mirrorHealth(read) {
      readHealth = read;
    },
    mirrorData(read) {
      readData = read;
    },
    mirrorBlind(read) {
      readBlind = read;
    },
  };
}

function freshRule(): RuleFacts {
  return {
    pollsByOutcome: new Map(),
    factsByTarget: new Map(),
    undecided: 0,
    unfollowed: 0,
    notExamined: 0,
    skipped: 0,
  };
}

function freshTarget(): TargetFacts {
  return { up: null, lastSuccessAt: null, values: new Map() };
}

function getOrAdd<V>(map: Map<string, V>, key: string, fresh: () => V): V {
  const value = map.get(key) ?? fresh();
  map.set(key, value);
  return value;
}

function isUsable(outcome: PollOutcome): boolean {
  return outcome === 'complete' || outcome === 'unchanged' || outcome === 'partial';
}

type FactsByWatch = ReadonlyMap<string, RuleFacts>;

function dropExpired(facts: FactsByWatch, now: Instant): void {
  for (const { factsByTarget } of facts.values())
    for (const { values } of factsByTarget.values())
      for (const [key, { expiresAt }] of values) if (expiresAt <= now) values.delete(key);
}

function* upOf(facts: FactsByWatch): Generator<[WatchLabels, number]> {
  for (const [watch, { factsByTarget }] of facts)
    for (const [of, { up }] of factsByTarget) if (up !== null) yield [{ watch, of }, up ? 1 : 0];
}

function* lastSuccessOf(facts: FactsByWatch): Generator<[WatchLabels, number]> {
  for (const [watch, { factsByTarget }] of facts)
    for (const [of, { lastSuccessAt }] of factsByTarget)
      if (lastSuccessAt !== null) yield [{ watch, of }, lastSuccessAt / 1000];
}

function* valuesOf(facts: FactsByWatch): Generator<[ValueLabels, number]> {
  for (const { factsByTarget } of facts.values())
    for (const { values } of factsByTarget.values())
      for (const { labels, value } of values.values()) yield [labels, value];
}

function* pollsOf(facts: FactsByWatch): Generator<[{ watch: string; outcome: string }, number]> {
  for (const [watch, { pollsByOutcome }] of facts)
    for (const [outcome, polls] of pollsByOutcome) yield [{ watch, outcome }, polls];
}

function* countsOf(
  facts: FactsByWatch,
  which: 'undecided' | 'unfollowed' | 'notExamined' | 'skipped',
): Generator<[{ watch: string }, number]> {
  for (const [watch, rule] of facts) yield [{ watch }, rule[which]];
}

function* alertsOf(counts: Iterable<AlertCount>): Generator<[Omit<AlertCount, 'count'>, number]> {
  for (const { watch, alert, severity, state, count } of counts) yield [{ watch, alert, severity, state }, count];
}

// Five series for every alert would say no more than one for each that needs a look, and reach the limit of series.
function* unwellOf(healths: Iterable<AlertHealth>): Generator<[AlertHealth, number]> {
  for (const { watch, alert, health } of healths) if (health !== 'ok') yield [{ watch, alert, health }, 1];
}

// Where targets share their labels (one address on two explorers), every state that one of them is in is 1.
function dataOf(watches: Iterable<WatchData>): [WatchData, number][] {
  const statesByLabels = new Map<string, { readonly labels: WatchLabels; readonly states: Set<DataState> }>();
  for (const { watch, of, state } of watches)
    getOrAdd(statesByLabels, JSON.stringify([watch, of]), () => ({
      labels: { watch, of },
      states: new Set<DataState>(),
    })).states.add(state);
  return [...statesByLabels.values()].flatMap(({ labels, states }) =>
    DATA_STATES.map((state): [WatchData, number] => [{ ...labels, state }, states.has(state) ? 1 : 0]),
  );
}

function* blindOf(watches: Iterable<WatchBlind>): Generator<[WatchBlind, number]> {
  for (const watch of watches) yield [watch, 1];
}

/** Summed, since the targets of a rule share their labels. */
function summed<L extends object>(read: () => Iterable<[L, number]>): Iterable<[L, number]> {
  return orNothing(() => {
    const sums = new Map<string, [L, number]>();
    for (const [labels, count] of read()) {
      const key = JSON.stringify(labels);
      sums.set(key, [labels, (sums.get(key)?.[1] ?? 0) + count]);
    }
    return sums.values();
  });
}

/** What cannot be read is absent from this scrape. */
function orNothing<T>(read: () => Iterable<T>): Iterable<T> {
  try {
    return read();
  } catch {
    return [];
  }
}
