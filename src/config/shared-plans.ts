// Explorers with the same origin and key share one plan: one limiter counts the requests of all their entries in the
// config. If the entries differ, the smallest value counts.
import { DAY_MS, periodMs } from '../core/spending/plan.ts';
import type { ExplorerSettings, ExplorerPlan } from './model.ts';
import type { Problem } from './problem.ts';
import type { Source } from './yaml/yaml.ts';

/** A plan, and the explorers that share it. */
export interface SharedPlan {
  /** Names, in the order of the config. */
  readonly explorers: readonly string[];
  readonly concurrency: number;
  /** Null if no entry names a plan. */
  readonly plan: ExplorerPlan | null;
}

type Explorers = ReadonlyMap<string, ExplorerSettings>;
type Remote = Exclude<ExplorerSettings, { readonly form: 'sandbox' }>;

const SANDBOX_CONCURRENCY = 8;

/**
 * The plans by name of the explorer. A sandbox shares its plan with no other explorer; without a plan it is left out.
 */
export function sharedPlans(explorers: Explorers): ReadonlyMap<string, SharedPlan> {
  return new Map([
    ...[...explorers.values()].flatMap((explorer): [string, SharedPlan][] =>
      explorer.form === 'sandbox' && explorer.plan !== null
        ? [[explorer.name, { explorers: [explorer.name], concurrency: SANDBOX_CONCURRENCY, plan: explorer.plan }]]
        : [],
    ),
    ...groupsOf(explorers).flatMap((group) => {
      const shared = sharedBy(group);
      return group.map(({ name }) => [name, shared] as const);
    }),
  ]);
}

/** A warning for each value that is not used, because another entry for the same plan has a smaller one. */
export function sharedPlanWarnings(source: Source, explorers: Explorers): Problem[] {
  // If the key of an explorer cannot be read, its plan is unknown, so it is not compared.
  const readable = new Map([...explorers].filter(([, { missing }]) => missing.length === 0));
  return groupsOf(readable).flatMap((group) => LIMITS.flatMap((limit) => warningsOf(source, group, limit)));
}

function groupsOf(explorers: Explorers): Remote[][] {
  const remote = [...explorers.values()].filter((explorer) => explorer.form !== 'sandbox');
  return [...Map.groupBy(remote, planKeyOf).values()];
}

/** The text contains the API key, so it is kept in memory only. */
function planKeyOf(explorer: Remote): string {
  const { origin } = new URL(explorer.form === 'multichain' ? explorer.baseUrl : explorer.instanceUrl);
  return JSON.stringify([origin, explorer.apiKey?.reveal() ?? null]);
}

function sharedBy(group: readonly Remote[]): SharedPlan {
  const plans = group.flatMap(({ plan }) => plan ?? []);
  const rates = plans.flatMap(({ requestsPerSecond }) => requestsPerSecond ?? []);
  const [tightest] = plans.toSorted((a, b) => usableOf(a) - usableOf(b));
  return {
    explorers: group.map(({ name }) => name),
    concurrency: Math.min(...group.map(({ concurrency }) => concurrency)),
    plan:
      tightest === undefined ? null : { ...tightest, requestsPerSecond: rates.length > 0 ? Math.min(...rates) : null },
  };
}

/** The usable credits per day, without the reserve; infinite if the plan sets no credits. */
export function usableOf({ credits, per, reservePercent }: ExplorerPlan): number {
  if (credits === null) return Infinity;
  return ((credits * DAY_MS) / periodMs(per)) * (1 - reservePercent / 100);
}

/** A key of an entry, with its value for comparison and its written value. */
interface Limit {
  readonly path: readonly string[];
  readonly valueOf: (explorer: Remote) => number | null;
  readonly show: (explorer: Remote) => string;
}

const LIMITS: readonly Limit[] = [
  {
    path: ['concurrency'],
    valueOf: ({ concurrency }) => concurrency,
    show: ({ concurrency }) => String(concurrency),
  },
  {
    path: ['plan', 'requests_per_second'],
    valueOf: ({ plan }) => plan?.requestsPerSecond ?? null,
    show: ({ plan }) => String(plan?.requestsPerSecond),
  },
  {
    path: ['plan', 'credits'],
    valueOf: ({ plan }) => (plan === null || plan.credits === null ? null : usableOf(plan)),
    show: ({ plan }) => `${plan?.credits} a ${plan?.per}`,
  },
];

function warningsOf(source: Source, group: readonly Remote[], { path, valueOf, show }: Limit): Problem[] {
  const said = group.flatMap((explorer) => {
    const value = valueOf(explorer);
    return value === null ? [] : [{ explorer, value }];
  });
  const [smallest] = said.toSorted((a, b) => a.value - b.value);
  if (smallest === undefined) return [];
  const { explorer: other, value: least } = smallest;
  const place = `${source.file}:${source.lineOf([...other.path, ...path])}`;
  return said
    .filter(({ value }) => value > least)
    .map(({ explorer }) => {
      const message = `${explorer.name} and ${other.name} share one plan, and ${other.name} has ${path.at(-1)} ${show(other)} (${place}): this smaller value is used for both`;
      const hint = `Write the same in both places, or give ${explorer.name} a key of its own.`;
      return source.problem([...explorer.path, ...path], { message, hint });
    });
}
