// The numbers of alerts and silences in the metrics.
import type { Severity } from '../core/model/ids.ts';
import { isSilencedBy } from '../dispatch/policy/match.ts';
import { allOpenAlerts, isOfRules, isUnhandled } from './alerts/open-alerts.ts';
import { cardGroups, countAlerts } from './alerts/card-groups.ts';
import type { QueryContext } from './view.ts';

export interface Gauges {
  /** Open alerts that need attention. */
  readonly unacknowledged: ReadonlyMap<Severity, number>;
  readonly silences: ReadonlyMap<SilenceState, number>;
}

export const SILENCE_STATES = ['active', 'scheduled', 'ending-while-firing'] as const;
export type SilenceState = (typeof SILENCE_STATES)[number];

/** A silence counts as `ending-while-firing` if it ends within this time and holds back an alert that fires. */
const ENDING_MS = 900_000;

/** Rejects with a `StorageError`. */
export async function gauges(view: QueryContext): Promise<Gauges> {
  const all = await allOpenAlerts(view);
  const open = all.filter(isOfRules);
  const cards = cardGroups(open.filter((alert) => alert.isOpen && isUnhandled(alert)));
  const unacknowledged = new Map(
    (['critical', 'warning'] as const).map((severity): [Severity, number] => [
      severity,
      countAlerts(cards.filter(({ first }) => first.row.severity === severity)),
    ]),
  );
  return { unacknowledged, silences: await silencesBy(view, all) };
}

async function silencesBy(
  { store, now }: QueryContext,
  open: Awaited<ReturnType<typeof allOpenAlerts>>,
): Promise<ReadonlyMap<SilenceState, number>> {
  const silences = (await store.policy(now)).silences.filter(({ kind }) => kind === 'silence');
  const firing = open.filter(({ row }) => !row.isEvent);
  const active = silences.filter(({ from }) => from <= now);
  const ending = active.filter(
    ({ until, matchers }) => until - now <= ENDING_MS && firing.some(({ row }) => isSilencedBy(matchers, row.labels)),
  );
  return new Map<SilenceState, number>([
    ['active', active.length],
    ['scheduled', silences.length - active.length],
    ['ending-while-firing', ending.length],
  ]);
}
