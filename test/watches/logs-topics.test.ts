// Events that a rule names by their topic alone: they are told, and not decoded.
import { describe, expect, test } from '@jest/globals';
import { parseEvent, topicOf } from '../../src/lib/abi/signature.ts';
import { describeWatches } from '../../src/rules/describe.ts';
import { createWorld, loadConfigOf, loadWatches, polls, pollsWithBlocks, type World } from '../support/world.ts';

const SECRET = 'Rescued(address indexed by, uint256 amount)';
const TOPIC = topicOfEvent(SECRET);

function topicOfEvent(text: string): string {
  const parsed = parseEvent(text);
  return 'signature' in parsed ? topicOf(parsed.signature) : '';
}

function rules(events: string, alerts = '{ id: any, on: new }', keys = ''): string {
  return `watches: [{ id: w, kind: logs, of: vault, every: 1m, ${keys} events: ${events}, alerts: [${alerts}] }]`;
}

function rescue(world: World, by = 'treasury'): void {
  world.sandbox.mine();
  world.sandbox.emit({ event: SECRET, args: [by, '5'] });
}

const titles = (world: World): readonly string[] => world.messages.map(({ title }) => title);

test('an event is told by its topic, or by its own name', async () => {
  await using world = await createWorld(rules(`'${TOPIC.toUpperCase().replace('X', 'x')}'`));
  await world.poll();
  rescue(world);
  expect(await world.poll()).toEqual(['any event']);
  expect(titles(world)).toEqual([`vault emitted ${TOPIC.slice(0, 6)}…${TOPIC.slice(-4)}`]);
  expect(world.asked.at(-1)).toContain(`topic0=${TOPIC}`);
  await world.load(rules(`{ Rescue: '${TOPIC}' }`, '{ id: any, on: new, if: event == "Rescue" }'));
  await world.clock.advance(60_000);
  rescue(world);
  expect(await world.poll()).toEqual(['any event']);
  expect(titles(world)).toEqual(['vault emitted Rescue']);
  await world.restart();
  expect(await pollsWithBlocks(world, 3)).toEqual([]);
});

test('conditions read its topics and its data', async () => {
  const by = `0x${world0(24)}a14c3e6dd27d6a8e02f9ea24ecde64e6b6f50db0`;
  const isOurs = `{ id: ours, on: new, if: 'event == "${TOPIC}" && topics[1] == "${by}"' }`;
  await using world = await createWorld(
    rules(`['${TOPIC}', Paused]`, `${isOurs}, { id: five, on: new, if: 'data.endsWith("05")' }`),
  );
  await world.poll();
  rescue(world, 'hot_wallet');
  world.sandbox.emit({ event: 'Paused(address account)', args: ['hot_wallet'] });
  expect(await world.poll()).toEqual(['five event']);
  rescue(world, by.replace(world0(24), ''));
  expect((await polls(world, 2)).toSorted()).toEqual(['five event', 'ours event']);
});

function world0(count: number): string {
  return '0'.repeat(count);
}

test('an argument of another event decides nothing about it', async () => {
  const alerts =
    '{ id: paused, on: new, if: args.account == hot_wallet }, { id: not, on: new, if: "!(args.account == hot_wallet)" }';
  await using world = await createWorld(rules(`['${TOPIC}', Paused]`, alerts));
  await world.poll();
  rescue(world);
  expect(await world.poll()).toEqual(['not event']);
  expect(JSON.stringify(world.messages)).not.toContain('could not be judged');
});

test('it is read where getLogs is refused, too, and is one event by both ways', async () => {
  await using world = await createWorld(rules(`'${TOPIC}'`));
  await world.poll();
  rescue(world);
  expect(await world.poll()).toEqual(['any event']);
  world.sandbox.fail({ fault: 'blocked', operation: 'get-logs', times: 1000 });
  rescue(world);
  expect(await polls(world, 2)).toEqual(['any event']);
  expect(world.asked.at(-1)).toContain(`logs?topic=${TOPIC}`);
});

describe('check', () => {
  const problemsOf = (...args: Parameters<typeof rules>): string => {
    try {
      loadWatches(rules(...args));
    } catch (error) {
      return (error as Error).message;
    }
    return 'none';
  };

  test('says that the event is not decoded', () => {
    const { lines } = describeWatches(loadWatches(rules(`{ Rescue: '${TOPIC}' }`)), loadConfigOf());
    expect(lines.join('\n')).toContain(
      `reads Rescue: ${TOPIC.slice(0, 6)}…${TOPIC.slice(-4)} (not decoded: only topics and data)`,
    );
  });

  test.each([
    [`'${TOPIC.slice(0, 64)}'`, undefined, '', 'a topic is 0x and 64 hexadecimal digits'],
    [`'${TOPIC}'`, '{ id: any, on: new, if: args.by == treasury }', '', 'Write its signature'],
    [`'${TOPIC}'`, undefined, 'where: { by: treasury },', 'is a topic, so its event has no argument by'],
    [`'${TOPIC}'`, undefined, 'units: { amount: 6 },', 'no event in events has an argument amount'],
    [`['${TOPIC}', '${SECRET}']`, undefined, '', 'is the topic of Rescued(address,uint256)'],
    [`['${TOPIC}', '${TOPIC}']`, undefined, '', 'is there twice'],
    [`{ 'a b': '${TOPIC}' }`, undefined, '', 'cannot be a name'],
  ])('refuses %s with %s and %s', (events, alerts, keys, problem) => {
    expect(problemsOf(events, alerts, keys)).toContain(problem);
  });
});
