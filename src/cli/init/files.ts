// The files that `init` writes: a config, rules that fit the addresses, and tests of these rules.
import type { DetectedAddress, NamedAddress } from '../../app/setup/detect-addresses.ts';
import { Amount } from '../../core/values/amount.ts';

export interface ExplorerChoice {
  /** `sandbox`, or the part of the explorer's URL before `/api/v2` or before the chain id. */
  readonly url: string;
  /** The chain id for the form `multichain`; null for other forms. */
  readonly chainId: string | null;
  /** The environment variable that holds the key; null = there is none. */
  readonly keyEnv: string | null;
}

/** The name of the explorer in the config. */
export const EXPLORER = 'main';

/** `credits`: the credits left, by the explorer's answer; null: unknown. */
export function configText(
  { url, chainId, keyEnv }: ExplorerChoice,
  addresses: readonly (NamedAddress & Partial<Pick<DetectedAddress, 'is'>>)[],
  credits: number | null,
): string {
  const key = keyEnv === null ? [] : [`    api_key: { env: ${keyEnv} }`];
  const place =
    url === 'sandbox'
      ? ['    form: sandbox # a simulated chain that needs no network']
      : chainId === null
        ? ['    form: instance', `    instance_url: ${JSON.stringify(url)}`, ...key]
        : ['    form: multichain', `    base_url: ${JSON.stringify(url)}`, `    chain_id: '${chainId}'`, ...key];
  return `${[
    '# Made by `chainwarden init`. Every key: docs/config.md.',
    'explorers:',
    `  ${EXPLORER}:`,
    ...place,
    ...(url === 'sandbox' ? [] : planLines(credits)),
    ...(url === 'sandbox' ? [] : ['    # coin: { symbol: ETH } # the name of the coin in messages']),
    'addresses:',
    ...addresses.map(
      ({ name, address: { text }, is = null }) =>
        `  ${name}: ${is === null ? text : `{ address: ${text}, is: ${is} }`}`,
    ),
    'channels:',
    '  screen: { type: log } # writes alerts to standard output; docs/channels.md has mail, chats and pagers',
    'routes: [{ notify: [screen] }] # the channels for alerts of rules without notify: docs/routing.md',
    'self: [screen] # the channels for alerts about the daemon itself',
    'state: { file: ./data/state.db }',
    'http: { listen: 127.0.0.1:9797 } # the page, the API and the metrics',
    'rules: [rules/*.yaml]',
  ].join('\n')}\n`;
}

const FREE_PLAN = 100_000;

/** The plan, if the credits are known. With a plan, the daemon spreads its requests so that the credits last. */
function planLines(credits: number | null): string[] {
  const line = (amount: number, per: string, why: string): string =>
    `    plan: { credits: ${amount}, per: ${per} } # ${why}; write what your key has`;
  if (credits === null || credits < 0) return [];
  const left = `${credits} were left when this was written`;
  return [credits <= FREE_PLAN ? line(FREE_PLAN, 'day', `${left}, as of the free plan`) : line(credits, 'month', left)];
}

interface Recipe {
  /** Lines of a watch. */
  readonly rule: readonly string[];
  /** Lines of the rule's tests. */
  readonly test: readonly string[];
}

export function rulesText(found: readonly DetectedAddress[]): string {
  const rules = recipesOf(found).flatMap(({ rule }) => [...rule.map((line) => `  ${line}`), '']);
  const head = '# Made by `chainwarden init`. Change the numbers; more rules: docs/cookbook.md.';
  return `${[head, 'watches:', ...rules].join('\n').trimEnd()}\n`;
}

export function testsText(found: readonly DetectedAddress[]): string {
  const tests = recipesOf(found).flatMap(({ test }) => test.map((line) => `  ${line}`));
  return `${['# Run by `chainwarden test`.', 'rules: watches.yaml', 'tests:', ...tests].join('\n')}\n`;
}

function recipesOf(found: readonly DetectedAddress[]): Recipe[] {
  return [headRecipe(), ...found.flatMap((one) => [...balanceRecipe(one), ...recipesFor(one), ...codeRecipe(one)])];
}

function recipesFor({ name, what, address }: DetectedAddress): Recipe[] {
  if (what === 'token') return [tokenRecipe(name, address.text)];
  return what === 'contract' ? [callsRecipe(name), holdingsRecipe(name)] : [holdingsRecipe(name)];
}

function headRecipe(): Recipe {
  return {
    rule: [
      '- id: head',
      '  kind: blocks',
      '  every: 1m',
      '  alerts: [{ id: stalled, while: age > duration("10m"), severity: critical }]',
    ],
    test: [
      '- name: it fires when there is no block for ten minutes, and ends with the next one',
      '  watch: head',
      '  saw:',
      '    - { at: 0m, items: [{ height: 100, timestamp: 0s }] }',
      '    - { at: 11m, items: [{ height: 100, timestamp: -11m }] }',
      '    - { at: 12m, items: [{ height: 101, timestamp: 0s }] }',
      '  expect:',
      '    - { at: 11m, alert: stalled, state: firing }',
      '    - { at: 12m, alert: stalled, state: resolved }',
    ],
  };
}

const ZERO = new Amount(0n, 0);
const HALF = new Amount(5n, 1);
const ONE_AND_A_HALF = new Amount(15n, 1);

/** An alert for a balance below half of the present one; none for an address without coins. */
function balanceRecipe({ name, coins }: DetectedAddress): Recipe[] {
  if (coins === null || coins.compare(ZERO) <= 0) return [];
  const low = twoDigits(coins.times(HALF));
  const [half, clear, above] = [low.times(HALF), low.times(ONE_AND_A_HALF), low.times(new Amount(2n, 0))];
  return [
    {
      rule: [
        `- id: ${name}-coins`,
        `  kind: balance # ${coins.toString()} when this was written`,
        `  of: ${name}`,
        '  every: 5m',
        `  alerts: [{ id: low, while: balance < ${low.toString()}, until: balance > ${clear.toString()}, severity: critical }]`,
      ],
      test: [
        `- name: it fires when ${name} has fewer coins, and ends when they are back`,
        `  watch: ${name}-coins`,
        '  saw:',
        `    - { at: 0m, balance: ${above.toString()} }`,
        `    - { at: 5m, balance: ${half.toString()} }`,
        `    - { at: 10m, balance: ${above.toString()} }`,
        '  expect:',
        '    - { at: 5m, alert: low, state: firing }',
        '    - { at: 10m, alert: low, state: resolved }',
      ],
    },
  ];
}

/** `twoDigits(1234.5) // 1200` */
function twoDigits({ digits, scale }: Amount): Amount {
  const text = digits.toString();
  return new Amount(BigInt(text.slice(0, 2).padEnd(text.length, '0')), scale);
}

function holdingsRecipe(name: string): Recipe {
  return {
    rule: [
      `- id: ${name}-tokens`,
      '  kind: holdings',
      `  of: ${name}`,
      '  every: 10m',
      '  alerts: [{ id: scam-arrived, on: added, if: token.reputation == "scam" }]',
    ],
    test: [
      `- name: it reports a token that ${name} receives only if it is a scam`,
      `  watch: ${name}-tokens`,
      '  saw:',
      '    - { at: 0m, holdings: [{ id: a, token: { symbol: A, reputation: ok } }] }',
      '    - { at: 10m, holdings: [{ id: a, token: { symbol: A, reputation: ok } }, { token: { reputation: scam } }] }',
      '  expect:',
      '    - { at: 10m, alert: scam-arrived, state: event }',
    ],
  };
}

function callsRecipe(name: string): Recipe {
  return {
    rule: [
      `- id: ${name}-calls`,
      '  kind: internal-transactions',
      `  of: ${name}`,
      '  direction: to',
      '  every: 1m',
      '  alerts: [{ id: failing, on: new, if: success == false, at_least: { count: 3, within: 10m } }]',
    ],
    test: [
      `- name: it fires after three failed calls to ${name}, and not after one`,
      `  watch: ${name}-calls`,
      '  saw:',
      '    - { at: 0m, items: [] }',
      '    - { at: 1m, items: [{ success: false }, { success: true }] }',
      '    - { at: 2m, items: [{ success: false }, { success: false }] }',
      '  expect:',
      '    - { at: 2m, alert: failing, state: firing }',
    ],
  };
}

/** An alert for other code behind a proxy than now. */
function codeRecipe({ name, implementations }: DetectedAddress): Recipe[] {
  const [first] = implementations;
  if (first === undefined) return [];
  const expected = implementations.map(({ text }) => `'${text}'`).join(', ');
  const other = `0x${(first.key.endsWith('1') ? '2' : '1').repeat(40)}`;
  return [
    {
      rule: [
        `- id: ${name}-code`,
        '  kind: contract',
        `  of: ${name}`,
        '  every: 10m',
        `  expected: [${expected}] # behind it when this was written`,
        '  alerts: [{ id: foreign-code, while: is_expected == false, severity: critical }]',
      ],
      test: [
        `- name: it fires when other code is behind ${name}, and ends ten minutes after the expected one is back`,
        `  watch: ${name}-code`,
        '  saw:',
        `    - { at: 0m, implementations: [{ address_hash: '${first.text}' }] }`,
        `    - { at: 10m, implementations: [{ address_hash: '${other}' }] }`,
        `    - { at: 20m, implementations: [{ address_hash: '${first.text}' }] }`,
        `    - { at: 30m, implementations: [{ address_hash: '${first.text}' }] }`,
        '  expect:',
        '    - { at: 10m, alert: foreign-code, state: firing }',
        '    - { at: 30m, alert: foreign-code, state: resolved }',
      ],
    },
  ];
}

function tokenRecipe(name: string, address: string): Recipe {
  return {
    rule: [
      `- id: ${name}-token`,
      '  kind: token',
      `  token: ${address}`,
      '  every: 10m',
      '  alerts:',
      '    - { id: flagged, while: reputation == "scam", severity: critical }',
      '    - { id: minted, on: changed, if: total_supply > before.total_supply * 1.01 }',
    ],
    test: [
      `- name: it reports a mark as scam, and more than 1 % of new supply`,
      `  watch: ${name}-token`,
      '  saw:',
      '    - { at: 0m, reputation: ok, total_supply: 1000 }',
      '    - { at: 10m, reputation: scam, total_supply: 1005 }',
      '    - { at: 20m, reputation: ok, total_supply: 2000 }',
      '  expect:',
      '    - { at: 10m, alert: flagged, state: firing }',
      '    - { at: 20m, alert: flagged, state: resolved }',
      '    - { at: 20m, alert: minted, state: event }',
    ],
  };
}
