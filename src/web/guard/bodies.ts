// Bodies of requests, of a bounded size.
import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { every } from 'hono/combine';

/** The limit in bytes for a form or a call of the API. */
export const LARGEST_BODY = 16 * 1024;

/** `refuse`: makes the answer to a larger body, whether its length was announced or not. */
export function onlyShortBodies(refuse: (c: Context) => Response): MiddlewareHandler {
  return every(standardRequest, bodyLimit({ maxSize: LARGEST_BODY, onError: refuse }));
}

/**
 * A body without an announced length is copied while its bytes are counted. The copy needs a `Request` of the platform.
 * The server's object only resembles one, and with it a call without a body would throw.
 */
const standardRequest: MiddlewareHandler = async (c, next) => {
  const { url, method, headers, body } = c.req.raw;
  if (!headers.has('content-length')) c.req.raw = new Request(url, { method, headers, body, duplex: 'half' });
  return next();
};
