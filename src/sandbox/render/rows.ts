// Blocks, internal transactions and holdings as specification 2.4, 2.5 and 2.7 have them.
import type { JsonRow } from '../answer.ts';
import { showTime } from '../chain/keys.ts';
import type { Holding } from '../chain/ledger.ts';
import type { InternalCall, Mined } from '../chain/transaction.ts';
import { draw, PURPOSE } from '../chain/draw.ts';
import type { World } from '../world.ts';
import { renderToken } from './token.ts';
import { baseFeeOf } from './transaction.ts';

export interface TracedCall {
  readonly mined: Mined;
  readonly call: InternalCall;
}

export function renderCall(world: World, { mined, call }: TracedCall): JsonRow {
  const row = {
    block_number: mined.height,
    created_contract: call.created === null ? null : world.refRow(call.created),
    error: call.error,
    from: world.refRow(call.from),
    to: call.to === null ? null : world.refRow(call.to),
    gas_limit: String(call.gas),
    index: call.index,
    success: call.error === null,
    timestamp: showTime(world.timeOf(mined.height)),
    transaction_hash: mined.transaction.hash,
    type: call.type,
    value: String(call.value),
  };
  return world.dialect.write('internal-transaction', row, () => ({
    transaction_index: mined.position,
    block_index: blockIndexOf(world, { mined, call }),
  }));
}

/** Place among all calls of the block. */
function blockIndexOf(world: World, { mined: { height, position, transaction }, call }: TracedCall): number {
  const before = world.chain.transactionsOf(height).slice(0, position);
  return before.reduce((sum, one) => sum + one.transaction.calls.length, transaction.calls.indexOf(call));
}

const GAS_LIMIT = 30_000_000;
const GAS_TARGET = GAS_LIMIT / 2;
const WITHDRAWALS = 16;
const EMISSION_WEI = 2e18;

export interface BlockRow {
  readonly height: number;
  /** The number of times the block of this height had been replaced when this one was made; left out = now. */
  readonly replaced?: number;
  readonly type: 'block' | 'uncle' | 'reorg';
}

const UNCLE_EVERY = 97;

/** Whether a block names an uncle: a block that was made at the height of its parent as well. */
export function hasUncle(height: number): boolean {
  return height > 0 && height % UNCLE_EVERY === 0;
}

export function renderBlock(world: World, { height, replaced, type }: BlockRow): JsonRow {
  const mined = type === 'block' ? world.chain.transactionsOf(height) : [];
  const gasUsed = mined.reduce((sum, { transaction }) => sum + transaction.gasUsed, 0);
  const row = {
    hash: type === 'uncle' ? world.chain.uncleHash(height) : world.chain.blockHash(height, replaced),
    parent_hash: height === 0 ? `0x${'0'.repeat(64)}` : world.chain.blockHash(height - 1),
    height,
    type,
    timestamp: showTime(world.timeOf(height)),
    miner: world.refRow(minerOf(world, height)),
    nonce: '0x0000000000000000',
    difficulty: '2',
    total_difficulty: String(2 * height + 1),
    size: 600 + mined.length * 190,
    extra_data: '0x73616e64626f78',
    state_root: world.chain.stateRoot(height),
    gas_limit: String(GAS_LIMIT),
    gas_used: String(gasUsed),
    gas_used_percentage: (gasUsed / GAS_LIMIT) * 100,
    gas_target_percentage: (gasUsed / GAS_TARGET - 1) * 100,
    ...renderFees(height, mined, BigInt(gasUsed)),
    transactions_count: mined.length,
    withdrawals_count: height % WITHDRAWALS,
    uncles_hashes: type !== 'uncle' && hasUncle(height) ? [world.chain.uncleHash(height - 1)] : [],
  };
  return world.dialect.write('block', row, () => ({ internal_transactions_count: null, is_pending_update: false }));
}

function renderFees(height: number, mined: readonly Mined[], gasUsed: bigint): JsonRow {
  const baseFee = baseFeeOf(height);
  const burnt = gasUsed * baseFee;
  const tips = mined.reduce((sum, { transaction: { gasUsed: gas, tip } }) => sum + BigInt(gas) * tip, 0n);
  const fees = burnt + tips;
  return {
    base_fee_per_gas: String(baseFee),
    burnt_fees: String(burnt),
    burnt_fees_percentage: fees === 0n ? null : Number((burnt * 10_000n) / fees) / 100,
    priority_fee: String(tips),
    transaction_fees: String(fees),
    rewards: rewardsOf(height, Number(tips)),
  };
}

/** Rewards are numbers of wei by the specification. */
function rewardsOf(height: number, tips: number): JsonRow[] {
  const usual = [
    { reward: tips, type: 'Miner Reward' },
    { reward: EMISSION_WEI, type: 'Emission Reward' },
  ];
  if (hasUncle(height)) return [...usual, { reward: EMISSION_WEI / 32, type: 'Uncle Reward' }];
  return height % 89 === 0 ? [...usual, { reward: EMISSION_WEI / 64, type: 'Chore Reward' }] : usual;
}

const MINERS = 5;

function minerOf(world: World, height: number): string {
  return world.account(draw(world.seed, PURPOSE.account, height, 1) % MINERS);
}

/** `holder`: the account that holds it. */
export function renderHolding(world: World, holder: string, { token, tokenId, value, isPiece }: Holding): JsonRow {
  const view = renderToken(world, token);
  const instance =
    isPiece && tokenId !== null ? renderPiece(world, holder, tokenId, token.type === 'ERC-721', view) : null;
  const row = { value: String(value), token_id: tokenId, token: view, token_instance: instance };
  return world.dialect.write('token-balance', row, () => ({
    reputation: world.tokens.reputation(token, world.head()),
    // The amount of a confidential token is secret.
    ...(token.type === 'ERC-7984' && world.dialect.isSince('11') ? { value: null } : {}),
  }));
}

function renderPiece(world: World, holder: string, id: string, isUnique: boolean, token: unknown): JsonRow {
  const image = `https://pieces.example/${id}.png`;
  return {
    is_unique: isUnique,
    id,
    owner: world.refRow(holder),
    token,
    holder_address_hash: world.ref(holder).hash,
    image_url: image,
    animation_url: `https://pieces.example/${id}.mp4`,
    external_app_url: `https://pieces.example/${id}`,
    metadata: {
      year: 2026,
      tags: ['sandbox', 'piece'],
      name: `Piece #${id}`,
      image_url: image,
      home_url: 'https://pieces.example',
      external_url: `https://pieces.example/${id}`,
      description: 'A piece of the sandbox chain.',
      attributes: [{ value: Number(id) % 2 === 0 ? 'even' : 'odd', trait_type: 'Parity' }],
    },
  };
}
