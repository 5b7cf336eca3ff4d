// Transfers of tokens that the config does not name, in large numbers and over time.
import { expect, test } from '@jest/globals';
import { createWorld, type World } from '../support/world.ts';

const PAYEE = '0x3c54fbFfcC0dCB1dAA210F8c51Bb20751258b3AB';
const BEFORE = 1n;

const rulesOf = (alert: string): string =>
  `watches: [{ id: out, kind: transfers, of: treasury, every: 1m, alerts: [{ id: moved, on: new, ${alert}, severity: critical }] }]`;

/** A world after its first poll, with a token that calls itself USDC. */
async function polled(alert: string): Promise<{ world: World; token: string; short: string }> {
  const world = await createWorld(rulesOf(alert));
  world.sandbox.setBalance({ address: 'treasury', token: 'USDC', value: 10n ** 15n });
  const { token } = world.sandbox.giveToken({ address: 'vault', symbol: 'USDC', value: 1n });
  send(world, 'USDC', BEFORE);
  await world.poll();
  world.sandbox.mine();
  return { world, token, short: `${token.slice(0, 6)}…${token.slice(-4)}` };
}

function send({ sandbox }: World, token: string, value = 5n * 10n ** 18n) {
  return sandbox.transferToken({ token, from: 'treasury', to: PAYEE, value, moves: token === 'USDC' });
}

const said = ({ messages }: World) => messages.map(({ type, severity, title }) => `${type} ${severity}: ${title}`);

test('a token that loses its good name before the transfer is confirmed is told as a claim', async () => {
  const { world, token, short } = await polled('if: value_usd > 100, confirmations: 3');
  await using _world = world;
  world.sandbox.setPrice({ token, price: '200' });
  send(world, token);
  expect(await world.poll()).toEqual([]);
  world.sandbox.flagToken({ token });
  world.sandbox.mine({ blocks: 3 });
  expect(await world.poll()).toEqual(['moved event']);
  expect(said(world)).toEqual([
    `alert.event warning: ${short} claims that treasury sent 5 of ${short} to 0x3c54…b3AB, $1,000, above $100`,
  ]);
});

test('a transfer of nothing, which anybody can make of a named token, is told as a claim and ends no absence', async () => {
  const rules = rulesOf('if: direction == "out"').replace(
    'severity: critical }',
    'severity: critical }, { id: idle, on: new, if: direction == "out", none_for: 2h }',
  );
  await using world = await createWorld(rules);
  await world.poll();
  world.sandbox.mine();
  world.sandbox.transferToken({ token: 'USDC', from: 'treasury', to: PAYEE, value: 0n, moves: false });
  expect(await world.poll()).toEqual(['moved event']);
  expect(said(world)).toEqual(['alert.event warning: USDC claims that treasury sent 0 USDC to 0x3c54…b3AB']);
  expect(await world.run(2 * 3_600_000)).toEqual(['idle firing']);
});

test('a token without a price does not leave a limit in dollars unknown', async () => {
  const { world, token } = await polled('if: value_usd > 100');
  await using _world = world;
  send(world, token);
  expect(await world.poll()).toEqual([]);
  expect(world.decisions.map(({ truths }) => truths)).toEqual([{ moved: 'not-evaluated' }]);
  world.sandbox.setPrice({ token, price: '200' });
  expect(await world.poll()).toEqual(['moved event']);
});
