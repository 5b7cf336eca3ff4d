// The alerts of the rules: the health of their conditions, and how often they sent messages.
import type { Problem } from '../../config/problem.ts';
import { conditionText } from '../../core/alerts/sentence.ts';
import { healthOf, isHealthy, type Health } from '../../core/model/health.ts';
import type { AlertId, WatchId } from '../../core/model/ids.ts';
import { paceOf, type AlertRule, type Watch } from '../../core/model/watch/watch.ts';
import { showInstant, type Instant } from '../../lib/clock.ts';
import { singleLine } from '../../lib/untrusted.ts';
import type { NotificationCount } from '../../store/contract/store.ts';
import { pageOf, type Order } from '../cursor.ts';
import type { RuleListFilter } from '../shapes.ts';
import type { FileProblem, RuleList, RuleRow } from '../shapes/daemon.ts';
import { timeOf } from '../times.ts';
import { placeIn } from './source.ts';
import type { QueryContext } from '../view.ts';
import { byId } from '../watch-by-id.ts';
import { watchFacts, type WatchFacts } from '../watches/watch-facts.ts';
import { remembered } from '../../lib/remembered.ts';

const MONTH_MS = 30 * 86_400_000;

/** Rejects with a `StorageError`, or a `BadCursor`. */
export async function rules(view: QueryContext, filter: RuleListFilter): Promise<RuleList> {
  const { runtime, store, now } = view;
  const facts = await watchFacts(view);
  const notifiedOf = notifiedIn(await store.notificationCounts(now - MONTH_MS), byId(runtime.watches()));
  const blind = new Set(runtime.blind().map(({ watch }) => watch.id));
  const all = groupsIn(runtime.watches()).map((group) => rowOf(view, group, { facts, notifiedOf, blind }));
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

/** An alert of a rule, and the watches of the rule by their places in the list. */
interface Group {
  readonly name: string;
  readonly watch: Watch;
  readonly alert: AlertRule;
  readonly places: number[];
}

// The list changes only when other rules are put in force, so its groups are made once.
const groupsIn = remembered((watches: readonly Watch[]): readonly Group[] => {
  const byName = new Map<string, Group>();
  for (const [place, watch] of watches.entries())
    for (const alert of watch.alerts) {
      const name = nameOf(watch, alert.id);
      const group = byName.get(name) ?? { name, watch, alert, places: [] };
      byName.set(name, group);
      group.places.push(place);
    }
  return [...byName.values()];
});

function nameOf({ rule }: Watch, alert: AlertId): string {
  return JSON.stringify([rule, alert]);
}

interface Notified {
  readonly count: number;
  /** Null: the alert did not fire in the last 30 days. */
  readonly firedAt: Instant | null;
}

type NotifiedOf = (group: Group) => Notified;

function notifiedIn(counts: readonly NotificationCount[], watchById: ReadonlyMap<WatchId, Watch>): NotifiedOf {
  const byName = new Map<string, Notified>();
  for (const { watch: id, alert, count, firedAt } of counts) {
    const watch = watchById.get(id);
    if (watch === undefined) continue;
    const name = nameOf(watch, alert);
    const before = byName.get(name) ?? { count: 0, firedAt: null };
    byName.set(name, { count: before.count + count, firedAt: later(before.firedAt, firedAt) });
  }
  return ({ name }) => byName.get(name) ?? { count: 0, firedAt: null };
}

function later(one: Instant | null, other: Instant | null): Instant | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other);
}

interface Known {
  readonly facts: readonly WatchFacts[];
  readonly notifiedOf: NotifiedOf;
  /** Watches with unknown values. The health of their alerts does not count. */
  readonly blind: ReadonlySet<WatchId>;
}

function rowOf({ runtime, now }: QueryContext, group: Group, { facts, notifiedOf, blind }: Known): RuleRow {
  const { watch, alert, places } = group;
  const { count, firedAt } = notifiedOf(group);
  const healths = new Set<Health>();
  let trueAt: Instant | null = null;
  for (const place of places) {
    const found = facts[place];
    const record = found?.health[alert.id];
    if (found === undefined || record === undefined) continue;
    if (!blind.has(found.watch.id)) healths.add(healthOf(record, now, paceOf(watch, found.memory)));
    trueAt = later(trueAt, record.trueAt);
  }
  const health = WORST.find((one) => healths.has(one)) ?? 'ok';
  return {
    rule: watch.rule,
    alert: alert.id,
    severity: alert.severity,
    health,
    is_healthy: isHealthy(health),
    sentence: singleLine(conditionText(alert)),
    source: placeIn(runtime, alert.source),
    watches: places.length,
    last_true: timeOf(hasCondition(alert) ? trueAt : firedAt),
    notifications_30d: count,
  };
}

/** An alert without a condition is true whenever it fires, so it was last true when it last fired. */
function hasCondition(alert: AlertRule): boolean {
  return alert.type === 'condition' || alert.if !== null;
}

/** The worst first. */
const WORST: readonly Health[] = ['unknown-too-long', 'always-true', 'never-true', 'never-evaluated'];

/** Alerts that need attention come first, the others in the order of the files. */
const ORDER: Order<RuleRow> = {
  list: 'rules',
  rankOf: ({ health }) => (isHealthy(health) ? 1 : 0),
  tieOf: ({ source, rule, alert }) => [source.file, source.line, `${rule}/${alert}`],
};

function isWanted(row: RuleRow, { q, state, rule, severity }: RuleListFilter): boolean {
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
