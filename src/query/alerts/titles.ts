// Titles of alerts: an open alert is shown with its current values, a pending one with its condition.
import { presentOf, windowsShown } from '../../core/alerts/message.ts';
import { readsMissing } from '../../core/alerts/alert-evaluation.ts';
import { subjectOfCountNow } from '../../core/alerts/counts.ts';
import { conditionText, namesOf } from '../../core/alerts/sentence.ts';
import type { Snapshot } from '../../core/model/decision.ts';
import type { Present } from '../../core/model/delivery.ts';
import type { Memory } from '../../core/model/memory.ts';
import type { AlertRule, ConditionAlert, Watch } from '../../core/model/watch/watch.ts';
import { standingTitle } from '../../core/wording/words.ts';
import { explainContextOf } from '../../explain/condition.ts';
import { storedSnapshotOf } from '../../explain/explain.ts';
import { singleLine } from '../../lib/untrusted.ts';
import { historyAt, isOutOfDate } from '../values/readings.ts';
import type { QueryContext } from '../view.ts';
import { stateOf, type FoundState } from './found-state.ts';
import type { RuledAlert } from './open-alerts.ts';

/** `treasury USDC: balance < 1000000`: the target, and the condition of the rule. */
export function titleOf(watch: Watch, alert: AlertRule): string {
  const thing = watch.kind.wording.thing(namesOf(watch));
  return singleLine(thing === '' ? conditionText(alert) : `${thing}: ${conditionText(alert)}`);
}

/** Titles with present values. If these are unknown, the title of the newest message is used, with its age. */
export async function titlesOf<One extends RuledAlert>(
  view: QueryContext,
  alerts: readonly One[],
): Promise<(alert: One) => string> {
  const snapshotOf = await snapshotsOf(view, alerts);
  const titles = new Map<One, string>();
  for (const alert of alerts) titles.set(alert, await titleNow(view, alert, snapshotOf));
  return (alert) => titles.get(alert) ?? alert.row.title;
}

type SnapshotOf = (watch: Watch) => Snapshot | null;

/** A snapshot is stored a few seconds after the poll, so one in memory comes first. */
async function snapshotsOf({ store, runtime }: QueryContext, alerts: readonly RuledAlert[]): Promise<SnapshotOf> {
  const lasting = alerts.flatMap(({ watch, rule }) => (watch === null || rule?.type !== 'condition' ? [] : [watch.id]));
  const ids = [...new Set(lasting)].filter((id) => runtime.readings.snapshotOf(id) === null);
  const stored = ids.length === 0 ? null : await store.diagnostics(ids);
  return (watch) => runtime.readings.snapshotOf(watch.id) ?? storedSnapshotOf(watch, stored?.get(watch.id));
}

async function titleNow(view: QueryContext, alert: RuledAlert, snapshotOf: SnapshotOf): Promise<string> {
  const { row, watch } = alert;
  // The title of an event describes what happened, so it has no present values.
  if (row.isEvent) return row.title;
  const memory = watch && view.runtime.readings.memoryOf(watch.id);
  if (watch === null || memory?.checksum !== watch.checksum) return row.title;
  const found = stateOf(memory, row);
  const present = await presentIn(view, { ...alert, watch, memory, found, snapshot: snapshotOf(watch) });
  const told = { title: row.title, detail: null, measured: null, place: null };
  const readAt = present === null ? row.at : memory.coveredUntil;
  const isCurrent = present !== null && !isOutOfDate(view, watch, readAt);
  return standingTitle({
    now: present === null ? told : { ...present, place: watch.place },
    firedAt: present === null ? null : (found?.condition.firing?.measured ?? null),
    ageMs: isCurrent || readAt === null ? null : Math.max(0, view.now - readAt),
  });
}

interface Known {
  readonly rule: AlertRule | null;
  readonly watch: Watch;
  readonly memory: Memory;
  readonly found: FoundState | null;
  readonly snapshot: Snapshot | null;
}

/** The present values of an alert; null if they are unknown. */
async function presentIn(view: QueryContext, { rule, snapshot, ...known }: Known): Promise<Present | null> {
  const { watch, memory, found } = known;
  if (rule?.type === 'condition') return snapshot && conditionPresent(view, rule, { ...known, snapshot });
  const group = found?.group ?? null;
  if (rule?.type !== 'count' || group === null) return null;
  const at = memory.coveredUntil ?? view.now;
  const { context, counted } = subjectOfCountNow(watch, rule, group, at);
  return presentOf({ watch, isStale: false }, rule, context, { at, counted });
}

async function conditionPresent(
  view: QueryContext,
  rule: ConditionAlert,
  { watch, memory, snapshot }: Omit<Known, 'rule' | 'snapshot'> & { readonly snapshot: Snapshot },
): Promise<Present | null> {
  const known = explainContextOf(watch, snapshot, memory);
  const history = await historyAt(view, watch, { memory, windows: windowsShown(rule), at: snapshot.at });
  const context = { ...known.evaluation, history };
  if (readsMissing(known, rule.while) || rule.while.evaluate(context) === 'unknown') return null;
  return presentOf({ watch, isStale: snapshot.isStale }, rule, context, { at: snapshot.at, counted: null });
}
