// Computes how much longer the intervals of the watches of one plan must be, so that its credits last until the refill.
// Critical watches come first: they are stretched only if they alone need more than the credits left.
import type { Severity } from '../model/ids.ts';
import { remembered } from '../../lib/remembered.ts';
import { duePerMs } from './due-times.ts';

/** One watch that asks a question. */
export interface Asking {
  readonly severity: Severity;
  /** The interval of its rule. */
  readonly wantedMs: number;
  /** The longest interval while stretching is moderate: its shortest window, or `wantedMs` if its need is fixed. */
  readonly longestMs: number;
}

/** A request that watches share. */
export interface PlannedQuestion {
  /** Credits. */
  readonly cost: number;
  /** The part of its intervals that end in a request: less than 1 if a cron has no times in some hours or days. */
  readonly density: number;
  readonly asks: readonly Asking[];
}

/** The credits and requests that are left until the reset, and their expected use. */
export interface Supply {
  /** Credits that are left, without regard to a header that is doubted. Infinity: no limit is known. */
  readonly known: number;
  readonly leftMs: number;
  /** Credits charged for each planned credit of warning and info: second pages and retries come on top. */
  readonly k: number;
  /** The same ratio for critical watches, with retries only. */
  readonly kc: number;
  /** Second pages of critical watches, in credits a millisecond. */
  readonly deep: number;
  /** The credits that other programs are expected to spend until the reset. */
  readonly foreign: number;
  /** The credits that warning and info must leave. */
  readonly keep: number;
  /** The cost of reading known rows again, in credits a millisecond. */
  readonly sweepPerMs: number;
  /** The highest price of one request. */
  readonly dearest: number;
  /** The allowed requests in a millisecond. Infinity: no limit is known. */
  readonly requestsPerMs: number;
}

/** The factors by which the intervals are stretched. */
export interface SpendingPlan {
  /** The factor of warning; info is stretched more. */
  readonly x: number;
  /** The factor of critical: 1, unless critical watches alone need more than there is. */
  readonly xc: number;
  /**
   * The credits that others must leave for critical watches: `perMs` for each millisecond until the reset, and `margin`
   * once.
   */
  readonly kept: { readonly perMs: number; readonly margin: number };
  /** The most that second pages of critical watches may cost, in credits a millisecond. */
  readonly deepPerMs: number;
}

export const UNSTRETCHED: SpendingPlan = { x: 1, xc: 1, kept: { perMs: 0, margin: 0 }, deepPerMs: Infinity };

/** The assumed part of retries and further pages on top of the planned requests, before any were seen. */
export const FIRST_RATIO = 1.1;

export const MOST_STRETCHED = 1024;
/** Beyond this stretch, windows and fixed needs are stretched too. */
const FIXED_UP_TO = 24;
/** The factor of critical watches while no credits are left. */
export const MOST_CRITICAL = 24;
/** The part of the credits left that others get if critical watches need all of it. */
const LEAST_SHARE = 0.05;
const CRITICAL_SHARE = 0.95;
const SAFETY = 1.05;
/** Shortly before a reset the stretch does not change: few credits are left, and little time. */
export const LAST_MS = 900_000;
/** The clock of the explorer may be behind, so its reset may come this much later. */
const LATE_RESET_MS = 120_000;
const OF_REQUESTS = 0.9;
const LONGEST_SWEEP = 6;
/** A smaller stretch counts as none. */
export const LEAST_STRETCH = 1.02;

/** The interval of a watch under a plan. */
export function effectiveMs(
  { severity, wantedMs, longestMs }: Asking,
  { x, xc }: Pick<SpendingPlan, 'x' | 'xc'>,
): number {
  if (severity === 'critical') return wantedMs * xc;
  const longest = Math.max(wantedMs, longestMs) * Math.max(1, x / FIXED_UP_TO);
  return Math.min(wantedMs * stretchOf(severity, { x, xc }), longest);
}

/** The factor by which the intervals of a severity are longer. */
export function stretchOf(severity: Severity, { x, xc }: Pick<SpendingPlan, 'x' | 'xc'>): number {
  if (severity === 'critical') return xc;
  return severity === 'warning' ? x : Math.max(x, Math.min(x * x, FIXED_UP_TO));
}

/** The least stretch with which the questions need no more credits and requests than there are. */
export function planOf(questions: readonly PlannedQuestion[], supply: Supply): SpendingPlan {
  const inCredits = creditsOf(questions, supply);
  const credits = stretched(() => ratesByPrice(questions), inCredits, supply);
  const inRequests = requestsOf(questions, supply);
  const requests = stretched(() => ratesByCount(questions), inRequests, { ...supply, sweepPerMs: 0 });
  return {
    x: Math.max(credits.x, requests.x),
    xc: Math.max(credits.xc, requests.xc),
    kept: keptFor(questions, inCredits, supply),
    deepPerMs: inCredits.mostDeep / supply.leftMs,
  };
}

/** Credits and requests in a millisecond at the intervals of the rules, for first pages only. */
export function wantedPerMs(questions: readonly PlannedQuestion[]): Wanted {
  const wanted = (rates: Rates): number => rates.critical + rates.beyondCritical(1, 1);
  return { credits: wanted(ratesByPrice(questions)), requests: wanted(ratesByCount(questions)) };
}

/** The highest price of a question, in credits. */
export function dearestOf(questions: readonly PlannedQuestion[]): number {
  return questions.reduce((most, { cost }) => Math.max(most, cost), 0);
}

interface Wanted {
  readonly credits: number;
  readonly requests: number;
}

/** The price of all requests in a millisecond under a plan, with second pages, retries and sweeps. */
export function plannedPerMs(
  questions: readonly PlannedQuestion[],
  { k, kc, deep, sweepPerMs }: Pick<Supply, 'k' | 'kc' | 'deep' | 'sweepPerMs'>,
  { x, xc, deepPerMs }: SpendingPlan,
): number {
  const rates = ratesByPrice(questions);
  const critical = (kc * rates.critical) / xc + Math.min(deep, deepPerMs);
  return critical + k * rates.beyondCritical(x, xc) + sweepPerMs / Math.min(x, LONGEST_SWEEP);
}

export interface PlanForecast {
  /** Credits left at the reset; negative: this many are missing. */
  readonly atReset: number;
  /** The time from now until they are used up; null: they last until the reset. */
  readonly runsOutInMs: number | null;
}

/**
 * A stretch in force is corrected before a shortage reaches this part of the credits left; a smaller shortage counts as
 * none.
 */
const CORRECTED = 0.05;

/** The forecast from the credits left, if `perMs` are spent until the reset. */
export function forecastOf(
  { known, foreign, leftMs }: Pick<Supply, 'known' | 'foreign' | 'leftMs'>,
  perMs: number,
  isStretched: boolean,
): PlanForecast {
  const spent = perMs * leftMs + foreign;
  const atReset = known - spent;
  const rest = Math.max(0, known);
  if (atReset >= (isStretched ? -CORRECTED * rest : 0))
    return { atReset: isStretched ? Math.max(0, atReset) : atReset, runsOutInMs: null };
  return { atReset, runsOutInMs: (leftMs * rest) / spent };
}

/** A limit: the credits or requests that may be spent until the reset, and the parts of them that are needed. */
interface Need {
  readonly usable: number;
  readonly critical: number;
  readonly deep: number;
  readonly mostDeep: number;
  readonly foreign: number;
  readonly keep: number;
}

function creditsOf(questions: readonly PlannedQuestion[], supply: Supply): Need {
  const { known, dearest, kc, leftMs } = supply;
  const usable = known - 2 * dearest;
  const critical = ratesByPrice(questions).critical * kc * leftMs * SAFETY;
  const mostDeep = Math.max((CRITICAL_SHARE * usable - critical) / 2, 0.04 * usable, 0);
  const deep = Math.min(supply.deep * leftMs, mostDeep);
  return { usable, critical, deep, mostDeep, foreign: supply.foreign, keep: supply.keep };
}

/**
 * If critical watches need more than the credits left, a share is left for the others. Shortly before the reset it is
 * not, because that share would be the last request of a critical watch.
 */
function keptFor(questions: readonly PlannedQuestion[], need: Need, { leftMs, dearest }: Supply): SpendingPlan['kept'] {
  const perMs = need.critical / leftMs;
  const margin = 2 * dearest + chanceOf(questions, leftMs) + perMs * LATE_RESET_MS;
  const most = Math.max(0, CRITICAL_SHARE * need.usable);
  return leftMs < LAST_MS || need.critical + margin <= most ? { perMs, margin } : { perMs: most / leftMs, margin: 0 };
}

/**
 * A period may have more due times left than the rate predicts: the reserve for this is twice the standard deviation.
 */
function chanceOf(questions: readonly PlannedQuestion[], leftMs: number): number {
  const variance = questions.reduce((sum, question) => {
    const part = (leftMs * criticalPerMsOf(question)) % 1;
    return sum + part * (1 - part) * question.cost ** 2;
  }, 0);
  return 2 * Math.sqrt(variance);
}

function requestsOf(questions: readonly PlannedQuestion[], { requestsPerMs, kc, leftMs }: Supply): Need {
  const usable = OF_REQUESTS * requestsPerMs * leftMs;
  const critical = ratesByCount(questions).critical * kc * leftMs * SAFETY;
  return { usable, critical, deep: 0, mostDeep: 0, foreign: 0, keep: 0 };
}

/** `ratesOf` is called only if there is a limit. */
function stretched(
  ratesOf: () => Rates,
  need: Need,
  { leftMs, k, sweepPerMs }: Supply,
): Pick<SpendingPlan, 'x' | 'xc'> {
  const { usable, critical, deep, foreign, keep } = need;
  if (usable === Infinity) return { x: 1, xc: 1 };
  if (usable <= 0) return { x: MOST_CRITICAL, xc: MOST_CRITICAL };
  const isEnough = critical <= CRITICAL_SHARE * usable;
  const xc = isEnough ? 1 : Math.min(MOST_CRITICAL, critical / (CRITICAL_SHARE * usable));
  const rates = ratesOf();
  const least = LEAST_SHARE * usable;
  const open = isEnough ? Math.max(usable - foreign - keep - critical - deep, least) : least;
  const spentAt = (x: number): number =>
    (k * rates.beyondCritical(x, xc) + sweepPerMs / Math.min(x, LONGEST_SWEEP)) * leftMs;
  return { x: Math.max(leastWithin(spentAt, open), xc), xc };
}

/** The least stretch at which `spentAt` is at most `open`. `spentAt` decreases with the stretch. */
function leastWithin(spentAt: (x: number) => number, open: number): number {
  if (spentAt(LEAST_STRETCH) <= open) return 1;
  let [low, high] = [LEAST_STRETCH, MOST_STRETCHED];
  if (spentAt(high) > open) return MOST_STRETCHED;
  while (high / low > 1.0005) {
    const middle = Math.sqrt(low * high);
    if (spentAt(middle) <= open) high = middle;
    else low = middle;
  }
  return high;
}

type PriceOf = (question: PlannedQuestion) => number;

interface Rates {
  /** The price of the critical watches alone in a millisecond, unstretched. */
  readonly critical: number;
  /** The price of all requests in a millisecond, less that of the critical watches alone. */
  beyondCritical(x: number, xc: number): number;
}

/** Most of ten thousand questions are alike: equal needs are counted together. */
function ratesOf(questions: readonly PlannedQuestion[], priceOf: PriceOf): Rates {
  const alike = new Map<string, Alike>();
  for (const question of questions) {
    const asks = question.asks.toSorted(bySeverity);
    const key = asks.map(({ severity, wantedMs, longestMs }) => `${severity}${wantedMs}/${longestMs}`).join();
    const known = alike.get(key);
    if (known === undefined) alike.set(key, alikeOf(question, priceOf));
    else known.price += priceOf(question);
  }
  const groups = [...alike.values()].filter(({ asks }) => asks.some(({ severity }) => severity !== 'critical'));
  return {
    critical: [...alike.values()].reduce((sum, { price, criticalPerMs }) => sum + price * criticalPerMs, 0),
    beyondCritical(x, xc) {
      let sum = 0;
      for (const group of groups) {
        const criticalPerMs = group.criticalPerMs / xc;
        sum += group.price * (Math.max(perMsOf(group, { x, xc }), criticalPerMs) - criticalPerMs);
      }
      return sum;
    },
  };
}

/** Questions with equal needs. */
interface Alike {
  readonly asks: readonly Asking[];
  /** Due times in a millisecond at the intervals of the rules: of critical watches, and (`wantedPerMs`) of all. */
  readonly criticalPerMs: number;
  readonly wantedPerMs: number;
  price: number;
}

function alikeOf(question: PlannedQuestion, priceOf: PriceOf): Alike {
  const { asks } = question;
  const wantedPerMs = duePerMs(asks.map(({ wantedMs }) => wantedMs));
  return { asks, criticalPerMs: criticalPerMsOf(question), wantedPerMs, price: priceOf(question) };
}

/** Stretched watches are due together, at the shortest of their intervals. */
function perMsOf({ asks, wantedPerMs }: Alike, factors: Pick<SpendingPlan, 'x' | 'xc'>): number {
  let shortest = Infinity;
  let isAsWritten = true;
  for (const ask of asks) {
    const ms = effectiveMs(ask, factors);
    isAsWritten &&= ms <= ask.wantedMs;
    shortest = Math.min(shortest, ms);
  }
  return isAsWritten ? wantedPerMs : 1 / shortest;
}

/** The same questions are planned each minute, so their rates are cached. */
const ratesByPrice = remembered((questions: readonly PlannedQuestion[]) =>
  ratesOf(questions, ({ cost, density }) => cost * density),
);
const ratesByCount = remembered((questions: readonly PlannedQuestion[]) =>
  ratesOf(questions, ({ density }) => density),
);

function criticalPerMsOf({ asks }: PlannedQuestion): number {
  return duePerMs(asks.filter(({ severity }) => severity === 'critical').map(({ wantedMs }) => wantedMs));
}

function bySeverity(a: Asking, b: Asking): number {
  return a.severity.localeCompare(b.severity) || a.wantedMs - b.wantedMs || a.longestMs - b.longestMs;
}
