// Reads the values of a test, which are written as in rules. They are encoded as in a stored memory, with exact amounts
// in whole units.
import { quote } from '../../config/values/scalars.ts';
import { parseDuration } from '../../lib/durations.ts';
import { hintFor } from '../../config/values/nearest.ts';
import { type Path, type ProblemAt, type WrittenValue, type WrittenMap, isMap } from '../../config/yaml/written.ts';
import { Address } from '../../core/values/address.ts';
import { Amount } from '../../core/values/amount.ts';
import { decodeEncoded } from '../../core/values/encoded.ts';
import type { AnyRecord, AnyView, FieldType, Json } from '../../core/values/fields.ts';
import { type Instant, showInstant } from '../../lib/clock.ts';
import { identityOf } from '../../rules/language/cel/environment.ts';
import type { AddressOf } from '../model.ts';

export interface ValueReader {
  /** The time from which relative times are counted. */
  readonly at: Instant;
  readonly addressOf: AddressOf;
  /** Names that hints may suggest. */
  readonly names: readonly string[];
  complain(path: Path, at: ProblemAt): void;
}

/** The fields of one record as a view. `moreNames` are other legal keys, for hints. */
export function viewOfWritten(
  record: AnyRecord,
  written: WrittenMap,
  at: { readonly path: Path; readonly reader: ValueReader; readonly moreNames?: readonly string[] },
): AnyView {
  const encoded = encodeFields(record, written, at.path, at.reader, at.moreNames);
  return decodeEncoded({ type: 'record', record }, encoded) as AnyView;
}

function encodeFields(
  record: AnyRecord,
  written: WrittenMap,
  path: Path,
  reader: ValueReader,
  moreNames: readonly string[] = [],
): Json {
  const encoded: Record<string, Json> = {};
  for (const [name, value] of Object.entries(written)) {
    const field = Object.hasOwn(record.fields, name) ? record.fields[name] : undefined;
    if (field !== undefined) encoded[name] = encode(field.type, value, [...path, name], reader);
    else {
      const hint = hintFor(name, [...Object.keys(record.fields), ...moreNames]);
      reader.complain(path, { key: name, message: `${record.name} has no field ${quote(name)}`, hint });
    }
  }
  return encoded;
}

/** The encoded value; null: it is unknown, or a problem was reported. */
function encode(type: FieldType, written: WrittenValue, path: Path, reader: ValueReader): Json {
  if (written === 'null' || (written === '' && type.type !== 'text')) return null;
  if (type.type === 'json') return jsonOf(written);
  if (type.type === 'record') return encodeRecord(type.record, written, path, reader);
  if (type.type === 'list') return encodeList(type.of, written, path, reader);
  if (typeof written !== 'string') {
    reader.complain(path, { message: 'must be a single text' });
    return null;
  }
  if (type.type === 'word' && type.isClosed === true && !type.values.includes(written)) {
    reader.complain(path, { message: `${quote(written)} is no value of it`, hint: hintFor(written, type.values) });
    return null;
  }
  const value = SCALARS[type.type](written, reader);
  if (value !== undefined) return value;
  const hint = type.type === 'address' ? hintFor(written, reader.names) : undefined;
  reader.complain(path, { message: `${quote(written)} is not ${EXPECTED[type.type]}`, hint });
  return null;
}

/** `to: vault` means the address in the record, as `to == vault` does in a condition. */
function encodeRecord(record: AnyRecord, written: WrittenValue, path: Path, reader: ValueReader): Json {
  if (isMap(written)) return encodeFields(record, written, path, reader);
  const identity = identityOf(record);
  if (identity !== undefined && typeof written === 'string')
    return { [identity]: encode({ type: 'address' }, written, path, reader) };
  reader.complain(path, { message: 'must be a map of keys and values' });
  return null;
}

function encodeList(of: FieldType, written: WrittenValue, path: Path, reader: ValueReader): Json {
  if (Array.isArray(written)) return written.map((item, i) => encode(of, item, [...path, i], reader));
  reader.complain(path, { message: 'must be a list' });
  return null;
}

type ScalarType = Exclude<FieldType['type'], 'json' | 'record' | 'list'>;

/**
 * Each function encodes a text in the form that `decodeEncoded` reads; undefined if the text is no value of the type.
 */
const SCALARS: Readonly<Record<ScalarType, (written: string, reader: ValueReader) => Json | undefined>> = {
  bool: (written) => (written === 'true' ? true : written === 'false' ? false : undefined),
  int: (written) => (/^[+-]?\d+$/.test(bare(written)) ? bare(written) : undefined),
  double: (written) => Amount.parse(bare(written))?.toString(),
  amount: (written) => Amount.parse(bare(written))?.toString(),
  duration: (written) => parseDuration(written),
  text: (written) => written,
  word: (written) => (decodeEncoded({ type: 'word', values: [] }, written) === undefined ? undefined : written),
  hash: (written) => (decodeEncoded({ type: 'hash' }, written) === undefined ? undefined : written),
  address: (written, { addressOf }) => (Address.parse(written) ?? addressOf(written))?.text,
  time: (written, { at }) => timeOf(written, at),
};

const EXPECTED: Readonly<Record<ScalarType, string>> = {
  bool: 'true or false',
  int: 'a whole number',
  double: 'a number',
  amount: 'a number',
  duration: 'a duration, such as 90s',
  text: 'a text',
  word: 'a short word',
  hash: 'a hash: 0x and hexadecimal digits',
  address: 'an address, nor the name of one',
  time: 'a time, such as 2026-01-01T00:00:00Z, or -30s for thirty seconds before this poll',
};

function bare(written: string): string {
  return /\d_(?!\d)|(?<!\d)_/.test(written) ? written : written.replaceAll('_', '');
}

function timeOf(written: string, at: Instant): string | undefined {
  const [, sign, length = ''] = /^([+-]?)(\w+)$/.exec(written) ?? [];
  const ms = parseDuration(length);
  if (ms !== undefined) return showInstant(sign === '-' ? at - ms : at + ms);
  return decodeEncoded({ type: 'time' }, written) === undefined ? undefined : written;
}

/** Free-form JSON: a text that parses as a number or a boolean is one. */
function jsonOf(written: WrittenValue): Json {
  if (Array.isArray(written)) return written.map(jsonOf);
  if (isMap(written)) return Object.fromEntries(Object.entries(written).map(([name, value]) => [name, jsonOf(value)]));
  if (written === 'null') return null;
  if (written === 'true' || written === 'false') return written === 'true';
  return /^-?\d{1,15}(?:\.\d{1,6})?$/.test(written) ? Number(written) : written;
}
