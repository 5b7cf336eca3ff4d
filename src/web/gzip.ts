// Compresses answers off the event loop, if the client accepts that.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Context, MiddlewareHandler } from 'hono';

// For a text of some hundred kilobytes a higher level takes three times as long and saves a tenth. For a small text the
// time does not matter.
const LEVEL = 3;
const LEVEL_OF_SMALL = 9;
const SMALL_BYTES = 16 * 1024;
/** A smaller answer fits into one packet anyway, so it is not compressed. */
const LEAST_BYTES = 1024;

const compress = promisify<string | Uint8Array, { readonly level: number }, Buffer<ArrayBuffer>>(gzip);

export function takesGzip(c: Pick<Context, 'req'>): boolean {
  return /\bgzip\b/.test(c.req.header('accept-encoding') ?? '');
}

export function gzipped(body: string | Uint8Array): Promise<Buffer<ArrayBuffer>> {
  return compress(body, { level: body.length < SMALL_BYTES ? LEVEL_OF_SMALL : LEVEL });
}

export const GZIP_HEADERS = { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' } as const;

/** Compresses complete answers. Streams and compressed answers are not changed. */
export const compressed: MiddlewareHandler = async (c, next) => {
  await next();
  const { status, headers } = c.res;
  if (status !== 200 || !takesGzip(c) || headers.has('Content-Encoding') || isStream(headers)) return;
  const body = Buffer.from(await c.res.arrayBuffer());
  c.res = new Response(body.length < LEAST_BYTES ? body : await gzipped(body), c.res);
  c.res.headers.delete('Content-Length');
  if (body.length >= LEAST_BYTES) for (const [name, value] of Object.entries(GZIP_HEADERS)) c.header(name, value);
};

function isStream(headers: Headers): boolean {
  return headers.get('Content-Type')?.startsWith('text/event-stream') === true;
}
