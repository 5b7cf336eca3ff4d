// Tells open pages that something has changed, over server-sent events. Nothing is said of what: a page loads itself anew.
import { streamSSE, type SSEStreamingApi } from 'hono/streaming';
import type { Clock } from '../../lib/clock.ts';
import type { PageContext } from './entry/gates.ts';

export interface EventsOptions {
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  /** Another text whenever a page may be another one. */
  readonly edition: () => Promise<string>;
  /** So many pages are kept current from now on. */
  readonly onStreams: (open: number) => void;
}

/** More than so many pages ask by themselves instead. */
const MOST_STREAMS = 24;
const LOOK_MS = 1000;
/** All together are loaded anew so often: where more are open, each is told of a change less often. */
const PAGES_A_SECOND = 5;
/** Scripts do not see the comments that would keep a connection open. */
const ALIVE_MS = 5000;
const RETRY_MS = 3000;

/** Answers `/events`. */
export function createEvents(options: EventsOptions): (c: PageContext) => Response {
  let streams = 0;
  const count = (by: number): void => {
    streams += by;
    options.onStreams(streams);
  };
  count(0);
  return (c) => {
    if (streams >= MOST_STREAMS) return c.text('too many pages are open', 503);
    count(1);
    return streamSSE(c, async (stream) => {
      const gone = new AbortController();
      stream.onAbort(() => {
        gone.abort();
      });
      const pauseMs = (): number => LOOK_MS * Math.ceil(streams / PAGES_A_SECOND);
      try {
        await follow(stream, { ...options, seen: c.req.query('seen') ?? null, gone: gone.signal, pauseMs });
      } finally {
        count(-1);
      }
    });
  };
}

interface Followed extends EventsOptions {
  /** The edition that the page shows; null: the present one. */
  readonly seen: string | null;
  readonly gone: AbortSignal;
  /** Between two looks. */
  readonly pauseMs: () => number;
}

async function follow(stream: SSEStreamingApi, { clock, edition, gone, pauseMs, ...page }: Followed): Promise<void> {
  const alive = (): Promise<void> =>
    stream.writeSSE({ event: 'alive', data: new Date(clock.now()).toISOString(), retry: RETRY_MS });
  let seen = page.seen ?? (await edition());
  await alive();
  let silentMs = 0;
  while (!gone.aborted) {
    const current = await edition();
    const isChanged = current !== seen;
    const isTold = isChanged || silentMs >= ALIVE_MS;
    if (isChanged) await stream.writeSSE({ event: 'changed', data: current });
    else if (isTold) await alive();
    seen = current;
    // All in the same moment: what is made for one page serves the others that are alike.
    const pause = pauseMs();
    const waitMs = pause - (clock.now() % pause);
    silentMs = (isTold ? 0 : silentMs) + waitMs;
    await clock.sleep(waitMs, gone);
  }
}
