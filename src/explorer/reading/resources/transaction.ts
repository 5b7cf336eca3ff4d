import { KNOWN_CALL_FIELDS, KNOWN_CALL_LACKING } from '../../../core/calls/call-fields.ts';
import { worthInRow } from '../../../core/values/amount.ts';
import {
  address,
  amount,
  bool,
  dollars,
  double,
  hash,
  int,
  json,
  list,
  natural,
  oneOf,
  quantity,
  record,
  text,
  time,
  word,
} from '../../../core/values/field-declarations.ts';
import { isRow } from '../../../core/values/fields.ts';
import { decodeField, isShallow, RecordType } from '../../../core/values/record-type.ts';
import { IGNORED_KEYS } from '../../ignored-keys.ts';
import { AddressRef } from './address.ts';
import { blockNumber } from './block-number.ts';
import { TokenTransfer } from './token-transfer.ts';

const Fee = new RecordType('Fee', {
  type: oneOf('whether it is final', ['maximum', 'actual']),
  value: quantity('coin', 'fee in coins'),
});

const Parameter = new RecordType('Parameter', {
  name: text('name of the parameter'),
  type: text('its type'),
  value: text('its value', { from: asText }),
});

const DecodedInput = new RecordType('DecodedInput', {
  method_call: text('signature with names'),
  method_id: text('first four bytes'),
  parameters: list(record(Parameter, 'one parameter'), 'parameters of the call'),
});

const Action = new RecordType('Action', {
  protocol: text('the protocol'),
  type: text('the action'),
  data: json('details by protocol'),
});

function asText(raw: unknown): string | undefined {
  if (raw === null || raw === undefined) return undefined;
  if (typeof raw === 'string') return raw;
  return isShallow(raw) ? JSON.stringify(raw) : undefined;
}

/** A revert reason is text by the specification; servers also send `{ raw }` or an object like `decoded_input`. */
function revertText(raw: unknown): unknown {
  if (!isRow(raw)) return raw;
  if (typeof raw['method_call'] !== 'string') return raw['raw'];
  const parameters = Array.isArray(raw['parameters']) ? (raw['parameters'] as unknown[]) : [];
  const values = parameters.map((parameter) => (isRow(parameter) ? (asText(parameter['value']) ?? '') : ''));
  return values.length === 0 ? raw['method_call'] : `${raw['method_call']}: ${values.join(', ')}`;
}

const SENT = quantity('coin', 'coins sent');
const PRICE = amount('plain', 'price of one coin in US dollars');

/** EIP-7702 */
const Authorization = new RecordType('Authorization', {
  address_hash: address('contract that may act', { was: ['address'] }),
  authority: address('account that lets it'),
  chain_id: natural('on which chain; 0 = on every one'),
  nonce: natural('counter of the account'),
  status: word('whether it took effect', ['ok', 'invalid_chain_id', 'invalid_signature', 'invalid_nonce']),
});

const TRANSACTION_TYPES = [
  'coin_transfer',
  'contract_call',
  'contract_creation',
  'token_transfer',
  'token_creation',
  'blob_transaction',
  'set_code_transaction',
  'rootstock_remasc',
  'rootstock_bridge',
  'sponsored_transaction',
];

/** Only the details of a single transaction have these fields, and no kind of watch asks for such details. */
const TRANSFERS =
  'That tokens moved says transaction_types.exists(t, t == "token_transfer"); what is held, kind: holdings or balance.';

export const Transaction = new RecordType(
  'Transaction',
  {
    hash: hash('the transaction'),
    timestamp: time('time of its block'),
    block_number: natural('block it is in; unknown while pending', { was: ['block'], from: blockNumber }),
    status: oneOf('the result; unknown while pending', ['ok', 'error']),
    method: text('method called'),
    confirmations: int('blocks on top of it'),
    confirmation_duration: list(double('milliseconds'), 'how long it waited'),
    type: int('envelope type'),
    position: natural('place in its block'),
    nonce: natural('counter of the sender'),
    from: record(AddressRef, 'sender', {
      signs: 'Its calls are found by kind: internal-transactions, direction: from.',
    }),
    to: record(AddressRef, 'receiver; unknown for creations'),
    created_contract: record(AddressRef, 'contract created'),
    fee: record(Fee, 'what it cost'),
    value: SENT,
    gas_limit: natural('gas it may use'),
    gas_used: natural('gas it used'),
    gas_price: quantity('gwei', 'price of gas'),
    base_fee_per_gas: quantity('gwei', 'base fee of its block'),
    max_fee_per_gas: quantity('gwei', 'most it would pay'),
    max_priority_fee_per_gas: amount('gwei', 'highest tip it would pay'),
    priority_fee: amount('coin', 'tip paid'),
    transaction_burnt_fee: quantity('coin', 'fee burnt', { was: ['tx_burnt_fee'] }),
    exchange_rate: PRICE,
    value_usd: dollars(
      { path: 'exchange_rate' },
      'coins sent, in US dollars, at the first price that an answer shows with them',
      {
        fromRow: (row, units) =>
          worthInRow(decodeField(SENT, 'value', row, units), decodeField(PRICE, 'exchange_rate', row, units)),
      },
    ),
    result: text('the result, in words'),
    revert_reason: text('the reason of the failure', { from: revertText, absent: 'no reason given' }),
    raw_input: text('call data'),
    ...KNOWN_CALL_FIELDS,
    has_error_in_internal_transactions: bool('whether a call inside failed; unknown until traced', {
      was: ['has_error_in_internal_txs'],
    }),
    transaction_tag: text('tag of the key holder', { was: ['tx_tag'] }),
    transaction_types: list(word('a type', TRANSACTION_TYPES), 'what it is', { was: ['tx_types'] }),
    token_transfers: list(record(TokenTransfer, 'a transfer'), 'tokens moved; left out of lists', {
      seldom: TRANSFERS,
    }),
    token_transfers_overflow: bool('whether there are more transfers than shown', { seldom: TRANSFERS }),
    decoded_input: record(DecodedInput, 'the call, decoded'),
    actions: list(record(Action, 'an action'), 'what it did, by protocol', {
      seldom: 'Releases from 11 on do not have it: read method.',
    }),
    authorization_list: list(record(Authorization, 'one of them'), 'accounts that let a contract act for them'),
    is_pending_update: bool('whether its block is read again, so that anything here may still change'),
    l1_fee: quantity('coin', 'fee paid on the chain below; rollups only'),
  },
  { ignored: IGNORED_KEYS.Transaction, lacking: KNOWN_CALL_LACKING },
);
