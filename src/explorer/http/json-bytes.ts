// The bytes that structure a JSON text. All of them are ASCII, which occurs in no other character of UTF-8.
export const DOUBLE_QUOTE = 0x22;
export const COMMA = 0x2c;
export const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
export const COLON = 0x3a;
export const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
export const CLOSE_LIST = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;

export function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}

export function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** The offset of the quote that ends a text; the length or more if there is no such quote. */
export function endOfText(body: Uint8Array, start: number): number {
  const { length } = body;
  for (let at = start + 1; at < length; at += 1) {
    const byte = body[at];
    if (byte === DOUBLE_QUOTE) return at;
    if (byte === BACKSLASH) at += 1;
  }
  return length;
}

/** The offset of the bracket that closes the one at `start`. The kinds of brackets are not compared. */
export function endOfBracket(body: Uint8Array, start: number): number {
  let depth = 0;
  for (let at = start; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === DOUBLE_QUOTE) at = endOfText(body, at);
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth += 1;
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
    if (depth === 0) return at;
  }
  throw new SyntaxError('brackets are not closed');
}

export function endOfDigits(body: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < body.length && isDigit(body[at])) at += 1;
  return at;
}

/** The number of digits of the largest integer that is exact as a number. */
export const SAFE_DIGITS = String(Number.MAX_SAFE_INTEGER).length;

/** True if the digits in [start, end) are an integer beyond 2^53, which is not exact as a number. */
export function isInexact(body: Uint8Array, start: number, end: number): boolean {
  const length = end - start;
  if (length < SAFE_DIGITS || body[start] === ZERO || isFraction(body[end])) return false;
  return length > SAFE_DIGITS || !Number.isSafeInteger(Number(String.fromCharCode(...body.subarray(start, end))));
}

/** True before a point or an exponent. */
function isFraction(byte: number | undefined): boolean {
  return byte === POINT || byte === 0x65 || byte === 0x45;
}
