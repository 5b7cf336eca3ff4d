// The heart: what is remembered and what was seen make a decision. No clock, no chance, no input or output: the daemon
// and everything that only tries rules call this one function.
import { stepCondition } from './conditions.ts';
import { stepEvents } from './events.ts';
import type { Noticed } from './kind.ts';
import type { Decision, Instant, Memory, Observation, Reason, Watch, WatchId } from './model.ts';
import { endAll, type AlertsByKey, type Part, type Poll } from './part.ts';
import { viewOf } from './tracked.ts';

type Seen = Extract<Observation, { type: 'seen' }>;

/** What a watch remembers before its first poll. */
export function blankMemory(watch: Watch): Memory {
  return { version: 0, checksum: watch.checksum, state: null, alerts: {}, coveredUntil: null };
}

/** One poll: the new memory, what is owed to whom, and the reason of each part. */
export function step(watch: Watch, memory: Memory, observation: Observation): Decision {
  const start = continued(watch, memory, observation.at);
  const poll = pollOf(watch, start.memory, observation);
  const parts = watch.alerts.map((alert) => {
    const known = start.memory.alerts[alert.id] ?? NONE;
    const part = alert.type === 'event' ? stepEvents(poll, alert, known) : stepCondition(poll, alert, known);
    return { id: alert.id, known, ...part };
  });
  const state = poll.noticed === null ? start.memory.state : (poll.noticed.state as Memory['state']);
  const learned = start.deliveries.length > 0 || start.memory !== memory || state !== memory.state;
  return {
    watchId: watch.id,
    expects: memory.version,
    memory: {
      ...start.memory,
      state,
      alerts: Object.fromEntries(parts.filter(isNotEmpty).map(({ id, alerts }) => [id, alerts])),
      coveredUntil: poll.noticed === null ? memory.coveredUntil : observation.at,
    },
    learned: learned || parts.some(({ known, alerts }) => known !== alerts),
    deliveries: [...start.deliveries, ...parts.flatMap(({ deliveries }) => deliveries)],
    reasons: [...notesOf(poll), ...baselineOf(poll, parts), ...parts.flatMap(({ reasons }) => reasons)],
    now: poll.scene?.view ?? null,
  };
}

/** The watch is gone from the rules: what fires is resolved, for those who were told. */
export function retire(watchId: WatchId, memory: Memory, at: Instant): Decision {
  const deliveries = Object.values(memory.alerts).flatMap((byKey) => endAll(byKey, at, 'rule removed'));
  return {
    watchId,
    expects: memory.version,
    memory: { ...memory, alerts: {} },
    learned: true,
    deliveries,
    reasons: [],
    now: null,
  };
}

const NONE: AlertsByKey = {};

/** What goes on from the last poll: another thing observed starts anew, and alerts that the rule no longer has end. */
function continued(watch: Watch, memory: Memory, at: Instant): { memory: Memory; deliveries: Decision['deliveries'] } {
  const isSame = memory.checksum === watch.checksum;
  const typeById = new Map(watch.alerts.map(({ id, type }) => [id, type === 'event' ? 'open' : 'condition']));
  const goesOn = ([id, byKey]: [string, AlertsByKey]) =>
    isSame && Object.values(byKey).every(({ type }) => type === typeById.get(id));
  const all = Object.entries(memory.alerts);
  const ended = all.filter((entry) => !goesOn(entry));
  if (isSame && ended.length === 0) return { memory, deliveries: [] };
  const alerts = Object.fromEntries(all.filter(goesOn));
  const deliveries = ended.flatMap(([, byKey]) => endAll(byKey, at, isSame ? 'rule removed' : 'rule changed'));
  const kept = isSame ? { ...memory, alerts } : { ...blankMemory(watch), version: memory.version };
  return { memory: kept, deliveries };
}

function pollOf(watch: Watch, memory: Memory, observation: Observation): Poll {
  const { at } = observation;
  const time = { at, coveredUntil: memory.coveredUntil, intervalMs: watch.schedule.intervalMs };
  if (observation.type === 'missed')
    return { watch, time, noticed: null, scene: null, isComplete: false, isStale: false };
  const noticed = detect(watch, memory.state, observation);
  return {
    watch,
    time,
    noticed,
    scene: sceneOf(watch, noticed),
    isComplete: observation.partial === null,
    isStale: isStale(observation),
  };
}

function detect(watch: Watch, state: unknown, observation: Seen): Noticed<unknown> {
  const scope = { at: observation.at, tracked: watch.tracked, complete: observation.partial === null };
  return watch.kind.detect(watch.target, state, observation.seen, scope);
}

function sceneOf(watch: Watch, { now, before }: Noticed<unknown>): Poll['scene'] {
  return now === null ? null : { view: now, before: before === null ? null : viewOf(watch.kind.fields, before) };
}

// A head that nobody reads any more says nothing about now.
const HEAD_IS_NEWS_MS = 600_000;

/** The chain's head stands still: what the explorer says of the rest may be old, so nothing else is known. */
function isStale({ head, at }: Seen): boolean {
  if (head === null || at - head.readAt > HEAD_IS_NEWS_MS) return false;
  return head.readAt - head.timestamp > head.staleAfterMs;
}

function isNotEmpty({ alerts }: Part): boolean {
  return Object.keys(alerts).length > 0;
}

function notesOf({ noticed }: Poll): Reason[] {
  return (noticed?.notes ?? []).map((text) => ({ type: 'note', text }));
}

function baselineOf({ noticed }: Poll, parts: readonly (Part & { id: string })[]): Reason[] {
  if (noticed === null || noticed.baseline === null) return [];
  const matching = Object.fromEntries(parts.map(({ id, matchingBaseline }) => [id, matchingBaseline]));
  return [{ type: 'baseline', items: noticed.baseline, matching }];
}
