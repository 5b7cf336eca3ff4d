import { z } from 'zod';
import { CATALOGUE } from '../core/calls/catalogue.ts';
import { callFieldsOf, KNOWN_CALL_LACKING, type ReadCalls } from '../core/calls/call-fields.ts';
import type { Address } from '../core/values/address.ts';
import { Amount } from '../core/values/amount.ts';
import { recordTypeOf, valueAt, type AnyRecord, type AnyView, type View } from '../core/values/fields.ts';
import { MISSING_POLLS } from '../core/model/quality/sightings.ts';
import type { DetectedEvent, Detection } from '../core/model/detection.ts';
import type { Kind, Reading } from '../core/model/watch/kind.ts';
import type { ListQuestion, Read } from '../core/model/watch/question.ts';
import type { SyntheticRow } from '../core/model/watch/script.ts';
import type { Target } from '../core/model/watch/target.ts';
import { EMPTY_ABI, type Abi } from '../lib/abi/abi.ts';
import type { Steps } from '../lib/steps.ts';
import { accountCalls, addressInternalTransactions, blocks } from '../explorer/operations.ts';
import { AddressRef } from '../explorer/reading/resources/address.ts';
import {
  accountCallWith,
  InternalTransaction,
  isDelegated,
} from '../explorer/reading/resources/internal-transaction.ts';
import { syntheticHash, nameOf } from './synthetic.ts';
import { NESTED_ADVICE, nestedCallAdvice } from './calls/advice.ts';
import {
  calledFunctionsOf,
  callOptions,
  checkCalls,
  describeCalls,
  readCallsOf,
  type CallOptions,
} from './calls/option.ts';
import { createAgain, createRereading } from './calls/reread.ts';
import { withCall } from './calls/written-calls.ts';
import { detailsBy } from './calls/details.ts';
import { coverageOf } from './lists/coverage.ts';
import { eventsOf, NEW_ROW } from './list-events.ts';
import { syntheticBlock, ListState, startOption, type StartOption } from './list-state.ts';
import type { NewRows } from './lists/detection.ts';
import type { ListReading } from './lists/list-reading.ts';
import { historyOf, placeOf, type RowKey } from './lists/row-key.ts';
import { detectEvents, observeList, writtenReading } from './newest-first-list.ts';
import { isRefused } from './ranges/way-trouble.ts';
import { stateReadBy } from './ranges/either-state.ts';
import { observeRange } from './ranges/range-list.ts';
import type { RangeOptions } from './ranges/range-options.ts';
import { callWording } from './wording/internal-transactions.ts';

type Row = typeof InternalTransaction.fields;
type Question = ListQuestion<Row>;
interface Options extends StartOption, CallOptions {
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

/** The call data of a call never changes: a reload that adds `calls:` changes no item. */
const FLEETING = ['selector', 'called', 'args', 'raw', 'raw_input', 'block_number'];

/** Each condition on a function or an argument reads the selector, too. */
const CALL_PATHS = ['selector', 'called', 'raw_input'];
const CALL = ['success', 'error', 'type'];
const PLACE = ['value', 'from.hash', 'to.hash', 'transaction_hash', 'index', 'block_number'];

const NESTED = {
  by: 'contracts',
  hint: 'Add a watch with kind: transactions, and the same calls.',
} as const;

/** The kind for a target without `calls:`. */
export const internalTransactions = internalTransactionsWith(null, true);

/**
 * `calls`: the functions whose arguments are fields of each row; null if the rule names none. `canBeCalled`: the rows may
 * be calls to the address.
 */
function internalTransactionsWith(
  calls: ReadCalls | null,
  canBeCalled: boolean,
): Kind<Options, ListState, ListReading<Row>> {
  const record = calls === null ? InternalTransaction : recordOf(callFieldsOf(calls));
  const again = createAgain(record);
  const rereading = createRereading(record);
  return {
    name: 'internal-transactions',
    summary: 'Calls inside transactions, to or from an address.',
    noun: 'call',
    fields: record,
    fieldOptions: ['calls', 'abi', 'units'],
    forOptions: (options) => internalTransactionsWith(readCallsOf(options), options.direction !== 'from'),
    advice: calls === null ? NESTED_ADVICE : nestedCallAdvice(canBeCalled),
    signatures: CATALOGUE,
    describeOptions: describeCalls,
    calledFunctions: (options, reads) =>
      options.direction === 'from' ? null : calledFunctionsOf(options, reads, NESTED),
    events: { new: NEW_ROW },
    while: null,
    of: 'required',
    token: 'none',
    options: optionsWith(EMPTY_ABI),
    optionsWith,
    state: ListState,
    comparedByDefault: [],
    shown: [...CALL, ...(calls === null ? [] : ['called']), ...PLACE],
    fleeting: FLEETING,
    placeInBlock: ['transaction_index', 'index'],
    wording: callWording,
    question,
    head: ({ explorer }) => blocks(explorer),
    page: (_target, view) => pageOf(view),
    async observe(target, former, read, downTo) {
      const reading = { target, former, downTo };
      if (calls === null) return observeNewest(reading, read);
      try {
        const own = (rows: readonly View<Row>[]) => ownCalls(rows, target).map((call) => again(call) as View<Row>);
        return await observeRange(stateReadBy('range', former, target.options), read, rangeReading(reading, own));
      } catch (error) {
        if (!isRefused(error)) throw error;
        // In the list without call data, functions are unknown. All other conditions are evaluated.
        return observeNewest(reading, rereading(read));
      }
    },
    *detect(target, former, seen, scope): Steps<Detection<ListState>> {
      const state = stateReadBy(seen.range === undefined ? 'list' : 'range', former, target.options);
      const toDetection = (list: NewRows<Row>): Steps<Detection<ListState>> => eventsOf(list, newCall);
      const detection = yield* detectEvents(state, seen, { row, scope, question: question(target), toDetection });
      const hidAt = detection.state?.range?.overfullAt;
      const after = { ...detection, state: countedIn(detection.state, former, isWithoutCalls(target, seen)) };
      return hidAt === undefined ? after : { ...after, hidAt };
    },
    lost: ({ withoutCalls = 0 }) => (withoutCalls >= MISSING_POLLS ? [{ paths: CALL_PATHS, name: null }] : []),
    details: detailsBy('transaction_hash', readCallsOf),
    coverage: coverageOf,
    history: calls === null ? historyOf(row) : null,
    examples: {},
    rowsOf: (seen) => seen,
    sourceOf: (path) => (KNOWN_CALL_LACKING.covers(path) ? 'raw_input' : path === 'inherited_value' ? 'value' : path),
    script: {
      rows: 'items',
      record,
      synthesize(target, { rows }, state) {
        const made = rows.map((written, i) =>
          synthesize(target, calls === null ? written : { ...written, view: withCall(written, record, calls) }, {
            state,
            above: rows.length - i,
          }),
        );
        return writtenReading<Row>(made.filter((call) => isAskedFor(target, call)));
      },
    },
  };
}

function optionsWith(abi: Abi) {
  const direction = z.enum(['to', 'from']).optional().describe('Only calls to, or only calls from the address.');
  return z.strictObject({ ...startOption, direction, ...callOptions(abi) }).superRefine(checkCalls);
}

function recordOf({ fields, lacking }: ReturnType<typeof callFieldsOf>): AnyRecord {
  return accountCallWith(fields, lacking);
}

interface Asked {
  readonly target: Target<Options>;
  readonly former: ListState | null;
  readonly downTo: number | null;
}

function observeNewest({ target, former, downTo }: Asked, read: Read): Promise<Reading<ListReading<Row>>> {
  return observeList(listOf(target), stateReadBy('list', former, target.options), read, {
    ...row,
    maxPages: target.maxPages,
    downTo,
    isAskedFor: (call) => isAskedFor(target, call),
  });
}

function rangeReading({ target, downTo }: Asked, own: RangeOptions<Row>['own']): RangeOptions<Row> {
  const asked = question(target);
  const { explorer, maxPages } = target;
  return { ...row, explorer, all: asked, each: [asked], maxPages, downTo, own };
}

/** A reading that was not written for a test, of the list that has no call data. */
function isWithoutCalls({ options }: Target<Options>, seen: ListReading<Row>): boolean {
  return options.calls !== undefined && seen.range === undefined && seen.isWritten !== true;
}

/** The state with the number of polls without call data. The same object if it does not change. */
function countedIn(state: ListState | null, former: ListState | null, isWithout: boolean): ListState | null {
  if (state === null) return null;
  const before = former?.withoutCalls;
  const count = isWithout ? Math.min(MISSING_POLLS, (before ?? 0) + 1) : undefined;
  if (count === state.withoutCalls) return state;
  const { withoutCalls: _count, ...rest } = state;
  return count === undefined ? rest : { ...rest, withoutCalls: count };
}

/** Each call once, the newest first. A page that follows another begins with the last block of that one. */
function ownCalls(rows: readonly View<Row>[], target: Target<Options>): readonly View<Row>[] {
  const asked = rows.filter((call) => isAskedFor(target, call));
  const last = new Map(asked.map((call) => [row.identityOf(call) ?? call, call]));
  return [...last.values()].reverse();
}

function newCall(call: View<Row>, novelty: DetectedEvent['novelty']): DetectedEvent {
  const item = { key: row.identityOf(call) ?? '', view: call, happenedAt: call.timestamp?.getTime() ?? null };
  return { on: 'new', ...item, novelty, before: null, changed: [], block: placeOf(row, call), slot: null };
}

function question(target: Target<Options>): Question {
  const { explorer, options } = target;
  if (options.calls === undefined) return listOf(target);
  return accountCalls(explorer, addressOf(target), options.direction);
}

function listOf(target: Target<Options>): Question {
  return addressInternalTransactions(target.explorer, addressOf(target), target.options.direction);
}

function addressOf({ address }: Target<Options>): Address {
  if (address === null) throw new TypeError('internal-transactions needs an address');
  return address;
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
  const record = recordTypeOf(call);
  const own = address === null ? undefined : AddressRef.make({ hash: address });
  const named = record.over(call, {
    transaction_hash: call.transaction_hash ?? syntheticHash(nameOf(written)),
    index: call.index ?? 0n,
    type: call.type ?? (written.says.has('type') || call.created_contract !== undefined ? undefined : 'call'),
    from: call.from ?? (options.direction === 'from' ? own : undefined),
    to: call.to ?? (options.direction === 'to' && call.created_contract === undefined ? own : undefined),
    ...(isDelegated(call.type) ? { value: NO_COINS, inherited_value: call.inherited_value ?? call.value } : {}),
  }) as View<Row>;
  const block = call.block_number ?? syntheticBlock(state, row.identityOf(named), above);
  return record.over(named, { block_number: block }) as View<Row>;
}
