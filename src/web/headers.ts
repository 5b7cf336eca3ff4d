// Headers that every answer has. A page runs no script and no style but its own files, and loads nothing from elsewhere.
import type { MiddlewareHandler } from 'hono';
import { secureHeaders } from 'hono/secure-headers';

const policy = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'"],
    connectSrc: ["'self'"],
    formAction: ["'self'"],
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
    requireTrustedTypesFor: ["'script'"],
    trustedTypes: ["'none'"],
  },
  xFrameOptions: 'DENY',
  // With `no-referrer`, browsers send forms with `Origin: null`, which the check of forms refuses.
  referrerPolicy: 'same-origin',
  crossOriginOpenerPolicy: 'same-origin',
  crossOriginResourcePolicy: 'same-origin',
  // Plain HTTP: HSTS would be ignored here or, behind a proxy, is the proxy's to set.
  strictTransportSecurity: false,
});

/**
 * Answers to a page's script have no such headers, which would be half of an open page's cost. They are not needed:
 * only our own scripts can send that request header, so no browser shows such an answer as a page.
 */
export const headerPolicy: MiddlewareHandler = async (c, next) =>
  c.req.header('x-parts') === undefined ? policy(c, next) : next();
