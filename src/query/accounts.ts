// Balances by account: how far each is from its limit, and what the last day did to it.
import type { Run } from '../core/model/memory.ts';
import type { Watch } from '../core/model/watch.ts';
import { Amount } from '../core/values/amount.ts';
import { showInstant, type Instant } from '../lib/clock.ts';
import { subjectOf } from './cards.ts';
import { pageOf, type Place } from './cursor.ts';
import { pointsSince, runsSince } from './lines.ts';
import { isBeyond, relativeDistance, unitOf } from './measure.ts';
import type { ListFilter } from './shapes.ts';
import type { AccountList, AccountRow } from './shapes/accounts.ts';
import type { Measure } from './shapes/common.ts';
import type { View } from './view.ts';
import { fits } from './watches.ts';
import { measureOfWatch } from './watch-rows.ts';
import { watchStates, type WatchStates } from './watch-states.ts';

const DAY_MS = 86_400_000;
const OUTFLOW_MS = 30 * DAY_MS;
const TENTH = 0.1;

interface Found {
  readonly watch: Watch;
  readonly measure: Measure;
}

/** Those closest to their limit first; those without one last. Throws a `BadCursor`. */
export async function accounts(view: View, filter: ListFilter): Promise<AccountList> {
  const states = await watchStates(view);
  const found = view.runtime.watches().flatMap((watch) => foundIn(view, watch, states, filter));
  const shown = found.filter(({ measure }) => isOf(measure, filter.state));
  const page = pageOf(shown, placeOf, filter);
  const items: AccountRow[] = [];
  for (const one of page.items) items.push(await rowOf(view, one, states));
  return {
    items,
    next: page.next,
    counts: {
      all: found.length,
      below_limit: found.filter(({ measure }) => isOf(measure, 'below-limit')).length,
      within_tenth: found.filter(({ measure }) => isOf(measure, 'within-tenth')).length,
      old_data: found.filter(({ measure }) => isOf(measure, 'old-data')).length,
    },
  };
}

function foundIn({ runtime }: View, watch: Watch, states: WatchStates, filter: ListFilter): Found[] {
  if (watch.of === null || watch.kind.while === null || !fits(watch, filter)) return [];
  const measure = measureOfWatch(runtime, watch, states.blindOf(watch.id) !== null);
  return measure === null ? [] : [{ watch, measure }];
}

function isOf(measure: Measure, state: ListFilter['state']): boolean {
  switch (state) {
    case 'below-limit':
      return isBeyond(measure);
    case 'within-tenth':
      return !isBeyond(measure) && (relativeDistance(measure) ?? Infinity) < TENTH;
    case 'old-data':
      return measure.is_stale;
    default:
      return true;
  }
}

/** By what is left to the limit, as a part of it; below zero it is beyond. */
function placeOf({ watch, measure }: Found): Place {
  const distance = relativeDistance(measure) ?? Number.MAX_VALUE;
  return [isBeyond(measure) ? -distance : distance, watch.name];
}

async function rowOf(
  { store, runtime, now }: View,
  { watch, measure }: Found,
  states: WatchStates,
): Promise<AccountRow> {
  const path = watch.kind.while?.measured ?? '';
  const memory = runtime.memoryOf(watch.id);
  const of = { watch: watch.id, path };
  const runs = memory === null ? [] : await runsSince(store, of, { memory, since: now - OUTFLOW_MS });
  return {
    of: subjectOf(watch) ?? { name: null, address: '', explorer: watch.target.explorer, page_url: null },
    asset: unitOf(watch),
    token: watch.token?.address ?? null,
    watch: watch.name,
    state: states.of(watch).state,
    measure,
    change_24h: changeOf(runs, now - DAY_MS),
    line: pointsSince(runs, now - DAY_MS, memory?.coveredUntil ?? null),
    outflow: outflowOf(runs),
  };
}

const MOST_DECIMALS = 6;

/** Null: it is not known what it was then, or it was nothing. */
function changeOf(runs: readonly Run[], then: Instant): number | null {
  const last = runs.at(-1);
  const before = runs.findLast(([from, until]) => from <= then && (until === null || until >= then));
  if (last === undefined || before === undefined) return null;
  const [now, past] = [Amount.parse(last[2]), Amount.parse(before[2])];
  if (now === undefined || past === undefined || past.digits === 0n) return null;
  return Number(now.minus(past).dividedBy(past).toNumber().toFixed(MOST_DECIMALS));
}

/** The newest fall between two answers. */
function outflowOf(runs: readonly Run[]): AccountRow['outflow'] {
  for (let i = runs.length - 1; i > 0; i -= 1) {
    const [run, before] = [runs[i], runs[i - 1]];
    const [now, then] = [Amount.parse(run?.[2] ?? ''), Amount.parse(before?.[2] ?? '')];
    if (run === undefined || now === undefined || then === undefined || now.compare(then) >= 0) continue;
    return { amount: then.minus(now).toString(), at: showInstant(run[0]) };
  }
  return null;
}
