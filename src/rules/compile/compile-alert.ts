// One alert of a watch, compiled once for every explorer that the watch runs on.
import { typeAt } from '../../core/values/fields.ts';
import type { AlertRule } from '../../core/model/watch.ts';
import type { Recipient } from '../../core/model/ids.ts';
import type { Window } from '../../core/model/condition.ts';
import { parseAt, parseEach } from '../../config/issues.ts';
import { restOf } from '../../config/problem.ts';
import { hintFor } from '../../config/nearest.ts';
import { quote } from '../../config/scalars.ts';
import type { Path } from '../../config/yaml/written.ts';
import { complainOfForm, firesOf, groupPaths, windowComplaint } from './alert-form.ts';
import type { Compiling } from './model.ts';
import { MOST_TEXT } from './text-budget.ts';
import type { CompiledCondition, CompiledTemplate, Language } from '../language/model.ts';
import type { Compiled, Mistake } from '../language/mistake.ts';
import { isPossible } from '../language/analysis/logic.ts';
import { overlapOf, type IsWhole } from '../overlap.ts';
import { AlertShape, type WrittenAlert } from '../schema/shape.ts';

export interface CompiledAlert {
  readonly rule: AlertRule;
  /** Paths that it reads of the last known values. */
  readonly readsBefore: readonly string[];
  readonly windows: readonly Window[];
}

/** The alerts by explorer: a token's name may mean another address on each. */
export function compileAlerts(
  compiling: Compiling,
  explorers: readonly string[],
): ReadonlyMap<string, readonly CompiledAlert[]> {
  const alerts = compiling.watch.alerts.map((written, i) => readAlert(compiling, written, ['alerts', i]));
  complainOfDuplicates(compiling, alerts);
  const byExplorer = new Map<string, readonly CompiledAlert[]>();
  for (const explorer of explorers) {
    const language = compiling.catalogue.language(compiling.kind, explorer);
    byExplorer.set(
      explorer,
      alerts.flatMap((alert) => compileAlert(compiling, alert, language) ?? []),
    );
  }
  return byExplorer;
}

interface Alert {
  readonly path: Path;
  readonly written: WrittenAlert;
  readonly notify: readonly Recipient[];
  /** False when something in it is wrong: nothing will come of it. */
  readonly isWhole: boolean;
}

function readAlert(compiling: Compiling, written: unknown, path: Path): Alert {
  const { source, path: watchPath } = compiling.place;
  const parsed = parseAt(AlertShape, written, { source, path: [...watchPath, ...path] });
  if ('value' in parsed) {
    complainOfForm(compiling, parsed.value, path);
    return { path, written: parsed.value, isWhole: true, notify: recipientsOf(compiling, parsed.value, path) };
  }
  // What could be read of it is looked at further, for all of its problems at once.
  compiling.add(parsed.problems);
  return { path, written: { id: '', ...parseEach(AlertShape, written) }, isWhole: false, notify: [] };
}

function complainOfDuplicates({ complain }: Compiling, alerts: readonly Alert[]): void {
  const seen = new Set<string>();
  for (const alert of alerts) {
    const { id } = alert.written;
    if (id !== '' && seen.has(id))
      complain([...alert.path, 'id'], { message: `the id ${quote(id)} is used already in this watch` });
    seen.add(id);
  }
}

/** Alert, watch, file, the only channel: whoever is named first is told. */
function recipientsOf(compiling: Compiling, alert: WrittenAlert, path: Path): readonly Recipient[] {
  const { place, watch, catalogue, complain } = compiling;
  const all = [...catalogue.config.channels.keys()];
  const names = alert.notify ?? watch.notify ?? place.defaults.notify ?? (all.length === 1 ? all : undefined);
  if (names === undefined) {
    complain(path, { message: 'tells nobody', hint: `Write notify: one or more of ${all.join(', ')}.` });
    return [];
  }
  const recipients = new Map<string, Recipient>();
  for (const [i, name] of names.entries()) {
    const told = catalogue.recipients(name);
    for (const one of told ?? []) recipients.set(`${one.channel} ${one.recipient}`, one);
    if (told !== undefined) continue;
    const at = names.length > 1 ? ['notify', i] : ['notify'];
    const where = alert.notify !== undefined ? [...path, ...at] : watch.notify !== undefined ? at : path;
    complain(where, { message: `no channel ${quote(name)}`, hint: hintFor(name, all) });
  }
  return [...recipients.values()];
}

function compileAlert(compiling: Compiling, alert: Alert, language: Language): CompiledAlert | undefined {
  const parts = compileParts(compiling, alert, language);
  const per = groupPaths(compiling, alert.written, alert.path, language);
  const rule = alert.isWhole ? ruleOf(compiling, alert, parts, per) : undefined;
  if (rule === undefined) return undefined;
  const all = [parts.if, parts.while, parts.until, parts.title, parts.text].filter((part) => part !== null);
  return {
    rule,
    readsBefore: all.flatMap(({ readsBefore }) => readsBefore),
    windows: all.flatMap(({ windows }) => windows),
  };
}

interface Parts {
  readonly if: CompiledCondition | null;
  readonly while: CompiledCondition | null;
  readonly until: CompiledCondition | null;
  readonly title: CompiledTemplate | null;
  readonly text: CompiledTemplate | null;
}

function compileParts(compiling: Compiling, { written, path, isWhole }: Alert, language: Language): Parts {
  const lasts = written.while !== undefined;
  const isChange = written.on === 'changed' || (lasts && 'changed' in compiling.kind.events);
  const use = { before: isChange || !isWhole, windows: lasts };
  const condition = (key: 'if' | 'while' | 'until'): CompiledCondition | null => {
    if (written[key] === undefined) return null;
    const at = [...path, key];
    if (!affordable(compiling, at, written[key], language)) return null;
    const compiled = accept(compiling, at, language.condition(written[key], use));
    if (isWhole) complainOfOthers(compiling, at, { written, reads: compiled?.reads ?? [] });
    return looksFarEnough(compiling, at, compiled);
  };
  const template = (key: 'title' | 'text'): CompiledTemplate | null => {
    if (written[key] === undefined) return null;
    const at = [...path, key];
    if (!affordable(compiling, at, written[key], language)) return null;
    return looksFarEnough(compiling, at, accept(compiling, at, language.template(written[key], { ...use, as: key })));
  };
  complainOfPace(compiling, written, path);
  const conditions = { if: condition('if'), while: condition('while'), until: condition('until') };
  complainOfPair(compiling, conditions, path);
  return { ...conditions, title: template('title'), text: template('text') };
}

function affordable({ affords, complain }: Compiling, path: Path, text: string, { explorer }: Language): boolean {
  if (affords(text, explorer)) return true;
  complain(path, {
    message: `the conditions and texts of this file have more than ${MOST_TEXT} characters`,
    hint: 'Split it into several files.',
  });
  return false;
}

/** What is known of another event alone would be waited for in vain. */
function complainOfOthers(
  { kind, complain }: Compiling,
  path: Path,
  { written, reads }: { readonly written: WrittenAlert; readonly reads: readonly string[] },
): void {
  for (const [field, event] of Object.entries(kind.onlyOf ?? {})) {
    if (written.on === event || !reads.includes(field)) continue;
    const text = String(written[path.at(-1) as 'if']);
    const start = Math.max(0, text.search(new RegExp(`\\b${field}\\b`)));
    const within = { start, end: start + field.length };
    complain(path, { message: `${field} is known only of \`on: ${event}\``, hint: `Write on: ${event}.`, within });
  }
}

/** A count that looks back over less than the watch's pace would miss what happens between two polls. */
function complainOfPace({ complain, intervalMs }: Compiling, { at_least, none_for }: WrittenAlert, path: Path): void {
  const spans = [
    [['at_least', 'within'], at_least?.within],
    [['none_for'], none_for],
  ] as const;
  for (const [key, ms] of spans) {
    const complaint = ms === undefined ? undefined : windowComplaint(ms, intervalMs);
    if (complaint !== undefined) complain([...path, ...key], complaint);
  }
}

function looksFarEnough<T extends { readonly windows: readonly Window[] }>(
  { complain, intervalMs }: Compiling,
  path: Path,
  compiled: T | null,
): T | null {
  for (const { ms } of compiled?.windows ?? []) {
    const complaint = windowComplaint(ms, intervalMs);
    if (complaint !== undefined) complain(path, complaint);
  }
  return compiled;
}

function ruleOf(compiling: Compiling, alert: Alert, parts: Parts, per: readonly string[]): AlertRule | undefined {
  const { written } = alert;
  const base = baseOf(compiling, alert, parts);
  const holds = {
    forMs: written.for ?? 0,
    keepFiringForMs: written.keep_firing_for ?? 0,
    cooldownMs: written.cooldown ?? 0,
  };
  const fires = firesOf(written);
  if (written.on !== undefined && fires !== null)
    return { ...base, ...holds, type: 'count', on: written.on, if: parts.if, fires, per };
  if (written.on !== undefined) {
    const { confirmations = 0, provisional = false } = written;
    return { ...base, type: 'event', on: written.on, if: parts.if, confirmations, provisional };
  }
  if (parts.while === null) return undefined;
  return { ...base, ...holds, type: 'condition', while: parts.while, until: parts.until };
}

function baseOf({ place, watch }: Compiling, { written, path, notify }: Alert, { title, text }: Parts) {
  return {
    id: written.id,
    severity: written.severity ?? watch.severity ?? place.defaults.severity ?? 'warning',
    notify,
    title,
    text,
    source: `${place.source.file}:${place.source.lineOf([...place.path, ...path])}`,
  } as const;
}

interface Pair {
  readonly while: CompiledCondition;
  readonly until: CompiledCondition;
}

function complainOfPair(compiling: Compiling, conditions: Pick<Parts, 'while' | 'until'>, path: Path): void {
  const { while: held, until } = conditions;
  if (held === null || until === null) return;
  const message = pairMistake(compiling, { while: held, until });
  const hint = 'until is what ends it, such as `until: balance > 200` of `while: balance < 100`.';
  if (message !== null) compiling.complain([...path, 'until'], { message, hint });
}

/** An end that never comes, that comes with the beginning, or that can hold at the same time as the beginning. */
function pairMistake({ kind }: Compiling, { while: held, until }: Pair): string | null {
  if (!isPossible(held.constraints.whenFalse, until.constraints.whenTrue))
    return 'until is never true once while is false: the alert would never end';
  if (!isPossible(held.constraints.whenTrue, until.constraints.whenFalse))
    return 'until holds whenever while does: it does not tell the end from the beginning';
  const isWhole: IsWhole = (subject) => subject.type === 'field' && typeAt(kind.fields, subject.path)?.type === 'int';
  const overlap = overlapOf(held.clause(), until.clause(), isWhole);
  if (overlap === null) return null;
  return `while ${quote(overlap.one.text)} and until ${quote(overlap.other.text)} can both be true at once`;
}

const MOST_MISTAKES = 10;

function accept<T>(
  { complain, warn, add, place }: Compiling,
  path: Path,
  { value, mistakes, doubts }: Compiled<T>,
): T | null {
  const at = ({ message, hint, start, end }: Mistake) => ({ message, hint, within: { start, end } });
  for (const mistake of mistakes.slice(0, MOST_MISTAKES)) complain(path, at(mistake));
  if (mistakes.length > MOST_MISTAKES) add([restOf(place.source.file, mistakes.length - MOST_MISTAKES)]);
  for (const doubt of doubts.slice(0, MOST_MISTAKES)) warn(path, at(doubt));
  return value;
}
