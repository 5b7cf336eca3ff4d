// Open alerts, with the reason why one needs no attention: an acknowledgement, a silence, or another alert that
// inhibits it.
import { RANK_OF } from '../../core/model/delivery.ts';
import { BUILT_IN_RULE, type WatchId } from '../../core/model/ids.ts';
import { EVENT_SHOWN_MS } from '../../core/model/transition.ts';
import type { AlertRule, Watch } from '../../core/model/watch/watch.ts';
import { needsAck } from '../../dispatch/escalate.ts';
import { acksAt, inhibitionsAt } from '../../dispatch/policy/holds.ts';
import type { Silence } from '../../dispatch/model.ts';
import { isSilencedBy, routingOf } from '../../dispatch/policy/match.ts';
import type { Instant } from '../../lib/clock.ts';
import type { OpenAlertRow, StoredAck } from '../../store/contract/operators.ts';
import type { QueryContext } from '../view.ts';
import { byId } from '../watch-by-id.ts';

/** An alert with its watch and rule in force; each is null if the rules no longer contain it. */
export interface RuledAlert {
  readonly row: OpenAlertRow;
  readonly watch: Watch | null;
  readonly rule: AlertRule | null;
}

export interface OpenAlert extends RuledAlert {
  readonly ack: StoredAck | null;
  readonly silence: Silence | null;
  readonly isInhibited: boolean;
  /** True for a condition that fires, and for an event whose route requires an acknowledgement. */
  readonly isOpen: boolean;
}

/** The reason why an open alert needs no attention now; null: it needs attention. */
export function inHand({
  row,
  ack,
  silence,
  isInhibited,
}: OpenAlert): 'acknowledged' | 'silenced' | 'inhibited' | 'info' | null {
  if (ack !== null) return 'acknowledged';
  if (silence !== null) return 'silenced';
  if (isInhibited) return 'inhibited';
  return row.severity === 'info' ? 'info' : null;
}

/** True if the alert is shown as a card: open or critical, and needing attention. */
export function isUnhandled(alert: OpenAlert): boolean {
  return inHand(alert) === null && stands(alert);
}

/** True if the alert would be a card, but needs no attention now. */
export function isHandled(alert: OpenAlert): boolean {
  return inHand(alert) !== null && stands(alert);
}

/** True if the alert can be a card. Other events appear only in the table of events. */
function stands({ row, isOpen }: OpenAlert): boolean {
  return isOpen || row.severity === 'critical';
}

/**
 * Alerts about the daemon itself are left out, since the trust strip shows the same facts. In the order of `byUrgency`.
 */
export async function openAlerts(view: QueryContext): Promise<OpenAlert[]> {
  return (await allOpenAlerts(view)).filter(isOfRules);
}

/** False for an alert about the daemon itself. */
export function isOfRules({ row }: OpenAlert): boolean {
  return row.labels['watch'] !== BUILT_IN_RULE;
}

/** With alerts about the daemon itself: each has a page, where it is acknowledged. */
export async function allOpenAlerts({ store, runtime, now }: QueryContext): Promise<OpenAlert[]> {
  const policy = await store.policy(now);
  const rows = await store.openAlerts({ at: now });
  const silences = policy.silences.filter(({ from, until }) => from <= now && now < until);
  const ackOn = acksOnOpen(policy.acks, now);
  const watchById = byId(runtime.watches());
  const { routes } = runtime.config();
  const inhibitionOf = inhibitionsAt(
    {
      sources: rows.filter(({ isEvent }) => !isEvent),
      inhibit: runtime.config().inhibit,
      coveredUntil: (id) => runtime.readings.memoryOf(id)?.coveredUntil ?? null,
      startedAt: runtime.startedAt ?? -Infinity,
    },
    now,
  );
  const open = rows.map((row): OpenAlert => {
    return {
      ...ruledOf(row, watchById),
      ack: ackOn(row),
      silence: silences.find(({ matchers }) => isSilencedBy(matchers, row.labels)) ?? null,
      isInhibited: inhibitionOf(row) !== null,
      isOpen: row.isFollowed && (!row.isEvent || needsAck(routingOf(routes, null, row.labels))),
    };
  });
  return open.filter(({ row, isOpen }) => isOpen || now - row.at < EVENT_SHOWN_MS).toSorted(byUrgency);
}

export function ruledOf(row: OpenAlertRow, watchById: ReadonlyMap<WatchId, Watch>): RuledAlert {
  const watch = watchById.get(row.watch) ?? null;
  return { row, watch, rule: watch?.alerts.find(({ id }) => id === row.alert) ?? null };
}

/**
 * Critical alerts first. Among equals, conditions come before events: conditions oldest first, events newest first.
 * Otherwise a hundred events of last week would hide that the gas is running out now.
 */
function byUrgency({ row: a }: OpenAlert, { row: b }: OpenAlert): number {
  const older = a.since - b.since;
  return (
    RANK_OF[a.severity] - RANK_OF[b.severity] || Number(a.isEvent) - Number(b.isEvent) || (a.isEvent ? -older : older)
  );
}

/** Finds the acknowledgement in force on an open alert. If the severity rises later, the acknowledgement ends. */
export function acksOnOpen(acks: readonly StoredAck[], now: Instant): (row: OpenAlertRow) => StoredAck | null {
  return acksAt(acks, now);
}
