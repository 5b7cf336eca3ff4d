import { expect, test } from '@jest/globals';
import { accountsCsv } from '../../src/query/watches/accounts-csv.ts';
import { totalsOf, type Worth } from '../../src/query/watches/worth.ts';
import { Amount } from '../../src/core/values/amount.ts';
import { AccountList, Series } from '../../src/query/shapes/accounts.ts';
import { AccountListFilter, SamplesFilter, WatchListFilter } from '../../src/query/shapes.ts';
import { aBalance, aViewedDaemon, rulesOf, TREASURY, VAULT } from '../support/web/viewed-daemon.ts';

const RULES = `
watches:
  - id: coins
    kind: balance
    of: treasury
    every: 1h
    alerts: [{ id: low, while: balance < 100, until: balance > 120, severity: critical, notify: [screen] }]
  - { id: gas, kind: balance, of: vault, every: 1h, alerts: [{ id: low, while: balance < 50, notify: [screen] }] }
`;
const PENDING = `
watches:
  - { id: gas, kind: balance, of: vault, every: 1m, alerts: [{ id: low, while: balance < 50, for: 5m, notify: [ops] }] }
`;
const HOUR = 3_600_000;
const all = AccountListFilter.parse({});

test('accounts come closest to their limit first, with their day and their last outflow', async () => {
  const daemon = await aViewedDaemon(RULES);
  const { queries, shown } = daemon;
  Object.assign(shown, { treasury: '1000', vault: '52' });
  await daemon.poll(20, HOUR);
  shown['treasury'] = '900';
  await daemon.poll(10, HOUR);
  const list = await queries.accounts(all);
  expect(AccountList.parse(JSON.parse(JSON.stringify(list)))).toEqual(list);
  expect(list.counts).toEqual({ all: 2, below_limit: 0, within_tenth: 1, old_data: 0 });
  expect(list.items.map(({ watch }) => watch)).toEqual(['gas', 'coins']);
  expect(list.items[1]).toMatchObject({
    of: { name: 'treasury', address: TREASURY, page_url: `https://explorer.invalid/address/${TREASURY}` },
    asset: 'ETH',
    token: null,
    measure: { value: '900', limit: '100', distance: '800' },
    change_24h: -0.1,
    outflow: { amount: '100', at: '2026-01-01T21:00:00Z' },
  });
  const [coins, gas] = [list.items[1], list.items[0]];
  if (coins === undefined || gas === undefined) throw new Error('an account is missing');
  const items = [coins, { ...gas, asset: '=cmd()' }];
  const csv = await accountsCsv(
    ({ after }) => Promise.resolve({ ...list, items, next: after === null ? 'x' : null }),
    all,
  );
  const [head, ...lines] = csv.split(/(?<=\r\n)/);
  // Two pages of the list, each with both lines.
  expect([lines.slice(0, 2), lines.length]).toEqual([lines.slice(2), 4]);
  expect([head, ...lines.slice(0, 2)]).toEqual([
    '\ufeffaccount,address,explorer,asset,token,state,balance,usd,rate,limit_of,limit,distance,change_24h,last_outflow,last_outflow_at,' +
      'as_of,is_stale\r\n',
    `treasury,${TREASURY},chain,ETH,,ok,900,,,balance,100,800,-0.1,100,2026-01-01T21:00:00Z,2026-01-02T06:00:00Z,false\r\n`,
    `vault,${VAULT},chain,'=cmd(),,ok,52,,,balance,50,2,0,,,2026-01-02T06:00:00Z,false\r\n`,
  ]);
});

test('balances have their worth, each explorer and all together a sum, and what has no price is counted beside it', async () => {
  const daemon = await aViewedDaemon(
    rulesOf(
      aBalance('coins', 'treasury', 'id: low, while: balance < 100'),
      aBalance('again', 'treasury', 'id: low, while: balance_usd < 100'),
      aBalance('gas', 'vault', 'id: low, while: balance < 50'),
    ),
  );
  const { queries, shown } = daemon;
  Object.assign(shown, { treasury: '1000.5 at 2.25', vault: '52' });
  await daemon.poll();
  const priced = await queries.accounts(all);
  expect(AccountList.parse(JSON.parse(JSON.stringify(priced)))).toEqual(priced);
  const sum = { usd: '2251.125', balances: 1, old: 0, unpriced: 1, unknown: 0 };
  expect(priced.totals).toEqual({ ...sum, explorers: [{ explorer: 'chain', ...sum }] });
  const [coins] = priced.items.filter(({ watch }) => watch === 'coins');
  expect(coins).toMatchObject({ usd: '2251.125', rate: '2.25', measure: { value: '1000.5' } });
  const [again] = priced.items.filter(({ watch }) => watch === 'again');
  expect(again).toMatchObject({
    balance: '1000.5',
    usd: '2251.125',
    measure: { value: '2251.13', unit: 'USD', distance: '2151.13' },
  });
  const csv = await accountsCsv((filter) => queries.accounts(filter), AccountListFilter.parse({ q: 'again' }));
  expect(csv).toContain(',ETH,,ok,1000.5,2251.125,2.25,balance_usd,100,2151.13,');
  const [gas] = priced.items.filter(({ watch }) => watch === 'gas');
  expect(gas).toMatchObject({ usd: null, rate: null });
  const vault = await queries.accounts(AccountListFilter.parse({ q: 'vault' }));
  expect(vault.totals).toMatchObject({ usd: null, balances: 0, unpriced: 1 });
  shown['treasury'] = '1000.5 at 0';
  await daemon.poll();
  expect((await queries.accounts(all)).totals).toMatchObject({ usd: null, balances: 0, unpriced: 2 });
});

test('a sum names how many of its balances are old', async () => {
  const daemon = await aViewedDaemon(rulesOf(aBalance('coins', 'treasury', 'id: low, while: balance_usd < 100')));
  const { queries, shown } = daemon;
  shown['treasury'] = '10 at 50';
  await daemon.poll();
  expect((await queries.accounts(all)).totals).toMatchObject({ usd: '500', balances: 1, old: 0 });
  shown['treasury'] = null;
  await daemon.poll(5);
  expect((await queries.accounts(all)).totals).toMatchObject({ usd: '500', balances: 1, old: 1 });
});

test('of several readings of a balance the sum has the newest that is not old', () => {
  const amount = (text: string) => Amount.parse(text);
  const usual = { explorer: 'chain', key: 'a', rate: amount('2'), isOld: false };
  const known: Worth = { ...usual, at: 2, amount: amount('1'), usd: amount('2') };
  const never: Worth = { ...usual, at: null, amount: undefined, usd: undefined, rate: undefined };
  const older: Worth = { ...usual, at: 1, amount: amount('5'), usd: amount('10') };
  const stopped: Worth = { ...usual, at: 3, amount: amount('7'), usd: amount('14'), isOld: true };
  const sum = { usd: '2', balances: 1, old: 0, unpriced: 0, unknown: 0 };
  for (const all of [
    [known, never, older, stopped],
    [stopped, older, never, known],
  ])
    expect(totalsOf(all)).toEqual({ ...sum, explorers: [{ explorer: 'chain', ...sum }] });
});

test('an account that is below its limit says when it fires, until it does', async () => {
  const daemon = await aViewedDaemon(PENDING);
  const { queries, shown } = daemon;
  shown['vault'] = '52';
  await daemon.poll();
  expect((await queries.accounts(all)).items).toMatchObject([{ state: 'ok', fires_at: null }]);
  shown['vault'] = '12';
  await daemon.poll();
  expect((await queries.accounts(all)).items).toMatchObject([
    { state: 'pending', severity: 'warning', fires_at: '2026-01-01T00:07:00Z' },
  ]);
  expect((await queries.watches(WatchListFilter.parse({}))).items).toMatchObject([
    { state: 'pending', fires_at: '2026-01-01T00:07:00Z' },
  ]);
  await daemon.poll(5);
  expect((await queries.accounts(all)).items).toMatchObject([{ state: 'firing', severity: 'warning', fires_at: null }]);
});

test('an account without a day behind it has no change, and one that is blind only was so', async () => {
  const daemon = await aViewedDaemon(RULES);
  Object.assign(daemon.shown, { treasury: '1000', vault: '52' });
  await daemon.poll(3, HOUR);
  expect((await daemon.queries.accounts(all)).items[0]).toMatchObject({ change_24h: null, outflow: null });
  daemon.shown['vault'] = null;
  await daemon.poll(4, HOUR);
  const old = await daemon.queries.accounts(AccountListFilter.parse({ state: 'old-data' }));
  expect(old.items).toMatchObject([{ watch: 'gas', state: 'blind', measure: { value: '52', is_stale: true } }]);
});

test('a chart shows hours where samples are too old, then each sample, and where nothing is known', async () => {
  const daemon = await aViewedDaemon(RULES);
  const { queries, shown, store } = daemon;
  Object.assign(shown, { treasury: '1000', vault: '60' });
  for (let day = 0; day < 12; day += 1) {
    shown['treasury'] = String(1000 - day * 10);
    await daemon.poll(24, HOUR);
  }
  shown['treasury'] = null;
  await daemon.poll(8, HOUR);
  shown['treasury'] = '90';
  await daemon.poll(2, HOUR);
  const view = await daemon.view();
  const [watch] = view.runtime.watches();
  if (watch === undefined) throw new Error('no watch');
  const hours = await view.store.buckets({ watch: watch.id, path: 'balance' }, 0);
  expect(hours[0]).toEqual({ at: Date.UTC(2026, 0, 1, 1), first: '1000', last: '1000', min: '1000', max: '1000' });
  expect((await store.samples(watch.id))['balance']?.[0]?.[2]).toBe('960');

  const month = await queries.samples('coins', SamplesFilter.parse({ since: '30d' }));
  expect(Series.parse(JSON.parse(JSON.stringify(month)))).toEqual(month);
  expect(month?.points[0]).toEqual(['2026-01-01T01:00:00Z', '1000']);
  expect(month?.points.at(-1)).toEqual(['2026-01-13T10:00:00Z', '90']);
  expect(month).toMatchObject({ field: 'balance', unit: 'ETH', from: '2026-01-01T01:00:00Z' });
  expect(month?.limits).toEqual([{ alert: 'low', severity: 'critical', fires: 'below', fire: '100', clear: '120' }]);
  expect(month?.gaps).toContainEqual(['2026-01-13T00:00:00Z', '2026-01-13T09:00:00Z']);
  expect(month?.episodes).toMatchObject([{ alert: 'low', from: '2026-01-13T09:00:00Z', until: null }]);

  const day = await queries.samples('coins', SamplesFilter.parse({ since: '24h' }));
  expect(day?.points[0]).toEqual(['2026-01-12T10:00:00Z', '890']);
  expect(await queries.samples('coins', SamplesFilter.parse({ field: 'made_up' }))).toBeNull();
  expect(await queries.samples('never', SamplesFilter.parse({}))).toBeNull();

  const { items } = await queries.watches(WatchListFilter.parse({ q: 'coins' }));
  const states = items[0]?.bars.states ?? [];
  expect(states.at(-1)).toBe('critical');
  expect(states.filter((state) => state === 'unknown').length).toBe(16);
});

test('a chart of two alerts has the limits of both, and begins with the first poll of a watch that is new', async () => {
  const daemon = await aViewedDaemon(
    rulesOf(
      aBalance(
        'coins',
        'treasury',
        'id: low, while: balance < 100, severity: critical',
        'id: lower, while: balance < 50, until: balance > 60',
      ),
    ),
  );
  daemon.shown['treasury'] = '90';
  await daemon.poll(3);
  expect(await daemon.queries.samples('coins', SamplesFilter.parse({}))).toMatchObject({
    from: '2026-01-01T00:01:00Z',
    gaps: [],
    limits: [
      { alert: 'low', severity: 'critical', fire: '100', clear: '100' },
      { alert: 'lower', severity: 'warning', fire: '50', clear: '60' },
    ],
    episodes: [{ alert: 'low', severity: 'critical', until: null }],
  });
});

test('a chart shows no gap between two answers of an interval that a plan made longer', async () => {
  const daemon = await aViewedDaemon(rulesOf(aBalance('coins', 'treasury', 'id: low, while: balance < 100')));
  daemon.known.paceMs = 5 * 60_000;
  daemon.shown['treasury'] = '120';
  await daemon.poll(3, 5 * 60_000);
  const chart = () => daemon.queries.samples('coins', SamplesFilter.parse({}));
  await daemon.clock.advance(4 * 60_000);
  expect(await chart()).toMatchObject({ gaps: [] });
  // Three of these intervals without an answer are unknown.
  await daemon.clock.advance(12 * 60_000);
  expect(await chart()).toMatchObject({ gaps: [['2026-01-01T00:15:00Z', '2026-01-01T00:31:00Z']] });
});

test('the first value of a new watch, which changed at once, was not in its chart', async () => {
  const daemon = await aViewedDaemon(rulesOf(aBalance('coins', 'treasury', 'id: low, while: balance < 100')));
  const at = daemon.clock.now() + 60_000;
  daemon.shown['treasury'] = '120';
  // The answer came a little before it was stored.
  const commit = daemon.store.commit.bind(daemon.store);
  daemon.store.commit = (decisions, committedAt, ...rest) => commit(decisions, committedAt + 2, ...rest);
  await daemon.poll();
  daemon.shown['treasury'] = '110';
  await daemon.poll(2);
  const chart = await daemon.queries.samples('coins', SamplesFilter.parse({}));
  expect(chart?.points[0]).toEqual([new Date(at).toISOString().replace('.000', ''), '120']);
  expect(chart?.gaps).toEqual([]);
});

test('an account with several balances has one heading: they stand together, where the closest of them stands', async () => {
  const rule = (id: string, of: string, limit: number): string =>
    `  - { id: ${id}, kind: balance, of: ${of}, every: 1h, alerts: [{ id: low, while: balance < ${limit}, notify: [screen] }] }`;
  const daemon = await aViewedDaemon(
    ['watches:', rule('far', 'treasury', 10), rule('middle', 'vault', 300), rule('near', 'treasury', 900)].join('\n'),
  );
  Object.assign(daemon.shown, { treasury: '1000', vault: '500' });
  await daemon.poll(2, HOUR);
  const { items } = await daemon.queries.accounts(all);
  expect(items.map(({ of, watch }) => `${of.name ?? ''} ${watch}`)).toEqual([
    'treasury near',
    'treasury far',
    'vault middle',
  ]);
  const pages: string[] = [];
  for (let after: string | null = null; pages.length < 3;) {
    const page: AccountList = await daemon.queries.accounts(AccountListFilter.parse({ limit: 1, after }));
    pages.push(...page.items.map(({ watch }) => watch));
    after = page.next;
  }
  expect(pages).toEqual(['near', 'far', 'middle']);
});

test('the day of a watch that is new is not known before its first poll, and never quiet where no answer came', async () => {
  const daemon = await aViewedDaemon(RULES);
  Object.assign(daemon.shown, { treasury: '1000', vault: null });
  await daemon.poll(4, HOUR / 2);
  const { items } = await daemon.queries.watches(WatchListFilter.parse({}));
  const barsOf = (name: string): string => {
    const states = items.find((one) => one.name === name)?.bars.states ?? [];
    return states.map((state) => state.charAt(0)).join('');
  };
  expect(barsOf('coins')).toBe(`${'u'.repeat(44)}qqqq`);
  expect(barsOf('gas')).toBe('u'.repeat(48));
  const overview = await daemon.queries.overview();
  expect(overview.bars.map(({ watch }) => watch)).toEqual(['gas']);
  await daemon.poll(50, HOUR / 2);
  const later = await daemon.queries.watches(WatchListFilter.parse({ q: 'coins' }));
  expect(later.items[0]?.bars.states).not.toContain('unknown');
});
