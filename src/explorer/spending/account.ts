// One plan: an origin and a key that one or more explorers share. Counts the credits of the plan, and decides whether a
// request may be sent. Credits that critical watches need until the reset are kept for them. Requests that can wait
// have a share of their own.
import type { WatchId } from '../../core/model/ids.ts';
import type { OperationName } from '../../core/model/watch/question.ts';
import {
  type Books,
  DAY_MS,
  NO_USE,
  periodMs,
  type PlanRow,
  ratesOf,
  resetAfter,
  usedBy,
} from '../../core/spending/plan.ts';
import { type SpendingPlan, type Supply, UNSTRETCHED } from '../../core/spending/planner.ts';
import type { Spend, SweepTurn } from '../../core/spending/spend.ts';
import type { Instant } from '../../lib/clock.ts';
import {
  type Bookkeeper,
  type BookkeeperOptions,
  createBookkeeper,
  createPrices,
  createSpendCounter,
  type PlanInForce,
  type PlanStanding,
  type PriceOptions,
  type SpendCounts,
} from './bookkeeper.ts';
import { type CreditPlan, expectedForeign } from './books.ts';
import type { Refill } from './refusals.ts';

export interface AccountOptions extends Omit<BookkeeperOptions, 'onAlone'>, PriceOptions {}

/** `postpone`: a first page that is due again in a minute. `refuse`: a further page that is not read. */
export type SpendAdmission = 'leave' | 'postpone' | 'refuse';

/** A plan and its books, for people. */
export interface AccountFacts {
  readonly plan: PlanInForce;
  readonly books: Books;
  /** The credits left; null: unknown. */
  readonly known: number | null;
  readonly counts: SpendCounts;
}

export interface Account extends Pick<Bookkeeper, 'setPlan' | 'leave' | 'settle' | 'isHeaderKnown'> {
  admit(spend: Spend): SpendAdmission;
  /**
   * The input of the spending plan: the credits until the reset, and the measured spending. If no plan is known, the
   * credits are unlimited.
   */
  supply(): Omit<Supply, 'dearest' | 'requestsPerMs'>;
  /** The next refill. Without a plan: midnight UTC, when most plans are refilled. */
  refill(): Refill;
  /** Sets the plan of the watches from now on. */
  planned(plan: SpendingPlan): void;
  /** Learned prices, by operation. */
  prices(): ReadonlyMap<OperationName, number>;
  /** True if the last header may be wrong and no other request is sent: one request may be sent to check it. */
  isProbeDue(): boolean;
  /** Null: no plan is known. */
  facts(): AccountFacts | null;
  /** The row to store; null: no plan is known. */
  row(): PlanRow | null;
  /** Continues from a stored row, possibly of another process; null: starts without one. */
  resume(row: PlanRow | null): void;
}

const MIDNIGHT = { per: 'day', resets: null } as const;
const HOUR_MS = 3_600_000;
const SWEEP_SHARE = 0.1;
const PAGES_SHARE = 0.2;
/** The share of open lists. With its unused credits of up to six hours, it spends at most 5 % of a day's credits. */
const OPEN_SHARE = 0.04;
const OPEN_SAVED_MS = 6 * HOUR_MS;
/** Second pages of critical watches may use the safety margin of their need. */
const DEEP_MARGIN = 1.05;
/** The most credits that sweeps save without a plan: 50 pages at the highest price. */
const MOST_SWEPT = 50 * 40;

export function createAccount(options: AccountOptions): Account {
  const { clock } = options;
  const counter = createSpendCounter();
  const prices = createPrices(options);
  const keeper = createBookkeeper({ ...options, onAlone: prices.fell }, counter);
  /** The credits that requests of other watches must leave for critical ones, by the spending plan. */
  let need: Pick<SpendingPlan, 'kept' | 'deepPerMs'> = UNSTRETCHED;
  let use = NO_USE;
  const details = createDetailsBudget();
  const shares = createShares(clock.now(), () => perMsOf(keeper.now().plan));

  /** True if the credits suffice for this request besides the need of critical watches. */
  function isThere(spend: Spend, standing: PlanStanding): boolean {
    const { books, known } = standing;
    if (books.refillingSince !== null && !standing.isIdle) return false;
    if (standing.isProbeDue) return true;
    const kept = criticalNeed(need.kept, standing) / (isDeep(spend) ? DEEP_MARGIN : 1);
    return known - spend.price >= kept;
  }

  return {
    setPlan: keeper.setPlan,
    settle: details.counting(keeper.settle),
    isHeaderKnown: keeper.isHeaderKnown,
    admit(asked) {
      const spend = prices.priced(asked);
      const standing = keeper.now();
      const { at, plan } = standing;
      if (spend.class === 'critical' || spend.class === 'probe') return 'leave';
      if (plan === null) return spend.class !== 'sweep' || mayTake(shares.ofRequests, spend, at) ? 'leave' : 'refuse';
      const isPaid = isThere(spend, standing);
      if (spend.class === 'enrich') return isPaid && details.has(spend, plan, standing.books) ? 'leave' : 'refuse';
      if (spend.class === 'warning' || spend.class === 'info') {
        if (!isPaid) counter.postponed(spend.class);
        return isPaid ? 'leave' : 'postpone';
      }
      const deepPerMs = Math.min(need.deepPerMs, perMsOf(plan));
      const isLeft = spend.openTo !== 'any-contract' || spend.class !== 'pages' || shares.hasBesideNamed(spend, at);
      return isPaid && isLeft && mayTake(shares.of(spend, at, deepPerMs), spend, at) ? 'leave' : 'refuse';
    },
    leave(asked) {
      const spend = prices.priced(asked);
      const { at, plan } = keeper.now();
      if (spend.class === 'sweep' && plan === null) shares.ofRequests.take(spend.price);
      else if (plan === null) shares.ofRequests.save(SWEEP_SHARE * spend.price);
      else if (spend.class === 'pages' || spend.class === 'sweep') shares.of(spend, at, 0).take(spend.price);
      details.leaves(spend);
      use = usedBy(use, spend, at);
      return keeper.leave(spend);
    },
    supply() {
      const standing = keeper.now();
      return { ...meansOf(standing), ...ratesOf(use, standing.at) };
    },
    refill() {
      const { at, plan, books } = keeper.now();
      if (plan === null) return { at: resetAfter(MIDNIGHT, at, at), isUnderWay: false };
      return { at: books.resetsAt, isUnderWay: books.refillingSince !== null };
    },
    planned(plan) {
      need = plan;
    },
    prices: () => prices.learned(),
    isProbeDue: () => keeper.now().isProbeDue,
    facts() {
      const { plan, known, books } = keeper.now();
      return plan === null ? null : { plan, books, known: known === Infinity ? null : known, counts: counter.counts() };
    },
    row() {
      const { plan, books } = keeper.now();
      return plan === null && books.header === null ? null : { books, use, prices: prices.seen() };
    },
    resume(row) {
      use = row?.use ?? NO_USE;
      prices.resume(row?.prices ?? {});
      keeper.resume(row?.books ?? null);
      counter.resumed();
    },
  };
}

/** The need until the reset, which shrinks as time passes. */
function criticalNeed({ perMs, margin }: SpendingPlan['kept'], { at, books }: PlanStanding): number {
  return perMs === 0 ? 0 : perMs * Math.max(0, books.resetsAt - at) + margin;
}

function meansOf({ at, plan, agreed, books }: PlanStanding): Pick<Supply, 'known' | 'leftMs' | 'foreign' | 'keep'> {
  const reserve = plan === null ? 0 : (plan.credits * plan.reservePercent) / 100;
  return {
    known: agreed,
    leftMs: plan === null ? DAY_MS : Math.max(60_000, books.resetsAt - at),
    foreign: expectedForeign(books, at),
    keep: Math.max(0, reserve - Math.max(0, books.foreign)),
  };
}

/**
 * Details of events have a part of each period. Half of it is kept for critical alerts, because anybody can cause
 * events of other alerts.
 */
interface DetailsBudget {
  has(spend: Spend, plan: PlanInForce, books: Books): boolean;
  leaves(spend: Spend): void;
  /** Returns a function that calls `settle`, and then no longer counts the request as being under way. */
  counting(settle: Bookkeeper['settle']): Bookkeeper['settle'];
}

function createDetailsBudget(): DetailsBudget {
  let underWay = 0;
  const priceOf = ({ class: name, price }: Spend): number => (name === 'enrich' ? price : 0);
  return {
    has({ severity, price }, plan, { spent }) {
      const whole = (plan.credits * plan.enrichPercent) / 100;
      return spent.enrich + underWay + price <= (severity === 'critical' ? whole : whole / 2);
    },
    leaves(spend) {
      underWay += priceOf(spend);
    },
    counting: (settle) => (request, ended) => {
      underWay -= priceOf(request.spend);
      settle(request, ended);
    },
  };
}

function isDeep({ class: name, severity }: Spend): boolean {
  return name === 'pages' && severity === 'critical';
}

function perMsOf(plan: CreditPlan | null): number {
  return plan === null ? 0 : plan.credits / periodMs(plan.per);
}

/** Sweeps of watches take turns, so that none waits for ever. Other requests are served in the order of their arrival. */
function mayTake(share: SpendShare, spend: Spend, at: Instant): boolean {
  const { turn, price } = spend;
  return turn === null ? share.has(price) : share.hasInTurn(turn, price, at);
}

interface Shares {
  /** The share of sweeps without a plan: a tenth of all other requests. */
  readonly ofRequests: SpendShare;
  /** The share that pays for a page now. */
  of(spend: Spend, at: Instant, deepPerMs: number): SpendShare;
  /** True if the share of open lists pays for a page, and half of its limit is left for contracts with a name. */
  hasBesideNamed(spend: Spend, at: Instant): boolean;
}

function createShares(now: Instant, perMs: () => number): Shares {
  const part = (share: number, saved: number, savedMs = HOUR_MS): SpendShare =>
    createShare(now, { most: () => share * perMs() * savedMs, saved });
  // Sweeps use only what was saved since the start; pages of new rows may be read at once.
  const [sweeps, pages] = [part(SWEEP_SHARE, 0), part(PAGES_SHARE, Infinity)];
  const deep = createShare(now, { most: () => perMs() * HOUR_MS, saved: Infinity });
  const open = part(OPEN_SHARE, Infinity, OPEN_SAVED_MS);
  return {
    ofRequests: createShare(now, { most: () => MOST_SWEPT, saved: 0 }),
    hasBesideNamed({ price }, at) {
      open.saveUntil(at, OPEN_SHARE * perMs());
      const most = OPEN_SHARE * perMs() * OPEN_SAVED_MS;
      return open.has(Math.max(price, Math.min(most, price + most / 2)));
    },
    of(spend, at, deepPerMs) {
      const { class: name } = spend;
      if (name === 'pages' && spend.openTo !== undefined) {
        open.saveUntil(at, OPEN_SHARE * perMs());
        return open;
      }
      const share = isDeep(spend) ? deep : name === 'sweep' ? sweeps : pages;
      share.saveUntil(at, isDeep(spend) ? deepPerMs : (name === 'sweep' ? SWEEP_SHARE : PAGES_SHARE) * perMs());
      return share;
    },
  };
}

// A part of all spending, for requests that can wait. It is saved up to a limit, so that no storm of requests follows a
// long pause.

interface SpendShare {
  /** Adds the credits that have become available since the last call. */
  save(credits: number): void;
  /** Adds the credits for the time since the last call. */
  saveUntil(now: Instant, creditsPerMs: number): void;
  has(credits: number): boolean;
  /**
   * Like `has`, for watches that take turns. A watch that was refused is served before later ones, if it asked within the
   * last hour. Without turns, the watch that asks first after each refill would take all credits.
   */
  hasInTurn(turn: SweepTurn, credits: number, now: Instant): boolean;
  take(credits: number): void;
}

const WAITS_MS = 3_600_000;

/** `most`: the limit of saved credits. */
function createShare(
  now: Instant,
  { most, saved }: { readonly most: () => number; readonly saved: number },
): SpendShare {
  let left = saved;
  let countedUntil = now;
  /** The watches that were refused, in the order of their first refusal. */
  const waiting = new Map<WatchId, { readonly page: string; readonly credits: number; readonly at: Instant }>();

  function save(credits: number): void {
    left = Math.min(most(), left + credits);
  }

  return {
    save,
    saveUntil(at, creditsPerMs) {
      save(Math.max(0, at - countedUntil) * creditsPerMs);
      countedUntil = at;
    },
    has: (credits) => left >= credits,
    hasInTurn({ watch, page }, credits, now) {
      const creditsByPage = new Map<string, number>();
      for (const [one, waits] of waiting) {
        if (one === watch || waits.page === page) break;
        if (now - waits.at <= WAITS_MS) creditsByPage.set(waits.page, waits.credits);
        else waiting.delete(one);
      }
      const before = creditsByPage.values().reduce((sum, one) => sum + one, 0);
      // The share never has more credits than `most()`. A page that needs more does not delay others for ever.
      const isEnough = left >= credits && left >= Math.min(credits + before, most());
      // A watch that waits already keeps its place.
      if (!isEnough) waiting.set(watch, { page, credits, at: now });
      else for (const [one, waits] of waiting) if (one === watch || waits.page === page) waiting.delete(one);
      return isEnough;
    },
    take(credits) {
      left -= credits;
    },
  };
}
