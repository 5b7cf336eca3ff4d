// One alert of a watch, compiled once for every explorer that the watch runs on.
import type { AlertRule, EventName, Recipient } from '../core/model.ts';
import { parseAt, parseEach } from '../config/issues.ts';
import { hintFor } from '../config/nearest.ts';
import { quote } from '../config/scalars.ts';
import type { Path } from '../config/yaml.ts';
import type { Compiling } from './compile-watch.ts';
import type { CompiledCondition } from './conditions.ts';
import type { Compiled, Language, Mistake } from './language.ts';
import { isPossible } from './logic.ts';
import { AlertShape, type WrittenAlert } from './shape.ts';
import type { CompiledTemplate } from './templates.ts';

export interface CompiledAlert {
  readonly rule: AlertRule;
  /** Paths that it reads of the last known values. */
  readonly readsBefore: readonly string[];
}

/** The alerts by explorer: a token's name may mean another address on each. */
export function compileAlerts(
  compiling: Compiling,
  explorers: readonly string[],
): ReadonlyMap<string, readonly CompiledAlert[]> {
  const alerts = compiling.watch.alerts.map((written, i) => readAlert(compiling, written, ['alerts', i]));
  complainOfTwins(compiling, alerts);
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

function complainOfTwins({ complain }: Compiling, alerts: readonly Alert[]): void {
  const seen = new Set<string>();
  for (const alert of alerts) {
    const { id } = alert.written;
    if (id !== '' && seen.has(id))
      complain([...alert.path, 'id'], { message: `the id ${quote(id)} is used already in this watch` });
    seen.add(id);
  }
}

/** Event or condition: what belongs to the other is a mistake, never ignored. */
function complainOfForm({ kind, complain, hasAddress }: Compiling, alert: WrittenAlert, path: Path): void {
  const on = `on: ${kind.events.join(', ')}`;
  if (alert.on !== undefined && alert.while !== undefined)
    complain(path, {
      key: 'while',
      message: 'on and while are both there',
      hint: 'An alert is either an event or a condition.',
    });
  else if (alert.on === undefined && alert.while === undefined)
    complain(path, {
      message: 'neither on nor while is there',
      hint: kind.conditions ? `Write ${on}, or while.` : `Write ${on}.`,
    });
  else if (alert.while !== undefined && !kind.conditions)
    complain(path, { key: 'while', message: `${kind.name} has no while`, hint: `Write ${on}, with if.` });
  else if (alert.on !== undefined) complainOfEvent(alert.on, { kind, complain, hasAddress }, path);
  const strangers = alert.while === undefined ? (['until', 'for', 'keep_firing_for'] as const) : (['if'] as const);
  for (const key of strangers)
    if (alert[key] !== undefined)
      complain(path, {
        key,
        message: `${key} belongs to ${alert.while === undefined ? 'while' : 'on'}`,
        hint: 'Remove it.',
      });
}

function complainOfEvent(
  on: EventName,
  { kind, complain, hasAddress }: Pick<Compiling, 'kind' | 'complain' | 'hasAddress'>,
  path: Path,
): void {
  if (!kind.events.includes(on))
    complain([...path, 'on'], { message: `${kind.name} has no event ${quote(on)}`, hint: hintFor(on, kind.events) });
  else if (on === 'mined' && !hasAddress)
    complain([...path, 'on'], { message: 'mined exists only with of', hint: 'Say whose transactions are meant.' });
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
  const { written, path } = alert;
  const { kind, place } = compiling;
  const isChange = written.on === 'changed' || (written.while !== undefined && kind.events.includes('changed'));
  const use = { before: isChange || !alert.isWhole };
  const condition = (key: 'if' | 'while' | 'until'): CompiledCondition | null =>
    written[key] === undefined ? null : accept(compiling, [...path, key], language.condition(written[key], use));
  const template = (key: 'title' | 'text'): CompiledTemplate | null =>
    written[key] === undefined
      ? null
      : accept(compiling, [...path, key], language.template(written[key], { ...use, as: key }));
  const conditions = { if: condition('if'), while: condition('while'), until: condition('until') };
  complainOfPair(compiling, conditions, path);
  const [title, text] = [template('title'), template('text')];
  const base = {
    id: written.id,
    severity: written.severity ?? compiling.watch.severity ?? place.defaults.severity ?? 'warning',
    notify: alert.notify,
    title,
    text,
    source: `${place.source.file}:${place.source.lineOf([...place.path, ...path])}`,
  } as const;
  const readsBefore = [...Object.values(conditions), title, text].flatMap((one) =>
    one !== null && 'readsBefore' in one ? one.readsBefore : [],
  );
  if (!alert.isWhole) return undefined;
  if (written.on !== undefined)
    return { rule: { ...base, type: 'event', on: written.on, if: conditions.if }, readsBefore };
  if (conditions.while === null) return undefined;
  const holds = { forMs: written.for ?? 0, keepFiringForMs: written.keep_firing_for ?? 0 };
  return {
    rule: { ...base, ...holds, type: 'condition', while: conditions.while, until: conditions.until },
    readsBefore,
  };
}

/** An end that holds whenever the alert begins. */
function complainOfPair(
  { complain }: Compiling,
  pair: { readonly while: CompiledCondition | null; readonly until: CompiledCondition | null },
  path: Path,
): void {
  if (pair.while === null || pair.until === null) return;
  if (isPossible(pair.while.facts.whenTrue, pair.until.facts.whenFalse)) return;
  complain([...path, 'until'], {
    message: 'until holds whenever while does: the alert would end as soon as it begins',
    hint: 'until is what ends it, such as `until: balance > 200` of `while: balance < 100`.',
  });
}

function accept<T>({ complain, warn }: Compiling, path: Path, { value, mistakes, doubts }: Compiled<T>): T | null {
  const at = ({ message, hint, start, end }: Mistake) => ({ message, hint, within: { start, end } });
  for (const mistake of mistakes) complain(path, at(mistake));
  for (const doubt of doubts) warn(path, at(doubt));
  return value;
}
