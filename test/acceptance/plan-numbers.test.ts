// What watches cost is said in many places: `check`, `plan`, `status`, the API, the page, the daily report. One config with
// all that makes a difference, two chains of one key, and a daemon that runs it: they say the same.
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { serveSandbox } from '../../src/sandbox/server.ts';
import { runApp } from '../support/app.ts';
import { run } from '../support/cli.ts';
import { createFolder } from '../support/daemon.ts';
import { createStoryClock } from '../support/fake-clock.ts';
import { callApi, OPERATOR_TOKEN } from '../support/web/api-calls.ts';

const CONFIG = (url: string): string => `
explorers:
  one: { form: multichain, base_url: '${url}', chain_id: '31337', api_key: sandbox, plan: { credits: 100000 } }
  two: { form: multichain, base_url: '${url}', chain_id: '31337', api_key: sandbox, plan: { credits: 100000 } }
addresses: { a: '0x${'1a'.repeat(20)}', b: '0x${'2b'.repeat(20)}', c: '0x${'3c'.repeat(20)}' }
channels: { screen: { type: log } }
self: none
http: { listen: 127.0.0.1:0, operators: { alice: { token: { env: ALICE } } } }
rules: [rules.yaml]
`;

const alerts = (severity: string, more = ''): string => `alerts: [{ id: any, on: new, severity: ${severity}${more} }]`;
const low = (severity: string): string => `alerts: [{ id: low, while: balance < 1, severity: ${severity} }]`;

/** In the order of `check`; behind each, what it costs in a day. */
const WATCHES: readonly (readonly [rule: string, requests: number, credits: number])[] = [
  [`{ id: vault, kind: balance, of: a, every: 2m, explorer: one, ${low('critical')} }`, 720, 14_400],
  // It meets the watch before it each six minutes.
  [`{ id: same, kind: balance, of: a, every: 3m, explorer: one, ${low('warning')} }`, 480, 9600],
  // And never this one, which has ticks of its own.
  [`{ id: hours, kind: balance, of: a, cron: '*/10 8-17 * * *', explorer: one, ${low('info')} }`, 60, 1200],
  // The head is asked for too.
  [
    `{ id: deep, kind: transactions, of: b, every: 5m, explorer: one, ${alerts('warning', ', confirmations: 3')} }`,
    576,
    11_520,
  ],
  [
    `{ id: in, kind: internal-transactions, of: b, direction: to, every: 1m, explorer: two, ${alerts('warning')} }`,
    1440,
    57_600,
  ],
  // Both directions are one question.
  [
    `{ id: out, kind: internal-transactions, of: b, direction: from, every: 1m, explorer: two, ${alerts('info')} }`,
    1440,
    57_600,
  ],
  [`{ id: seldom, kind: balance, of: c, every: 1m, explorer: two, ${low('info')} }`, 1440, 28_800],
];
const ONE = { requests: 720 + 480 - 240 + 60 + 2 * 288, credits: 960 * 20 + 60 * 20 + 576 * 20 };
const TWO = { requests: 1440 + 1440, credits: 57_600 + 28_800 };
const ALL = ONE.credits + TWO.credits;

const grouped = (value: number): string => value.toLocaleString('en-US');
const RULES = `watches:\n${WATCHES.map(([rule]) => `  - ${rule}\n`).join('')}`;
const ENV = { ALICE: OPERATOR_TOKEN };

interface Costs {
  readonly explorers: readonly { readonly name: string; readonly credits: Forecast }[];
  readonly costs: readonly {
    readonly explorer: string;
    readonly requests_per_day: number;
    readonly credits_per_day: number;
  }[];
}
interface Forecast {
  readonly wanted_per_day: number;
  readonly intervals: string;
}

test('`check`, `plan`, `status`, API and page say the same of what watches cost, and of how they are stretched', async () => {
  const clock = createStoryClock(Date.UTC(2026, 0, 2));
  const sandbox = createSandbox({ seed: 1, blockTimeMs: 'manual', clock, quiet: true, limits: { credits: 100_000 } });
  await using served = await serveSandbox(sandbox);
  using folder = createFolder({ 'config.yaml': CONFIG(served.url), 'rules.yaml': RULES });
  const config = join(folder.path, 'config.yaml');
  const say = async (command: string): Promise<string> => {
    const { out, err } = await run([command, '-c', config], { clock, env: ENV, width: 1000 });
    return out + err;
  };

  const checked = await say('check');
  for (const [rule, requests, credits] of WATCHES) {
    const name = /id: (\w+)/.exec(rule)?.[1] ?? '';
    expect(checked).toMatch(
      new RegExp(`^${name} .* ${grouped(requests)} requests, ${grouped(credits)} credits a day`, 'm'),
    );
  }
  for (const [name, { requests, credits }] of Object.entries({ one: ONE, two: TWO }))
    expect(checked).toContain(`${name}: ${grouped(requests)} requests a day, ${grouped(credits)} credits a day of 1`);
  expect(checked).toContain(
    `one, two: ${grouped(ALL)} credits a day wanted, ${grouped(Math.round(ALL * 1.1))} with further pages`,
  );
  const bySeverity = [...checked.matchAll(/^one, two: (?:critical|warning|info): .*?, ([\d,]+) credits a day/gm)];
  expect(bySeverity).toHaveLength(3);
  expect(bySeverity.reduce((sum, [, credits]) => sum + Number(credits?.replaceAll(',', '')), 0)).toBe(ALL);
  const stretch = [...checked.matchAll(/: (warning|info): .* (\S+) times as long/g)];
  const intervals = stretch.map(([, severity, times]) => `${severity} ×${times}`).join(', ');
  expect(intervals).toMatch(/^warning ×\d\.\d, info ×\d\.\d$/);
  expect(checked).toContain(`the plan is ${grouped(Math.round(ALL * 1.1 - 100_000))} credits a day too small`);

  const planned = await say('plan');
  for (const [name, { credits }] of Object.entries({ one: ONE, two: TWO }))
    expect(planned).toContain(`${name}: 0 credits a day become ${grouped(credits)}`);

  await using running = await runApp(folder, { clock, env: ENV });
  await clock.advance(30_000);
  expect(await say('plan')).not.toContain('credits a day');
  const read = async (): Promise<Costs> => JSON.parse((await running.page('/api/v1/explorers')).body) as Costs;
  const sumOf = ({ costs }: Costs, explorer?: string) =>
    costs
      .filter((cost) => explorer === undefined || cost.explorer === explorer)
      .reduce(
        (sum, cost) => ({
          requests: sum.requests + cost.requests_per_day,
          credits: sum.credits + cost.credits_per_day,
        }),
        { requests: 0, credits: 0 },
      );
  const before = await read();
  expect([sumOf(before, 'one'), sumOf(before, 'two')]).toEqual([ONE, TWO]);
  for (const { credits } of before.explorers) expect(credits).toMatchObject({ wanted_per_day: ALL, intervals });
  for (const [rule, , credits] of WATCHES) {
    const name = /id: (\w+)/.exec(rule)?.[1] ?? '';
    const watch = JSON.parse((await running.page(`/api/v1/watches/${name}/explain`)).body) as {
      credits_per_day: number;
    };
    expect([name, watch.credits_per_day]).toEqual([name, credits]);
    expect((await running.page(`/watches/${name}`)).body).toContain(`${grouped(credits)} credits a day`);
  }
  expect((await running.page('/explorers')).body).toContain(`Their requests cost ${grouped(ALL)} credits a day`);
  expect(await say('status')).toContain(`the rules want ${grouped(ALL)} a day; intervals: ${intervals}`);

  // A watch that is paused asks nothing.
  const until = new Date(clock.now() + 3_600_000).toISOString();
  const paused = await callApi(running, { path: '/watches/seldom/pauses', body: { until, comment: 'x' }, key: 'p' });
  expect(paused).toMatchObject({ status: 201 });
  await clock.advance(90_000);
  const after = await read();
  expect(sumOf(after).credits).toBe(ALL - 28_800);
  for (const { credits } of after.explorers) expect(credits.wanted_per_day).toBe(ALL - 28_800);
});
