// The credits of a plan last for its period, whatever is asked of it: a real daemon over HTTP, on an explorer that counts
// credits and refuses when they are used up. One clock drives both.
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { HealthSummary } from '../../src/core/model/quality/health-summary.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { serveSandbox } from '../../src/sandbox/server.ts';
import { runApp, type RunningApp } from '../support/app.ts';
import { run } from '../support/cli.ts';
import { createFolder } from '../support/daemon.ts';
import { createStoryClock } from '../support/fake-clock.ts';
import { callApi, OPERATOR_TOKEN } from '../support/web/api-calls.ts';
import { onState } from '../support/store/peek.ts';
import { stateOf } from '../support/store/story-state.ts';

const HOUR = 3_600_000;
const ENV = { ALICE: OPERATOR_TOKEN };

/** What people and programs read of the plan. */
interface Forecast {
  readonly remaining: number;
  readonly at_reset: number;
  readonly planned_per_day: number;
  readonly wanted_per_day: number;
  readonly spent: Readonly<Record<string, number>>;
  readonly foreign: number;
}

async function forecastOf({ running }: Planned): Promise<Forecast> {
  const { trust } = JSON.parse((await running.page('/api/v1/overview')).body) as {
    trust: { credits: [Forecast] };
  };
  return trust.credits[0];
}

interface Planned extends AsyncDisposable {
  readonly running: RunningApp;
  readonly sandbox: Sandbox;
  readonly answers: { readonly status: number; readonly path: string; readonly at: number }[];
  readonly folder: ReturnType<typeof createFolder>;
  readonly url: string;
  /** What the log channel printed. */
  readonly printed: string[];
  readonly print: (line: string) => Promise<void>;
}

const CONFIG = (url: string, self: string): string => `
explorers:
  chain: { form: multichain, base_url: '${url}', chain_id: '31337', api_key: sandbox, plan: { credits: 43200 } }
addresses: { a: '0x${'1a'.repeat(20)}', b: '0x${'2b'.repeat(20)}', c: '0x${'3c'.repeat(20)}' }
channels: { screen: { type: log } }
self: ${self}
http: { listen: 127.0.0.1:0, operators: { alice: { token: { env: ALICE } } } }
rules: [rules.yaml]
`;

const RULE = (id: string, of: string, severity: string): string =>
  `  - { id: ${id}, kind: balance, of: ${of}, every: 1m, alerts: [{ id: low, while: balance > 1_000_000_000, severity: ${severity} }] }\n`;

/** One critical watch and two others, each a minute: 86,400 credits a day. */
const RULES = `watches:\n${RULE('vault', 'a', 'critical')}${RULE('coins', 'b', 'warning')}${RULE('other', 'c', 'info')}`;

/** A plan of 43,200 a day, of which so much is left until midnight. */
async function onPlan({
  credits,
  hoursLeft,
  self = 'none',
  rules = RULES,
  says = (left) => left,
}: {
  credits: number;
  hoursLeft: number;
  self?: string;
  rules?: string;
  /** The header of the answer with that number, from 1 on. */
  says?: (left: string, answer: number) => string;
}): Promise<Planned> {
  await using opened = new AsyncDisposableStack();
  const clock = createStoryClock(Date.UTC(2026, 0, 2) - hoursLeft * HOUR);
  const sandbox = createSandbox({ seed: 1, blockTimeMs: 'manual', clock, quiet: true, limits: { credits: 43_200 } });
  sandbox.spend({ credits: 43_200 - credits });
  const answers: Planned['answers'] = [];
  const counted: Sandbox = {
    ...sandbox,
    ask(request) {
      const answer = sandbox.ask(request);
      answers.push({
        status: answer.status,
        path: request.route.path,
        at: clock.now(),
      });
      const left = answer.headers['x-credits-remaining'];
      if (left === undefined) return answer;
      return { ...answer, headers: { ...answer.headers, 'x-credits-remaining': says(left, answers.length) } };
    },
  };
  const served = opened.use(await serveSandbox(counted));
  const folder = opened.use(createFolder({ 'config.yaml': CONFIG(served.url, self), 'rules.yaml': rules }));
  const printed: string[] = [];
  const print = (line: string): Promise<void> => {
    printed.push(line.slice(line.indexOf(' ') + 1));
    return Promise.resolve();
  };
  const running = opened.use(await runApp(folder, { clock, print, env: ENV }));
  const all = opened.move();
  return {
    running,
    sandbox,
    answers,
    folder,
    url: served.url,
    printed,
    print,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

function gapsAt(answers: Planned['answers'], address: string): number[] {
  const times = answers.filter(({ path }) => path.includes(address.repeat(20))).map(({ at }) => at);
  return times.slice(1).map((at, i) => at - (times[i] ?? at));
}

/** The tenth and the ninetieth of a hundred. */
function spread(gaps: readonly number[]): readonly [number, number] {
  const sorted = gaps.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(share * sorted.length)] ?? NaN;
  return [at(0.1), at(0.9)];
}

test('half of what the watches ask for lasts until midnight: critical ones as written, the rest evenly, no refusal', async () => {
  await using daemon = await onPlan({ credits: 10_800, hoursLeft: 6 });
  const { clock } = daemon.running;
  await clock.advance(6 * HOUR - 30_000);
  expect(daemon.answers.filter(({ status }) => status !== 200)).toEqual([]);
  const spent = daemon.answers.length * 20;
  expect(spent).toBeGreaterThan(0.95 * 10_800);
  expect(spent).toBeLessThanOrEqual(10_800);
  expect(Math.max(...gapsAt(daemon.answers, '1a'))).toBeLessThan(62_000);
  const [short, long] = spread(gapsAt(daemon.answers, '2b'));
  expect(short).toBeGreaterThan(70_000);
  expect(long / short).toBeLessThan(1.6);
  // After midnight the plan is there again, and nobody asked before it was.
  await clock.advance(10 * 60_000);
  expect(daemon.answers.filter(({ status }) => status !== 200)).toEqual([]);
  expect(Math.max(...gapsAt(daemon.answers, '1a'))).toBeLessThan(62_000);
});

test('another program on the key stretches what is less severe, and no critical watch', async () => {
  await using daemon = await onPlan({ credits: 7500, hoursLeft: 3 });
  const { clock } = daemon.running;
  await clock.advance(HOUR / 2);
  const before = daemon.answers.length;
  for (let minute = 0; minute < 30; minute += 1) {
    daemon.sandbox.spend({ credits: 50 });
    await clock.advance(60_000);
  }
  expect(daemon.answers.length - before).toBeLessThan(before);
  await clock.advance(2 * HOUR - 60_000);
  expect(daemon.answers.filter(({ status }) => status !== 200)).toEqual([]);
  expect(Math.max(...gapsAt(daemon.answers, '1a'))).toBeLessThan(62_000);
});

test('a header that lies once is checked within a minute, however seldom the watches ask, and changes no interval', async () => {
  const rules = `watches:\n${RULE('seldom', 'a', 'warning').replace('every: 1m', 'every: 1h')}`;
  const says = (left: string, answer: number): string => (answer === 3 ? '0' : left);
  await using daemon = await onPlan({ credits: 30_000, hoursLeft: 9, rules, says });
  const { clock } = daemon.running;
  const start = clock.now();
  await clock.advance(6 * HOUR);
  const minutes = daemon.answers.map(({ at }) => Math.floor((at - start) / 60_000));
  const gaps = minutes.slice(1).map((at, i) => at - (minutes[i] ?? at));
  // The lie was the answer of one of the due times; the next request checks it.
  expect(gaps.filter((gap) => gap <= 1)).toHaveLength(1);
  expect(gaps.slice(4).every((gap) => gap === 60)).toBe(true);
  expect(daemon.answers.length).toBeLessThanOrEqual(8);
});

test('people see the interval in force, and a watch that is asked less often is not blind', async () => {
  await using daemon = await onPlan({ credits: 1500, hoursLeft: 1 });
  const { running } = daemon;
  await running.clock.advance(HOUR / 2);
  const list = JSON.parse((await running.page('/api/v1/watches')).body) as {
    items: { name: string; interval_ms: number; effective_ms: number }[];
  };
  const stretchOf = new Map(
    list.items.map(({ name, interval_ms, effective_ms }) => [name, effective_ms / interval_ms]),
  );
  expect(stretchOf.get('vault')).toBe(1);
  expect(stretchOf.get('coins')).toBeGreaterThan(4);
  expect((await running.readyz()).body).not.toContain('blind');
  const { body } = await running.page('/watches/coins');
  expect(body).toMatch(/now every \d+ min[^<]*: the plan of chain\./);
});

test('another program on the key is told of once, with what to write, and is over two hours after its last use', async () => {
  await using daemon = await onPlan({ credits: 30_000, hoursLeft: 5, self: 'screen' });
  const { running, sandbox, printed } = daemon;
  await running.clock.advance(HOUR / 2);
  for (let minute = 0; minute < 30; minute += 1) {
    sandbox.spend({ credits: 100 });
    await running.clock.advance(60_000);
  }
  expect(printed.map((line) => line.split(' - ')[0])).toEqual([
    expect.stringMatching(
      /WARNING.* plan-foreign: another program uses the key of chain: 2,[23]\d\d credits since 19:00 UTC/,
    ),
  ]);
  expect(printed[0]).toContain('Write `reserve: 10%` in the config');
  await running.clock.advance(2 * HOUR - 5 * 60_000);
  expect(printed).toHaveLength(1);
  await running.clock.advance(10 * 60_000);
  expect(printed.slice(1)).toEqual([expect.stringContaining('RESOLVED')]);
});

test('over an acknowledgement, a restart, a reload and a silence an alert of a plan begins once, and ends once at the reset', async () => {
  await using daemon = await onPlan({ credits: 30_000, hoursLeft: 5, self: 'screen' });
  const { sandbox, printed, folder } = daemon;
  const { clock } = daemon.running;
  const words = (): string[] => printed.flatMap((line) => /plan-foreign (FIRING|RESOLVED) /.exec(line)?.[1] ?? []);
  const othersSpend = async (minutes: number): Promise<void> => {
    for (let minute = 0; minute < minutes; minute += 1) {
      sandbox.spend({ credits: 100 });
      await clock.advance(60_000);
    }
  };
  await clock.advance(HOUR / 2);
  await othersSpend(30);
  expect(words()).toEqual(['FIRING']);

  const acked = await run(
    [
      'ack',
      'chainwarden/plan-foreign',
      '-m',
      'on it',
      '--url',
      daemon.running.app.url,
      '-c',
      join(folder.path, 'config.yaml'),
    ],
    { clock, env: { CHAINWARDEN_TOKEN: OPERATOR_TOKEN } },
  );
  expect(acked.out).toContain('acknowledged until');

  await daemon.running[Symbol.asyncDispose]();
  await using again = await runApp(folder, { clock, print: daemon.print, env: ENV });
  await othersSpend(20);
  expect(words()).toEqual(['FIRING']);

  folder.write('config.yaml', CONFIG(daemon.url, 'screen').replace('43200', '40000'));
  expect(await again.reload()).toBe('config:reloaded');
  await othersSpend(20);
  expect(words()).toEqual(['FIRING']);

  const until = new Date(clock.now() + HOUR / 2).toISOString();
  const matchers = { watch: 'chainwarden' };
  const silenced = await callApi(again, { path: '/silences', body: { until, matchers, comment: 'known' }, key: 's' });
  expect(silenced).toMatchObject({ status: 201 });
  await othersSpend(20);
  await clock.advance(HOUR);
  expect(words()).toEqual(['FIRING']);

  await clock.advance(2 * HOUR);
  expect(words()).toEqual(['FIRING', 'RESOLVED']);
  await clock.advance(HOUR / 2);
  expect(words()).toEqual(['FIRING', 'RESOLVED']);
  // At midnight the intervals became much longer at once.
  expect(printed.join()).not.toContain('chainwarden/blind');
});

test('metrics have the plan of its first explorer, and counters go on over midnight', async () => {
  await using daemon = await onPlan({ credits: 10_800, hoursLeft: 6 });
  const { running, sandbox } = daemon;
  const read = async (): Promise<ReadonlyMap<string, number>> => {
    const lines = (await running.metrics()).matchAll(/^chainwarden_explorer_(\S+)\{explorer="chain"(\S*)\} (\S+)$/gm);
    return new Map([...lines].map(([, name, labels, value]) => [`${name}${labels}`, Number(value)]));
  };
  await running.clock.advance(2 * HOUR);
  sandbox.spend({ credits: 300 });
  await running.clock.advance(HOUR);
  const before = await read();
  expect(before.get('credits_reset_timestamp_seconds')).toBe(Date.UTC(2026, 0, 2) / 1000);
  expect(before.get('credits_foreign_total')).toBe(300);
  expect(before.get('stretch,severity="critical"')).toBe(1);
  expect(before.get('stretch,severity="warning"')).toBeGreaterThan(2);
  expect(before.get('credits_planned_per_day')).toBeLessThan(43_200);
  expect(before.get('postponed_total,severity="info"')).toBe(0);
  await running.clock.advance(4 * HOUR);
  const after = await read();
  for (const [name, value] of before)
    if (name.includes('_total')) expect(after.get(name)).toBeGreaterThanOrEqual(value);
  expect(after.get('credits_spent_total,class="critical"')).toBeGreaterThan(100 * 20 + 180 * 20);
  expect(after.get('credits_reset_timestamp_seconds')).toBe(Date.UTC(2026, 0, 3) / 1000);
});

test('one forecast by the books is on all pages, in the API, in status and in metrics, and it comes true', async () => {
  await using daemon = await onPlan({ credits: 10_800, hoursLeft: 6 });
  const { running, sandbox, folder } = daemon;
  await running.clock.advance(HOUR);
  sandbox.spend({ credits: 300 });
  await running.clock.advance(2 * HOUR);
  const said = await forecastOf(daemon);
  expect(said).toMatchObject({ wanted_per_day: 86_400, foreign: 300, runs_out_at: null, is_counted: false });
  expect(Object.values(said.spent).reduce((sum, credits) => sum + credits, 300)).toBe(10_800 - said.remaining);
  expect(said.planned_per_day).toBeLessThan(86_400 / 2);
  const texts: readonly (readonly [string, RegExp])[] = [
    [await running.metrics(), /_credits_at_reset\{explorer="chain"\} (\d+)\n/],
    [(await running.page('/explorers')).body, /about ([\d,]+) are left at /],
    [(await running.page('/')).body, />about ([\d,]+)</],
    [
      (await run(['status', '-c', join(folder.path, 'config.yaml')], { clock: running.clock, width: 1000 })).out,
      /\bchain: 5,5\d\d left of 43,200 credits a day, refilled in (?:3h|2h59m); about ([\d,]+) left then; the rules want 86,400 a day; intervals: warning ×3\.\d/,
    ],
  ];
  const { body } = await running.page('/explorers');
  expect(body).toMatch(
    /Spent since 18:00:00: critical [\d,]+, warning [\d,]+, info [\d,]+[^.]*, other programs 300\. Intervals: warning ×\d/,
  );
  // `status` reads what was written within half a minute, and a second may pass between two pages.
  const forecasts = texts.map(([text, pattern]) => Number(pattern.exec(text)?.[1]?.replaceAll(',', '')));
  for (const left of forecasts) expect(Math.abs(left - said.at_reset)).toBeLessThan(20);
  await running.clock.advance(3 * HOUR - 20_000);
  const { remaining } = await forecastOf(daemon);
  expect(Math.abs(remaining - said.at_reset)).toBeLessThan(0.05 * said.remaining);
});

/** As the daemon last wrote it down for `status`: what is left of how many credits. */
async function leftIn(folder: Planned['folder']): Promise<readonly (number | null)[]> {
  const rows = (await onState(stateOf(folder), "SELECT value FROM facts WHERE name LIKE 'health:%'")) as {
    value: string;
  }[];
  const all = rows.map(({ value }) => JSON.parse(value) as HealthSummary).toSorted((one, other) => other.at - one.at);
  const plan = all[0]?.explorers[0]?.plan;
  return [plan?.known ?? null, plan?.credits ?? null];
}

test('a restart knows what is left before it asks, and a reload with other credits too', async () => {
  await using daemon = await onPlan({ credits: 30_000, hoursLeft: 9 });
  const { running, folder } = daemon;
  const { clock } = running;
  await clock.advance(600_000);
  await running[Symbol.asyncDispose]();
  const asked = daemon.answers.length;
  const left = 30_000 - asked * 20;

  await using again = await runApp(folder, { clock, env: ENV });
  await clock.advance(1);
  expect(await leftIn(folder)).toEqual([left, 43_200]);
  expect(daemon.answers.length).toBe(asked);

  folder.write('config.yaml', CONFIG(daemon.url, 'none').replace('43200', '86400'));
  expect(await again.reload()).toBe('config:reloaded');
  await clock.advance(60_000);
  expect(await leftIn(folder)).toEqual([30_000 - daemon.answers.length * 20, 86_400]);
});

test('what is kept of a plan and cannot be read costs a line in the log, and is written again', async () => {
  await using daemon = await onPlan({ credits: 13_500, hoursLeft: 9 });
  const { running, folder } = daemon;
  const { clock } = running;
  await clock.advance(60_000);
  await running[Symbol.asyncDispose]();
  const state = stateOf(folder);
  await onState(state, `UPDATE plans SET kept = '{"books":'`);

  await using again = await runApp(folder, { clock, env: ENV });
  expect(await again.says('plan:damaged')).toMatchObject({ why: expect.stringContaining('the stored plan') });
  await clock.advance(120_000);
  const rows = await onState(state, 'SELECT plan, kept FROM plans');
  expect(rows).toEqual([
    { plan: expect.not.stringContaining('sandbox'), kept: expect.stringContaining('"header":13') },
  ]);
});
