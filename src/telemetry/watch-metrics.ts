import type { Clock } from '../lib/clock.ts';
import type { MetricRegistry } from './metric-registry.ts';
import {
  alertsOf,
  blindOf,
  dataOf,
  unwellOf,
  type AlertCount,
  type AlertHealth,
  type WatchBlind,
  type WatchData,
} from './mirrored-series.ts';
import {
  countPoll,
  countsOf,
  freshRule,
  freshTarget,
  itemCountsOf,
  lastSuccessOf,
  pollsOf,
  upOf,
  valuesOf,
  type PollFacts,
  type PollOutcome,
  type RuleFacts,
  type TargetFacts,
  type ValueLabels,
  type WatchLabels,
} from './watch-facts.ts';

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
