// The list of watches.
import type { Watch } from '../../core/model/watch/watch.ts';
import { days } from '../values/bars.ts';
import { pageOf, type Order } from '../cursor.ts';
import type { ListFilter } from '../shapes.ts';
import { WATCH_STATES, type WatchList, type WatchState } from '../shapes/watches.ts';
import { unhealthyAlerts } from '../daemon/trust.ts';
import type { View } from '../view.ts';
import { closenessOfWatch, creditsPerDay, watchRow } from './watch-rows.ts';
import { watchStates, type WatchStanding } from './watch-states.ts';

interface Found {
  readonly watch: Watch;
  readonly standing: WatchStanding;
  readonly isUnhealthy: boolean;
}

/** Throws a `BadCursor`. */
export async function watches(view: View, filter: ListFilter): Promise<WatchList> {
  const states = await watchStates(view);
  const found = view.runtime
    .watches()
    .filter((watch) => fits(watch, filter))
    .map((watch): Found => {
      const isUnhealthy = unhealthyAlerts(view.runtime, watch, view.now).length > 0;
      return { watch, standing: states.of(watch), isUnhealthy };
    });
  const shown = found.filter((one) => hasState(one, filter.state));
  const page = pageOf(shown, orderBy(view, filter.sort ?? 'problems'), filter);
  const { barsOf } = await (await days(view)).of(page.items.map(({ watch }) => watch.id));
  return {
    items: page.items.map(({ watch }) => watchRow(view, watch, { states, barsOf })),
    next: page.next,
    counts: countsOf(found),
    unhealthy: found.filter(({ isUnhealthy }) => isUnhealthy).length,
  };
}

const texts = new WeakMap<Watch, string>();

/** By name, rule, kind, explorer, address and token. */
export function fits(watch: Watch, { q, explorer, rule, severity }: ListFilter): boolean {
  if (explorer !== null && watch.target.explorer !== explorer) return false;
  if (rule !== null && watch.rule !== rule) return false;
  if (severity !== null && watch.alerts.every((alert) => alert.severity !== severity)) return false;
  return q === null || q === '' || textOf(watch).includes(q.toLowerCase());
}

function textOf(watch: Watch): string {
  const known = texts.get(watch);
  if (known !== undefined) return known;
  const { name, rule, kind, target, of, token } = watch;
  const parts = [name, rule, kind.name, target.explorer, of?.name, of?.address, token?.name, token?.address];
  const text = parts
    .filter((part) => typeof part === 'string')
    .join('\n')
    .toLowerCase();
  texts.set(watch, text);
  return text;
}

function hasState({ standing, isUnhealthy }: Found, state: ListFilter['state']): boolean {
  if (state === null) return true;
  return state === 'unhealthy' ? isUnhealthy : standing.state === state;
}

function orderBy(view: View, sort: NonNullable<ListFilter['sort']>): Order<Found> {
  return { rankOf: rankBy(view, sort), tieOf: ({ watch }) => [watch.name] };
}

function rankBy({ runtime }: View, sort: NonNullable<ListFilter['sort']>): (found: Found) => number {
  switch (sort) {
    case 'problems':
      return problemRank;
    case 'closest':
      return ({ watch }) => Math.min(closenessOfWatch(runtime, watch), Number.MAX_VALUE);
    case 'oldest':
      return ({ watch }) => runtime.memoryOf(watch.id)?.coveredUntil ?? 0;
    case 'credits':
      return ({ watch }) => -creditsPerDay(watch);
  }
}

const SEVERITIES = ['critical', 'warning', 'info'] as const;

/** By state, then by severity; what is only unhealthy comes before what is not. */
function problemRank({ standing: { state, severity }, isUnhealthy }: Found): number {
  const bySeverity = severity === null ? 0 : SEVERITIES.indexOf(severity);
  return WATCH_STATES.indexOf(state) * 8 + bySeverity * 2 + (isUnhealthy ? 0 : 1);
}

function countsOf(found: readonly Found[]): Record<WatchState, number> {
  const counts = { firing: 0, pending: 0, blind: 0, paused: 0, silenced: 0, starting: 0, ok: 0 };
  for (const { standing } of found) counts[standing.state] += 1;
  return counts;
}
