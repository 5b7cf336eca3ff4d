import { expect, test } from '@jest/globals';
import { Overview } from '../../src/query/shapes/overview.ts';
import { aBalance, aViewedDaemon, CONFIG, rulesOf } from '../support/web/viewed-daemon.ts';

const LOW = `
watches:
  - id: coins
    kind: balance
    of: treasury
    every: 1m
    alerts:
      - { id: low, while: balance < 100, until: balance > 150, for: 2m, severity: critical, notify: [ops, oncall] }
  - { id: spare, kind: balance, of: vault, every: 1m, alerts: [{ id: low, while: balance < 10, notify: [screen] }] }
`;

test('a balance falls, and the page tells how far, since when, and who was told', async () => {
  const daemon = await aViewedDaemon(LOW);
  const { queries, shown } = daemon;
  expect(await queries.overview()).toMatchObject({ verdict: 'starting', cards: [], headline: 'Starting' });

  Object.assign(shown, { treasury: '200', vault: '50' });
  await daemon.poll();
  expect(await queries.overview()).toMatchObject({ verdict: 'quiet', headline: 'All quiet', handled: [], events: [] });

  shown['treasury'] = '90.5';
  await daemon.poll();
  const pending = await queries.overview();
  expect(pending).toMatchObject({ verdict: 'in-hand', cards: [] });
  expect(pending.handled).toMatchObject([
    { watch: 'coins', alert: 'low', state: 'pending', why: 'pending', since: '2026-01-01T00:02:00Z' },
  ]);
  expect(pending.handled[0]?.fires_at).toBe('2026-01-01T00:04:00Z');
  expect(pending.handled[0]?.measure).toMatchObject({ value: '90.5', limit: '100', unit: 'ETH' });

  await daemon.poll(2);
  await daemon.send('oncall', { type: 'sent', answer: '204 No Content' });
  await daemon.send('ops', { type: 'again', why: '503 Service Unavailable' });
  const firing = await queries.overview();
  expect(firing).toMatchObject({ verdict: 'critical', more: { alerts: 0, rules: 0 }, unhandled: 1 });
  const [card] = firing.cards;
  expect(card).toMatchObject({ watch: 'coins', alert: 'low', severity: 'critical', state: 'firing', episode: 1 });
  expect(firing.headline).toBe(card?.title);
  expect(card?.of).toMatchObject({ name: 'treasury', explorer: 'chain' });
  expect(card?.measure).toEqual({
    field: 'balance',
    value: '90.5',
    unit: 'ETH',
    limit: '100',
    distance: '9.5',
    side: 'below',
    fires: 'below',
    clears_at: '150',
    at: '2026-01-01T00:04:00Z',
    is_stale: false,
  });
  expect(card?.recipients).toMatchObject([
    { channel: 'oncall', state: 'accepted', tries: 1, answer: '204 No Content' },
    { channel: 'ops', state: 'owed', tries: 1, answer: '503 Service Unavailable' },
  ]);
  expect(firing.trust.owed).toMatchObject([
    { channel: 'ops', rows: 1, last_answer: '503 Service Unavailable', last_try: '2026-01-01T00:04:00Z' },
  ]);
  expect(firing.detail).toContain('1 delivery is owed');

  shown['treasury'] = '151';
  await daemon.poll();
  expect(await queries.overview()).toMatchObject({ verdict: 'quiet', cards: [] });
  expect(Overview.parse(JSON.parse(JSON.stringify(firing)))).toEqual(firing);
});

test('what nobody has to look at says how it stands now, as what waits for somebody does', async () => {
  const daemon = await aViewedDaemon(
    rulesOf(
      aBalance('coins', 'treasury', 'id: low, while: balance < 100, severity: info'),
      aBalance('spare', 'vault', 'id: moves, on: changed, at_least: { count: 2, within: 10m }, severity: info'),
    ),
  );
  const balances = ['90', '110', '90', '110', '90', '110'];
  for (const [n, treasury] of balances.entries()) {
    Object.assign(daemon.shown, { treasury, vault: `${100 + n}` });
    await daemon.poll();
  }
  const { cards, handled } = await daemon.queries.overview();
  expect(cards).toEqual([]);
  expect(handled).toMatchObject([
    { alert: 'moves', why: 'info', state: 'firing', count: { count: 5, limit: 2, of: 'holdings', window_ms: 600_000 } },
    { alert: 'low', why: 'info', state: 'flapping', measure: { value: '110' }, count: null },
  ]);
});

test('a watch that gets no answers is blind, and its last value is only what it was', async () => {
  const daemon = await aViewedDaemon(LOW);
  const { queries, shown } = daemon;
  Object.assign(shown, { treasury: '90', vault: '50' });
  await daemon.poll(3);
  shown['treasury'] = null;
  shown['vault'] = null;
  await daemon.poll(2);
  const early = await queries.overview();
  expect(early.trust).toMatchObject({
    blind: [],
    overdue: [{ cause: 'timeout', explorer: 'chain', watches: 2, rules: 2 }],
  });
  expect(early.detail).toContain(' 2 of 2 watches have had no usable answer since 00:03 UTC.');
  await daemon.poll(5);
  const { verdict, cards, trust, detail } = await queries.overview();
  expect(verdict).toBe('critical');
  expect(cards[0]?.measure).toMatchObject({ value: '90', is_stale: true, at: '2026-01-01T00:03:00Z' });
  expect(trust.blind).toMatchObject([{ cause: 'timeout', explorer: 'chain', watches: 2, rules: 2 }]);
  expect(trust.oldest).toEqual({
    watch: 'coins',
    at: '2026-01-01T00:03:00Z',
    age_ms: 420_000,
    interval_ms: 60_000,
  });
  expect(trust.overdue).toEqual([]);
  expect(detail).toContain('2 of 2 watches are blind');
});

test('events that nobody has looked at do not hide what fires now', async () => {
  const daemon = await aViewedDaemon(
    rulesOf(
      aBalance('coins', 'treasury', 'id: low, while: balance < 100, severity: critical'),
      aBalance('moves', 'vault', 'id: moved, on: changed, severity: critical'),
    ),
  );
  for (const vault of ['50', '51', '52', '53']) {
    Object.assign(daemon.shown, { treasury: '200', vault });
    await daemon.poll();
  }
  daemon.shown['treasury'] = '90';
  await daemon.poll();
  const { cards, headline } = await daemon.queries.overview();
  expect(cards).toMatchObject([
    { watch: 'coins', since: '2026-01-01T00:05:00Z', alerts: 1, is_open: true },
    { watch: 'moves', since: '2026-01-01T00:02:00Z', up_to: '2026-01-01T00:04:00Z', alerts: 3, is_open: false },
  ]);
  expect(headline).toBe('treasury ETH 90, below 100 (and one more)');
  Object.assign(daemon.shown, { treasury: '200' });
  await daemon.poll(1, 86_400_000);
  expect(await daemon.queries.overview()).toMatchObject({ cards: [] });
});

test('what fired in the night and is over is found in the morning, also where it began the day before', async () => {
  const daemon = await aViewedDaemon(LOW);
  Object.assign(daemon.shown, { treasury: '90', vault: '50' });
  await daemon.poll(4);
  const hour = 3_600_000;
  await daemon.poll(30, hour);
  daemon.shown['treasury'] = '200';
  await daemon.poll(2, hour);
  const { recent, bars, calls_nobody: callsNobody } = await daemon.queries.overview();
  expect(callsNobody).toBe(false);
  expect(recent).toMatchObject([
    {
      watch: 'coins',
      alert: 'low',
      title: 'treasury ETH 200, above 150',
      severity: 'critical',
      since: '2026-01-01T00:01:00Z',
      ended: '2026-01-02T07:04:00Z',
      acknowledged_by: null,
    },
  ]);
  const [coins] = bars;
  expect(coins).toMatchObject({ watch: 'coins', state: 'quiet', since: '2026-01-02T07:04:00Z' });
  expect(coins?.bars.states[0]).toBe('critical');
  expect(coins?.bars.notified).toEqual([]);
  await daemon.poll(30, hour);
  expect((await daemon.queries.overview()).recent).toEqual([]);
});

test('a daemon whose only channel is the screen says that it calls nobody', async () => {
  const rules = rulesOf('  - { id: coins, kind: balance, of: treasury, alerts: [{ id: low, while: balance < 1 }] }');
  const daemon = await aViewedDaemon(rules, CONFIG.replace(/^ {2}(?:ops|oncall): .*\n/gm, ''));
  expect(await daemon.queries.overview()).toMatchObject({ calls_nobody: true });
});

test('nine conditions of a rule are one card, with their number', async () => {
  const safes = Array.from({ length: 9 }, (_, n) => `0x${(n + 3).toString(16).repeat(40)}`);
  const daemon = await aViewedDaemon(
    rulesOf(aBalance('coins', 'safes', 'id: low, while: balance < 100, severity: critical')),
    CONFIG.replace(
      /^addresses: .*$/m,
      `addresses: { ${safes.map((safe, n) => `safe_${n}: '${safe}'`).join(', ')}, safes: [${safes.map((_, n) => `safe_${n}`).join(', ')}] }`,
    ),
  );
  const [first = '', ...others] = safes;
  for (const safe of others) daemon.shown[safe] = '90';
  daemon.shown[first] = '200';
  await daemon.poll();
  const eight = await daemon.queries.overview();
  expect(eight).toMatchObject({ unhandled: 8, more: { alerts: 0 } });
  expect(eight.cards.map(({ alerts }) => alerts)).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
  daemon.shown[first] = '90';
  await daemon.poll();
  const nine = await daemon.queries.overview();
  expect(nine).toMatchObject({
    unhandled: 9,
    more: { alerts: 0, rules: 0 },
    cards: [{ rule: 'coins', alert: 'low', alerts: 9, state: 'firing', since: '2026-01-01T00:01:00Z' }],
  });
  expect(nine.headline).toMatch(/ \(and 8 more\)$/);
  expect(nine.detail).toContain('Nobody has acknowledged 9 critical alerts');
});

test('what nobody ever answered is not known, and never zero', async () => {
  const daemon = await aViewedDaemon(LOW);
  await daemon.poll(2);
  const { trust, cards } = await daemon.queries.overview();
  expect(trust).toMatchObject({ heads: [], oldest: null, credits: [] });
  expect(cards).toEqual([]);
});

test('a critical alert that reaches nobody for five minutes is red, whoever has seen the page', async () => {
  const daemon = await aViewedDaemon(LOW);
  Object.assign(daemon.shown, { treasury: '90', vault: '50' });
  await daemon.poll(4);
  await daemon.send('ops', { type: 'again', why: '503' });
  await daemon.send('oncall', { type: 'again', why: '503' });
  daemon.shown['treasury'] = '200';
  await daemon.poll(7);
  const { verdict, headline, cards } = await daemon.queries.overview();
  expect(cards).toEqual([]);
  expect({ verdict, headline }).toEqual({
    verdict: 'critical',
    headline: '1 critical alert reached nobody',
  });
});

test('a fall within a time is shown in percent, beside its limit', async () => {
  const daemon = await aViewedDaemon(
    rulesOf(aBalance('coins', 'treasury', `id: falls, while: 'change("5m") < -0.1', severity: critical`)),
  );
  daemon.shown['treasury'] = '1000';
  await daemon.poll(6);
  daemon.shown['treasury'] = '800';
  await daemon.poll();
  const { cards } = await daemon.queries.overview();
  expect(cards[0]?.measure).toMatchObject({
    field: 'change("5m")',
    value: '-20',
    unit: '%',
    limit: '-10',
    distance: '10',
    side: 'below',
    fires: 'below',
  });
  expect(cards[0]?.line.map(([, value]) => value)).toEqual(['1000', '800', '800']);
  // A limit in percent is not on the scale of the balance.
  expect(cards[0]?.line_has_limits).toBe(false);
});

test('the last day shows what fires now before what was, and counts what has no room', async () => {
  const low = 'id: low, while: balance < 100, severity';
  const rules = Array.from({ length: 29 }, (_, n) => aBalance(`w${n + 1}`, 'vault', `${low}: warning`));
  const daemon = await aViewedDaemon(rulesOf(...rules, aBalance('w30', 'treasury', `${low}: critical`)));
  Object.assign(daemon.shown, { treasury: '200', vault: '90' });
  await daemon.poll();
  Object.assign(daemon.shown, { treasury: '90', vault: '200' });
  await daemon.poll();
  await daemon.poll(9);
  const { bars, more_bars: more } = await daemon.queries.overview();
  expect([bars.length, more]).toEqual([20, 10]);
  expect(bars.slice(0, 2)).toMatchObject([
    { watch: 'w30', state: 'critical', since: '2026-01-01T00:02:00Z' },
    { watch: 'w1', state: 'quiet', since: '2026-01-01T00:02:00Z' },
  ]);
});

test('the last day and the card show the same age of an alert', async () => {
  const daemon = await aViewedDaemon(rulesOf(aBalance('coins', 'treasury', 'id: low, while: balance < 100, for: 2m')));
  daemon.shown['treasury'] = '90';
  await daemon.poll(4);
  const { cards, bars } = await daemon.queries.overview();
  expect(cards[0]?.since).toBe('2026-01-01T00:01:00Z');
  expect(bars).toMatchObject([{ watch: 'coins', state: 'warning', since: '2026-01-01T00:01:00Z' }]);
});

test('a team sees its own alerts, pending ones, events and watches, under the verdict of all', async () => {
  const team = (name: string): string => `labels: { team: ${name} }`;
  const daemon = await aViewedDaemon(
    rulesOf(
      aBalance('coins', 'treasury', `id: low, while: balance < 100, severity: critical, ${team('eu')}`),
      aBalance('gas', 'vault', `id: low, while: balance < 10, ${team('us')}`),
      aBalance('slow', 'vault', `id: low, while: balance < 10, for: 1h, ${team('us')}`),
      aBalance('moves', 'vault', `id: moved, on: changed, ${team('us')}`),
    ),
  );
  Object.assign(daemon.shown, { treasury: '200', vault: '50' });
  await daemon.poll();
  Object.assign(daemon.shown, { treasury: '90', vault: '5' });
  await daemon.poll();
  const overviewOf = (...label: readonly string[]) => daemon.queries.overview({ label: [...label] });
  const whole = await daemon.queries.overview();
  const [eu, us] = [await overviewOf('team=eu'), await overviewOf('team=us')];
  for (const { verdict, headline, unhandled } of [eu, us])
    expect({ verdict, headline, unhandled }).toEqual({
      verdict: whole.verdict,
      headline: whole.headline,
      unhandled: 2,
    });
  const shownOf = ({ cards, handled, events, bars, of_watches: watches }: Overview) => ({
    cards: cards.map(({ watch }) => watch),
    handled: handled.map(({ watch }) => watch),
    events: events.map(({ watch }) => watch),
    bars: bars.map(({ watch }) => watch),
    watches,
  });
  expect(shownOf(eu)).toEqual({ cards: ['coins'], handled: [], events: [], bars: ['coins'], watches: 1 });
  expect(shownOf(us)).toEqual({
    cards: ['gas'],
    handled: ['slow'],
    events: ['moves'],
    bars: ['gas', 'moves'],
    watches: 3,
  });
  Object.assign(daemon.shown, { treasury: '200', vault: '50' });
  await daemon.poll();
  expect((await overviewOf('team=eu')).recent.map(({ watch }) => watch)).toEqual(['coins']);
  expect((await overviewOf('team=us', 'alert=none')).recent).toEqual([]);
});
