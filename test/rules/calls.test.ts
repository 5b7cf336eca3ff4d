// What `check` says about `calls:`, `units:` and the fields that come of them.
import { describe, expect, test } from '@jest/globals';
import { summarize } from '../../src/config/problem.ts';
import { loadConfig } from '../../src/config/config.ts';
import type { Config } from '../../src/config/model.ts';
import { notifiers } from '../../src/notifiers/index.ts';
import { createRuleCache } from '../../src/rules/cache.ts';
import { describeWatches } from '../../src/rules/describe.ts';
import { loadRules, type LoadedRules } from '../../src/rules/load.ts';
import { kinds } from '../../src/watches/index.ts';
import { CONFIG } from '../support/world.ts';

const config = worldConfig();

function worldConfig(): Config {
  const loaded = loadConfig('config.yaml', { env: {}, readFile: () => CONFIG, notifiers }).config;
  if (loaded === null) throw new Error('the config does not load');
  return loaded;
}

function load(keys: string, condition: string, cache = createRuleCache()): LoadedRules {
  const alert = `{ id: a, on: new, if: '${condition}', severity: critical, notify: screen }`;
  const text = `watches: [{ id: w, kind: transactions, of: vault, ${keys} alerts: [${alert}] }]`;
  return loadRules(config, [{ file: 'r.yaml', text }], { kinds, cache });
}

describe('a mistake has its place, and what to write', () => {
  test.each([
    [
      'calls: "transfer(address to, uint257 value)",',
      'called == "transfer" && status == "ok"',
      'watches[0].calls: no type "uint257". Did you mean uint256?',
    ],
    [
      'calls: "transfer(address)",',
      'status == "ok"',
      'watches[0].calls: an argument needs a name. Write address value.',
    ],
    [
      'calls: [pause, transferOwnersip],',
      'status == "ok"',
      'watches[0].calls[1]: no function "transferOwnersip" is known here. Did you mean transferOwnership?',
    ],
    [
      'calls: zap,',
      'status == "ok"',
      'watches[0].calls: no function "zap" is known here. Write the whole signature: zap(address to, uint256 amount).',
    ],
    [
      'calls: { a: "pause()", b: "pause()" },',
      'status == "ok"',
      'watches[0].calls.b: pause() has the selector 0x8456cb59, as a has. Keep one of them.',
    ],
    [
      'calls: { "a b": "pause()" },',
      'status == "ok"',
      'watches[0].calls.a b: "a b" cannot be a name: it has letters, digits and underscores',
    ],
    [
      'calls: ["a(uint8 x)", "b(address x)"],',
      'status == "ok"',
      'watches[0].calls[1]: args.x has one type in a(uint8) and another in b(address). Write the signatures with other names, or make two watches.',
    ],
    ['calls: [],', 'status == "ok"', 'watches[0].calls: names no function: leave calls out, or name one'],
    ['calls: {},', 'status == "ok"', 'watches[0].calls: names no function: leave calls out, or name one'],
    [
      'calls: "f(IERC20 token)",',
      'status == "ok"',
      'watches[0].calls: no type "IERC20". Write address for a contract, uint8 for an enum, and the parts of a struct in brackets: "(address to, uint256 amount) order".',
    ],
    [
      'calls: "f((address to, uint256 amount)[] )",',
      'status == "ok"',
      'watches[0].calls: an argument needs a name. Write (address to, uint256 amount)[] value.',
    ],
    [
      'calls: "f(uint256 in)",',
      'status == "ok"',
      'watches[0].calls: in cannot be the name of an argument here. Give it another name: the selector stays the same.',
    ],
    [
      'calls: ["_sweep(address to)"],',
      'status == "ok"',
      "watches[0].calls[0]: _sweep cannot be the name of a call. Write calls: { mine: '_sweep(address to)' }.",
    ],
    [
      `calls: "${'x'.repeat(5000)}",`,
      'status == "ok"',
      `watches[0].calls: no function "${'x'.repeat(60)}…" is known here`,
    ],
    [
      'calls: transfer, units: { to: 6 },',
      'status == "ok"',
      'watches[0].units.to: to is no whole number, so it has no units. Possible: value.',
    ],
    [
      'calls: transfer, units: { valeu: 6 },',
      'status == "ok"',
      'watches[0].units.valeu: no function in calls has an argument valeu. Did you mean value?',
    ],
    ['calls: transfer, units: { value: 78 },', 'status == "ok"', 'watches[0].units.value: must be at most 77'],
    ['units: { value: 6 },', 'status == "ok"', 'watches[0].units.value: no function in calls has an argument value'],
    [
      '',
      'args.value > 5',
      'watches[0].alerts[0].if: transactions has no field "args". Only functions that `calls:` names have arguments, such as calls: [transfer].',
    ],
    [
      'calls: transfer,',
      'raw.value > 5',
      'watches[0].alerts[0].if: transactions has no field "raw". Only arguments that `units:` names have numbers before units, such as units: { amount: 6 }.',
    ],
    [
      'calls: transfer,',
      'args.valeu > 5 && status == "ok"',
      'watches[0].alerts[0].if: args has no field "valeu". Did you mean value?',
    ],
    [
      'calls: transfer,',
      'status == "ok" && args["value"] > 5',
      'watches[0].alerts[0].if: a field stands behind a dot. Write args.value.',
    ],
    ['calls: transfer,', 'args.value == vault', 'watches[0].alerts[0].if: a number cannot be compared with an address'],
    [
      '',
      'called == "pause()" && status == "ok"',
      'watches[0].alerts[0].if: "pause()" is no value of it. Did you mean pause?',
    ],
    [
      '',
      'called == "zap" && status == "ok"',
      'watches[0].alerts[0].if: "zap" is no value of it. Name the function in calls: with its signature, such as sweep(address to).',
    ],
    [
      '',
      'selector == "0x8456"',
      'watches[0].alerts[0].if: "0x8456" is no selector: a selector is 0x and 8 hexadecimal digits',
    ],
    ['', 'unlimited(method)', 'watches[0].alerts[0].if: unlimited() does not take a text'],
    ['calls: transfer,', 'unlimited(args.to)', 'watches[0].alerts[0].if: unlimited() does not take an address'],
    ['', 'unlimited(hash)', 'watches[0].alerts[0].if: unlimited() does not take a hash'],
    ['', 'unlimited()', 'watches[0].alerts[0].if: unlimited() needs a value in its brackets'],
  ])('%s %s', (keys, condition, problem) => {
    const { problems, watches } = load(keys, condition);
    expect(problems.map((one) => summarize(one).replace(/^r\.yaml:\d+:\d+ /, ''))).toEqual([
      expect.stringContaining(problem),
    ]);
    expect(watches).toEqual([]);
  });
});

test('the caret of a signature stands below the wrong word', () => {
  const [problem] = load('calls: "transfer(address to, uint257 value)",', 'status == "ok"').problems;
  const [line = '', carets = ''] = problem?.frame.split('\n').slice(-2) ?? [];
  expect(line.slice(carets.indexOf('^'), carets.lastIndexOf('^') + 1)).toBe('uint257');
});

describe('a warning', () => {
  const warnings = (keys: string, condition: string): readonly string[] =>
    load(keys, condition)
      .warnings.filter(({ message }) => !message.includes('watched only'))
      .map(({ message, hint }) => `${message}. ${hint ?? ''}`);

  test('says that a failed call has a function, too', () => {
    const said = [
      'a transaction that failed has a function and arguments, too. Add && status == "ok", or status == "error".',
    ];
    expect(warnings('', 'called == "pause"')).toEqual(said);
    expect(warnings('calls: transfer,', 'args.value > 5')).toEqual(said);
    expect(warnings('calls: transfer,', 'args.value > 5 && status == "error"')).toEqual([]);
  });

  test('says that a critical alert goes by a name that another contract may have given', () => {
    expect(warnings('', 'method == "pause"')).toEqual([
      'the explorer may take the name of a method from another contract. Compare called, which goes by signatures that are known here.',
    ]);
  });
});

test('check names what each bare name became, with the selectors', () => {
  const { watches } = load('calls: approve,', 'status == "ok"');
  const { lines } = describeWatches(watches, config);
  expect(lines).toContain(
    'w: reads approve(address,uint256) 0x095ea7b3, approve(address,address,uint160,uint48) 0x87517c45',
  );
});

describe('a reload', () => {
  test('with the same calls gives the same kind, and another one with other calls', () => {
    const cache = createRuleCache();
    const kindOf = (keys: string) => load(keys, 'status == "ok"', cache).watches[0]?.kind;
    const first = kindOf('calls: transfer,');
    expect(kindOf('calls: [transfer],')).toBe(first);
    expect(kindOf('calls: pause,')).not.toBe(first);
    expect(kindOf('')).toBe(kinds.find(({ name }) => name === first?.name));
  });

  test('that changes calls or units continues the memory', () => {
    const checksumOf = (keys: string) => load(keys, 'status == "ok"').watches[0]?.checksum;
    expect(checksumOf('calls: transfer, units: { value: 6 },')).toBe(checksumOf(''));
    expect(checksumOf('start: 5,')).not.toBe(checksumOf(''));
  });
});
