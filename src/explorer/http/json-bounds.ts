// Limits of a JSON text, checked on its bytes before anything is parsed. The cost of parsing depends on the number of
// values and their structure, not on the size: 8 MiB of brackets took 400 MiB, and 160,000 objects that share no key
// took a second.
//
// `JSON.parse` makes all other checks, so a text that it refuses is still refused. The exception is text within a value
// that becomes null.
//
// The explorer is responsible for the size of the whole answer, the number of its rows, and the text outside of them;
// over these limits the answer is refused. Other people write the lists and objects in a row. Such a value becomes
// null, which means unknown. If the answer was refused instead, anyone could hide a list of tokens by sending an odd
// token to its owner.
import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  DOUBLE_QUOTE,
  MINUS,
  OPEN_LIST,
  OPEN_OBJECT,
  SAFE_DIGITS,
  endOfBracket,
  endOfDigits,
  endOfText,
  isBlank,
  isDigit,
  isInexact,
} from './json-bytes.ts';
import { Rewriter } from './json-rewriter.ts';

/** The depth of nested lists and objects. */
const MOST_DEPTH = 32;
/** Limit of the rows in an answer. Real pages have 50 to 100. */
export const MOST_ROWS = 10_000;
/** Limit of the whole text: commas, colons and opening brackets. There is at most one value more than these. */
const MOST_SEPARATORS = 500_000;
/** Limit of the whole text. An object that shares no key with another takes about 400 bytes of memory. */
const MOST_OBJECTS = 100_000;
/**
 * Limit of the separators in one row, and of those outside of all rows, since each of these texts is parsed in one go.
 */
const MOST_AT_ONCE = 65_536;
interface NestedLimits {
  readonly separators: number;
  readonly objects: number;
}
/**
 * Limit of a list or object in a row. It applies only if the text is over another limit. A hundred rows with two such
 * values each stay within the limits of the text.
 */
const MOST_NESTED: NestedLimits = { separators: 2_000, objects: 400 };
const NO_LIMITS: NestedLimits = { separators: Infinity, objects: Infinity };

/** Each separator takes at least two bytes, so a text of this size can exceed only the limits of depth and rows. */
export const HARMLESS_BYTES = 2 * MOST_AT_ONCE;

/** Rows are passed on in pieces of about this size. */
const PIECE_BYTES = 131_072;
const PIECE_SEPARATORS = 16_384;

/** The JSON is valid, but too large. The message completes "the answer holds ...". */
export class OverLimit extends Error {}

export interface BoundedJson {
  /**
   * The text with quotes around integers beyond 2^53, and null in place of values over their limit; otherwise
   * unchanged.
   */
  readonly bytes: Buffer;
  /**
   * For each list that is a value of the outermost object: offsets of pieces that contain whole rows, in pairs. The
   * first is behind the opening bracket, the last before the closing one.
   */
  readonly lists: readonly (readonly number[])[];
  readonly separators: number;
}

/** Throws `OverLimit`, and `SyntaxError` if brackets do not match. */
export function boundJson(body: Buffer): BoundedJson {
  try {
    return scan(body, NO_LIMITS);
  } catch (error) {
    if (!(error instanceof OverLimit)) throw error;
    return scan(body, MOST_NESTED);
  }
}

function scan(body: Buffer, mostNested: NestedLimits): BoundedJson {
  const structure = new Structure(body, mostNested);
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === DOUBLE_QUOTE) at = endOfText(body, at);
    else if (byte === COMMA) structure.comma(at);
    else if (byte === COLON) structure.colon();
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) at = structure.open(at, byte);
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) structure.close(at, byte);
    else if (isDigit(byte)) {
      const end = endOfDigits(body, at);
      if (end - at >= SAFE_DIGITS) structure.number(at, end);
      at = end - 1;
    }
  }
  return structure.end();
}

/** The depth of a list of rows, in the outermost object, and the depth of a list or object in a row. */
const LIST_DEPTH = 2;
const NESTED_DEPTH = 4;

/** The open brackets at an offset, with the counts and changes before it. */
class Structure {
  readonly #body: Buffer;
  readonly #mostNested: NestedLimits;
  readonly #rewriter: Rewriter;
  readonly #lists: number[][] = [];
  #separators = 0;
  #objects = 0;
  #depth = 0;
  // For the open bracket at each depth: its kind, its offset, the shift of the copy there, and the separators and
  // objects before it.
  readonly #kinds = new Uint8Array(MOST_DEPTH + 1);
  readonly #starts = new Int32Array(MOST_DEPTH + 1);
  readonly #shifts = new Int32Array(MOST_DEPTH + 1);
  readonly #counts = new Int32Array(MOST_DEPTH + 1);
  readonly #objectCounts = new Int32Array(MOST_DEPTH + 1);
  /** The open list of rows, if any. */
  #list: number[] | null = null;
  #rows = 0;
  // The separators before this row, before this piece, and in all lists that were closed.
  #beforeRow = 0;
  #beforePiece = 0;
  #inLists = 0;

  constructor(body: Buffer, mostNested: NestedLimits) {
    this.#body = body;
    this.#mostNested = mostNested;
    this.#rewriter = new Rewriter(body);
  }

  colon(): void {
    this.#separators += 1;
  }

  comma(at: number): void {
    this.#separators += 1;
    if (this.#depth === LIST_DEPTH && this.#list !== null) this.#endRow(at, this.#list);
  }

  /** Returns the offset of the last byte that was processed. */
  open(at: number, bracket: number): number {
    if (this.#depth === MOST_DEPTH) return this.#skip(at);
    this.#depth += 1;
    this.#kinds[this.#depth] = bracket;
    this.#starts[this.#depth] = at;
    this.#shifts[this.#depth] = this.#rewriter.shift;
    this.#counts[this.#depth] = this.#separators;
    this.#objectCounts[this.#depth] = this.#objects;
    this.#separators += 1;
    if (bracket === OPEN_OBJECT) this.#objects += 1;
    if (this.#depth === LIST_DEPTH) this.#openList(at);
    return at;
  }

  close(at: number, bracket: number): void {
    // In ASCII, a closing bracket comes two after its opening one.
    if (this.#depth === 0 || this.#kinds[this.#depth] !== bracket - 2) throw new SyntaxError('brackets do not match');
    if (this.#depth === LIST_DEPTH && this.#list !== null) this.#closeList(at, this.#list);
    if (this.#isNested() && this.#isTooLarge()) this.#forget(at);
    this.#depth -= 1;
  }

  /** A number with many digits, in [start, end). */
  number(start: number, end: number): void {
    const from = this.#body[start - 1] === MINUS ? start - 1 : start;
    if (isInexact(this.#body, start, end) && this.#isValueAt(from)) this.#rewriter.quote(from, end);
  }

  end(): BoundedJson {
    if (this.#depth > 0) throw new SyntaxError('brackets are not closed');
    if (this.#rows > MOST_ROWS) throw new OverLimit(`a list of more than ${MOST_ROWS} items`);
    if (this.#separators > MOST_SEPARATORS) throw new OverLimit(`more than ${MOST_SEPARATORS} values`);
    if (this.#objects > MOST_OBJECTS) throw new OverLimit(`more than ${MOST_OBJECTS} objects`);
    if (this.#separators - this.#inLists > MOST_AT_ONCE)
      throw new OverLimit(`more than ${MOST_AT_ONCE} values outside of its items`);
    return { bytes: this.#rewriter.end(), lists: this.#lists, separators: this.#separators };
  }

  #separatorsHere(): number {
    return this.#separators - (this.#counts[this.#depth] ?? 0);
  }

  #isTooLarge(): boolean {
    const objects = this.#objects - (this.#objectCounts[this.#depth] ?? 0);
    return this.#separatorsHere() > this.#mostNested.separators || objects > this.#mostNested.objects;
  }

  #isNested(): boolean {
    return this.#list !== null && this.#depth >= NESTED_DEPTH;
  }

  #openList(at: number): void {
    if (this.#kinds[1] !== OPEN_OBJECT || this.#kinds[LIST_DEPTH] !== OPEN_LIST) return;
    this.#list = [at + 1 + this.#rewriter.shift];
    this.#lists.push(this.#list);
    this.#beforeRow = this.#beforePiece = this.#separators;
  }

  #closeList(at: number, list: number[]): void {
    this.#endRow(at, list);
    list.push(at + this.#rewriter.shift);
    this.#list = null;
    this.#inLists += this.#separatorsHere();
  }

  /** `at`: the comma behind the row, or the end of the list. */
  #endRow(at: number, list: number[]): void {
    this.#rows += 1;
    if (this.#separators - this.#beforeRow > MOST_AT_ONCE)
      throw new OverLimit(`an item of more than ${MOST_AT_ONCE} values`);
    this.#beforeRow = this.#separators;
    const end = at + this.#rewriter.shift;
    const isFull = end - (list.at(-1) ?? 0) > PIECE_BYTES || this.#separators - this.#beforePiece > PIECE_SEPARATORS;
    if (!isFull || this.#body[at] !== COMMA) return;
    list.push(end, end + 1);
    this.#beforePiece = this.#separators;
  }

  #forget(at: number): void {
    this.#rewriter.nullify(this.#starts[this.#depth] ?? 0, at + 1, this.#shifts[this.#depth] ?? 0);
    this.#separators = this.#counts[this.#depth] ?? 0;
    this.#objects = this.#objectCounts[this.#depth] ?? 0;
  }

  #skip(at: number): number {
    if (!this.#isNested()) throw new OverLimit(`more than ${MOST_DEPTH} lists and objects in each other`);
    const end = endOfBracket(this.#body, at);
    this.#rewriter.nullify(at, end + 1, this.#rewriter.shift);
    return end;
  }

  /**
   * True if a text may replace the number at `from`. A number in the place of a key stays, since in quotes it would be
   * a valid key.
   */
  #isValueAt(from: number): boolean {
    let before = from - 1;
    while (isBlank(this.#body[before])) before -= 1;
    const byte = this.#body[before];
    const isInList = this.#kinds[this.#depth] === OPEN_LIST;
    return byte === undefined || byte === COLON || (isInList && (byte === COMMA || byte === OPEN_LIST));
  }
}
