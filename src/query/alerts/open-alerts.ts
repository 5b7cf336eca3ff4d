// Which alerts are open, and who has them in hand: an operator, a silence, or another alert that explains them.
import { BUILT_IN_RULE, type Severity } from '../../core/model/ids.ts';
import type { AlertRule, Watch } from '../../core/model/watch/watch.ts';
import { inhibitionsAt } from '../../dispatch/policy/inhibit.ts';
import type { Silence } from '../../dispatch/model.ts';
import { isSilencedBy } from '../../dispatch/policy/silenced.ts';
import type { OpenAlertRow, StoredAck } from '../../store/interventions.ts';
import type { View } from '../view.ts';
import { byId } from '../watch-by-id.ts';

export interface OpenAlert {
  readonly row: OpenAlertRow;
  /** Null: its rule is gone. */
  readonly watch: Watch | null;
  readonly rule: AlertRule | null;
  readonly ack: StoredAck | null;
  readonly silence: Silence | null;
  readonly isInhibited: boolean;
}

/** Why nobody has to look at an open alert now; null: somebody has to. */
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

/** Whether it is a card: critical, or a condition that is a warning, and in nobody's hand. */
export function isUnhandled(alert: OpenAlert): boolean {
  return inHand(alert) === null && (alert.row.severity === 'critical' || !alert.row.isEvent);
}

export const RANK: Readonly<Record<Severity, number>> = { critical: 0, warning: 1, info: 2 };

/** Without what the daemon tells of itself: the trust strip shows the same facts. Critical first, then the oldest. */
export async function openAlerts({ store, runtime, now }: View): Promise<OpenAlert[]> {
  const policy = await store.policy(now);
  const rows = await store.openAlerts({ at: now });
  const silences = policy.silences.filter(({ from, until }) => from <= now && now < until);
  const acks = new Map(policy.acks.map((ack) => [nameOf(ack), ack]));
  const watchById = byId(runtime.watches());
  const inhibitionOf = inhibitionsAt(
    {
      sources: rows.filter(({ isEvent }) => !isEvent),
      inhibit: runtime.config().inhibit,
      lookedAt: (id) => runtime.memoryOf(id)?.coveredUntil ?? null,
      startedAt: runtime.startedAt ?? now,
    },
    now,
  );
  const open = rows
    .filter(({ labels }) => labels['watch'] !== BUILT_IN_RULE)
    .map((row): OpenAlert => {
      const watch = watchById.get(row.watch) ?? null;
      const ack = acks.get(nameOf(row)) ?? null;
      return {
        row,
        watch,
        rule: watch?.alerts.find(({ id }) => id === row.alert) ?? null,
        // A severity that was raised since ends it.
        ack: ack !== null && RANK[ack.severity] <= RANK[row.severity] ? ack : null,
        silence: silences.find(({ matchers }) => isSilencedBy(matchers, row.labels)) ?? null,
        isInhibited: inhibitionOf(row) !== null,
      };
    });
  return open.toSorted((a, b) => RANK[a.row.severity] - RANK[b.row.severity] || a.row.since - b.row.since);
}

function nameOf({ key, episode }: { readonly key: string; readonly episode: number }): string {
  return `${key} ${episode}`;
}
