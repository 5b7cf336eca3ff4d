// Headers of every answer. A page runs only its own scripts and styles, and loads nothing from other sites.
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
  // Browsers ignore HSTS over plain HTTP, which is used here. A proxy with HTTPS can set the header.
  strictTransportSecurity: false,
});

/**
 * Answers to a page's script have no such headers, which would be half of the cost of an open page. They are not
 * needed: only our own scripts can send the header `x-parts`, so no browser shows such an answer as a page.
 */
export const headerPolicy: MiddlewareHandler = async (c, next) =>
  c.req.header('x-parts') === undefined ? policy(c, next) : next();
