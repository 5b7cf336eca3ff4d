import { spawn, spawnSync } from 'node:child_process';
import { on, once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { readdirSync, readFileSync, renameSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from '@jest/globals';
import { RUNTIME_FLAGS } from '../../src/cli/runtime-flags.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { serveSandbox } from '../../src/sandbox/server.ts';
import { createFolder, start, type Process } from '../support/daemon.ts';
import { freePort } from '../support/free-port.ts';
import { createWebhookSink, status } from '../support/sinks.ts';
import { isOnPostgres } from '../support/store/story-state.ts';

const RULE = (id: string): string => `
watches:
  - { id: ${id}, kind: internal-transactions, of: vault, every: 1s, alerts: [{ id: failed, on: new, if: success == false }] }
`;

const BLOCKS = 'watches: [{ id: head, kind: blocks, every: 1s, alerts: [{ id: any, on: new }] }]\n';

const KEY = 'proapi_canary_4711';
const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes long').toString('base64')}`;

test('one life of the daemon: told, kept alive by a bad edit, changed by a good one, silent about its secrets', async () => {
  const sandbox = createSandbox({ seed: 1, blockTimeMs: 'manual', clock: systemClock, quiet: true });
  const served = await serveSandbox(sandbox);
  const gate = await serveBehindKey(served.url);
  await using hook = await createWebhookSink();
  using folder = createFolder({
    'rules/a.yaml': RULE('first'),
    'config.yaml': `
explorers:
  chain: { form: multichain, base_url: '${gate.url}', chain_id: '31337', api_key: { env: KEY } }
addresses: { vault: ${sandbox.addresses.vault} }
channels: { hook: { type: webhook, url: { env: HOOK }, secret: { env: SECRET }, allow: [127.0.0.0/8] } }
self: none
http: { listen: 127.0.0.1:0 }
rules: [rules/*.yaml]
`,
  });
  const env = { KEY, HOOK: `${hook.origin}/token-in-the-url`, SECRET };
  await using daemon = start(['run'], folder.path, env);
  const started = JSON.parse(await daemon.says('daemon:started')) as { metrics: string };
  await daemon.says('watch:baseline');

  sandbox.mine();
  sandbox.failCall({ to: 'vault', reason: 'paused' });
  hook.answerNext(status(503));
  const calls = await hook.calls.reached(2);
  expect(calls.map(({ headers }) => headers['chainwarden-attempt'])).toEqual(['1', '2']);
  expect(calls[0]?.body).toBe(calls[1]?.body);

  folder.write('rules/a.yaml', RULE('second').replace('success', 'sucess'));
  const rejected = await daemon.says('config:rejected');
  expect(rejected).toContain('rules/a.yaml:3:');
  expect(rejected).toContain('success');
  await metricsWith(started.metrics, 'chainwarden_config_last_reload_successful 0');

  folder.write('rules/a.yaml', RULE('second'));
  await daemon.says('config:reloaded');
  const metrics = await metricsWith(started.metrics, 'chainwarden_watch_up{watch="second"');
  expect(metrics).toContain('chainwarden_config_last_reload_successful 1');
  expect(metrics).not.toContain('chainwarden_watch_up{watch="first"');
  expect(metrics).toContain('chainwarden_watch_data_state{watch="second",of="vault",state="ok"} 1');
  expect(metrics).toContain('chainwarden_explorer_credits_remaining{explorer="chain"} 99980');

  // A second one on the same database does not end: it waits (replicas/postgres.test.ts).
  if (!isOnPostgres) {
    await using second = start(['run'], folder.path, env);
    expect((await second.ended).code).toBe(75);
    expect(second.err()).toContain(`pid ${daemon.pid}`);
  }

  const shown = [daemon.out(), daemon.err(), metrics, cmdlineOf(daemon), ...stateFiles(folder.path)];
  for (const secret of [KEY, SECRET, 'token-in-the-url']) for (const text of shown) expect(text).not.toContain(secret);
  expect(await (await fetch(started.metrics.replace('metrics', 'readyz'))).text()).toContain('ready');

  daemon.kill('SIGTERM');
  expect(await daemon.ended).toEqual({ code: 0, signal: null });
  expect(hook.calls.all).toHaveLength(2);

  // What it leaves behind is what the other commands read.
  await using planned = start(['plan'], folder.path, env);
  expect((await planned.ended).code).toBe(0);
  expect(planned.out()).toMatch(/^nothing changes/);
  await using explained = start(['explain', 'second'], folder.path, env);
  expect((await explained.ended).code).toBe(0);
  expect(explained.out()).toMatch(/data ok since .*the newest item that was read: .*success == false/s);
  gate.close();
  await served.close();
});

/** The text is cached for a second, so it is asked for until it shows the change. */
async function metricsWith(url: string, wanted: string): Promise<string> {
  for (;;) {
    const text = await (await fetch(url)).text();
    if (text.includes(wanted)) return text;
  }
}

/** The sandbox behind a key of our own, so that it can be looked for everywhere. */
async function serveBehindKey(target: string): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/^\/31337/, '');
    const isKnown = request.headers.authorization === `Bearer ${KEY}`;
    if (!isKnown) response.writeHead(401).end('{"error":"Unauthorized"}');
    else
      void fetch(`${target}${path}`).then(async (answer) => {
        const headers = { 'content-type': 'application/json', 'x-credits-remaining': '99980.0' };
        response.writeHead(answer.status, headers).end(await answer.text());
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, close };
}

function cmdlineOf({ pid }: Process): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
}

function stateFiles(folder: string): string[] {
  return readdirSync(join(folder, 'data')).map((file) => readFileSync(join(folder, 'data', file), 'latin1'));
}

test('however it was started, no signal opens a debugger and the flags that keep memory small are set', async () => {
  using folder = createFolder({
    'rules/a.yaml': BLOCKS,
    'config.yaml': `
explorers: { chain: { form: sandbox } }
channels: { screen: { type: log } }
http: { listen: 127.0.0.1:0 }
rules: [rules/*.yaml]
`,
  });
  await using daemon = start(['run'], folder.path);
  const { pid } = JSON.parse(await daemon.says('daemon:started')) as { pid: number };
  // The process that was started has become another one: a supervisor may go on with the pid that it knows.
  expect(pid).toBe(daemon.pid);
  expect(cmdlineOf(daemon).split('\0')).toEqual(expect.arrayContaining([...RUNTIME_FLAGS, '--no-warnings']));
  daemon.kill('SIGUSR1');
  daemon.kill('SIGTERM');
  expect(await daemon.ended).toEqual({ code: 0, signal: null });
  expect(daemon.err()).not.toContain('Debugger');
});

test('a defect that nobody catches ends it with 70, and what is said of it holds no secret', async () => {
  using folder = createFolder({
    'rules/a.yaml': BLOCKS,
    'config.yaml': `
explorers: { chain: { form: sandbox } }
channels: { hook: { type: webhook, url: { env: HOOK }, allow: [127.0.0.0/8] } }
http: { listen: 127.0.0.1:0 }
rules: [rules/*.yaml]
`,
  });
  const defect = 'process.once("SIGUSR2", () => { throw new Error(`at ${process.env.HOOK}`); })';
  await using daemon = start(['run'], folder.path, {
    HOOK: 'http://127.0.0.1:1/token-in-the-url',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(defect)}`,
  });
  await daemon.says('watch:baseline');
  daemon.kill('SIGUSR2');
  expect(await daemon.ended).toEqual({ code: 70, signal: null });
  const last = daemon.err().trimEnd().split('\n').at(-1) ?? '';
  expect(JSON.parse(last)).toMatchObject({ level: 'error', event: 'daemon:crashed' });
  expect(daemon.err()).not.toContain('token-in-the-url');
});

test('a connection that breaks where nobody listens does not end it: it is said, counted, and the polls go on', async () => {
  using folder = createFolder({
    'rules/a.yaml': BLOCKS,
    'config.yaml': `
explorers: { chain: { form: sandbox } }
channels: { screen: { type: log } }
http: { listen: 127.0.0.1:0 }
rules: [rules/*.yaml]
`,
  });
  const refused = await freePort();
  const defect = `import { connect } from 'node:net'; process.once('SIGUSR2', () => connect(${refused}, '127.0.0.1'))`;
  await using daemon = start(['run'], folder.path, {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(defect)}`,
  });
  const started = JSON.parse(await daemon.says('daemon:started')) as { metrics: string };
  await daemon.says('watch:baseline');
  daemon.kill('SIGUSR2');
  expect(JSON.parse(await daemon.says('daemon:uncaught'))).toMatchObject({ level: 'error' });
  await metricsWith(started.metrics, 'chainwarden_uncaught_network_errors_total 1');
  folder.write('rules/b.yaml', BLOCKS.replace('head', 'second'));
  await daemon.says('"watches":2');
  daemon.kill('SIGTERM');
  expect(await daemon.ended).toEqual({ code: 0, signal: null });
});

test('what a reload cannot change is said to need a restart; put back as it runs, nothing is', async () => {
  const config = (listen: string): string => `
explorers: { chain: { form: sandbox } }
channels: { screen: { type: log } }
http: { listen: ${listen} }
rules: [rules/*.yaml]
`;
  using folder = createFolder({ 'rules/a.yaml': BLOCKS, 'config.yaml': config('127.0.0.1:0') });
  await using daemon = start(['run'], folder.path);
  await daemon.says('watch:baseline');
  folder.write('config.yaml', config('127.0.0.1:1'));
  daemon.kill('SIGHUP');
  expect(JSON.parse(await daemon.says('config:needs-a-restart'))).toMatchObject({ what: 'http' });
  folder.write('config.yaml', config('127.0.0.1:0'));
  folder.write('rules/b.yaml', BLOCKS.replace('head', 'second'));
  daemon.kill('SIGHUP');
  await daemon.says('"watches":2');
  expect(daemon.err().match(/config:needs-a-restart/g)).toHaveLength(1);
});

const SANDBOX = `
explorers: { chain: { form: sandbox } }
channels: { screen: { type: log } }
http: { listen: 127.0.0.1:0 }
rules: [rules/*.yaml]
`;

const hasTerminals = spawnSync('script', ['--version']).status === 0;

(hasTerminals ? test : test.skip)(
  'SIGHUP reloads a daemon on its terminal, and ends one whose terminal was closed',
  async () => {
    using folder = createFolder({ 'rules/a.yaml': BLOCKS, 'config.yaml': SANDBOX });
    const command = `exec '${process.execPath}' '${resolve('src/main.ts')}' run --log-format json`;
    const terminal = spawn('script', ['-qfc', command, '/dev/null'], { cwd: folder.path, stdio: 'pipe' });
    const lines = createInterface({ input: terminal.stdout });
    const says = async (event: string): Promise<string> => {
      for await (const [line] of on(lines, 'line') as AsyncIterable<[string]>) if (line.includes(event)) return line;
      throw new Error(`it ended before ${event}`);
    };
    const { pid, page } = JSON.parse(await says('daemon:started')) as { pid: number; page: string };
    process.kill(pid, 'SIGHUP');
    await says('config:reloaded');
    const { hostname, port } = new URL(page);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    terminal.kill('SIGKILL');
    await once(socket, 'close');
  },
);

test('edits are loaded after the directory of the rules was replaced by another one', async () => {
  using folder = createFolder({ 'rules/a.yaml': BLOCKS, 'config.yaml': SANDBOX });
  await using daemon = start(['run'], folder.path);
  await daemon.says('watch:baseline');
  folder.write('next/a.yaml', BLOCKS);
  folder.write('next/b.yaml', BLOCKS.replace('head', 'second'));
  renameSync(join(folder.path, 'rules'), join(folder.path, 'former'));
  renameSync(join(folder.path, 'next'), join(folder.path, 'rules'));
  await daemon.says('"watches":2');
  folder.write('rules/c.yaml', BLOCKS.replace('head', 'third'));
  await daemon.says('"watches":3');
  folder.write('rules/a.yaml', BLOCKS.replace('head', 'fourth'));
  await daemon.says('fourth');
});

test('a rule that is written the moment the daemon runs is not missed', async () => {
  using folder = createFolder({ 'rules/a.yaml': BLOCKS, 'config.yaml': SANDBOX });
  await using daemon = start(['run'], folder.path);
  await daemon.says('daemon:started');
  folder.write('rules/b.yaml', BLOCKS.replace('head', 'second'));
  await daemon.says('"watches":2');
});
