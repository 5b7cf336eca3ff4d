// A record type: a table of fields, and the views that are read through it.
import { untrusted, type Untrusted } from '../../lib/untrusted.ts';
import { Address } from './address.ts';
import { Amount } from './amount.ts';
import {
  type AnyRecord,
  type AnyView,
  type Field,
  fieldOf,
  type Fields,
  type FieldType,
  type FieldValue,
  isRow,
  isView,
  type Json,
  type Known,
  type Lacking,
  type RawRow,
  recordOf,
  type RowSource,
  sourceOf,
  type Units,
  type ValueAt,
  type View,
} from './fields.ts';

interface RecordOptions {
  /** Decimals of amounts with the unit `own`; null = unknown; undefined = the decimals of the surrounding record. */
  readonly decimals?: (row: RawRow) => number | null | undefined;
  /** Keys that some explorers send and nothing reads. They are listed so that a new key is noticed. */
  readonly ignored?: readonly string[];
  readonly lacking?: Lacking;
  /** Converts rows that are written in another form to the keys of the fields. */
  readonly rowOf?: (row: RawRow) => RawRow;
}

/**
 * A record's table of fields. `read` makes a view of a raw row and decodes lazily; `make` makes one of decoded values.
 */
export class RecordType<F extends Fields> {
  /** The name of the type in error messages and in the catalogue, such as `Token`. */
  readonly name: string;
  readonly fields: F;
  readonly lacking: Lacking | null;
  readonly #options: RecordOptions;
  readonly #known: ReadonlySet<string>;
  readonly #View: ViewClass;

  constructor(name: string, fields: F, options: RecordOptions = {}) {
    const { ignored = [], lacking } = options;
    this.name = name;
    this.fields = fields;
    this.lacking = lacking ?? null;
    this.#options = options;
    this.#known = new Set([...Object.entries(fields).flatMap(([key, { was }]) => [key, ...was]), ...ignored]);
    this.#View = viewClassOf(this);
  }

  /** A table of the same rows with more fields, and other ones in place of equal names. */
  with(fields: Fields, lacking: Lacking | null = this.lacking): AnyRecord {
    return new RecordType(
      this.name,
      { ...this.fields, ...fields },
      {
        ...this.#options,
        ...(lacking === null ? {} : { lacking }),
      },
    );
  }

  /** A view over a raw row; fields are decoded on first use. Undefined if it is not an object. */
  read(raw: unknown, units: Units): View<F> | undefined {
    if (!isRow(raw)) return undefined;
    const row = this.#options.rowOf?.(raw) ?? raw;
    const own = this.#options.decimals?.(row);
    return new this.#View(row, own === undefined ? units : { ...units, own }) as View<F>;
  }

  /** A view of given values: `Balance.make({ balance: Amount.parse('1') })`. */
  make(values: { readonly [K in keyof F]?: Known<F[K]> | undefined }): View<F> {
    return new this.#View(values, null) as View<F>;
  }

  /** A view that adds values to another record's: `BlockView.over(block, { age: 2000 })`. */
  over(base: AnyView, values: { readonly [K in keyof F]?: Known<F[K]> | undefined }): View<F> {
    return new this.#View(values, base) as View<F>;
  }

  /** The keys of a raw row that the table neither reads nor ignores, for counting. */
  unknownKeys(raw: unknown): string[] {
    return isRow(raw) ? Object.keys(raw).filter((key) => !this.#known.has(key)) : [];
  }
}

type ViewClass = new (source: RawRow, beneath: Units | AnyView | null) => AnyView;

// Cached for an unknown value: undefined means that the field was not decoded yet.
const UNKNOWN = Symbol('unknown');

/**
 * One class per record: each poll makes hundreds of rows, and most of their fields are never read. Private fields keep
 * the raw row out of `JSON.stringify` and logs.
 */
function viewClassOf(record: AnyRecord): ViewClass {
  class RecordView {
    /** A raw row, or values at hand. */
    readonly #source: RawRow;
    /** Units to decode a raw row with; for decoded values the view below them, or null. */
    readonly #beneath: Units | AnyView | null;
    #decoded: unknown[] | null = null;

    constructor(source: RawRow, beneath: Units | AnyView | null) {
      this.#source = source;
      this.#beneath = beneath;
    }

    get [recordOf](): AnyRecord {
      return record;
    }

    get [sourceOf](): RowSource | null {
      const beneath = this.#beneath;
      if (beneath === null) return null;
      return isView(beneath) ? beneath[sourceOf] : { record, row: this.#source, units: beneath };
    }

    static {
      for (const [at, [name, field]] of Object.entries(record.fields).entries())
        Object.defineProperty(this.prototype, name, {
          enumerable: true,
          get(this: RecordView) {
            return this.#valueOf(at, name, field);
          },
        });
    }

    #valueOf(at: number, name: string, field: Field<unknown>): unknown {
      const beneath = this.#beneath;
      if (beneath !== null && !isView(beneath)) return this.#decode(at, name, field, beneath);
      if (Object.hasOwn(this.#source, name)) return this.#source[name];
      return beneath === null ? undefined : fieldOf(beneath, name);
    }

    #decode(at: number, name: string, field: Field<unknown>, units: Units): unknown {
      const decoded = (this.#decoded ??= []);
      const known = decoded[at] ?? (decoded[at] = decodeField(field, name, this.#source, units) ?? UNKNOWN);
      return known === UNKNOWN ? undefined : known;
    }
  }
  return RecordView;
}

// Decodes raw JSON into the values that fields declare. A value of an impossible shape is undefined: unknown.

/** One field of a raw row, by its name or by those of older releases. */
export function decodeField(field: Field<unknown>, name: string, row: RawRow, units: Units): unknown {
  if (field.fromRow !== undefined) return decode(field.type, field.fromRow(row, units), units);
  const raw = firstKnown(row, name, field.was);
  return decode(field.type, field.from === undefined ? raw : field.from(raw), units);
}

function firstKnown(row: RawRow, name: string, was: readonly string[]): unknown {
  if (row[name] !== undefined || was.length === 0) return row[name];
  return row[was.find((old) => row[old] !== undefined) ?? name];
}

/** One raw value, decoded by its type; undefined if it does not fit. */
export function decode(type: FieldType, raw: unknown, units: Units): ValueAt {
  if (raw === null || raw === undefined) return undefined;
  switch (type.type) {
    case 'bool':
      return typeof raw === 'boolean' ? raw : undefined;
    case 'int':
      return atLeast(type.least, decodeInt(raw));
    case 'double':
    case 'duration':
      return decodeDouble(raw);
    case 'text':
      return decodeText(raw);
    case 'word':
      return typeof raw === 'string' && WORD.test(raw) ? raw : undefined;
    case 'hash':
      return decodeHash(type, raw);
    case 'address':
      return typeof raw === 'string' ? Address.parse(raw) : undefined;
    case 'time':
      return decodeTime(raw);
    case 'amount':
      return decodeAmount(type, raw, units);
    case 'json':
      return isShallow(raw) ? (raw as Json) : undefined;
    case 'list':
      return decodeList(type.of, raw, units);
    case 'record':
      return type.record.read(raw, units);
  }
}

/** True if a text can be the value of a `word` field. */
export function isWord(text: string): boolean {
  return WORD.test(text);
}

/** Whether the value is one of the field's known words. Any other word is text of the explorer. */
export function isKnownWord({ values }: Extract<FieldType, { type: 'word' }>, value: ValueAt): boolean {
  return typeof value === 'string' && values.includes(value);
}

// No dot and no slash, so that no word looks like a link. The longest is a topic, as the name of an event.
const WORD = /^[A-Za-z0-9][A-Za-z0-9 _-]{0,65}$/;
const HEX = /^0x[0-9a-fA-F]{1,128}$/;
const INTEGER = /^[+-]?\d{1,1000}$/;
const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

function decodeHash({ mayBeEmpty }: Extract<FieldType, { type: 'hash' }>, raw: unknown): string | undefined {
  if (typeof raw !== 'string') return undefined;
  return HEX.test(raw) || (mayBeEmpty === true && raw === '0x') ? raw.toLowerCase() : undefined;
}

/** Ids of tokens and chains also come as numbers. A number that is not a safe integer may have lost digits. */
function decodeText(raw: unknown): Untrusted | undefined {
  if (typeof raw === 'number') return Number.isSafeInteger(raw) ? untrusted(String(raw)) : undefined;
  return typeof raw === 'string' ? untrusted(raw) : undefined;
}

/** A JSON number beyond 2^53 has already lost digits, so such a value is taken only from text. */
function decodeInt(raw: unknown): bigint | undefined {
  if (typeof raw === 'number') return Number.isSafeInteger(raw) ? BigInt(raw) : undefined;
  return typeof raw === 'string' && INTEGER.test(raw) ? BigInt(raw) : undefined;
}

function decodeDouble(raw: unknown): number | undefined {
  if (typeof raw === 'string' && Amount.parse(raw) === undefined) return undefined;
  const value = typeof raw === 'string' || typeof raw === 'number' ? Number(raw) : NaN;
  return Number.isFinite(value) ? value : undefined;
}

function decodeTime(raw: unknown): Date | undefined {
  if (typeof raw !== 'string' || !RFC3339.test(raw)) return undefined;
  const at = new Date(raw);
  return Number.isNaN(at.getTime()) ? undefined : at;
}

/** A value below the minimum is an error of the explorer, so it is unknown. */
function atLeast(least: 0 | undefined, value: bigint | undefined): bigint | undefined {
  return least === 0 && value !== undefined && value < 0n ? undefined : value;
}

function decodeAmount(
  { unit, least }: Extract<FieldType, { type: 'amount' }>,
  raw: unknown,
  units: Units,
): Amount | undefined {
  if (unit === 'plain' || unit === 'usd') return decodeDecimal(raw);
  const digits = atLeast(least, decodeInt(raw));
  const decimals = unit === 'coin' ? units.coin : unit === 'gwei' ? GWEI_DECIMALS : units.own;
  return digits === undefined || decimals === null || decimals === undefined
    ? undefined
    : Amount.ofRaw(digits, decimals);
}

const GWEI_DECIMALS = 9;

function decodeDecimal(raw: unknown): Amount | undefined {
  if (typeof raw === 'number') return Number.isFinite(raw) ? Amount.parse(String(raw)) : undefined;
  return typeof raw === 'string' ? Amount.parse(raw) : undefined;
}

const DEEPEST_JSON = 20;

/** Limits the depth: encoding is recursive and would overflow the stack. */
export function isShallow(raw: unknown, deepest = DEEPEST_JSON): boolean {
  if (typeof raw !== 'object' || raw === null) return true;
  return deepest > 0 && Object.values(raw).every((inner) => isShallow(inner, deepest - 1));
}

function decodeList(of: FieldType, raw: unknown, units: Units): FieldValue[] | undefined {
  return Array.isArray(raw) ? wholeList(raw.map((item) => decode(of, item, units))) : undefined;
}

/** If one item cannot be read, the whole list is unknown: `all` over the rest would be wrong. */
export function wholeList(items: readonly ValueAt[]): FieldValue[] | undefined {
  const known = items.filter((item) => item !== undefined);
  return known.length === items.length ? known : undefined;
}
