// The books of one plan. Starts new books at the end of a period, counts requests under way, and books each request as
// it ends. Beside them stand the counts for people and the prices that were learned.
import { isDeepStrictEqual } from 'node:util';
import type { Severity } from '../../core/model/ids.ts';
import type { OperationName } from '../../core/model/watch/question.ts';
import { type Books, type PeriodRule, type Resets, resetsSeen } from '../../core/spending/plan.ts';
import { ENRICH_PERCENT, NOTHING_SPENT } from '../../core/spending/plan.ts';
import { afterFall, type SeenPrices } from '../../core/spending/prices.ts';
import type { Spend, SpendClass } from '../../core/spending/spend.ts';
import type { Clock, Instant } from '../../lib/clock.ts';
import {
  agreedRest,
  charted,
  type CreditPlan,
  knownRest,
  newBooks,
  resumed,
  settled,
  turned,
  underPlan,
  withHeader,
} from './books.ts';

/** The plan as the config has it. */
export interface WrittenPlan extends PeriodRule {
  /** Null: the config has none. */
  readonly credits: number | null;
  readonly reservePercent: number;
  /** The part of the credits that details of events may cost. */
  readonly enrichPercent: number;
}

export interface PlanInForce extends CreditPlan {
  readonly reservePercent: number;
  readonly enrichPercent: number;
  /** True if no plan is written in the config. */
  readonly isAssumed: boolean;
}

export interface BookedRequest {
  /** The request's spend with the learned price, if there is one. */
  readonly spend: Spend;
  readonly order: number;
  /** The credits left by a header of the last second, if all earlier requests were answered; null: unknown. */
  readonly before: number | null;
}

/** The books at one moment, without the credits of requests under way. */
export interface PlanStanding {
  readonly at: Instant;
  /** Null: no plan is known. */
  readonly plan: PlanInForce | null;
  readonly books: Books;
  readonly known: number;
  readonly agreed: number;
  /**
   * True if no request is under way and none was sent for a while. One request may then be sent, to show whether the
   * plan was refilled.
   */
  readonly isIdle: boolean;
  /**
   * True if no request is under way and none was sent for a while. One request may then be sent, to check a header that
   * was doubted or that showed no credits.
   */
  readonly isProbeDue: boolean;
}

export interface Bookkeeper {
  /** Continues with the stored books; null: with empty ones. */
  resume(stored: Books | null): void;
  /** Changes the plan. The bookings of the period stay. */
  readonly setPlan: (written: WrittenPlan | null) => void;
  /** Called when a request is sent. The request must be settled later. */
  leave(spend: Spend): BookedRequest;
  /** `isCharged`: the explorer counted it. `header`: the credits left; null: the answer has no such header. */
  readonly settle: (
    request: BookedRequest,
    ended: { readonly isCharged: boolean; readonly header: number | null },
  ) => void;
  now(): PlanStanding;
  /** True if a header has named the credits left, or if credits are not counted. */
  readonly isHeaderKnown: () => boolean;
}

export interface BookkeeperOptions {
  readonly clock: Clock;
  /** True if a plan of 100,000 a day is assumed when none is written and no header showed more. */
  readonly assumesPlan: boolean;
  /** Called with the new time if a daily plan is refilled at another time than expected; null: at midnight UTC. */
  readonly onResets?: (resets: Resets) => void;
  /** Called with the fall of the credits around a request that was alone under way. */
  readonly onAlone: (spend: Spend, fall: number) => void;
}

const ASSUMED = {
  credits: 100_000,
  per: 'day',
  resets: null,
  reservePercent: 0,
  enrichPercent: ENRICH_PERCENT,
} as const;
/**
 * While the credits left are unknown, watches that are not critical send one request in this time. The time grows while
 * the credits stay unknown.
 */
const REFILLING_GAP_MS = 15_000;
const LONGEST_GAP_MS = 600_000;
/**
 * A doubted header is checked if no request was sent for this time. A header that shows no credits is checked after a
 * longer time.
 */
const DOUBTED_GAP_MS = 5000;
const OVERDRAWN_GAP_MS = 600_000;
/**
 * The highest age of a header from which a price is learned. With an older header, the requests of a program that asks
 * once a minute would be counted in the price.
 */
const MOMENT_MS = 1000;

export function createBookkeeper(
  { clock, assumesPlan, onResets, onAlone }: BookkeeperOptions,
  counter: SpendCounter,
): Bookkeeper {
  let written: WrittenPlan | null = null;
  let books = newBooks(clock.now());
  let inFlight = 0;
  let orders = 0;
  let lastLeft = clock.now();
  let headerAt = -Infinity;

  const planInForce = (by: Books = books): PlanInForce | null => planBy(by, written, assumesPlan);

  function now(): PlanStanding {
    const at = clock.now();
    const plan = planInForce();
    if (plan !== null) {
      const current = books.resetsAt === Infinity ? underPlan(books, plan, at) : turned(books, plan, at);
      books = charted(current, plan, at);
    }
    const less = (rest: number | null): number => (plan === null || rest === null ? Infinity : rest - inFlight);
    const [known, agreed] = [less(knownRest(books, plan)), less(agreedRest(books, plan))];
    const since = books.refillingSince ?? at;
    const gapMs = Math.min(LONGEST_GAP_MS, Math.max(REFILLING_GAP_MS, (at - since) / 2));
    const isQuietFor = (ms: number, from = lastLeft): boolean => inFlight === 0 && at - from >= ms;
    const probeGapMs = books.doubted === null ? (known > 0 ? Infinity : OVERDRAWN_GAP_MS) : DOUBTED_GAP_MS;
    return {
      at,
      plan,
      books,
      known,
      agreed,
      isIdle: isQuietFor(gapMs, Math.max(since, lastLeft)),
      isProbeDue: isQuietFor(probeGapMs),
    };
  }

  /** An observed refill may show the time of the next one. */
  function followResets({ resets: expected }: PlanInForce, at: Instant): void {
    const plan = planInForce();
    if (plan === null || isDeepStrictEqual(plan.resets, expected)) return;
    books = underPlan(books, plan, at);
    onResets?.(plan.resets);
  }

  return {
    now,
    isHeaderKnown: () => books.header !== null || (planInForce() === null && !assumesPlan),
    setPlan(next) {
      if (JSON.stringify(next) === JSON.stringify(written)) return;
      written = next;
      books = underPlan(books, planInForce(), clock.now());
    },
    resume(stored) {
      books = resumed(stored ?? newBooks(clock.now()), orders);
      books = underPlan(books, planInForce(), clock.now());
    },
    leave(spend) {
      lastLeft = clock.now();
      const isAlone = inFlight === 0 && lastLeft - headerAt <= MOMENT_MS && isCertain(books);
      inFlight += spend.price;
      return { spend, order: orders++, before: isAlone ? books.header : null };
    },
    settle({ spend, order, before: rest }, { isCharged, header }) {
      if (header !== null) headerAt = clock.now();
      if (rest !== null && header !== null && isCharged && order === orders - 1) onAlone(spend, rest - header);
      const { at, plan, books: before } = now();
      inFlight -= spend.price;
      const inView = plan ?? planInForce(withHeader(books, header));
      books = settled(books, inView, { spend, order, isCharged, header, inFlight }, at);
      if (plan !== null) followResets(plan, at);
      if (isCharged) counter.charged(spend);
      counter.booked(before, books);
    },
  };
}

/**
 * True if the last header is current: no request was sent since, the header is not doubted, and no refill is expected.
 */
function isCertain({ own, doubted, refillingSince }: Books): boolean {
  return own === 0 && doubted === null && refillingSince === null;
}

function planBy({ highest, refills }: Books, written: WrittenPlan | null, assumesPlan: boolean): PlanInForce | null {
  if (written !== null && written.credits !== null) {
    const { credits, per, resets } = written;
    return { ...written, credits, resets: resets ?? (per === 'day' ? resetsSeen(refills) : null), isAssumed: false };
  }
  const isAssumed = assumesPlan && highest !== null && highest <= ASSUMED.credits;
  return isAssumed ? { ...ASSUMED, resets: resetsSeen(refills), isAssumed } : null;
}

// Counts the credits of a plan since the start, over all its periods.

export interface SpendCounts {
  readonly spent: Readonly<Record<SpendClass, number>>;
  /** Spent by other programs: the highest sum of each period, since the sum of a period may fall again. */
  readonly foreign: number;
  /** First pages that were postponed by a minute. First pages of critical watches are never postponed. */
  readonly postponed: Readonly<Record<Exclude<Severity, 'critical'>, number>>;
}

type BookedPeriod = Pick<Books, 'from' | 'foreign'>;

interface SpendCounter {
  charged(spend: Spend): void;
  /** Called with the books before and after the end of a request. */
  booked(before: BookedPeriod, after: BookedPeriod): void;
  /** Called when other books are in force. The earlier spending of other programs in them is not counted. */
  resumed(): void;
  postponed(severity: keyof SpendCounts['postponed']): void;
  counts(): SpendCounts;
}

export function createSpendCounter(): SpendCounter {
  const spent: Record<SpendClass, number> = { ...NOTHING_SPENT };
  const postponed = { warning: 0, info: 0 };
  let foreign = 0;
  /** The highest sum of the period. */
  let most: BookedPeriod | null = null;
  return {
    charged({ class: name, price }) {
      spent[name] += price;
    },
    booked(before, after) {
      // Books of another process contain spending that it counted. So the sum in `before` is not counted again.
      const known = most?.from === before.from ? most.foreign : 0;
      most = { from: before.from, foreign: Math.max(known, before.foreign) };
      if (most.from !== after.from) most = { from: after.from, foreign: 0 };
      foreign += Math.max(0, after.foreign - most.foreign);
      most = { from: after.from, foreign: Math.max(most.foreign, after.foreign) };
    },
    resumed() {
      most = null;
    },
    postponed(severity) {
      postponed[severity] += 1;
    },
    counts: () => ({ spent: { ...spent }, foreign, postponed: { ...postponed } }),
  };
}

export interface PriceOptions {
  /** Called if an operation's price differs from the expected one. */
  readonly onPrice?: (operation: OperationName, price: number, before: number) => void;
}

/** The prices of operations. */
export interface LearnedPrices {
  priced(spend: Spend): Spend;
  readonly fell: (spend: Spend, fall: number) => void;
  learned(): ReadonlyMap<OperationName, number>;
  seen(): SeenPrices;
  resume(seen: SeenPrices): void;
}

export function createPrices({ onPrice }: PriceOptions): LearnedPrices {
  let seen: SeenPrices = {};
  return {
    priced: (spend) => ({ ...spend, price: seen[spend.operation]?.price ?? spend.price }),
    fell({ operation, price: before }, fall) {
      seen = afterFall(seen, operation, fall);
      const price = seen[operation]?.price ?? before;
      if (price !== before) onPrice?.(operation, price, before);
    },
    learned: () =>
      new Map(Object.entries(seen).flatMap(([name, { price }]) => (price === null ? [] : [[name, price]]))),
    seen: () => seen,
    resume(stored) {
      seen = stored;
    },
  };
}
