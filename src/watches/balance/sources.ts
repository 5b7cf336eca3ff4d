// The path of each field of a balance in the answer of the explorer; null = its value does not come from the answer.
import type { Target } from '../../core/model/watch/target.ts';
import { OF_THE_ADDRESS } from './reading.ts';

export function sourceOf(path: string, { token }: Target): string | null {
  return token === null ? ofDetails(path) : ofHolding(path);
}

/** Paths in the details of an address, for the native coin. The coin's own facts come from the config. */
function ofDetails(path: string): string | null {
  if (path === 'balance') return 'coin_balance';
  const isOurs = ['symbol', 'decimals', 'address', 'token'].includes(path) || path.startsWith('token.');
  return isOurs ? null : path;
}

/** Paths in the row of the token in the list of held tokens. */
function ofHolding(path: string): string | null {
  if (path === 'address' || Object.hasOwn(OF_THE_ADDRESS, path)) return null;
  return ['symbol', 'decimals', 'exchange_rate'].includes(path) ? `token.${path}` : path;
}
