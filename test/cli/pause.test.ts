// How `pause` and `resume` reach a daemon, and what they say where it cannot be reached.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import type { Terminal } from '../../src/cli/terminal.ts';
import { run, type Ran } from '../support/cli.ts';
import { createFolder } from '../support/daemon.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { freePort } from '../support/free-port.ts';

const TOKEN = 'token-of-the-file-beside-the-state';
const TIMES = { from: '2026-01-01T00:00:00Z', until: '2026-01-01T02:00:00Z' };
const ANSWER = { id: 'k', watch: 'coins', ...TIMES, actor: 'alice', comment: 'moved' };

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

interface Asked {
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A daemon's port, on which each request is answered by the next of these; the last one stays. */
async function serve(...answers: readonly ((response: ServerResponse) => void)[]) {
  const asked: Asked[] = [];
  const server = createServer((incoming, response) => {
    const chunks: string[] = [];
    incoming.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk));
    incoming.on('end', () => {
      const answer = answers[Math.min(asked.length, answers.length - 1)];
      asked.push({ url: incoming.url ?? '', headers: incoming.headers, body: chunks.join('') });
      answer?.(response);
    });
  });
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return { asked, port: (server.address() as AddressInfo).port };
}

const answering = (status: number, body: object) => (response: ServerResponse) => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};
const done = answering(201, ANSWER);
const lost = (response: ServerResponse): void => {
  response.socket?.destroy();
};

/** The command beside the config of a daemon on that port, with a clock whose waits pass at once. */
async function chainwarden(
  port: number,
  argv: readonly string[],
  env: Record<string, string> = {},
  change: Partial<Terminal> = {},
): Promise<Ran> {
  using folder = createFolder({
    // Somebody is editing it, and it does not load.
    'config.yaml': `explorers: { nonsense }\nhttp: { listen: '0.0.0.0:${port}' }\nstate: { file: data/my.db }\n`,
    'data/my.db.token': `${TOKEN}\n`,
  });
  const clock = { ...createFakeClock(), sleep: () => Promise.resolve() };
  return await run([...argv, '-c', join(folder.path, 'config.yaml')], { env, clock, ...change });
}

test('while the config was being edited nobody could pause: address and token are found all the same', async () => {
  const { port, asked } = await serve(done);
  const { code, out } = await chainwarden(port, ['pause', 'coins[a b]', '--for', '2h', '-m', 'moved']);
  expect([code, out.split('\n')[0]]).toEqual([0, 'coins: paused until 02:00 UTC, in 2h.']);
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatchObject({
    url: '/api/v1/watches/coins%5Ba%20b%5D/pauses',
    headers: { authorization: `Bearer ${TOKEN}`, 'x-chainwarden-request': '1' },
    body: '{"until":"2026-01-01T02:00:00.000Z","comment":"moved"}',
  });
});

test('says who acts: by --as, else by the login name; with a token of its own the daemon knows', async () => {
  const { port, asked } = await serve(done);
  const resume = (argv: readonly string[], env = {}): Promise<Ran> =>
    chainwarden(port, ['resume', 'coins', ...argv], env, { login: 'bob' });
  expect((await resume([])).code).toBe(0);
  expect((await resume(['--as', 'carol@ops'])).code).toBe(0);
  expect((await resume([], { CHAINWARDEN_TOKEN: 'token-of-alice' })).code).toBe(0);
  expect(asked.map(({ headers }) => headers['x-chainwarden-actor'])).toEqual(['bob', 'carol@ops', undefined]);
  expect(await resume(['--as', 'a b'])).toMatchObject({ code: 64, err: expect.stringContaining('--as: a name has 1') });
  expect(await resume(['--as', 'bob'], { CHAINWARDEN_TOKEN: 'token-of-alice' })).toMatchObject({ code: 64 });
  expect(asked).toHaveLength(3);
});

test('a lost answer is asked for again under the same key, and the command says what was done', async () => {
  const { port, asked } = await serve(lost, lost, done);
  const { code } = await chainwarden(port, ['pause', 'coins', '--for', '2h']);
  expect(code).toBe(0);
  expect(new Set(asked.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  expect(asked).toHaveLength(3);
});

test('takes an answer of a later release, which may hold more', async () => {
  const { port } = await serve(answering(201, { ...ANSWER, reviewed_by: 'bob' }));
  expect(await chainwarden(port, ['pause', 'coins', '--for', '2h'])).toMatchObject({ code: 0, err: '' });
});

test('repeats a call, under the same key, whose idle connection the daemon closes', async () => {
  const { port, asked } = await serve(answering(408, {}), done);
  expect(await chainwarden(port, ['pause', 'coins', '--for', '2h'])).toMatchObject({ code: 0, err: '' });
  expect(new Set(asked.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
});

test('an answer that stays lost is not taken for a failure: the same command can be repeated', async () => {
  const { port, asked } = await serve(lost);
  const { code, out, err } = await chainwarden(port, ['resume', 'coins']);
  const key = String(asked[0]?.headers['idempotency-key']);
  expect([code, out]).toEqual([69, '']);
  expect(err).toContain(`The action may have been carried out. To be sure, repeat the command with --key ${key}`);
  const again = await serve(answering(200, ANSWER));
  expect((await chainwarden(again.port, ['resume', 'coins', '--key', key])).code).toBe(0);
  expect(again.asked[0]?.headers['idempotency-key']).toBe(key);
});

test('says at once that no daemon is running', async () => {
  const { code, err } = await chainwarden(await freePort(), ['resume', 'coins']);
  expect(code).toBe(69);
  expect(err).toMatch(
    /^chainwarden: http:\/\/127\.0\.0\.1:\d+ does not answer \(ECONNREFUSED\)\. Is the daemon running\?/,
  );
});

test.each([
  [409, { detail: 'Use another key.' }, 1, 'chainwarden: Use another key.\n'],
  [503, { detail: 'The state cannot be written.' }, 69, 'chainwarden: The state cannot be written.\n'],
  [404, {}, 69, / answered with 404\n$/],
  [200, { hello: 'world' }, 69, / sent an answer that no daemon of this release sends\n$/],
  [404, { detail: 'evil\u001b[2J\r\nline' }, 1, 'chainwarden: evil\u2039U+001B\u203a[2J line\n'],
])('an answer %s is told with its advice: %j', async (status, body, code, err) => {
  const { port } = await serve(answering(status, body));
  const ran = await chainwarden(port, ['resume', 'coins']);
  expect(ran.code).toBe(code);
  expect(ran.err).toEqual(typeof err === 'string' ? err : expect.stringMatching(err));
});

test('a redirect is not followed: the token is for the daemon only', async () => {
  const other = await serve(done);
  const { port } = await serve((response) => {
    response.writeHead(307, { location: `http://127.0.0.1:${other.port}/` }).end();
  });
  expect((await chainwarden(port, ['resume', 'coins'])).code).toBe(69);
  expect(other.asked).toEqual([]);
});

test('CHAINWARDEN_TOKEN wins over the file, and the file’s token leaves this machine for nobody', async () => {
  const { port, asked } = await serve(done);
  await chainwarden(port, ['resume', 'coins'], { CHAINWARDEN_TOKEN: 'mine' });
  expect(asked[0]?.headers.authorization).toBe('Bearer mine');
  const elsewhere = await chainwarden(port, ['resume', 'coins', '--url', 'https://warden.example']);
  expect([elsewhere.code, elsewhere.err]).toEqual([
    64,
    'chainwarden: Set CHAINWARDEN_TOKEN to your token: that of the token file is for its machine.\n',
  ]);
});

test.each([
  [['pause', 'coins'], 'Write a duration: --for 2h, or an end: --until 18:00. At most 30 days.'],
  [['pause', 'coins', '--for', '2h', '--until', '18:00'], 'Give --for or --until, not both.'],
  [['pause', 'coins', '--for', 'ever'], '--for: "ever" is not a duration such as 30m, 2h or 1d'],
  [['pause', 'coins', '--until', '2026-01-31 18:00'], 'is not a time such as 18:00 (UTC) or 2026-01-31T18:00Z'],
  [['resume', 'coins', '--url', 'ftp://x'], '--url: it is not an address such as http://127.0.0.1:9797'],
])('%j says what is wrong with it, and asks nobody', async (argv, err) => {
  const { port, asked } = await serve(done);
  const ran = await chainwarden(port, argv);
  expect([ran.code, asked]).toEqual([64, []]);
  expect(ran.err).toContain(err);
});

test.each([
  ['18:00', '2026-01-01T18:00:00.000Z'],
  ['00:00', '2026-01-02T00:00:00.000Z'],
  ['2026-01-03T18:00Z', '2026-01-03T18:00:00.000Z'],
  ['2026-01-03T18:00:30+02:00', '2026-01-03T16:00:30.000Z'],
])('--until %s is %s', async (until, sent) => {
  const { port, asked } = await serve(done);
  await chainwarden(port, ['pause', 'coins', '--until', until]);
  expect(JSON.parse(asked[0]?.body ?? '{}')).toMatchObject({ until: sent });
});
