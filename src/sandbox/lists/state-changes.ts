// `transactions/{hash}/state-changes`: who gained and who lost by a transaction.
import type { JsonRow, SandboxPage } from '../answer.ts';
import { keyOf } from '../chain/keys.ts';
import type { Mined, Transaction } from '../chain/transaction.ts';
import { renderToken } from '../render/token.ts';
import { baseFeeOf } from '../render/transaction.ts';
import type { World } from '../world.ts';

interface Change {
  readonly address: string;
  /** Null: coins. */
  readonly token: string | null;
  readonly value: bigint;
}

/** A pending transaction has changed nothing yet. */
export function listStateChanges(world: World, mined: Mined | undefined): SandboxPage {
  const items = mined === undefined ? [] : changesBy(mined).map((change) => renderChange(world, change));
  return { items, next_page_params: null };
}

/** One change for each account and token. A failed transaction costs its fee alone. */
function changesBy({ transaction, height }: Mined): Change[] {
  const { from, gasUsed, tip, status } = transaction;
  const fee = BigInt(gasUsed) * (baseFeeOf(height) + tip);
  const moved = status === 'ok' ? movesOf(transaction) : [];
  const all = [{ address: from, token: null, value: -fee }, ...moved];
  const grouped = Map.groupBy(all, ({ address, token }) => `${keyOf(address)} ${token ?? ''}`);
  return [...grouped.values()].flatMap((changes) => {
    const value = changes.reduce((sum, change) => sum + change.value, 0n);
    const [first] = changes;
    return first === undefined || value === 0n ? [] : [{ ...first, value }];
  });
}

function movesOf({ from, to, created, value, calls, transfers }: Transaction): Change[] {
  const paid = calls.filter(({ type, error }) => type === 'call' && error === null);
  const coins = [{ from, to: to ?? created, value }, ...paid].map((move) => ({ ...move, token: null }));
  const tokens = transfers.map((transfer) => ({ ...transfer, value: transfer.value ?? 1n }));
  return [...coins, ...tokens].flatMap(({ from: giver, to: taker, token, value: moved }) => [
    { address: giver, token, value: -moved },
    ...(taker === null ? [] : [{ address: taker, token, value: moved }]),
  ]);
}

function renderChange(world: World, { address, token: contract, value }: Change): JsonRow {
  const token = contract === null ? undefined : world.tokens.find(contract);
  const held = contract === null ? (world.coin(address) ?? 0n) : world.planned(address, contract);
  return {
    address: world.refRow(address),
    balance_after: String(held),
    balance_before: String(held - value),
    change: String(value),
    is_miner: false,
    token: token === undefined ? null : renderToken(world, token),
    type: contract === null ? 'coin' : 'token',
  };
}
