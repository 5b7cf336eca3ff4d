// For a plan that does not suffice, `check` prints how much the daemon stretches intervals, and which longer intervals
// in the rules would fit. It makes the same plan as the daemon, for a whole period.
import type { ExplorerPlan } from '../config/model.ts';
import { usableOf, type SharedPlan } from '../config/shared-plans.ts';
import { highest } from '../core/model/delivery.ts';
import { SEVERITIES, type Severity } from '../core/model/ids.ts';
import type { Watch } from '../core/model/watch/watch.ts';
import { askedBy, keptForDetails, severityOf } from '../core/spending/asked.ts';
import {
  dearestOf,
  effectiveMs,
  FIRST_RATIO,
  LEAST_STRETCH,
  planOf,
  stretchOf,
  type Asking,
  type PlannedQuestion,
  type SpendingPlan,
  type Supply,
} from '../core/spending/planner.ts';
import { periodMs } from '../core/spending/plan.ts';
import { factorWords } from '../core/spending/plan-words.ts';
import { showDuration } from '../lib/clock.ts';
import { formatDuration } from '../lib/durations.ts';
import { dailyCost } from './costs.ts';
import { countOf } from './counts.ts';

const MINUTE_MS = 60_000;
const LONGER = [1, 2, 5, 10, 15, 30, 60, 120, 360].map((minutes) => minutes * MINUTE_MS);
const MOST_CHANGES = 5;
const BY_RANK = SEVERITIES.toReversed();

export interface PlannedWords {
  /**
   * The demand, a line for each severity, and longer intervals that fit. Empty if the plan suffices, or does not
   * stretch.
   */
  readonly lines: readonly string[];
  readonly warnings: readonly string[];
}

export function plannedWords(shared: SharedPlan, all: readonly Watch[]): PlannedWords {
  const { explorers, plan } = shared;
  const watches = all.filter(({ target }) => explorers.includes(target.explorer));
  if (plan === null || watches.length === 0) return { lines: [], warnings: [] };
  const questions = questionsOf(watches, NOTHING_CHANGED);
  const supply = supplyOf(plan, questions, watches);
  const planned = planOf(questions, supply);
  if (planned.x < LEAST_STRETCH && planned.xc < LEAST_STRETCH) return { lines: [], warnings: [] };
  const who = explorers.filter((name) => watches.some(({ target }) => target.explorer === name)).join(', ');
  const lacking = lackingIn(watches, plan);
  if (!plan.isStretched)
    return {
      lines: [],
      warnings: [`${who}: ${lacking}; with stretch: off, all but critical watches stop when it is used up`],
    };
  const fitting = fittingIn(watches, supply);
  return {
    lines: [
      wantedLine(watches, plan),
      ...BY_RANK.flatMap((severity) => lineOf(severity, watches, planned)),
      ...(fitting === null ? [] : [fitting]),
    ].map((line) => `${who}: ${line}`),
    warnings: [`${who}: ${lacking}; ${longerWords(planned, watches)}`],
  };
}

function supplyOf(plan: ExplorerPlan, questions: readonly PlannedQuestion[], watches: readonly Watch[]): Supply {
  const credits = plan.credits ?? Infinity;
  const forDetails = credits === Infinity ? 0 : keptForDetails(watches, { ...plan, credits });
  const keep = credits === Infinity ? 0 : (credits * plan.reservePercent) / 100 + forDetails;
  return {
    known: credits,
    leftMs: periodMs(plan.per),
    k: FIRST_RATIO,
    kc: FIRST_RATIO,
    deep: 0,
    foreign: 0,
    keep,
    sweepPerMs: 0,
    dearest: dearestOf(questions),
    requestsPerMs: (plan.requestsPerSecond ?? Infinity) / 1000,
  };
}

type Changed = ReadonlyMap<string, number>;
const NOTHING_CHANGED: Changed = new Map();

/** `changed`: the intervals that differ from the written ones, by rule. */
function questionsOf(watches: readonly Watch[], changed: Changed): PlannedQuestion[] {
  const needOf = (asking: Asking, { rule }: Watch): Asking => ({
    ...asking,
    wantedMs: changed.get(rule) ?? asking.wantedMs,
  });
  return askedBy(watches, { change: needOf }).map(({ question }) => question);
}

function creditsPerDay(questions: readonly PlannedQuestion[]): number {
  return dailyCost(questions).credits;
}

/** `141,600 credits a day wanted, 155,760 with further pages and retries, of 100,000 a day` */
function wantedLine(watches: readonly Watch[], { credits, per, requestsPerSecond }: ExplorerPlan): string {
  const wanted = dailyCost(questionsOf(watches, NOTHING_CHANGED));
  const words = (what: 'credits' | 'requests'): string =>
    `${countOf(wanted[what])} ${what} a day wanted, ${countOf(wanted[what] * FIRST_RATIO)} with further pages and retries`;
  return credits === null
    ? `${words('requests')}, of ${requestsPerSecond} a second`
    : `${words('credits')}, of ${countOf(credits)} a ${per}`;
}

/** `the plan is 55,760 credits a day too small` */
function lackingIn(watches: readonly Watch[], plan: ExplorerPlan): string {
  const lacking = creditsPerDay(questionsOf(watches, NOTHING_CHANGED)) * FIRST_RATIO - usableOf(plan);
  return lacking > 0
    ? `the plan is ${countOf(lacking)} credits a day too small`
    : 'its watches ask more often than the plan lets them';
}

/** `intervals become longer: warning 2.1 times, info 4.4 times, and more where sweeps and new rows need further pages` */
function longerWords(planned: SpendingPlan, watches: readonly Watch[]): string {
  const alone = planned.xc >= LEAST_STRETCH ? 'critical watches alone do not fit, and ' : '';
  const stretched = BY_RANK.filter((severity) => stretchOf(severity, planned) >= LEAST_STRETCH);
  const own = stretched.filter((severity) => watches.some((watch) => severityOf(watch) === severity));
  const words = own.map((severity) => `${severity} ${factorWords(stretchOf(severity, planned))} times`);
  return `${alone}intervals become longer: ${words.join(', ')}, and more where sweeps and new rows need further pages`;
}

/** `warning: 3 questions, 86,880 credits a day, 2.1 times as long: 1m becomes 2m 6s` */
function lineOf(severity: Severity, watches: readonly Watch[], planned: SpendingPlan): string[] {
  const own = askedBy(watches).filter(({ question }) => mostSevereIn(question) === severity);
  if (own.length === 0) return [];
  const questions = own.map(({ question }) => question);
  const stretch = stretchOf(severity, planned);
  // Windows and fixed needs may leave some intervals unchanged.
  const [ask] = questions
    .flatMap(({ asks }) => asks.filter((one) => one.severity === severity && effectiveMs(one, planned) > one.wantedMs))
    .toSorted((a, b) => a.wantedMs - b.wantedMs);
  const pace =
    stretch < LEAST_STRETCH || ask === undefined
      ? 'as written'
      : `${factorWords(stretch)} times as long: ${formatDuration(ask.wantedMs)} becomes ${showDuration(effectiveMs(ask, planned))}`;
  const count = `${own.length} ${own.length === 1 ? 'question' : 'questions'}`;
  return [`${severity}: ${count}, ${countOf(creditsPerDay(questions))} credits a day, ${pace}`];
}

function mostSevereIn({ asks }: PlannedQuestion): Severity {
  return highest(asks.map(({ severity }) => severity));
}

/** `fits as written with calls every 5m (now 1m) saves 46,080`; null: five longer intervals are not enough. */
function fittingIn(watches: readonly Watch[], supply: Supply): string | null {
  const changed = new Map<string, number>();
  const saved = new Map<string, number>();
  const isFitting = (): boolean => planOf(questionsOf(watches, changed), supply).x < LEAST_STRETCH;
  while (!isFitting()) {
    const found = dearestRule(watches, changed);
    if (found === null || (saved.size === MOST_CHANGES && !saved.has(found.rule))) return null;
    const before = creditsPerDay(questionsOf(watches, changed));
    changed.set(found.rule, found.nextMs);
    const after = creditsPerDay(questionsOf(watches, changed));
    saved.set(found.rule, (saved.get(found.rule) ?? 0) + before - after);
  }
  const words = [...saved].map(([rule, credits]) => {
    const written = watches.find((watch) => watch.rule === rule)?.schedule.intervalMs ?? 0;
    const interval = formatDuration(changed.get(rule) ?? written);
    return `${rule} every ${interval} (now ${formatDuration(written)}) saves ${countOf(credits)} credits a day`;
  });
  return words.length === 0 ? null : `fits as written with ${words.join('; ')}`;
}

/** The rule without a critical alert that costs most, and the next longer interval for it. */
function dearestRule(
  watches: readonly Watch[],
  changed: Changed,
): { readonly rule: string; readonly nextMs: number } | null {
  const rules = [...Map.groupBy(watches, ({ rule }) => rule)].flatMap(([rule, members]) => {
    const [first] = members;
    if (first?.schedule.type !== 'every' || members.some((watch) => severityOf(watch) === 'critical')) return [];
    const nowMs = changed.get(rule) ?? first.schedule.intervalMs;
    const nextMs = LONGER.find((ms) => ms > nowMs);
    return nextMs === undefined ? [] : [{ rule, nextMs, credits: creditsPerDay(questionsOf(members, changed)) }];
  });
  const [dearest] = rules.toSorted((a, b) => b.credits - a.credits);
  return dearest ?? null;
}
