// Decodes the content encoding of a body in one step. Decoding stops at the size limit.
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { RequestFault } from './fault.ts';

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
