// The questions of a watch at each of its due times, and how severe its alerts are.
import { highest } from '../model/delivery.ts';
import type { Severity } from '../model/ids.ts';
import { sharedKey, shownPath, type OperationName, type Question } from '../model/watch/question.ts';
import { meanMsOf, showCron } from '../model/watch/schedule.ts';
import { headQuestionOf, type Watch } from '../model/watch/watch.ts';
import { remembered } from '../../lib/remembered.ts';
import type { Asking, PlannedQuestion } from './planner.ts';

/** The severity of the most severe alert. A watch without alerts is only shown on pages, so it counts as `info`. */
export function severityOf({ alerts }: Pick<Watch, 'alerts'>): Severity {
  return highest(alerts.map(({ severity }) => severity));
}

/**
 * The watch's own questions first, then the one for the chain's head if an alert counts confirmations. Made once for
 * each watch.
 */
export const firstQuestionsOf = remembered((watch: Watch) => {
  const head = headQuestionOf(watch);
  const { kind, target } = watch;
  const own = kind.questions?.(target) ?? [kind.question(target)];
  const all: readonly Question[] = [...own, ...(head === null ? [] : [head])];
  const questions = [...new Map(all.map((question) => [sharedKey(question), question])).values()];
  return questions.map((question) => ({
    key: sharedKey(question),
    path: question.path,
    shown: shownPath(question),
    operation: question.operation,
    credits: question.credits,
  }));
});

/** Whether a rule of the watch wants details of its events. */
function wantsDetails({ alerts }: Pick<Watch, 'alerts'>): boolean {
  return alerts.some((alert) => alert.type === 'event' && alert.enrich !== undefined);
}

/** The credits of a period that the plan keeps for details, if a rule of these watches wants any. */
export function keptForDetails(
  watches: readonly Pick<Watch, 'alerts'>[],
  { credits, enrichPercent }: { readonly credits: number; readonly enrichPercent: number },
): number {
  return watches.some(wantsDetails) ? (credits * enrichPercent) / 100 : 0;
}

const HOUR_MS = 3_600_000;
const LONG_MS = 6 * HOUR_MS;

function askingOf(watch: Watch): Asking {
  const { schedule } = watch;
  const { intervalMs } = schedule;
  const isFixed = intervalMs >= (schedule.type === 'cron' ? HOUR_MS : LONG_MS);
  const longestMs = isFixed ? intervalMs : shortestWindowOf(watch);
  return { severity: severityOf(watch), wantedMs: intervalMs, longestMs };
}

/** A stretched interval must not be longer than a window. */
function shortestWindowOf({ windows, alerts }: Watch): number {
  const within = alerts.flatMap((alert) =>
    alert.type === 'count' && 'withinMs' in alert.fires ? [alert.fires.withinMs] : [],
  );
  return Math.min(Infinity, ...windows.map(({ ms }) => ms), ...within);
}

/** The need of a watch according to its rule. Computed once for each watch. */
export const needOf = remembered(askingOf);

export interface AskedQuestion {
  readonly explorer: string;
  readonly operation: OperationName;
  readonly question: PlannedQuestion;
  /** The watches that ask it, each once. */
  readonly watches: readonly Watch[];
}

/** Changes that `askedBy` makes to the needs and prices of the rules. */
export interface AskedOtherwise {
  /** Changes the need of a watch. */
  readonly change?: (need: Asking, watch: Watch) => Asking;
  /** Credits by operation, if they differ from the declared ones. */
  readonly prices?: ReadonlyMap<OperationName, number>;
}

/**
 * The questions of watches. Equal questions become one, but not if their `cron` schedules differ, since these have
 * different ticks.
 */
export function askedBy(
  watches: readonly Watch[],
  { change = (need) => need, prices }: AskedOtherwise = {},
): readonly AskedQuestion[] {
  const found = new Map<
    string,
    { readonly first: AskedQuestion; readonly asks: Asking[]; readonly watches: Watch[] }
  >();
  for (const watch of watches) {
    const { schedule, target } = watch;
    const ticks = schedule.type === 'cron' ? showCron(schedule) : '';
    const density = schedule.intervalMs / meanMsOf(schedule);
    const need = change(needOf(watch), watch);
    for (const { key, operation, credits } of firstQuestionsOf(watch)) {
      const known = found.get(key + ticks);
      known?.asks.push(need);
      known?.watches.push(watch);
      if (known !== undefined) continue;
      const [asks, asking] = [[need], [watch]];
      const question = { cost: prices?.get(operation) ?? credits, density, asks };
      const first = { explorer: target.explorer, operation, question, watches: asking };
      found.set(key + ticks, { first, asks, watches: asking });
    }
  }
  return [...found.values()].map(({ first }) => first);
}
