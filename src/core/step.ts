// Pure decision function: (memory, observation) -> decision. No clock, no randomness, no input or output. The daemon,
// tests of rules and replays call it.
import { stepCondition } from './alerts/conditions/conditions.ts';
import { meaningOf, stepCounts } from './alerts/counts.ts';
import { RULE_ENDS } from './model/delivery.ts';
import { stepEvents } from './alerts/events/events.ts';
import { stepReport } from './alerts/reports.ts';
import { goneFields, neverHolding, neverWords } from './model/quality/sightings.ts';
import type { Alert, Memory } from './model/memory.ts';
import type { AlertId, WatchId } from './model/ids.ts';
import type { AlertRule, Watch } from './model/watch/watch.ts';
import { NOTHING_CLOSED, type Decision, type Reason } from './model/decision.ts';
import { NO_PAST, type Past } from './windows/stored-runs.ts';
import type { Instant } from '../lib/clock.ts';
import type { Observation } from './model/observation.ts';
import { finish, type Steps } from '../lib/steps.ts';
import {
  endAll,
  raiseAll,
  type AlertEvaluation,
  type AlertPoll,
  type AlertsByKey,
  type RaisingRule,
} from './alerts/alert-evaluation.ts';
import { greatestNeed } from './chain/tick-chain.ts';
import { dataSince, type EvaluatedPoll, pollOf, snapshotOf } from './poll.ts';

/** The memory of a watch before its first poll. */
export function blankMemory(watch: Watch): Memory {
  const nothing = { state: null, alerts: {}, history: {}, data: null, coveredUntil: null, paceMs: null };
  return { version: 0, checksum: watch.checksum, ...nothing };
}

/**
 * Decides one poll: the new memory, the transitions and the reasons. `past`: the stored runs for windows, which the
 * memory does not contain.
 */
export function step(watch: Watch, memory: Memory, observation: Observation, past: Past = NO_PAST): Decision {
  return finish(stepInSteps(watch, memory, observation, past));
}

/**
 * Like `step`, but in steps: it pauses during and after the detection, and after each item that a condition evaluates.
 */
export function* stepInSteps(
  watch: Watch,
  memory: Memory,
  observation: Observation,
  past: Past = NO_PAST,
): Steps<Decision> {
  if (isOlder(memory, observation)) return nothingNew(watch.id, memory);
  const start = continued(watch, memory, observation.at);
  const poll = yield* pollOf(watch, start.memory, observation, start.isSame ? past : NO_PAST);
  yield;
  const evaluations: NamedEvaluation[] = [];
  for (const alert of watch.alerts)
    evaluations.push(yield* evaluateAlert(poll, alert, start.memory.alerts[alert.id] ?? NONE));
  const after: Memory = {
    ...start.memory,
    state: poll.detection === null ? start.memory.state : (poll.detection.state as Memory['state']),
    alerts: Object.fromEntries(evaluations.filter(isNotEmpty).map(({ id, alerts }) => [id, alerts])),
    history: poll.samples,
    data: dataSince(start.memory, { state: poll.data, fields: poll.fields, senders: poll.senders }, observation.at),
    coveredUntil: poll.detection === null ? memory.coveredUntil : observation.at,
    paceMs: observation.paceMs > watch.schedule.intervalMs ? observation.paceMs : null,
  };
  const isNews = start.memory !== memory || evaluations.some(({ known, alerts }) => known !== alerts);
  return {
    watchId: watch.id,
    expects: memory.version,
    memory: after,
    hasChanged: start.transitions.length > 0 || isNews || differs(memory, after),
    transitions: [...start.transitions, ...evaluations.flatMap(({ transitions }) => transitions)],
    reasons: [...notesOf(poll), ...baselineOf(poll, evaluations), ...evaluations.flatMap(({ reasons }) => reasons)],
    now: poll.context?.view ?? null,
    snapshot: snapshotOf(poll),
    firing: evaluations.flatMap(({ firing }) => firing),
    truths: Object.fromEntries(evaluations.map(({ id, truth }) => [id, truth])),
    needs: greatestNeed([poll.detection?.needs ?? null, ...evaluations.map(({ needs }) => needs)]),
    askAgainMs: poll.detection?.askAgainMs ?? null,
    closed: { ...NOTHING_CLOSED, dropped: poll.redefined },
  };
}

/** An observation that is not newer than the last usable answer changes nothing. */
function isOlder({ coveredUntil }: Memory, { at }: Observation): boolean {
  return coveredUntil !== null && at <= coveredUntil;
}

function nothingNew(watchId: WatchId, memory: Memory): Decision {
  const nothing = { transitions: [], reasons: [], now: null, snapshot: null, firing: [], truths: {}, needs: null };
  return {
    watchId,
    expects: memory.version,
    memory,
    hasChanged: false,
    ...nothing,
    askAgainMs: null,
    closed: NOTHING_CLOSED,
  };
}

function differs(before: Memory, after: Memory): boolean {
  return before.state !== after.state || before.history !== after.history || before.data !== after.data;
}

interface NamedEvaluation extends AlertEvaluation {
  readonly id: AlertId;
  readonly known: AlertsByKey;
}

/**
 * The most steps of conditions on items in one poll: about a second, on a machine of 2026. The limit is needed because
 * the number of items and the length of their texts are untrusted.
 */
const STEPS_OF_POLL = 4_000_000;

function* evaluateAlert(poll: AlertPoll, alert: AlertRule, known: AlertsByKey): Steps<NamedEvaluation> {
  // Each alert gets its part, and the steps that earlier alerts left over: none can use up all of them.
  poll.budget.left = Math.max(0, poll.budget.left) + Math.ceil(STEPS_OF_POLL / poll.watch.alerts.length);
  return { id: alert.id, known, ...(yield* stepAlert(poll, alert, known)) };
}

function* stepAlert(poll: AlertPoll, alert: AlertRule, known: AlertsByKey): Steps<AlertEvaluation> {
  switch (alert.type) {
    case 'event':
      return alert.report === null
        ? yield* stepEvents(poll, alert, known)
        : stepReport(poll, alert, alert.report, known);
    case 'count':
      return yield* stepCounts(poll, alert, known);
    case 'condition':
      return stepCondition(poll, alert, known);
  }
}

/** The decision for a watch that was removed from the rules: its firing alerts are resolved. */
export function retire(watchId: WatchId, memory: Memory, at: Instant): Decision {
  const transitions = Object.values(memory.alerts).flatMap((byKey) => endAll(byKey, at, RULE_ENDS.removed));
  return { ...nothingNew(watchId, memory), memory: { ...memory, alerts: {} }, hasChanged: true, transitions };
}

/**
 * The decision for rules that became more severe: their firing alerts fire once more. Null: there are no such alerts.
 * `ruleOf`: null if the rule was removed.
 */
export function raise(
  watchId: WatchId,
  memory: Memory,
  ruleOf: (alert: AlertId) => RaisingRule | null,
  at: Instant,
): Decision | null {
  const raised = Object.entries(memory.alerts).map(([id, byKey]) => {
    const rule = ruleOf(id);
    return { id, ...(rule === null ? { alerts: byKey, transitions: [] } : raiseAll(byKey, rule, at)) };
  });
  const transitions = raised.flatMap((one) => one.transitions);
  if (transitions.length === 0) return null;
  const alerts = Object.fromEntries(raised.map((one) => [one.id, one.alerts]));
  return { ...nothingNew(watchId, memory), memory: { ...memory, alerts }, hasChanged: true, transitions };
}

const NONE: AlertsByKey = {};

interface Continued {
  /** True if the watch still observes the same thing. */
  readonly isSame: boolean;
  readonly memory: Memory;
  readonly transitions: Decision['transitions'];
}

/**
 * The memory from which the poll continues. A watch that now observes something else starts again; so does an alert
 * whose type, or whose counted items, changed. Alerts that the rule no longer has end.
 */
function continued(watch: Watch, memory: Memory, at: Instant): Continued {
  const isSame = memory.checksum === watch.checksum;
  const all = Object.entries(memory.alerts);
  if (isSame && all.length === 0) return { isSame, memory, transitions: [] };
  const ruleById = new Map(watch.alerts.map((rule) => [rule.id, rule]));
  const goesOn = ([id, byKey]: [string, AlertsByKey]) => isSame && isContinued(watch, ruleById.get(id), byKey);
  const ended = all.filter((entry) => !goesOn(entry));
  if (isSame && ended.length === 0) return { isSame, memory, transitions: [] };
  const alerts = Object.fromEntries(all.filter(goesOn));
  const transitions = ended.flatMap(([id, byKey]) =>
    endAll(byKey, at, isSame && !ruleById.has(id) ? RULE_ENDS.removed : RULE_ENDS.changed),
  );
  const kept = isSame ? { ...memory, alerts } : { ...blankMemory(watch), version: memory.version };
  return { isSame, memory: kept, transitions };
}

function isContinued({ kind }: Watch, rule: AlertRule | undefined, byKey: AlertsByKey): boolean {
  if (rule === undefined) return false;
  const meaning = rule.type === 'count' ? meaningOf(rule, kind.fields) : '';
  return Object.values(byKey).every(
    (alert) =>
      MEMORY_OF[rule.type].includes(alert.type) &&
      (alert.type !== 'group' || alert.meaning === '' || alert.meaning === meaning),
  );
}

/** The memory types of each alert type. An alert of another type under the same id does not continue from it. */
const MEMORY_OF: Readonly<Record<AlertRule['type'], readonly Alert['type'][]>> = {
  event: ['open', 'event'],
  count: ['open', 'group'],
  condition: ['condition'],
};

function isNotEmpty({ alerts }: AlertEvaluation): boolean {
  return Object.keys(alerts).length > 0;
}

function notesOf({ watch, detection, fields, senders, lost }: EvaluatedPoll): Reason[] {
  const doubt = detection?.doubt ?? null;
  const gone = goneFields(fields).map(
    (path) => `${path} is in no row of the answers any more: conditions that read it are unknown`,
  );
  const empty = lost.map((path) => `${path} is not known: conditions that read it are unknown`);
  const never = neverHolding(watch.senders, senders).map((one) => `${one.alert}: ${neverWords(one)}. ${one.hint}`);
  const doubted = doubt === null ? [] : [doubt];
  const notes = [...(detection?.notes ?? []), ...doubted, ...gone, ...empty, ...never];
  return notes.map((text) => ({ type: 'note', text }));
}

function baselineOf({ detection }: AlertPoll, evaluations: readonly NamedEvaluation[]): Reason[] {
  if (detection === null || detection.baseline === null) return [];
  const matching = Object.fromEntries(evaluations.map(({ id, matchingBaseline }) => [id, matchingBaseline]));
  return [{ type: 'baseline', items: detection.baseline, matching }];
}
