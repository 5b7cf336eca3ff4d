import { describe, expect, test } from '@jest/globals';
import { signatureOf } from '../../src/core/calls/catalogue.ts';
import { selectorOf } from '../../src/lib/abi/signature.ts';
import { failuresOf, ruleOf, testOf } from './support/trials.ts';

const VAULT = 'kind: transactions, of: vault, every: 1m';
const ADMIN = "'0x1111111111111111111111111111111111111111'";
const OTHER = "'0x2222222222222222222222222222222222222222'";

interface Story {
  readonly rule: string;
  readonly items: readonly string[];
  readonly expect: readonly string[];
}

const PAUSE = "raw_input: '0x8456cb59'";
const OWNER = (to: string): string => `raw_input: '0xf2fde38b000000000000000000000000${to.repeat(40)}'`;
const TRANSFER = (words: string): string => `raw_input: '0xa9059cbb${words}'`;
const PAY = selectorOf(signatureOf('pay(uint256[] parts, address to)'));
const WORD = (digits: string): string => digits.padStart(64, '0');

const STORIES: readonly (readonly [string, Story])[] = [
  [
    'a function of the catalogue is known by its selector, without calls:',
    {
      rule: ruleOf(VAULT, '{ id: paused, on: new, if: called == "pause" && status == "ok" }'),
      items: [`{ status: ok, ${PAUSE} }`, `{ status: ok, ${OWNER('1')} }`, `{ status: error, ${PAUSE} }`],
      expect: ['{ at: 1m, alert: paused, state: event }'],
    },
  ],
  [
    'arguments are read from the call data, with their types',
    {
      rule: ruleOf(
        `${VAULT}, calls: transferOwnership`,
        `{ id: foreign, on: new, if: args.newOwner != "${'0x'.padEnd(42, '1')}" }`,
      ),
      items: [`{ status: ok, ${OWNER('1')} }`, `{ status: ok, ${OWNER('2')} }`],
      expect: [`{ at: 1m, alert: foreign, state: event, fields: { args: { newOwner: ${OTHER} } } }`],
    },
  ],
  [
    'a test may write the function and its arguments instead',
    {
      rule: ruleOf(
        `${VAULT}, calls: [transferOwnership, pause]`,
        `{ id: foreign, on: new, if: args.newOwner != vault }`,
      ),
      items: [
        `{ status: ok, called: transferOwnership, args: { newOwner: ${ADMIN} } }`,
        '{ status: ok, called: transferOwnership, args: { newOwner: vault } }',
        '{ status: ok, called: pause }',
      ],
      expect: [
        `{ at: 1m, alert: foreign, state: event, fields: { called: transferOwnership, selector: '0xf2fde38b' } }`,
      ],
    },
  ],
  [
    'an argument of another function decides: no comparison with it holds, and its opposite does',
    {
      rule: ruleOf(
        `${VAULT}, calls: [transferOwnership, pause]`,
        `{ id: equal, on: new, if: args.newOwner == vault }, { id: other, on: new, if: args.newOwner != vault },
         { id: negated, on: new, if: "!(args.newOwner == vault)" }, { id: there, on: new, if: has(args.newOwner) },
         { id: not-there, on: new, if: has(args.newOwner) == false }`,
      ),
      items: [`{ status: ok, ${PAUSE} }`],
      expect: ['{ at: 1m, alert: negated, state: event }', '{ at: 1m, alert: not-there, state: event }'],
    },
  ],
  [
    'creations, plain transfers and functions without a name have no called, and that is known',
    {
      rule: ruleOf(
        VAULT,
        `{ id: paused, on: new, if: called == "pause" }, { id: not-paused, on: new, if: called != "pause" },
         { id: either, on: new, if: called == "pause" || status == "ok" }, { id: is-there, on: new, if: has(called) }`,
      ),
      items: [
        `{ status: ok, raw_input: '0x6080604052', created_contract: ${ADMIN} }`,
        "{ status: ok, raw_input: '0x' }",
        "{ status: ok, raw_input: '0x12345678' }",
      ],
      expect: [1, 2, 3].map(() => '{ at: 1m, alert: either, state: event }'),
    },
  ],
  [
    'data that does not fit the signature could not be judged, and is told all the same',
    {
      rule: ruleOf(`${VAULT}, calls: transfer`, '{ id: large, on: new, if: status == "ok" && args.value > 500 }'),
      items: [
        `{ status: ok, ${TRANSFER(WORD('11') + WORD('ff'))} }`,
        `{ status: ok, ${TRANSFER('f'.repeat(64) + WORD('ff'))} }`,
        `{ status: error, ${TRANSFER(WORD('11'))} }`,
        `{ status: ok, ${PAUSE} }`,
      ],
      expect: ["{ at: 1m, alert: large, state: event, fields: { selector: '0xa9059cbb' } }"],
    },
  ],
  [
    'a list of more than 64 items could not be judged, and the other arguments are',
    {
      rule: ruleOf(
        `${VAULT}, calls: 'pay(uint256[] parts, address to)'`,
        `{ id: large, on: new, if: 'status == "ok" && args.parts.exists(part, part > 5)' },
         { id: vaulted, on: new, if: status == "ok" && args.to == vault }`,
      ),
      items: [64, 65].map(
        (count) =>
          `{ status: ok, raw_input: '${PAY}${WORD('40')}${WORD('11')}${WORD(count.toString(16))}${WORD('1').repeat(count)}' }`,
      ),
      expect: ['{ at: 1m, alert: large, state: event }'],
    },
  ],
  [
    'an argument that a test leaves out is unknown',
    {
      rule: ruleOf(`${VAULT}, calls: transfer`, '{ id: large, on: new, if: status == "ok" && args.value > 500 }'),
      items: [
        '{ status: ok, called: transfer }',
        '{ status: ok, called: transfer, args: { to: vault } }',
        '{ status: ok, called: transfer, args: { value: 501 } }',
      ],
      expect: ['{ at: 1m, alert: large, state: event }'],
    },
  ],
  [
    'a number may be signed in one function and not in another',
    {
      rule: ruleOf(
        `${VAULT}, calls: ['move(int256 by, (int8 by)[] steps)', 'raise(uint256 by)', 'lower((uint8 by)[] steps)']`,
        `{ id: down, on: new, if: status == "ok" && args.by < 0 },
         { id: step, on: new, if: 'status == "ok" && args.steps.exists(s, s.by < 0)' }`,
      ),
      items: [
        '{ status: ok, called: move, args: { by: -5, steps: [{ by: -1 }] } }',
        '{ status: ok, called: raise, args: { by: 5 } }',
        '{ status: ok, called: lower, args: { steps: [{ by: 5 }] } }',
      ],
      expect: ['{ at: 1m, alert: down, state: event }', '{ at: 1m, alert: step, state: event }'],
    },
  ],
  [
    'units make amounts of whole numbers, and the number stays',
    {
      rule: ruleOf(
        `${VAULT}, calls: [transfer, 'approve(address spender, uint256 value)'], units: { value: 6 }`,
        `{ id: large, on: new, if: called == "transfer" && args.value >= 1.5 && raw.value == 1500000 },
         { id: unlimited, on: new, if: unlimited(args.value) }`,
      ),
      items: [
        `{ status: ok, ${TRANSFER(WORD('11') + WORD((1_500_000).toString(16)))} }`,
        `{ status: ok, ${TRANSFER(WORD('11') + WORD((1_499_999).toString(16)))} }`,
        `{ status: ok, raw_input: '0x095ea7b3${WORD('11')}${'f'.repeat(64)}' }`,
      ],
      expect: ['{ at: 1m, alert: large, state: event }', '{ at: 1m, alert: unlimited, state: event }'],
    },
  ],
  [
    'lists and tuples are read, and bytes may follow the arguments',
    {
      rule: ruleOf(
        `${VAULT}, calls: { Pay: 'pay((address to, uint256 amount)[] orders, string note)' }`,
        '{ id: paid, on: new, if: "called == \\"Pay\\" && args.orders.exists(o, o.amount > 5) && args.note.contains(\\"x\\")" }',
      ),
      items: [
        `{ status: ok, called: Pay, args: { orders: [{ to: vault, amount: 7 }, { to: vault, amount: 1 }], note: xyz } }`,
        `{ status: ok, called: Pay, args: { orders: [{ to: vault, amount: 2 }], note: xyz } }`,
        `{ status: ok, called: Pay, args: { orders: [], note: xyz } }`,
      ],
      expect: ['{ at: 1m, alert: paid, state: event }'],
    },
  ],
];

/** `pause()` of the vault, as an argument of `execute(address target, uint256 value, bytes data)`. */
const EXECUTE = `raw_input: '0xb61d27f6${WORD('ca55518df8a55440f3834ce64d573aba5e458550')}${WORD('')}${WORD('60')}${WORD('4')}${'8456cb59'.padEnd(64, '0')}'`;

test('a test says the line of a call that is only written in the call data, and no condition has it', async () => {
  const rule = ruleOf(VAULT, '{ id: any, on: new }, { id: paused, on: new, if: called == "pause" }');
  const config = `
explorers: { ethereum: { form: instance, instance_url: 'https://api.example' } }
addresses: { vault: '0xca55518dF8A55440f3834CE64D573ABa5E458550' }
channels: { screen: { type: log } }
rules: [rules.yaml]
`;
  const story = (text: string): string =>
    testOf(
      ['{ at: 0m, items: [] }', `{ at: 1m, items: [{ status: ok, from: vault, to: vault, ${EXECUTE} }] }`],
      [`{ at: 1m, alert: any, state: event, title: vault called execute on vault, text: { contains: '${text}' } }`],
    ).replace('rules.yaml', 'rules.yaml\nconfig: config.yaml');
  const files = { 'rules.yaml': rule, 'config.yaml': config };
  expect(await failuresOf(story('Written in the call data: pause on vault.'), files)).toBe('');
  expect(await failuresOf(story('Written in the call data: unpause'), files)).toContain(
    'Written in the call data: pause',
  );
});

test('a call of a Safe has names of the explorer of the watch, and a correction keeps its line', async () => {
  const vault = 'ca55518df8a55440f3834ce64d573aba5e458550';
  const packed = `00${vault}${WORD('')}${WORD('4')}8456cb59`;
  const batch = `8d80ff0a${WORD('20')}${WORD('59')}${packed.padEnd(192, '0')}`;
  const safe = ['', '', '140', '1', '', '', '', '', '', '240'].map(WORD);
  safe[0] = WORD('3c54fbffcc0dcb1daa210f8c51bb20751258b3ab');
  const input = `0x6a761202${safe.join('')}${WORD('c4')}${batch.padEnd(448, '0')}${WORD('')}`;
  const config = `
explorers:
  ethereum: { form: instance, instance_url: 'https://api.example' }
  base: { form: instance, instance_url: 'https://base.example' }
addresses: { safe: '0x${'55'.repeat(20)}', multisend: '0x3C54FBFFCC0DCB1DAA210F8C51BB20751258B3AB' }
tokens: { USDC: { base: '0x${vault}' } }
channels: { screen: { type: log } }
rules: [rules.yaml]
`;
  const item = (value: number): string =>
    `{ id: a, status: ok, value: ${value}, from: safe, to: safe, raw_input: '${input}' }`;
  const failures = (explorer: string, text: string): Promise<string> =>
    failuresOf(
      testOf(
        ['{ at: 0m, items: [] }', `{ at: 1m, items: [${item(250)}] }`, `{ at: 2m, items: [${item(240)}] }`],
        ['event', 'corrected'].map(
          (state, i) => `{ at: ${i + 1}m, alert: large, state: ${state}, text: { contains: '${text}' } }`,
        ),
      ).replace('rules.yaml', 'rules.yaml\nconfig: config.yaml'),
      {
        'rules.yaml': ruleOf(
          `kind: transactions, explorer: ${explorer}, of: safe, every: 1m`,
          '{ id: large, on: new, if: value > 100 }',
        ),
        'config.yaml': config,
      },
    );
  const line = 'Written in the call data: pause on USDC, in a multiSend call delegated to multisend.';
  expect(await failures('base', line)).toBe('');
  expect(await failures('ethereum', line)).toContain(
    'Written in the call data: a delegated multiSend call to multisend.',
  );
});

describe('calls of transactions', () => {
  test.each(STORIES)('%s', async (_name, { rule, items, expect: expected }) => {
    const saw = ['{ at: 0m, items: [] }', `{ at: 1m, items: [${items.join(', ')}] }`];
    expect(await failuresOf(testOf(saw, expected), { 'rules.yaml': rule })).toBe('');
  });
});

test('a count is named by the function that it counts, behind how it ended', async () => {
  const rule = ruleOf(
    `${VAULT}, calls: deposit`,
    '{ id: silent, on: new, if: called == "deposit" && status == "ok", none_for: 1h }',
  );
  const saw = [
    '{ at: 0m, items: [{ id: a, status: ok, called: deposit, timestamp: 0s }] }',
    '{ at: 30m, items: [{ id: b, status: error, called: deposit, timestamp: 0s }, { id: c, status: ok, called: pause, timestamp: 0s }] }',
    '{ at: 60m, items: [{ id: c, status: ok, called: pause, timestamp: -30m }] }',
  ];
  const title = 'no successful deposit transaction of vault for 1 h';
  expect(
    await failuresOf(testOf(saw, [`{ at: 60m, alert: silent, state: firing, title: ${title} }`]), {
      'rules.yaml': rule,
    }),
  ).toBe('');
});

test('a function of an ABI file is known in a test of rules, as the daemon knows it', async () => {
  const abi = [{ type: 'function', name: 'transferOwnership', inputs: [{ type: 'address', name: '' }] }];
  const rule = ruleOf(
    `${VAULT}, abi: Vault.json, calls: transferOwnership`,
    `{ id: foreign, on: new, if: args.arg0 != "${'0x'.padEnd(42, '1')}" }`,
  );
  const story = testOf(
    ['{ at: 0m, items: [] }', `{ at: 1m, items: [{ status: ok, ${OWNER('1')} }, { status: ok, ${OWNER('2')} }] }`],
    [`{ at: 1m, alert: foreign, state: event, fields: { args: { arg0: ${OTHER} } } }`],
  );
  expect(await failuresOf(story, { 'rules/rules.yaml': rule, 'rules/Vault.json': JSON.stringify(abi) })).toBe('');
});
