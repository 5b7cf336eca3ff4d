import { expect, test } from '@jest/globals';
import type { PagesOptions } from '../../src/web/pages/app.ts';
import { browse } from '../support/browser/browse.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { API, queriesWith, serveTestPages } from '../support/browser/pages.ts';
import type { AlertCard } from '../../src/query/shapes/alerts.ts';
import { CALM, overviewWith } from '../support/daemon-in-trouble.ts';
import { createInbox, type Arrivals } from '../support/sinks.ts';

const MOST_STREAMS = 24;

interface Streams extends AsyncDisposable {
  readonly url: string;
  readonly clock: FakeClock;
  /** How many pages are kept current, after every change. */
  readonly counted: Arrivals<number>;
  /** The edition that pages have from now on. */
  edition: string;
  /** Shown to readers at once when it changes; null: each edition has another one. */
  headline: string | null;
  /** Messages: shown in the navigation and as what the verdict rests on. */
  givenUp: number;
  /** Of the view that asks for labels. */
  labelled: readonly AlertCard[];
  /** Milliseconds that have passed for those who make pages. */
  passed: number;
}

async function serve(): Promise<Streams> {
  const counted = createInbox<number>();
  const queries = queriesWith(CALM);
  const clock = createFakeClock();
  const served = {
    edition: 'first',
    headline: null as string | null,
    givenUp: 0,
    passed: 0,
    labelled: overviewWith(CALM).cards,
  };
  const web = await serveTestPages({
    isOpen: true,
    clock: clock satisfies PagesOptions['clock'],
    api: { ...API, monotonic: () => served.passed },
    queries: {
      ...queries,
      edition: async () => served.edition,
      overview: async (filter) => {
        const found = await queries.overview();
        const headline = served.headline ?? served.edition;
        const cards = (filter?.label.length ?? 0) > 0 ? served.labelled : found.cards;
        return { ...found, cards, headline, trust: { ...found.trust, given_up: served.givenUp } };
      },
    },
    onStreams: (open) => {
      counted.push(open);
    },
  });
  return Object.assign(served, { url: web.url, clock, counted, [Symbol.asyncDispose]: () => web.close() });
}

interface Followed {
  readonly status: number;
  /** `alive`, or `changed second`. */
  readonly events: Arrivals<string>;
  close(): void;
}

async function follow({ url }: Streams, query = ''): Promise<Followed> {
  const closing = new AbortController();
  const answer = await fetch(`${url}/events${query}`, { signal: closing.signal });
  const events = createInbox<string>();
  void read(answer, (event) => {
    events.push(event);
  });
  return {
    status: answer.status,
    events,
    close: () => {
      closing.abort();
    },
  };
}

async function read({ body }: Response, onEvent: (event: string) => void): Promise<void> {
  let text = '';
  try {
    for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const parts = (text + chunk).split('\n\n');
      text = parts.pop() ?? '';
      for (const part of parts) {
        const [, event = ''] = /^event: (.*)$/m.exec(part) ?? [];
        const [, data = ''] = /^data: (.*)$/m.exec(part) ?? [];
        onEvent(event === 'alive' ? event : `${event} ${data}`);
      }
    }
  } catch {
    // The reader closed it.
  }
}

/** The edition of the page that is sent now. */
async function shown(streams: Streams): Promise<string> {
  const { body } = await browse(streams, '/');
  return /<html lang="en" data-edition="([^"]*)"/.exec(body)?.[1] ?? '';
}

test('a page that was told of a change loaded what was made for another one just before', async () => {
  await using streams = await serve();
  const { events } = await follow(streams);
  await events.reached(1);
  expect(await shown(streams)).toBe('first');
  streams.edition = 'second';
  expect(await shown(streams)).toBe('first');
  await streams.clock.advance(1000);
  expect(await events.reached(2)).toEqual(['alive', 'news second']);
  expect(await shown(streams)).toBe('second');
});

test('the more pages are open, the longer one that was made serves whoever asks by himself', async () => {
  await using streams = await serve();
  const shownAfter = async (ms: number): Promise<string> => {
    streams.passed += ms;
    streams.edition = `at ${streams.passed}`;
    return shown(streams);
  };
  expect([await shownAfter(0), await shownAfter(999), await shownAfter(1)]).toEqual(['at 0', 'at 0', 'at 1000']);
  for (let n = 0; n < MOST_STREAMS; n += 1) await follow(streams, `?seen=${encodeURIComponent(streams.edition)}`);
  expect([await shownAfter(1000), await shownAfter(4999), await shownAfter(1)]).toEqual([
    'at 2000',
    'at 2000',
    'at 7000',
  ]);
});

test('a change between the making of a page and its script is told at once, not when the next one comes', async () => {
  await using streams = await serve();
  const edition = await shown(streams);
  expect(edition).toBe('first');
  streams.edition = 'second';
  const late = await follow(streams, `?seen=${edition}`);
  expect(await late.events.reached(2)).toEqual(['alive', 'changed second']);
  const current = await follow(streams, '?seen=second');
  await current.events.reached(1);
  streams.edition = 'third';
  await streams.clock.advance(1000);
  expect(await current.events.reached(2)).toEqual(['alive', 'news third']);
  expect(await late.events.reached(3)).toEqual(['alive', 'changed second', 'news third']);
});

test('while nothing changes a page hears every five seconds that the daemon is there, and nothing else', async () => {
  await using streams = await serve();
  const { events } = await follow(streams);
  await events.reached(1);
  for (let seconds = 0; seconds < 10; seconds += 1) await streams.clock.advance(1000);
  expect(await events.reached(3)).toEqual(['alive', 'alive', 'alive']);
});

test('what is no news a page hears of within fifteen seconds, and once', async () => {
  await using streams = await serve();
  streams.headline = 'All quiet';
  const { events } = await follow(streams);
  await events.reached(1);
  for (let seconds = 0; seconds < 16; seconds += 1) {
    streams.edition = `of second ${seconds}`;
    await streams.clock.advance(1000);
  }
  expect(await events.reached(4)).toEqual(['alive', 'alive', 'alive', 'changed of second 14']);
  streams.edition = 'more';
  streams.headline = 'Something fires';
  await streams.clock.advance(1000);
  expect((await events.reached(5)).at(-1)).toBe('news more');
});

test('a page in which nothing changed but ages is not sent again', async () => {
  await using streams = await serve();
  streams.headline = 'All quiet';
  const first = await browse(streams, '/');
  streams.edition = 'second';
  streams.passed += 1000;
  await streams.clock.advance(60_000);
  const headers = { 'if-none-match': String(first.headers.etag), 'x-parts': '1' };
  expect(await browse(streams, '/', { headers })).toMatchObject({ status: 304, body: '' });
  // Another visitor, who has nothing yet, sees the ages of now.
  const other = await browse(streams, '/');
  expect([other.status, other.headers.etag]).toEqual([200, first.headers.etag]);
  expect(other.body).not.toBe(first.body);
});

test('what is no news is told in time, however much news there is', async () => {
  await using streams = await serve();
  const { events } = await follow(streams);
  await events.reached(1);
  for (let seconds = 0; seconds < 16; seconds += 1) {
    streams.edition = `of second ${seconds}`;
    await streams.clock.advance(1000);
  }
  expect((await events.reached(17)).filter((event) => event.startsWith('changed'))).toEqual(['changed of second 14']);
});

test('a page that is told of news is sent the news, and the rest when it is told of that', async () => {
  await using streams = await serve();
  const load = async (etag: unknown, parts: string): ReturnType<typeof browse> => {
    streams.passed += 1000;
    return browse(streams, '/', { headers: { 'if-none-match': String(etag), 'x-parts': parts } });
  };
  const sent = (body: string): string[] =>
    [...body.matchAll(/class="part" data-part="([\w-]+)"/g)].map(([, name = '']) => name);
  const first = await browse(streams, '/');
  streams.edition = 'second';
  streams.givenUp = 7;
  const news = await load(first.headers.etag, 'news');
  expect(sent(news.body)).toEqual(['news-banner']);
  const rest = await load(news.headers.etag, 'all');
  expect(sent(rest.body)).toEqual(['top', 'trust']);
  expect(sent((await load(rest.headers.etag, 'all')).body)).toEqual([]);
});

test('whoever has a page is sent the parts of it that have changed', async () => {
  await using streams = await serve();
  const first = await browse(streams, '/');
  const partsOf = (body: string, isSame: boolean): string[] =>
    [...body.matchAll(isSame ? /data-part="([\w-]+)" data-same/g : /class="part" data-part="([\w-]+)"/g)].map(
      ([, name = '']) => name,
    );
  const all = partsOf(first.body, false);
  expect(all).toContain('news-banner');
  streams.edition = 'second';
  streams.passed += 1000;
  const next = await browse(streams, '/', { headers: { 'if-none-match': String(first.headers.etag), 'x-parts': '1' } });
  expect(next.status).toBe(200);
  expect(partsOf(next.body, false)).toEqual(['news-banner']);
  expect(partsOf(next.body, true)).toEqual(all.filter((name) => name !== 'news-banner'));
  // A browser that loads the page itself, or knows a tag of long ago, is sent all of it.
  for (const headers of [{ 'if-none-match': String(first.headers.etag) }, { 'if-none-match': '"x"', 'x-parts': '1' }])
    expect(partsOf((await browse(streams, '/', { headers })).body, false)).toEqual(all);
});

test('while more than five pages are open each hears of changes every two seconds, and still that the daemon is there', async () => {
  await using streams = await serve();
  const pages: Followed[] = [];
  for (let n = 0; n < 6; n += 1) pages.push(await follow(streams));
  await streams.clock.advance(2000);
  for (const [n, edition] of ['second', 'third'].entries()) {
    streams.edition = edition;
    await streams.clock.advance(2000);
    for (const { events } of pages) expect((await events.reached(n + 2)).at(-1)).toBe(`news ${edition}`);
  }
  await streams.clock.advance(6000);
  for (const { events } of pages)
    expect(await events.reached(4)).toEqual(['alive', 'news second', 'news third', 'alive']);
});

test('pages that are kept current are counted, and those that were closed are not any more', async () => {
  await using streams = await serve();
  const page = await follow(streams);
  await streams.counted.reached(2);
  page.close();
  await streams.counted.reached(3);
  expect(streams.counted.all).toEqual([0, 1, 0]);
});

test('twenty-four pages are kept current; one more is told to ask by itself, until another one is closed', async () => {
  await using streams = await serve();
  const pages: Followed[] = [];
  for (let n = 0; n < MOST_STREAMS; n += 1) pages.push(await follow(streams));
  const more = await fetch(`${streams.url}/events`);
  expect([more.status, more.headers.get('content-type')]).toEqual([503, expect.stringContaining('text/plain')]);
  expect(await more.text()).toBe('too many pages are open');
  for (const { status } of pages) expect(status).toBe(200);
  streams.edition = 'second';
  await streams.clock.advance(5000);
  for (const { events } of pages) expect((await events.reached(2)).at(-1)).toBe('news second');
  pages[0]?.close();
  await streams.counted.reached(MOST_STREAMS + 2);
  expect((await follow(streams)).status).toBe(200);
  expect(Math.max(...streams.counted.all)).toBe(MOST_STREAMS);
});

test('whoever looks at a label is told of news of its alerts, beyond those of the first page', async () => {
  await using streams = await serve();
  streams.headline = 'the same';
  const [whole, labelled] = [await follow(streams), await follow(streams, '?label=team%3Dtreasury')];
  await whole.events.reached(1);
  await labelled.events.reached(1);
  streams.labelled = [];
  streams.edition = 'second';
  await streams.clock.advance(1000);
  expect(await labelled.events.reached(2)).toEqual(['alive', 'news second']);
  await streams.clock.advance(4000);
  expect(await whole.events.reached(2)).toEqual(['alive', 'alive']);
});
