// The head of each explorer's chain, and whether it can be believed now.
import type { HealthSummary } from '../../core/model/quality/health-summary.ts';
import type { Instant } from '../../lib/clock.ts';
import type { HeadAge } from '../shapes/overview.ts';
import { timeOf } from '../times.ts';

/** The oldest first; explorers without data come before all others. */
export function headsOf({ explorers }: Pick<HealthSummary, 'explorers'>, now: Instant): HeadAge[] {
  const heads = explorers.map(({ name, head: { height, at, state, since } }): HeadAge => {
    const ageMs = at === null ? null : Math.max(0, now - at);
    return { explorer: name, height, at: timeOf(at), age_ms: ageMs, state, since: timeOf(since) };
  });
  return heads.toSorted((a, b) => (b.age_ms ?? Infinity) - (a.age_ms ?? Infinity));
}
