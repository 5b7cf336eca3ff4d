// Plans each minute how the credits of each plan are spent, and which intervals follow from that.
import { PACE_SLACK } from '../../core/model/watch/schedule.ts';
import { askedBy, keptForDetails, needOf, severityOf } from '../../core/spending/asked.ts';
import { DAY_MS, periodMs } from '../../core/spending/plan.ts';
import {
  dearestOf,
  effectiveMs,
  forecastOf,
  LAST_MS,
  LEAST_STRETCH,
  plannedPerMs,
  planOf,
  stretchOf,
  UNSTRETCHED,
  type PlannedQuestion,
  wantedPerMs,
  type SpendingPlan,
  type Supply,
} from '../../core/spending/planner.ts';
import { RANK_OF } from '../../core/model/delivery.ts';
import type { Severity } from '../../core/model/ids.ts';
import type { CreditPlanState, RequestPace } from '../../core/model/quality/health-summary.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import type { Account, AccountFacts } from '../../explorer/spending/account.ts';
import type { PlanReading } from '../../telemetry/plan-metrics.ts';
import { remembered } from '../../lib/remembered.ts';
import { questionKeyOf } from './when-due.ts';
import type { Clock, Instant } from '../../lib/clock.ts';

/** One plan and the explorers that share it. */
export interface Purse {
  readonly explorers: readonly string[];
  readonly account: Pick<Account, 'supply' | 'planned' | 'facts' | 'prices' | 'isProbeDue'>;
  /** The limit by the plan or by the explorer's headers; Infinity: neither has one. */
  readonly requestsPerSecond: number;
  /** False: the intervals of the rules stay in force. */
  readonly isStretched: boolean;
}

export interface SpendingOptions {
  readonly purses: () => readonly Purse[];
  /** Paused watches make no requests, and are left out. */
  readonly watches: () => readonly Watch[];
  readonly clock: Clock;
  /** Called when intervals in force have changed. */
  readonly onChange: () => void;
  /**
   * Called with a watch that must be polled once now, to show whether the last header of its plan was right: the next
   * regular poll may come too late.
   */
  readonly onProbe: (watch: Watch) => void;
}

export interface Spending {
  /** The interval in force. */
  readonly paceOf: (watch: Watch) => number;
  /** The state of an explorer's plan, with its stretch and forecast; null: no plan is known. */
  stateOf(explorer: string): CreditPlanState | null;
  /** The request limit of an explorer that makes intervals longer; null: there is none, or a plan is known. */
  pacedBy(explorer: string): RequestPace | null;
  /** Each known plan, with its counts since the start. */
  plans(): PlanReading[];
  /** Plans now. */
  plan(): void;
  /** Runs until the signal aborts. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

const LOOK_MS = 60_000;
/** Stretched intervals are rounded up to a multiple of this time. */
const STEP_MS = 50;
const [UP, DOWN] = [1.05, 0.93];

/**
 * A plan in force, and its credits per millisecond: `wanted` at the intervals of the rules, `planned` at those in
 * force.
 */
interface Priced extends SpendingPlan {
  readonly wanted: number;
  readonly planned: number;
  /** Requests for first pages per millisecond, at the intervals of the rules. */
  readonly wantedRequests: number;
  /** The severities of the watches of the plan. */
  readonly severities: ReadonlySet<Severity>;
  /**
   * The stretch that would be in force if no credits of the period were spent yet and no other program used the plan.
   */
  readonly usual: Pick<SpendingPlan, 'x' | 'xc'>;
  readonly shortestOf: ShortestOf;
}

const NOTHING_ASKED: Priced = {
  ...UNSTRETCHED,
  wanted: 0,
  planned: 0,
  wantedRequests: 0,
  severities: new Set(),
  usual: UNSTRETCHED,
  shortestOf: () => Infinity,
};

/** The shortest interval in force of the watches with the same question that are due together. */
type ShortestOf = (watch: Watch) => number;

/** The watches of the explorers of a plan, and their questions at its prices. */
interface Asked {
  readonly watches: readonly Watch[];
  readonly questions: readonly PlannedQuestion[];
}

/** Remembered, since the same questions are planned each minute. */
const severitiesIn = remembered(
  (questions: readonly PlannedQuestion[]) =>
    new Set(questions.flatMap(({ asks }) => asks.map(({ severity }) => severity))),
);

/**
 * The questions are computed again only when the watches or the prices change: for ten thousand watches this takes
 * longer than the plan itself.
 */
function createAsked(watches: () => readonly Watch[]): (purse: Purse) => Asked {
  let seen: readonly Watch[] = [];
  const byExplorers = new Map<string, Asked>();
  return ({ explorers, account }) => {
    const now = watches();
    if (now.length !== seen.length || now.some((watch, i) => watch !== seen[i])) byExplorers.clear();
    seen = now;
    const prices = account.prices();
    const key = `${explorers.join()} ${[...prices].join()}`;
    const known = byExplorers.get(key);
    if (known !== undefined) return known;
    const own = new Set(explorers);
    const asking = now.filter(({ target }) => own.has(target.explorer));
    const questions = askedBy(asking, { prices }).map(({ question }) => question);
    const asked = { watches: asking, questions };
    byExplorers.set(key, asked);
    return asked;
  };
}

/** The intervals are computed at the first call: most plans are not stretched. */
function shortestAt(watches: readonly Watch[], factors: Pick<SpendingPlan, 'x' | 'xc'>): ShortestOf {
  let shortestByKey: Map<string, number> | null = null;
  return (watch) => {
    if (shortestByKey === null) {
      shortestByKey = new Map();
      for (const one of watches) {
        const key = questionKeyOf(one);
        if (one.schedule.type === 'every')
          shortestByKey.set(key, Math.min(shortestByKey.get(key) ?? Infinity, paceAlone(one, factors)));
      }
    }
    return shortestByKey.get(questionKeyOf(watch)) ?? Infinity;
  };
}

/** The interval of a watch if no other watch has the same question. */
function paceAlone(watch: Watch, factors: Pick<SpendingPlan, 'x' | 'xc'>): number {
  return Math.ceil(effectiveMs(needOf(watch), factors) / STEP_MS) * STEP_MS;
}

/**
 * The interval of a watch that joins the ticks of a more frequent one: it joins the first tick after nine tenths of its
 * own interval.
 */
function rideOn(shortestMs: number, ownMs: number): number {
  return shortestMs >= ownMs ? ownMs : Math.ceil((PACE_SLACK * ownMs) / shortestMs) * shortestMs;
}

/**
 * Keeps a former stretch if the next one differs little, or if the period ends soon: a change moves the due times of
 * all watches.
 */
function settledOn(before: SpendingPlan, next: SpendingPlan, leftMs: number): SpendingPlan {
  const keeps = leftMs < LAST_MS;
  const one = (was: number, is: number): number => {
    if (keeps || (is < was * UP && is > was * DOWN && (is >= LEAST_STRETCH || was < LEAST_STRETCH))) return was;
    return is < LEAST_STRETCH ? 1 : is;
  };
  return { ...next, x: one(before.x, next.x), xc: one(before.xc, next.xc) };
}

export function createSpending({ purses, watches, clock, onChange, onProbe }: SpendingOptions): Spending {
  const askedOf = createAsked(watches);
  let planByExplorer: ReadonlyMap<string, Priced> = new Map();
  const purseOf = (explorer: string): Purse | undefined =>
    purses().find(({ explorers }) => explorers.includes(explorer));

  function planFor(purse: Purse): Priced {
    const { explorers, account, requestsPerSecond, isStretched } = purse;
    const means = account.supply();
    // Most plans have no limit; then no question key is computed.
    if (means.known === Infinity && requestsPerSecond === Infinity) return NOTHING_ASKED;
    const asked = askedOf(purse);
    const { questions } = asked;
    const details = detailsIn(asked, account.facts());
    const keep = means.keep + details.left;
    const supply = { ...means, keep, dearest: dearestOf(questions), requestsPerMs: requestsPerSecond / 1000 };
    const before = planByExplorer.get(explorers[0] ?? '') ?? UNSTRETCHED;
    const plan = settledOn(before, planOf(questions, supply), supply.leftMs);
    account.planned(plan);
    const inForce = isStretched ? plan : { ...plan, x: 1, xc: 1 };
    const wanted = wantedPerMs(questions);
    return {
      ...inForce,
      wanted: wanted.credits,
      wantedRequests: wanted.requests,
      planned: plannedPerMs(questions, supply, inForce),
      severities: severitiesIn(questions),
      usual: isStretched ? planOf(questions, wholeOf(supply, account.facts(), details.whole)) : UNSTRETCHED,
      shortestOf: shortestAt(asked.watches, inForce),
    };
  }

  function plan(): void {
    const before = planByExplorer;
    planByExplorer = new Map(
      purses().flatMap((purse) => {
        const next = planFor(purse);
        return purse.explorers.map((name) => [name, next] as const);
      }),
    );
    const isOther = [...planByExplorer].some(([name, { x, xc }]) => {
      const was = before.get(name) ?? UNSTRETCHED;
      return was.x !== x || was.xc !== xc;
    });
    if (isOther) onChange();
  }

  return {
    paceOf(watch) {
      const plan = planByExplorer.get(watch.target.explorer) ?? NOTHING_ASKED;
      if (plan.x === 1 && plan.xc === 1) return watch.schedule.intervalMs;
      const ownMs = paceAlone(watch, plan);
      if (watch.schedule.type === 'cron' || ownMs === watch.schedule.intervalMs) return ownMs;
      return rideOn(plan.shortestOf(watch), ownMs);
    },
    stateOf(explorer) {
      const purse = purseOf(explorer);
      return purse === undefined ? null : stateIn(purse, planByExplorer.get(explorer) ?? NOTHING_ASKED, clock.now());
    },
    pacedBy(explorer) {
      const purse = purseOf(explorer);
      return purse === undefined ? null : paceIn(purse, planByExplorer.get(explorer) ?? NOTHING_ASKED);
    },
    plans() {
      return purses().flatMap((purse) => {
        const state = stateIn(purse, planByExplorer.get(purse.explorers[0] ?? '') ?? NOTHING_ASKED, clock.now());
        const counts = purse.account.facts()?.counts;
        return state === null || counts === undefined ? [] : [{ state, counts }];
      });
    },
    plan,
    async run(signal) {
      while (!signal.aborted) {
        plan();
        for (const watch of probing(purses(), watches())) onProbe(watch);
        await clock.sleep(LOOK_MS, signal);
      }
    },
  };
}

/** For each plan that needs a probe, the most frequent of its most severe watches. */
function probing(purses: readonly Purse[], watches: readonly Watch[]): Watch[] {
  return purses.flatMap(({ explorers, account }) => {
    if (!account.isProbeDue()) return [];
    const own = watches.filter(({ target }) => explorers.includes(target.explorer));
    const rankOf = (watch: Watch): number => RANK_OF[severityOf(watch)];
    return own.toSorted((a, b) => rankOf(a) - rankOf(b) || a.schedule.intervalMs - b.schedule.intervalMs).slice(0, 1);
  });
}

/** The credits for details in the whole period, and those that are left of them. */
function detailsIn({ watches }: Asked, facts: AccountFacts | null): { readonly whole: number; readonly left: number } {
  const whole = facts === null ? 0 : keptForDetails(watches, facts.plan);
  return { whole, left: Math.max(0, whole - (facts?.books.spent.enrich ?? 0)) };
}

/** The supply at the start of a period, when no credits are spent yet. */
function wholeOf(supply: Supply, facts: AccountFacts | null, forDetails: number): Supply {
  if (facts === null) return supply;
  const { credits, per, reservePercent } = facts.plan;
  const keep = (credits * reservePercent) / 100 + forDetails;
  return { ...supply, known: credits, leftMs: periodMs(per), foreign: 0, keep };
}

/** The counts of a plan, and their forecast. */
function stateIn({ explorers, account, isStretched }: Purse, priced: Priced, now: Instant): CreditPlanState | null {
  const facts = account.facts();
  if (facts === null) return null;
  const { plan, books, known } = facts;
  const isKnown = books.refillingSince === null && known !== null;
  const forecast = isKnown ? forecastOf({ ...account.supply(), known }, priced.planned, isStretched) : null;
  const runsOutInMs = forecast?.runsOutInMs ?? null;
  return {
    explorers: [...explorers],
    credits: plan.credits,
    per: plan.per,
    isAssumed: plan.isAssumed,
    reserve: Math.round((plan.credits * plan.reservePercent) / 100),
    known: isKnown ? known : null,
    isCounted: books.header === null && books.doubted === null,
    from: books.bookedFrom,
    resetsAt: books.resetsAt,
    curve: [...books.curve],
    atReset: forecast && Math.round(forecast.atReset),
    runsOutAt: runsOutInMs === null ? null : Math.round(now + runsOutInMs),
    wantedPerDay: Math.round(priced.wanted * DAY_MS),
    plannedPerDay: Math.round(priced.planned * DAY_MS),
    prices: Object.fromEntries(account.prices()),
    spent: books.spent,
    foreign: Math.max(0, Math.round(books.foreign)),
    isStretched,
    stretch: timesOf(priced, priced.severities),
    usual: timesOf(priced.usual, priced.severities),
  };
}

function paceIn({ account, requestsPerSecond }: Purse, priced: Priced): RequestPace | null {
  if (account.facts() !== null || (priced.x === 1 && priced.xc === 1)) return null;
  const stretch = timesOf(priced, priced.severities);
  return { perSecond: requestsPerSecond, wantedPerSecond: 1000 * priced.wantedRequests, stretch };
}

/** The factors by which the intervals of these severities are stretched. */
function timesOf(factors: Pick<SpendingPlan, 'x' | 'xc'>, severities: ReadonlySet<Severity>): Record<Severity, number> {
  const times = (severity: Severity): number => (severities.has(severity) ? stretchOf(severity, factors) : 1);
  return { critical: times('critical'), warning: times('warning'), info: times('info') };
}
