import type { JsonRow } from '../answer.ts';
import type { AddressRef } from '../chain/accounts.ts';
import type { World } from '../world.ts';
import { renderImplementations } from './implementations.ts';
import { renderToken } from './token.ts';
import { coinPrice } from './transaction.ts';

/** `addresses/{hash}`: also for an unseen address, with an unknown balance. */
export function renderAddress(world: World, address: string): JsonRow {
  const token = world.tokens.find(address);
  const hash = token?.address ?? address;
  const ref = world.ref(hash);
  const coin = world.coin(address);
  const details = {
    ...renderImplementations(ref, world.overlay),
    coin_balance: coin === null ? null : String(coin),
    exchange_rate: coinPrice(world),
    block_number_balance_updated_at: coin === null ? null : world.head(),
    ...creationOf(world, ref),
    token: token === undefined ? null : renderToken(world, token),
    has_tokens: world.holdings(address).length > 0,
    has_logs: ref.is_contract,
  };
  // The specification lacks this operation. So the answer has the common fields of the releases, and the address
  // reference of the specification.
  const written = world.dialect.write('address-details', details, () => oldImplementation(details));
  return { ...written, ...world.refRow(hash) };
}

/** Early releases name one implementation. */
function oldImplementation({ implementations }: JsonRow): JsonRow {
  const [first] = implementations as readonly JsonRow[];
  return { implementation_address: first?.['address_hash'] ?? null };
}

/** Contracts of the genesis block have no creator. */
function creationOf(world: World, { hash, is_contract }: AddressRef): JsonRow {
  const creation = world.creationOf(hash);
  return {
    creator_address_hash: creation?.creator ?? null,
    creation_transaction_hash: creation?.hash ?? null,
    creation_status: is_contract ? 'success' : null,
  };
}
