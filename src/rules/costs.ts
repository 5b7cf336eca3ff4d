// Daily cost of watches as their rules are written: requests, and credits if the explorer counts them. It includes
// first pages, and the requests for the head that confirmations need. It leaves out further pages when there are new
// items, and the daily question to each explorer about its chain. The planner uses the same sums.
import type { OperationName } from '../core/model/watch/question.ts';
import { meanMsOf } from '../core/model/watch/schedule.ts';
import type { Watch } from '../core/model/watch/watch.ts';
import { askedBy, firstQuestionsOf, type AskedQuestion } from '../core/spending/asked.ts';
import { DAY_MS } from '../core/spending/plan.ts';
import { wantedPerMs, type PlannedQuestion } from '../core/spending/planner.ts';

export interface DailyCost {
  readonly requests: number;
  readonly credits: number;
}

/** The prices that the daemon has learned from an explorer, by operation. */
export type PricesOf = (explorer: string) => ReadonlyMap<OperationName, number>;

const DECLARED: PricesOf = () => new Map();

export function dailyCost(questions: readonly PlannedQuestion[]): DailyCost {
  const { requests, credits } = wantedPerMs(questions);
  return { requests: inADay(requests), credits: inADay(credits) };
}

/** Rounds the sum, so that equal sums stay equal in whatever order they are added up. */
function inADay(perMs: number): number {
  return Math.round(perMs * DAY_MS * 1e6) / 1e6;
}

/** The daily cost of each explorer. */
export function dailyCosts(watches: readonly Watch[], pricesOf: PricesOf = DECLARED): ReadonlyMap<string, DailyCost> {
  const byExplorer = Map.groupBy(askedAt(watches, pricesOf), ({ explorer }) => explorer);
  return new Map([...byExplorer].map(([explorer, asked]) => [explorer, costOf(asked)]));
}

/** The cost of one watch alone, as if no other watch shared its questions. */
export function costOfWatch(watch: Watch, pricesOf: PricesOf = DECLARED): DailyCost {
  const prices = pricesOf(watch.target.explorer);
  const perMs = 1 / meanMsOf(watch.schedule);
  const questions = firstQuestionsOf(watch);
  const credits = questions.reduce((sum, { operation, credits: price }) => sum + (prices.get(operation) ?? price), 0);
  return { requests: inADay(questions.length * perMs), credits: inADay(credits * perMs) };
}

function askedAt(watches: readonly Watch[], pricesOf: PricesOf): AskedQuestion[] {
  return [...Map.groupBy(watches, ({ target }) => target.explorer)].flatMap(([explorer, own]) =>
    askedBy(own, { prices: pricesOf(explorer) }),
  );
}

function costOf(asked: readonly AskedQuestion[]): DailyCost {
  return dailyCost(asked.map(({ question }) => question));
}

/** The cost of the requests of one rule at one explorer. */
export interface RuleCost extends DailyCost {
  readonly explorer: string;
  readonly rule: string;
  /** The name of the explorer's operation, such as `token` or `address`. */
  readonly request: string;
  readonly intervalMs: number;
  readonly watches: number;
  /** Other rules that use the answers too. */
  readonly sharedWith: readonly string[];
}

/**
 * The costs of each rule, the highest first. A request that several rules share is counted for the rule that asks most
 * often.
 */
export function costsByRule(watches: readonly Watch[], pricesOf: PricesOf = DECLARED): RuleCost[] {
  const asked = askedAt(watches, pricesOf).flatMap((one) => {
    const [first] = one.watches.toSorted((a, b) => a.schedule.intervalMs - b.schedule.intervalMs);
    return first === undefined ? [] : [{ ...one, first }];
  });
  const byRule = Map.groupBy(asked, ({ explorer, operation, first }) =>
    JSON.stringify([explorer, first.rule, operation]),
  );
  const costs = [...byRule.values()].flatMap((own) => {
    const [one] = own;
    if (one === undefined) return [];
    const { explorer, operation, first } = one;
    const rules = new Set(own.flatMap((each) => each.watches.map(({ rule }) => rule)));
    return {
      ...costOf(own),
      explorer,
      rule: first.rule,
      request: operation,
      intervalMs: first.schedule.intervalMs,
      watches: watches.filter(({ rule, target }) => rule === first.rule && target.explorer === explorer).length,
      sharedWith: [...rules].filter((other) => other !== first.rule),
    };
  });
  return costs.toSorted((a, b) => b.credits - a.credits);
}
