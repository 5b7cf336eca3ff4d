import { z } from 'zod';
import { Amount } from '../core/values/amount.ts';
import { valueAt, type AnyView, type View } from '../core/values/fields.ts';
import type { DetectedEvent, Detection } from '../core/model/detection.ts';
import type { Kind } from '../core/model/watch/kind.ts';
import type { SyntheticRow } from '../core/model/watch/script.ts';
import type { Target } from '../core/model/watch/target.ts';
import type { Steps } from '../lib/steps.ts';
import { addressInternalTransactions, blocks } from '../explorer/operations.ts';
import { AddressRef } from '../explorer/reading/resources/address.ts';
import { InternalTransaction, isDelegated } from '../explorer/reading/resources/internal-transaction.ts';
import { syntheticHash, nameOf } from './synthetic.ts';
import { coverageOf } from './lists/coverage.ts';
import { eventsOf, NEW_ROW } from './list-events.ts';
import { syntheticBlock, ListState, startingAt, startOption, type StartOption } from './list-state.ts';
import type { ListReading } from './lists/list-reading.ts';
import { historyOf, placeOf, type RowKey } from './lists/row-key.ts';
import { detectEvents, observeList, writtenReading } from './newest-first-list.ts';
import { callWording } from './wording/internal-transactions.ts';

type Row = typeof InternalTransaction.fields;
interface Options extends StartOption {
  readonly direction?: 'to' | 'from' | undefined;
}

/**
 * Transaction hash and index identify a call, so it stays the same call if it is mined again in another block. A call
 * without a block has no identity, since it cannot be distinguished from an old one.
 */
const row: RowKey<Row> = {
  identityOf: ({ transaction_hash, index, block_number }) =>
    transaction_hash === undefined || index === undefined || block_number === undefined
      ? undefined
      : `${transaction_hash}:${index}`,
  blockOf: ({ block_number }) => block_number,
  happenedAt: ({ timestamp }) => timestamp,
  cursorFrom: ({ block_number, transaction_index, index }) =>
    block_number === undefined || transaction_index === undefined || index === undefined
      ? null
      : { block_number: `${block_number}`, transaction_index: `${transaction_index}`, index: `${index}` },
};

export const internalTransactions: Kind<Options, ListState, ListReading<Row>> = {
  name: 'internal-transactions',
  summary: 'Calls inside transactions, to or from an address.',
  noun: 'call',
  fields: InternalTransaction,
  events: { new: NEW_ROW },
  while: null,
  of: 'required',
  token: 'none',
  options: z.strictObject({
    ...startOption,
    direction: z.enum(['to', 'from']).optional().describe('Only calls to, or only calls from the address.'),
  }),
  state: ListState,
  comparedByDefault: [],
  shown: ['success', 'error', 'type', 'value', 'from.hash', 'to.hash', 'transaction_hash', 'index', 'block_number'],
  fleeting: ['block_number'],
  placeInBlock: ['transaction_index', 'index'],
  wording: callWording,
  question,
  head: ({ explorer }) => blocks(explorer),
  page: (_target, view) => pageOf(view),
  observe: (target, state, read, downTo) =>
    observeList(question(target), state ?? startingAt(target.options), read, {
      ...row,
      maxPages: target.maxPages,
      downTo,
      isAskedFor: (call) => isAskedFor(target, call),
    }),
  detect: (target, state, seen, scope): Steps<Detection<ListState>> =>
    detectEvents(state ?? startingAt(target.options), seen, {
      row,
      scope,
      question: question(target),
      toDetection: (list) => eventsOf(list, newCall),
    }),
  coverage: coverageOf,
  history: historyOf(row),
  examples: {},
  rowsOf: (seen) => seen,
  sourceOf: (path) => (path === 'inherited_value' ? 'value' : path),
  script: {
    rows: 'items',
    record: InternalTransaction,
    synthesize(target, { rows }, state) {
      const calls = rows.map((written, i) => synthesize(target, written, { state, above: rows.length - i }));
      return writtenReading<Row>(calls.filter((call) => isAskedFor(target, call)));
    },
  },
};

function newCall(call: View<Row>, novelty: DetectedEvent['novelty']): DetectedEvent {
  const item = { key: row.identityOf(call) ?? '', view: call, happenedAt: call.timestamp?.getTime() ?? null };
  return { on: 'new', ...item, novelty, before: null, changed: [], block: placeOf(row, call), slot: null };
}

function question({ explorer, address, options }: Target<Options>) {
  if (address === null) throw new TypeError('internal-transactions needs an address');
  return addressInternalTransactions(explorer, address, options.direction);
}

/** Servers that do not have the filter send everything, so it is applied here too. */
function isAskedFor({ address, options }: Target<Options>, call: View<Row>): boolean {
  if (options.direction === undefined || address === null) return true;
  const end = options.direction === 'from' ? call.from : (call.to ?? call.created_contract);
  return end?.hash === undefined || end.hash.equals(address);
}

function pageOf(view: AnyView): string | null {
  const hash = valueAt(view, 'transaction_hash');
  return typeof hash === 'string' ? `/tx/${hash}?tab=internal` : null;
}

const NO_COINS = new Amount(0n, 0);

function synthesize(
  { address, options }: Target<Options>,
  written: SyntheticRow,
  { state, above }: { readonly state: ListState | null; readonly above: number },
): View<Row> {
  const call = written.view as View<Row>;
  const own = address === null ? undefined : AddressRef.make({ hash: address });
  const named = InternalTransaction.over(call, {
    transaction_hash: call.transaction_hash ?? syntheticHash(nameOf(written)),
    index: call.index ?? 0n,
    from: call.from ?? (options.direction === 'from' ? own : undefined),
    to: call.to ?? (options.direction === 'to' && call.created_contract === undefined ? own : undefined),
    ...(isDelegated(call.type) ? { value: NO_COINS, inherited_value: call.inherited_value ?? call.value } : {}),
  });
  const block = call.block_number ?? syntheticBlock(state, row.identityOf(named), above);
  return InternalTransaction.over(named, { block_number: block });
}
