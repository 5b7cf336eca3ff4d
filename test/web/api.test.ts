// Who may call the API, and with what: over real sockets, with a daemon behind it that only notes what it was told.
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from '@jest/globals';
import { API_ROOT, apiRoutes } from '../../src/web/api/routes.ts';
import { ACTIONS } from '../../src/operators/actions.ts';
import { NoBody } from '../../src/operators/shapes.ts';
import type { ActionRefusal, OperatorRequest, PerformAction } from '../../src/operators/action.ts';
import type { TrustedProxy } from '../../src/web/guard/identity.ts';
import type { Web, WebOptions } from '../../src/web/server.ts';
import { differences } from '../support/web/openapi.ts';
import { bodyFor, CONTENT_POLICY, failingActions, pickKeys, serveTestWeb, someQueries } from '../support/web/web.ts';

const LOCAL = 'local-token-local-token-local-token-12345678';
const ALICE = 'alice-token-alice-token-alice-token';
const VIC = 'vic-token-vic-token-vic-token-vic-t';
const NOON = '2026-01-01T12:00:00Z';
const PAUSES = `${API_ROOT}/watches/coins/pauses`;
const BODY = { until: NOON, comment: 'the vault is moved' };

const DRAFT = { matchers: { watch: 'coins' }, until: NOON, comment: 'why' };
/** What the daemon answers, where the answer has such a key. */
const ANSWER = {
  from: '1970-01-01T00:00:00Z',
  until: NOON,
  comment: 'why',
  matchers: { watch: 'coins' },
  until_resolved: false,
  version: 1,
  episode: 2,
  seq: 3,
  at: '1970-01-01T00:00:00Z',
  channel: 'ops',
  recipient: 'ops',
  state: 'owed',
  deliveries: 2,
  tries: [{ recipient: 'ops', outcome: 'sent', answer: '204' }],
  acknowledged: [],
  standing: [],
  ended: [],
  ended_at: '1970-01-01T00:00:00Z',
};

const closing: Web[] = [];
afterEach(async () => {
  for (const web of closing.splice(0)) await web.close();
});

interface Served {
  readonly web: Web;
  /** What the daemon was told to do: call, argument, actor. */
  readonly done: string[];
  readonly requests: OperatorRequest[];
  readonly logged: string[];
  readonly rejected: string[];
}

interface ServeOptions extends Partial<WebOptions> {
  /** The daemon refuses everything. */
  readonly why?: ActionRefusal;
  readonly at?: () => number;
  readonly proxy?: TrustedProxy;
  readonly isOpen?: boolean;
}

async function serve(options: ServeOptions = {}) {
  const { why = null, at = () => 0, proxy = null, isOpen = false, ...more } = options;
  const served = {
    done: [] as string[],
    requests: [] as OperatorRequest[],
    logged: [] as string[],
    rejected: [] as string[],
  };
  const perform: PerformAction = async ({ name, path, answer }, { call: { parameter }, body, request }) => {
    const named = [...path.matchAll(/:(\w+)/g)].map(([, one = '']) => parameter(one));
    served.done.push(`${[name, ...named].join(' ')} ${JSON.stringify(body)} by ${request.actor}`);
    served.requests.push(request);
    const all = { ...ANSWER, id: request.key, watch: named[0], key: named[0], actor: request.actor };
    return why === null ? { type: 'done', answer: answer.parse(pickKeys(all, answer)) } : { type: 'refused', why };
  };
  const operators = [
    { name: 'alice', role: 'operator', token: ALICE },
    { name: 'vic', role: 'viewer', token: VIC },
    { name: 'paul@b.example', role: 'operator', token: null },
  ] as const;
  const web = await serveTestWeb({
    api: { perform, callers: () => ({ operators, localToken: LOCAL, proxy, isOpen }), monotonic: at },
    log: { warn: (event, fields) => void served.logged.push(JSON.stringify([event, fields])) },
    onRejected: (reason) => void served.rejected.push(reason),
    ...more,
  });
  closing.push(web);
  return { web, ...served } satisfies Served;
}

interface Asked {
  readonly path?: string;
  readonly method?: string;
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly text?: string;
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly json: Readonly<Record<string, unknown>>;
}

/** A call as a good client makes it, but for what is said. */
async function call({ web }: Pick<Served, 'web'>, asked: Asked = {}): Promise<Answer> {
  const {
    path = PAUSES,
    method = 'POST',
    token = ALICE,
    headers = {},
    body = BODY,
    text = JSON.stringify(body),
  } = asked;
  const all = {
    ...(token !== null && { authorization: `Bearer ${token}` }),
    'content-type': 'application/json',
    'x-chainwarden-request': '1',
    'idempotency-key': 'key-1',
    ...headers,
  };
  const defined = Object.fromEntries(
    Object.entries<string | undefined>(all).filter(([, value]) => value !== undefined),
  );
  const sent = request(`${web.url}${path}`, { method, headers: defined, agent: false });
  sent.end(text);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  let got = '';
  for await (const chunk of answer.setEncoding('utf8')) got += String(chunk);
  const isJson = /json/.test(answer.headers['content-type'] ?? '');
  const json = isJson ? (JSON.parse(got) as Record<string, unknown>) : {};
  const type = answer.headers['content-type'];
  if (isJson) expect(differences({ method, path, status: answer.statusCode, type, body: json })).toEqual([]);
  return { status: answer.statusCode, headers: answer.headers, body: got, json };
}

describe('a call', () => {
  test('is done by the operator whose token it bears, and answered in snake_case and UTC', async () => {
    const served = await serve();
    const { status, json } = await call(served);
    expect([status, json]).toEqual([
      201,
      {
        id: 'key-1',
        watch: 'coins',
        from: '1970-01-01T00:00:00Z',
        until: NOON,
        actor: 'alice',
        comment: 'why',
      },
    ]);
    expect(served.done).toEqual([`pause coins {"until":${Date.parse(NOON)},"comment":"the vault is moved"} by alice`]);
  });

  test('names a watch of several in the path, percent-encoded', async () => {
    const served = await serve();
    const path = `${API_ROOT}/watches/${encodeURIComponent('coins[of/treasury]')}/pauses/end`;
    expect(await call(served, { path, body: {} })).toMatchObject({ status: 200 });
    expect(await call(served, { path, text: '' })).toMatchObject({ status: 200 });
    expect(served.done).toEqual(Array(2).fill('end-pause coins[of/treasury] {} by alice'));
  });

  test('is the same call only from the same operator, to the same path, with the same body', async () => {
    const served = await serve();
    for (const asked of [
      {},
      {},
      { token: LOCAL },
      { path: `${API_ROOT}/watches/other/pauses` },
      { body: { ...BODY, comment: 'b' } },
    ])
      await call(served, asked);
    const digests = served.requests.map(({ asked }) => asked);
    expect(digests[0]).toBe(digests[1]);
    expect(new Set(digests).size).toBe(4);
    expect(digests.join()).not.toContain(ALICE);
  });

  test('silences by labels, with what was left out, and is answered in snake_case', async () => {
    const served = await serve();
    const path = `${API_ROOT}/silences`;
    const matchers = { watch: ['coins', 'vault-*'], severity: '!critical' };
    const body = { matchers, from: NOON, until: NOON, comment: 'why', until_resolved: true, confirm: true };
    expect(await call(served, { path, body })).toMatchObject({
      status: 201,
      json: { id: 'key-1', actor: 'alice', until: NOON, until_resolved: false, version: 1 },
    });
    await call(served, { path, body: DRAFT });
    await call(served, { path: `${path}/s1/extend`, body: { until: NOON } });
    await call(served, { path: `${path}/s1/end`, body: {} });
    const at = Date.parse(NOON);
    const full = { matchers, until: at, comment: 'why', confirm: true, from: at, untilResolved: true };
    const short = { ...full, matchers: DRAFT.matchers, confirm: false, from: null, untilResolved: false };
    expect(served.done).toEqual([
      `silence ${JSON.stringify(full)} by alice`,
      `silence ${JSON.stringify(short)} by alice`,
      `extend-silence s1 {"until":${at}} by alice`,
      'end-silence s1 {} by alice',
    ]);
  });

  test('acknowledges one episode of an alert', async () => {
    const served = await serve();
    const path = `${API_ROOT}/alerts/d6scxwov/2/acks`;
    const given = { seq: 3, until: NOON, comment: 'on it' };
    expect(await call(served, { path, body: given })).toMatchObject({
      status: 201,
      json: { id: 'key-1', key: 'd6scxwov', episode: 2, seq: 3, actor: 'alice', until: NOON },
    });
    await call(served, { path: `${path}/end`, body: {} });
    await call(served, { path: `${API_ROOT}/alerts/d6scxwov/x/acks`, body: { seq: 3, replace: true } });
    expect(served.done).toEqual([
      `ack d6scxwov 2 {"seq":3,"until":${Date.parse(NOON)},"comment":"on it","replace":false} by alice`,
      'end-ack d6scxwov 2 {} by alice',
      'ack d6scxwov x {"seq":3,"until":null,"comment":null,"replace":true} by alice',
    ]);
  });

  test.each<[string, object, string]>([
    ['silences', { ...DRAFT, matchers: [] }, '/matchers are not patterns by label'],
    ['silences', { ...DRAFT, matchers: { 'a/b': 'x' } }, '/matchers/a~1b is not the name of a label'],
    ['silences', { ...DRAFT, matchers: { watch: '' } }, '/matchers/watch is not a pattern of 1 to 200'],
    ['silences', { ...DRAFT, matchers: { watch: 'a\u202eb' } }, '/matchers/watch is not a pattern'],
    ['silences', { ...DRAFT, matchers: { watch: [] } }, '/matchers/watch is not a pattern'],
    ['silences', { ...DRAFT, comment: undefined }, '/comment is missing: say why'],
    ['silences', { ...DRAFT, until: '18:00' }, '/until is not a time'],
    ['silences', { ...DRAFT, for: '2h' }, '/for is not known'],
    ['silences/preview', DRAFT, '/until is not known'],
    ['alerts/k/1/acks', { seq: 1.5 }, '/seq'],
    ['alerts/k/1/acks', { seq: 1, comment: 'a\nb' }, '/comment has a line break'],
  ])('that is not as it must be names the place: %s %j', async (path, body, mistake) => {
    const served = await serve();
    const { status, json } = await call(served, { path: `${API_ROOT}/${path}`, body });
    const problems = json['problems'] as readonly { readonly pointer: string; readonly detail: string }[];
    expect([status, problems.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ')]).toEqual([
      400,
      expect.stringContaining(mistake),
    ]);
    expect(served.done).toEqual([]);
  });

  test.each<[ActionRefusal, number, object]>([
    [{ type: 'not-found', detail: 'There is none.' }, 404, { type: '/about#not-found', detail: 'There is none.' }],
    [{ type: 'key-taken', detail: 'Use another.' }, 409, { type: '/about#key-taken' }],
    [{ type: 'stale-seq', detail: 'Look again.' }, 409, { type: '/about#stale-seq' }],
    [{ type: 'confirm-needed', detail: 'Confirm.' }, 409, { type: '/about#confirm-needed' }],
    [{ type: 'not-storable', detail: 'Full.' }, 503, { type: '/about#not-storable', detail: 'Full.' }],
    [
      { type: 'invalid', mistakes: [{ pointer: '/until', detail: 'is over' }] },
      400,
      { detail: 'until is over', problems: [{ pointer: '/until', detail: 'is over' }] },
    ],
  ])('that the daemon refuses is a problem that says what to do: %#', async (why, status, body) => {
    const answer = await call(await serve({ why }));
    expect(answer).toMatchObject({
      status,
      json: { ...body, status },
      headers: { 'content-type': 'application/problem+json' },
    });
    expect(answer.headers['retry-after']).toBe(status === 503 ? '30' : undefined);
  });
});

/** Every call that changes something, as the router has it. */
const CALLS = apiRoutes({ perform: failingActions(new Error()), queries: someQueries({}) }).filter(
  ({ method, path }) => method === 'post' && !path.endsWith('/preview'),
);
const pathOf = (path: string): string => `${API_ROOT}${path.replaceAll(/:\w+/g, 'coins')}`;

describe('who may make a call', () => {
  test.each(CALLS.map(({ path, role }) => [path, role] as const))(
    '%s takes a token with the role %s',
    async (path, role) => {
      const served = await serve();
      const by = async (token: string | null): Promise<number | undefined> =>
        (await call(served, { path: pathOf(path), token, body: bodyFor(path) })).status;
      expect(role).toBe('operator');
      expect([await by(null), await by('wrong'), await by(''), await by(VIC)]).toEqual([401, 401, 401, 403]);
      expect(served.done).toEqual([]);
      expect([await by(ALICE), await by(LOCAL)]).not.toContainEqual(expect.any(String));
      expect(served.done).toHaveLength(2);
      expect(served.done[1]).toMatch(/ by local$/);
    },
  );

  test.each([
    `Basic ${ALICE}`,
    ALICE,
    `Bearer ${ALICE} `.concat('x'),
    `Bearer ${ALICE.slice(1)}`,
    `Bearer ${ALICE}x`,
    'Bearer',
  ])('is nobody without exactly a known token: %s', async (authorization) => {
    const served = await serve();
    const answer = await call(served, { headers: { authorization } });
    expect([answer.status, answer.headers['www-authenticate'], served.done]).toEqual([401, 'Bearer', []]);
  });

  test('reads without a token where everybody may, and changes nothing', async () => {
    const read: Asked = { token: null, method: 'GET', path: `${API_ROOT}/openapi.json`, text: '' };
    expect(await call(await serve(), read)).toMatchObject({ status: 401 });
    const open = await serve({ isOpen: true });
    expect(await call(open, read)).toMatchObject({ status: 200 });
    expect(await call(open, { ...read, token: 'a wrong one' })).toMatchObject({ status: 401 });
    expect(await call(open, { token: null })).toMatchObject({ status: 401 });
    expect(open.done).toEqual([]);
  });

  test('neither a cookie, a query nor the body stands for a token', async () => {
    const served = await serve();
    const tries: Asked[] = [
      { token: null, headers: { cookie: `chainwarden=${ALICE}` } },
      { token: null, path: `${PAUSES}?token=${ALICE}&access_token=${ALICE}` },
      { token: null, body: { ...BODY, token: ALICE } },
    ];
    for (const asked of tries) expect(await call(served, asked)).toMatchObject({ status: 401 });
    expect(served.done).toEqual([]);
  });

  test('a path that is none says nothing to strangers and 404 to operators', async () => {
    const served = await serve();
    for (const path of ['/', '/watches', '/watches/coins/pauses/', '/../healthz', '/silences'])
      for (const method of ['GET', 'POST', 'DELETE'])
        expect([
          (await call(served, { path: `${API_ROOT}/x${path}`, method, token: null, text: '' })).status,
          (await call(served, { path: `${API_ROOT}/x${path}`, method, text: '' })).status,
        ]).toEqual([401, 404]);
    expect(served.done).toEqual([]);
  });

  test('whoever guesses is slowed down and named in the log once; the right token is never made to wait', async () => {
    let now = 0;
    const served = await serve({ at: () => now });
    const guess = async (): Promise<Answer> => call(served, { token: `guess-${now}` });
    for (let n = 0; n < 10; n += 1) expect((await guess()).status).toBe(401);
    const slowed = await guess();
    expect([slowed.status, slowed.headers['retry-after']]).toEqual([429, '60']);
    expect(await call(served)).toMatchObject({ status: 201 });
    now = 59_500;
    expect(await guess()).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    now = 60_000;
    expect(await guess()).toMatchObject({ status: 401 });
    expect(served.rejected).toHaveLength(13);
    expect(served.logged).toEqual(Array(2).fill('["web:wrong-token",{"peer":"127.0.0.1"}]'));
  });

  test('no answer and no line of the log holds a token', async () => {
    const served = await serve();
    const texts = [served.logged.join()];
    for (const asked of [
      {},
      { token: `${ALICE}x` },
      { token: VIC },
      { text: '{' },
      { headers: { host: 'evil.example' } },
    ]) {
      const { headers, body } = await call(served, asked);
      texts.push(JSON.stringify(headers), body);
    }
    for (const token of [ALICE, VIC, LOCAL]) expect(texts.join('\n')).not.toContain(token);
  });
});

describe('the token file', () => {
  const [elsewhere] = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4');

  (elsewhere === undefined ? test.skip : test)('is for this machine: from another address it is nobody', async () => {
    const host = elsewhere?.address ?? '';
    const served = await serve({ host: '0.0.0.0' });
    const url = served.web.url.replace('0.0.0.0', host);
    expect(await call({ web: { ...served.web, url } }, { token: LOCAL })).toMatchObject({ status: 401 });
    expect(await call({ web: { ...served.web, url } })).toMatchObject({ status: 201 });
    const local = served.web.url.replace('0.0.0.0', '127.0.0.1');
    expect(await call({ web: { ...served.web, url: local } }, { token: LOCAL })).toMatchObject({ status: 201 });
  });

  (elsewhere === undefined ? test.skip : test)(
    'acts inside of a container that has no operators; from outside there is no API',
    async () => {
      const callers = { operators: [], localToken: LOCAL, proxy: null, isOpen: false };
      const api = { perform: failingActions(new Error()), callers: () => callers, monotonic: () => 0 };
      const served = await serve({ host: '0.0.0.0', api });
      const from = (host: string) => ({ web: { ...served.web, url: served.web.url.replace('0.0.0.0', host) } });
      const health = { token: null, path: '/healthz', method: 'GET', text: '' };
      expect(await call(from('127.0.0.1'), { token: LOCAL })).toMatchObject({ status: 500 });
      expect(await call(from('127.0.0.1'), { token: null })).toMatchObject({ status: 401 });
      for (const token of [LOCAL, null])
        expect(await call(from(elsewhere?.address ?? ''), { token })).toMatchObject({ status: 404, body: 'not found' });
      expect(await call(from(elsewhere?.address ?? ''), health)).toMatchObject({ status: 200 });
    },
  );
});

test('whoever uses the token file says who acts; others are who their tokens say', async () => {
  const served = await serve();
  const as = (name: string, token: string): Asked => ({ token, headers: { 'x-chainwarden-actor': name } });
  expect(await call(served, as('bob@ops', LOCAL))).toMatchObject({ status: 201 });
  expect(await call(served, as('bob', ALICE))).toMatchObject({ status: 201 });
  for (const name of ['a b', 'local:bob', '', 'x'.repeat(65)])
    expect(await call(served, as(name, LOCAL))).toMatchObject({ status: 400 });
  expect(served.requests.map(({ actor }) => actor)).toEqual(['local:bob@ops', 'alice']);
});

describe('a proxy that knows who asks', () => {
  const SECRET = 'secret-of-the-proxy-secret-of-the-proxy';
  const proxy = { header: 'X-Forwarded-User', from: ['127.0.0.0/8'], secret: SECRET };
  const by = (user: string, secret: string = SECRET, more: Record<string, string> = {}): Asked => ({
    token: null,
    headers: { 'x-forwarded-user': user, 'x-chainwarden-proxy-secret': secret, ...more },
  });

  test('names the operator; who is none may only read', async () => {
    const served = await serve({ proxy });
    expect(await call(served, by('paul@b.example'))).toMatchObject({ status: 201 });
    expect(await call(served, by('vic'))).toMatchObject({ status: 403 });
    expect(await call(served, by('somebody'))).toMatchObject({ status: 403 });
    expect(served.done).toEqual([expect.stringMatching(/ by paul@b\.example$/)]);
  });

  test.each<[string, Asked]>([
    ['a wrong secret', by('alice', `${SECRET}x`)],
    ['no secret', by('alice', '')],
    ['no user', by('')],
    ['the owner of the token file', by('local')],
    ['a user with a blank in the name', by('alice bob')],
    ['a link of a message', by('link:alice')],
  ])('is nobody with %s', async (_what, asked) => {
    const served = await serve({ proxy });
    expect(await call(served, asked)).toMatchObject({ status: 401 });
    expect(served.done).toEqual([]);
  });

  test('is believed from its own address only, and nowhere without being configured', async () => {
    const elsewhere = await serve({ proxy: { ...proxy, from: ['10.0.0.0/8'] } });
    expect(await call(elsewhere, by('alice'))).toMatchObject({ status: 401 });
    expect(await call(await serve(), by('alice'))).toMatchObject({ status: 401 });
  });
});

describe('a page of another site in the browser of an operator', () => {
  test('is not told that it may ask: there is no CORS', async () => {
    const { headers } = await call(await serve(), {
      method: 'OPTIONS',
      text: '',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    });
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  test.each(['evil.example', 'evil.example:9797', '127.0.0.1.evil.example', 'localhost.', '10.0.0.1', '[::2]:9797'])(
    'cannot reach it under a name of its own: %s',
    async (host) => {
      const served = await serve();
      for (const token of [ALICE, null])
        expect(await call(served, { token, headers: { host } })).toMatchObject({ status: 421 });
      expect([served.done, served.rejected]).toEqual([[], ['host', 'host']]);
    },
  );

  test('nor off the loopback; http.public_url is a name of its own', async () => {
    const served = await serve({ host: '0.0.0.0', publicUrl: 'https://warden.example' });
    const web = { ...served.web, url: served.web.url.replace('0.0.0.0', '127.0.0.1') };
    expect(await call({ web }, { headers: { host: 'evil.example' } })).toMatchObject({ status: 421 });
    for (const host of ['warden.example', 'WARDEN.example:443', '127.0.0.1:9797', 'localhost'])
      expect(await call({ web }, { headers: { host } })).toMatchObject({ status: 201 });
  });
});

describe('a body', () => {
  test.each<[string, unknown, string]>([
    ['without a reason', { until: NOON }, 'comment is missing: say why'],
    ['with an empty reason', { until: NOON, comment: ' ' }, 'comment is empty: say why'],
    ['with a reason of two lines', { until: NOON, comment: 'a\nb' }, 'comment has a line break'],
    ['with a reason written backwards', { until: NOON, comment: 'a\u202eb' }, 'comment has a line break'],
    ['with a reason without end', { until: NOON, comment: 'x'.repeat(501) }, 'comment is longer than 500 characters'],
    [
      'with a day that is none',
      { ...BODY, until: '2026-02-30T00:00:00Z' },
      'until is not a time such as 2026-01-31T12:00:00Z',
    ],
    ['with a time without a zone', { ...BODY, until: '2026-01-01T12:00:00' }, 'until is not a time'],
    ['with a number', { ...BODY, until: 1 }, 'until is not a time'],
    ['with a key too many', { ...BODY, untill: NOON }, 'untill is not known'],
    ['with a prototype', JSON.parse('{"__proto__":{"until":1}}'), 'until'],
    ['that is a list', [], 'the body must be an object'],
    ['that is null', null, 'the body must be an object'],
  ])('%s is refused with the place', async (_what, body, detail) => {
    const served = await serve();
    const answer = await call(served, { body });
    expect([answer.status, served.done]).toEqual([400, []]);
    expect(String(answer.json['detail'])).toContain(detail);
    expect(answer.json['problems']).toContainEqual({ pointer: expect.any(String), detail: expect.any(String) });
  });

  test.each(['{', '', '"', '{"until":NaN}', '['.repeat(8000), '\u0000'])(
    'that is no JSON is refused: %#',
    async (text) => {
      const served = await serve();
      expect(await call(served, { text })).toMatchObject({ status: 400 });
      expect(served.done).toEqual([]);
    },
  );

  test('of more than 16 KiB is refused, whether its length was announced or not', async () => {
    const served = await serve();
    const text = JSON.stringify({ ...BODY, comment: 'x'.repeat(16 * 1024) });
    expect(await call(served, { text })).toMatchObject({ status: 413 });
    expect(await call(served, { text, headers: { 'transfer-encoding': 'chunked' } })).toMatchObject({ status: 413 });
    expect(served.done).toEqual([]);
  });

  test('is read when its length is not announced', async () => {
    const served = await serve();
    expect(await call(served, { headers: { 'transfer-encoding': 'chunked' } })).toMatchObject({ status: 201 });
    expect(served.done).toHaveLength(1);
  });

  // `curl -X POST` announces neither a length nor a transfer encoding.
  test.each(ACTIONS.filter(({ body }) => body === NoBody).map(({ name, path }) => [name, path]))(
    'is left out where the call takes none: %s',
    async (name, path) => {
      const served = await serve();
      const headers = `Host: 127.0.0.1\r\nAuthorization: Bearer ${ALICE}\r\nContent-Type: application/json\r\nX-Chainwarden-Request: 1`;
      const socket = connect(Number(new URL(served.web.url).port), '127.0.0.1');
      socket.end(
        `POST ${API_ROOT}${path.replaceAll(/:\w+/g, '1')} HTTP/1.1\r\n${headers}\r\nIdempotency-Key: k\r\nConnection: close\r\n\r\n`,
      );
      expect(await text(socket)).toMatch(/^HTTP\/1.1 20[01] /);
      expect(served.done).toEqual([expect.stringContaining(name)]);
    },
  );

  test.each([undefined, '', 'x'.repeat(65), 'a b', 'a/b', '../x', "'; --"])(
    'without a fit key changes nothing: %s',
    async (key) => {
      const served = await serve();
      const answer = await call(served, { headers: { 'idempotency-key': key } });
      expect([answer.status, served.done]).toEqual([400, []]);
      expect(String(answer.json['detail'])).toContain('Idempotency-Key');
    },
  );
});

test('what fails inside is answered with the id of its log line, and nothing else', async () => {
  const served = await serve({
    api: {
      perform: failingActions(new Error('secret of /var/lib')),
      callers: () => ({
        operators: [{ name: 'alice', role: 'operator', token: ALICE }],
        localToken: null,
        proxy: null,
        isOpen: false,
      }),
      monotonic: () => 0,
    },
  });
  const { status, json, body } = await call(served);
  expect([status, json['type']]).toEqual([500, '/about#internal-error']);
  expect(body).not.toContain('/var/lib');
  expect(served.logged[0]).toContain(String(json['instance']));
});

test('every answer of the API forbids framing, sniffing and keeping', async () => {
  const served = await serve();
  for (const asked of [
    {},
    { token: null },
    { text: '{' },
    { path: `${API_ROOT}/nothing` },
    { headers: { host: 'evil.example' } },
  ])
    expect((await call(served, asked)).headers).toMatchObject({
      'content-security-policy': CONTENT_POLICY,
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'same-origin',
      'cache-control': 'no-store',
    });
});
