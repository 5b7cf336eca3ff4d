// The books of one plan: the credits left, by the explorer's headers and the requests since; the spending by class; and
// the spending of other programs. These functions decide nothing, and get the time as an argument.
//
// A header counts only if its request was sent after the request of the last counted header. A header that own requests
// do not explain is doubted, and the next header decides. At the expected reset the credits left are unknown: the books
// are refilling until a header has risen.
import { isDeepStrictEqual } from 'node:util';
import type { Instant } from '../../lib/clock.ts';
import { SPEND_CLASSES, type Spend } from '../../core/spending/spend.ts';
import { drawn } from '../../core/spending/curve.ts';
import {
  added,
  type Books,
  NOTHING_FADING,
  NOTHING_SPENT,
  periodMs,
  type PeriodRule,
  rateAt,
  resetAfter,
  withRefill,
} from '../../core/spending/plan.ts';

export interface CreditPlan extends PeriodRule {
  readonly credits: number;
}

/** The end of a request that was sent. */
export interface SettledRequest {
  readonly spend: Spend;
  readonly order: number;
  readonly isCharged: boolean;
  /** The credits left by the header of its answer; null: there is no such header. */
  readonly header: number | null;
  /** The price of all requests that are under way now. */
  readonly inFlight: number;
}

const HOUR_MS = 3_600_000;
const FAST_MS = 35 * 60_000;
const SLOW_MS = 24 * HOUR_MS;
const FAST_REACH_MS = 2 * HOUR_MS;
/** A larger fall than this part of the plan is doubted. */
const DOUBTED_FALL = 0.02;
/** After a refill the plan has at least this part of its credits, even if other programs spend some at once. */
const WHOLE = 0.95;
/** A refill raises the credits by more than this part of the plan. The headers of several servers differ by less. */
const LEAST_REFILL = 0.1;
const EARLY_RESET_MS = 30 * 60_000;
const LATE_RESET_MS = 10 * 60_000;
/** A header of -1 may mean "unknown". A plan with this many calls left cannot be at -1, so the header is ignored. */
const CALLS_ABOVE_UNKNOWN = 3;

export function newBooks(now: Instant): Books {
  return {
    from: now,
    rule: null,
    resetsAt: Infinity,
    bookedFrom: now,
    refillingSince: null,
    missedReset: null,
    header: null,
    saidAt: null,
    refills: [],
    highest: null,
    order: -1,
    isResumed: false,
    own: 0,
    doubted: null,
    spent: NOTHING_SPENT,
    foreign: 0,
    fast: NOTHING_FADING,
    slow: NOTHING_FADING,
    curve: [],
  };
}

/** Applies a plan. The bookings of the period stay; the plan determines the end of the period. */
export function underPlan(books: Books, plan: CreditPlan | null, now: Instant): Books {
  if (plan === null) return { ...books, rule: null, resetsAt: Infinity };
  const rule = { per: plan.per, resets: plan.resets };
  if (isDeepStrictEqual(rule, books.rule)) return books;
  const isOver = resetAfter(plan, books.from, books.from) <= now;
  const current = isOver ? newPeriod(books, plan, now) : books;
  return { ...current, rule, resetsAt: resetAfter(plan, current.from, now) };
}

/** The books after the end of a period. */
export function turned(books: Books, plan: CreditPlan, now: Instant): Books {
  const next = resetAfter(plan, now, now);
  // The clock was set back: the next reset is at most one period away.
  if (books.resetsAt > now + periodMs(plan.per) * 1.05) return { ...books, resetsAt: next };
  if (now < books.resetsAt) return books;
  const begun = { ...newPeriod(books, plan, books.resetsAt), resetsAt: resetAfter(plan, books.resetsAt, now) };
  // No request was sent around the reset, so the old header does not show the credits after the reset.
  if (now - books.resetsAt > LATE_RESET_MS) return { ...begun, bookedFrom: now, header: null, own: 0 };
  return { ...begun, refillingSince: books.header === null ? null : books.resetsAt };
}

function newPeriod(books: Books, plan: CreditPlan, from: Instant): Books {
  return {
    ...books,
    from,
    resetsAt: resetAfter(plan, from, from),
    bookedFrom: from,
    refillingSince: null,
    doubted: null,
    spent: NOTHING_SPENT,
    foreign: 0,
    curve: [],
  };
}

/** Adds a point to the curve if one is due and the credits left are known. */
export function charted(books: Books, plan: CreditPlan, now: Instant): Books {
  const known = agreedRest(books, plan);
  if (known === null || books.refillingSince !== null) return books;
  // This period is longer than that of the plan if the last reset came early.
  const ms = Math.max(periodMs(plan.per), books.resetsAt - books.from);
  const curve = drawn(books.curve, { at: now, known }, { from: books.from, ms });
  return curve === books.curve ? books : { ...books, curve };
}

/** The books after a request has ended. */
export function settled(books: Books, plan: CreditPlan | null, request: SettledRequest, now: Instant): Books {
  const { spend, order, isCharged, header } = request;
  const charged = isCharged ? charge(books, spend) : books;
  if (header === null || order < books.order) return charged;
  // A refusal costs no credits, so a lower header of a refusal is not booked.
  if (!isCharged && header < (agreedRest(charged, plan) ?? header)) return { ...charged, saidAt: now };
  return { ...afterHeader(charged, plan, { ...request, header }, now), order };
}

function charge(books: Books, { class: name, price }: Spend): Books {
  return { ...books, own: books.own + price, spent: { ...books.spent, [name]: books.spent[name] + price } };
}

interface Header {
  readonly header: number;
  readonly spend: Spend;
  readonly inFlight: number;
}

function afterHeader(books: Books, plan: CreditPlan | null, { header, spend, inFlight }: Header, now: Instant): Books {
  const rest = books.header === null ? (agreedRest(books, plan) ?? Infinity) : books.header - books.own;
  if (header === -1 && rest > CALLS_ABOVE_UNKNOWN * spend.price) return books;
  const seen = withHeader(books, header);
  if (books.header === null) return afterFirst(seen, plan, header, now);
  const expected = books.header - books.own;
  // The header may already include the price of requests under way. The header before may not have included the price
  // of requests that have ended since.
  const slack = books.own + inFlight + spend.price;
  const isHigher = header > expected + slack;
  if (plan === null) return { ...seen, header, saidAt: now, own: 0 };
  if (books.refillingSince !== null) {
    // A small rise is no refill: it also occurs if two servers differ.
    const isRefill = isHigher && header - expected > DOUBTED_FALL * plan.credits;
    return afterReset(seen, plan, { header, spend, isRefill }, now);
  }
  const isFall = expected - header > DOUBTED_FALL * plan.credits;
  const isAgreed = books.doubted !== null && isNearer(header, books.doubted, books.own, expected);
  if (isAgreed || !(isHigher || isFall)) return booked(seen, plan, header, now);
  return { ...seen, doubted: { header, own: books.own, at: now } };
}

/** Updates the highest header, which decides whether a plan is assumed. */
export function withHeader(books: Books, header: number | null): Books {
  return header === null ? books : { ...books, highest: Math.max(books.highest ?? header, header) };
}

/** The first header replaces the assumed credits. If it is much lower, it counts only after a second header agrees. */
function afterFirst(books: Books, plan: CreditPlan | null, header: number, now: Instant): Books {
  const expected = agreedRest(books, plan);
  const isLow = plan !== null && expected !== null && expected - header > DOUBTED_FALL * plan.credits;
  const isAgreed = isLow && books.doubted !== null && isNearer(header, books.doubted, books.own, expected);
  if (isLow && !isAgreed) return { ...books, doubted: { header, own: books.own, at: now } };
  return { ...books, header, own: 0, saidAt: now, doubted: null, isResumed: false, curve: [] };
}

/** True if the header is closer to the doubted one than to the expected one. */
function isNearer(header: number, doubted: { header: number; own: number }, own: number, expected: number): boolean {
  return Math.abs(header - (doubted.header - (own - doubted.own))) < Math.abs(header - expected);
}

/**
 * After the expected reset, the old credits are used until a header has risen, or shows a plan that is hardly used, or
 * the reset is ten minutes late.
 */
function afterReset(
  books: Books,
  plan: CreditPlan,
  { header, spend, isRefill }: { readonly header: number; readonly spend: Spend; readonly isRefill: boolean },
  now: Instant,
): Books {
  const after = { ...books, header, saidAt: now, own: 0, doubted: null, isResumed: false };
  if (isRefill) return { ...after, ...refilled(books, now), refillingSince: null };
  if (header >= plan.credits - spentIn(books) - spend.price) return { ...after, refillingSince: null };
  const { refillingSince } = books;
  if (refillingSince === null || now - refillingSince < LATE_RESET_MS) return after;
  return { ...after, refillingSince: null, missedReset: refillingSince, from: now, resetsAt: now + periodMs(plan.per) };
}

/** A refill between the last answer without it and `at`, when the first answer showed it. */
function refilled({ saidAt, refills }: Books, at: Instant): Pick<Books, 'missedReset' | 'refills'> {
  return { missedReset: null, refills: withRefill(refills, { after: saidAt ?? at, until: at }) };
}

/** A difference that own requests do not explain: others spent it, or credits were added. */
function booked(books: Books, plan: CreditPlan, header: number, now: Instant): Books {
  const fall = (books.header ?? header) - books.own - header;
  const after = { ...books, header, saidAt: now, own: 0, doubted: null, isResumed: false };
  if (fall < -DOUBTED_FALL * plan.credits) return risen(books, { ...after, foreign: books.foreign + fall }, plan, now);
  return {
    ...after,
    foreign: books.foreign + fall,
    // The fall happened at some time since the stop, so it does not predict the next hours.
    fast: books.isResumed ? books.fast : added(books.fast, fall, now, FAST_MS),
    slow: added(books.slow, fall, now, SLOW_MS),
  };
}

/** Credits were bought, or the plan was refilled at another time than expected. */
function risen(before: Books, books: Books, plan: CreditPlan, now: Instant): Books {
  const rest = books.header ?? 0;
  const rise = rest - (agreedRest(before, plan) ?? rest);
  const isMost = rise > plan.credits / 2;
  const isWhole = rest >= WHOLE * plan.credits && rise > LEAST_REFILL * plan.credits;
  const more = { ...books, foreign: Math.max(0, books.foreign), fast: NOTHING_FADING, slow: NOTHING_FADING };
  if (!isMost && !isWhole) return more;
  const seen = { ...more, ...refilled(before, before.doubted?.at ?? now) };
  if (isMost && books.resetsAt - now <= EARLY_RESET_MS)
    return { ...newPeriod(seen, plan, now), resetsAt: resetAfter(plan, now, books.resetsAt) };
  // Bought credits rarely add up to the whole plan. If they do, the assumed period is too long, which is better than
  // refused requests.
  if (isWhole || before.missedReset !== null)
    return { ...newPeriod(seen, plan, now), resetsAt: now + periodMs(plan.per) };
  return isMost && plan.per === 'month' && plan.resets === null ? newPeriod(seen, plan, now) : seen;
}

/** The credits left by the last header that is not doubted. Requests under way are not subtracted. Null: unknown. */
export function agreedRest(books: Books, plan: CreditPlan | null): number | null {
  if (plan !== null && books.refillingSince !== null) return plan.credits - spentIn(books);
  if (books.header !== null) return books.header - books.own;
  return plan === null ? null : shareOf(books, plan) - spentIn(books);
}

/** The part of the plan's credits for the time from `bookedFrom` to the reset. The credits before count as spent. */
function shareOf({ bookedFrom, resetsAt }: Books, { credits, per }: CreditPlan): number {
  return credits * Math.min(1, Math.max(0, resetsAt - bookedFrom) / periodMs(per));
}

/** The books after a restart. `order`: the number of the next request. Headers of earlier requests do not count. */
export function resumed(books: Books, order: number): Books {
  return { ...books, order, isResumed: books.header !== null };
}

/** Like `agreedRest`, but the lower of both values if a header is doubted. */
export function knownRest(books: Books, plan: CreditPlan | null): number | null {
  const agreed = agreedRest(books, plan);
  const { doubted } = books;
  return agreed === null || doubted === null ? agreed : Math.min(agreed, doubted.header - (books.own - doubted.own));
}

/** The credits that other programs are expected to spend until the reset. */
export function expectedForeign({ fast, slow, resetsAt }: Books, now: Instant): number {
  if (resetsAt === Infinity) return 0;
  const left = Math.max(0, resetsAt - now);
  const soon = Math.min(left, FAST_REACH_MS);
  return Math.max(0, rateAt(fast, now, FAST_MS) * soon + rateAt(slow, now, SLOW_MS) * (left - soon));
}

export function spentIn({ spent }: Pick<Books, 'spent'>): number {
  return SPEND_CLASSES.reduce((sum, name) => sum + spent[name], 0);
}
