// What `check` says about `events:`, `units:` and the fields that come of them.
import { describe, expect, test } from '@jest/globals';
import { summarize } from '../../src/config/problem.ts';
import { createRuleCache } from '../../src/rules/cache.ts';
import { describeWatches } from '../../src/rules/describe.ts';
import { loadRules, type LoadedRules } from '../../src/rules/load.ts';
import { kinds } from '../../src/watches/index.ts';
import { loadConfigOf } from '../support/world.ts';

const config = loadConfigOf(false);

function load(keys: string, condition: string, cache = createRuleCache()): LoadedRules {
  const alert = `{ id: a, on: new, if: '${condition}', severity: critical, notify: screen }`;
  const text = `watches: [{ id: w, kind: logs, of: vault, ${keys} alerts: [${alert}] }]`;
  return loadRules(config, [{ file: 'r.yaml', text }], { kinds, cache });
}

describe('a mistake has its place, and what to write', () => {
  test.each([
    ['events: Pausd,', 'block_number > 5', 'watches[0].events: no event "Pausd" is known here. Did you mean Paused?'],
    [
      'events: [Paused, Zapped],',
      'event == "Paused"',
      'watches[0].events[1]: no event "Zapped" is known here. Write the whole signature: Zapped(address indexed to, uint256 amount).',
    ],
    [
      'events: "Swept(address indexed to, uint257 amount)",',
      'block_number > 5',
      'watches[0].events: no type "uint257". Did you mean uint256?',
    ],
    [
      'events: "Swept(address indexed)",',
      'block_number > 5',
      'watches[0].events: an argument needs a name. Write address indexed value.',
    ],
    [
      'events: "Swept(uint8 indexed a, uint8 indexed b, uint8 indexed c, uint8 indexed d)",',
      'block_number > 5',
      'watches[0].events: an event has at most 3 indexed arguments',
    ],
    [
      'events: "Swept(address to) anonymous",',
      'block_number > 5',
      'watches[0].events: an anonymous event has no topic, so it cannot be recognised',
    ],
    [
      'events: ["Swept(address to)", "Swept(address receiver)"],',
      'block_number > 5',
      'watches[0].events[1]: Swept(address) is there twice, as Swept. Keep one of them.',
    ],
    ['events: [],', 'block_number > 5', 'watches[0].events: names no event: name one, such as Paused'],
    [
      'events: Paused,',
      'args.acount == treasury',
      'watches[0].alerts[0].if: args has no field "acount". Did you mean account?',
    ],
    [
      'events: Paused,',
      'raw.account == treasury',
      'watches[0].alerts[0].if: logs has no field "raw". Only arguments that `units:` names have numbers before units, such as units: { amount: 6 }.',
    ],
    [
      'events: [Paused, Unpaused],',
      'event == "Upgraded"',
      'watches[0].alerts[0].if: "Upgraded" is no value of it. Possible: Paused, Unpaused.',
    ],
    [
      'events: Transfer, units: { to: 6 },',
      'args.value > 5',
      'watches[0].units.to: to is no whole number, so it has no units. Possible: value, tokenId.',
    ],
    [
      'events: Transfer, units: { valeu: 6 },',
      'args.value > 5',
      'watches[0].units.valeu: no event in events has an argument valeu. Did you mean value?',
    ],
    [
      'events: Approval, where: { value: 5 },',
      'event == "Approval"',
      'watches[0].where.value: value is not indexed in Approval, so the explorer cannot go by it. Possible: owner.',
    ],
    [
      'events: [Paused, RoleGranted], where: { sender: treasury },',
      'event == "Paused"',
      'watches[0].where.sender: Paused has no argument sender',
    ],
    [
      'events: RoleRevoked, where: { account: [treasury, tresury] },',
      'event == "RoleRevoked"',
      'watches[0].where.account[1]: no address "tresury". Did you mean treasury?',
    ],
    [
      "events: 'Set(uint8 indexed level)', where: { level: 256 },",
      'event == "Set"',
      'watches[0].where.level: "256" is no value of level',
    ],
    [
      "events: 'Set(uint8 indexed level)', where: { level: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10] },",
      'event == "Set"',
      'watches[0].where: asks 11 questions a poll, and at most 10 are possible. Make several watches, or compare the argument in if.',
    ],
  ])('%s %s', (keys, condition, problem) => {
    const { problems, watches } = load(keys, condition);
    expect(problems.map((one) => summarize(one).replace(/^r\.yaml:\d+:\d+ /, ''))).toEqual([
      expect.stringContaining(problem),
    ]);
    expect(watches).toEqual([]);
  });
});

test('a watch without events, or without a contract, is a mistake', () => {
  expect(load('', 'block_number > 5').problems.map(summarize).join()).toContain('events');
  const text = 'watches: [{ id: w, kind: logs, events: Paused, alerts: [{ id: a, on: new }] }]';
  const { problems } = loadRules(config, [{ file: 'r.yaml', text }], { kinds });
  expect(problems.map(summarize).join()).toContain('of');
});

test('the caret of a signature stands below the wrong word', () => {
  const [problem] = load('events: "Swept(address indexed to, uint257 amount)",', 'block_number > 5').problems;
  const [line = '', carets = ''] = problem?.frame.split('\n').slice(-2) ?? [];
  expect(line.slice(carets.indexOf('^'), carets.lastIndexOf('^') + 1)).toBe('uint257');
});

test('an argument of some events only is warned of, unless the condition names the event', () => {
  const warnings = (keys: string, condition: string): readonly string[] =>
    load(keys, condition).warnings.map(({ message, hint }) => `${message}. ${hint ?? ''}`);
  const events = 'events: [Paused, RoleGranted],';
  expect(warnings(events, '!(args.role == "0x01")')).toEqual([
    'only RoleGranted has the argument role. Write event == "RoleGranted" && ….',
  ]);
  expect(warnings(events, 'event == "RoleGranted" && !(args.role == "0x01")')).toEqual([]);
  expect(warnings('events: RoleGranted,', '!(args.sender == treasury)')).toEqual([]);
});

test('check names what each bare name became, and the question with its credits', () => {
  const { watches } = load('events: [RoleRevoked, "Swept(address to)"],', 'event == "Swept"');
  const { lines } = describeWatches(watches, config);
  expect(lines).toContain(
    'w: reads RoleRevoked(bytes32,address,address) 0xf639…171b, RoleRevoked(uint64,address) 0xf229…c166, Swept(address) 0x89fe…d040; where the explorer refuses this, addresses/{address}/logs, 30 credits a page',
  );
  expect(lines.join()).toContain('asks api?module=logs&action=getLogs&address=0xca55…8550');
  expect(lines.join()).toContain('28,800 credits a day');
});

test('check counts a question for each value of where', () => {
  const { watches } = load(
    "events: 'Set(address indexed who, bool indexed on)', where: { who: ours, on: true },",
    'event == "Set"',
  );
  const { lines } = describeWatches(watches, config);
  expect(lines.join()).toContain('2,880 requests, 57,600 credits a day');
  expect(lines.join()).toContain(', 2 questions a poll');
});

describe('a reload', () => {
  test('with the same events gives the same kind, and another one with other events', () => {
    const cache = createRuleCache();
    const kindOf = (keys: string) => load(keys, 'block_number > 5', cache).watches[0]?.kind;
    const first = kindOf('events: Paused,');
    expect(kindOf('events: [Paused],')).toBe(first);
    expect(kindOf('events: Unpaused,')).not.toBe(first);
  });

  test('that changes events or units continues the memory', () => {
    const checksumOf = (keys: string) => load(keys, 'block_number > 5').watches[0]?.checksum;
    expect(checksumOf('events: Transfer, units: { value: 6 },')).toBe(checksumOf('events: Paused,'));
    expect(checksumOf('events: RoleRevoked, where: { account: ours },')).not.toBe(checksumOf('events: RoleRevoked,'));
    expect(checksumOf('events: Paused, start: 5,')).not.toBe(checksumOf('events: Paused,'));
  });
});
