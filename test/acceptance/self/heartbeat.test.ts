// A service outside hears the daemon for as long as the daemon could tell that something is wrong, and no longer. Time is
// measured by a daemon in health beside it: as soon as that one has beaten often enough, the other one should have too.
import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { createFolder, start, type Process } from '../../support/daemon.ts';
import { runApp, serveBalances } from '../../support/app.ts';
import { onFileAlone } from '../../support/store/on-file-alone.ts';
import { createWebhookSink, status, type WebhookSink } from '../../support/sinks.ts';

const fileTest = onFileAlone('the disk of the state file is full');

interface Watched extends AsyncDisposable {
  readonly daemon: Process;
  readonly service: WebhookSink;
  /** Beats so far, without what was told at /fail. */
  beats(): number;
}

/** A real process that beats every second. SIGUSR2 has its event loop stand still for six seconds. */
async function aDaemon(): Promise<Watched> {
  await using opened = new AsyncDisposableStack();
  const service = opened.use(await createWebhookSink());
  const folder = opened.use(
    createFolder({
      'config.yaml': `
explorers: { chain: { form: sandbox } }
channels: { screen: { type: log } }
heartbeat: { url: { env: BEATS }, every: 1s, allow: [127.0.0.1] }
http: { listen: '127.0.0.1:0' }
rules: [rules.yaml]
`,
      'rules.yaml': 'watches: [{ id: head, kind: blocks, every: 1h, alerts: [{ id: block, on: new }] }]\n',
      'block.mjs':
        "process.on('SIGUSR2', () => { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6000); });\n",
    }),
  );
  const env = { BEATS: `${service.origin}/ping-0f3a9c`, NODE_OPTIONS: `--import=${folder.path}/block.mjs` };
  const daemon = opened.use(start(['run'], folder.path, env));
  await service.calls.reached(2);
  const all = opened.move();
  return {
    daemon,
    service,
    beats: () => service.calls.all.filter(({ path }) => path === '/ping-0f3a9c').length,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Until the daemon in health has beaten so many times more. */
async function periods(count: number, { service }: Watched): Promise<void> {
  await service.calls.reached(service.calls.all.length + count);
}

/** What arrives from now on, up to the first beat that follows a failure. One beat may be under way. */
async function untilItBeatsAgain({ service }: Watched): Promise<string[]> {
  const from = service.calls.all.length;
  for (let count = from + 1; ; count += 1) {
    await service.calls.reached(count);
    const told = service.calls.all
      .slice(from, count)
      .map(({ path, body }) => (path.endsWith('/fail') ? whyOf(body) : ''));
    if (told.at(-1) === '' && told.some((why) => why !== '')) return told[0] === '' ? told.slice(1) : told;
  }
}

/** Until the service is told such a reason at /fail. */
async function untilTold(why: string, { service }: Watched): Promise<void> {
  const isTold = (): boolean =>
    service.calls.all.some(({ path, body }) => path.endsWith('/fail') && whyOf(body).startsWith(why));
  while (!isTold()) await service.calls.reached(service.calls.all.length + 1);
}

function whyOf(body: string): string {
  return (JSON.parse(body) as { why: string }).why;
}

fileTest(
  'SIGKILL, SIGSTOP, an event loop that stands still and a full disk end the beats of a real process; health does not',
  async () => {
    await using opened = new AsyncDisposableStack();
    const all = await Promise.all([aDaemon(), aDaemon(), aDaemon(), aDaemon()]);
    for (const one of all) opened.use(one);
    const [well, killed, stopped, other] = all;

    killed.daemon.kill('SIGKILL');
    stopped.daemon.kill('SIGSTOP');
    await killed.daemon.ended;
    // A beat may have been under way.
    await periods(2, well);
    const before = [killed.beats(), stopped.beats()];
    await periods(7, well);
    expect([killed.beats(), stopped.beats()]).toEqual(before);
    const continued = untilItBeatsAgain(stopped);
    stopped.daemon.kill('SIGCONT');
    expect(await continued).toEqual([expect.stringMatching(/^the daemon stood still for \d+s/), '']);

    const blocked = untilItBeatsAgain(other);
    other.daemon.kill('SIGUSR2');
    expect(await blocked).toEqual([expect.stringMatching(/^the daemon stood still for \d+s/), '']);

    const full = untilItBeatsAgain(other);
    execFileSync('prlimit', [`--pid=${other.daemon.pid}`, '--fsize=4096:']);
    await untilTold('the state ', other);
    await periods(2, well);
    execFileSync('prlimit', [`--pid=${other.daemon.pid}`, '--fsize=unlimited:']);
    const told = await full;
    expect(new Set(told.slice(0, -1))).toEqual(new Set(['the state cannot be written (StorageError)']));

    // A machine that is busy enough stands still for everybody; nothing else is ever wrong with the daemon in health.
    for (const { path, body } of well.service.calls.all)
      expect(path.endsWith('/fail') ? whyOf(body) : '').toMatch(/^$|^the daemon stood still for \d+s$/);
    expect([well, stopped, other].map(({ daemon }) => daemon.err()).join('')).not.toContain('ping-0f3a9c');
  },
);

test('with all sinks down the beats end after ten minutes and two periods, and not before', async () => {
  await using ops = await createWebhookSink(status(503));
  await using service = await createWebhookSink();
  await using explorer = await serveBalances();
  using folder = createFolder({
    'config.yaml': `
explorers: { chain: { form: instance, instance_url: '${explorer.url}' } }
addresses: { treasury: '0x${'11'.repeat(20)}' }
channels: { ops: { type: webhook, url: '${ops.origin}', allow: [127.0.0.1] } }
heartbeat: { url: '${service.origin}/beat', every: 1m, allow: [127.0.0.1] }
http: { listen: 127.0.0.1:0 }
rules: [rules.yaml]
`,
    'rules.yaml':
      'watches: [{ id: coins, kind: balance, of: treasury, every: 1m, alerts: [{ id: low, while: balance < 1 }] }]\n',
  });
  await using running = await runApp(folder);
  const { clock } = running;
  await running.polls.reached(1);
  /** Every period ends with a call: a beat, or what is told at /fail. */
  const periodsOf = async (count: number): Promise<string[]> => {
    const from = service.calls.all.length;
    for (let called = from; called < from + count; called += 1) {
      await clock.advance(60_000);
      await service.calls.reached(called + 1);
    }
    return service.calls.all.slice(from).map(({ path }) => path);
  };
  expect(await periodsOf(3)).toEqual(['/beat', '/beat', '/beat']);
  explorer.balance = '0';
  await periodsOf(1);
  await running.says('delivery:again');
  expect(new Set(await periodsOf(8))).toEqual(new Set(['/beat']));
  const late = await periodsOf(4);
  expect(late.slice(-2)).toEqual(['/beat/fail', '/beat/fail']);
  expect(await running.metrics()).toMatch(/chainwarden_heartbeats_total\{outcome="withheld"\} [2-4]\n/);
});

test('a heartbeat to an address inside that nothing allows does not load, nor does one without its secret', async () => {
  const { loadConfigText } = await import('../../rules/support/load.ts');
  const { summarize } = await import('../../../src/config/problem.ts');
  const problems = (heartbeat: string): string[] =>
    loadConfigText(
      `explorers: { here: { form: sandbox } }\nchannels: { a: { type: list, to: [x] } }\nheartbeat: ${heartbeat}\n`,
    ).problems.map(summarize);
  expect(problems('{ url: "http://169.254.169.254/x" }')).toEqual([
    expect.stringContaining('allow: [169.254.169.254/32]'),
  ]);
  expect(problems('{ url: { env: NOT_SET } }')).toEqual([expect.stringContaining('"NOT_SET" is not set')]);
  expect(problems('{ url: "ftp://beats.example" }')).toEqual([expect.stringContaining('must be an http: or https:')]);
  expect(problems('{ url: "https://beats.example/abc", every: 1ms }')).toEqual([expect.stringContaining('every')]);
  expect(problems('{ url: "https://beats.example/abc" }')).toEqual([]);
});
