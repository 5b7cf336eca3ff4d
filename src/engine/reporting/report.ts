// Reports each poll to the log and the metrics.
import type { Decision, Reason } from '../../core/model/decision.ts';
import { highest } from '../../core/model/delivery.ts';
import type { Severity, WatchId } from '../../core/model/ids.ts';
import type { MissReason, Observation } from '../../core/model/observation.ts';
import type { BlindWatch } from '../../core/model/quality/blind-cause.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import { shortHex } from '../../core/values/address.ts';
import { Amount } from '../../core/values/amount.ts';
import { type AnyView, valueAt, type ValueAt } from '../../core/values/fields.ts';
import type { Clock, Instant } from '../../lib/clock.ts';
import { remembered } from '../../lib/remembered.ts';
import type { Log } from '../../telemetry/log.ts';
import type { WatchBlind, WatchLabels, WatchMetrics } from '../../telemetry/watch-metrics.ts';

export interface ReportOptions {
  readonly log: Log;
  readonly metrics: Pick<
    WatchMetrics,
    'poll' | 'watchUp' | 'watchValue' | 'undecided' | 'notJudged' | 'unfollowed' | 'notExamined'
  >;
}

export type PollReporter = (watch: Watch, observation: Observation, decision: Decision) => void;

export function createReport({ log, metrics }: ReportOptions): PollReporter {
  const partials = createComplaints();
  const notes = createComplaints();

  function reportReading(watch: Watch, partial: string | null, { reasons }: Decision): void {
    if (partial !== null) metrics.notExamined(watch.rule);
    for (const why of partials.news(watch.id, partial === null ? [] : [partial]))
      log.warn('watch:partial', { watch: watch.name, why });
    const noted = reasons.flatMap((reason) => (reason.type === 'note' ? [reason.text] : []));
    for (const note of notes.news(watch.id, noted)) log.warn('watch:note', { watch: watch.name, note });
  }

  return (watch, observation, decision) => {
    const labels = labelsOf(watch);
    const readsList = watch.kind.script.rows !== null;
    metrics.poll({ ...labels, outcome: outcomeOf(observation, decision), at: observation.at, readsList });
    metrics.watchUp(labels, observation.type === 'seen');
    if (observation.type === 'seen') reportReading(watch, observation.partial, decision);
    if (watch.exported) reportValues(watch, labels, decision, metrics);
    for (const [alert, items] of notJudgedIn(decision)) {
      metrics.notJudged(watch.rule, items);
      log.warn('alert:not-judged', { watch: watch.name, alert, items });
    }
    for (const reason of decision.reasons) if (reason.type !== 'note') reportReason(watch, reason, { log, metrics });
  };
}

/** The rule, and its target: the text in brackets in the watch's name, else the target's own name. */
export const labelsOf = remembered(({ rule, name, of }: Watch): WatchLabels => {
  const inBrackets = name.slice(rule.length).replace(/^\[|\]$/g, '');
  return { watch: rule, of: inBrackets === '' ? nameOf(of) : inBrackets };
});

/** Addresses are shortened: whole ones would be the largest part of a scrape of many watches. */
function nameOf(thing: Watch['of']): string {
  return thing === null ? '' : (thing.name ?? shortHex(thing.address));
}

/** Blind watches, for `chainwarden_watch_blind`. */
export function* blindOfWatches(blind: readonly BlindWatch[]): Generator<WatchBlind> {
  for (const { watch, reason } of blind) yield { ...labelsOf(watch), explorer: watch.target.explorer, reason };
}

export function outcomeOf(observation: Observation, decision: Decision) {
  if (observation.type === 'missed') return observation.reason;
  if (observation.partial !== null) return 'partial';
  return decision.hasChanged ? 'complete' : 'unchanged';
}

function reportValues(watch: Watch, labels: WatchLabels, { now }: Decision, metrics: ReportOptions['metrics']): void {
  if (now === null) return;
  const token = tokenLabel(watch);
  for (const [field, value] of numbersOf(now, watch.kind.while?.exported ?? []))
    metrics.watchValue({ ...labels, token, field }, value, watch.schedule.intervalMs);
}

/** Empty for kinds whose values are not all of one token. */
function tokenLabel({ kind, token, target }: Watch): string {
  if (token !== null) return nameOf(token);
  return kind.token === 'none' ? '' : target.coin.symbol;
}

type Numbers = ReadonlyMap<string, number | null>;

// Numbers are remembered by view, since an unchanged answer gives the same view. To convert a supply of thirty digits
// to a double takes 40 µs.
const numbersByView = new WeakMap<AnyView, WeakMap<readonly string[], Numbers>>();

function numbersOf(view: AnyView, fields: readonly string[]): Numbers {
  const known = numbersByView.get(view)?.get(fields);
  if (known !== undefined) return known;
  const numbers = new Map(fields.map((field) => [field, toNumber(valueAt(view, field))]));
  numbersByView.set(view, (numbersByView.get(view) ?? new WeakMap()).set(fields, numbers));
  return numbers;
}

function toNumber(value: ValueAt): number | null {
  if (value instanceof Amount) return value.toNumber();
  return typeof value === 'bigint' || typeof value === 'number' ? Number(value) : null;
}

function reportReason(watch: Watch, reason: Exclude<Reason, { type: 'note' }>, { log, metrics }: ReportOptions): void {
  switch (reason.type) {
    case 'baseline':
      log.info('watch:baseline', { watch: watch.name, items: reason.items, 'matching, not told': reason.matching });
      break;
    case 'undecided':
      metrics.undecided(watch.rule, 1);
      log.warn('alert:undecided', { watch: watch.name, alert: reason.alert, key: reason.key });
      break;
    case 'not-judged':
      // There may be hundreds, so the caller logs one line with their number.
      break;
    case 'unfollowed':
      metrics.unfollowed(watch.rule, 1);
      break;
    default:
      // Logged for debugging only: sent messages appear on the channels, for example on the log channel.
      log.debug(`alert:${reason.type}`, { watch: watch.name, alert: reason.alert, key: reason.key });
  }
}

// Logs one line when an explorer stops answering, one when the reason of the failure changes, and one when the explorer
// answers again. Further polls log nothing. Complaints of a watch about its readings are filtered in the same way.

export interface Outages {
  polled(watch: Watch, observation: Observation): void;
  storageFails(error: unknown): void;
  storageWorks(): void;
}

// These reasons concern the requested object, not the explorer.
const ABOUT_THE_QUESTION: ReadonlySet<MissReason> = new Set(['not-found', 'unprocessable', 'shape']);

export function createOutages(log: Log): Outages {
  const reasonByCause = new Map<string, MissReason>();
  let isStorageDown = false;

  return {
    polled(watch, observation) {
      if (observation.type === 'seen' && reasonByCause.size === 0) return;
      const { explorer, operation, path } = watch.kind.question(watch.target);
      const causes = { broad: `${explorer} ${operation}`, narrow: `${explorer} ${path}` };
      if (observation.type === 'seen') {
        const wasDown = [causes.broad, causes.narrow].filter((cause) => reasonByCause.delete(cause)).length > 0;
        if (wasDown) log.info('explorer:answers-again', { explorer, operation, watch: watch.name });
        return;
      }
      const { reason, detail } = observation;
      const cause = ABOUT_THE_QUESTION.has(reason) ? causes.narrow : causes.broad;
      if (reasonByCause.get(cause) === reason) return;
      reasonByCause.set(cause, reason);
      log.warn('explorer:no-answer', { explorer, operation, watch: watch.name, reason, detail });
    },
    storageFails(error) {
      if (!isStorageDown)
        log.error('storage:failed', { error, effect: 'no decision is committed until the storage works again' });
      isStorageDown = true;
    },
    storageWorks() {
      if (isStorageDown) log.info('storage:works-again');
      isStorageDown = false;
    },
  };
}

/** Finds the complaints of a watch that are new. A complaint is over when a poll does not have it. */
interface Complaints {
  /**
   * Returns the complaints that the watch's last poll did not have. Texts that differ only in numbers count as equal.
   */
  news(watch: WatchId, texts: readonly string[]): readonly string[];
}

export function createComplaints(): Complaints {
  const causesByWatch = new Map<WatchId, ReadonlySet<string>>();
  return {
    news(watch, texts) {
      const before = causesByWatch.get(watch);
      if (texts.length === 0) causesByWatch.delete(watch);
      else causesByWatch.set(watch, new Set(texts.map(causeOf)));
      return texts.filter((text) => before?.has(causeOf(text)) !== true);
    },
  };
}

function causeOf(text: string): string {
  return text.replaceAll(/\d+/g, '#');
}

// Items that no condition evaluated, because the conditions of their watch needed more steps than a poll allows. They
// are counted by rule and explorer, and kept for an hour after the last one.

export interface NotJudged {
  readonly rule: string;
  readonly explorer: string;
  /** The highest severity of the alerts whose conditions did not evaluate the items. */
  readonly severity: Severity;
  readonly since: Instant;
  readonly items: number;
  /** The names of the watches. */
  readonly watches: ReadonlySet<string>;
}

export interface NotJudgedItems {
  polled(watch: Watch, decision: Decision): void;
  recent(): readonly NotJudged[];
}

const RECENT_MS = 3_600_000;

export function createNotJudgedItems(clock: Pick<Clock, 'now' | 'monotonic'>): NotJudgedItems {
  const byRule = new Map<string, { readonly last: number; readonly items: NotJudged }>();

  const forgetOld = (): void => {
    const from = clock.monotonic() - RECENT_MS;
    for (const [key, { last }] of byRule) if (last <= from) byRule.delete(key);
  };

  return {
    polled(watch, decision) {
      const lost = notJudgedIn(decision);
      if (lost.size === 0) return;
      const { rule, target, alerts } = watch;
      const key = JSON.stringify([target.explorer, rule]);
      forgetOld();
      const known = byRule.get(key)?.items;
      const severities = alerts.flatMap(({ id, severity }) => (lost.has(id) ? [severity] : []));
      const items = {
        rule,
        explorer: target.explorer,
        severity: highest([...severities, known?.severity ?? 'info']),
        since: known?.since ?? clock.now(),
        items: (known?.items ?? 0) + [...lost.values()].reduce((sum, count) => sum + count, 0),
        watches: new Set([...(known?.watches ?? []), watch.name]),
      };
      byRule.set(key, { last: clock.monotonic(), items });
    },
    recent() {
      forgetOld();
      return [...byRule.values()].map(({ items }) => items);
    },
  };
}

/** The number of items that were not judged, by alert. */
function notJudgedIn({ reasons }: Pick<Decision, 'reasons'>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const reason of reasons)
    if (reason.type === 'not-judged') counts.set(reason.alert, (counts.get(reason.alert) ?? 0) + 1);
  return counts;
}
