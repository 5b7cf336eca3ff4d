import { bool, hash, natural, quantity, record, text, time, word } from '../../../core/values/field-declarations.ts';
import { RecordType } from '../../../core/values/record-type.ts';
import { IGNORED_KEYS } from '../../ignored-keys.ts';
import { AddressRef } from './address.ts';
import { blockNumber } from './block-number.ts';

/** Specification 2.5. */
export const InternalTransaction = new RecordType(
  'InternalTransaction',
  {
    block_number: natural('block it happened in', { was: ['block'], from: blockNumber }),
    transaction_hash: hash('transaction it belongs to'),
    index: natural('place in its transaction'),
    transaction_index: natural('place of its transaction in the block'),
    timestamp: time('time of its block'),
    type: word('kind of call', ['call', 'callcode', 'delegatecall', 'staticcall', 'create', 'create2', 'selfdestruct']),
    success: bool('whether the call itself went through; true also for a sub-call of a transaction that failed'),
    error: text('why it failed, in the words of the node', { absent: 'no reason given' }),
    from: record(AddressRef, 'caller'),
    to: record(AddressRef, 'called; unknown for creations'),
    created_contract: record(AddressRef, 'contract created'),
    value: quantity('coin', 'coins moved; 0 for delegatecall and callcode', {
      fromRow: (row) => (isDelegated(row['type']) ? '0' : row['value']),
    }),
    inherited_value: quantity(
      'coin',
      'coins that the explorer shows for a delegatecall or callcode: those of the call around it',
      {
        fromRow: (row) => (isDelegated(row['type']) ? row['value'] : undefined),
      },
    ),
    gas_limit: natural('gas it was given'),
  },
  { ignored: IGNORED_KEYS.InternalTransaction },
);

/** Such a call runs code of another contract in place of its own. It moves no coins. */
export function isDelegated(type: unknown): boolean {
  return type === 'delegatecall' || type === 'callcode';
}
