// The list of watches.
import type { Watch } from '../../core/model/watch/watch.ts';
import { days } from '../values/bars.ts';
import { pageOf, type Order } from '../cursor.ts';
import type { ListFilter } from '../shapes.ts';
import { WATCH_STATES, type WatchList, type WatchState } from '../shapes/watches.ts';
import type { View } from '../view.ts';
import { watchFacts, type WatchFacts } from './watch-facts.ts';
import { creditsPerDay, watchRow } from './watch-rows.ts';
import { watchStates, type WatchStanding } from './watch-states.ts';

interface Found {
  readonly facts: WatchFacts;
  readonly standing: WatchStanding;
}

/** Throws a `BadCursor`. */
export async function watches(view: View, filter: ListFilter): Promise<WatchList> {
  const states = await watchStates(view);
  const all = await watchFacts(view);
  const found = all.flatMap((facts): Found[] =>
    fits(facts.watch, filter) ? [{ facts, standing: states.of(facts) }] : [],
  );
  const shown = found.filter((one) => hasState(one, filter.state));
  const page = pageOf(shown, orderBy(filter.sort ?? 'problems'), filter);
  const { barsOf } = await (await days(view)).of(page.items.map(({ facts }) => facts.watch.id));
  return {
    items: page.items.map(({ facts }) => watchRow(view, facts, { states, barsOf })),
    next: page.next,
    counts: countsOf(found),
    unhealthy: found.filter(isUnhealthy).length,
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

function hasState(found: Found, state: ListFilter['state']): boolean {
  if (state === null) return true;
  return state === 'unhealthy' ? isUnhealthy(found) : found.standing.state === state;
}

function isUnhealthy({ facts }: Found): boolean {
  return facts.unhealthy.length > 0;
}

function orderBy(sort: NonNullable<ListFilter['sort']>): Order<Found> {
  return { rankOf: rankBy(sort), tieOf: ({ facts }) => [facts.watch.name] };
}

function rankBy(sort: NonNullable<ListFilter['sort']>): (found: Found) => number {
  switch (sort) {
    case 'problems':
      return problemRank;
    case 'closest':
      return ({ facts }) => Math.min(facts.closeness, Number.MAX_VALUE);
    case 'oldest':
      return ({ facts }) => facts.memory?.coveredUntil ?? 0;
    case 'credits':
      return ({ facts }) => -creditsPerDay(facts.watch);
  }
}

const SEVERITIES = ['critical', 'warning', 'info'] as const;

/** By state, then by severity; what is only unhealthy comes before what is not. */
function problemRank(found: Found): number {
  const { state, severity } = found.standing;
  const bySeverity = severity === null ? 0 : SEVERITIES.indexOf(severity);
  return WATCH_STATES.indexOf(state) * 8 + bySeverity * 2 + (isUnhealthy(found) ? 0 : 1);
}

function countsOf(found: readonly Found[]): Record<WatchState, number> {
  const counts = { firing: 0, pending: 0, blind: 0, paused: 0, silenced: 0, starting: 0, ok: 0 };
  for (const { standing } of found) counts[standing.state] += 1;
  return counts;
}
