// Balances by account: the distance of each from its limit, and its change in the last day.
import type { Memory, Run } from '../../core/model/memory.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import { Amount } from '../../core/values/amount.ts';
import { showInstant, type Instant } from '../../lib/clock.ts';
import { subjectOf } from '../alerts/cards.ts';
import { pageOf, type Order } from '../cursor.ts';
import { pointsSince, runsSince, withOpenRun } from '../values/lines.ts';
import { unitOf } from '../values/measure.ts';
import type { AccountListFilter } from '../shapes.ts';
import type { AccountList, AccountRow } from '../shapes/accounts.ts';
import { nextFiring } from '../overview/pending.ts';
import { timeOf } from '../times.ts';
import type { QueryContext } from '../view.ts';
import { isOutOfDate } from '../values/readings.ts';
import { fits } from './watches.ts';
import { watchFacts, type WatchFacts } from './watch-facts.ts';
import { measureOfWatch } from './watch-rows.ts';
import { watchStates, type WatchStates } from './watch-states.ts';
import { totalsOf, worthOf, type Worth } from './worth.ts';

const DAY_MS = 86_400_000;
const OUTFLOW_MS = 30 * DAY_MS;
const TENTH = 0.1;

interface Found {
  readonly facts: WatchFacts;
  /** Its address. */
  readonly account: string;
  readonly isOld: boolean;
}

/**
 * Accounts by their balance that is closest to its limit; accounts without a limit come last. The balances of an
 * account stand together, in the same order. Throws a `BadCursor`.
 */
export async function accounts(view: QueryContext, filter: AccountListFilter): Promise<AccountList> {
  const { now } = view;
  const states = await watchStates(view);
  const all = await watchFacts(view);
  const found = all.flatMap((facts) => foundIn(facts, states, filter));
  const shown = found.filter((one) => isOf(one, filter.state));
  const page = pageOf(shown, orderOf(shown), filter);
  const runsOf = await runsOfAll(view, page.items, now - OUTFLOW_MS);
  const items = page.items.flatMap((one) => rowOf(view, one, { states, runs: runsOf.get(one) ?? [] }) ?? []);
  return {
    items,
    next: page.next,
    totals: totalsOf(shown.flatMap((one) => (hasWorth(one.facts) ? [worthIn(view, one)] : []))),
    scams: scamsAt(all, items),
    counts: {
      all: found.length,
      below_limit: found.filter((one) => isOf(one, 'below-limit')).length,
      within_tenth: found.filter((one) => isOf(one, 'within-tenth')).length,
      old_data: found.filter((one) => isOf(one, 'old-data')).length,
    },
  };
}

function hasWorth({ watch: { kind } }: WatchFacts): boolean {
  return kind.while?.worth !== undefined;
}

function worthIn(view: QueryContext, { facts: { watch, memory }, isOld }: Found): Worth {
  const isStale = isOld || isOutOfDate(view, watch, memory?.coveredUntil ?? null);
  return worthOf(watch, view.runtime.readings.figuresOf(watch.id), isStale);
}

function foundIn(facts: WatchFacts, states: WatchStates, filter: AccountListFilter): Found[] {
  const { watch, hasOldData } = facts;
  if (watch.of === null || pathOf(watch) === '' || !fits(watch, filter)) return [];
  return [{ facts, account: watch.of.address, isOld: hasOldData || states.blindOf(watch.id) !== null }];
}

function isOf({ facts: { closeness }, isOld }: Found, state: AccountListFilter['state']): boolean {
  switch (state) {
    case 'below-limit':
      return closeness < 0;
    case 'within-tenth':
      return closeness >= 0 && closeness < TENTH;
    case 'old-data':
      return isOld;
    default:
      return true;
  }
}

/** Balances of one account are listed together, at the place of the one that is closest to its limit. */
function orderOf(shown: readonly Found[]): Order<Found> {
  const closest = new Map<string, number>();
  for (const { account, facts } of shown)
    closest.set(account, Math.min(facts.closeness, closest.get(account) ?? Number.MAX_VALUE));
  return {
    list: 'accounts',
    rankOf: ({ account }) => closest.get(account) ?? Number.MAX_VALUE,
    tieOf: ({ facts: { watch, closeness }, account }) => [account, Math.min(closeness, Number.MAX_VALUE), watch.name],
  };
}

const MOST_RUNS = 100_000;

/** The runs of all rows, each with its open run. One statement reads them, unless there are `MOST_RUNS` or more. */
async function runsOfAll(
  { store }: QueryContext,
  all: readonly Found[],
  since: Instant,
): Promise<ReadonlyMap<Found, readonly Run[]>> {
  const known = all.flatMap((found) => {
    const { watch, memory } = found.facts;
    return memory === null ? [] : [{ found, memory, of: { watch: watch.id, path: pathOf(watch) } }];
  });
  const paths = known.map(({ of }) => of);
  const stored = await store.runsAfter(paths, since - 1, MOST_RUNS);
  const isCut = stored.reduce((sum, runs) => sum + runs.length, 0) === MOST_RUNS;
  const runsOf = new Map<Found, readonly Run[]>();
  for (const [i, { found, memory, of }] of known.entries()) {
    const runs = isCut ? await runsSince(store, of, { memory, since }) : withOpenRun(memory, of.path, stored[i] ?? []);
    runsOf.set(found, runs);
  }
  return runsOf;
}

function pathOf({ kind }: Watch): string {
  return kind.while?.measured ?? '';
}

/** The scam tokens that these accounts received, if their tokens are watched: they are counted, and not listed. */
function scamsAt(facts: readonly WatchFacts[], accounts: readonly AccountRow[]): AccountList['scams'] {
  const shown = new Set(accounts.map(({ of }) => `${of.explorer} ${of.address}`));
  return facts.flatMap(({ watch, memory }) => {
    if (watch.kind.scams === undefined || memory === null) return [];
    const of = subjectOf(watch);
    if (of === null || !shown.has(`${of.explorer} ${of.address}`)) return [];
    const count = scamsIn(watch, memory);
    return count === 0 ? [] : [{ of, watch: watch.name, count }];
  });
}

function scamsIn({ kind }: Watch, memory: Memory): number {
  const state = kind.state.safeParse(memory.state);
  return state.success ? (kind.scams?.(state.data) ?? 0) : 0;
}

interface RowParts {
  readonly states: WatchStates;
  readonly runs: readonly Run[];
}

/** Null if the watch measures nothing. */
function rowOf(view: QueryContext, found: Found, { states, runs }: RowParts): AccountRow | null {
  const { facts, isOld } = found;
  const { now } = view;
  const { watch, memory } = facts;
  const [of, measure] = [subjectOf(watch), measureOfWatch(view, facts, isOld)];
  if (of === null || measure === null) return null;
  const { state, severity, since } = states.of(facts);
  const { amount, usd, rate } = worthIn(view, found);
  return {
    of,
    asset: unitOf(watch),
    token: watch.token?.address ?? null,
    watch: watch.name,
    state,
    severity,
    since: timeOf(since),
    fires_at: timeOf(nextFiring(facts)),
    measure,
    balance: amount?.toString() ?? null,
    usd: usd?.toString() ?? null,
    rate: rate?.toString() ?? null,
    change_24h: changeOf(runs, now - DAY_MS),
    line: pointsSince(runs, now - DAY_MS, memory?.coveredUntil ?? null),
    outflow: outflowOf(runs),
  };
}

const MOST_DECIMALS = 6;

/** The relative change since `then`; null: the value at that time is unknown or zero. */
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
