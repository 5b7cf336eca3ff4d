import { expect, test } from '@jest/globals';
import { RuleListFilter, WatchListFilter } from '../../src/query/shapes.ts';
import { WatchList } from '../../src/query/shapes/watches.ts';
import { aBalance, aViewedDaemon, rulesOf } from '../support/web/viewed-daemon.ts';
import { operate } from '../support/store/operate.ts';

const RULES = `
watches:
  - id: coins
    kind: balance
    of: treasury
    every: 1m
    alerts: [{ id: low, while: balance < 100, for: 2m, severity: critical, notify: [ops] }]
  - { id: gas, kind: balance, of: vault, every: 1m, alerts: [{ id: low, while: balance < 10, notify: [ops] }] }
  - { id: moves, kind: balance, of: vault, every: 1m, alerts: [{ id: moved, on: changed, notify: [ops] }] }
`;
const all = WatchListFilter.parse({});

test('the list shows problems first, then what is closest to firing', async () => {
  const daemon = await aViewedDaemon(RULES);
  const { queries, shown } = daemon;
  expect((await queries.watches(all)).counts).toMatchObject({ starting: 3, ok: 0 });
  Object.assign(shown, { treasury: '400', vault: '12' });
  await daemon.poll();
  const calm = await queries.watches(WatchListFilter.parse({ sort: 'closest' }));
  expect(calm.items.map(({ name }) => name)).toEqual(['gas', 'coins', 'moves']);
  expect(calm.items.map(({ needs }) => needs)).toEqual([
    'balance has to fall by more than 2 ETH, below 10',
    'balance has to fall by more than 300 ETH, below 100',
    'an event',
  ]);
  shown['treasury'] = '99';
  await daemon.poll();
  expect((await queries.watches(all)).items[0]).toMatchObject({
    name: 'coins',
    state: 'pending',
    severity: 'critical',
  });
  await daemon.poll(2);
  const firing = await queries.watches(all);
  expect(firing.items[0]).toMatchObject({ name: 'coins', state: 'firing', since: '2026-01-01T00:02:00Z', needs: null });
  expect(firing.counts).toMatchObject({ firing: 1, ok: 2 });
  expect(firing.items[0]?.bars.states.at(-1)).toBe('critical');
  expect(WatchList.parse(JSON.parse(JSON.stringify(firing)))).toEqual(firing);
});

test('a blind watch says so, since when and why, and keeps what it last read', async () => {
  const daemon = await aViewedDaemon(RULES);
  Object.assign(daemon.shown, { treasury: '400', vault: '12' });
  await daemon.poll(2);
  daemon.shown['vault'] = null;
  await daemon.poll(6);
  const { items, counts } = await daemon.queries.watches(WatchListFilter.parse({ state: 'blind' }));
  expect(counts).toMatchObject({ blind: 2, ok: 1 });
  expect(items[0]).toMatchObject({
    name: 'gas',
    state: 'blind',
    blind: { cause: 'timeout', since: '2026-01-01T00:02:49.100Z', fields: [] },
    measure: { value: '12', is_stale: true },
    as_of: '2026-01-01T00:02:00Z',
  });
});

test('a silenced and a paused watch are told apart from those that are well', async () => {
  const daemon = await aViewedDaemon(RULES);
  const { store, queries, clock } = daemon;
  Object.assign(daemon.shown, { treasury: '400', vault: '12' });
  await daemon.poll();
  const act = { at: clock.now() };
  const until = clock.now() + 3_600_000;
  const words = { until, comment: 'we move the vault' };
  const from = clock.now();
  await operate(
    store,
    { type: 'silence', matchers: { watch: 'gas' }, from, untilResolved: false, ...words },
    { key: 'a', asked: 'a', actor: 'alice' },
    act,
  );
  await operate(
    store,
    { type: 'pause', watch: 'coins', matchers: { watch: 'coins' }, ...words },
    { key: 'b', asked: 'b', actor: 'alice' },
    act,
  );
  const { items } = await queries.watches(all);
  expect(items.map(({ name, state }) => `${name} ${state}`)).toEqual(['coins paused', 'gas silenced', 'moves ok']);
});

test('pages follow each other, whatever changes between them, and a made-up cursor is refused', async () => {
  const daemon = await aViewedDaemon(RULES);
  Object.assign(daemon.shown, { treasury: '400', vault: '12' });
  await daemon.poll();
  const first = await daemon.queries.watches(WatchListFilter.parse({ limit: 2 }));
  expect(first.items.map(({ name }) => name)).toEqual(['coins', 'gas']);
  const second = await daemon.queries.watches(WatchListFilter.parse({ limit: 2, after: first.next }));
  expect(second).toMatchObject({ items: [{ name: 'moves' }], next: null });
  await expect(daemon.queries.watches(WatchListFilter.parse({ after: 'made-up' }))).rejects.toThrow(
    'none of this list',
  );
});

test('a search finds names, rules and addresses', async () => {
  const { queries } = await aViewedDaemon(RULES);
  const found = async (q: string) =>
    (await queries.watches(WatchListFilter.parse({ q }))).items.map(({ name }) => name);
  expect(await found('GAS')).toEqual(['gas']);
  expect(await found(`0x${'22'.repeat(20)}`)).toEqual(['gas', 'moves']);
  expect(await found('nothing')).toEqual([]);
});

test('a watch that fires and whose explorer falls silent is in the list of those that are blind', async () => {
  const daemon = await aViewedDaemon(RULES);
  Object.assign(daemon.shown, { treasury: '90', vault: '50' });
  await daemon.poll(4);
  Object.assign(daemon.shown, { treasury: null, vault: null });
  await daemon.poll(30);
  const { trust } = await daemon.queries.overview();
  const listed = await daemon.queries.watches(WatchListFilter.parse({ state: 'blind' }));
  expect(listed.items[0]?.measure).toMatchObject({ value: '90', is_stale: true, at: '2026-01-01T00:04:00Z' });
  expect(listed.items.map(({ name, state }) => `${name} ${state}`)).toEqual([
    'coins firing',
    'gas blind',
    'moves blind',
  ]);
  expect(listed).toMatchObject({ all: 3, counts: { firing: 1, blind: 3 } });
  expect(trust.blind).toMatchObject([{ watches: 3 }]);
  expect(trust.unhealthy).toBe(0);
  expect(listed.unhealthy).toBe(0);
});

test('an unhealthy alert of a rule counts once, however many watches the rule has', async () => {
  const daemon = await aViewedDaemon(
    rulesOf(aBalance('coins', '[treasury, vault]', 'id: low, while: balance < 1000', 'id: tiny, while: balance < 1')),
  );
  Object.assign(daemon.shown, { treasury: '90', vault: '50' });
  await daemon.poll(1500);
  const { trust } = await daemon.queries.overview();
  const { counts } = await daemon.queries.rules(RuleListFilter.parse({}));
  expect([trust.unhealthy, counts.unhealthy]).toEqual([1, 1]);
  expect((await daemon.queries.watches(all)).unhealthy).toBe(2);
});

test('watches are asked for by any label of their alerts; of several labels one alert has all', async () => {
  const { queries } = await aViewedDaemon(`
watches:
  - id: coins
    kind: balance
    of: treasury
    labels: { team: eu }
    alerts:
      - { id: low, while: balance < 100, severity: critical, labels: { tier: '1' }, notify: [ops] }
      - { id: high, while: balance > 900, notify: [ops] }
  - { id: gas, kind: balance, of: vault, labels: { team: us }, alerts: [{ id: low, while: balance < 10, notify: [ops] }] }
`);
  const found = async (...label: readonly string[]) => {
    const { items, all: count } = await queries.watches(WatchListFilter.parse({ label }));
    expect(count).toBe(items.length);
    return items.map(({ name }) => name);
  };
  expect(await found()).toEqual(['coins', 'gas']);
  expect(await found('team=eu')).toEqual(['coins']);
  expect(await found('tier=1')).toEqual(['coins']);
  expect(await found('of=vault')).toEqual(['gas']);
  expect(await found('alert=low')).toEqual(['coins', 'gas']);
  expect(await found('tier=1', 'alert=high')).toEqual([]);
  expect(await found('team=eu', 'team=us')).toEqual([]);
  expect(await found('team=e')).toEqual([]);
  // What only some of its alerts have is no label of the watch.
  expect((await queries.watches(all)).items[0]?.labels).toEqual({
    watch: 'coins',
    explorer: 'chain',
    of: 'treasury',
    team: 'eu',
  });
  expect(WatchListFilter.safeParse({ label: 'team' }).error?.issues[0]?.message).toContain('such as team=treasury');
});
