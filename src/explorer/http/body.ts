// The bytes of an answer: decoded within limits, parsed as JSON, and freed.
import { setImmediate } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { isRow } from '../../core/values/fields.ts';
import { RequestFault } from './fault.ts';
import { type BoundedJson, boundJson, HARMLESS_BYTES, OverLimit } from './json-bounds.ts';

// Decodes the content encoding of a body in one step. Decoding stops at the size limit.

/** The value of `accept-encoding`. */
export const ENCODINGS = 'gzip, br';

export type Encoding = 'identity' | 'gzip' | 'br';

/** Throws `RequestFault` for chains of encodings, and for encodings that were not requested. */
export function readEncoding(header: string | undefined, where: string): Encoding {
  switch (header?.trim().toLowerCase()) {
    case undefined:
    case '':
    case 'identity':
      return 'identity';
    case 'gzip':
    case 'x-gzip':
      return 'gzip';
    case 'br':
      return 'br';
    default:
      throw new RequestFault('encoding', `${where}: the answer has an encoding that was not requested`);
  }
}

/**
 * Decompresses the whole body at once. A stream would be slower, and is not needed: the number of received bytes is
 * limited. `maxOutputLength` stops a decompression bomb as soon as its output exceeds the limit.
 */
export function decompress(wire: Buffer, encoding: Encoding, maxBytes: number, where: string): Buffer {
  if (encoding === 'identity') {
    if (wire.length > maxBytes) throw tooLarge(maxBytes, where);
    return wire;
  }
  try {
    const options = { maxOutputLength: maxBytes };
    return encoding === 'gzip' ? gunzipSync(wire, options) : brotliDecompressSync(wire, options);
  } catch (error) {
    throw decompressionFault(error, maxBytes, where);
  }
}

function decompressionFault(error: unknown, maxBytes: number, where: string): RequestFault {
  const { code } = error as { readonly code?: unknown };
  if (code === 'ERR_BUFFER_TOO_LARGE') return tooLarge(maxBytes, where);
  // The error code of zlib for a body that ends too early.
  if (code === 'Z_BUF_ERROR') return new RequestFault('truncated', `${where}: the compressed answer ends too early`);
  return new RequestFault('encoding', `${where}: the answer cannot be decompressed`);
}

export function tooLarge(maxBytes: number, where: string): RequestFault {
  return new RequestFault('too-large', `${where}: the answer is larger than ${maxBytes} bytes`);
}

/** A missing type counts as JSON: some servers leave it out. */
export function isJsonType(contentType: string | undefined): boolean {
  return contentType === undefined || /^\s*(?:application\/(?:[\w.-]+\+)?json|text\/json)\s*(?:;|$)/i.test(contentType);
}

// Parses bytes as JSON within limits (json-bounds.ts), in one go or in short pieces. Integers beyond 2^53 stay exact.

/**
 * Parses JSON. Integers beyond 2^53 become exact text, which every field and the cursor read like amounts. Throws
 * `SyntaxError` for a text that is not JSON, `OverLimit` for one that is too large.
 *
 * parseJson(Buffer.from('[9007199254740993, 1]')) // ['9007199254740993', 1]
 */
export function parseJson(body: Buffer): unknown {
  const quick = body.length <= HARMLESS_BYTES ? parseHarmless(body.toString('utf8')) : undefined;
  return quick === undefined ? JSON.parse(boundJson(body).bytes.toString('utf8')) : quick;
}

// A number begins at the start of the text or behind one of these characters; a number in quotes is text and stays
// exact. With 16 digits, only those that begin with a 9 can be beyond 2^53. A match inside a text costs time only.
const INEXACT_NUMBER = /(?:^|[-:,[\s])(?:\d{17}|9\d{15})/;

// The value of a key, as servers write it: without blanks.
const LONG_VALUE = /":(-?[1-9]\d{15,})(?=[,}\]])/g;

/**
 * Like `parseJson`, at two thirds of the cost, for most texts: a pattern puts their few long integers in quotes.
 * Undefined if a long integer is left without quotes. If the pattern matched inside a text, the result is undefined
 * too: the added quote ends that text in front of a digit, which is no valid JSON.
 */
function parseHarmless(text: string): unknown {
  if (!INEXACT_NUMBER.test(text)) return JSON.parse(text);
  const quoted = text.replace(LONG_VALUE, (found, digits: string) =>
    Number.isSafeInteger(Number(digits)) ? found : `":"${digits}"`,
  );
  if (INEXACT_NUMBER.test(quoted)) return undefined;
  try {
    return JSON.parse(quoted);
  } catch {
    return undefined;
  }
}

/**
 * Like `parseJson`, for a text that `boundJson` has checked. It parses in steps, so that other work runs between them.
 */
export async function parseInSteps({ bytes, lists }: BoundedJson): Promise<unknown> {
  const rowsByList: unknown[][] = [];
  for (const list of lists) rowsByList.push(await rowsOf(bytes, list));
  const outermost: unknown = JSON.parse(withoutRows(bytes, lists));
  if (lists.length === 0 || !isRow(outermost)) return outermost;
  // Each list contains only its index in `rowsByList` in place of its rows.
  const entries = Object.entries(outermost).map(([name, value]) =>
    Array.isArray(value) ? [name, rowsByList[Number(value[0])]] : [name, value],
  );
  return Object.fromEntries(entries) as unknown;
}

async function rowsOf(bytes: Buffer, list: readonly number[]): Promise<unknown[]> {
  const pieces: unknown[][] = [];
  for (let i = 0; i < list.length; i += 2) {
    const piece = JSON.parse(inBrackets(bytes, list[i] ?? 0, list[i + 1] ?? 0)) as unknown[];
    if (piece.length === 0 && list.length > 2) throw new SyntaxError('a comma without an item');
    pieces.push(piece);
    await setImmediate();
  }
  return pieces.flat();
}

/** The brackets are written into the bytes for a moment. Adding them to the text would double its memory. */
function inBrackets(bytes: Buffer, from: number, to: number): string {
  const [before = 0, after = 0] = [bytes[from - 1], bytes[to]];
  bytes.write('[', from - 1);
  bytes.write(']', to);
  const text = bytes.toString('utf8', from - 1, to + 1);
  bytes[from - 1] = before;
  bytes[to] = after;
  return text;
}

/** `{"items":[0],"next_page_params":null}`: each list contains its number in place of its rows. */
function withoutRows(bytes: Buffer, lists: BoundedJson['lists']): string {
  let at = 0;
  const parts = lists.map((list, n) => {
    const part = bytes.toString('utf8', at, list[0]);
    at = list.at(-1) ?? at;
    return `${part}${n}`;
  });
  return `${parts.join('')}${bytes.toString('utf8', at)}`;
}

/** Converts an error of the functions in this file to the fault of an answer that cannot be parsed. */
export function jsonFault(error: unknown, where: string): RequestFault {
  if (error instanceof OverLimit) return new RequestFault('too-large', `${where}: the answer holds ${error.message}`);
  // The parser's message quotes the text that it could not read, which is untrusted.
  return new RequestFault('not-json', `${where}: 200, but the body is not JSON`);
}

// The bytes of a buffer are outside of the heap, and are freed only when the garbage collector runs. Still they count
// as growth of the heap and cause collections: with 10,000 unchanged watches, the collections for the 60 kB of each
// poll took a third of the CPU. So memory that is large or often used is returned as soon as it is no longer needed.

/** Empties pieces that have memory of their own. Others, such as a part of a larger buffer, stay as they are. */
export function freeOwnMemory(pieces: readonly Uint8Array[]): void {
  for (const { buffer, byteLength } of pieces)
    if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
