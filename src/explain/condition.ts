// A condition, part by part: the result of each part, and the values that it reads.
import { readsMissing } from '../core/alerts/alert-evaluation.ts';
import { historyOf } from '../core/alerts/history.ts';
import { type Instant, showDuration } from '../lib/clock.ts';
import { missingFields, NO_SIGHTINGS } from '../core/model/quality/sightings.ts';
import type { Memory } from '../core/model/memory.ts';
import type { Clause, Condition, EvaluationContext } from '../core/model/watch/condition.ts';
import type { Snapshot } from '../core/model/decision.ts';
import type { Truth } from '../core/model/ids.ts';
import { paceIn, type Watch } from '../core/model/watch/watch.ts';
import { plainJoined, singleLine } from '../lib/untrusted.ts';
import type { ExplainedCondition, ExplainedPart, ExplainedRead } from './model.ts';
import { fieldSegments, fieldText, isLacking, measureText, whyNoHistory, windowName } from './values.ts';

/** The data behind an explained condition: the last snapshot, with the history of the state file. */
export interface ExplainContext {
  readonly watch: Watch;
  readonly evaluation: EvaluationContext;
  readonly samples: Memory['history'];
  readonly at: Instant;
  readonly isStale: boolean;
  /** Fields that the explorer sent before and that no row of the last answers contains. */
  readonly missing: ReadonlySet<string>;
}

/** `memory` belongs to the same watch and checksum as the snapshot. */
export function explainContextOf(watch: Watch, snapshot: Snapshot, memory: Memory): ExplainContext {
  const { at, view, before, isStale } = snapshot;
  const { intervalMs: wantedMs } = watch.schedule;
  const pace = { at, coveredUntil: memory.coveredUntil, intervalMs: paceIn(memory, watch), wantedMs };
  const history = watch.kind.while !== null ? historyOf(memory.history, pace) : null;
  const missing = missingFields(memory.data?.fields ?? NO_SIGHTINGS);
  return { watch, evaluation: { view, before, history, at }, samples: memory.history, at, isStale, missing };
}

/** The truth that the daemon's own step finds for this snapshot. */
export function truthOf(context: ExplainContext, condition: Condition): Truth {
  const isUnknown = (context.isStale && !condition.headOnly) || readsMissing(context, condition);
  return isUnknown ? 'unknown' : condition.evaluate(context.evaluation);
}

/** The condition with its truth, its parts, and the values that they read. */
export function explainedCondition(
  name: ExplainedCondition['name'],
  condition: Condition,
  context: ExplainContext | null,
): ExplainedCondition {
  const clause = condition.clause();
  const truth = context === null ? null : truthOf(context, condition);
  const part = { text: singleLine(clause.text, MOST_TEXT), truth, ...belowOf(clause, context) };
  return { name, ...part, reasons: context === null ? [] : reasonsOf(condition, truth, context) };
}

function reasonsOf(condition: Condition, truth: Truth | null, context: ExplainContext): string[] {
  const isUnknown = truth === 'unknown';
  const limit = isUnknown ? condition.limitOf(context.evaluation) : null;
  const missing = condition.reads.filter((path) => context.missing.has(path));
  return [
    ...(isUnknown && context.isStale ? [STALE] : []),
    ...missing.map((path) => `the explorer no longer sends ${path}`),
    ...(limit === null ? [] : [`could not be judged: ${limit}`]),
  ];
}

const STALE = 'the head of the chain stands still, so the values may be old';
const MOST_TEXT = 400;

function explainedPart(clause: Clause, context: ExplainContext | null): ExplainedPart {
  const truth = context === null ? null : clause.evaluate(context.evaluation);
  return { text: singleLine(clause.text, MOST_TEXT), truth, ...belowOf(clause, context) };
}

/** Only the smallest parts have values beside them. */
function belowOf(clause: Clause, context: ExplainContext | null): Pick<ExplainedPart, 'reads' | 'parts'> {
  if (clause.parts.length > 0) return { reads: [], parts: clause.parts.map((part) => explainedPart(part, context)) };
  return { reads: context === null ? [] : readsOf(clause, context), parts: [] };
}

function readsOf({ reads, windows }: Clause, context: ExplainContext): ExplainedRead[] {
  const looked = new Set(windows.map(({ path }) => path));
  const fields = [...reads.filter((path) => !looked.has(path)), ...looked];
  const measured = new Map(windows.map((window) => [windowName(context.watch, window), window]));
  return [
    ...fields.map((path) => fieldRead(path, context.evaluation)),
    ...[...measured].map(([name, window]) => windowRead(name, window, context)),
  ];
}

function fieldRead(path: string, { view, before }: EvaluationContext): ExplainedRead {
  const now = isLacking(view, path) ? [{ text: 'none' }] : fieldSegments(view, path);
  const then = before === null ? null : fieldSegments(before, path);
  const isSame = then === null || (now !== null && plainJoined(now) === plainJoined(then));
  return { name: path, value: now, before: isSame ? null : then, why: null };
}

function windowRead(
  name: string,
  window: Clause['windows'][number],
  { evaluation, samples, at }: ExplainContext,
): ExplainedRead {
  const value = evaluation.history?.(window);
  if (value !== undefined) return { name, value: [{ text: measureText(window, value) }], before: null, why: null };
  return { name, value: null, before: null, why: whyNoHistory(window, samples[window.path] ?? [], at) };
}

/** The reason why the condition is unknown: a stale head, an exceeded limit, or the values that are unknown. */
export function unknownOf(condition: Condition, context: ExplainContext): string {
  if (context.isStale && !condition.headOnly) return STALE;
  const limit = condition.limitOf(context.evaluation);
  if (limit !== null) return limit;
  const windows = condition.windows.filter((window) => context.evaluation.history?.(window) === undefined);
  const names = [
    ...condition.reads.filter(
      (path) => fieldText(context.evaluation.view, path) === undefined && !isLacking(context.evaluation.view, path),
    ),
    ...windows.map((window) => windowName(context.watch, window)),
  ];
  return names.length === 0 ? 'a value that it computes is not known' : `not known: ${names.join(', ')}`;
}

/** `12s ago` */
export function ago(at: Instant, now: Instant): string {
  return at > now ? `in ${showDuration(at - now)}` : `${showDuration(now - at)} ago`;
}
