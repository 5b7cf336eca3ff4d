// A pause: an operator stops the polls of a watch for a while. Its state does not change.
import type { Instant } from '../../../lib/clock.ts';
import type { Watch } from './watch.ts';

export interface Pause {
  readonly id: string;
  /** A rule's id, which pauses all of its watches, or the name of one watch. */
  readonly watch: string;
  readonly from: Instant;
  readonly until: Instant;
  /** The operator who asked for it. */
  readonly actor: string;
  readonly comment: string;
}

export const LONGEST_PAUSE_MS = 30 * 86_400_000;

/** True if the pause applies to this watch. */
export function isPauseOf({ watch }: Pick<Pause, 'watch'>, { name, rule }: Pick<Watch, 'name' | 'rule'>): boolean {
  return watch === name || watch === rule;
}

/** The pause of the watch that ends last, over or not; null if there is none. */
export function lastPauseOf(pauses: readonly Pause[], watch: Pick<Watch, 'name' | 'rule'>): Pause | null {
  const own = pauses.filter((pause) => isPauseOf(pause, watch));
  return own.toSorted((a, b) => b.until - a.until)[0] ?? null;
}
