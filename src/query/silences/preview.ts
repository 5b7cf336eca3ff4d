// The preview of a silence: the alerts that it would hold back now, and those that it would have held back in the last
// 24 hours.
import { SEVERITIES, type Recipient, type Severity } from '../../core/model/ids.ts';
import type { Labels, Matcher } from '../../dispatch/model.ts';
import { isSilencedBy } from '../../dispatch/policy/match.ts';
import type { OpenAlertRow } from '../../store/contract/operators.ts';
import type { NotifiedLabels } from '../../store/contract/store.ts';
import type { SilencePreview } from '../shapes/operators.ts';
import type { QueryContext } from '../view.ts';
import { isWide, reachOf, type MatcherMistake, type SilencedAlert } from '../../operators/reach.ts';

const DAY_MS = 86_400_000;
const MOST_LISTED = 100;

type Row = SilencePreview['alerts'][number];

/** Returns the mistakes if the matchers are wrong. Rejects with a `StorageError`. */
export async function previewSilence(
  { store, runtime, now }: QueryContext,
  matchers: Matcher,
): Promise<SilencePreview | readonly MatcherMistake[]> {
  const [watches, reports] = [runtime.watches(), runtime.reports()];
  const all = watches.length + reports.length;
  const reach = reachOf(matchers, { watches, reports, selfLabels: runtime.selfLabels() });
  if (!('rules' in reach)) return reach;
  const isMeant = ({ labels }: { readonly labels: Labels }): boolean => isSilencedBy(matchers, labels);
  const open = (await store.openAlerts({ at: now })).filter(isMeant);
  const notified = (await store.notifiedSince(now - DAY_MS)).filter(isMeant);
  const rows = rowsOf({ alerts: reach.alerts, open, notified });
  const names = new Set(reach.alerts.map(({ name }) => name));
  return {
    alerts: rows.slice(0, MOST_LISTED),
    left_out: Math.max(0, rows.length - MOST_LISTED),
    all: reach.alerts.length,
    rules: reach.rules,
    of_rules: reach.ofRules,
    watches: names.size,
    share: all === 0 ? 0 : names.size / all,
    open: alertsIn(open),
    notifications_24h: sumOf(notified),
    critical_24h: sumOf(notified.filter(({ labels }) => labels['severity'] === 'critical')),
    recipients_24h: new Set(notified.flatMap(({ to }) => to.map(nameOf))).size,
    needs_confirm: isWide(reach),
  };
}

interface Found {
  readonly alerts: readonly SilencedAlert[];
  readonly open: readonly OpenAlertRow[];
  readonly notified: readonly NotifiedLabels[];
}

/** Counts alerts of watches: a hundred open events of one alert count once. */
function alertsIn(open: readonly OpenAlertRow[]): number {
  return new Set(open.map(({ watch, alert }) => JSON.stringify([watch, alert]))).size;
}

function rowsOf({ alerts, open, notified }: Found): Row[] {
  const openBy = Map.groupBy(open, alertOf);
  const notifiedBy = Map.groupBy(notified, alertOf);
  const rows = [...Map.groupBy(alerts, alertOf)].map(([name, same]) => {
    return rowOf(same, { open: alertsIn(openBy.get(name) ?? []), notified: notifiedBy.get(name) ?? [] });
  });
  return rows.toSorted((a, b) => b.open - a.open || b.notifications_24h - a.notifications_24h);
}

/** The row of one rule's alert, over all of its watches. */
function rowOf(
  same: readonly SilencedAlert[],
  { open, notified }: { readonly open: number; readonly notified: readonly NotifiedLabels[] },
): Row {
  const [{ watch = '', alert = '', severity } = {}] = same.map(({ labels }) => labels);
  const named = same.flatMap(({ notify }) => notify);
  return {
    watch,
    alert,
    severity: severityOf(severity),
    watches: new Set(same.map(({ name }) => name)).size,
    open,
    notifications_24h: sumOf(notified),
    to: [...new Set([...named, ...notified.flatMap(({ to }) => to.map(({ channel }) => channel))])],
  };
}

function severityOf(label: string | undefined): Severity {
  return SEVERITIES.find((one) => one === label) ?? 'warning';
}

function sumOf(notified: readonly NotifiedLabels[]): number {
  return notified.reduce((sum, { count }) => sum + count, 0);
}

function alertOf({ labels }: { readonly labels: Labels }): string {
  return JSON.stringify([labels['watch'], labels['alert']]);
}

function nameOf({ channel, recipient }: Recipient): string {
  return JSON.stringify([channel, recipient]);
}
