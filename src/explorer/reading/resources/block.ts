import {
  amount,
  double,
  hash,
  list,
  natural,
  oneOf,
  quantity,
  record,
  text,
  time,
} from '../../../core/values/field-declarations.ts';
import { isRow } from '../../../core/values/fields.ts';
import { RecordType } from '../../../core/values/record-type.ts';
import { IGNORED_KEYS } from '../../ignored-keys.ts';
import { AddressRef } from './address.ts';
import { blockNumber } from './block-number.ts';

const Reward = new RecordType('Reward', {
  reward: amount('coin', 'coins paid'),
  type: text('for what'),
});

/** Uncles are hashes by the specification; servers send `{ hash }` objects. */
function hashesOf(raw: unknown): unknown {
  return Array.isArray(raw) ? raw.map((item: unknown) => (isRow(item) ? item['hash'] : item)) : raw;
}

const NOTHING_INSTEAD = 'No release sends it: leave it out.';

/** Specification 2.7. */
export const Block = new RecordType(
  'Block',
  {
    hash: hash('the block'),
    parent_hash: hash('the block before'),
    height: natural('its number', { from: blockNumber }),
    type: oneOf('its standing', ['block', 'uncle', 'reorg']),
    timestamp: time('the time at which it was made'),
    miner: record(AddressRef, 'the maker of the block'),
    nonce: text('nonce of proof of work'),
    difficulty: natural('difficulty'),
    total_difficulty: natural('difficulty of the chain'),
    size: natural('bytes'),
    extra_data: text('free bytes of its maker', { seldom: NOTHING_INSTEAD }),
    state_root: hash('state after it', { seldom: NOTHING_INSTEAD }),
    gas_limit: natural('gas it may use'),
    gas_used: natural('gas it used'),
    gas_used_percentage: double('percent of the gas limit'),
    gas_target_percentage: double('percent above or below the gas target'),
    base_fee_per_gas: quantity('gwei', 'base fee'),
    burnt_fees: quantity('coin', 'fees burnt'),
    burnt_fees_percentage: double('percent of the fees'),
    priority_fee: amount('coin', 'tips'),
    transaction_fees: amount('coin', 'all fees', { was: ['tx_fees'] }),
    transactions_count: natural('number of transactions', { was: ['transaction_count', 'tx_count'] }),
    withdrawals_count: natural('number of withdrawals'),
    uncles_hashes: list(hash('an uncle'), 'uncles', { from: hashesOf }),
    rewards: list(record(Reward, 'a reward'), 'the rewards of its maker'),
  },
  { ignored: IGNORED_KEYS.Block },
);
