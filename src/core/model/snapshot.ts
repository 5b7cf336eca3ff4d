// The last observed values, in the form in which they are stored for `explain` and `plan`. Their size is bounded, since
// texts from the chain have any length. A value that is left out reads back as unknown.
import { decodeEncoded, encode } from '../values/encoded.ts';
import {
  isView,
  recordTypeOf,
  valueAt,
  type AnyRecord,
  type AnyView,
  type FieldType,
  type Json,
  type FieldValue,
} from '../values/fields.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Snapshot } from './decision.ts';

/** Result of `encodeSnapshot`: plain JSON. */
export interface StoredSnapshot {
  readonly at: Instant;
  readonly view: Json;
  readonly before: Json;
  readonly isStale: boolean;
}

const MOST_TEXT = 1000;
const MOST_JSON = 4096;
const MOST_ITEMS = 50;
const MOST_VIEW = 65_536;

export function encodeSnapshot({ at, view, before, isStale }: Snapshot): StoredSnapshot {
  return { at, view: encodeBounded(view), before: before === null ? null : encodeBounded(before), isStale };
}

/** `table`: the fields of the watch's kind. Null when the snapshot has another shape. */
export function decodeSnapshot(table: AnyRecord, { at, view, before, isStale }: StoredSnapshot): Snapshot | null {
  const type = { type: 'record', record: table } as const;
  const seen = decodeEncoded(type, view);
  if (!isView(seen)) return null;
  const last = before === null ? undefined : decodeEncoded(type, before);
  return { at, view: seen, before: isView(last) ? last : null, isStale };
}

function encodeBounded(view: AnyView): Json {
  const known = encodeRecord(view, true);
  return JSON.stringify(known).length <= MOST_VIEW ? known : encodeRecord(view, false);
}

function encodeRecord(view: AnyView, withLists: boolean): Record<string, Json> {
  const known: Record<string, Json> = {};
  for (const [name, { type }] of Object.entries(recordTypeOf(view).fields)) {
    const value = valueAt(view, name);
    const encoded = value === undefined ? undefined : encodeValue(type, value, withLists);
    if (encoded !== undefined) known[name] = encoded;
  }
  return known;
}

/** A list or JSON value that is too long is left out as a whole: a part of it would make `all` and `exists` wrong. */
function encodeValue(type: FieldType, value: FieldValue, withLists: boolean): Json | undefined {
  if (isView(value)) return encodeRecord(value, withLists);
  if (Array.isArray(value)) return encodeList(type, value, withLists);
  const encoded = encode(value);
  if (type.type === 'json') return JSON.stringify(encoded).length > MOST_JSON ? undefined : encoded;
  return typeof encoded === 'string' ? encoded.slice(0, MOST_TEXT) : encoded;
}

function encodeList(type: FieldType, values: readonly FieldValue[], withLists: boolean): Json | undefined {
  if (!withLists || type.type !== 'list' || values.length > MOST_ITEMS) return undefined;
  return values.flatMap((value) => encodeValue(type.of, value, withLists) ?? []);
}
