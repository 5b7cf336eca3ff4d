// Headers that every answer has. A page runs no script and no style but its own files, and loads nothing from elsewhere.
import type { MiddlewareHandler } from 'hono';
import { secureHeaders } from 'hono/secure-headers';

export const headerPolicy: MiddlewareHandler = secureHeaders({
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
