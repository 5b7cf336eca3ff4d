// The series of all watches that each scrape of the metrics reads: states of alerts, health of rules, states of data.
// They follow from the last poll of a watch, so only watches that were polled since the last scrape are read again.
import { healthOf, healthTurnsAt } from '../../core/model/health.ts';
import type { WatchId } from '../../core/model/ids.ts';
import type { Alert, Memory } from '../../core/model/memory.ts';
import { paceOf, type Watch } from '../../core/model/watch/watch.ts';
import type { Clock, Instant } from '../../lib/clock.ts';
import type { AlertCount, AlertHealth, WatchData } from '../../telemetry/watch-metrics.ts';
import type { WatchReadings } from '../polling/state.ts';
import { labelsOf } from './report.ts';

/** Null: a watch without such series was read, so that a scrape that reads thousands of them takes several turns. */
export interface WatchSeries {
  /** The number of alerts in each state, for `chainwarden_alerts`. */
  readonly alerts: () => Iterable<AlertCount | null>;
  /** Alerts that are not `ok`, for `chainwarden_rule_health`. */
  readonly health: () => Iterable<AlertHealth | null>;
  /** For `chainwarden_watch_data_state`. */
  readonly data: () => Iterable<WatchData | null>;
}

export interface WatchSeriesOptions {
  /** The same array until other watches are in force. */
  readonly watches: () => readonly Watch[];
  readonly readings: Pick<WatchReadings, 'memoryOf' | 'healthOf' | 'changedSince'>;
  readonly clock: Pick<Clock, 'now'>;
}

interface Series {
  readonly alerts: readonly AlertCount[];
  readonly health: readonly AlertHealth[];
  readonly data: readonly WatchData[];
  /** Without a poll, the series stay the same from this time on, before the next one. */
  readonly from: Instant;
  readonly until: Instant;
}

interface Entry {
  readonly watch: Watch;
  /** Null: the watch may have changed since. */
  series: Series | null;
}

export function createWatchSeries({ watches, readings, clock }: WatchSeriesOptions): WatchSeries {
  let known: readonly Watch[] = [];
  let entries: readonly Entry[] = [];
  let entryById: ReadonlyMap<WatchId, Entry> = new Map();
  let mark = 0;

  function adopt(next: readonly Watch[]): void {
    if (next === known) return;
    known = next;
    entries = next.map((watch) => ({ watch, series: null }));
    entryById = new Map(entries.map((entry) => [entry.watch.id, entry]));
  }

  /** The entries, without the series of the watches that changed. */
  function current(): readonly Entry[] {
    adopt(watches());
    const changes = readings.changedSince(mark);
    mark = changes.mark;
    if (changes.ids === null) for (const entry of entries) entry.series = null;
    for (const id of changes.ids ?? []) {
      const entry = entryById.get(id);
      if (entry !== undefined) entry.series = null;
    }
    return entries;
  }

  function* each<T>(of: (series: Series) => readonly T[]): Generator<T | null> {
    const at = clock.now();
    for (const entry of current()) {
      const known = isSameAt(entry.series, at) ? entry.series : null;
      entry.series = known ?? seriesOf(entry.watch, readings, at);
      const found = of(entry.series);
      for (const one of found) yield one;
      if (known === null && found.length === 0) yield null;
    }
  }

  return {
    alerts: () => each(({ alerts }) => alerts),
    health: () => each(({ health }) => health),
    data: () => each(({ data }) => data),
  };
}

function isSameAt(series: Series | null, at: Instant): boolean {
  return series !== null && at >= series.from && at < series.until;
}

function seriesOf(
  watch: Watch,
  { memoryOf, healthOf: recordsOf }: Pick<WatchReadings, 'memoryOf' | 'healthOf'>,
  at: Instant,
): Series {
  const memory = memoryOf(watch.id);
  const pace = paceOf(watch, memory);
  const data = memory?.data ?? null;
  const records = Object.entries(recordsOf(watch.id));
  const turns = records.flatMap(([, record]) => healthTurnsAt(record, pace)).filter((turn) => turn >= at);
  const health = records.map(([alert, record]) => ({ watch: watch.rule, alert, health: healthOf(record, at, pace) }));
  return {
    alerts: countAlerts(watch, memory),
    health: health.filter((one) => one.health !== 'ok'),
    data: data === null ? [] : [{ ...labelsOf(watch), state: data.state }],
    from: at,
    until: Math.min(...turns, Infinity),
  };
}

/** The number of alerts of a watch in each state. */
export function countAlerts({ rule, alerts }: Watch, memory: Memory | undefined): readonly AlertCount[] {
  return alerts.flatMap(({ id, severity }) => {
    const states = Object.values(memory?.alerts[id] ?? {}).map(stateOf);
    return [...new Set(states)].map((state) => {
      const count = states.filter((one) => one === state).length;
      return { watch: rule, alert: id, severity, state, count };
    });
  });
}

function stateOf(alert: Alert): AlertCount['state'] {
  if (alert.type === 'open') return 'open';
  return alert.type === 'group' ? alert.condition.state : alert.state;
}
