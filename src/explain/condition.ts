// A condition, part by part: what each part came to, and the values that it reads.
import { historyOf } from '../core/history.ts';
import { showDuration } from '../lib/clock.ts';
import type { Memory } from '../core/memory.ts';
import type { Clause, Condition, Instant, Look, Scene, Truth, Watch } from '../core/model.ts';
import { singleLine } from '../lib/untrusted.ts';
import { fieldText, measureText, whyNoHistory, windowName } from './values.ts';

/** What a condition is explained on: the last look, with the history that stands in the state file. */
export interface Stage {
  readonly watch: Watch;
  readonly scene: Scene;
  readonly samples: Memory['history'];
  readonly at: Instant;
  readonly isStale: boolean;
}

/** `memory` is of the same watch and checksum as the look. */
export function stageOf(watch: Watch, look: Look, memory: Memory): Stage {
  const { at, view, before, isStale } = look;
  const pace = { at, coveredUntil: memory.coveredUntil, intervalMs: watch.schedule.intervalMs };
  const history = watch.kind.conditions ? historyOf(memory.history, pace) : null;
  return { watch, scene: { view, before, history }, samples: memory.history, at, isStale };
}

/** What the daemon's own step would make of it on this look. */
export function truthOf({ scene, isStale }: Stage, condition: Condition): Truth {
  return isStale && !condition.headOnly ? 'unknown' : condition.evaluate(scene);
}

/** `while  false    balance < 1000000`, its parts below it, and the values that they read. */
export function conditionLines(name: string, condition: Condition, stage: Stage | null): string[] {
  const clause = condition.clause();
  const truth = stage === null ? null : truthOf(stage, condition);
  const stale = truth === 'unknown' && stage?.isStale === true ? [`      ${STALE}`] : [];
  return [`  ${name}  ${lineOf(clause, truth)}`, ...stale, ...linesBelow(clause, stage, '      ')];
}

const STALE = 'the head of the chain stands still, so what is read may be old';
const MOST_TEXT = 400;

function lineOf({ text }: Clause, truth: Truth | null): string {
  return `${truth === null ? '' : String(truth).padEnd(9)}${singleLine(text, MOST_TEXT)}`;
}

function linesBelow(clause: Clause, stage: Stage | null, indent: string): string[] {
  if (clause.parts.length === 0) return stage === null ? [] : valueLines(clause, stage).map((line) => indent + line);
  return clause.parts.flatMap((part) => [
    indent + lineOf(part, stage === null ? null : part.evaluate(stage.scene)),
    ...linesBelow(part, stage, `${indent}    `),
  ]);
}

/** `balance = 940,000 (before 1,200,000)` */
function valueLines({ reads, windows }: Clause, stage: Stage): string[] {
  const looked = new Set(windows.map(({ path }) => path));
  const fields = reads.filter((path) => !looked.has(path)).map((path) => fieldLine(path, stage.scene));
  const both = new Set(windows.map((window) => windowLine(window, stage)));
  const measured = [...looked].map((path) => fieldLine(path, stage.scene));
  return [...fields, ...measured, ...both];
}

function fieldLine(path: string, { view, before }: Scene): string {
  const now = fieldText(view, path);
  const then = before === null ? undefined : fieldText(before, path);
  return `${path} = ${now ?? 'unknown'}${then === undefined || then === now ? '' : ` (before ${then})`}`;
}

function windowLine(window: Clause['windows'][number], { watch, scene, samples, at }: Stage): string {
  const value = scene.history?.(window);
  const name = windowName(watch, window);
  if (value !== undefined) return `${name} = ${measureText(window, value)}`;
  return `${name} = unknown: ${whyNoHistory(window, samples[window.path] ?? [], at)}`;
}

/** What is not known of what the condition reads, for whoever wonders why it is unknown. */
export function unknownOf(condition: Condition, stage: Stage): string {
  if (stage.isStale && !condition.headOnly) return STALE;
  const windows = condition.windows.filter((window) => stage.scene.history?.(window) === undefined);
  const names = [
    ...condition.reads.filter((path) => fieldText(stage.scene.view, path) === undefined),
    ...windows.map((window) => windowName(stage.watch, window)),
  ];
  return names.length === 0 ? 'a value that it computes is not known' : `not known: ${names.join(', ')}`;
}

/** `12s ago` */
export function ago(at: Instant, now: Instant): string {
  return at > now ? `in ${showDuration(at - now)}` : `${showDuration(now - at)} ago`;
}
