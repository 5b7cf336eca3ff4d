import type { JsonRow } from '../answer.ts';
import type { AddressRef } from '../chain/accounts.ts';
import { CONTRACTS } from '../names.ts';

/** Fields that releases add to the specification: the type of a proxy, and its contract. */
export function renderImplementations({ implementation_name: name }: AddressRef): JsonRow {
  if (name === null) return { proxy_type: null, implementations: [] };
  return { proxy_type: 'eip1967', implementations: [{ address_hash: CONTRACTS.implementation, name }] };
}
