import { z } from 'zod';
import { CATALOGUE } from '../core/calls/catalogue.ts';
import { callFieldsOf, KNOWN_CALL_LACKING, type ReadCalls } from '../core/calls/call-fields.ts';
import { dollarsOf } from '../core/values/amount.ts';
import { recordTypeOf, valueAt, type AnyRecord, type AnyView, type View } from '../core/values/fields.ts';
import type { EventName } from '../core/model/ids.ts';
import type { DetectedEvent, Detection } from '../core/model/detection.ts';
import type { Kind } from '../core/model/watch/kind.ts';
import type { SyntheticRow } from '../core/model/watch/script.ts';
import type { Read } from '../core/model/watch/question.ts';
import type { Target } from '../core/model/watch/target.ts';
import { EMPTY_ABI, type Abi } from '../lib/abi/abi.ts';
import { mapInSteps, type Steps } from '../lib/steps.ts';
import { rawText } from '../lib/untrusted.ts';
import { addressTransactions, blocks, transactions as chainTransactions } from '../explorer/operations.ts';
import { Transaction } from '../explorer/reading/resources/transaction.ts';
import { syntheticHash, nameOf } from './synthetic.ts';
import { CALL_ADVICE } from './calls/advice.ts';
import {
  calledFunctionsOf,
  callOptions,
  checkCalls,
  describeCalls,
  readCallsOf,
  type CallOptions,
} from './calls/option.ts';
import { createRereading } from './calls/reread.ts';
import { withCall } from './calls/written-calls.ts';
import { detailsBy } from './calls/details.ts';
import { coverageOf } from './lists/coverage.ts';
import { eventsOf, NEW_ROW } from './list-events.ts';
import { syntheticBlock, ListState, startingAt, startOption, type StartOption } from './list-state.ts';
import type { NewRows } from './lists/detection.ts';
import type { ListReading } from './lists/list-reading.ts';
import { historyOf, isMinedNow, placeOf, type RowKey } from './lists/row-key.ts';
import { detectEvents, observeList, writtenReading } from './newest-first-list.ts';
import { TRANSACTION_EXAMPLES } from './examples.ts';
import { transactionWording } from './wording/transactions.ts';

type Row = typeof Transaction.fields;

/**
 * A transaction is identified by its hash, in any block. It is pending until its status is known. A transaction with a
 * status but without a block has no identity, since it cannot be distinguished from an old one.
 */
const row: RowKey<Row> = {
  identityOf: ({ hash, block_number, status }) =>
    status !== undefined && block_number === undefined ? undefined : hash,
  blockOf: ({ block_number, status }) => (status === undefined ? undefined : block_number),
  standsIn: ({ block_number }) => block_number,
  happenedAt: ({ timestamp }) => timestamp,
  cursorFrom: ({ block_number, position }) =>
    block_number === undefined || position === undefined
      ? null
      : { block_number: `${block_number}`, index: `${position}` },
};

/** The input of a transaction is a part of its hash, so it never changes: a reload that adds `calls:` changes no item. */
const CALL_PATHS = ['selector', 'called', 'args', 'raw'];
const FLEETING = [
  ...CALL_PATHS,
  'block_number',
  'position',
  'timestamp',
  'confirmations',
  'method',
  'is_pending_update',
  'exchange_rate',
  'value_usd',
];

type Options = StartOption & CallOptions;

const SIGNED = {
  by: 'accounts',
  hint: 'Add a watch with kind: internal-transactions, direction: to, and the same calls.',
} as const;

/** The kind for a target without `calls:`. */
export const transactions = transactionsWith(null);

/** `calls`: the functions whose arguments are fields of each row; null if the rule names none. */
function transactionsWith(calls: ReadCalls | null): Kind<Options, ListState, ListReading<Row>> {
  const record = calls === null ? Transaction : withFields(callFieldsOf(calls));
  const reading = calls === null ? (read: Read) => read : createRereading(record);
  return {
    name: 'transactions',
    summary: 'Transactions of an address, or of the whole chain.',
    noun: 'tx',
    fields: record,
    fieldOptions: ['calls', 'abi', 'units'],
    forOptions: (options) => transactionsWith(readCallsOf(options)),
    advice: CALL_ADVICE,
    signatures: CATALOGUE,
    describeOptions: describeCalls,
    calledFunctions: (options, reads) => calledFunctionsOf(options, reads, SIGNED),
    events: {
      new: NEW_ROW,
      mined: { doc: 'a transaction that was pending is in a block', inBlocks: true, needs: 'of' },
    },
    while: null,
    of: 'optional',
    token: 'none',
    options: optionsWith(EMPTY_ABI),
    optionsWith,
    state: ListState,
    comparedByDefault: [],
    shown: ['status', 'called', 'method', 'value', 'from.hash', 'to.hash', 'hash', 'block_number', 'revert_reason'],
    fleeting: FLEETING,
    placeInBlock: ['position'],
    wording: transactionWording,
    question,
    head: ({ explorer }) => blocks(explorer),
    page: (_target, view) => pageOf(view),
    observe: (target, state, read, downTo) =>
      observeList(question(target), state ?? startingAt(target.options), reading(read), {
        ...row,
        maxPages: target.maxPages,
        downTo,
      }),
    detect: (target, state, seen, scope): Steps<Detection<ListState>> =>
      detectEvents(state ?? startingAt(target.options), seen, {
        row,
        scope,
        question: question(target),
        *toDetection(list) {
          const detection = yield* detectionOf(state, list);
          const dropped = seen.rows.filter(isDropped).flatMap(({ hash }) => hash ?? []);
          return { ...detection, dropped };
        },
      }),
    details: detailsBy('hash', readCallsOf),
    coverage: coverageOf,
    history: historyOf(row),
    examples: TRANSACTION_EXAMPLES,
    rowsOf: (seen) => seen,
    sourceOf: (path) => (KNOWN_CALL_LACKING.covers(path) ? 'raw_input' : path === 'value_usd' ? 'exchange_rate' : path),
    script: {
      rows: 'items',
      record,
      synthesize: (_target, { rows }, state) =>
        writtenReading<Row>(
          rows.map((written, i) =>
            synthesize({ ...written, view: withCall(written, record, calls) }, state, rows.length - i),
          ),
        ),
    },
  };
}

function optionsWith(abi: Abi) {
  return z.strictObject({ ...startOption, ...callOptions(abi) }).superRefine(checkCalls);
}

function withFields({ fields, lacking }: ReturnType<typeof callFieldsOf>): AnyRecord {
  return Transaction.with(fields, lacking);
}

function* detectionOf(state: ListState | null, list: NewRows<Row>): Steps<Detection<ListState>> {
  const detection = yield* eventsOf(list, (tx, novelty) => eventOf('new', tx, novelty));
  const minedIn = state === null ? [] : [...list.known, ...list.changed.map(({ row }) => row)];
  const mined = yield* mapInSteps(minedIn, (tx) =>
    eventOf('mined', tx, state !== null && isMinedNow(state, row, tx) ? 'new' : 'known'),
  );
  return { ...detection, events: [...detection.events, ...mined] };
}

function eventOf(on: EventName, tx: View<Row>, novelty: DetectedEvent['novelty']): DetectedEvent {
  const happenedAt = tx.timestamp?.getTime() ?? null;
  const item = { key: row.identityOf(tx) ?? '', view: tx, happenedAt, block: placeOf(row, tx) };
  return { on, ...item, novelty, before: null, changed: [], slot: slotOf(tx) };
}

/** The slot of a transaction: at most one transaction with a sender and nonce is ever mined. Null: unknown. */
function slotOf({ from, nonce }: View<Row>): string | null {
  const sender = from?.hash?.key;
  return sender === undefined || nonce === undefined ? null : `${sender}/${nonce}`;
}

/** The result that explorers show for a transaction that nodes dropped, or that another one with its nonce replaced. */
const DROPPED = 'dropped/replaced';

function isDropped({ block_number, result }: View<Row>): boolean {
  return block_number === undefined && result !== undefined && rawText(result) === DROPPED;
}

function question({ explorer, address }: Target) {
  return address === null ? chainTransactions(explorer) : addressTransactions(explorer, address);
}

function pageOf(view: AnyView): string | null {
  const hash = valueAt(view, 'hash');
  return typeof hash === 'string' ? `/tx/${hash}` : null;
}

/** A row without a status is pending, and in no block. */
function synthesize(written: SyntheticRow, state: ListState | null, above: number): View<Row> {
  const tx = written.view as View<Row>;
  const hash = tx.hash ?? syntheticHash(nameOf(written));
  const block = tx.status === undefined ? undefined : syntheticBlock(state, hash, above);
  const value_usd = written.says.has('value_usd') ? tx.value_usd : dollarsOf(tx.value, tx.exchange_rate);
  return recordTypeOf(tx).over(tx, { hash, block_number: tx.block_number ?? block, value_usd }) as View<Row>;
}
