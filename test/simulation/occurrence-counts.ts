// Counts of what rules about contracts tell, by the kind of the watch.
import type { ChainLog, Instant, Span, Step } from './model.ts';
import { PATHS } from './rules.ts';

const DAY_MS = 86_400_000;

export type OccurrenceCounts = Readonly<Record<'logs' | 'contract' | 'transfers' | 'read', number>>;

/** The counts of each whole day. */
export function occurrencesByDay(chain: ChainLog, { from, to }: Span): readonly OccurrenceCounts[] {
  const days = Math.floor((to - from) / DAY_MS);
  return Array.from({ length: days }, (_, day) => occurrencesIn(chain, from + day * DAY_MS, from + (day + 1) * DAY_MS));
}

function occurrencesIn({ items, code, coin, values }: ChainLog, from: Instant, to: Instant): OccurrenceCounts {
  const isWithin = (at: Instant | undefined): boolean => at !== undefined && from <= at && at < to;
  const placed = (paths: readonly string[]): number =>
    items.filter((item) => item.paths.some((path) => paths.includes(path)) && isWithin(item.stays[0]?.from)).length;
  const changed = (steps: readonly Step[]): number =>
    steps.filter(({ at, value }, n) => n > 0 && value !== steps[n - 1]?.value && isWithin(at)).length;
  const newest = [...values].filter(([name]) => !name.startsWith('deep '));
  return {
    logs: placed([PATHS.admin, PATHS.approvals]),
    contract: changed(code),
    transfers: placed([PATHS.moves, PATHS.usdc]),
    read: [coin, ...newest.map(([, steps]) => steps)].reduce((sum, steps) => sum + changed(steps), 0),
  };
}

/** The fewest on any day. */
export function showOccurrences(days: readonly OccurrenceCounts[]): string {
  const kinds = ['logs', 'contract', 'transfers', 'read'] as const;
  const least = kinds.map((kind) => `${kind} ${Math.min(...days.map((day) => day[kind]))}`);
  return `each day at least: ${least.join(', ')}`;
}
