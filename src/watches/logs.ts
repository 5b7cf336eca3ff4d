import { z } from 'zod';
import { CATALOGUE, CONTROL_EVENTS } from '../core/events/catalogue.ts';
import { eventFieldsOf, type ReadEvents } from '../core/events/event-fields.ts';
import { Address } from '../core/values/address.ts';
import { recordTypeOf, valueAt, type AnyRecord, type AnyView, type RawRow } from '../core/values/fields.ts';
import type { DetectedEvent, Detection } from '../core/model/detection.ts';
import type { ClaimContext, ControlEvents, Kind, OptionDoubt, Reading } from '../core/model/watch/kind.ts';
import type { SyntheticRow } from '../core/model/watch/script.ts';
import type { Read } from '../core/model/watch/question.ts';
import type { Target } from '../core/model/watch/target.ts';
import { EMPTY_ABI, type Abi } from '../lib/abi/abi.ts';
import type { Instant } from '../lib/clock.ts';
import type { Steps } from '../lib/steps.ts';
import { rawText, type Untrusted } from '../lib/untrusted.ts';
import { blocks } from '../explorer/operations.ts';
import { Log } from '../explorer/reading/resources/log.ts';
import { nameOf, syntheticAddress, syntheticHash } from './synthetic.ts';
import { detailsBy } from './calls/details.ts';
import { coverageOf } from './lists/coverage.ts';
import { eventsOf, NEW_ROW } from './list-events.ts';
import { highestBlock, syntheticBlock, ListState, startOption, type StartOption } from './list-state.ts';
import type { NewRows } from './lists/detection.ts';
import type { ListReading } from './lists/list-reading.ts';
import { placeOf, type RowKey } from './lists/row-key.ts';
import { eventAdvice } from './logs/advice.ts';
import { readingTimes } from './logs/block-times.ts';
import { describeEvents } from './logs/describe.ts';
import { observeListed } from './logs/listed.ts';
import { addressNeed, checkOptions, emitterOption, eventOptions, readEventsOf, topicsOf } from './logs/option.ts';
import { createAgain, identityOf, isAskedFor, ownRows, type LogRow } from './logs/own-rows.ts';
import {
  apiQuestions,
  firstQuestions,
  listOf,
  otherQuestions,
  questionOf,
  quietQuestions,
  rpcQuestions,
  type LogWatchOptions,
  type LogQuestions,
} from './logs/questions.ts';
import { resolveWhere } from './logs/where.ts';
import { detectEvents, writtenReading } from './newest-first-list.ts';
import { askedAfter, withoutRemoved, type AskedParts } from './ranges/asked.ts';
import { withOldRows } from './ranges/old-rows.ts';
import { readByEither, troubleAfter, troubleWords, type WayOfReading } from './ranges/way-trouble.ts';
import { stateReadBy } from './ranges/either-state.ts';
import { observeBounded } from './ranges/bounded-list.ts';
import { observeRange } from './ranges/range-list.ts';
import { logWording } from './wording/logs.ts';

type Row = typeof Log.fields;
type Options = StartOption & LogWatchOptions & { readonly emitter?: 'any' | undefined };

const row: RowKey<Row> = {
  identityOf,
  blockOf: ({ block_number }) => block_number,
  happenedAt: ({ timestamp }) => timestamp,
  cursorFrom: ({ block_number, log_index }) =>
    block_number === undefined || log_index === undefined
      ? null
      : { block_number: `${block_number}`, index: `${log_index}` },
};

/** The topics and the data are a part of a log's identity, so no reload changes what was read of them. */
const FLEETING = ['event', 'args', 'raw', 'block_number', 'log_index', 'timestamp'];

/** Without `events:`. */
export const logs = logsWith(null);

function logsWith(events: ReadEvents | null): Kind<Options, ListState, LogReading> {
  const record = events === null ? Log : withFields(eventFieldsOf(events));
  const again = createAgain(record);
  return {
    name: 'logs',
    summary: 'Events of a contract, or of any contract about some addresses.',
    noun: 'log',
    fields: record,
    fieldOptions: ['events', 'abi', 'units', 'emitter', 'readsTime'],
    forOptions: (options) => logsWith(readEventsOf(options)),
    forReads: (options, reads) => (reads.includes('timestamp') ? { ...options, readsTime: true } : options),
    advice: eventAdvice(events),
    signatures: CATALOGUE,
    describeOptions: describeEvents,
    resolve: resolveWhere,
    events: { new: NEW_ROW },
    ...controlIn(events),
    while: null,
    of: 'optional',
    needsAddress: addressNeed,
    token: 'none',
    options: optionsWith(EMPTY_ABI, () => undefined),
    optionsWith,
    state: ListState,
    comparedByDefault: [],
    shown: ['event', 'address', 'transaction_hash', 'log_index', 'block_number'],
    fleeting: FLEETING,
    placeInBlock: ['log_index'],
    wording: logWording,
    question: questionOf,
    questions: (target) => quietQuestions(target, firstQuestions(target)),
    fallbackQuestions: otherQuestions,
    head: ({ explorer }) => blocks(explorer),
    page: (_target, view) => pageOf(view),
    observe: (target, former, read, downTo) => observeLogs({ target, former, downTo, again }, read),
    *detect(target, former, { list: seen, by, ...ways }, scope): Steps<Detection<ListState>> {
      const before = stateReadBy(by, former, target.options);
      const asked = askedAfter(before?.asked, topicsOf(target.options), {
        ...scope,
        highest: before === null ? 0 : highestBlock(before),
      });
      const ready = before && withOldRows(before, seen, { asked, row, partOf: topicOfRow });
      const toDetection = (list: NewRows<Row>): Steps<Detection<ListState>> => detectionOf(list, asked);
      const detection = yield* detectEvents(ready, seen, { row, scope, question: questionOf(target), toDetection });
      // Set here, since the detection of an unchanged answer is not computed.
      const state = detection.state && withTroubles(detection.state, troublesAfter(former, ways, scope.at));
      const hidAt = state?.range?.overfullAt;
      return { ...detection, state, ...(hidAt === undefined ? {} : { hidAt }) };
    },
    claimantOf,
    details: detailsBy('transaction_hash'),
    coverage: coverageOf,
    fallback: ({ rpc, api }) => troubleWords(api, BESIDE_API) ?? troubleWords(rpc, BESIDE_RPC),
    history: null,
    examples: {},
    rowsOf: ({ list }) => list,
    sourceOf: (path) => (/^(?:event|args|raw)(?:\.|$)/.test(path) ? 'topics' : path),
    script: {
      rows: 'items',
      record,
      synthesize(target, { rows }, state) {
        const made = rows.map((written, i) =>
          synthesize(target, written, { state, above: rows.length - i, record, events }),
        );
        return { list: writtenReading<Row>(made.filter(isAskedFor(target))), by: 'list', rpc: null, api: 'first' };
      },
    },
  };
}

// Names of the ways in messages.
const BESIDE_API = { first: 'api?module=logs', other: 'addresses/{address}/logs' };
const BESIDE_RPC = { first: 'eth_getLogs', other: BESIDE_API.first };

interface LogReading extends WaysOfReading {
  readonly list: ListReading<Row>;
  readonly by: 'list' | 'range';
}

interface WaysOfReading {
  /** Null: `eth_getLogs` is not asked. */
  readonly rpc: WayOfReading | null;
  readonly api: WayOfReading;
}

interface Asked {
  readonly target: Target<Options>;
  readonly former: ListState | null;
  readonly downTo: number | null;
  readonly again: (log: LogRow) => LogRow;
}

async function observeLogs(asked: Asked, read: Read): Promise<Reading<LogReading>> {
  const byRpc = rpcQuestions(asked.target);
  if (byRpc === null) return observeByApi(asked, read);
  const { reading, way } = await readByEither(asked.former?.rpc, {
    first: () => observeRanges(asked, byRpc, read),
    other: () => observeByApi(asked, read),
  });
  return { ...reading, seen: { ...reading.seen, rpc: way } };
}

async function observeByApi(asked: Asked, read: Read): Promise<Reading<LogReading>> {
  const { target, former, downTo, again } = asked;
  const byApi = (): Promise<Reading<LogReading>> => observeRanges(asked, apiQuestions(target), read);
  if (target.address === null) return byApi();
  const { reading, way } = await readByEither(former?.api, {
    first: byApi,
    async other(): Promise<Reading<LogReading>> {
      const state = stateReadBy('list', former, target.options);
      const { seen, partial } = await observeListed(
        { target, question: listOf(target), state, downTo, row, again },
        read,
      );
      return { seen: { list: seen, by: 'list', ...IN_FIRST_WAY }, partial };
    },
  });
  return { ...reading, seen: { ...reading.seen, api: way } };
}

const IN_FIRST_WAY: WaysOfReading = { rpc: null, api: 'first' };

async function observeRanges(
  { target, former, downTo, again }: Asked,
  { all, each, named }: LogQuestions,
  read: Read,
): Promise<Reading<LogReading>> {
  const { explorer, maxPages, address } = target;
  const state = stateReadBy('range', former, target.options);
  const isAsked = isAskedFor(target);
  const own = (rows: readonly LogRow[]): readonly LogRow[] => ownRows(rows, again, isAsked);
  const options = { ...row, explorer, all, each, named, maxPages, downTo, own };
  const timed = readingTimes(state, read, options);
  const { seen, partial } = await (address === null ? observeBounded : observeRange)(state, timed, options);
  return { seen: { list: seen, by: 'range', ...IN_FIRST_WAY }, partial };
}

/**
 * An event is what its contract says. One of a contract that the config does not name is a claim, unless the rule names
 * the contract, or believes any.
 */
function claimantOf({ address, options }: Target<Options>, view: AnyView, { known }: ClaimContext): Address | null {
  const emitter = (view as LogRow).address;
  if (address !== null || options.emitter === 'any' || emitter === undefined) return null;
  return known(emitter) === null ? emitter : null;
}

type Troubles = Pick<ListState, 'rpc' | 'api'>;

function troublesAfter(before: Troubles | null, { rpc, api }: WaysOfReading, at: Instant): Troubles {
  return {
    rpc: rpc === null ? undefined : troubleAfter(before?.rpc, rpc, at),
    api: troubleAfter(before?.api, api, at),
  };
}

/** The same object if it does not change. */
function withTroubles(state: ListState, { rpc, api }: Troubles): ListState {
  if (state.rpc === rpc && state.api === api) return state;
  const { rpc: _rpc, api: _api, ...rest } = state;
  return { ...rest, ...(rpc === undefined ? {} : { rpc }), ...(api === undefined ? {} : { api }) };
}

function controlIn(read: ReadEvents | null): { readonly control?: ControlEvents } {
  const hasOne = read?.events.some(({ name }) => CONTROL_EVENTS.has(name)) === true;
  return hasOne ? { control: { names: CONTROL_EVENTS, seesCode: false } } : {};
}

function optionsWith(abi: Abi, warn: (doubt: OptionDoubt) => void) {
  return z.strictObject({ ...startOption, ...emitterOption, ...eventOptions(abi, warn) }).superRefine(checkOptions);
}

function withFields({ fields, lacking }: ReturnType<typeof eventFieldsOf>): AnyRecord {
  return Log.with(fields, lacking);
}

function* detectionOf(list: NewRows<Row>, asked: AskedParts): Steps<Detection<ListState>> {
  const state = list.state.asked === asked ? list.state : { ...list.state, asked };
  const detection = yield* eventsOf({ ...list, state }, newLog);
  return { ...detection, range: withoutRemoved(detection.range, asked) };
}

function newLog(log: LogRow, novelty: DetectedEvent['novelty']): DetectedEvent {
  const item = { key: identityOf(log) ?? '', view: log, happenedAt: log.timestamp?.getTime() ?? null };
  return { on: 'new', ...item, novelty, before: null, changed: [], block: placeOf(row, log), slot: null };
}

function topicOfRow({ topics }: LogRow): string {
  return topics?.[0] ?? '';
}

function pageOf(view: AnyView): string | null {
  const hash = valueAt(view, 'transaction_hash');
  return typeof hash === 'string' ? `/tx/${hash}?tab=logs` : null;
}

interface Around {
  readonly state: ListState | null;
  readonly above: number;
  readonly record: AnyRecord;
  readonly events: ReadEvents | null;
}

/** A row of a test. Its event and arguments follow from topics and data, if it has these. */
function synthesize(
  { address }: Target<Options>,
  written: SyntheticRow,
  { state, above, record, events }: Around,
): LogRow {
  const log = written.view as LogRow;
  const names = new Set(events?.events.map(({ name }) => name));
  const [only] = names.size === 1 ? names : [];
  const follows = written.says.has('topics') ? decodedFrom(log, record) : { event: only };
  const named = record.over(log, {
    ...Object.fromEntries(Object.entries(follows).filter(([path]) => !written.says.has(path))),
    address: log.address ?? address ?? syntheticAddress('contract'),
    transaction_hash: log.transaction_hash ?? syntheticHash(nameOf(written)),
  }) as LogRow;
  const block = log.block_number ?? syntheticBlock(state, identityOf(placed(named, 0n)), above);
  return placed(named, block);
}

function placed(log: LogRow, block: bigint): LogRow {
  return recordTypeOf(log).over(log, { block_number: block }) as LogRow;
}

function decodedFrom(log: LogRow, record: AnyRecord): RawRow {
  const data = valueAt(log, 'data');
  const row = record.read(
    { topics: log.topics, data: data === undefined ? '0x' : rawText(data as Untrusted) },
    { coin: 0 },
  );
  if (row === undefined) return {};
  const paths = ['event', 'args', 'raw'].filter((path) => Object.hasOwn(record.fields, path));
  return Object.fromEntries(paths.map((path) => [path, valueAt(row, path)]));
}
