// Lets the polls that are due go first: pages that many people have open are all loaded anew in the same moment.
import type { MiddlewareHandler } from 'hono';
import { nextTurn } from '../lib/clock.ts';

/** Of requests that come together, each is answered in a turn of the event loop of its own, in the order in which they came. */
export function onePerTurn(): MiddlewareHandler {
  let last = Promise.resolve();
  return async (_c, next) => {
    last = last.then(nextTurn);
    await last;
    await next();
  };
}
