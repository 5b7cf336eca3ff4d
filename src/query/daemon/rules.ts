// The alerts of the rules: how their conditions do, and how often they were told.
import type { Problem } from '../../config/problem.ts';
import { conditionText } from '../../core/alerts/message.ts';
import { healthOf, isHealthy, type Health, type HealthRecord } from '../../core/model/health.ts';
import type { AlertRule, Watch } from '../../core/model/watch/watch.ts';
import { showInstant } from '../../lib/clock.ts';
import { singleLine } from '../../lib/untrusted.ts';
import { pageOf, type Order } from '../cursor.ts';
import type { ListFilter } from '../shapes.ts';
import type { FileProblem, RuleList, RuleRow } from '../shapes/daemon.ts';
import { timeOf } from '../times.ts';
import { placeIn } from './source.ts';
import type { View } from '../view.ts';

const MONTH_MS = 30 * 86_400_000;

/** Rejects with a `StorageError`, or a `BadCursor`. */
export async function rules(view: View, filter: ListFilter): Promise<RuleList> {
  const { runtime, store, now } = view;
  const counts = await store.notificationCounts(now - MONTH_MS);
  const notified = new Map(counts.map(({ watch, alert, count }) => [JSON.stringify([watch, alert]), count]));
  const all = rowsOf(view, (watch, alert) => notified.get(JSON.stringify([watch.id, alert.id])) ?? 0);
  const rejected = runtime.rejected();
  return {
    ...pageOf(
      all.filter((row) => isWanted(row, filter)),
      ORDER,
      filter,
    ),
    rejected: rejected && {
      since: showInstant(rejected.since),
      why: rejected.why,
      problems: rejected.problems.map(problemJson),
    },
    counts: {
      all: all.length,
      unhealthy: all.filter((row) => !row.is_healthy).length,
      fired: all.filter(({ notifications_30d: count }) => count > 0).length,
      rules: new Set(all.map(({ rule }) => rule)).size,
      files: new Set(all.map(({ source }) => source.file)).size,
    },
  };
}

function rowsOf(view: View, notifiedOf: (watch: Watch, alert: AlertRule) => number): RuleRow[] {
  const byAlert = new Map<string, { readonly watch: Watch; readonly alert: AlertRule }[]>();
  for (const watch of view.runtime.watches())
    for (const alert of watch.alerts) {
      const name = JSON.stringify([watch.rule, alert.id]);
      const same = byAlert.get(name) ?? [];
      same.push({ watch, alert });
      byAlert.set(name, same);
    }
  return [...byAlert.values()].flatMap((same) => rowOf(view, same, notifiedOf) ?? []);
}

function rowOf(
  { runtime, now }: View,
  same: readonly { readonly watch: Watch; readonly alert: AlertRule }[],
  notifiedOf: (watch: Watch, alert: AlertRule) => number,
): RuleRow | null {
  const [first] = same;
  if (first === undefined) return null;
  const { watch, alert } = first;
  const records = same.flatMap((one): [Watch, HealthRecord][] => {
    const record = runtime.healthOf(one.watch.id)[alert.id];
    return record === undefined ? [] : [[one.watch, record]];
  });
  const health = worstOf(records.map(([of, record]) => healthOf(record, now, of.schedule.intervalMs)));
  const trueAt = Math.max(...records.map(([, record]) => record.trueAt ?? -Infinity));
  return {
    rule: watch.rule,
    alert: alert.id,
    severity: alert.severity,
    health,
    is_healthy: isHealthy(health),
    sentence: singleLine(conditionText(alert)),
    source: placeIn(runtime, alert.source),
    watches: same.length,
    last_true: timeOf(trueAt === -Infinity ? null : trueAt),
    notifications_30d: same.reduce((sum, one) => sum + notifiedOf(one.watch, one.alert), 0),
  };
}

/** The worst first. */
const WORST: readonly Health[] = ['unknown-too-long', 'always-true', 'never-true', 'never-evaluated'];

function worstOf(healths: readonly Health[]): Health {
  return WORST.find((one) => healths.includes(one)) ?? 'ok';
}

/** Those that want a look first, then in the order of the files. */
const ORDER: Order<RuleRow> = {
  rankOf: ({ health }) => (isHealthy(health) ? 1 : 0),
  tieOf: ({ source, rule, alert }) => [source.file, source.line, `${rule}/${alert}`],
};

function isWanted(row: RuleRow, { q, state, rule, severity }: ListFilter): boolean {
  const text = q?.trim().toLowerCase() ?? '';
  return (
    (text === '' || `${row.rule}/${row.alert} ${row.sentence}`.toLowerCase().includes(text)) &&
    (state !== 'unhealthy' || !row.is_healthy) &&
    (state !== 'fired' || row.notifications_30d > 0) &&
    (rule === null || row.rule === rule) &&
    (severity === null || row.severity === severity)
  );
}

function problemJson({ file, line, column, path, message, hint, frame }: Problem): FileProblem {
  return { file, line, column, path, message, hint: hint ?? null, frame };
}
