// Notifies open pages by server-sent events that something has changed. An event does not contain the change, so the
// page loads itself again.
import { streamSSE, type SSEStreamingApi } from 'hono/streaming';
import type { Clock } from '../../lib/clock.ts';
import type { PageContext } from './entry/gates.ts';

/** Pages beyond this number poll instead. */
const MOST_STREAMS = 24;
const LOOK_MS = 1000;
/** Changes other than news are sent to a page at most this long after they happen. */
const REST_MS = 15_000;
/** The most loads a second of all open pages together. With more pages, each page is notified less often. */
const PAGES_A_SECOND = 5;
/** The interval of `alive` events. Comments would also keep the connection open, but scripts do not see them. */
const ALIVE_MS = 5000;
const RETRY_MS = 3000;

/** Counts the open pages that are kept current. */
export interface Audience {
  /** The time between two checks for changes. All pages share what is rendered in that time. */
  readonly pauseMs: () => number;
  isFull(): boolean;
  /** Adds or removes one page. */
  count(by: 1 | -1): void;
}

export function createAudience(onStreams: (open: number) => void): Audience {
  let open = 0;
  onStreams(open);
  return {
    pauseMs: () => LOOK_MS * Math.max(1, Math.ceil(open / PAGES_A_SECOND)),
    isFull: () => open >= MOST_STREAMS,
    count(by) {
      open += by;
      onStreams(open);
    },
  };
}

export interface EventsOptions {
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  /** A value that changes whenever a page may change. */
  readonly edition: () => Promise<string>;
  /** A value that changes with every part whose changes are shown at once. */
  readonly news: (c: PageContext) => Promise<string>;
  readonly audience: Audience;
  /** Called when pages are notified of a change. They must load only what is rendered from now on. */
  readonly onChanged: () => void;
}

/** Answers `/events`. */
export function createEvents(options: EventsOptions): (c: PageContext) => Response {
  const { audience } = options;
  let told = '';
  const tell = (edition: string): void => {
    if (edition !== told) options.onChanged();
    told = edition;
  };
  return (c) => {
    if (audience.isFull()) return c.text('too many pages are open', 503);
    audience.count(1);
    return streamSSE(c, async (stream) => {
      const gone = new AbortController();
      stream.onAbort(() => {
        gone.abort();
      });
      try {
        await follow(stream, {
          ...options,
          tell,
          news: () => options.news(c),
          seen: c.req.query('seen') ?? null,
          gone: gone.signal,
        });
      } finally {
        audience.count(-1);
      }
    });
  };
}

interface Followed extends Omit<EventsOptions, 'news'> {
  readonly news: () => Promise<string>;
  /** The edition that the page shows; null: the present one. */
  readonly seen: string | null;
  readonly gone: AbortSignal;
  readonly tell: (edition: string) => void;
}

async function follow(stream: SSEStreamingApi, page: Followed): Promise<void> {
  const { clock, audience, gone } = page;
  const alive = (): Promise<void> =>
    stream.writeSSE({ event: 'alive', data: new Date(clock.now()).toISOString(), retry: RETRY_MS });
  const changes = await createChanges(page);
  await alive();
  let [silentMs, restMs] = [0, 0];
  while (!gone.aborted) {
    const change = await changes.next(restMs >= REST_MS);
    const isTold = change !== null || silentMs >= ALIVE_MS;
    if (change !== null) await stream.writeSSE(change);
    else if (isTold) await alive();
    // All pages wait for the same moment, so that a page rendered for one is shared by the others with the same
    // content.
    const pause = audience.pauseMs();
    const waitMs = pause - (clock.now() % pause);
    silentMs = (isTold ? 0 : silentMs) + waitMs;
    restMs = (change?.event === 'changed' ? 0 : restMs) + waitMs;
    await clock.sleep(waitMs, gone);
  }
}

/** `changed`: any part of the page may have changed; `news`: only parts that are shown at once. `data`: the edition. */
interface Change {
  readonly event: 'changed' | 'news';
  readonly data: string;
}

interface Changes {
  /** The change to send to the page now; null if there is none. `isRested`: changes other than news are sent too. */
  next(isRested: boolean): Promise<Change | null>;
}

async function createChanges({ edition, news, tell, ...page }: Followed): Promise<Changes> {
  let looked = await edition();
  let current = await news();
  /** The edition that the page shows, apart from news. */
  let seen = page.seen ?? looked;
  let shown = current;
  // A page of an earlier edition may lack any change, so its first event is `changed`.
  let isBehind = seen !== looked;
  return {
    async next(isRested) {
      const now = await edition();
      if (now !== looked) {
        tell(now);
        [looked, current] = [now, await news()];
      }
      const isWhole = isBehind || (isRested && looked !== seen);
      if (!isWhole && current === shown) return null;
      shown = current;
      if (!isWhole) return { event: 'news', data: looked };
      [isBehind, seen] = [false, looked];
      return { event: 'changed', data: looked };
    },
  };
}
