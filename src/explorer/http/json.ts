// Parses bytes as JSON within limits (json-bounds.ts), in one go or in short pieces. Integers beyond 2^53 stay exact.
import { setImmediate } from 'node:timers/promises';
import { isRow } from '../../core/values/fields.ts';
import { RequestFault } from './fault.ts';
import { boundJson, OverLimit, HARMLESS_BYTES, type BoundedJson } from './json-bounds.ts';

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
