// What watches cost in a day: requests, and credits where the explorer counts them. Costs count the first page of every
// poll, and of each explorer the daily question whether it shows the same chain; more pages, when something is new, come
// on top.
import { headQuestionOf, type Schedule, type Watch } from '../core/model/watch/watch.ts';
import { sharedKey, type Question } from '../core/model/watch/question.ts';
import { showCron } from '../core/model/watch/schedule.ts';
import { timesPerDay } from './compile/schedule.ts';

export interface Cost {
  readonly watch: Watch;
  readonly question: Question;
  readonly requestsPerDay: number;
  readonly creditsPerDay: number;
}

/** What one explorer is asked in a day. */
export interface DailySum {
  readonly requests: number;
  readonly credits: number;
}

/** By explorer; the same sums that `check` prints. */
export function dailySums(watches: readonly Watch[]): ReadonlyMap<string, DailySum> {
  return sumsOf(sharingOf(watches, costsOf(watches)));
}

export function costsOf(watches: readonly Watch[]): Cost[] {
  return watches.map((watch) => costOf(watch, watch.kind.question(watch.target)));
}

/** Those that share each request, the one that asks most often first. Confirmations ask for the head as well. */
export function sharingOf(watches: readonly Watch[], costs: readonly Cost[]): readonly (readonly Cost[])[] {
  const heads = watches.flatMap((watch) => {
    const question = headQuestionOf(watch);
    return question === null ? [] : [costOf(watch, question)];
  });
  return [...Map.groupBy([...costs, ...heads], ({ question }) => sharedKey(question)).values()].flatMap(sharedTicks);
}

/** Equal phases meet where one interval is a multiple of the other: the slower watch is due in a tick of the faster. */
function sharedTicks(asking: readonly Cost[]): Cost[][] {
  const groups: Cost[][] = [];
  for (const cost of asking.toSorted((a, b) => b.requestsPerDay - a.requestsPerDay)) {
    const shared = groups.find(([first]) => first !== undefined && meets(cost.watch.schedule, first.watch.schedule));
    if (shared === undefined) groups.push([cost]);
    else shared.push(cost);
  }
  return groups;
}

function meets(slow: Schedule, fast: Schedule): boolean {
  if (slow.type === 'cron' || fast.type === 'cron')
    return slow.type === 'cron' && fast.type === 'cron' && showCron(slow) === showCron(fast);
  return slow.intervalMs % fast.intervalMs === 0;
}

/** A question that several watches share in one tick is sent once. */
export function sumsOf(sharing: readonly (readonly Cost[])[]): ReadonlyMap<string, DailySum> {
  const paid = sharing.flatMap((shared) => shared.slice(0, 1));
  const byExplorer = Map.groupBy(paid, ({ watch }) => watch.target.explorer);
  return new Map(
    [...byExplorer].map(([explorer, of]) => [
      explorer,
      withIdentity({ requests: total(of, 'requestsPerDay'), credits: total(of, 'creditsPerDay') }, of),
    ]),
  );
}

/** Once a day an explorer is asked whether it still shows the same chain, by a page of blocks. */
function withIdentity({ requests, credits }: DailySum, [first]: readonly Cost[]): DailySum {
  if (first === undefined) return { requests, credits };
  const { kind, target } = first.watch;
  return { requests: requests + 1, credits: credits + (kind.head(target) ?? kind.question(target)).credits };
}

function costOf(watch: Watch, question: Question): Cost {
  const requestsPerDay = timesPerDay(watch.schedule);
  return { watch, question, requestsPerDay, creditsPerDay: requestsPerDay * question.credits };
}

export function total(costs: readonly Cost[], what: 'requestsPerDay' | 'creditsPerDay'): number {
  return costs.reduce((sum, cost) => sum + cost[what], 0);
}

/** What the requests of one rule cost at one explorer. */
export interface RuleCost {
  readonly explorer: string;
  readonly rule: string;
  /** `token`, `address` and so on, as the explorer's operations are called. */
  readonly request: string;
  readonly intervalMs: number;
  readonly watches: number;
  readonly requestsPerDay: number;
  readonly creditsPerDay: number;
  /** Other rules that use the answers too. */
  readonly sharedWith: readonly string[];
}

/** A request that several rules share is counted for the first of them. The dearest first. */
export function costsByRule(watches: readonly Watch[]): RuleCost[] {
  const shared = sharingOf(watches, costsOf(watches));
  const byRule = Map.groupBy(shared, ([first]) =>
    JSON.stringify([first?.watch.target.explorer, first?.watch.rule, first?.question.operation]),
  );
  const costs = [...byRule.values()].flatMap((groups) => ruleCost(groups, watches) ?? []);
  return costs.toSorted((a, b) => b.creditsPerDay - a.creditsPerDay);
}

function ruleCost(groups: readonly (readonly Cost[])[], watches: readonly Watch[]): RuleCost | null {
  const paid = groups.flatMap((group) => group.slice(0, 1));
  const [first] = paid;
  if (first === undefined) return null;
  const { rule, target, schedule } = first.watch;
  const all = groups.flat();
  return {
    explorer: target.explorer,
    rule,
    request: first.question.operation,
    intervalMs: schedule.intervalMs,
    watches: watches.filter((watch) => watch.rule === rule && watch.target.explorer === target.explorer).length,
    requestsPerDay: total(paid, 'requestsPerDay'),
    creditsPerDay: total(paid, 'creditsPerDay'),
    sharedWith: [...new Set(all.map((cost) => cost.watch.rule))].filter((other) => other !== rule),
  };
}
