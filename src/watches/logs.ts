import { z } from 'zod';
import { CATALOGUE, CONTROL_EVENTS } from '../core/events/catalogue.ts';
import { eventFieldsOf, type ReadEvents } from '../core/events/event-fields.ts';
import { Address } from '../core/values/address.ts';
import { recordTypeOf, valueAt, type AnyRecord, type AnyView, type RawRow } from '../core/values/fields.ts';
import type { DetectedEvent, Detection } from '../core/model/detection.ts';
import type { ClaimContext, ControlEvents, Kind, OptionDoubt, Reading } from '../core/model/watch/kind.ts';
import type { SyntheticRow } from '../core/model/watch/script.ts';
import type { ListQuestion, Read } from '../core/model/watch/question.ts';
import type { Target } from '../core/model/watch/target.ts';
import { EMPTY_ABI, type Abi } from '../lib/abi/abi.ts';
import { remembered } from '../lib/remembered.ts';
import type { Steps } from '../lib/steps.ts';
import { rawText, type Untrusted } from '../lib/untrusted.ts';
import { addressLogs, blocks, contractLogs, topicLogs } from '../explorer/operations.ts';
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
import { observeListed, sharedTopic } from './logs/listed.ts';
import {
  addressNeed,
  checkOptions,
  describeEvents,
  emitterOption,
  eventOptions,
  readEventsOf,
  topicsOf,
} from './logs/option.ts';
import { createAgain, identityOf, isAskedFor, ownRows, type LogRow } from './logs/own-rows.ts';
import { askedTopics, resolveWhere, type EventOptions } from './logs/where.ts';
import { detectEvents, writtenReading } from './newest-first-list.ts';
import { askedAfter, withoutRemoved, type AskedParts } from './ranges/asked.ts';
import { withOldRows } from './ranges/old-rows.ts';
import { readByEither, troubleAfter, troubleWords, type WayOfReading } from './ranges/api-trouble.ts';
import { stateReadBy } from './ranges/either-state.ts';
import { observeBounded } from './ranges/bounded-list.ts';
import { observeRange } from './ranges/range-list.ts';
import { logWording } from './wording/logs.ts';

type Row = typeof Log.fields;
type Options = StartOption & EventOptions & { readonly emitter?: 'any' | undefined };
type Question = ListQuestion<Row>;

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
    fieldOptions: ['events', 'abi', 'units', 'emitter'],
    forOptions: (options) => logsWith(readEventsOf(options)),
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
    question,
    questions(target) {
      const { all, each } = questionsOf(target);
      if (target.address === null) return [...each, blocks(target.explorer)];
      return all === null ? each : [all];
    },
    fallbackQuestions: (target) => (target.address === null ? [] : [listOf(target)]),
    head: ({ explorer }) => blocks(explorer),
    page: (_target, view) => pageOf(view),
    observe: (target, former, read, downTo) => observeLogs({ target, former, downTo, again }, read),
    *detect(target, former, { list: seen, way, by }, scope): Steps<Detection<ListState>> {
      const before = stateReadBy(by, former, target.options);
      const asked = askedAfter(before?.asked, topicsOf(target.options), {
        ...scope,
        highest: before === null ? 0 : highestBlock(before),
      });
      const ready = before && withOldRows(before, seen, { asked, row, partOf: topicOfRow });
      const toDetection = (list: NewRows<Row>): Steps<Detection<ListState>> => detectionOf(list, asked);
      const detection = yield* detectEvents(ready, seen, { row, scope, question: question(target), toDetection });
      // Set here, since the detection of an unchanged answer is not computed.
      const state = detection.state && withTrouble(detection.state, troubleAfter(former?.api, way, scope.at));
      const hidAt = state?.range?.overfullAt;
      return { ...detection, state, ...(hidAt === undefined ? {} : { hidAt }) };
    },
    claimantOf,
    details: detailsBy('transaction_hash'),
    coverage: coverageOf,
    fallback: ({ api }) => troubleWords(api, WAYS),
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
        return { list: writtenReading<Row>(made.filter(isAskedFor(target))), by: 'list', way: 'api' };
      },
    },
  };
}

/** Names of the two lists in messages. */
const WAYS = { list: 'addresses/{address}/logs', api: 'api?module=logs' };

interface LogReading {
  readonly list: ListReading<Row>;
  readonly by: 'list' | 'range';
  readonly way: WayOfReading;
}

interface Asked {
  readonly target: Target<Options>;
  readonly former: ListState | null;
  readonly downTo: number | null;
  readonly again: (log: LogRow) => LogRow;
}

async function observeLogs(asked: Asked, read: Read): Promise<Reading<LogReading>> {
  const { target, former, downTo, again } = asked;
  if (target.address === null) return observeTopics(asked, read);
  const { reading, way } = await readByEither(former?.api, {
    byApi: () =>
      observeRange(stateReadBy('range', former, target.options), read, {
        ...row,
        explorer: target.explorer,
        ...questionsOf(target),
        maxPages: target.maxPages,
        downTo,
        own: (rows) => ownRows(rows, again, isAskedFor(target)),
      }),
    byList() {
      const state = stateReadBy('list', former, target.options);
      return observeListed({ target, question: listOf(target), state, downTo, row, again }, read);
    },
  });
  const by = way === 'api' ? 'range' : 'list';
  return { seen: { list: reading.seen, by, way }, partial: reading.partial };
}

/** The events of any contract. */
async function observeTopics({ target, former, downTo, again }: Asked, read: Read): Promise<Reading<LogReading>> {
  const { seen, partial } = await observeBounded(stateReadBy('range', former, target.options), read, {
    ...row,
    explorer: target.explorer,
    each: questionsOf(target).each,
    named: namedQuestions(target),
    maxPages: target.maxPages,
    downTo,
    own: (rows) => ownRows(rows, again, isAskedFor(target)),
  });
  return { seen: { list: seen, by: 'range', way: 'api' }, partial };
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

/** The same object if it does not change. */
function withTrouble(state: ListState, api: ListState['api']): ListState {
  if (state.api === api) return state;
  const { api: _api, ...rest } = state;
  return api === undefined ? rest : { ...rest, api };
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

interface Questions {
  /** About all rows that are asked for; null if `each` are the only ones. */
  readonly all: Question | null;
  /** One for each event, and with `where` for each choice of values. */
  readonly each: readonly Question[];
}

/**
 * One event is asked for by its topic; of several events, all of the contract are read and filtered here. Made once for
 * each watch, since a poll needs them three times.
 */
const questionsOf = remembered((target: Target<Options>): Questions => {
  const { explorer, address, options } = target;
  if (address === null) return { all: null, each: askedTopics(options).map((topics) => topicLogs(explorer, topics)) };
  const each = askedTopics(options).map((topics) => contractLogs(explorer, address, topics));
  if (each.length === 1) return { all: each[0] ?? null, each };
  return { all: options.where === undefined ? contractLogs(explorer, addressOf(target), []) : null, each };
});

/** Anybody can emit these events, but not as these contracts. */
function namedQuestions({ explorer, namedContracts, options }: Target<Options>): readonly Question[] {
  const contracts = [...(namedContracts ?? [])].flatMap((key) => Address.parse(key) ?? []);
  return contracts.flatMap((contract) =>
    askedTopics(options).map((topics) => ({ ...contractLogs(explorer, contract, topics), openTo: 'named' as const })),
  );
}

function question(target: Target<Options>): Question {
  const { all, each } = questionsOf(target);
  return all ?? each[0] ?? contractLogs(target.explorer, addressOf(target), []);
}

function listOf(target: Target<Options>): Question {
  return addressLogs(target.explorer, addressOf(target), sharedTopic(target.options));
}

function addressOf({ address }: Target<Options>) {
  if (address === null) throw new TypeError('logs needs an address');
  return address;
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
