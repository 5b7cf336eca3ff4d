// A transaction as specification 2.6 writes it.
import type { JsonRow } from '../answer.ts';
import type { TokenBook } from '../chain/tokens.ts';
import { showTime } from '../chain/keys.ts';
import { GWEI, type Mined, type Transaction, type Transfer, type Waiting } from '../chain/transaction.ts';
import { CHAIN_ID } from '../names.ts';
import type { World } from '../world.ts';
import { rawInput } from './call-data.ts';
import { renderToken } from './token.ts';

/** The price of the native coin, in dollars. */
const COIN_PRICE = '2345.67';

export function coinPrice({ overlay: { prices } }: World): string | null {
  return prices.coin === undefined ? COIN_PRICE : prices.coin;
}

/** Base fee of a block in wei: it swings slowly around ten gwei. */
export function baseFeeOf(height: number): bigint {
  const swing = Math.abs((height % 200) - 100);
  return 8n * GWEI + BigInt(swing) * 40_000_000n;
}

export function renderMined(world: World, mined: Mined): JsonRow {
  const { transaction, height, position } = mined;
  const { gasUsed, tip } = transaction;
  const baseFee = baseFeeOf(height);
  const gas = BigInt(gasUsed);
  const row = {
    ...renderFixed(world, transaction),
    ...renderOutcome(world, mined),
    timestamp: showTime(world.timeOf(height)),
    block_number: height,
    confirmations: world.head() - height + 1,
    confirmation_duration: [0, waitedMs(world, mined)],
    type: transaction.envelope,
    position,
    fee: { type: 'actual', value: String(gas * (baseFee + tip)) },
    gas_used: String(gasUsed),
    gas_price: String(baseFee + tip),
    base_fee_per_gas: String(baseFee),
    priority_fee: String(gas * tip),
    transaction_burnt_fee: String(gas * baseFee),
    token_transfers: transaction.transfers
      .slice(0, SHOWN_TRANSFERS)
      .map((transfer, place) => renderTransfer(world, mined, transfer, place)),
    token_transfers_overflow: transaction.transfers.length > SHOWN_TRANSFERS,
  };
  return world.dialect.write('transaction', row, () => beyond(world, transaction, height));
}

/** The row of a pending transaction. Fields that only a block determines are null. */
export function renderWaiting(world: World, { transaction }: Waiting): JsonRow {
  const most = feeCap(transaction);
  const row = {
    ...renderFixed(world, transaction),
    timestamp: null,
    block_number: null,
    status: null,
    confirmations: 0,
    confirmation_duration: null,
    type: null,
    position: null,
    fee: { type: 'maximum', value: String(BigInt(transaction.gasLimit) * most) },
    gas_used: null,
    gas_price: String(most),
    base_fee_per_gas: null,
    priority_fee: null,
    transaction_burnt_fee: null,
    result: 'pending',
    revert_reason: null,
    has_error_in_internal_transactions: null,
    token_transfers: [],
    token_transfers_overflow: false,
  };
  return world.dialect.write('transaction', row, () => beyond(world, transaction, null));
}

const BLOB = 3;
const SET_CODE = 4;

/** Fields that releases send beyond the specification. */
function beyond(world: World, transaction: Transaction, height: number | null): JsonRow {
  const { types, envelope } = transaction;
  const envelopes = [
    ...(envelope === BLOB ? ['blob_transaction'] : []),
    ...(envelope === SET_CODE ? ['set_code_transaction'] : []),
  ];
  return {
    transaction_types: [...types, ...envelopes],
    authorization_list: envelope === SET_CODE ? [authorizationOf(transaction)] : [],
    historic_exchange_rate: null,
    is_pending_update: height !== null && world.overlay.hiddenTraces.has(height),
    fhe_operations_count: 0,
  };
}

/** The sender authorises the contract that it calls to act for it. */
function authorizationOf({ from, to, nonce, hash }: Transaction): JsonRow {
  const [r, s] = [BigInt(hash), BigInt(hash) >> 1n];
  const signature = { r: String(r), s: String(s), v: nonce % 2 };
  return {
    address_hash: to,
    authority: from,
    chain_id: Number(CHAIN_ID),
    nonce: String(nonce),
    ...signature,
    status: 'ok',
  };
}

function feeCap({ tip }: Transaction): bigint {
  return 30n * GWEI + tip;
}

function waitedMs(world: World, { transaction, height }: Mined): number {
  return world.timeOf(height) - world.timeOf(Math.max(0, height - transaction.lead)) + (transaction.gasUsed % 1000);
}

function renderFixed(world: World, transaction: Transaction): JsonRow {
  const { hash, method, nonce, from, to, created, value, gasLimit, tip, types, action } = transaction;
  return {
    hash,
    method: method?.name ?? null,
    nonce,
    from: world.refRow(from),
    to: to === null ? null : world.refRow(to),
    created_contract: created === null ? null : world.refRow(created),
    value: String(value),
    gas_limit: gasLimit,
    max_fee_per_gas: String(feeCap(transaction)),
    max_priority_fee_per_gas: String(tip),
    exchange_rate: coinPrice(world),
    raw_input: rawInput(transaction),
    transaction_tag: nonce % 50 === 0 ? 'worth a look' : null,
    transaction_types: types,
    decoded_input: decodeInput(transaction),
    actions: action === null ? [] : [action],
  };
}

/** A failed transaction without a trace has no reason yet. */
function renderOutcome(world: World, { transaction, height }: Mined): JsonRow {
  const { status, result, reason, calls } = transaction;
  if (!world.chain.isTraced(height)) {
    const known = status === 'ok' ? 'success' : 'awaiting_internal_transactions';
    return { status, result: known, revert_reason: null, has_error_in_internal_transactions: null };
  }
  const hasError = calls.some(({ error }) => error !== null);
  return { status, result, revert_reason: reason, has_error_in_internal_transactions: hasError };
}

function decodeInput({ method, parameters }: Transaction): JsonRow | null {
  if (method === null) return null;
  const declared = /\((.*)\)/.exec(method.call)?.[1]?.split(', ') ?? [];
  const named = declared.map((declaration, place) => {
    const [type = '', name = ''] = declaration.split(' ');
    return { name, type, value: parameters[place] ?? '' };
  });
  return { method_call: method.call, method_id: method.id.slice(2), parameters: named };
}

/** The most transfers that a transaction shows. The list of transfers has all. */
const SHOWN_TRANSFERS = 10;
/** Contracts of the chain move fewer tokens at once. */
export const TRANSFERS_PER_TRANSACTION = 64;

/** The place of a transfer in its block. */
export function logIndexOf({ position }: Mined, place: number): number {
  return position * TRANSFERS_PER_TRANSACTION + place;
}

export function renderTransfer(world: World, mined: Mined, transfer: Transfer, place: number): JsonRow {
  const { transaction, height } = mined;
  return {
    block_hash: world.chain.blockHash(height),
    transaction_hash: transaction.hash,
    log_index: logIndexOf(mined, place),
    from: world.refRow(transfer.from),
    to: world.refRow(transfer.to),
    token: tokenAt(world, transfer.token),
    total: totalOf(world.tokens, transfer),
    type: transfer.type,
    method: transaction.method?.name ?? null,
    timestamp: showTime(world.timeOf(height)),
  };
}

function tokenAt(world: World, address: string): JsonRow | null {
  const token = world.tokens.find(address);
  return token === undefined ? null : renderToken(world, token);
}

/** A collection of pieces has no decimals. */
function totalOf(tokens: TokenBook, { token, value }: Transfer): JsonRow {
  const decimals = tokens.find(token)?.decimals ?? null;
  return { decimals: decimals === null ? null : String(decimals), value: String(value ?? 1n) };
}
