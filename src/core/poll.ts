// One observation with the events and values that the kind detects in it. The alerts of the watch are evaluated on it.
import type { Instant } from '../lib/clock.ts';
import type { Steps } from '../lib/steps.ts';
import { type AlertPoll, contextOf as contextOfItem } from './alerts/alert-evaluation.ts';
import { historyOf, sample } from './alerts/history.ts';
import { reachOf } from './chain/tick-chain.ts';
import type { Snapshot } from './model/decision.ts';
import { type Awaited, type Detection, newestOf } from './model/detection.ts';
import type { Alert, DataSince, DataState, EventState, Memory, Samples } from './model/memory.ts';
import type { MissReason, Observation } from './model/observation.ts';
import type { BlindWatch } from './model/quality/blind-cause.ts';
import {
  type FieldSightings,
  goneFields,
  missingFields,
  NO_SENDERS,
  NO_SIGHTINGS,
  type ReadField,
  type SenderSightings,
  sightFields,
  sightSenders,
} from './model/quality/sightings.ts';
import type { WindowHistory } from './model/watch/condition.ts';
import { dueOf } from './model/watch/identity.ts';
import type { AnyKind, LostValue } from './model/watch/kind.ts';
import { paceIn, type Watch } from './model/watch/watch.ts';
import { viewOf } from './values/encoded.ts';
import type { Past } from './windows/stored-runs.ts';

type SeenObservation = Extract<Observation, { type: 'seen' }>;

export interface EvaluatedPoll extends AlertPoll {
  readonly samples: Samples;
  /** Paths whose samples begin again, since their values have another meaning than before. */
  readonly redefined: readonly string[];
  readonly data: DataState;
  readonly fields: FieldSightings;
  readonly senders: SenderSightings;
  /** Fields that conditions read, and whose values are lost. */
  readonly lost: readonly string[];
}

export function* pollOf(watch: Watch, memory: Memory, observation: Observation, past: Past): Steps<EvaluatedPoll> {
  const { at } = observation;
  const budget = { left: 0 };
  const wantedMs = watch.schedule.intervalMs;
  // If the interval in force has changed, the longer one counts: this poll may have been planned with it.
  const intervalMs = Math.max(paceIn(memory, watch), observation.paceMs);
  const time = { at, coveredUntil: memory.coveredUntil, intervalMs, wantedMs };
  const fields = fieldsAfter(watch, memory, observation);
  const senders = sendersAfter(watch, memory, observation);
  const missing = missingFields(fields);
  if (observation.type === 'missed') {
    const nothing = { detection: null, context: null, isComplete: false, isStale: false, head: null, reach: null };
    const data = dataStateOf(observation, { isStale: false, isKnown: false, lacksField: false });
    return {
      watch,
      time,
      budget,
      ...nothing,
      chain: 'unknown',
      samples: memory.history,
      redefined: [],
      data,
      fields,
      senders,
      lost: [],
      missing,
    };
  }
  const detection = yield* detect(watch, memory, observation, intervalMs);
  const redefined = redefinedIn(memory.history, detection);
  const history = without(memory.history, redefined);
  const samples = sample(history, watch.sampled, detection.now, time);
  const context = contextOf(watch, detection, { at, history: historyOf(samples, time, pastOf({ history }, past)) });
  const isStale = isHeadStale(observation);
  const lost = lostFields(watch, detection.state);
  const lacksField = goneFields(fields).length > 0 || lost.length > 0;
  return {
    watch,
    time,
    budget,
    detection,
    context,
    isComplete: observation.partial === null && detection.doubt === null,
    isStale,
    head: headOf(observation, detection),
    chain: observation.chain,
    reach: reachOf(observation.chain, detection.range),
    samples,
    redefined,
    data: dataStateOf(observation, { isStale, isKnown: isKnown(watch, detection), lacksField }),
    fields,
    senders,
    lost,
    missing,
  };
}

function redefinedIn(history: Samples, { redefined = [] }: Detection<unknown>): readonly string[] {
  return Object.keys(history).filter((path) => redefined.some((one) => path === one || path.startsWith(`${one}.`)));
}

function without(history: Samples, paths: readonly string[]): Samples {
  if (paths.length === 0) return history;
  return Object.fromEntries(Object.entries(history).filter(([path]) => !paths.includes(path)));
}

/** Leaves out stored runs of a path that the memory does not have: they belong to another definition of the watch. */
function pastOf({ history }: Pick<Memory, 'history'>, past: Past): Past {
  return { window: (span) => (span.path in history ? past.window(span) : undefined) };
}

function fieldsAfter({ kind, readFields }: Watch, { data }: Memory, observation: Observation): FieldSightings {
  const before = data?.fields ?? NO_SIGHTINGS;
  const isSeen = observation.type === 'seen';
  const source = isSeen && readFields.length > 0 ? kind.rowsOf(observation.seen) : null;
  return sightFields(before, readFields, { source, isComplete: isSeen && observation.partial === null });
}

function sendersAfter({ kind, senders }: Watch, { data }: Memory, observation: Observation): SenderSightings {
  const source = observation.type === 'seen' && senders.length > 0 ? kind.rowsOf(observation.seen) : null;
  return sightSenders(data?.senders ?? NO_SENDERS, senders, { record: kind.fields, source });
}

function isKnown({ kind }: Watch, { now, doubt }: Detection<unknown>): boolean {
  return doubt === null && (now !== null || kind.while === null);
}

function headOf({ head }: SeenObservation, { range }: Detection<unknown>): number | null {
  const heights = [
    ...(head === null ? [] : [Number(head.height)]),
    ...(range === null || range.head === null ? [] : [range.head]),
  ];
  return heights.length === 0 ? null : Math.max(...heights);
}

function detect(
  { kind, target, tracked, judged }: Watch,
  { state, alerts, coveredUntil }: Memory,
  { at, seen, partial, chain }: SeenObservation,
  intervalMs: number,
): Steps<Detection<unknown>> {
  const isComplete = partial === null;
  const scope = { at, tracked, judged, isComplete, awaited: awaitedBy(alerts), chain, coveredUntil, intervalMs };
  return kind.detect(target, state, seen, scope);
}

function awaitedBy(alerts: Memory['alerts']): Awaited | null {
  const waiting = Object.values(alerts).flatMap((byKey) => Object.entries(byKey).filter(waitsForItem));
  if (waiting.length === 0) return null;
  return {
    keys: new Set(waiting.map(([key]) => key)),
    slots: new Set(waiting.flatMap(([, alert]) => (isPending(alert) ? (alert.slot ?? []) : []))),
  };
}

function isPending(alert: Alert): alert is EventState {
  return alert.type === 'event' && alert.block === null;
}

/** True for events that wait for an item. A report waits only for values. */
function waitsForItem([key, { type }]: [string, Alert]): boolean {
  return (type === 'open' || type === 'event') && dueOf(key) === null;
}

function contextOf(
  watch: Watch,
  { now, before }: Detection<unknown>,
  { at, history }: { readonly at: Instant; readonly history: WindowHistory },
): AlertPoll['context'] {
  return now === null
    ? null
    : { view: now, before: before === null ? null : viewOf(watch.kind.fields, before), history, at };
}

// A reading of the head that is older than this, or from before the clock was set back, does not count.
const HEAD_IS_NEWS_MS = 600_000;

/** True if the chain's head is stalled. Then all other data of the explorer may be old, and counts as unknown. */
export function isHeadStale({ head, at }: Pick<SeenObservation, 'head' | 'at'>): boolean {
  if (head === null || Math.abs(at - head.readAt) > HEAD_IS_NEWS_MS) return false;
  return head.readAt - head.timestamp > head.staleAfterMs;
}

/** The values that `while` reads; for a list, those of the newest item that was read; null: nothing was read. */
export function snapshotOf({ context, detection, isStale, time }: AlertPoll): Snapshot | null {
  const source = context ?? newestContext(detection, time.at);
  return source === null ? null : { at: time.at, view: source.view, before: source.before, isStale };
}

function newestContext(detection: AlertPoll['detection'], at: Instant): AlertPoll['context'] {
  const item = newestOf(detection?.events ?? []);
  return item === null ? null : contextOfItem(item, item.before, item.happenedAt ?? at);
}

// The quality of a poll's data, independent of alerts.

/** Facts about a poll's data that the observation itself does not show. */
interface Worth {
  /** The chain's head is stalled. */
  readonly isStale: boolean;
  /** The answer contains the watched thing itself. */
  readonly isKnown: boolean;
  /** A field that a condition reads is no longer sent. */
  readonly lacksField: boolean;
}

function dataStateOf(observation: Observation, { isStale, isKnown, lacksField }: Worth): DataState {
  if (observation.type === 'missed') return MISSED[observation.reason] ?? 'error';
  if (observation.partial !== null) return 'partial';
  if (isStale) return 'stale';
  if (!isKnown) return 'nodata';
  return lacksField ? 'blind-field' : 'ok';
}

const MISSED: Partial<Record<MissReason, DataState>> = {
  'not-found': 'nodata',
  'rate-limited': 'throttled',
  'out-of-credits': 'throttled',
  plan: 'throttled',
};

/** The same object as before if nothing differs. `coveredUntil`: when the previous usable answer was processed. */
export function dataSince(
  { data: before, coveredUntil }: Pick<Memory, 'data' | 'coveredUntil'>,
  { state, fields, senders }: Pick<DataSince, 'state' | 'fields'> & { readonly senders: SenderSightings },
  at: number,
): DataSince {
  const shown = senders === NO_SENDERS ? {} : { senders };
  if (before?.state === state) {
    const isSame = before.fields === fields && (before.senders ?? NO_SENDERS) === senders;
    return isSame ? before : { state, since: before.since, lastOk: before.lastOk, fields, ...shown };
  }
  const lastOk = before === null ? at : before.state === 'ok' ? coveredUntil : before.lastOk;
  return { state, since: at, lastOk: state === 'ok' ? null : lastOk, fields, ...shown };
}

// Fields whose values are lost, although the answers still have their keys.

interface Reader {
  readonly kind: Pick<AnyKind, 'lost'>;
  readonly readFields: readonly ReadField[];
}

/** The lost fields that conditions of the watch read. `state`: the kind's memory; null: there is none. */
function lostFields(reader: Reader, state: unknown): readonly string[] {
  const lost = new Set(lostValues(reader, state).flatMap(({ paths }) => paths));
  return reader.readFields.map(({ path }) => path).filter((path) => lost.has(path));
}

/** The lost values that a condition reads. */
function lostValues({ kind, readFields }: Reader, state: unknown): readonly LostValue[] {
  const lost = state === null ? [] : (kind.lost?.(state) ?? []);
  return lost.filter(({ paths }) => readFields.some(({ path }) => paths.includes(path)));
}

/**
 * The fields without a value that conditions of a watch read, and the name of the lost value. A memory with another
 * checksum may be of another kind.
 */
export function missingValues(
  watch: Reader & Pick<Watch, 'checksum'>,
  memory: Pick<Memory, 'data' | 'state' | 'checksum'> | undefined,
): Pick<BlindWatch, 'fields' | 'lost'> {
  const data = memory?.data ?? null;
  const state = memory?.checksum === watch.checksum ? memory.state : null;
  const lost = lostFields(watch, state);
  const names = lostValues(watch, state).flatMap(({ name }) => name ?? []);
  const fields = [...new Set([...goneFields(data?.fields ?? NO_SIGHTINGS), ...lost])];
  return { fields, lost: names.length === 0 ? null : names.join(' and ') };
}
