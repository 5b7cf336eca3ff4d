// Alerts whose condition holds, but not for long enough yet.
import { heldFor } from '../../core/alerts/conditions/condition-state.ts';
import type { ConditionState } from '../../core/model/memory.ts';
import type { StatefulAlert, Watch } from '../../core/model/watch/watch.ts';
import { showInstant, type Instant } from '../../lib/clock.ts';
import { openMeasure } from '../alerts/cards.ts';
import { statesIn } from '../alerts/found-state.ts';
import { titleOf } from '../alerts/titles.ts';
import type { AlertRow } from '../shapes/alerts.ts';
import { timeOf } from '../times.ts';
import type { QueryContext } from '../view.ts';
import type { WatchFacts } from '../watches/watch-facts.ts';

export interface Pending {
  readonly watch: Watch;
  readonly rule: StatefulAlert;
  readonly condition: ConditionState;
}

export function pendingAlerts(facts: readonly WatchFacts[]): Pending[] {
  const pending: Pending[] = [];
  for (const { watch, memory, hasPending } of facts) {
    // Few of ten thousand watches have a pending alert; for the others no list is created.
    if (memory === null || !hasPending) continue;
    for (const rule of watch.alerts) {
      if (rule.type === 'event') continue;
      for (const { condition } of statesIn(memory, rule.id))
        // A flapping alert stays open even if its condition is false for a time, so it does not count as pending.
        if (condition.state === 'pending' && condition.firing === null) pending.push({ watch, rule, condition });
    }
  }
  return pending;
}

export async function pendingRow(view: QueryContext, pending: Pending): Promise<AlertRow> {
  const { watch, rule } = pending;
  const covered = view.runtime.readings.memoryOf(watch.id)?.coveredUntil ?? view.now;
  return {
    key: null,
    episode: null,
    seq: null,
    alerts: 1,
    watch: watch.name,
    alert: rule.id,
    title: titleOf(watch, rule),
    severity: rule.severity,
    state: 'pending',
    why: 'pending',
    since: showInstant(pendingSince(pending, covered)),
    fires_at: timeOf(firesAt(pending, covered)),
    measure: await openMeasure(view, pending),
    count: null,
    ack: null,
    silence: null,
  };
}

function pendingSince({ condition }: Pending, covered: Instant): Instant {
  return Math.round(covered - heldFor(condition, covered));
}

/** Null while the condition is unknown, since such time does not count. */
function firesAt({ rule, condition }: Pending, covered: Instant): Instant | null {
  if (condition.since === null) return null;
  return Math.round(covered + Math.max(0, rule.forMs - heldFor(condition, covered)));
}

/**
 * When the first pending alert of the watch fires if nothing changes. Null: none is pending, or the time is unknown.
 */
export function nextFiring(facts: WatchFacts): Instant | null {
  const covered = facts.memory?.coveredUntil ?? null;
  if (covered === null) return null;
  const times = pendingAlerts([facts]).flatMap((pending) => firesAt(pending, covered) ?? []);
  return times.length === 0 ? null : Math.min(...times);
}
