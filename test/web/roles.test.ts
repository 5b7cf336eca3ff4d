// Who may do what: every route of the server, by method and by who asks, over real sockets. A route that is new fails here
// until it has a row.
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { assetPath } from '../../src/web/assets.ts';
import { API_ROOT } from '../../src/web/api/routes.ts';
import type { ActionRefusal, PerformAction } from '../../src/operators/action.ts';
import { ACTIONS } from '../../src/operators/actions.ts';
import { createWebApp } from '../../src/web/app.ts';
import { formProof } from '../../src/web/guard/forms.ts';
import { signPass } from '../../src/web/guard/signed.ts';
import type { Web } from '../../src/web/server.ts';
import { NOW } from '../support/daemon-in-trouble.ts';
import { ALICE, API, apiWith, OPERATORS, serveTestPages, testPagesOptions, VIC } from '../support/browser/pages.ts';
import { bodyFor } from '../support/web/web.ts';

/**
 * What is answered to a stranger where there are operators, to anybody where pages are open, to a viewer, and to an
 * operator. 409: the daemon behind it was asked for the change; here it refuses all of them.
 */
type Row = readonly [route: string, stranger: number, anybody: number, viewer: number, operator: number];

const PUBLIC: readonly Row[] = [
  ['GET /metrics', 401, 200, 200, 200],
  ['GET /healthz', 200, 200, 200, 200],
  ['GET /readyz', 200, 200, 200, 200],
  ['GET /assets/:file', 200, 200, 200, 200],
  ['GET /enter', 200, 200, 200, 200],
  // Where messages hold no links. With a link, nobody is asked who he is: test/web/links.test.ts.
  ['GET /a/:token', 410, 410, 410, 410],
  ['POST /a/:token', 410, 410, 410, 410],
];

const READS: readonly Row[] = [
  ['GET /', 401, 200, 200, 200],
  ['GET /accounts', 401, 200, 200, 200],
  ['GET /accounts/:address', 401, 200, 200, 200],
  ['GET /watches', 401, 200, 200, 200],
  ['GET /watches/:name', 401, 200, 200, 200],
  ['GET /watches/:name/samples.json', 401, 200, 200, 200],
  ['GET /history', 401, 200, 200, 200],
  ['GET /alerts/:key/:episode', 401, 200, 200, 200],
  ['GET /silences', 401, 200, 200, 200],
  ['GET /deliveries', 401, 200, 200, 200],
  ['GET /explorers', 401, 200, 200, 200],
  ['GET /rules', 401, 200, 200, 200],
  ['GET /rules/source', 401, 200, 200, 200],
  ['GET /about', 401, 200, 200, 200],
  ['GET /events', 401, 200, 200, 200],
  ['GET /api/v1/openapi.json', 401, 200, 200, 200],
  ['GET /api/v1/overview', 401, 200, 200, 200],
  ['GET /api/v1/accounts', 401, 200, 200, 200],
  ['GET /api/v1/accounts.csv', 401, 200, 200, 200],
  ['GET /api/v1/accounts/:address', 401, 200, 200, 200],
  ['GET /api/v1/silences/:id', 401, 404, 404, 404],
  ['GET /api/v1/watches', 401, 200, 200, 200],
  ['GET /api/v1/watches/:name', 401, 200, 200, 200],
  ['GET /api/v1/watches/:name/explain', 401, 200, 200, 200],
  ['GET /api/v1/watches/:name/samples', 401, 200, 200, 200],
  ['GET /api/v1/alerts', 401, 200, 200, 200],
  ['GET /api/v1/alerts/:key/:episode', 401, 200, 200, 200],
  ['GET /api/v1/history', 401, 200, 200, 200],
  ['GET /api/v1/silences', 401, 200, 200, 200],
  ['GET /api/v1/deliveries', 401, 200, 200, 200],
  ['GET /api/v1/deliveries/:id', 401, 200, 200, 200],
  ['GET /api/v1/explorers', 401, 200, 200, 200],
  ['GET /api/v1/rules', 401, 200, 200, 200],
  ['GET /api/v1/about', 401, 200, 200, 200],
];

const FORMS: readonly Row[] = [
  ['POST /enter', 303, 303, 303, 303],
  ['POST /leave', 401, 403, 303, 303],
  ['POST /alerts/:key/:episode/ack', 401, 403, 403, 409],
  ['POST /alerts/:key/:episode/ack/end', 401, 403, 403, 409],
  ['POST /acks', 401, 403, 403, 409],
  ['POST /watches/:name/pause', 401, 403, 403, 409],
  ['POST /watches/:name/resume', 401, 403, 403, 409],
  ['POST /silences', 401, 403, 403, 409],
  ['POST /silences/:id/end', 401, 403, 403, 409],
  ['POST /silences/:id/extend', 401, 403, 403, 409],
  ['POST /deliveries/:id/retry', 401, 403, 403, 409],
  ['POST /deliveries/:id/dismiss', 401, 403, 403, 409],
  ['POST /deliveries/retry', 401, 403, 403, 409],
  ['POST /deliveries/dismiss', 401, 403, 403, 409],
  ['POST /channels/:name/retry', 401, 403, 403, 409],
  ['POST /channels/:name/sample', 401, 403, 403, 409],
  ['POST /sessions/end', 401, 403, 403, 409],
];

/** It changes nothing: whoever may read may ask for it. */
const PREVIEW: Row = ['POST /api/v1/silences/preview', 401, 200, 200, 200];

/** Every action of an operator. */
const CALLS: readonly Row[] = ACTIONS.map(({ path }): Row => [`POST ${API_ROOT}${path}`, 401, 401, 403, 409]);

const ROWS = [...PUBLIC, ...READS, ...FORMS, PREVIEW, ...CALLS];

const WHY: ActionRefusal = { type: 'is-over', detail: 'It is over.' };
/** Changes that reached the daemon. */
const reached: string[] = [];
const perform: PerformAction = async ({ name }) => {
  reached.push(name);
  return { type: 'refused', why: WHY };
};

let closed: Web;
let open: Web;
beforeAll(async () => {
  const api = { ...API, perform };
  // Nobody who left is gone: all routes are asked with one cookie.
  const sessions = { isPassEnded: () => Promise.resolve(false), endPass: () => Promise.resolve(true) };
  [closed, open] = await Promise.all([
    serveTestPages({ api, sessions }),
    serveTestPages({ api, sessions, isOpen: true }),
  ]);
});
afterAll(() => Promise.all([closed.close(), open.close()]));

type Headers = Readonly<Record<string, string>>;

/** Somebody with a token, as a browser and as a client show it. */
interface Holder {
  readonly token: string;
  readonly cookie: string;
}

function holderOf(name: string, token: string): Holder {
  return { token, cookie: signPass({ name, until: NOW + 3_600_000, nonce: 'n' }, 'cookie', token) };
}

const alice = holderOf('alice', ALICE);
const vic = holderOf('vic', VIC);
const nobody: Holder = { token: '', cookie: '' };

const EXAMPLES: Readonly<Record<string, string>> = { ':key': 'k1', ':episode': '8' };

/** An address of the route where there is something. */
function addressOf(pattern: string): string {
  if (pattern === '/assets/:file') return assetPath('page.css');
  if (pattern === '/rules/source') return `${pattern}?file=rules/token.yaml&line=2`;
  return pattern.replaceAll(/:\w+/g, (name) => EXAMPLES[name] ?? 'treasury-usdc');
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly by?: Holder;
  /** Instead of those that a page of ours, or a client, sends. An empty one is left out. */
  readonly headers?: Headers;
  /** Instead of the right one. */
  readonly proof?: string;
}

interface Asking {
  readonly status: number;
  readonly allow: string | undefined;
  readonly cookies: readonly string[];
}

async function ask(web: Web, asked: Asked): Promise<Asking> {
  const { method, path, headers = {} } = asked;
  const { origin, host } = new URL(web.url);
  const body = method === 'POST' ? bodyOf(asked) : '';
  const all = { host, origin, ...headersOf(asked), ...headers };
  const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
  const asking = request(`${web.url}${path}`, { method, agent: false, headers: sent });
  asking.end(body);
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  // A stream of events has no end.
  answer.destroy();
  const { statusCode: status = 0, headers: got } = answer;
  return { status, allow: got.allow, cookies: got['set-cookie'] ?? [] };
}

function headersOf({ method, path, by = nobody }: Asked): Headers {
  // Whoever scrapes shows a token, as callers do.
  const identity =
    isCall(path) || (path === '/metrics' && ['GET', 'HEAD'].includes(method))
      ? { authorization: by.token && `Bearer ${by.token}`, 'x-chainwarden-request': '1', 'idempotency-key': 'key-1' }
      : { cookie: by.cookie && `chainwarden=${by.cookie}` };
  const type = isCall(path) ? 'application/json' : 'application/x-www-form-urlencoded';
  return { ...identity, 'content-type': type, 'sec-fetch-site': 'same-origin' };
}

function bodyOf({ path, by = nobody, proof = proofFor(path, by) }: Asked): string {
  if (isCall(path)) return JSON.stringify(bodyFor(path));
  const about = { watch: 'vault', until: '08:00', comment: 'why', seq: '3', up_to: '2026-01-01T12:00:00Z' };
  const fields = { token: ALICE, ...about, proof: `${proof}.n` };
  return new URLSearchParams(fields).toString();
}

function proofFor(path: string, { token, cookie }: Holder, at = NOW): string {
  return token === '' ? '' : formProof({ secret: token, holder: cookie }, path, at);
}

function isCall(path: string): boolean {
  return path.startsWith(API_ROOT);
}

function split(route: string): Pick<Asked, 'method' | 'path'> {
  const [method = '', pattern = ''] = route.split(' ');
  return { method, path: addressOf(pattern) };
}

async function statusOf(web: Web, route: string, asked: Partial<Asked> = {}): Promise<number> {
  return (await ask(web, { ...split(route), ...asked })).status;
}

test('every route of the server has a row, and every row has a route', () => {
  const { routes } = createWebApp(testPagesOptions());
  const served = new Set(
    routes.filter(({ method }) => method !== 'ALL').map(({ method, path }) => `${method} ${path}`),
  );
  expect(ROWS.map(([route]) => route).toSorted()).toEqual([...served].toSorted());
});

test.each(ROWS)('%s is answered to a stranger, anybody, a viewer, an operator: %i %i %i %i', async (...row) => {
  const [route, ...expected] = row;
  const answered = [
    await statusOf(closed, route),
    await statusOf(open, route),
    await statusOf(closed, route, { by: vic }),
    await statusOf(closed, route, { by: alice }),
  ];
  expect(answered).toEqual(expected);
});

test('a preview is read with the token of a viewer, and needs no key', async () => {
  const headers = {
    authorization: `Bearer ${VIC}`,
    'content-type': 'application/json',
    'x-chainwarden-request': '1',
  };
  const ask = (path: string): Promise<Response> =>
    fetch(`${closed.url}${API_ROOT}${path}`, { method: 'POST', headers, body: '{"matchers":{"watch":"vault"}}' });
  expect([(await ask('/silences/preview')).status, (await ask('/silences')).status]).toEqual([200, 403]);
});

test('what is only read has an answer without a body too', async () => {
  for (const [route, , , , operator] of [...PUBLIC, ...READS])
    expect([route, await statusOf(closed, route, { method: 'HEAD', by: alice })]).toEqual([route, operator]);
});

/** `GET /silences/preview` asks for a silence of that name. */
function isTaken(method: string, pattern: string): boolean {
  return ROWS.some(([route]) => {
    const [other, named = ''] = route.split(' ');
    return other === method && new RegExp(`^${named.replaceAll(/:\w+/g, '[^/]+')}$`).test(pattern);
  });
}

describe('another method', () => {
  const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
  const patterns = Map.groupBy(ROWS, ([route]) => route.split(' ')[1] ?? '');

  test.each([...patterns])('of %s changes nothing, and says which there are', async (pattern) => {
    const taken = METHODS.filter((method) => isTaken(method, pattern));
    reached.length = 0;
    for (const method of METHODS.filter((one) => !taken.includes(one))) {
      const { status, allow } = await ask(closed, { method, path: addressOf(pattern), by: alice });
      expect([
        method,
        status,
        allow
          ?.split(', ')
          .filter((one) => one !== 'HEAD')
          .toSorted(),
      ]).toEqual([method, 405, taken.toSorted()]);
      // Strangers are not told which addresses there are.
      expect([method, await statusOf(closed, `${method} ${pattern}`)]).toEqual([method, 401]);
    }
    expect(reached).toEqual([]);
  });
});

test('a path that is none is not found by who entered, and strangers are not told', async () => {
  for (const path of ['/nothing', '/watches/', '/alerts/k1', '/enter/', `${API_ROOT}/nothing`, `${API_ROOT}/watches/`])
    for (const method of ['GET', 'POST', 'DELETE'])
      expect([
        path,
        await statusOf(closed, `${method} ${path}`),
        await statusOf(closed, `${method} ${path}`, { by: alice }),
      ]).toEqual([path, 401, 404]);
});

test('a token opens no page, and a cookie makes no call', async () => {
  reached.length = 0;
  const crossed = { authorization: `Bearer ${alice.token}`, cookie: `chainwarden=${alice.cookie}` };
  for (const [route] of [...READS, ...FORMS.slice(1), PREVIEW, ...CALLS]) {
    const { path } = split(route);
    const headers = isCall(path) ? { cookie: crossed.cookie } : { authorization: crossed.authorization };
    expect([route, await statusOf(closed, route, { headers, proof: proofFor(path, alice) })]).toEqual([route, 401]);
  }
  expect(reached).toEqual([]);
});

test.each(['evil.example', '127.0.0.1.evil.example', '10.0.0.1', ''])(
  'no route is reached under a name that a site gave to this address: %j',
  async (host) => {
    reached.length = 0;
    for (const [route] of ROWS)
      expect([route, await statusOf(closed, route, { by: alice, headers: { host: host || ' ' } })]).toEqual([
        route,
        421,
      ]);
    expect(reached).toEqual([]);
  },
);

describe.each(FORMS.map(([route]) => route))('%s', (route) => {
  test.each<[string, Headers]>([
    ['says nothing of where it comes from', { 'sec-fetch-site': '' }],
    ['comes from another site', { 'sec-fetch-site': 'cross-site' }],
    ['comes from another site of the same domain', { 'sec-fetch-site': 'same-site' }],
    ['was typed in', { 'sec-fetch-site': 'none' }],
    ['has another origin', { origin: 'http://evil.example' }],
    ['has another port of this machine as its origin', { origin: 'http://127.0.0.1:1' }],
    ['has no origin', { origin: '' }],
    ['hides its origin', { origin: 'null' }],
    ['is JSON', { 'content-type': 'application/json' }],
    ['is plain text', { 'content-type': 'text/plain' }],
    ['is sent with files', { 'content-type': 'multipart/form-data; boundary=x' }],
    ['has no type', { 'content-type': '' }],
  ])('of another site changes nothing: it %s', async (_how, headers) => {
    reached.length = 0;
    expect(await ask(closed, { ...split(route), by: alice, headers })).toMatchObject({ status: 403, cookies: [] });
    expect(reached).toEqual([]);
  });
});

const DAY_MS = 86_400_000;

describe.each(FORMS.slice(1).map(([route]) => route))('%s', (route) => {
  const { path } = split(route);

  test.each([
    ['no proof', ''],
    ['something else', 'x'],
    ['the proof of another visitor', proofFor(path, vic)],
    ['the proof of an earlier visit', proofFor(path, { ...alice, cookie: `${alice.cookie}x` })],
    ['the proof of another form', proofFor('/another', alice)],
    ['the proof of the day before yesterday', proofFor(path, alice, NOW - 2 * DAY_MS)],
    ['the proof of tomorrow', proofFor(path, alice, NOW + DAY_MS)],
    ['a proof that was cut', proofFor(path, alice).slice(0, -1)],
  ])('changes nothing with %s', async (_what, proof) => {
    reached.length = 0;
    expect(await statusOf(closed, route, { by: alice, proof })).toBe(403);
    expect(reached).toEqual([]);
  });

  test('takes the proof of yesterday, for a page that was open over midnight', async () => {
    const proof = proofFor(path, alice, NOW - DAY_MS);
    expect([303, 409]).toContain(await statusOf(closed, route, { by: alice, proof }));
  });
});

describe.each([PREVIEW, ...CALLS].map(([route]) => route))('%s', (route) => {
  test.each<[string, Headers, number]>([
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['a form that looks like JSON', { 'content-type': 'text/plain' }, 415],
    ['a form with files', { 'content-type': 'multipart/form-data; boundary=x' }, 415],
    ['no type', { 'content-type': '' }, 415],
    ['a simple request', { 'x-chainwarden-request': '' }, 403],
    ['another value', { 'x-chainwarden-request': 'true' }, 403],
    ['another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['another host of the site', { 'sec-fetch-site': 'same-site' }, 403],
  ])('changes nothing for a page of another site: %s', async (_what, headers, status) => {
    reached.length = 0;
    expect(await statusOf(closed, route, { by: alice, headers })).toBe(status);
    expect(reached).toEqual([]);
  });
});

test('an operator who became a viewer changes nothing any more, though the cookie is the same', async () => {
  const [, viewer] = OPERATORS;
  const operators = [{ name: 'alice', role: 'viewer', token: ALICE } as const, viewer];
  const web = await serveTestPages({ api: { ...apiWith({ operators }), perform } });
  reached.length = 0;
  for (const [route] of [...FORMS.slice(2), ...CALLS])
    expect([route, await statusOf(web, route, { by: alice })]).toEqual([route, 403]);
  expect(reached).toEqual([]);
  await web.close();
});
