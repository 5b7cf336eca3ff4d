// The metrics of watches: facts that polls write, states that are read at a scrape, and the series of both.
import type { Health } from '../core/model/health.ts';
import type { Severity } from '../core/model/ids.ts';
import type { DataState } from '../core/model/memory.ts';
import type { MissReason } from '../core/model/observation.ts';
import type { Clock, Instant } from '../lib/clock.ts';
import type { MetricRegistry } from './metric-registry.ts';
import type { AlertState } from './metric-rows/watch.ts';

// The exported facts of each rule and its targets. Each scrape reads them. So a watch is dropped by one delete, and a
// poll looks up no series.

/** One running watch: the rule's id, and its target (`''` for a whole chain). */
export interface WatchLabels {
  readonly watch: string;
  /** A name of the config, or the short form of an address that has none. */
  readonly of: string;
}

interface ValueLabels extends WatchLabels {
  /** A name of the config, the short form of an address that has none, or the symbol of the native coin. */
  readonly token: string;
  readonly field: string;
}

type PollOutcome = 'complete' | 'unchanged' | 'partial' | MissReason;

interface PollFacts {
  readonly outcome: PollOutcome;
  readonly at: Instant;
  readonly readsList: boolean;
}

interface RuleFacts {
  /** True if the polls of the rule read lists of items. */
  readsLists: boolean;
  readonly pollsByOutcome: Map<PollOutcome, number>;
  readonly factsByTarget: Map<string, TargetFacts>;
  undecided: number;
  notJudged: number;
  unfollowed: number;
  notExamined: number;
  skipped: number;
}

interface TargetFacts {
  readonly labels: WatchLabels;
  up: boolean | null;
  lastSuccessAt: Instant | null;
  readonly values: Map<string, ConfirmedValue>;
}

interface ConfirmedValue {
  readonly labels: ValueLabels;
  /** Null: no longer known. The entry stays, so that a value that comes back during a scrape is not written twice. */
  value: number | null;
  expiresAt: Instant;
}

function freshRule(): RuleFacts {
  return {
    readsLists: false,
    pollsByOutcome: new Map(),
    factsByTarget: new Map(),
    undecided: 0,
    notJudged: 0,
    unfollowed: 0,
    notExamined: 0,
    skipped: 0,
  };
}

function freshTarget(labels: WatchLabels): TargetFacts {
  return { labels, up: null, lastSuccessAt: null, values: new Map() };
}

function countPoll(rule: RuleFacts, { outcome, readsList }: Omit<PollFacts, 'at'>): void {
  rule.pollsByOutcome.set(outcome, (rule.pollsByOutcome.get(outcome) ?? 0) + 1);
  rule.readsLists ||= readsList;
}

type FactsByWatch = ReadonlyMap<string, RuleFacts>;

// A scrape is written in several turns of the event loop. Copies of the maps make sure that a watch that is removed and
// added again between two turns appears once: Prometheus refuses a scrape with the same series twice. Only the maps that
// are being read are copied: copies of all series lived until the end of the scrape, and the collector moved them.

function* upOf(facts: FactsByWatch): Generator<[WatchLabels, number]> {
  for (const { factsByTarget } of [...facts.values()])
    for (const { labels, up } of [...factsByTarget.values()]) if (up !== null) yield [labels, up ? 1 : 0];
}

function* lastSuccessOf(facts: FactsByWatch): Generator<[WatchLabels, number]> {
  for (const { factsByTarget } of [...facts.values()])
    for (const { labels, lastSuccessAt } of [...factsByTarget.values()])
      if (lastSuccessAt !== null) yield [labels, Math.floor(lastSuccessAt / 1000)];
}

/** Values that have expired are removed. */
function* valuesOf(facts: FactsByWatch, now: Instant): Generator<[ValueLabels, number]> {
  for (const { factsByTarget } of [...facts.values()])
    for (const { values } of [...factsByTarget.values()])
      for (const [key, { labels, value, expiresAt }] of values)
        if (expiresAt <= now) values.delete(key);
        else if (value !== null) yield [labels, value];
}

function* pollsOf(facts: FactsByWatch): Generator<[{ watch: string; outcome: string }, number]> {
  for (const [watch, { pollsByOutcome }] of [...facts])
    for (const [outcome, polls] of [...pollsByOutcome]) yield [{ watch, outcome }, polls];
}

function* countsOf(facts: FactsByWatch, which: 'notExamined' | 'skipped'): Generator<[{ watch: string }, number]> {
  for (const [watch, rule] of [...facts]) yield [{ watch }, rule[which]];
}

/** Counts of items. A rule whose polls read single values has none. */
function* itemCountsOf(
  facts: FactsByWatch,
  which: 'undecided' | 'notJudged' | 'unfollowed',
): Generator<[{ watch: string }, number]> {
  for (const [watch, rule] of [...facts]) if (rule.readsLists || rule[which] > 0) yield [{ watch }, rule[which]];
}

// Series that are read from the daemon on each scrape: states of alerts, health of rules, data of watches.

export interface AlertCount {
  readonly watch: string;
  readonly alert: string;
  readonly severity: Severity;
  readonly state: AlertState;
  readonly count: number;
}

/** Health of the condition of one alert on one watch. */
export interface AlertHealth {
  readonly watch: string;
  readonly alert: string;
  readonly health: Health;
}

/** Data state of a watch after its last poll. */
export interface WatchData extends WatchLabels {
  readonly state: DataState;
}

/** A blind watch, with its reason from a fixed list of words. */
export interface WatchBlind extends WatchLabels {
  readonly explorer: string;
  readonly reason: string;
}

function* alertsOf(counts: Iterable<AlertCount | null>): Generator<[AlertCount, number] | null> {
  for (const one of counts) yield one === null ? null : [one, one.count];
}

// Only alerts that need attention get a series: five for every alert would reach the limit of series.
function* unwellOf(healths: Iterable<AlertHealth | null>): Generator<[AlertHealth, number] | null> {
  for (const one of healths) yield one === null || one.health === 'ok' ? null : [one, 1];
}

function* dataOf(watches: Iterable<WatchData | null>): Generator<[WatchData, number] | null> {
  for (const watch of watches) yield watch === null ? null : [watch, 1];
}

function* blindOf(watches: Iterable<WatchBlind>): Generator<[WatchBlind, number]> {
  for (const watch of watches) yield [watch, 1];
}

export interface WatchMetrics {
  poll(poll: WatchLabels & PollFacts): void;
  watchUp(watch: WatchLabels, up: boolean): void;
  /** Each successful poll sets the value again. A value that was not set for max(3 intervals, 5 minutes) is removed. */
  watchValue(labels: ValueLabels, value: number | null, intervalMs: number): void;
  undecided(watch: string, items: number): void;
  notJudged(watch: string, items: number): void;
  unfollowed(watch: string, events: number): void;
  notExamined(watch: string): void;
  skipped(watch: string): void;
  /** Removes one target. With its last target, the rule is removed too. */
  forgetWatch(watch: WatchLabels): void;
  /**
   * Sets the function that is called on each scrape; it replaces an earlier one. Null has no series. If it throws, the
   * series are absent from that scrape.
   */
  mirrorAlerts(count: () => Iterable<AlertCount | null>): void;
  /** Like `mirrorAlerts`, for the health of rules. The function may include rules that are `ok`. */
  mirrorHealth(read: () => Iterable<AlertHealth | null>): void;
  /** Like `mirrorAlerts`, for data states. */
  mirrorData(read: () => Iterable<WatchData | null>): void;
  /** Like `mirrorAlerts`, for blind watches. The function must return no others. */
  mirrorBlind(read: () => Iterable<WatchBlind>): void;
}

// Values expire, because a gauge that keeps the last value of a failing watch looks like a working one.
const VALUE_KEPT_MS = 5 * 60_000;
const VALUE_KEPT_INTERVALS = 3;

export function createWatchMetrics(registry: MetricRegistry, clock: Clock): WatchMetrics {
  const factsByWatch = new Map<string, RuleFacts>();
  let countAlerts: () => Iterable<AlertCount | null> = () => [];
  let readHealth: () => Iterable<AlertHealth | null> = () => [];
  let readData: () => Iterable<WatchData | null> = () => [];
  let readBlind: () => Iterable<WatchBlind> = () => [];

  registry.mirror('chainwarden_watch_up', () => upOf(factsByWatch));
  registry.mirror('chainwarden_watch_polls_total', () => pollsOf(factsByWatch));
  registry.mirror('chainwarden_watch_last_success_timestamp_seconds', () => lastSuccessOf(factsByWatch));
  registry.mirror('chainwarden_watch_value', () => valuesOf(factsByWatch, clock.now()));
  registry.mirror('chainwarden_watch_undecided_total', () => itemCountsOf(factsByWatch, 'undecided'));
  registry.mirror('chainwarden_watch_not_judged_total', () => itemCountsOf(factsByWatch, 'notJudged'));
  registry.mirror('chainwarden_watch_unfollowed_total', () => itemCountsOf(factsByWatch, 'unfollowed'));
  registry.mirror('chainwarden_watch_not_examined_total', () => countsOf(factsByWatch, 'notExamined'));
  registry.mirror('chainwarden_scheduler_skipped_total', () => countsOf(factsByWatch, 'skipped'));
  registry.mirrorSums('chainwarden_alerts', () => alertsOf(countAlerts()));
  registry.mirrorSums('chainwarden_rule_health', () => unwellOf(readHealth()));
  registry.mirrorSums('chainwarden_watch_blind', () => blindOf(readBlind()));
  registry.mirrorSums('chainwarden_watch_data_state', () => dataOf(readData()));

  const rule = (watch: string): RuleFacts => getOrAdd(factsByWatch, watch, freshRule);
  const target = ({ watch, of }: WatchLabels): TargetFacts =>
    getOrAdd(rule(watch).factsByTarget, of, () => freshTarget({ watch, of }));

  return {
    poll({ watch, of, outcome, at, readsList }) {
      countPoll(rule(watch), { outcome, readsList });
      if (isUsable(outcome)) target({ watch, of }).lastSuccessAt = at;
    },
    watchUp(watch, up) {
      target(watch).up = up;
    },
    watchValue({ watch, of, token, field }, value, intervalMs) {
      const { values } = target({ watch, of });
      const key = `${token} ${field}`;
      const expiresAt = clock.now() + Math.max(VALUE_KEPT_INTERVALS * intervalMs, VALUE_KEPT_MS);
      const known = values.get(key);
      const finite = value === null || !Number.isFinite(value) ? null : value;
      if (known !== undefined) Object.assign(known, { value: finite, expiresAt });
      else if (finite !== null) values.set(key, { labels: { watch, of, token, field }, value: finite, expiresAt });
    },
    undecided(watch, items) {
      rule(watch).undecided += items;
    },
    notJudged(watch, items) {
      rule(watch).notJudged += items;
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
      const targets = factsByWatch.get(watch)?.factsByTarget;
      // The facts of a removed rule stay whole, for a scrape that still reads them.
      if (targets?.size === 1 && targets.has(of)) factsByWatch.delete(watch);
      else targets?.delete(of);
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

function isUsable(outcome: PollOutcome): boolean {
  return outcome === 'complete' || outcome === 'unchanged' || outcome === 'partial';
}

/** The value of a key. A missing value is added first. */
function getOrAdd<V>(map: Map<string, V>, key: string, fresh: () => V): V {
  const value = map.get(key) ?? fresh();
  map.set(key, value);
  return value;
}
