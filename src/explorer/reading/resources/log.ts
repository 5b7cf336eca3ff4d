import { ANY_EVENT } from '../../../core/events/event-fields.ts';
import { dataIn, topicsIn } from '../../../core/events/event-data.ts';
import { address, hash, list, natural, text, time } from '../../../core/values/field-declarations.ts';
import { isRow } from '../../../core/values/fields.ts';
import { RecordType } from '../../../core/values/record-type.ts';
import { IGNORED_KEYS } from '../../ignored-keys.ts';
import { blockNumber } from './block-number.ts';

/** `getLogs` writes numbers in hexadecimal digits, and zero as `0x`. */
function number(raw: unknown): unknown {
  if (typeof raw !== 'string' || !/^0x[0-9a-f]{0,64}$/i.test(raw)) return blockNumber(raw);
  return raw === '0x' ? '0' : BigInt(raw).toString();
}

/** The time in seconds since 1970, or as text. */
function timeOf(raw: unknown): unknown {
  if (typeof raw !== 'string' || !raw.startsWith('0x')) return raw;
  const ms = Number(number(raw)) * 1000;
  return Number.isFinite(ms) && ms < 8.64e15 ? new Date(ms).toISOString() : undefined;
}

/** An event of a contract, as `getLogs` or the list of an address shows it. */
export const Log = new RecordType(
  'Log',
  {
    event: ANY_EVENT,
    address: address('contract that emitted it', { from: (raw) => (isRow(raw) ? raw['hash'] : raw) }),
    topics: list(hash('a topic'), 'hash of the event, then its indexed arguments', { fromRow: topicsIn }),
    data: text('arguments that are not indexed, as hexadecimal digits', { fromRow: dataIn }),
    block_number: natural('block it is in', { was: ['blockNumber'], from: number }),
    transaction_hash: hash('transaction it belongs to', { was: ['transactionHash', 'tx_hash'] }),
    log_index: natural('place in its block', { was: ['logIndex', 'index'], from: number }),
    timestamp: time('time of its block', { was: ['timeStamp', 'block_timestamp'], from: timeOf }),
  },
  { ignored: IGNORED_KEYS.Log },
);
