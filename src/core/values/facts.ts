// Values as messages carry them: plain and capped, with text from the chain still marked as untrusted.
import { rawText, untrusted, type Untrusted } from '../../lib/untrusted.ts';
import { showDuration, showInstant } from '../../lib/clock.ts';
import { Address } from './address.ts';
import { Amount } from './amount.ts';
import { isKnownWord } from './decoding.ts';
import { isView, recordTypeOf, typeAt, valueAt, type AnyView, type FieldType, type ValueAt } from './fields.ts';
import type { Fact } from '../model/delivery.ts';

/** Known values under their paths, nested as the paths are: `{ token: { reputation: 'scam' } }`. */
export function factsAt(view: AnyView, paths: readonly string[]): Record<string, Fact> {
  const facts: Record<string, Fact> = {};
  for (const path of paths) {
    const fact = factAt(view, path);
    if (fact !== undefined) plant(facts, path.split('.'), fact);
  }
  return facts;
}

function plant(facts: Record<string, Fact>, path: readonly string[], fact: Fact): void {
  const [name = '', ...rest] = path;
  if (rest.length === 0) {
    facts[name] ??= fact;
    return;
  }
  const branch = facts[name];
  const inner = typeof branch === 'object' && 'record' in branch ? { ...branch.record } : {};
  plant(inner, rest, fact);
  facts[name] = { record: inner };
}

/** Undefined when the record has no such path, or its value is unknown. */
export function factAt(view: AnyView, path: string): Fact | undefined {
  const type = typeAt(recordTypeOf(view), path);
  return type === undefined ? undefined : factOf(type, valueAt(view, path));
}

// Text from the chain may be megabytes long. A message keeps as much as a person would read.
const MOST_TEXT = 1000;
const MOST_ITEMS = 20;

function factOf(type: FieldType, value: ValueAt): Fact | undefined {
  if (value === undefined) return undefined;
  if (type.type === 'text') return { untrusted: untrusted(rawText(value as Untrusted).slice(0, MOST_TEXT)) };
  if (type.type === 'word' && typeof value === 'string' && !isKnownWord(type, value))
    return { untrusted: untrusted(value) };
  if (type.type === 'json') return { untrusted: untrusted(JSON.stringify(value).slice(0, MOST_TEXT)) };
  if (type.type === 'duration') return { text: showDuration(Number(value)) };
  if (value instanceof Amount || value instanceof Address) return { text: value.toString() };
  if (value instanceof Date) return { text: showInstant(value.getTime()) };
  if (typeof value === 'bigint') return isSafe(value) ? Number(value) : { text: value.toString() };
  if (type.type === 'list' && Array.isArray(value)) return listOf(type.of, value);
  if (isView(value)) return { record: scalarsOf(value) };
  return typeof value === 'string' ? { text: value } : (value as boolean | number);
}

function listOf(type: FieldType, values: readonly ValueAt[]): Fact {
  const facts = values.slice(0, MOST_ITEMS).map((value) => factOf(type, value));
  return { list: facts.filter((fact) => fact !== undefined) };
}

/** The plain fields of a record that is named as a whole: nested records would fill the message. */
function scalarsOf(view: AnyView): Record<string, Fact> {
  const facts: Record<string, Fact> = {};
  for (const [name, { type }] of Object.entries(recordTypeOf(view).fields)) {
    if (type.type === 'record' || type.type === 'list' || type.type === 'json') continue;
    const fact = factOf(type, valueAt(view, name));
    if (fact !== undefined) facts[name] = fact;
  }
  return facts;
}

function isSafe(value: bigint): boolean {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER);
}
