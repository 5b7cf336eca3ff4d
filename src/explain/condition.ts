// A condition, part by part: the result of each part, and the values that it reads.
import { readsMissing } from '../core/alerts/alert-evaluation.ts';
import { historyOf } from '../core/alerts/history.ts';
import { type Instant, showDuration } from '../lib/clock.ts';
import { missingFields, NO_SIGHTINGS } from '../core/model/field-sightings.ts';
import type { Memory } from '../core/model/memory.ts';
import type { Clause, Condition, EvaluationContext } from '../core/model/condition.ts';
import type { Snapshot } from '../core/model/decision.ts';
import type { Truth } from '../core/model/ids.ts';
import type { Watch } from '../core/model/watch.ts';
import { singleLine } from '../lib/untrusted.ts';
import { fieldText, measureText, whyNoHistory, windowName } from './values.ts';

/** What a condition is explained on: the last snapshot, with the history of the state file. */
export interface ExplainContext {
  readonly watch: Watch;
  readonly evaluation: EvaluationContext;
  readonly samples: Memory['history'];
  readonly at: Instant;
  readonly isStale: boolean;
  /** Fields that came before and are in no row of the last answers. */
  readonly missing: ReadonlySet<string>;
}

/** `memory` is of the same watch and checksum as the snapshot. */
export function explainContextOf(watch: Watch, snapshot: Snapshot, memory: Memory): ExplainContext {
  const { at, view, before, isStale } = snapshot;
  const pace = { at, coveredUntil: memory.coveredUntil, intervalMs: watch.schedule.intervalMs };
  const history = watch.kind.while !== null ? historyOf(memory.history, pace) : null;
  const missing = missingFields(memory.data?.fields ?? NO_SIGHTINGS);
  return { watch, evaluation: { view, before, history }, samples: memory.history, at, isStale, missing };
}

/** What the daemon's own step would decide on this snapshot. */
export function truthOf(context: ExplainContext, condition: Condition): Truth {
  const isUnknown = (context.isStale && !condition.headOnly) || readsMissing(context, condition);
  return isUnknown ? 'unknown' : condition.evaluate(context.evaluation);
}

/** `while  false    balance < 1000000`, its parts below it, and the values that they read. */
export function conditionLines(name: string, condition: Condition, context: ExplainContext | null): string[] {
  const clause = condition.clause();
  const truth = context === null ? null : truthOf(context, condition);
  const stale = truth === 'unknown' && context?.isStale === true ? [`      ${STALE}`] : [];
  const limit = truth === 'unknown' && context !== null ? condition.limitOf(context.evaluation) : null;
  const missing = context === null ? [] : missingLines(context, condition);
  const reason = [...stale, ...missing, ...(limit === null ? [] : [`      could not be judged: ${limit}`])];
  return [`  ${name}  ${lineOf(clause, truth)}`, ...reason, ...linesBelow(clause, context, '      ')];
}

function missingLines({ missing }: ExplainContext, { reads }: Condition): string[] {
  return reads.filter((path) => missing.has(path)).map((path) => `      the explorer no longer sends ${path}`);
}

const STALE = 'the head of the chain stands still, so what is read may be old';
const MOST_TEXT = 400;

function lineOf({ text }: Clause, truth: Truth | null): string {
  return `${truth === null ? '' : String(truth).padEnd(9)}${singleLine(text, MOST_TEXT)}`;
}

function linesBelow(clause: Clause, context: ExplainContext | null, indent: string): string[] {
  if (clause.parts.length === 0)
    return context === null ? [] : valueLines(clause, context).map((line) => indent + line);
  return clause.parts.flatMap((part) => [
    indent + lineOf(part, context === null ? null : part.evaluate(context.evaluation)),
    ...linesBelow(part, context, `${indent}    `),
  ]);
}

/** `balance = 940,000 (before 1,200,000)` */
function valueLines({ reads, windows }: Clause, context: ExplainContext): string[] {
  const looked = new Set(windows.map(({ path }) => path));
  const fields = reads.filter((path) => !looked.has(path)).map((path) => fieldLine(path, context.evaluation));
  const both = new Set(windows.map((window) => windowLine(window, context)));
  const measured = [...looked].map((path) => fieldLine(path, context.evaluation));
  return [...fields, ...measured, ...both];
}

function fieldLine(path: string, { view, before }: EvaluationContext): string {
  const now = fieldText(view, path);
  const then = before === null ? undefined : fieldText(before, path);
  return `${path} = ${now ?? 'unknown'}${then === undefined || then === now ? '' : ` (before ${then})`}`;
}

function windowLine(window: Clause['windows'][number], { watch, evaluation, samples, at }: ExplainContext): string {
  const value = evaluation.history?.(window);
  const name = windowName(watch, window);
  if (value !== undefined) return `${name} = ${measureText(window, value)}`;
  return `${name} = unknown: ${whyNoHistory(window, samples[window.path] ?? [], at)}`;
}

/** The unknown values that the condition reads: they are why it is unknown. */
export function unknownOf(condition: Condition, context: ExplainContext): string {
  if (context.isStale && !condition.headOnly) return STALE;
  const limit = condition.limitOf(context.evaluation);
  if (limit !== null) return limit;
  const windows = condition.windows.filter((window) => context.evaluation.history?.(window) === undefined);
  const names = [
    ...condition.reads.filter((path) => fieldText(context.evaluation.view, path) === undefined),
    ...windows.map((window) => windowName(context.watch, window)),
  ];
  return names.length === 0 ? 'a value that it computes is not known' : `not known: ${names.join(', ')}`;
}

/** `12s ago` */
export function ago(at: Instant, now: Instant): string {
  return at > now ? `in ${showDuration(at - now)}` : `${showDuration(now - at)} ago`;
}
