// Who may look at the pages, and which forms are taken: over real sockets.
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from '@jest/globals';
import { signPass } from '../../src/web/guard/signed.ts';
import type { Web } from '../../src/web/server.ts';
import { browse, cookieOf, proofIn, textOf } from '../support/browser/browse.ts';
import { BadCursor } from '../../src/query/cursor.ts';
import type { OperatorRequest, PerformAction } from '../../src/operators/action.ts';
import type { MeasureShape } from '../../src/query/shapes/common.ts';
import type { WatchExplanation } from '../../src/query/shapes/watches.ts';
import {
  accountsWith,
  alertWith,
  CALM,
  NOW,
  overviewWith,
  watchesWith,
  watchWith,
} from '../support/daemon-in-trouble.ts';
import {
  ALICE,
  API,
  apiWith,
  LOCAL,
  OPERATORS,
  queriesWith,
  serveTestPages,
  standStill,
  VIC,
  type TestPages,
} from '../support/browser/pages.ts';
import { someQueries } from '../support/web/web.ts';

const closing: Web[] = [];
afterEach(async () => {
  for (const web of closing.splice(0)) await web.close();
});

async function serve(options: TestPages = {}): Promise<Web> {
  const web = await serveTestPages(options);
  closing.push(web);
  return web;
}

async function enter(web: Web, token = ALICE): Promise<{ cookie: string }> {
  return { cookie: cookieOf(await browse(web, '/enter', { form: { token } })) };
}

const AT = '2026-01-01T00:00:00Z';
const ACK = { id: 'a', key: 'k1', episode: 8, seq: 3, actor: 'alice', comment: null, at: AT, until: AT };
const SILENCE = {
  id: 's',
  matchers: { watch: 'vault' },
  from: AT,
  until: AT,
  until_resolved: false,
  actor: 'alice',
  comment: 'moved',
  version: 1,
};

const HOUR_MS = 3_600_000;
const STILL = { sleep: standStill };

describe('a page', () => {
  test('is for those who entered, and says how to', async () => {
    const web = await serve();
    const closed = await browse(web, '/');
    expect([closed.status, closed.body]).toEqual([401, expect.stringContaining('You have to enter')]);
    const open = await browse(web, '/', { headers: await enter(web) });
    expect([open.status, open.body]).toEqual([200, expect.stringContaining('Can I trust this?')]);
    expect(open.body).toContain('<span class="who">alice</span>');
    expect(open.body).not.toContain('Read only');
  });

  test('is for everybody on this machine where the config leaves it open, without a name and without forms, and says how to act', async () => {
    const { status, body } = await browse(await serve({ isOpen: true }), '/');
    expect(status).toBe(200);
    expect(body).not.toContain('class="who"');
    expect(body).not.toContain('<form');
    expect(body).toMatch(/<a href="\/enter" title="chainwarden open [^"]*">Read only: enter to act</);
  });

  test('shows the status of an answer, and no part of the address of a webhook', async () => {
    const tileOf = async (answer: string): Promise<string | undefined> => {
      const queries = queriesWith({ ...CALM, answer });
      const { body } = await browse(await serve({ isOpen: true, queries }), '/');
      return /last answer\s*([^,]*),/.exec(textOf(body))?.[1];
    };
    expect(await tileOf('127.0.0.1:9911 answered 503 busy')).toBe('503');
    expect(await tileOf('503 Service Unavailable')).toBe('503');
    expect(await tileOf('no answer within 10s')).toBe('no answer within 10s');
  });

  test('of a new watch drew one upright stroke, since nothing was known of most of six hours', async () => {
    const overview = overviewWith(CALM);
    const line: [string, string][] = [5, 3, 1].map((minutes) => [
      new Date(NOW - minutes * 60_000).toISOString(),
      String(minutes),
    ]);
    const cards = overview.cards.map((card) => ({ ...card, line }));
    const queries = { ...queriesWith(CALM), overview: async () => ({ ...overview, cards }) };
    const { body } = await browse(await serve({ isOpen: true, queries }), '/');
    const [, points = ''] = /<svg class="wide"[^]*?points="([^"]*)"/.exec(body) ?? [];
    // From five minutes ago until now, over the whole width.
    expect(new Set(points.split(' ').map((point) => Number(point.split(',')[0])))).toEqual(
      new Set([0, 150.4, 300.8, 376]),
    );
  });

  test('has a stylesheet that a browser keeps for a year, under a name that an upgrade changes', async () => {
    const web = await serve({ isOpen: true });
    const [, path = ''] = /<link rel="stylesheet" href="([^"]*)"/.exec((await browse(web, '/')).body) ?? [];
    expect(path).toMatch(/^\/assets\/page\.[0-9a-f]{16}\.css$/);
    const { status, headers, body } = await browse(web, path);
    expect([status, headers['content-type'], body.slice(0, 14)]).toEqual([
      200,
      'text/css; charset=utf-8',
      '/* Chainwarden',
    ]);
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect((await browse(web, path.replace(/\.[0-9a-f]+\./, '.0123456789abcdef.'))).status).toBe(404);
    expect((await browse(web, '/assets/..%2fapp.ts')).status).toBe(404);
  });

  test('is compressed once, for whoever takes that, and a stream is not', async () => {
    const web = await serve({ isOpen: true });
    const accepting = { 'accept-encoding': 'gzip' };
    const [plain, compressed] = [
      await fetch(web.url, { headers: { 'accept-encoding': 'identity' } }),
      await fetch(web.url, { headers: accepting }),
    ];
    expect([plain.headers.get('content-encoding'), compressed.headers.get('content-encoding')]).toEqual([null, 'gzip']);
    expect(compressed.headers.get('etag')).toBe(plain.headers.get('etag'));
    expect(textOf(await compressed.text())).toBe(textOf(await plain.text()));
    const stopped = new AbortController();
    const stream = await fetch(`${web.url}/events`, { headers: accepting, signal: stopped.signal });
    expect([stream.status, stream.headers.get('content-encoding')]).toEqual([200, null]);
    stopped.abort();
  });

  test('of an approval without limit shows no 78 digits, and an id of a token as it is', async () => {
    const [largest, id] = [String(2n ** 256n - 1n), String(2n ** 255n + 1n)];
    const value = [{ text: largest }];
    const fields = [
      { name: 'args.value', value, page_url: null },
      { name: 'args.tokenId', value: [{ text: id }], page_url: null },
    ];
    const alert = { ...alertWith(CALM), fields };
    const queries = { ...queriesWith(CALM), alert: async () => alert };
    const text = textOf((await browse(await serve({ isOpen: true, queries }), '/alerts/k1/8')).body);
    expect(text).toContain('args value unlimited');
    expect(text).toContain(`args tokenId ${id}`);
    expect(text).not.toContain(largest);
  });

  test('that is not there says so within the frame', async () => {
    const { status, body } = await browse(await serve({ isOpen: true }), '/nothing');
    expect([status, body]).toEqual([404, expect.stringContaining('<nav aria-label="Pages">')]);
  });

  test('whose making fails tells where the log has it, and nothing else', async () => {
    const logged: unknown[] = [];
    const web = await serve({
      isOpen: true,
      queries: someQueries({ overview: () => Promise.reject(new Error('disk I/O error in /var/lib')) }),
      log: { warn: (_event, fields) => void logged.push(fields) },
    });
    const { status, body } = await browse(web, '/');
    expect(status).toBe(500);
    expect(body).not.toContain('/var/lib');
    expect(logged).toMatchObject([{ instance: /under ([0-9a-f-]{36})\./.exec(body)?.[1] }]);
  });

  test.each(['evil.example', '127.0.0.1.evil.example', '10.0.0.1'])(
    'is not shown under a name that a site gave to this address: %s',
    async (host) => {
      const web = await serve({ isOpen: true });
      for (const path of ['/', '/enter', '/nothing'])
        expect(await browse(web, path, { headers: { host } })).toMatchObject({ status: 421 });
    },
  );

  test('is not there off the loopback without operators', async () => {
    const web = await serve({ host: '0.0.0.0', api: apiWith({ operators: [] }) });
    expect(await browse({ url: web.url.replace('0.0.0.0', '127.0.0.1') }, '/enter')).toMatchObject({ status: 404 });
  });

  test('has an address of at most 2 KiB', async () => {
    const web = await serve({ isOpen: true });
    expect(await browse(web, `/?q=${'a'.repeat(2048)}`)).toMatchObject({ status: 414 });
  });
});

test('a watch whose last value was beyond its limit is not said to be "away" from it', async () => {
  const list = watchesWith();
  const [row] = list.items;
  if (row === undefined || row.measure === null) throw new Error('no watch measures anything');
  const measure = { ...row.measure, value: '90', limit: '100', distance: '10', side: 'below', fires: 'below' } as const;
  const blind = { ...row, state: 'blind', measure: { ...measure, is_stale: true } } as const;
  const queries = { ...queriesWith(CALM), watches: async () => ({ ...list, items: [blind] }) };
  const { body } = await browse(await serve({ isOpen: true, queries }), '/watches');
  expect(textOf(body)).toContain('was 10 beyond its limit');
});

test('an account whose warning fires is amber, not red', async () => {
  const list = accountsWith(CALM);
  const items = list.items.map((row) => ({ ...row, state: 'firing', severity: 'warning' }) as const);
  const queries = { ...queriesWith(CALM), accounts: async () => ({ ...list, items }) };
  const { body } = await browse(await serve({ isOpen: true, queries }), '/accounts');
  expect(body).toContain('<tr class="warn">');
  expect(body).not.toMatch(/class="[^"]*alarm/);
});

test('a value that nobody knows now only "was" so, wherever it stands', async () => {
  const stale = <T extends { readonly measure: MeasureShape | null }>(one: T): T => ({
    ...one,
    measure: one.measure && { ...one.measure, is_stale: true },
  });
  const [overview, watches] = [overviewWith(CALM), watchesWith()];
  const queries = {
    ...queriesWith(CALM),
    overview: async () => ({ ...overview, cards: overview.cards.map(stale), handled: overview.handled.map(stale) }),
    watches: async () => ({ ...watches, items: watches.items.map(stale) }),
  };
  const web = await serve({ isOpen: true, queries });
  const now = textOf((await browse(web, '/')).body);
  expect(now).toContain('was 940,264.594685 USDC was 59,735.41 below the limit of 1,000,000');
  expect(now).toContain('was 31 min');
  expect(textOf((await browse(web, '/watches')).body)).toContain('was 940,264.594685');
});

test('polls of a watch that measures nothing have no column for a value', async () => {
  const found = { ...watchWith(CALM), measured: null, measure: null };
  const headsOf = async (watch: WatchExplanation): Promise<string> => {
    const queries = { ...queriesWith(CALM), watch: async () => watch };
    const { body } = await browse(await serve({ isOpen: true, queries }), '/watches/treasury-usdc');
    return textOf(body.slice(body.indexOf('Last polls')));
  };
  expect(await headsOf(found)).toMatch(/At ?Outcome ?low ?Took/);
  expect(await headsOf(watchWith(CALM))).toMatch(/At ?Outcome ?balance ?low ?Took/);
});

test('what holds an alert back is said with times of the page, and without marks of the command line', async () => {
  const found = watchWith(CALM);
  const alerts = found.alerts.map((alert) => ({
    ...alert,
    held_back: [
      '`for`, for another 2m',
      'cooldown until 2026-11-21T03:20:00Z: until then messages about a firing are not sent',
    ],
    needs: ['`a < b` would have to become true'],
  }));
  const blind = { cause: 'timeout', since: found.watch.since ?? '', fields: ['token.reputation'] };
  const watch = { ...found, alerts, pause: null, watch: { ...found.watch, blind }, remarks: ['looked at next: never'] };
  const queries = { ...queriesWith(CALM), watch: async () => watch };
  const { body } = await browse(await serve({ isOpen: true, queries }), '/watches/treasury-usdc');
  expect(body).toContain('<code>for</code>, for another 2m');
  expect(textOf(body)).toContain('cooldown until 03:20:00: until then');
  expect(body).toContain('<code>a &lt; b</code> would have to become true');
  expect(textOf(body)).toContain('no answer in time: token.reputation');
  // The facts beside say it already.
  expect(body).not.toContain('looked at next');
});

test('a message that is held back says what holds it', async () => {
  const found = alertWith(CALM);
  const held = (recipient: string, answer: string | null) => ({
    about: 'firing' as const,
    decided_at: found.card.since,
    channel: 'ops',
    recipient,
    state: 'held' as const,
    accepted_at: null,
    tries: 0,
    next_try: null,
    answer,
  });
  const told = [held('ann', 'mute-window'), held('ben', 'silenced'), held('cy', null)];
  const queries = { ...queriesWith(CALM), alert: async () => ({ ...found, told }) };
  const { body } = await browse(await serve({ isOpen: true, queries }), '/alerts/k1/8');
  const words = textOf(body).replace(/\s+/g, ' ');
  for (const line of [
    'ann the begin held back: mute window',
    'ben the begin held back: silenced',
    'cy the begin held back',
  ])
    expect(words).toContain(line);
});

test('of the rule the line of the alert that fires is marked', async () => {
  const found = watchWith(CALM);
  const [alert] = found.alerts;
  if (alert === undefined) throw new Error('it has no alert');
  const quiet = { ...alert, alert: 'quiet', source: 'rules/treasury.yaml:6', states: [] };
  const watch = { ...found, alerts: [quiet, { ...alert, source: 'rules/treasury.yaml:7' }] };
  const queries = { ...queriesWith(CALM), watch: async () => watch };
  const { body } = await browse(await serve({ isOpen: true, queries }), '/watches/treasury-usdc');
  expect([...body.matchAll(/<mark>([^<]*)<\/mark>/g)].map(([, line]) => line?.trim())).toEqual(['kind: balance']);
});

describe('the form of a silence', () => {
  const ask = async (query: string) => {
    const web = await serve();
    const fields = `watch=vault&comment=why&${query}`;
    return textOf((await browse(web, `/silences?${fields}`, { headers: await enter(web) })).body);
  };

  test('says of a time that cannot be meant what is wrong, beside its field, and makes no silence of it', async () => {
    for (const [query, words] of [
      ['until=25:99', 'Until (UTC)"25:99" is no time such as 08:00'],
      ['from=soon', 'empty: now"soon" is no time such as 08:00'],
      ['until=2026-11-20T08:00', 'Until (UTC)This time has passed'],
      ['from=2026-11-22T08:00&until=2026-11-22T07:00', 'Until (UTC)It would end before it begins'],
    ] as const) {
      const text = await ask(query);
      expect(text).toContain(words);
      expect(text).not.toContain('Silence until');
    }
    expect(await ask('from=now&until=08:00')).toContain('Silence until 08:00:00');
    expect(await ask('from=2026-11-22T07:00&until=2026-11-22T08:00')).toContain('Silence until 22 Nov 08:00');
  });

  test('names one number of alerts, and how many of them are open', async () => {
    expect(await ask('until=08:00')).toContain('2 alerts of 2 watches (20 %), 1 of them open now.');
  });

  test('is not there for who only looks, and nothing stands in its place', async () => {
    const web = await serve();
    const { body } = await browse(web, '/silences', { headers: await enter(web, VIC) });
    expect(body).not.toContain('class="two"');
    expect(textOf(body)).toContain('Active');
  });
});

describe('the first page', () => {
  test('says what fires, by how much, who was told, and what may be missing', async () => {
    const { body } = await browse(await serve({ isOpen: true }), '/');
    const text = textOf(body);
    for (const said of [
      '(2) Treasury USDC is low (and one more) · Chainwarden',
      'Critical, firing',
      '940,264.594685 USDC',
      '59,735.41 below the limit of 1,000,000 · clears above 1,050,000',
      'ops not accepted, 5 tries · 503 Service Unavailable',
      'and 212 more of 3 rules',
      '38 of 412 are blind',
      '9 owed to ops, 14 min',
      'looks like USDC: С is Cyrillic',
      'Transaction to vaultvault-admin/call Retracted: it did not happen.',
      'collector ETH 4.2, above 3coins[collector]/low Warning 3 h oncall-1',
    ])
      expect(text).toContain(said);
  });

  test('does not say of a count that there are no more where no more are kept', async () => {
    const overview = overviewWith(CALM);
    const cards = overview.cards.flatMap((card) =>
      card.count === null ? [] : [{ ...card, count: { ...card.count, count: 100, is_least: true } }],
    );
    const queries = { ...queriesWith(CALM), overview: async () => ({ ...overview, cards }) };
    const text = textOf((await browse(await serve({ isOpen: true, queries }), '/')).body);
    expect(text).toContain('100 or more failed vault calls in 10 min 97 or more beyond the limit of 3');
  });

  test('does not say of half hours for how long an alert fired in them', async () => {
    const { body } = await browse(await serve({ isOpen: true }), '/');
    expect(body).toContain('aria-label="Critical in 3 of the last 48 half hours"');
    expect(body).not.toMatch(/Critical for [\d.]+ h/);
  });

  test('adds up what is owed to several channels under no name of one', async () => {
    const overview = overviewWith(CALM);
    const [ops] = overview.trust.owed;
    if (ops === undefined) throw new Error('nothing is owed');
    const owed = [ops, { ...ops, channel: 'audit', rows: 2, since: ops.last_try ?? ops.since }];
    const trust = { ...overview.trust, owed };
    const queries = { ...queriesWith(CALM), overview: async () => ({ ...overview, trust }) };
    const { body } = await browse(await serve({ isOpen: true, queries }), '/');
    const text = textOf(body);
    expect(text).toContain('11 owed to 2 channels, 14 min');
    expect(text).toContain('last answer of ops');
  });

  test('leads to the metrics where a browser may read them', async () => {
    const [guarded, open] = [
      await serve(),
      await serve({ api: { ...API, callers: () => ({ ...API.callers(), operators: [] }) }, isOpen: true }),
    ];
    expect((await browse(guarded, '/', { headers: await enter(guarded) })).body).not.toContain('href="/metrics"');
    expect((await browse(open, '/')).body).toContain('href="/metrics"');
  });

  test('has buttons for operators only', async () => {
    const web = await serve();
    expect((await browse(web, '/', { headers: await enter(web) })).body).toContain('Acknowledge</button>');
    for (const headers of [await enter(web, VIC)])
      expect((await browse(web, '/', { headers })).body).not.toContain('Acknowledge</button>');
  });

  test('of just before a change passed for the one after it, and who asks for it again got nothing new', async () => {
    let [at, edition] = [0, 'first'];
    const web = await serve({
      isOpen: true,
      api: { ...API, monotonic: () => at },
      queries: {
        ...queriesWith(CALM),
        edition: async () => edition,
        overview: async () => ({ ...overviewWith(CALM), headline: edition }),
      },
    });
    for (const encoding of ['', 'gzip']) {
      [at, edition] = [at + 1000, `${edition}, then`];
      await browse(web, '/', { headers: { 'accept-encoding': encoding } });
      edition = `${edition} another`;
      const again = (etag: unknown): ReturnType<typeof browse> =>
        browse(web, '/', { headers: { 'accept-encoding': encoding, 'if-none-match': String(etag) } });
      const early = await again('"none"');
      at += 1000;
      const late = await again(early.headers.etag);
      expect([early.status, late.status]).toEqual([200, 200]);
      expect(late.headers.etag).not.toBe(early.headers.etag);
      expect((await again(late.headers.etag)).status).toBe(304);
    }
  });

  test('shows the last overview where the state does not answer any more, and says of when it is', async () => {
    let [at, now, isBroken] = [0, NOW, false];
    const overview = overviewWith(CALM);
    const web = await serve({
      isOpen: true,
      clock: { ...STILL, now: () => now },
      api: { ...API, monotonic: () => at },
      queries: someQueries({
        overview: () => (isBroken ? Promise.reject(new Error('disk I/O error')) : Promise.resolve(overview)),
      }),
    });
    expect((await browse(web, '/')).body).not.toContain('the state does not answer now');
    isBroken = true;
    at = 60_000;
    now += 60_000;
    const { status, body } = await browse(web, '/');
    expect([status, textOf(body)]).toEqual([200, expect.stringContaining('the state of 03:12:07')]);
    expect(body).toContain('Treasury USDC is low');
  });
});

describe('labels', () => {
  const TEAM = 'label=team%3Dtreasury';

  test('lead from cards and rows to all that has them, and are kept by whatever else is asked for', async () => {
    const asked: unknown[] = [];
    const queries = queriesWith(CALM);
    const list = { ...watchesWith(), next: 'later' };
    const web = await serve({
      isOpen: true,
      queries: {
        ...queries,
        overview: (filter) => (asked.push(filter), queries.overview()),
        watches: async (filter) => (asked.push(filter), list),
        history: async (filter) => (asked.push(filter), { ...(await queries.history(filter)), next: 'later' }),
      },
    });
    const links = async (path: string) =>
      [...(await browse(web, path)).body.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href = '']) =>
        href.replaceAll('&amp;', '&'),
      );
    expect(await links('/')).toContain(`/?${TEAM}`);
    expect(await links('/watches')).toContain(`/watches?${TEAM}`);
    expect(await links('/alerts/k1/8')).toContain(`/history?${TEAM}`);
    asked.length = 0;
    expect(await links(`/?${TEAM}&label=tier%3D1`)).toEqual(
      expect.arrayContaining([
        `/?label=tier%3D1`,
        `/?${TEAM}`,
        '/',
        `/watches?${TEAM}&label=tier%3D1`,
        `/history?${TEAM}&label=tier%3D1`,
        `/watches?state=firing&${TEAM}&label=tier%3D1`,
        `/history?show=alerts&${TEAM}&label=tier%3D1`,
        `/?label=tier%3D1&${TEAM}`,
      ]),
    );
    expect(await links(`/watches?q=usdc&${TEAM}&explorer=ethereum`)).toEqual(
      expect.arrayContaining([
        `/watches?q=usdc&${TEAM}&explorer=ethereum&after=later`,
        `/watches?q=usdc&${TEAM}&explorer=ethereum&state=blind`,
        '/watches?q=usdc&explorer=ethereum',
        `/?${TEAM}`,
      ]),
    );
    expect(await links(`/history?show=people&${TEAM}`)).toEqual(
      expect.arrayContaining([`/history?show=people&${TEAM}&after=later`, `/history?show=rules&${TEAM}`]),
    );
    expect(asked).toMatchObject([
      { label: ['team=treasury', 'tier=1'] },
      { label: ['team=treasury'], explorer: 'ethereum', q: 'usdc' },
      { label: ['team=treasury'], show: 'people' },
    ]);
    const { body } = await browse(web, `/watches?${TEAM}`);
    expect(body).toContain('<input type="hidden" name="label" value="team=treasury"');
  });

  test('that nothing has are said, and how to leave them out', async () => {
    const queries = queriesWith(CALM);
    const web = await serve({
      isOpen: true,
      queries: {
        ...queries,
        overview: async () => ({ ...(await queries.overview()), cards: [], handled: [], events: [], recent: [] }),
        watches: async () => ({ ...watchesWith(), items: [] }),
        history: async (filter) => ({ ...(await queries.history(filter)), items: [] }),
      },
    });
    for (const path of ['/', '/watches', '/history']) {
      const { body } = await browse(web, `${path}?label=team%3D<b>`);
      expect(textOf(body)).toContain('Nothing here has team=<b>.');
      expect(body).toContain(`<a href="${path}">Show all</a`);
      expect(body).not.toContain('<b>.');
    }
    expect(textOf((await browse(web, '/?label=team%3Deu')).body)).toContain('have other labels');
    for (const path of ['/?label=team', '/watches?label=team', '/history?label==eu'])
      expect(await browse(web, path)).toMatchObject({
        status: 400,
        body: expect.stringContaining('A label is written as team=treasury.'),
      });
  });

  test('of a view whose state does not answer any more still show what was so', async () => {
    let [at, isBroken] = [0, false];
    const overview = overviewWith(CALM);
    const web = await serve({
      isOpen: true,
      api: { ...API, monotonic: () => at },
      queries: someQueries({
        overview: () => (isBroken ? Promise.reject(new Error('disk I/O error')) : Promise.resolve(overview)),
      }),
    });
    await browse(web, `/?${TEAM}`);
    [at, isBroken] = [60_000, true];
    expect(await browse(web, `/?${TEAM}`)).toMatchObject({ status: 200 });
  });
});

describe('an acknowledgement', () => {
  const ACTION = '/alerts/k1/8/ack';

  test('is made once by the operator who sent the form, however often it is sent', async () => {
    const asked: OperatorRequest[] = [];
    const perform: PerformAction = async ({ name, answer }, { request }) => {
      expect(name).toBe('ack');
      asked.push(request);
      return { type: 'done', answer: answer.parse(ACK) };
    };
    const web = await serve({ api: { ...API, perform } });
    const headers = await enter(web);
    const form = { proof: proofIn(await browse(web, '/', { headers }), ACTION), seq: '3', from: '/' };
    for (let i = 0; i < 2; i += 1)
      expect(await browse(web, ACTION, { headers, form })).toMatchObject({ status: 303, headers: { location: '/' } });
    expect(asked[1]).toEqual(asked[0]);
    expect(asked[0]).toMatchObject({ actor: 'alice', key: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  });

  test('offers a second button where somebody has the alert in hand already', async () => {
    const why = {
      type: 'already-acknowledged',
      detail: 'bob has acknowledged it until 04:00. `replace: true` puts yours in its place.',
    } as const;
    const bodies: unknown[] = [];
    const perform: PerformAction = async (_action, { body }) => {
      bodies.push(body);
      return { type: 'refused', why };
    };
    const web = await serve({ api: { ...API, perform } });
    const headers = await enter(web);
    const path = '/alerts/k1/8/ack';
    const proof = proofIn(await browse(web, '/', { headers }), path);
    const refused = await browse(web, path, { headers, form: { proof, seq: '3', from: '/' } });
    expect(refused.status).toBe(409);
    expect(textOf(refused.body)).toContain('bob has acknowledged it until 04:00. Acknowledge in its place');
    const again = proofIn(refused, path);
    await browse(web, path, { headers, form: { proof: again, seq: '3', from: '/', replace: 'yes' } });
    expect(bodies).toMatchObject([{ replace: false }, { replace: true }]);
  });

  test('is refused to viewers, and says why the daemon refuses it', async () => {
    const refused = { type: 'refused', why: { type: 'stale-seq', detail: 'The alert has changed.' } } as const;
    const web = await serve({ api: { ...API, perform: async () => refused } });
    const headers = await enter(web);
    const proof = proofIn(await browse(web, '/', { headers }), ACTION);
    const answer = await browse(web, ACTION, { headers, form: { proof, seq: '2' } });
    expect([answer.status, answer.body]).toEqual([409, expect.stringContaining('The alert has changed.')]);
    const viewer = await enter(web, VIC);
    expect(await browse(web, ACTION, { headers: viewer, form: { proof, seq: '3' } })).toMatchObject({ status: 403 });
  });
});

describe('a silence', () => {
  test('is shown with what it would hold back before it is made, and made by the button below that', async () => {
    const made: unknown[] = [];
    const perform: PerformAction = async ({ answer }, { body }) => {
      made.push(body);
      return { type: 'done', answer: answer.parse(SILENCE) };
    };
    const web = await serve({ api: { ...API, perform } });
    const headers = await enter(web);
    const fields = { watch: 'vault', severity: '!critical', until: '08:00', comment: 'moved' };
    const shown = await browse(web, `/silences?${new URLSearchParams(fields).toString()}`, { headers });
    expect(textOf(shown.body)).toContain('Silence until 08:00:00');
    expect(made).toEqual([]);
    const form = { ...fields, confirm: 'yes', proof: proofIn(shown, '/silences') };
    expect(await browse(web, '/silences', { headers, form })).toMatchObject({ status: 303 });
    expect(made).toEqual([
      {
        matchers: { watch: 'vault', severity: '!critical' },
        from: null,
        untilResolved: false,
        confirm: true,
        until: Date.parse('2026-11-21T08:00:00Z'),
        comment: 'moved',
      },
    ]);
    const unprintable = [
      { comment: 'a\u202Eb' },
      { comment: 'a\nb' },
      { comment: 'a'.repeat(501) },
      { watch: 'a\u200Bb' },
    ];
    for (const missing of [{ until: 'soon' }, { comment: '' }, { watch: '', severity: '' }, ...unprintable])
      expect(await browse(web, '/silences', { headers, form: { ...form, ...missing } })).toMatchObject({ status: 400 });
    expect(made).toHaveLength(1);
  });

  test('is made by operators; viewers see which there are', async () => {
    const web = await serve();
    const headers = await enter(web, VIC);
    const { status, body } = await browse(web, '/silences', { headers });
    expect([status, body.includes('<form class="form"')]).toEqual([200, false]);
    const form = { watch: 'vault', until: '08:00', comment: 'moved', proof: 'x' };
    expect(await browse(web, '/silences', { headers, form })).toMatchObject({ status: 403 });
  });
});

test('a rule is read where it is written, and no other file is', async () => {
  const web = await serve({ isOpen: true });
  const rules = (await browse(web, '/rules')).body;
  expect(rules).toContain('href="/rules/source?file=rules%2Ftoken.yaml&amp;line=9#line"');
  const shown = await browse(web, '/rules/source?file=rules%2Ftoken.yaml&line=2');
  expect(shown.status).toBe(200);
  expect(shown.body).toMatch(/<span class="ln"\s+id="line">2<\/span><mark> {2}# /);
  for (const file of ['', 'config.yaml', '/etc/passwd', '../rules/token.yaml', 'rules/token.yaml%00'])
    expect((await browse(web, `/rules/source?file=${file}&line=1`)).status).toBe(404);
  expect((await browse(web, '/rules/source?file=rules/token.yaml&line=-1')).body).not.toContain('<mark');
});

test('an account says how many scam tokens were sent to it, and where they are seen', async () => {
  const web = await serve({ isOpen: true });
  const { body } = await browse(web, '/accounts');
  expect(textOf(body)).toContain('Scam tokens that were sent to these addresses are left out: 23 on treasury.');
  expect(body).toContain('href="/watches/tokens"');
});

test('accounts show their worth, a sum for each explorer, and how many balances are in no sum', async () => {
  const list = accountsWith(CALM);
  const shown = async (totals: Partial<typeof list.totals>): Promise<string> => {
    const accounts = async () => ({ ...list, totals: { ...list.totals, ...totals } });
    const web = await serve({ isOpen: true, queries: { ...queriesWith(CALM), accounts } });
    return textOf((await browse(web, '/accounts')).body);
  };
  const one = await shown({});
  expect(one).toContain('$939,888 in 1 balance, without 1 balance that has no price.');
  expect(one).toContain('$939,888 at $0.9996');
  const sum = { balances: 8, old: 0, unpriced: 0, unknown: 0 };
  const explorers = [
    { explorer: 'ethereum', ...sum, usd: '12000000' },
    { explorer: 'base', ...sum, usd: '340120.4' },
    { explorer: 'test', ...sum, usd: null },
  ];
  expect(await shown({ usd: '12340120.4', balances: 9, old: 3, unpriced: 2, unknown: 1, explorers })).toContain(
    '$12,340,120 in 9 balances, 3 of them old, without 2 balances that have no price and 1 balance not known: ethereum $12,000,000, base $340,120.',
  );
  expect(await shown({ usd: null })).not.toContain('in 1 balance');
});

test('a limit in dollars stands beside the balance in its asset, and not in the curve of the balance', async () => {
  const list = accountsWith(CALM);
  const [usdc] = list.items;
  if (usdc === undefined) throw new Error('there is no account');
  const measure = {
    ...usdc.measure,
    field: 'balance_usd',
    unit: 'USD',
    value: '939887.89',
    limit: '1000000',
    distance: '60112.11',
  };
  const accounts = async () => ({ ...list, items: [{ ...usdc, measure }] });
  const web = await serve({ isOpen: true, queries: { ...queriesWith(CALM), accounts } });
  const { body } = await browse(web, '/accounts');
  expect(textOf(body)).toContain('$1,000,000');
  expect(textOf(body)).toContain('$60,112 below');
  expect(textOf(body)).toContain('940,264.594685');
  const plain = await browse(await serve({ isOpen: true, queries: queriesWith(CALM) }), '/accounts');
  const lines = (html: string): number => html.split('s-limit').length;
  expect(lines(body)).toBe(lines(plain.body) - 1);
});

test('a watch of dollars is no balance of USD', async () => {
  const list = watchesWith();
  const items = list.items.map((row) => ({ ...row, measure: row.measure && { ...row.measure, unit: 'USD' } }));
  const watches = async () => ({ ...list, items });
  const web = await serve({ isOpen: true, queries: { ...queriesWith(CALM), watches } });
  const { body } = await browse(web, '/watches');
  expect(textOf(body)).toContain('balance on ');
  expect(textOf(body)).not.toContain('of USD');
});

test('a list that is asked for a page that it does not have says so', async () => {
  const web = await serve({
    isOpen: true,
    queries: { ...queriesWith(CALM), watches: () => Promise.reject(new BadCursor('none')) },
  });
  expect(await browse(web, '/watches?after=x')).toMatchObject({ status: 400 });
  for (const query of ['state=mad', 'sort=x', `q=${'x'.repeat(101)}`, 'limit=0', 'limit=501'])
    expect(await browse(web, `/watches?${query}`)).toMatchObject({ status: 400 });
});

describe('a cookie', () => {
  test('is for this site and for the browser alone, and ends after twelve hours', async () => {
    let now = NOW;
    const web = await serve({ clock: { ...STILL, now: () => now } });
    const entered = await browse(web, '/enter', { form: { token: ALICE } });
    expect(entered).toMatchObject({ status: 303, headers: { location: '/' } });
    const [cookie = ''] = entered.headers['set-cookie'] ?? [];
    expect(cookie.replace(/=[^;]*/, '=…')).toBe('chainwarden=…; Max-Age=43200; Path=/; HttpOnly; SameSite=Strict');
    const headers = { cookie: cookieOf(entered) };
    now += 12 * HOUR_MS - 1;
    expect(await browse(web, '/', { headers })).toMatchObject({ status: 200 });
    now += 1;
    expect(await browse(web, '/', { headers })).toMatchObject({ status: 401 });
  });

  test('travels in https only where the page is called by https', async () => {
    const web = await serve({ publicUrl: 'https://warden.example' });
    const { headers } = await browse(web, '/enter', { form: { token: ALICE } });
    expect(headers['set-cookie']?.[0]).toContain('; Secure');
  });

  test('ends at once when the token is changed, and another token signs none of its own', async () => {
    const cookie = await enter(await serve());
    const changed = apiWith({ operators: [{ ...OPERATORS[0], token: `${ALICE}-2` }, OPERATORS[1]] });
    expect(await browse(await serve({ api: changed }), '/', { headers: cookie })).toMatchObject({ status: 401 });
  });

  test.each([
    ['of a name that nobody has', signPass({ name: 'eve', until: NOW + HOUR_MS, nonce: 'n' }, 'cookie', ALICE)],
    ['of somebody else’s token', signPass({ name: 'alice', until: NOW + HOUR_MS, nonce: 'n' }, 'cookie', VIC)],
    ['that is a code', signPass({ name: 'alice', until: NOW + HOUR_MS, nonce: 'n' }, 'code', ALICE)],
    ['without a signature', `${Buffer.from('["alice",9e15,"n"]').toString('base64url')}.`],
    ['that is no pass', 'x'],
    ['with a payload that is no JSON', `${Buffer.from('{').toString('base64url')}.AAAA`],
  ])('that is forged lets nobody in: %s', async (_what, value) => {
    const cookie = `chainwarden=${value}`;
    expect(await browse(await serve(), '/', { headers: { cookie } })).toMatchObject({ status: 401 });
  });

  test('with a later end than was signed lets nobody in', async () => {
    const web = await serve();
    const [payload = '', signature = ''] = (await enter(web)).cookie.replace('chainwarden=', '').split('.');
    const [name, , nonce] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as unknown[];
    const later = Buffer.from(JSON.stringify([name, 9e15, nonce])).toString('base64url');
    const cookie = `chainwarden=${later}.${signature}`;
    expect(await browse(web, '/', { headers: { cookie } })).toMatchObject({ status: 401 });
  });
});

describe('entering', () => {
  test('takes ten wrong tokens a minute from one place, and the right one all the same', async () => {
    let at = 0;
    const rejected: string[] = [];
    const api = { ...API, monotonic: () => at };
    const web = await serve({ api, onRejected: (reason) => void rejected.push(reason) });
    const wrong = { form: { token: 'x'.repeat(40) } };
    for (let i = 0; i < 10; i += 1) expect(await browse(web, '/enter', wrong)).toMatchObject({ status: 401 });
    expect(await browse(web, '/enter', wrong)).toMatchObject({ status: 429, headers: { 'retry-after': '60' } });
    expect(rejected).toHaveLength(11);
    expect(await browse(web, '/enter', { form: { token: ALICE } })).toMatchObject({ status: 303 });
    at = 60_000;
    expect(await browse(web, '/enter', wrong)).toMatchObject({ status: 401 });
  });

  test('works with the token of the file on this machine', async () => {
    const web = await serve();
    const { body } = await browse(web, '/', { headers: await enter(web, LOCAL) });
    expect(body).toContain('<span class="who">local</span>');
  });

  test('by a code is a button, and works once, for a minute', async () => {
    let now = NOW;
    const web = await serve({ clock: { ...STILL, now: () => now } });
    const codeAt = (): string => signPass({ name: 'local', until: now + 60_000, nonce: randomUUID() }, 'code', LOCAL);
    const code = codeAt();
    const shown = await browse(web, `/enter?code=${encodeURIComponent(code)}`);
    expect(shown.headers).not.toHaveProperty('set-cookie');
    expect(shown.body).toContain(`name="code" value="${code}"`);
    expect(await browse(web, '/enter', { form: { code } })).toMatchObject({ status: 303 });
    expect(await browse(web, '/enter', { form: { code } })).toMatchObject({ status: 401 });
    const late = codeAt();
    now += 60_000;
    expect(await browse(web, '/enter', { form: { code: late } })).toMatchObject({ status: 401 });
  });

  test('leads on to where one wanted to go, and never to another site', async () => {
    const web = await serve();
    const asked = await browse(web, '/watches/treasury-usdc?since=24h');
    expect(asked.status).toBe(401);
    expect(asked.body).toContain('name="to" value="/watches/treasury-usdc?since=24h"');
    for (const [to, location] of [
      ['/watches/treasury-usdc?since=24h', '/watches/treasury-usdc?since=24h'],
      ['//evil.example/', '/'],
      ['/\\evil.example', '/'],
      ['https://evil.example/', '/'],
      ['/enter?code=x', '/'],
      ['', '/'],
    ] as const)
      expect(await browse(web, '/enter', { form: { token: ALICE, to } })).toMatchObject({ headers: { location } });
    // A wrong token does not lose it.
    const wrong = await browse(web, '/enter', { form: { token: 'wrong', to: '/history' } });
    expect([wrong.status, wrong.body]).toEqual([401, expect.stringContaining('name="to" value="/history"')]);
  });

  test('does not do what was pressed without a session: it leads back to the button', async () => {
    const reached: string[] = [];
    const perform: PerformAction = async ({ name }) => {
      reached.push(name);
      return { type: 'refused', why: { type: 'is-over', detail: 'It is over.' } };
    };
    const web = await serve({ api: { ...API, perform } });
    const form = { seq: '3', from: '/' };
    const pressed = await browse(web, '/alerts/k1/8/ack', { form, headers: { referer: `${web.url}/alerts/k1/8` } });
    expect(pressed.status).toBe(401);
    expect(pressed.body).toContain('what you pressed was not done');
    expect(pressed.body).toContain('name="to" value="/alerts/k1/8"');
    const foreign = await browse(web, '/alerts/k1/8/ack', { form, headers: { referer: 'https://evil.example//x' } });
    expect(foreign.body).toContain('name="to" value="/"');
    expect(reached).toEqual([]);
  });

  test('is over for whoever leaves', async () => {
    const web = await serve();
    const headers = await enter(web);
    const proof = proofIn(await browse(web, '/', { headers }), '/leave');
    const left = await browse(web, '/leave', { headers, form: { proof } });
    expect(left).toMatchObject({ status: 303, headers: { location: '/enter' } });
    expect(left.headers['set-cookie']?.[0]).toMatch(/^chainwarden=; Max-Age=0/);
    // A copy of the cookie is worth nothing either.
    expect(await browse(web, '/', { headers })).toMatchObject({ status: 401 });
  });
});

test('a proxy that proves who it is names whoever looks', async () => {
  const proxy = { header: 'X-User', from: ['127.0.0.1'], secret: 's'.repeat(32) };
  const web = await serve({ api: apiWith({ proxy }) });
  const named = { 'x-user': 'alice', 'x-chainwarden-proxy-secret': proxy.secret };
  expect((await browse(web, '/', { headers: named })).body).toContain('<span class="who">alice</span>');
  expect(await browse(web, '/', { headers: { ...named, 'x-chainwarden-proxy-secret': 'x' } })).toMatchObject({
    status: 401,
  });
});
