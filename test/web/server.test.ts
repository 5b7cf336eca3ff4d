import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { connect, Server, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { systemClock, type Instant } from '../../src/lib/clock.ts';
import { WebError, type Web, type WebOptions } from '../../src/web/server.ts';
import type { IdentityOptions } from '../../src/web/guard/identity.ts';
import { CONTENT_POLICY, NO_CALLERS, serveTestWeb, testWebOptions } from '../support/web/web.ts';

const METRICS =
  '# HELP chainwarden_build_info Always 1.\n# TYPE chainwarden_build_info gauge\nchainwarden_build_info 1\n';
/** Connections that wait for their clients. */
const MOST_WAITING = 512;
const DAEMON = { version: '0.1.0', startedAt: 0 as Instant, loadedAt: null, heartbeatAt: null };
const closing: Web[] = [];
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const web of closing.splice(0)) await web.close();
});

async function serve(options: Partial<WebOptions> = {}): Promise<Web> {
  const web = await serveTestWeb({ metricsText: () => Promise.resolve(Buffer.from(METRICS)), ...options });
  closing.push(web);
  return web;
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

async function ask(web: Web, path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  const sent = request(`${web.url}${path}`, { method, headers, agent: false });
  sent.end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  let body = '';
  for await (const chunk of answer.setEncoding('utf8')) body += String(chunk);
  return { status: answer.statusCode, headers: answer.headers, body };
}

async function dial(web: Web): Promise<Socket> {
  const { hostname, port } = new URL(web.url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

/** Resolves when it is closed, also by a reset. */
function closeOf(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket
      .on('error', () => undefined)
      .once('close', () => {
        resolve();
      });
  });
}

describe('what is there', () => {
  test('the metrics, in the type that Prometheus asks for', async () => {
    const { status, headers, body } = await ask(await serve(), '/metrics');
    expect([status, headers['content-type'], body]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8', METRICS]);
  });

  test.each([
    ['/healthz', { isAlive: () => true }, 200, 'ok'],
    ['/healthz', { isAlive: () => false }, 503, 'stuck'],
    ['/readyz', { readiness: () => ({ isReady: true, lines: [] }) }, 200, 'ready'],
    [
      '/readyz',
      { readiness: () => ({ isReady: true, lines: ['blind: 1 of 2 watches'] }) },
      200,
      'ready\nblind: 1 of 2 watches',
    ],
    ['/readyz', { readiness: () => ({ isReady: false, lines: ['storage: down'] }) }, 503, 'waiting\nstorage: down'],
  ])('%s says how it is, and 503 when it is not so: %#', async (path, options, status, word) => {
    expect(await ask(await serve(options), path)).toMatchObject({ status, body: word });
  });

  test('the same without a body for those who ask for the head only', async () => {
    expect(await ask(await serve(), '/healthz', {}, 'HEAD')).toMatchObject({ status: 200, body: '' });
  });

  test('what is answered is counted by the pattern of its path, and by no name or token that the path holds', async () => {
    const answered: string[] = [];
    const onAnswered: WebOptions['onAnswered'] = ({ route, status, renderSeconds }) =>
      answered.push(`${route} ${status} ${renderSeconds}`);
    const web = await serve({ onAnswered });
    await ask(web, '/metrics');
    await ask(web, '/a/secret-token');
    await ask(web, '/api/v1/watches/treasury/pauses', {}, 'POST');
    await ask(web, '/api/v1/watches/treasury/pauses', { authorization: 'Bearer x' }, 'GET');
    expect(answered).toEqual([
      '/metrics 200 null',
      '/a/:token 410 null',
      '/api/v1/watches/:name/pauses 401 null',
      '* 401 null',
    ]);
  });

  test('nothing else: no other path, no other method, no listing', async () => {
    const web = await serve();
    for (const path of ['/', '/metrics/', '/metrics/x', '/-/reload', '/api', '/healthz/../api', '/%2e%2e/etc'])
      expect(await ask(web, path)).toMatchObject({ status: 404, body: 'not found' });
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])
      expect(await ask(web, '/metrics', {}, method)).toMatchObject({ status: 405 });
  });

  test('no detail of what went wrong inside', async () => {
    const logged: unknown[] = [];
    const web = await serve({
      metricsText: () => Promise.reject(new Error('disk I/O error in /var/lib')),
      log: { warn: (event, fields) => void logged.push([event, fields]) },
    });
    expect(await ask(web, '/metrics')).toMatchObject({ status: 500, body: 'error' });
    expect(logged).toMatchObject([['web:failed', { error: new Error('disk I/O error in /var/lib') }]]);
  });

  test('every answer forbids framing, sniffing and keeping', async () => {
    const web = await serve({ metricsText: () => Promise.reject(new Error('no')) });
    for (const answer of [
      await ask(web, '/healthz'),
      await ask(web, '/metrics'),
      await ask(web, '/nothing'),
      await ask(web, '/metrics', { host: 'evil.example' }),
    ]) {
      expect(answer.headers).toMatchObject({
        'content-security-policy': CONTENT_POLICY,
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'same-origin',
        'cache-control': 'no-store',
      });
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    }
  });
});

describe('a page in a browser that calls us by a name of its own', () => {
  test.each(['evil.example', 'evil.example:9797', '127.0.0.1.evil.example', 'localhost.', '10.0.0.1', '[::2]:9797'])(
    'is turned away on every route: %s',
    async (host) => {
      let rejected = 0;
      const web = await serve({ onRejected: (reason) => (rejected += reason === 'host' ? 1 : 0) });
      for (const path of ['/metrics', '/healthz', '/readyz', '/nothing'])
        expect(await ask(web, path, { host })).toMatchObject({ status: 421, body: 'misdirected request' });
      expect(rejected).toBe(4);
    },
  );

  test.each(['127.0.0.1', '127.0.0.1:9797', 'localhost', 'LOCALHOST:1', '[::1]', '[::1]:9797'])(
    'but the names of the loopback are known: %s',
    async (host) => {
      expect(await ask(await serve(), '/metrics', { host })).toMatchObject({ status: 200 });
    },
  );

  test('and a container may be scraped under any name', async () => {
    const web = await serve({ host: '0.0.0.0' });
    expect(await ask(web, '/metrics', { host: 'chainwarden:9797' })).toMatchObject({ status: 200, body: METRICS });
    expect(await ask(web, '/api', { host: 'chainwarden:9797' })).toMatchObject({ status: 404 });
  });
});

describe('slow and many clients', () => {
  test('one that never ends its headers is cut off, and others are answered meanwhile', async () => {
    const web = await serve();
    const slow = await dial(web);
    slow.write('GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ');
    const answered: string[] = [];
    slow.setEncoding('utf8').on('data', (text: string) => answered.push(text));
    expect(await ask(web, '/healthz')).toMatchObject({ status: 200 });
    await once(slow, 'close');
    expect(answered.join('')).toMatch(/^HTTP\/1\.1 408 /);
  });

  test('answers a supervisor at once while half-open connections hold every place', async () => {
    let refused = 0;
    const web = await serve({ onRejected: (reason) => (refused += reason === 'sockets' ? 1 : 0) });
    let left = 2000;
    // Each one that is closed comes again, as a flood does.
    const hold = async (): Promise<void> => {
      if (left-- <= 0) return;
      const socket = await dial(web);
      socket.on('error', () => undefined).once('close', () => void hold());
      socket.write('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ');
    };
    for (let n = 0; n < MOST_WAITING + 100; n++) await hold();
    for (let n = 0; n < 20; n++) expect(await ask(web, '/healthz')).toMatchObject({ status: 200, body: 'ok' });
    left = 0;
    expect(refused).toBeGreaterThanOrEqual(100);
  });

  test('forms that never end do not keep a supervisor from its answer', async () => {
    let refused = 0;
    const pages = { timeZone: 'UTC', clock: systemClock, daemon: () => DAEMON };
    const web = await serve({ pages, onRejected: (reason) => (refused += reason === 'sockets' ? 1 : 0) });
    const { host } = new URL(web.url);
    for (let n = 0; n < MOST_WAITING + 50; n++) {
      const socket = await dial(web);
      socket.on('error', () => undefined);
      socket.write(
        `POST /enter HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${web.url}\r\nSec-Fetch-Site: same-origin\r\n` +
          'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\nt',
      );
    }
    for (let n = 0; n < 20; n++) expect(await ask(web, '/healthz')).toMatchObject({ status: 200, body: 'ok' });
    expect(refused).toBeGreaterThanOrEqual(50);
  });

  test('requests that are sent together are answered one after another, in their order', async () => {
    let open = 0;
    let most = 0;
    const metricsText = async (): Promise<Buffer<ArrayBuffer>> => {
      open += 1;
      most = Math.max(most, open);
      await nextTurn();
      open -= 1;
      return Buffer.from('metrics');
    };
    const socket = await dial(await serve({ metricsText }));
    let answers = '';
    socket.setEncoding('utf8').on('data', (text: string) => (answers += text));
    const paths = ['/metrics', '/metrics', '/healthz', '/metrics', '/readyz', '/metrics', '/metrics'];
    socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`).join(''));
    socket.write('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n');
    await once(socket, 'close');
    const bodies = answers.split(/HTTP\/1\.1 200 [^]*?\r\n\r\n/).slice(1);
    expect(bodies).toEqual(['metrics', 'metrics', 'ok', 'metrics', 'ready', 'metrics', 'metrics', 'ok']);
    expect(most).toBe(1);
  });

  test('one that sends thousands of requests without reading is cut off, after no more than one answer', async () => {
    let answered = 0;
    let refused = 0;
    const large = Buffer.alloc(32 * 1024 * 1024);
    const web = await serve({
      metricsText: () => Promise.resolve(large),
      onAnswered: () => (answered += 1),
      onRejected: () => (refused += 1),
    });
    const socket = await dial(web);
    const cut = closeOf(socket);
    socket.pause();
    socket.write('GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.repeat(3000));
    while (refused === 0) await nextTurn();
    socket.resume();
    await cut;
    expect([answered, refused]).toEqual([1, 1]);
    expect(await ask(web, '/healthz')).toMatchObject({ status: 200 });
  });

  test('one that does not read its answer goes before those that came later, and a new one is answered', async () => {
    let refused = 0;
    const large = Buffer.alloc(32 * 1024 * 1024);
    const web = await serve({ metricsText: () => Promise.resolve(large), onRejected: () => (refused += 1) });
    const unread = await dial(web);
    unread.write('GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    await once(unread, 'readable');
    const cut = closeOf(unread);
    for (let n = 0; n < MOST_WAITING - 1; n++) await dial(web);
    expect(refused).toBe(0);
    expect(await ask(web, '/healthz')).toMatchObject({ status: 200, body: 'ok' });
    expect(refused).toBe(1);
    unread.resume();
    await cut;
  });

  test('of those that ask for nothing the oldest goes, and one that asks keeps its connection', async () => {
    const refused = Promise.withResolvers<string>();
    const web = await serve({ onRejected: refused.resolve });
    const first = await dial(web);
    const second = await dial(web);
    const answers: string[] = [];
    first.setEncoding('utf8').on('data', (text: string) => answers.push(text));
    first.write('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    await once(first, 'data');
    const ended = once(second, 'close');
    for (let n = 0; n < MOST_WAITING - 1; n++) await dial(web);
    await ended;
    expect(await refused.promise).toBe('sockets');
    first.write('GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    await once(first, 'data');
    expect(answers.join('')).toMatch(/^HTTP\/1\.1 200 [^]*\r\n\r\nokHTTP\/1\.1 200 [^]*\r\n\r\nready$/);
  });

  test.each([
    'GET /metrics\r\n\r\n',
    'GET /metrics HTTP/1.1\r\n\r\n',
    `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n\r\n`,
    '\0\0\0\r\n\r\n',
  ])('what is no request is answered with an error and no data: %#', async (bytes) => {
    const web = await serve();
    const socket = await dial(web);
    let answer = '';
    socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
    socket.on('error', () => undefined);
    socket.write(bytes);
    await once(socket, 'close');
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(answer).not.toContain('chainwarden_');
  });
});

describe('opening and closing', () => {
  test('a port that is taken is an error that says what to do', async () => {
    const { port } = new URL((await serve()).url);
    const second = serve({ port: Number(port) });
    await expect(second).rejects.toThrow(WebError);
    await expect(second).rejects.toThrow(
      `cannot listen on 127.0.0.1:${port}: another program uses this address, perhaps another daemon; stop it, or choose another ` +
        'address with `http: { listen: … }` in the config or with CHAINWARDEN_LISTEN',
    );
  });

  test('an address that is not ours is an error too', async () => {
    await expect(serve({ host: '192.0.2.1' })).rejects.toThrow(/^cannot listen on 192\.0\.2\.1:0: this machine has no/);
  });

  test('closing ends open connections, frees the port and may be asked for twice', async () => {
    const web = await serve();
    const idle = await dial(web);
    const ended = once(idle.resume(), 'close');
    await Promise.all([web.close(), web.close()]);
    await ended;
    await web.close();
    const { port } = new URL(web.url);
    expect((await serve({ port: Number(port) })).url).toBe(web.url);
  });

  test('IPv6 has its brackets in the URL', async () => {
    const hasIPv6 = Object.values(networkInterfaces()).some((each) => each?.some(({ address }) => address === '::1'));
    if (!hasIPv6) return;
    const web = await serve({ host: '::1' });
    expect(web.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
    expect(await ask(web, '/healthz')).toMatchObject({ status: 200 });
  });
});

test('a connection that cannot be accepted, for want of file descriptors, is said and ends nothing', async () => {
  const listen = jest.spyOn(Server.prototype, 'listen');
  const warnings: string[] = [];
  const web = await serve({ log: { warn: (event) => warnings.push(event) } });
  const [server] = listen.mock.contexts as Server[];
  listen.mockRestore();
  server?.emit('error', new Error('accept EMFILE'));
  expect(warnings).toEqual(['web:failed']);
  expect((await ask(web, '/healthz')).body).toBe('ok');
});

describe('Where there are operators', () => {
  const VIEWER = 'vic-token-vic-token-vic-token-vic-t';
  const operators = [
    { name: 'alice', role: 'operator', token: 'alice-token-alice-token-alice-token' },
    { name: 'vic', role: 'viewer', token: VIEWER },
  ] as const;
  const LINES = ['blind: 1 of 2 watches', 'paused: vault until 18:00 by alice'];

  async function serveTo(callers: Partial<IdentityOptions>, isReady = true): Promise<Web> {
    const { api } = testWebOptions({});
    return serve({
      readiness: () => ({ isReady, lines: LINES }),
      api: { ...api, callers: () => ({ ...NO_CALLERS, ...callers }) },
    });
  }
  const bearing = (token: string) => ({ authorization: `Bearer ${token}` });

  test('metrics take the token of anyone of them, and health tells names to nobody else', async () => {
    const web = await serveTo({ operators });
    const unknown = await ask(web, '/metrics');
    expect([unknown.status, unknown.headers['www-authenticate'], unknown.body]).toEqual([
      401,
      'Bearer',
      expect.stringContaining('Send `Authorization: Bearer TOKEN`'),
    ]);
    expect((await ask(web, '/metrics', bearing('wrong'))).status).toBe(401);
    expect((await ask(web, '/metrics', bearing(VIEWER))).body).toBe(METRICS);
    expect(await ask(web, '/readyz')).toMatchObject({ status: 200, body: 'ready' });
    expect((await ask(web, '/readyz', bearing(VIEWER))).body).toBe(['ready', ...LINES].join('\n'));
    expect(await ask(web, '/healthz')).toMatchObject({ status: 200, body: 'ok' });
  });

  test('a daemon that is not ready says so to everybody', async () => {
    const web = await serveTo({ operators }, false);
    expect(await ask(web, '/readyz')).toMatchObject({ status: 503, body: 'waiting' });
    expect(await ask(web, '/readyz', bearing(VIEWER))).toMatchObject({ status: 503 });
  });

  test('who may read the page without a token may read both, and so may everybody where there is no operator', async () => {
    for (const callers of [{ operators, isOpen: true }, { operators: [] }]) {
      const web = await serveTo(callers);
      expect((await ask(web, '/metrics')).body).toBe(METRICS);
      expect((await ask(web, '/readyz')).body).toBe(['ready', ...LINES].join('\n'));
    }
  });
});
