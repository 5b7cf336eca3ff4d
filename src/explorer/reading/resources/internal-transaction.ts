import {
  address,
  bool,
  hash,
  natural,
  quantity,
  record,
  text,
  time,
  word,
} from '../../../core/values/field-declarations.ts';
import { KNOWN_CALL_FIELDS, KNOWN_CALL_LACKING } from '../../../core/calls/call-fields.ts';
import type { AnyRecord, Fields, Lacking, RawRow } from '../../../core/values/fields.ts';
import { RecordType } from '../../../core/values/record-type.ts';
import { checksummed } from '../../../lib/abi/checksum.ts';
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
    error: text('the reason of the failure, in the words of the node', { absent: 'no reason given' }),
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

/** True for a call that runs code of another contract in the context of the caller. It moves no coins. */
export function isDelegated(type: unknown): boolean {
  return type === 'delegatecall' || type === 'callcode';
}

const OPTIONS = { ignored: IGNORED_KEYS.AccountCall, lacking: KNOWN_CALL_LACKING, rowOf: withListKeys };

/**
 * An internal transaction in a row of `txlistinternal`. The row contains the call data, but not the place of the
 * transaction in the block.
 */
export const AccountCall = new RecordType(
  'InternalTransaction',
  { ...InternalTransaction.fields, raw_input: text('call data'), ...KNOWN_CALL_FIELDS },
  OPTIONS,
);

/** `txlistinternal` shows addresses in lower case, without names and tags. */
const PlainAddress = new RecordType('PlainAddress', { hash: address('the address', { from: spelled }) });

function spelled(raw: unknown): unknown {
  return typeof raw === 'string' && /^0x[0-9a-f]{40}$/i.test(raw) ? checksummed(raw) : raw;
}

/** The record of a `txlistinternal` row for rules. `fields` are those that a watch adds. */
export function accountCallWith(fields: Fields, lacking: Lacking): AnyRecord {
  const { transaction_index: _place, ...shown } = AccountCall.fields;
  const ends = {
    from: record(PlainAddress, 'caller'),
    to: record(PlainAddress, 'called; unknown for creations'),
    created_contract: record(PlainAddress, 'contract created'),
  };
  return new RecordType('InternalTransaction', { ...shown, ...ends, ...fields }, { ...OPTIONS, lacking });
}

/**
 * Gives a row of `txlistinternal` the keys that the list of an address has. In `txlistinternal`, an empty text means
 * that a value does not exist.
 */
function withListKeys(row: RawRow): RawRow {
  if (row['isError'] === undefined) return row;
  const created = endOf(row['contractAddress']);
  const given = created === null ? (row['input'] ?? null) : null;
  return {
    block_number: row['blockNumber'],
    transaction_hash: row['transactionHash'] ?? row['hash'],
    index: row['index'],
    timestamp: timeOf(row['timeStamp']),
    type: present(row['callType']) ?? row['type'],
    success: SUCCESS.get(row['isError']),
    error: present(row['errCode']),
    from: endOf(row['from']),
    to: endOf(row['to']),
    created_contract: created,
    value: row['value'],
    gas_limit: row['gas'],
    raw_input: given === '' ? '0x' : given,
  };
}

const SUCCESS = new Map<unknown, boolean>([
  ['0', true],
  ['1', false],
]);

function present(raw: unknown): unknown {
  return raw === '' || raw === undefined ? null : raw;
}

function endOf(raw: unknown): RawRow | null {
  const hash = present(raw);
  return hash === null ? null : { hash };
}

/** Seconds since 1970. */
function timeOf(raw: unknown): string | undefined {
  const ms = typeof raw === 'string' && /^\d{1,12}$/.test(raw) ? Number(raw) * 1000 : NaN;
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}
