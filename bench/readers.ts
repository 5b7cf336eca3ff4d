// People who keep a page open, as the page's own script does: a stream of events, and the page anew when one says so; who
// finds no free stream asks every fifteen seconds.
import { once } from 'node:events';
import { get, type IncomingMessage, type RequestOptions } from 'node:http';
import { finished } from 'node:stream/promises';

export interface Readers {
  /** How often a page was sent anew, and how often it was the same. */
  readonly loads: () => Readonly<Counts>;
  stop(): Promise<void>;
}

const PAGES = ['/', '/watches', '/accounts', '/history', '/deliveries'] as const;
const POLL_MS = 15_000;

/** Of a daemon whose pages are open to everybody on this machine. */
export function openReaders(origin: string, count: number): Readers {
  const leaving = new AbortController();
  const { signal } = leaving;
  const counts = { fresh: 0, same: 0, streams: 0, bytes: 0 };
  const readers = Array.from({ length: count }, (_, n) => {
    const load = pageOf(`${origin}${PAGES[n % PAGES.length] ?? '/'}`, signal, counts);
    return read(origin, { load, signal, counts }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  });
  return {
    loads: () => ({ ...counts }),
    async stop() {
      leaving.abort();
      await Promise.all(readers);
    },
  };
}

interface Counts {
  /** On the sockets of pages and streams. */
  bytes: number;
  fresh: number;
  same: number;
  streams: number;
}

interface Reading {
  readonly load: (parts: 'all' | 'news') => Promise<void>;
  readonly signal: AbortSignal;
  readonly counts: Counts;
}

async function read(origin: string, { load, signal, counts }: Reading): Promise<void> {
  await load('all');
  const events = await answerOf(`${origin}/events`, { signal });
  if (events.statusCode === 200) {
    counts.streams += 1;
    for await (const text of events.setEncoding('utf8') as AsyncIterable<string>) {
      counts.bytes += text.length;
      if (text.includes('event: changed')) await load('all');
      else if (text.includes('event: news')) await load('news');
    }
    return;
  }
  for (;;) {
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, POLL_MS);
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve(null);
      });
    });
    if (signal.aborted) return;
    await load('all');
  }
}

/** Loads a page as its script does: compressed, and without the parts that it has. */
function pageOf(url: string, signal: AbortSignal, counts: Counts): Reading['load'] {
  let etag = '';
  return async (parts) => {
    const headers = { 'if-none-match': etag, 'x-parts': parts, 'accept-encoding': 'gzip' };
    const answer = await answerOf(url, { signal, headers });
    answer.resume();
    await finished(answer);
    counts.bytes += answer.socket.bytesRead;
    if (answer.statusCode === 304) counts.same += 1;
    else counts.fresh += 1;
    etag = answer.headers.etag ?? '';
  };
}

async function answerOf(url: string, options: RequestOptions): Promise<IncomingMessage> {
  const sent = get(url, { ...options, agent: false });
  // Whoever leaves ends requests that are under way.
  sent.on('error', () => undefined);
  const [answer] = (await once(sent, 'response', { signal: options.signal })) as [IncomingMessage];
  return answer;
}
