// Lets due polls run between requests, since all open pages load again at the same moment.
import type { MiddlewareHandler } from 'hono';
import { nextTurn } from '../lib/clock.ts';

/** Answers requests that arrive together in their order, each in its own turn of the event loop. */
export function onePerTurn(): MiddlewareHandler {
  let last = Promise.resolve();
  return async (_c, next) => {
    last = last.then(nextTurn);
    await last;
    await next();
  };
}
