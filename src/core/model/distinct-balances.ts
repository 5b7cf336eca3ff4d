// Several watches may read one balance. It counts once.
import type { Amount } from '../values/amount.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Watch } from './watch/watch.ts';

/** A balance as one watch knows it. */
export interface KnownBalance {
  /** Equal for two watches that read the same balance. */
  readonly key: string;
  /** The time at which it was read; null: never. */
  readonly at: Instant | null;
  readonly isOld: boolean;
  /** Undefined: unknown. */
  readonly amount: Amount | undefined;
}

export function balanceKey({ kind, target, of, token }: Pick<Watch, 'kind' | 'target' | 'of' | 'token'>): string {
  return JSON.stringify([kind.name, target.explorer, of?.address.toLowerCase(), token?.address.toLowerCase()]);
}

/** Each balance once, as the newest answer has it. */
export function distinctBalances<T extends KnownBalance>(all: readonly T[]): T[] {
  return [...new Map(all.toSorted(byTrust).map((one) => [one.key, one])).values()];
}

/** The last of several readings of one balance is the best one. */
function byTrust(a: KnownBalance, b: KnownBalance): number {
  const known = Number(a.amount !== undefined) - Number(b.amount !== undefined);
  const current = Number(b.isOld) - Number(a.isOld);
  return known || current || (a.at ?? 0) - (b.at ?? 0);
}
