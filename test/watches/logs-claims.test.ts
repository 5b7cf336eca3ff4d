// Events of any contract about addresses of ours: those of contracts that the config names are facts, the others are claims.
import { describe, expect, test } from '@jest/globals';
import { describeWatches } from '../../src/rules/describe.ts';
import { loadRules } from '../../src/rules/load.ts';
import { kinds } from '../../src/watches/index.ts';
import { bodyOf } from '../../src/notifiers/rendering/body.ts';
import { aDelivery } from '../notifiers/samples.ts';
import { createWorld, loadConfigOf, loadWatches, polls, pollsWithBlocks, type World } from '../support/world.ts';

const STRANGER = '0x9f2e0000000000000000000000000000000041c7';
const SPENDER = '0x3c54fbFfcC0dCB1dAA210F8c51Bb20751258b3AB';
const APPROVAL = 'Approval(address indexed owner, address indexed spender, uint256 value)';
const UNLIMITED = String(2n ** 256n - 1n);

function rules(alerts: string, keys = 'where: { owner: ours },'): string {
  return `watches: [{ id: approvals, kind: logs, every: 1m, events: '${APPROVAL}', ${keys} alerts: [${alerts}] }]`;
}

const OURS = "{ id: unlimited, on: new, if: 'address in tokens && unlimited(args.value)', severity: critical }";
const ANY = '{ id: any, on: new, severity: critical }';

function approve(world: World, { by = 'USDC', owner = 'treasury', value = UNLIMITED, times = 1 } = {}): void {
  world.sandbox.mine();
  world.sandbox.emit({ address: by, event: APPROVAL, args: [owner, SPENDER, value], times });
}

const said = ({ messages }: World): string[] =>
  messages.map(({ severity, alert, title }) => `${severity} ${alert}: ${title}`).toSorted();

test('an approval without limit of one of our tokens by one of our addresses is told, whichever token it is', async () => {
  await using world = await createWorld(rules(OURS));
  approve(world);
  expect(await world.poll()).toEqual([]);
  approve(world);
  approve(world, { by: 'ACME', owner: 'vault' });
  approve(world, { by: 'ACME', owner: 'vault', value: '5' });
  approve(world, { owner: 'hot_wallet' });
  approve(world, { by: STRANGER });
  expect(await world.poll()).toEqual(['unlimited event', 'unlimited event']);
  expect(said(world)).toEqual([
    'critical unlimited: treasury approved 0x3c54…b3AB to spend USDC without limit',
    'critical unlimited: vault approved 0x3c54…b3AB to spend ACME without limit',
  ]);
  await world.restart();
  expect(await pollsWithBlocks(world, 3)).toEqual([]);
});

describe('an event of a contract that the config does not name', () => {
  test('is a claim: a warning that says so, marked in webhooks', async () => {
    await using world = await createWorld(rules(ANY));
    await world.poll();
    approve(world, { by: STRANGER });
    expect(await world.poll()).toEqual(['any event']);
    expect(said(world)).toEqual([
      'warning any: 0x9f2e…41c7 claims that treasury approved 0x3c54…b3AB to spend 0x9f2e…41c7 without limit',
    ]);
    const [message] = world.messages;
    if (message === undefined) throw new Error('nothing was told');
    expect(bodyOf(aDelivery({ message })).data.claim).toBe(true);
  });

  test('counts for nothing', async () => {
    await using world = await createWorld(
      rules('{ id: many, on: new, at_least: { count: 2, within: 1h } }, { id: none, on: new, none_for: 1h }'),
    );
    await world.poll();
    approve(world, { by: STRANGER, times: 5 });
    expect(await world.poll()).toEqual([]);
    await world.clock.advance(3_600_000);
    approve(world, { by: STRANGER });
    expect(await world.poll()).toEqual(['none firing']);
    approve(world, { times: 2 });
    expect((await world.poll()).toSorted()).toEqual(['many firing', 'none resolved']);
  });

  test('with emitter: any is believed like the others', async () => {
    await using world = await createWorld(rules(ANY, 'where: { owner: ours }, emitter: any,'));
    await world.poll();
    approve(world, { by: STRANGER });
    await world.poll();
    expect(said(world)).toEqual(['critical any: treasury approved 0x3c54…b3AB to spend 0x9f2e…41c7 without limit']);
  });

  test('is retracted with its block, like any other', async () => {
    await using world = await createWorld(rules(ANY));
    await world.poll();
    approve(world, { by: STRANGER });
    approve(world);
    expect(await world.poll()).toEqual(['any event', 'any event']);
    world.sandbox.reorganise({ blocks: 2, transactions: 'dropped' });
    world.sandbox.mine({ blocks: 3 });
    expect((await polls(world, 4)).toSorted()).toEqual(['any retracted', 'any retracted']);
  });
});

describe('the question', () => {
  test('is one for each value, of at most 1,000 blocks, up to the head', async () => {
    await using world = await createWorld(rules(OURS), { rpc: false });
    await world.poll();
    world.sandbox.mine({ blocks: 2500 });
    approve(world);
    world.sandbox.mine({ blocks: 10 });
    const before = world.asked.length;
    expect(await world.poll()).toEqual(['unlimited event']);
    const asked = world.asked.slice(before).filter((one) => one.startsWith('api?'));
    expect(
      asked.every((one) =>
        /^api\?module=logs&action=getLogs&topic0=0x\w{64}&topic1=0x\w{64}&topic0_1_opr=and&/.test(one),
      ),
    ).toBe(true);
    const spans = asked.map((one) => Number(/toBlock=(\d+)/.exec(one)?.[1]) - Number(/fromBlock=(\d+)/.exec(one)?.[1]));
    expect(spans).toHaveLength(6);
    expect(Math.max(...spans)).toBe(999);
    const later = world.asked.length;
    expect(await pollsWithBlocks(world, 1)).toEqual([]);
    expect(world.asked.slice(later).filter((one) => one.startsWith('api?'))).toHaveLength(2);
  });

  test('that is behind reads on where it was, also after a restart', async () => {
    await using world = await createWorld(rules(OURS, 'where: { owner: ours }, max_pages: 4,'));
    await world.poll();
    approve(world);
    world.sandbox.mine({ blocks: 6000 });
    approve(world, { owner: 'vault' });
    const told = [...(await world.poll())];
    await world.restart();
    told.push(...(await polls(world, 6)));
    expect(told).toEqual(['unlimited event', 'unlimited event']);
    expect(await polls(world, 2)).toEqual([]);
  });

  test('after an outage, and of an explorer that refuses it, is asked again, and nothing is lost', async () => {
    await using world = await createWorld(rules(OURS), { rpc: false });
    await world.poll();
    for (const fault of ['server-error', 'blocked'] as const) {
      world.sandbox.fail({ fault, operation: 'get-logs', times: 1000 });
      approve(world);
      expect(await polls(world, 2)).toEqual([]);
      expect(JSON.stringify(world.log.fields)).toContain('/api?module=logs&action=getLogs');
      world.sandbox.clearFaults();
      expect(await polls(world, 2)).toEqual(['unlimited event']);
    }
  });
});

describe('check', () => {
  const problemsOf = (keys: string): string => {
    try {
      loadWatches(rules(ANY, keys));
    } catch (error) {
      return (error as Error).message;
    }
    return 'none';
  };

  test.each(['', 'where: { owner: ours }, of: USDC, emitter: some,'])('refuses %j', (keys) => {
    expect(problemsOf(keys)).not.toBe('none');
  });

  test('needs an address in where, if there is no of', () => {
    expect(problemsOf('')).toContain('logs without of needs an address in where');
    const of =
      "watches: [{ id: w, kind: logs, every: 1m, events: 'Set(bytes32 indexed key)', where: { key: '0x" +
      '1'.repeat(64) +
      "' }, alerts: [{ id: any, on: new }] }]";
    expect(() => loadWatches(of)).toThrow('logs without of needs an address in where');
  });

  test('warns of a critical alert that claims can match, unless of names the contract', () => {
    const warningsOf = (keys: string, alerts: string): readonly string[] => {
      const load = loadRules(loadConfigOf(), [{ file: 'rules.yaml', text: rules(alerts, keys) }], { kinds });
      return load.warnings.map(({ hint }) => hint ?? '');
    };
    expect(warningsOf('where: { owner: ours },', ANY)).toEqual(['Add address in tokens.']);
    expect(warningsOf('where: { owner: ours },', OURS)).toEqual([]);
    expect(warningsOf('where: { owner: ours }, of: USDC,', ANY)).toEqual([]);
  });

  test('prices each question, and the head', () => {
    const { lines } = describeWatches(loadWatches(rules(OURS), new Map(), false), loadConfigOf(false));
    const text = lines.join('\n');
    expect(text).toContain('asks api?module=logs&action=getLogs and blocks');
    expect(text).toContain('4,320 requests, 86,400 credits a day');
    expect(text).toContain('2 questions a poll; of any contract, at most 1,000 blocks a request');
  });
});
