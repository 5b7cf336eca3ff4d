// Bodies of requests, of a bounded size.
import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { every } from 'hono/combine';

/** The limit for a form, or for a call of the API. */
export const LARGEST_BODY = 16 * 1024;

/** `refuse`: the answer to a larger one, whether its length was announced or not. */
export function onlyShortBodies(refuse: (c: Context) => Response): MiddlewareHandler {
  return every(standardRequest, bodyLimit({ maxSize: LARGEST_BODY, onError: refuse }));
}

/**
 * A body without an announced length is copied while it is counted. The copy is made of a `Request` of the platform; the
 * one of the server only resembles it, and a call without any body would end in an exception.
 */
const standardRequest: MiddlewareHandler = async (c, next) => {
  const { url, method, headers, body } = c.req.raw;
  if (!headers.has('content-length')) c.req.raw = new Request(url, { method, headers, body, duplex: 'half' });
  return next();
};
