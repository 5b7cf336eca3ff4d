// Reports each poll to the log and the metrics.
import { Amount } from '../../core/values/amount.ts';
import { valueAt, type AnyView, type ValueAt } from '../../core/values/fields.ts';
import type { Decision, Reason } from '../../core/model/decision.ts';
import { shortHex } from '../../core/values/address.ts';
import type { Observation } from '../../core/model/observation.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import type { BlindWatch } from '../../core/model/quality/blind-cause.ts';
import { notJudgedIn } from './not-judged.ts';
import { createComplaints } from './outages.ts';
import type { Log } from '../../telemetry/log.ts';
import type { WatchBlind } from '../../telemetry/mirrored-series.ts';
import type { WatchLabels } from '../../telemetry/watch-facts.ts';
import type { WatchMetrics } from '../../telemetry/watch-metrics.ts';
import { remembered } from '../../lib/remembered.ts';

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
