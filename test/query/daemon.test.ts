// Silences, explorers, rules and the daemon itself, as the API answers them of a daemon that runs.
import { expect, test } from '@jest/globals';
import { RuleListFilter } from '../../src/query/shapes.ts';
import { callApi, readApi } from '../support/web/api-calls.ts';
import { aBalance, aViewedDaemon, CONFIG, rulesOf, type ViewedDaemon } from '../support/web/viewed-daemon.ts';
import { aPlanState } from '../support/spending.ts';
import { anOperatedDaemon, fallLow, RULES, type OperatedDaemon } from '../support/web/operated-daemon.ts';

type Row = Readonly<Record<string, unknown>>;

async function read({ running }: OperatedDaemon, path: string, list: string): Promise<readonly Row[]> {
  const { status, body } = await readApi(running, path);
  expect(status).toBe(200);
  return body[list] as readonly Row[];
}

test('lists silences in force, future and past ones, with their operator and end', async () => {
  await using daemon = await anOperatedDaemon();
  const { running } = daemon;
  const at = (ms: number): string => new Date(running.clock.now() + ms).toISOString();
  const silence = (key: string, more: object): Promise<unknown> =>
    callApi(running, { path: '/silences', key, body: { matchers: { watch: 'coins' }, comment: 'moved', ...more } });
  await silence('later', { from: at(7_200_000), until: at(10_800_000) });
  await silence('now', { until: at(3_600_000) });
  await silence('over', { until: at(3_600_000) });
  await callApi(running, { path: '/silences/over/end', key: 'e' });
  await callApi(running, { path: '/watches/other/pauses', key: 'p', body: { until: at(30_000), comment: 'slow' } });
  await fallLow(daemon);
  for (let n = 0; n < 5; n += 1) await running.says('delivery:sent');
  expect(await read(daemon, '/silences', 'active')).toMatchObject([
    { id: 'now', kind: 'silence', state: 'active', actor: 'alice', comment: 'moved', held: 1 },
    { id: 'later', state: 'scheduled', held: 0 },
  ]);
  expect(await read(daemon, '/silences', 'ended')).toMatchObject([
    { kind: 'pause', state: 'ended', comment: 'slow', held: null },
    { id: 'over', state: 'ended', held: null },
  ]);
});

test('gives the price of each rule, and counts shared requests once', async () => {
  await using daemon = await anOperatedDaemon();
  const costs = await read(daemon, '/explorers', 'costs');
  expect(costs).toMatchObject([
    { rule: 'coins', watches: 1, requests_per_day: 1440, shared_with: ['all'] },
    { rule: 'all', watches: 2, requests_per_day: 1440, shared_with: ['other'] },
  ]);
  expect(costs.reduce((sum, { share }) => sum + Number(share), 0)).toBeCloseTo(1);
  const [chain] = await read(daemon, '/explorers', 'explorers');
  expect(chain).toMatchObject({ name: 'chain', watches: 4, blind: 0, trouble: null, credits: null });
  expect(chain?.['answers']).toContainEqual({ outcome: 'ok', count: expect.any(Number) });
});

test('rules that were saved with a mistake say where it is, and which ones are in force', async () => {
  await using daemon = await anOperatedDaemon();
  const before = await readApi(daemon.running, '/rules');
  expect(before.body).toMatchObject({ rejected: null, counts: { all: 4, unhealthy: 0, rules: 3, files: 1 } });
  daemon.folder.write('rules.yaml', RULES.replace('while: balance < 1,', 'while: balnce < 1,'));
  await daemon.running.reload();
  const after = await readApi(daemon.running, '/rules?rule=coins', { etag: before.etag ?? '' });
  expect(after.body).toMatchObject({
    rejected: {
      problems: [{ line: 3, hint: expect.stringContaining('balance'), frame: expect.stringContaining('^') }],
    },
    items: [{ rule: 'coins', alert: 'low', severity: 'critical', sentence: 'balance < 1', source: { line: 3 } }],
  });
});

test('an alert that fired in the month is found, and one that never did is not', async () => {
  await using daemon = await anOperatedDaemon();
  expect(await read(daemon, '/rules?state=fired', 'items')).toEqual([]);
  await fallLow(daemon);
  for (let n = 0; n < 6; n += 1) await daemon.running.says('delivery:sent');
  const fired = await read(daemon, '/rules?state=fired&q=all/low', 'items');
  expect(fired).toMatchObject([{ rule: 'all', alert: 'low', watches: 2, notifications_30d: 2 }]);
  expect(fired[0]?.['last_true']).toEqual(expect.any(String));
  // An alert without a condition is true whenever it is told.
  const moved = await read(daemon, '/rules?state=fired&q=all/moved', 'items');
  expect(moved).toMatchObject([{ notifications_30d: 2, last_true: '2026-01-01T00:00:54.850Z' }]);
  expect(await read(daemon, '/rules?state=unhealthy', 'items')).toEqual([]);
});

test('the daemon says which release runs, since when, and what it stores', async () => {
  await using daemon = await anOperatedDaemon();
  await daemon.running.clock.advance(60_000);
  const { body } = await readApi(daemon.running, '/about');
  expect(body).toMatchObject({
    started_at: '2026-01-01T00:00:00Z',
    watches: 4,
    rules: 3,
    heartbeat: null,
    storage: { engine: 'sqlite', state: 'works' },
  });
  expect(Number(body['up_ms'])).toBeGreaterThanOrEqual(60_000);
});

test('a plan says what is left, what is planned, and that the rules ask for more than it has', async () => {
  const daemon = await aViewedDaemon(
    rulesOf(aBalance('coins', 'treasury', 'id: low, while: balance < 100')),
    CONFIG.replace('{ form: instance,', '{ plan: { credits: 1000, per: day, reserve: 20% }, form: instance,'),
  );
  const known = (state: Parameters<typeof aPlanState>[0]): void => {
    const plan = aPlanState({ credits: 1000, reserve: 200, known: 900, wantedPerDay: 28_800, ...state });
    daemon.known.explorers = [{ name: 'chain', head: null, plan, paced: null, credits: null }];
  };
  const forecast = async () => (await daemon.queries.overview()).trust.credits[0];
  expect(await forecast()).toBeNull();
  known({ known: null, atReset: null });
  expect(await forecast()).toMatchObject({ remaining: null, at_reset: null, runs_out_at: null, wanted_share: 36 });
  const at = Date.UTC(2026, 0, 1, 6);
  known({ atReset: 180, curve: [{ at, known: 950.4 }] });
  expect(await forecast()).toMatchObject({ curve: [{ at: '2026-01-01T06:00:00Z', remaining: 950 }] });
  const said = { remaining: 900, plan: 1000, reserve: 200, wanted_per_day: 28_800, planned_per_day: 90_000 };
  const ends = { at_reset: 180, runs_out_at: null, resets_at: '2026-01-02T00:00:00Z', spent: { critical: 20_000 } };
  expect(await forecast()).toMatchObject({ ...said, ...ends });
  expect((await daemon.queries.explorers()).explorers).toMatchObject([{ credits: said }]);
  known({ atReset: -50, runsOutAt: Date.UTC(2026, 0, 1, 23) });
  expect(await forecast()).toMatchObject({ at_reset: -50, runs_out_at: '2026-01-01T23:00:00Z' });
});

test('a limit of requests that makes intervals longer is shown where no plan is known', async () => {
  const daemon = await aViewedDaemon(rulesOf(aBalance('coins', 'treasury', 'id: low, while: balance < 100')), CONFIG);
  const shown = async () => (await daemon.queries.explorers()).explorers.map(({ paced }) => paced);
  expect(await shown()).toEqual([null]);
  const paced = { perSecond: 5, wantedPerSecond: 7.834, stretch: { critical: 1, warning: 2.1, info: 1 } };
  daemon.known.explorers = [{ name: 'chain', head: null, plan: null, paced, credits: null }];
  expect(await shown()).toEqual([{ requests_per_second: 5, wanted_per_second: 7.83, intervals: 'warning ×2.1' }]);
});

test('a plan that nobody wrote is shown as the books have it', async () => {
  const daemon = await aViewedDaemon(rulesOf(aBalance('coins', 'treasury', 'id: low, while: balance < 100')), CONFIG);
  expect((await daemon.queries.overview()).trust.credits).toEqual([]);
  daemon.known.explorers = [
    { name: 'chain', head: null, plan: aPlanState({ isAssumed: true }), paced: null, credits: null },
  ];
  expect((await daemon.queries.overview()).trust.credits).toMatchObject([{ is_assumed: true, plan: 100_000 }]);
});

test('a rule leads to its line where the rules are kept, or to the file as it is in force', async () => {
  const rules = `watches:\n  - { id: gas, kind: balance, of: vault, every: 1m, alerts: [{ id: low, while: balance < 1, notify: [ops] }] }\n`;
  const here = await aViewedDaemon(rules);
  const source = async ({ queries }: ViewedDaemon) => (await queries.rules(RuleListFilter.parse({}))).items[0]?.source;
  expect(await source(here)).toEqual({ file: 'rules.yaml', line: 2, url: null });
  expect(await here.queries.ruleFile('rules.yaml')).toEqual({ file: 'rules.yaml', text: rules });
  expect(await here.queries.ruleFile('config.yaml')).toBeNull();
  const template = 'https://git.example.com/{file}?at=main#L{line}';
  const elsewhere = await aViewedDaemon(rules, `${CONFIG}http: { source_url: '${template}' }\n`);
  expect(await source(elsewhere)).toMatchObject({ url: 'https://git.example.com/rules.yaml?at=main#L2' });
  expect(await elsewhere.queries.watch('gas')).toMatchObject({
    source: { url: 'https://git.example.com/rules.yaml?at=main#L2' },
    rule: rules.split('\n')[1],
  });
});
