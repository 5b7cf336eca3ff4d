// Where the fields of a balance stand in the answer that it was read from; null = they are made here.
import type { Target } from '../../core/model/watch/target.ts';
import { OF_THE_ADDRESS } from './reading.ts';

export function sourceOf(path: string, { token }: Target): string | null {
  return token === null ? ofDetails(path) : ofHolding(path);
}

/** Of the details of an address, for the native coin: its own facts stand in the config. */
function ofDetails(path: string): string | null {
  if (path === 'balance') return 'coin_balance';
  const isOurs = ['symbol', 'decimals', 'address', 'token'].includes(path) || path.startsWith('token.');
  return isOurs ? null : path;
}

/** Of the row that shows the token among those that are held. */
function ofHolding(path: string): string | null {
  if (path === 'address' || Object.hasOwn(OF_THE_ADDRESS, path)) return null;
  return ['symbol', 'decimals', 'exchange_rate'].includes(path) ? `token.${path}` : path;
}
