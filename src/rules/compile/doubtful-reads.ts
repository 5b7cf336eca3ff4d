// Warns about fields of a condition whose values differ from what its author probably expects.
import type { AnyRecord, Field } from '../../core/values/fields.ts';
import type { Path } from '../../config/yaml/written.ts';
import type { CompiledCondition, CompiledTemplate } from '../language/model.ts';
import type { WrittenAlert } from '../schema/shape.ts';
import type { Compiling } from './model.ts';

/**
 * Warns about fields of the specification that explorers in use leave out. A condition on such a field is always
 * unknown. `reads`: the paths that a condition or a text reads.
 */
export function warnOfSeldom({ kind, warn }: Compiling, path: Path, text: string, reads: readonly string[]): void {
  for (const read of reads) {
    const found = seldomIn(kind.fields, read.split('.'));
    if (found === null) continue;
    const start = Math.max(0, text.search(new RegExp(`\\b${found.name}\\b`)));
    const within = { start, end: start + found.name.length };
    const message = `explorers leave ${found.name} out of the answers that this kind reads: it is unknown there`;
    warn(path, { message, hint: found.instead, within });
  }
}

interface Seldom {
  readonly name: string;
  readonly instead: string;
}

function seldomIn(record: AnyRecord, [name = '', ...rest]: readonly string[]): Seldom | null {
  const field: Field<unknown> | undefined = record.fields[name];
  if (field === undefined) return null;
  if (field.seldom !== undefined) return { name, instead: field.seldom };
  return field.type.type === 'record' ? seldomIn(field.type.record, rest) : null;
}

/**
 * Reports fields that are known only with another key of the watch. Without this key, the condition is always unknown.
 */
export function complainOfNeeds(
  { kind, complain, hasOption }: Compiling,
  path: Path,
  text: string,
  reads: readonly string[],
): void {
  for (const [field, { key, hint }] of Object.entries(kind.advice?.needs ?? {})) {
    if (hasOption(key) || !reads.includes(field)) continue;
    const start = Math.max(0, text.search(new RegExp(`\\b${field}\\b`)));
    complain(path, {
      message: `${field} is known only where the watch has ${key}`,
      hint,
      within: { start, end: start + field.length },
    });
  }
}

/** Warns about conditions that read a field in a way that is rarely meant, as the kind says. */
export function warnOfReads(
  { kind, warn, watch, place }: Compiling,
  path: Path,
  { text, reads, readsBefore }: Pick<CompiledCondition, 'text' | 'reads' | 'readsBefore'>,
  written: Pick<WrittenAlert, 'severity' | 'on'>,
): void {
  const severity = written.severity ?? watch.severity ?? place.defaults.severity ?? 'warning';
  for (const doubt of kind.advice?.doubts ?? []) {
    const { field, unless, besideBefore = false, onChangeWithoutBefore: others, of = severity, message, hint } = doubt;
    const isRead = (besideBefore ? readsBefore : reads).some((read) => read === field || read.startsWith(`${field}.`));
    if (!isRead || of !== severity || unless.some((other) => reads.includes(other) && isNamedIn(text, other))) continue;
    if (others !== undefined && (written.on !== 'changed' || others.some((path) => readsBefore.includes(path))))
      continue;
    const start = Math.max(0, text.search(new RegExp(`\\b${field}\\b`)));
    warn(path, { message, hint, within: { start, end: start + field.length } });
  }
}

/** Warns about a sum of named tokens where the config names none: it is always 0, so that a lower limit fires for ever. */
export function warnOfNoTokens(
  { kind, warn, catalogue, hasOption }: Compiling,
  path: Path,
  { text, reads }: Pick<CompiledCondition, 'text' | 'reads'>,
  explorer: string,
): void {
  for (const [field, all] of Object.entries(kind.advice?.ofNamedTokens ?? {})) {
    const [key = ''] = all.split(':');
    if (hasOption(key) || !reads.includes(field) || catalogue.names.tokensOn(explorer).size > 0) continue;
    const start = Math.max(0, text.search(new RegExp(`\\b${field}\\b`)));
    const message = `${field} is always 0: the config names no token on ${explorer}`;
    const hint = `Name the tokens under tokens, or write ${all}.`;
    warn(path, { message, hint, within: { start, end: start + field.length } });
  }
}

interface ReadInPlace {
  /** True: present values are read; false: an item. */
  readonly isOfNow: boolean;
  readonly text: string;
  readonly compiled: Pick<CompiledTemplate, 'reads' | 'readsBefore' | 'windows'> | null;
}

/** Reports fields that only items have, or only the present values: elsewhere they are always unknown. */
export function complainOfPlace(
  { kind, complain }: Compiling,
  path: Path,
  { isOfNow, text, compiled }: ReadInPlace,
): void {
  const only = kind.while?.only;
  if (only === undefined || compiled === null) return;
  const reads = [...compiled.reads, ...compiled.windows.map((window) => window.path)];
  const wrong = reads.find(
    (read) => only.includes(read) !== isOfNow || (isOfNow && compiled.readsBefore.includes(read)),
  );
  if (wrong === undefined) return;
  const start = Math.max(0, text.search(new RegExp(`\\b${wrong}\\b`)));
  complain(path, {
    ...placeWords(wrong, { isOfNow, only, noun: kind.noun }),
    within: { start, end: start + wrong.length },
  });
}

function placeWords(
  field: string,
  { isOfNow, only, noun }: { readonly isOfNow: boolean; readonly only: readonly string[]; readonly noun: string },
): { readonly message: string; readonly hint: string } {
  if (!isOfNow) return { message: `${field} is no value of one ${noun}`, hint: 'Write while.' };
  if (only.includes(field))
    return { message: `the ${field} of the last poll is not kept`, hint: `Write delta(${field}, "1h").` };
  return {
    message: `${field} is a value of one ${noun}`,
    hint: `Possible: ${only.join(', ')}. Items are judged by on: changed.`,
  };
}

/** A condition also reads fields that it does not name, such as the event that an argument belongs to. */
function isNamedIn(text: string, field: string): boolean {
  return new RegExp(`\\b${field.replace(/\.hash$/, '')}\\b`).test(text);
}

/** Warns about a critical event that any contract can claim, as the kind says. */
export function warnOfClaims(
  { kind, warn, watch, place }: Compiling,
  path: Path,
  { on, if: condition, severity: written, at_least, none_for }: WrittenAlert,
  reads: readonly string[],
): void {
  const { claims } = kind.advice ?? {};
  const severity = written ?? watch.severity ?? place.defaults.severity;
  const isCounted = at_least !== undefined || none_for !== undefined;
  if (claims === undefined || on === undefined || isCounted || severity !== 'critical') return;
  if (claims.unlessOf === true && watch.of !== undefined) return;
  if (watch.token !== undefined || claims.unless.some((field) => reads.includes(field))) return;
  const { message, hint } = claims;
  warn(condition === undefined ? path : [...path, 'if'], { message, hint });
}
