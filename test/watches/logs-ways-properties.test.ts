// Logs have one identity, whichever way they are read, in pages of any size.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createWorld, polls, type World } from '../support/world.ts';

const MOVED = 'Moved(address indexed to, uint256 value)';
const RULES = `
watches:
  - id: w
    kind: logs
    of: vault
    every: 1m
    events: ['${MOVED}', Paused]
    max_pages: 200
    alerts: [{ id: any, on: new, severity: critical }]
`;
const DAY_MS = 86_400_000;

/** `equal`: so many logs of one transaction that differ in nothing but their place. */
type Deed =
  | { readonly type: 'emit'; readonly equal: number; readonly value: number }
  | { readonly type: 'remine' | 'refuse' | 'refuse-rpc' | 'serve' | 'reload' | 'restart' | 'poll' };

const deed: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('emit' as const),
      equal: fc.integer({ min: 1, max: 4 }),
      value: fc.integer({ min: 0, max: 2 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constantFrom('remine', 'refuse', 'refuse-rpc', 'serve', 'reload', 'restart', 'poll', 'poll'),
    }),
  },
);

async function perform(world: World, one: Deed): Promise<readonly string[]> {
  const { sandbox } = world;
  switch (one.type) {
    case 'emit':
      sandbox.mine();
      sandbox.emit({ event: MOVED, args: ['treasury', String(one.value)], times: one.equal });
      return [];
    case 'remine':
      sandbox.reorganise({ blocks: 2 });
      return [];
    case 'refuse':
      sandbox.fail({ fault: 'blocked', operation: 'get-logs', times: 1_000_000 });
      return [];
    case 'refuse-rpc':
      sandbox.fail({ fault: 'not-found', operation: 'eth-rpc', times: 1_000_000 });
      return [];
    case 'reload':
      world.rpc = !world.rpc;
      await world.load(RULES);
      return [];
    case 'serve':
      sandbox.clearFaults();
      await world.clock.advance(DAY_MS);
      return [];
    case 'restart':
      await world.restart();
      return [];
    case 'poll':
      return world.poll();
  }
}

test('logs read in three ways, in pages of 1 to 50, mined again, are told once each', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(deed, { minLength: 6, maxLength: 16 }),
      fc.integer({ min: 1, max: 50 }),
      async (deeds, pageSize) => {
        await using world = await createWorld(RULES, { pageSize });
        await world.poll();
        world.sandbox.mine({ blocks: 20 });
        const told: string[] = [];
        for (const one of deeds) told.push(...(await perform(world, one)));
        told.push(...(await polls(world, 3)));
        await perform(world, { type: 'serve' });
        told.push(...(await polls(world, 3)));
        const emitted = deeds.reduce((sum, one) => sum + (one.type === 'emit' ? one.equal : 0), 0);
        expect(told).toEqual(Array.from({ length: emitted }, () => 'any event'));
      },
    ),
    { numRuns: 25 },
  );
});
