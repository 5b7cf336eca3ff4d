// From bytes to JSON: decoded once, capped while decoding, exact beyond 2^53.
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Fault } from './fault.ts';

/** What is asked for in `accept-encoding`. */
export const ENCODINGS = 'gzip, br';

type Encoding = 'identity' | 'gzip' | 'br';

/** Throws `Fault` on chains of encodings and on those that were not asked for. */
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
      throw new Fault('encoding', `${where}: the answer is encoded in a way that was not asked for`);
  }
}

/**
 * The whole body at once: a stream of small decoders costs four times as much, and the bytes are capped already.
 * `maxOutputLength` stops a bomb as soon as it outgrows the cap.
 */
export function decompress(wire: Buffer, encoding: Encoding, maxBytes: number, where: string): Buffer {
  if (encoding === 'identity') return wire;
  try {
    const options = { maxOutputLength: maxBytes };
    return encoding === 'gzip' ? gunzipSync(wire, options) : brotliDecompressSync(wire, options);
  } catch (error) {
    throw decompressionFault(error, maxBytes, where);
  }
}

function decompressionFault(error: unknown, maxBytes: number, where: string): Fault {
  const { code } = error as { readonly code?: unknown };
  if (code === 'ERR_BUFFER_TOO_LARGE') return tooLarge(maxBytes, where);
  // What zlib says of a body that ends too early.
  if (code === 'Z_BUF_ERROR') return new Fault('truncated', `${where}: the compressed answer ends too early`);
  return new Fault('encoding', `${where}: the answer cannot be decompressed`);
}

export function tooLarge(maxBytes: number, where: string): Fault {
  return new Fault('too-large', `${where}: the answer is larger than ${maxBytes} bytes`);
}

/** A missing type counts as JSON: some servers leave it out. */
export function isJsonType(contentType: string | undefined): boolean {
  return contentType === undefined || /^\s*(?:application\/(?:[\w.-]+\+)?json|text\/json)\s*(?:;|$)/i.test(contentType);
}

// A number literal stands behind one of these; in quotes it is text and needs no care. Of 16 digits only those that
// begin with a 9 can be beyond 2^53. A match inside a text costs time (fivefold), never correctness.
const INEXACT_NUMBER = /[-:,[\s](?:\d{17}|9\d{15})/;

// The value of a key, as servers write it: without blanks.
const LONG_VALUE = /":(-?[1-9]\d{15,})(?=[,}\]])/g;

/** Integers beyond 2^53 become exact text, which every field and the cursor read as they read amounts. */
export function parseJson(body: Buffer): unknown {
  const text = body.toString('utf8');
  if (!INEXACT_NUMBER.test(text)) return JSON.parse(text);
  return parseQuoted(text) ?? JSON.parse(text, exactNumber);
}

/**
 * Puts such numbers in quotes, at a fifth of what looking at each value costs. Undefined where one is left over. Quotes
 * put inside a text end it in front of a digit, which no JSON allows: so that is noticed, and undefined too.
 */
function parseQuoted(text: string): unknown {
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

function exactNumber(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value) || context?.source === undefined) return value;
  return /^-?\d+$/.test(context.source) ? context.source : value;
}
