import type { JsonRow } from '../answer.ts';
import type { AddressRef } from '../chain/accounts.ts';
import { keyOf } from '../chain/keys.ts';
import { ADDRESSES, CONTRACTS } from '../names.ts';
import type { Overlay } from '../overlay.ts';

/** Fields that releases add to the specification: the type of a proxy, and its contract. */
export function renderImplementations(
  { hash, implementation_name: name }: AddressRef,
  { upgrades }: Pick<Overlay, 'upgrades'>,
): JsonRow {
  if (name === null) return { proxy_type: null, implementations: [] };
  const isSafe = hash === ADDRESSES.treasury;
  const address = upgrades.get(keyOf(hash))?.implementation ?? (isSafe ? CONTRACTS.safe_singleton : FIRST);
  return { proxy_type: isSafe ? 'master_copy' : 'eip1967', implementations: [{ address_hash: address, name }] };
}

const FIRST = CONTRACTS.implementation;
