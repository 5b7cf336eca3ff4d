// Pure decision function: (memory, observation) -> decision. No clock, no chance, no input or output: the daemon
// and everything that only tries rules call this one function.
import { stepCondition } from './alerts/conditions.ts';
import { stepCounts } from './alerts/counts.ts';
import { dataSince, dataStateOf } from './model/data-state.ts';
import { stepEvents } from './alerts/events.ts';
import { historyOf, sample } from './alerts/history.ts';
import type { DetectedEvent, Detection } from './model/kind.ts';
import type { Alert, DataState, Memory, Samples } from './model/memory.ts';
import type { AlertId, WatchId } from './model/ids.ts';
import type { AlertRule, Watch } from './model/watch.ts';
import type { Decision, Reason, Snapshot } from './model/decision.ts';
import type { History } from './model/condition.ts';
import type { Instant } from '../lib/clock.ts';
import type { Observation } from './model/observation.ts';
import { endAll, type AlertsByKey, type AlertEvaluation, type Poll } from './alerts/alert-evaluation.ts';
import { contextOf as contextOfItem } from './alerts/event-matching.ts';
import { greatestNeed, reachOf } from './chain/tick-chain.ts';
import { viewOf } from './values/tracked.ts';

type SeenObservation = Extract<Observation, { type: 'seen' }>;

/** What a watch remembers before its first poll. */
export function blankMemory(watch: Watch): Memory {
  return { version: 0, checksum: watch.checksum, state: null, alerts: {}, history: {}, data: null, coveredUntil: null };
}

/** One poll: the new memory, what is owed to whom, and the reason of each part. */
export function step(watch: Watch, memory: Memory, observation: Observation): Decision {
  if (isOlder(memory, observation)) return nothingNew(watch.id, memory);
  const start = continued(watch, memory, observation.at);
  const poll = pollOf(watch, start.memory, observation);
  const evaluations = watch.alerts.map((alert) => evaluateAlert(poll, alert, start.memory.alerts[alert.id] ?? NONE));
  const after: Memory = {
    ...start.memory,
    state: poll.detection === null ? start.memory.state : (poll.detection.state as Memory['state']),
    alerts: Object.fromEntries(evaluations.filter(isNotEmpty).map(({ id, alerts }) => [id, alerts])),
    history: poll.samples,
    data: dataSince(start.memory, poll.data, observation.at),
    coveredUntil: poll.detection === null ? memory.coveredUntil : observation.at,
  };
  const isNews = start.memory !== memory || evaluations.some(({ known, alerts }) => known !== alerts);
  return {
    watchId: watch.id,
    expects: memory.version,
    memory: after,
    hasChanged: start.deliveries.length > 0 || isNews || differs(memory, after),
    deliveries: [...start.deliveries, ...evaluations.flatMap(({ deliveries }) => deliveries)],
    reasons: [...notesOf(poll), ...baselineOf(poll, evaluations), ...evaluations.flatMap(({ reasons }) => reasons)],
    now: poll.context?.view ?? null,
    snapshot: snapshotOf(poll),
    truths: Object.fromEntries(evaluations.map(({ id, truth }) => [id, truth])),
    needs: greatestNeed([poll.detection?.needs ?? null, ...evaluations.map(({ needs }) => needs)]),
    askAgainMs: poll.detection?.doubt?.askAgainMs ?? null,
  };
}

/** What was seen no later than the last thing that was seen is no news any more. */
function isOlder({ coveredUntil }: Memory, { at }: Observation): boolean {
  return coveredUntil !== null && at <= coveredUntil;
}

function nothingNew(watchId: WatchId, memory: Memory): Decision {
  const nothing = { deliveries: [], reasons: [], now: null, snapshot: null, truths: {}, needs: null };
  return { watchId, expects: memory.version, memory, hasChanged: false, ...nothing, askAgainMs: null };
}

function differs(before: Memory, after: Memory): boolean {
  return before.state !== after.state || before.history !== after.history || before.data !== after.data;
}

interface NamedEvaluation extends AlertEvaluation {
  readonly id: AlertId;
  readonly known: AlertsByKey;
}

function evaluateAlert(poll: Poll, alert: AlertRule, known: AlertsByKey): NamedEvaluation {
  return { id: alert.id, known, ...stepAlert(poll, alert, known) };
}

function stepAlert(poll: Poll, alert: AlertRule, known: AlertsByKey): AlertEvaluation {
  switch (alert.type) {
    case 'event':
      return stepEvents(poll, alert, known);
    case 'count':
      return stepCounts(poll, alert, known);
    case 'condition':
      return stepCondition(poll, alert, known);
  }
}

/** The watch is gone from the rules: what fires is resolved, for those who were told. */
export function retire(watchId: WatchId, memory: Memory, at: Instant): Decision {
  const deliveries = Object.values(memory.alerts).flatMap((byKey) => endAll(byKey, at, 'rule removed'));
  return { ...nothingNew(watchId, memory), memory: { ...memory, alerts: {} }, hasChanged: true, deliveries };
}

const NONE: AlertsByKey = {};

/** What goes on from the last poll: another thing observed starts anew, and alerts that the rule no longer has end. */
function continued(watch: Watch, memory: Memory, at: Instant): { memory: Memory; deliveries: Decision['deliveries'] } {
  const isSame = memory.checksum === watch.checksum;
  const typeById = new Map(watch.alerts.map(({ id, type }) => [id, type]));
  const goesOn = ([id, byKey]: [string, AlertsByKey]) =>
    isSame && Object.values(byKey).every(({ type }) => MEMORY_OF[typeById.get(id) ?? 'none'].includes(type));
  const all = Object.entries(memory.alerts);
  const ended = all.filter((entry) => !goesOn(entry));
  if (isSame && ended.length === 0) return { memory, deliveries: [] };
  const alerts = Object.fromEntries(all.filter(goesOn));
  const deliveries = ended.flatMap(([, byKey]) => endAll(byKey, at, isSame ? 'rule removed' : 'rule changed'));
  const kept = isSame ? { ...memory, alerts } : { ...blankMemory(watch), version: memory.version };
  return { memory: kept, deliveries };
}

/** What an alert of each type remembers. Another sort of alert under the same id does not go on from it. */
const MEMORY_OF: Readonly<Record<AlertRule['type'] | 'none', readonly Alert['type'][]>> = {
  event: ['open', 'event'],
  count: ['open', 'group'],
  condition: ['condition'],
  none: [],
};

interface EvaluatedPoll extends Poll {
  readonly samples: Samples;
  readonly data: DataState;
}

function pollOf(watch: Watch, memory: Memory, observation: Observation): EvaluatedPoll {
  const { at } = observation;
  const time = { at, coveredUntil: memory.coveredUntil, intervalMs: watch.schedule.intervalMs };
  if (observation.type === 'missed') {
    const nothing = { detection: null, context: null, isComplete: false, isStale: false, head: null, reach: null };
    const data = dataStateOf(observation, { isStale: false, isKnown: false });
    return { watch, time, ...nothing, chain: 'unknown', samples: memory.history, data };
  }
  const detection = detect(watch, memory, observation);
  const samples = sample(memory.history, watch.windows, detection.now, time);
  const context = contextOf(watch, detection, historyOf(samples, time));
  const isStale = isHeadStale(observation);
  return {
    watch,
    time,
    detection,
    context,
    isComplete: observation.partial === null && detection.doubt === null,
    isStale,
    head: headOf(observation, detection),
    chain: observation.chain,
    reach: reachOf(observation.chain, detection.range),
    samples,
    data: dataStateOf(observation, { isStale, isKnown: isKnown(watch, detection) }),
  };
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
  { kind, target, tracked, judged, schedule: { intervalMs } }: Watch,
  { state, alerts, coveredUntil }: Memory,
  { at, seen, partial, chain }: SeenObservation,
): Detection<unknown> {
  const isWaiting = Object.values(alerts).some((byKey) => Object.values(byKey).some(waitsForItem));
  const isComplete = partial === null;
  const scope = { at, tracked, judged, isComplete, isWaiting, chain, coveredUntil, intervalMs };
  return kind.detect(target, state, seen, scope);
}

function waitsForItem({ type }: Alert): boolean {
  return type === 'open' || type === 'event';
}

function contextOf(watch: Watch, { now, before }: Detection<unknown>, history: History): Poll['context'] {
  return now === null
    ? null
    : { view: now, before: before === null ? null : viewOf(watch.kind.fields, before), history };
}

// A head that nobody reads any more says nothing about now, nor one that was read by a clock set back since.
const HEAD_IS_NEWS_MS = 600_000;

/** The chain's head stands still: what the explorer says of the rest may be old, so nothing else is known. */
export function isHeadStale({ head, at }: Pick<SeenObservation, 'head' | 'at'>): boolean {
  if (head === null || Math.abs(at - head.readAt) > HEAD_IS_NEWS_MS) return false;
  return head.readAt - head.timestamp > head.staleAfterMs;
}

/** What `while` looks at; of a list the newest item that was read. */
function snapshotOf({ context, detection, isStale, time }: Poll): Snapshot | null {
  const source = context ?? newestContext(detection);
  return source === null ? null : { at: time.at, view: source.view, before: source.before, isStale };
}

function newestContext(detection: Poll['detection']): Poll['context'] {
  const item = detection?.events.reduce<DetectedEvent | null>(newer, null) ?? null;
  return item === null ? null : contextOfItem(item, item.before);
}

function newer(one: DetectedEvent | null, other: DetectedEvent): DetectedEvent {
  return one === null || (other.happenedAt ?? 0) > (one.happenedAt ?? 0) ? other : one;
}

function isNotEmpty({ alerts }: AlertEvaluation): boolean {
  return Object.keys(alerts).length > 0;
}

function notesOf({ detection }: Poll): Reason[] {
  const doubt = detection?.doubt ?? null;
  const notes = [...(detection?.notes ?? []), ...(doubt === null ? [] : [doubt.reason])];
  return notes.map((text) => ({ type: 'note', text }));
}

function baselineOf({ detection }: Poll, evaluations: readonly NamedEvaluation[]): Reason[] {
  if (detection === null || detection.baseline === null) return [];
  const matching = Object.fromEntries(evaluations.map(({ id, matchingBaseline }) => [id, matchingBaseline]));
  return [{ type: 'baseline', items: detection.baseline, matching }];
}
