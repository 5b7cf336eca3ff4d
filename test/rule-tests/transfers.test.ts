import { expect, test } from '@jest/globals';
import { failuresOf, ruleOf, testOf, type Files } from './support/trials.ts';

const TREASURY = 'kind: transfers, of: treasury, every: 1m';
const USDC = 'token: { address_hash: USDC, exchange_rate: 0.999 }';
const DOLLARS = 'token: { address_hash: USDC, decimals: 6 }';
const PAYEE = "to: { hash: '0x3c54fbFfcC0dCB1dAA210F8c51Bb20751258b3AB' }";

interface Story {
  readonly rule: string;
  readonly items: readonly string[];
  readonly expect: readonly string[];
}

const STORIES: readonly (readonly [string, Story])[] = [
  [
    'a large mint is told, a small one and a transfer are not',
    {
      rule: ruleOf(
        'kind: transfers, token: USDC, every: 1m',
        '{ id: minted, on: new, if: transfer.type == "token_minting" && amount > 100_000 }',
      ),
      items: [
        `{ type: token_minting, amount: 1_000_000, ${PAYEE} }`,
        '{ type: token_minting, amount: 5 }',
        '{ type: token_transfer, amount: 1_000_000 }',
      ],
      expect: ["{ at: 1m, alert: minted, state: event, title: '1,000,000 USDC minted to 0x3c54…b3AB, above 100,000' }"],
    },
  ],
  [
    'any token out of an address above a limit in dollars, and one without a price',
    {
      rule: ruleOf(
        TREASURY,
        '{ id: large, on: new, if: direction == "out" && value_usd > 100_000 }, { id: unpriced, on: new, if: direction == "out" && raw > 0 && !has(value_usd) }',
      ),
      items: [
        `{ ${USDC}, amount: 110_000, ${PAYEE} }`,
        `{ ${USDC}, amount: 110_000, direction: in }`,
        `{ token: { address_hash: USDC }, amount: 5, ${PAYEE} }`,
        `{ token: { address_hash: USDC }, amount: 0, ${PAYEE} }`,
      ],
      expect: [
        "{ at: 1m, alert: large, state: event, title: 'treasury sent 110,000 USDC to 0x3c54…b3AB, $109,890, above $100,000' }",
        "{ at: 1m, alert: unpriced, state: event, title: 'treasury sent 5 USDC to 0x3c54…b3AB, no price known' }",
      ],
    },
  ],
  [
    'an address that sends to itself is in both directions, and a burn is told as one',
    {
      rule: ruleOf(`${TREASURY}, direction: out`, '{ id: any, on: new, if: amount > 1 }'),
      items: [`{ ${USDC}, amount: 2, direction: self }`, `{ ${USDC}, amount: 3, type: token_burning }`],
      expect: [
        "{ at: 1m, alert: any, state: event, title: '3 USDC burned by treasury, above 1' }",
        "{ at: 1m, alert: any, state: event, title: 'treasury sent 2 USDC to treasury, above 1' }",
      ],
    },
  ],
  [
    'a sum of one token fires, and nothing for too long does',
    {
      rule: ruleOf(
        `${TREASURY}, token: USDC`,
        '{ id: drained, on: new, if: direction == "out", at_least: { sum: amount, than: 100, within: 1h } }, { id: idle, on: new, none_for: 1h }',
      ),
      items: [`{ amount: 60, ${PAYEE} }`, `{ amount: 70, ${PAYEE} }`],
      expect: ['{ at: 1m, alert: drained, state: firing }'],
    },
  ],
  [
    'a payment to an address that looks like a payee; the payee itself, and others, are silent',
    {
      rule: ruleOf(
        TREASURY,
        '{ id: like, on: new, if: \'direction == "out" && raw > 0 && resembles(to.hash, payees)\' }, { id: one, on: new, if: "raw > 5 && resembles(to.hash, payee_a)" }',
      ),
      items: [
        `{ ${DOLLARS}, amount: 5, to: { hash: '0x4D6533333333333333333333333333333333B3AB' } }`,
        `{ ${DOLLARS}, amount: 5, to: { hash: payee_a } }`,
        `{ ${DOLLARS}, amount: 5, to: { hash: '0x4d6533333333333333333333333333333333b3ac' } }`,
        `{ ${DOLLARS}, amount: 0, to: { hash: '0x4D6533333333333333333333333333333333B3AB' } }`,
      ],
      expect: [
        "{ at: 1m, alert: like, state: event, title: 'treasury sent 5 USDC to 0x4D65…B3AB, which looks like payee_a and is not' }",
        '{ at: 1m, alert: one, state: event }',
      ],
    },
  ],
  [
    'a sender that looks like an address of the config is told as one',
    {
      rule: ruleOf('kind: transfers, token: USDC, every: 1m', '{ id: any, on: new, if: amount > 1 }'),
      items: [
        `{ amount: 2, from: { hash: '0x4D6533333333333333333333333333333333B3AB' }, ${PAYEE} }`,
        `{ type: token_burning, amount: 3, from: { hash: '0x4D6533333333333333333333333333333333B3AB' } }`,
      ],
      expect: [
        "{ at: 1m, alert: any, state: event, title: '3 USDC burned by 0x4D65…B3AB, which looks like payee_a and is not, above 1' }",
        "{ at: 1m, alert: any, state: event, title: '0x4D65…B3AB, which looks like payee_a and is not, sent 2 USDC to 0x3c54…b3AB, above 1' }",
      ],
    },
  ],
];

const CONFIG = `
explorers: { chain: { form: sandbox } }
addresses:
  treasury: 0xa14C3E6DD27d6A8e02f9Ea24EcDE64e6B6f50db0
  payee_a: 0x4d6511111111111111111111111111111111b3ab
  payee_b: 0x3c5422222222222222222222222222222222c4bc
  payees: [payee_a, payee_b]
tokens: { USDC: 0x51BEEe539Ee496D28B2Bf8BED91D0b7F3A5599D8 }
channels: { screen: { type: log } }
rules: [rules/*.yaml]
`;

const filesOf = (rule: string): Files => ({ 'rules.yaml': rule, 'config.yaml': CONFIG });
const withConfig = (text: string): string => `config: ../config.yaml\n${text}`;

test.each(STORIES)('%s', async (_name, { rule, items, expect: said }) => {
  const saw = ['{ at: 0m, items: [] }', `{ at: 1m, items: [${items.join(', ')}] }`];
  expect(await failuresOf(withConfig(testOf(saw, said)), filesOf(rule))).toBe('');
});

test.each([
  ['kind: transfers, of: treasury', 'if: "resembles(to.hash)"', 'resembles'],
  ['kind: transfers, of: treasury', 'if: "resembles(raw, payees)"', 'resembles'],
  ['kind: transfers', '', 'of or token is missing'],
  ['kind: transfers, token: USDC', 'if: direction == "out"', 'direction is known only where the watch has of'],
  ['kind: transfers, token: USDC, direction: in', '', 'direction is for a watch with of'],
  ['kind: transfers, of: treasury, direction: to', '', '"to" is not one of in, out'],
])('%s, %s: %s', async (watch, condition, problem) => {
  const rule = ruleOf(watch, `{ id: any, on: new${condition === '' ? '' : `, ${condition}`} }`);
  await expect(failuresOf(withConfig(testOf(['{ at: 0m, items: [] }'])), filesOf(rule))).rejects.toThrow(problem);
});
