// A record type: a table of fields, and the views that are read through it.
import { decodeField } from './decoding.ts';
import {
  fieldOf,
  isRow,
  isView,
  recordOf,
  sourceOf,
  type AnyRecord,
  type AnyView,
  type Field,
  type Fields,
  type Known,
  type Lacking,
  type RawRow,
  type RowSource,
  type Units,
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
