// Values in other forms: stored as JSON, remembered from poll to poll, and carried by messages.
import { showDuration, showInstant } from '../../lib/clock.ts';
import { remembered as rememberedBy } from '../../lib/remembered.ts';
import { rawText, untrusted, type Untrusted } from '../../lib/untrusted.ts';
import type { Fact } from '../model/delivery.ts';
import { Address } from './address.ts';
import { Amount } from './amount.ts';
import {
  type AnyRecord,
  type AnyView,
  type FieldType,
  type FieldValue,
  isRow,
  isView,
  type Json,
  type RawRow,
  recordTypeOf,
  typeAt,
  valueAt,
  type ValueAt,
} from './fields.ts';
import { decode, isKnownWord, wholeList } from './record-type.ts';

// The form in which values are stored and recorded: plain JSON, amounts in whole units.

/** `decodeEncoded(type, encode(value))` returns an equal value. */
export function encode(value: FieldValue): Json {
  return encodedBy(encodeView, value);
}

function encodedBy(viewBy: (view: AnyView) => Json, value: FieldValue): Json {
  // Servers differ in the letter case of addresses. In lower case, equal addresses are equal texts.
  if (value instanceof Address) return value.key;
  if (typeof value === 'bigint' || value instanceof Amount) return value.toString();
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map((item) => encodedBy(viewBy, item));
  if (isView(value)) return viewBy(value);
  return value as Json;
}

/** All known fields of a view, encoded. */
export function encodeView(view: AnyView): Record<string, Json> {
  const known: Record<string, Json> = {};
  for (const name of Object.keys(recordTypeOf(view).fields)) {
    const value = valueAt(view, name);
    if (value !== undefined) known[name] = encode(value);
  }
  return known;
}

/**
 * Encodes a value without the fleeting fields of its records. These are not even decoded, since a list may have
 * thousands of records.
 */
export function encodeStanding(value: FieldValue): Json {
  return encodedBy((view) => {
    const known: Record<string, Json> = {};
    for (const name of standingNames(recordTypeOf(view))) {
      const one = valueAt(view, name);
      if (one !== undefined) known[name] = encodeStanding(one);
    }
    return known;
  }, value);
}

const standingNames = rememberedBy(({ fields }: AnyRecord): readonly string[] =>
  Object.entries(fields).flatMap(([name, { fleeting }]) => (fleeting === true ? [] : [name])),
);

/** Amounts were encoded in whole units, so decoding moves no decimal point. */
export function decodeEncoded(type: FieldType, encoded: Json): ValueAt {
  if (type.type === 'amount') return typeof encoded === 'string' ? Amount.parse(encoded) : undefined;
  if (type.type === 'list')
    return Array.isArray(encoded) ? wholeList(encoded.map((item) => decodeEncoded(type.of, item as Json))) : undefined;
  if (type.type === 'record') return isRow(encoded) ? remembered(type.record, encoded) : undefined;
  return decode(type, encoded, { coin: 0 });
}

function remembered(table: AnyRecord, encoded: RawRow): AnyView {
  const values: Record<string, ValueAt> = {};
  for (const [name, { type }] of Object.entries(table.fields))
    if (encoded[name] !== undefined) values[name] = decodeEncoded(type, encoded[name] as Json);
  return table.make(values);
}

// Values that are remembered from poll to poll, by path. `before` shows them and `changed` compares them.

/** Encoded values by path. Null: read, but never known. A missing path was never read. */
export type Remembered = Readonly<Record<string, Json>>;

export interface Tracking {
  /** The same object as before when nothing differs. */
  readonly after: Remembered;
  readonly changed: readonly string[];
}

/**
 * Compares a view with the remembered values. A value that became unknown keeps its last known one. The first reading
 * of a path is no change; an unknown value that becomes known is one.
 */
export function track(before: Remembered | null, view: AnyView, paths: readonly string[]): Tracking {
  let after: Record<string, Json> | null = before === null ? {} : null;
  const changed: string[] = [];
  for (const path of paths) {
    const known = before?.[path];
    const now = encodedAt(view, path);
    if (known !== undefined && (now === null || isSame(known, now))) continue;
    after ??= { ...before };
    after[path] = now;
    if (known !== undefined) changed.push(path);
  }
  return { after: after ?? before ?? {}, changed };
}

/** The value at the end of a path in the form of the memory: null if it is unknown. */
export function encodedAt(view: AnyView, path: string): Json {
  const value = valueAt(view, path);
  return value === undefined ? null : encode(value);
}

/** The remembered values, as a view of the same record. */
export function viewOf(table: AnyRecord, remembered: Remembered): AnyView {
  const tree: Tree = new Map();
  for (const [path, value] of Object.entries(remembered)) if (value !== null) plant(tree, path.split('.'), value);
  return decodeEncoded({ type: 'record', record: table }, toJson(tree)) as AnyView;
}

type Tree = Map<string, Json | Tree>;

function plant(tree: Tree, path: readonly string[], value: Json): void {
  const [name = '', ...rest] = path;
  if (rest.length === 0) {
    tree.set(name, value);
    return;
  }
  const branch = tree.get(name);
  const next: Tree = branch instanceof Map ? branch : new Map<string, Json | Tree>(entriesOf(branch));
  tree.set(name, next);
  plant(next, rest, value);
}

function entriesOf(branch: Json | undefined): [string, Json][] {
  return isRow(branch) ? Object.entries(branch as Readonly<Record<string, Json>>) : [];
}

function toJson(tree: Tree): Json {
  return Object.fromEntries([...tree].map(([name, value]) => [name, value instanceof Map ? toJson(value) : value]));
}

function isSame(a: Json, b: Json): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

// Values as messages carry them: plain and capped, with text from the chain still marked as untrusted.

/** Known values under their paths, nested as the paths are: `{ token: { reputation: 'scam' } }`. */
export function factsAt(view: AnyView, paths: readonly string[]): Record<string, Fact> {
  const facts: Record<string, Fact> = {};
  for (const path of paths) {
    const fact = factAt(view, path);
    if (fact !== undefined) plantFact(facts, path.split('.'), fact);
  }
  return facts;
}

function plantFact(facts: Record<string, Fact>, path: readonly string[], fact: Fact): void {
  const [name = '', ...rest] = path;
  if (rest.length === 0) {
    facts[name] ??= fact;
    return;
  }
  const branch = facts[name];
  const inner = typeof branch === 'object' && 'record' in branch ? { ...branch.record } : {};
  plantFact(inner, rest, fact);
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
