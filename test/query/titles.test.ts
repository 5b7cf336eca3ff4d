// The title of an alert wherever it is shown says what is so now, and what was so last where nobody can tell.
import { expect, test } from '@jest/globals';
import { AlertListFilter } from '../../src/query/shapes.ts';
import { aBalance, aViewedDaemon, CONFIG, rulesOf, type ViewedDaemon } from '../support/web/viewed-daemon.ts';

const LOW = rulesOf(
  aBalance('coins', 'treasury', 'id: low, while: balance < 100, until: balance > 150, severity: critical'),
);

interface Places {
  readonly headline: string;
  readonly card: string | undefined;
  readonly listed: string | undefined;
  readonly page: string;
  /** On the page that the link of its message leads to. */
  readonly linked: string | undefined;
}

/** Everywhere where the one open alert has a title. */
async function titlesIn(daemon: ViewedDaemon): Promise<Places> {
  const { queries } = daemon;
  const { headline, cards } = await queries.overview();
  const { items } = await queries.alerts(AlertListFilter.parse({}));
  const [card] = cards;
  if (card === undefined) throw new Error('nothing is open');
  const history = await queries.alert(card);
  if (history === null || !('card' in history)) throw new Error('the alert has no page');
  const { store, runtime } = await daemon.view();
  const [watch] = runtime.watches();
  const [delivery] = watch === undefined ? [] : await store.deliveriesOf(watch.id, card.alert, 1);
  const linked = delivery === undefined ? null : await queries.linkedMessage(delivery.id);
  return {
    headline,
    card: card.title,
    listed: items[0]?.title,
    page: history.card.title,
    linked: linked?.alerts[0]?.title,
  };
}

function everywhere(title: string): Places {
  return { headline: title, card: title, listed: title, page: title, linked: title };
}

test('an alert that is over keeps the labels that it was told with, whatever its rule says later', async () => {
  const rule = (severity: string) =>
    rulesOf(aBalance('coins', 'treasury', `id: low, while: balance < 100, severity: ${severity}`));
  const daemon = await aViewedDaemon(rule('warning'));
  Object.assign(daemon.shown, { treasury: '90', vault: '1' });
  await daemon.poll();
  const [card] = (await daemon.queries.overview()).cards;
  const { key = '', episode = 0 } = card ?? {};
  daemon.shown['treasury'] = '200';
  await daemon.poll(2);
  await daemon.load(rule('critical'));
  expect(await daemon.queries.alert({ key, episode })).toMatchObject({
    card: { is_open: false, severity: 'warning', labels: { severity: 'warning', alert: 'low' } },
  });
});

test('a title follows the value: further down, back between the limits, unread, and over', async () => {
  const daemon = await aViewedDaemon(LOW);
  daemon.shown['treasury'] = '200';
  await daemon.poll();
  daemon.shown['treasury'] = '90.5';
  await daemon.poll();
  expect(await titlesIn(daemon)).toEqual(everywhere('treasury ETH 90.5, below 100'));

  daemon.shown['treasury'] = '40';
  await daemon.poll();
  expect(await titlesIn(daemon)).toEqual(everywhere('treasury ETH 40, below 100; fired at 90.5'));
  daemon.shown['treasury'] = '120';
  await daemon.poll();
  expect(await titlesIn(daemon)).toEqual(everywhere('treasury ETH 120, not yet above 150; fired at 90.5'));

  // No answer comes: it is what was read last, and how long ago.
  daemon.shown['treasury'] = null;
  await daemon.poll(3);
  expect(await titlesIn(daemon)).toEqual(
    everywhere('treasury ETH 120, not yet above 150; fired at 90.5; last read 3 min ago'),
  );

  const [card] = (await daemon.queries.overview()).cards;
  if (card === undefined) throw new Error('nothing is open');
  daemon.shown['treasury'] = '160';
  await daemon.poll();
  const over = await daemon.queries.alert(card);
  expect(over).toMatchObject({ card: { title: 'treasury ETH 160, above 150' }, ended: '2026-01-01T00:08:00Z' });
  // The timeline shows titles as they were sent.
  const timeline = over !== null && 'timeline' in over ? over.timeline : [];
  expect(timeline.find(({ kind }) => kind === 'fires')?.text).toEqual([
    { text: 'treasury ETH 90.5, below 100. ' },
    { text: 'Fell 109.5 since the last poll. Clears above 150. chain, 00:02 UTC.' },
  ]);
});

test('a watch that is not polled any more says how old its value is', async () => {
  const daemon = await aViewedDaemon(LOW);
  daemon.shown['treasury'] = '90.5';
  await daemon.poll();
  await daemon.clock.advance(3 * 60_000);
  expect((await titlesIn(daemon)).card).toBe('treasury ETH 90.5, below 100');
  await daemon.clock.advance(1000);
  expect((await titlesIn(daemon)).card).toBe('treasury ETH 90.5, below 100; last read 3 min 1 s ago');
});

test('a title of the rule has the value of now behind it, and the number in it is the one of now', async () => {
  const daemon = await aViewedDaemon(
    rulesOf(
      aBalance(
        'coins',
        'treasury',
        'id: low, while: balance < 100, severity: critical, title: The treasury is low',
        "id: lower, while: balance < 99, title: 'Only {{ balance }} left'",
      ),
    ),
  );
  daemon.shown['treasury'] = '90';
  await daemon.poll();
  daemon.shown['treasury'] = '80';
  await daemon.poll();
  const { cards } = await daemon.queries.overview();
  expect(cards.map(({ title }) => title)).toEqual([
    'The treasury is low: 80, below 100; fired at 90',
    'Only 80 left; fired at 90',
  ]);
});

test('acknowledged, it still says what is so now; raised, it says with what it fired', async () => {
  const daemon = await aViewedDaemon(LOW.replace('severity: critical', 'severity: warning'));
  daemon.shown['treasury'] = '90';
  await daemon.poll();
  daemon.shown['treasury'] = '80';
  await daemon.poll();
  await daemon.load(LOW);
  daemon.shown['treasury'] = '70';
  await daemon.poll();
  expect((await titlesIn(daemon)).card).toBe('treasury ETH 70, below 100; fired at 90');
});

test('a count says how many there are now, and a fall how far it is now', async () => {
  const daemon = await aViewedDaemon(
    rulesOf(
      aBalance(
        'coins',
        'treasury',
        `id: falls, while: 'change("5m") < -0.1', severity: critical`,
        'id: moves, on: changed, at_least: { count: 2, within: 10m }',
      ),
    ),
  );
  for (const coins of ['1000', '1000', '1000', '1000', '1000', '1000', '800', '790', '700']) {
    daemon.shown['treasury'] = coins;
    await daemon.poll();
  }
  const { cards } = await daemon.queries.overview();
  expect(cards.map(({ title }) => title)).toEqual([
    'treasury ETH fell 30 % in 5 min (limit 10 %); when it fired: fell 20 %',
    '3 holdings in 10 min; fired at 2',
  ]);
});

test('a rule of several explorers names the one in which it is so', async () => {
  const daemon = await aViewedDaemon(
    LOW.replace('of: treasury', 'of: treasury, explorer: [chain, other]'),
    CONFIG.replace('addresses:', "  other: { form: instance, instance_url: 'https://other.invalid' }\naddresses:"),
  );
  daemon.shown['treasury'] = '90';
  await daemon.poll();
  daemon.shown['treasury'] = '80';
  await daemon.poll();
  const { cards } = await daemon.queries.overview();
  expect(cards.map(({ title }) => title).toSorted()).toEqual([
    'treasury ETH on chain 80, below 100; fired at 90',
    'treasury coin on other 80, below 100; fired at 90',
  ]);
});

test('nobody has acknowledged it since it fired, not since its condition began', async () => {
  const daemon = await aViewedDaemon(LOW.replace('severity', 'for: 5m, severity'));
  daemon.shown['treasury'] = '90';
  await daemon.poll(6);
  const { cards, detail } = await daemon.queries.overview();
  expect(cards[0]?.since).toBe('2026-01-01T00:01:00Z');
  expect(detail).toMatch(/^Nobody has acknowledged it\./);
  await daemon.poll(2);
  expect((await daemon.queries.overview()).detail).toMatch(/^Nobody has acknowledged it\./);
});
