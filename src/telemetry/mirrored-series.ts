// Series that are read from the daemon on each scrape: states of alerts, health of rules, data of watches.
import type { Health } from '../core/model/health.ts';
import type { DataState } from '../core/model/memory.ts';
import type { Severity } from '../core/model/ids.ts';
import type { AlertState } from './metric-rows/watch.ts';
import type { WatchLabels } from './watch-facts.ts';

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

export function* alertsOf(counts: Iterable<AlertCount | null>): Generator<[AlertCount, number] | null> {
  for (const one of counts) yield one === null ? null : [one, one.count];
}

// Only alerts that need attention get a series: five for every alert would reach the limit of series.
export function* unwellOf(healths: Iterable<AlertHealth | null>): Generator<[AlertHealth, number] | null> {
  for (const one of healths) yield one === null || one.health === 'ok' ? null : [one, 1];
}

export function* dataOf(watches: Iterable<WatchData | null>): Generator<[WatchData, number] | null> {
  for (const watch of watches) yield watch === null ? null : [watch, 1];
}

export function* blindOf(watches: Iterable<WatchBlind>): Generator<[WatchBlind, number]> {
  for (const watch of watches) yield [watch, 1];
}
