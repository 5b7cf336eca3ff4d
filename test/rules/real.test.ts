import { describe, expect, test } from '@jest/globals';
import { loadConfig } from '../../src/config/config.ts';
import { formatProblems } from '../../src/config/problem.ts';
import { notifiers } from '../../src/notifiers/index.ts';
import { describeWatches } from '../../src/rules/describe.ts';
import { loadRules } from '../../src/rules/load.ts';
import { configJsonSchema, rulesJsonSchema } from '../../src/rules/schema/schema.ts';
import { kinds } from '../../src/watches/index.ts';

const CONFIG = `
explorers:
  ethereum:
    form: multichain
    base_url: https://explorer.example.com
    chain_id: "1"
    api_key: { env: EXPLORER_API_KEY }
    plan: { requests_per_second: 5, credits: 100000, per: day, reserve: 10% }
  gnosis:
    form: instance
    instance_url: https://gnosis.explorer.example.com
  playground: { form: sandbox, seed: 7, block_time: 2s }
addresses:
  treasury: 0x47ac0Fb4F2D84898e4D9E7b4DaB3C24507a6D503
  vault: 0xBA12222222228d8Ba445958a75a0704d566BF2C8
  hot_wallets: [0x1111111111111111111111111111111111111111, 0x2222222222222222222222222222222222222222]
tokens:
  USDC: { ethereum: 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48, gnosis: 0xDDAfbb505ad214D7b80b1f830fcCc89B60fb7A83 }
  ACME: 0x6B175474E89094C44Da98b954EedeAC495271d0F
channels:
  screen: { type: log }
rules: [rules/*.yaml]
`;

const RULES = `
defaults: { explorer: ethereum, notify: [screen], every: 1m }
watches:
  - id: treasury-usdc
    kind: balance
    of: treasury
    token: USDC
    alerts:
      - id: low
        while: balance < 1000000
        until: balance > 1050000
        for: 2m
        severity: critical
        title: Treasury USDC is low
        text: "{{ balance }} USDC left at {{ address }}, it was {{ before.balance }}"
  - id: treasury-coins
    kind: balance
    of: treasury
    explorer: [ethereum, gnosis, playground]
    alerts:
      - { id: drop, on: changed, if: balance < before.balance * 0.9, title: "Down to {{ balance | rounded }}" }
  - id: treasury-tokens
    kind: holdings
    of: [treasury, hot_wallets]
    every: 5m
    alerts:
      - { id: scam-arrived, on: added, if: token.reputation == "scam", severity: warning }
      - { id: turned-scam, on: changed, if: token.reputation == "scam" }
      - { id: gone, on: removed, if: token == USDC }
  - id: our-token
    kind: token
    token: ACME
    every: 10m
    alerts:
      - { id: flagged, while: reputation == "scam", severity: critical }
      - { id: supply-changed, on: changed, if: total_supply != before.total_supply }
      - { id: standard, while: token.type != "ERC-20" }
  - id: vault-calls
    kind: internal-transactions
    of: vault
    direction: to
    every: 30s
    alerts:
      - { id: call-failed, on: new, if: success == false }
  - id: withdrawals
    kind: transactions
    of: vault
    cron: "*/15 * * * * *"
    alerts:
      - { id: large, on: new, if: 'status == "ok" && method in ["withdraw", "redeem"] && value > 100' }
      - { id: failed, on: new, if: 'status == "error" && revert_reason.contains("paused")' }
      - { id: ours, on: mined, if: 'from.hash in hot_wallets && tx.type == 2 && fee.value > 0.1' }
  - id: head
    kind: blocks
    every: 15s
    alerts:
      - { id: stalled, while: age > duration("2m"), severity: critical }
      - { id: reorg, on: reorg, if: depth > 1 }
      - { id: thousandth, on: new, if: height % 1000 == 0, severity: info, title: "Block {{ height }}" }
`;

describe('With the kinds and channels as they are', () => {
  const loaded = loadConfig('config.yaml', {
    env: { EXPLORER_API_KEY: 'k'.repeat(20) },
    readFile: () => CONFIG,
    notifiers,
  });
  const { config } = loaded;
  if (config === null) throw new Error(formatProblems(loaded.problems));
  const { watches, problems } = loadRules(config, [{ file: 'rules/all.yaml', text: RULES }], { kinds });

  test('the rules of the manual load', () => {
    expect(formatProblems(problems)).toBe('');
    expect(watches.map(({ name }) => name)).toEqual([
      'treasury-usdc',
      'treasury-coins[ethereum]',
      'treasury-coins[gnosis]',
      'treasury-coins[playground]',
      'treasury-tokens[treasury]',
      'treasury-tokens[0x1111…1111]',
      'treasury-tokens[0x2222…2222]',
      'our-token',
      'vault-calls',
      'withdrawals',
      'head',
    ]);
  });

  test('a standing head stays decidable', () => {
    const [stalled] = watches.find(({ rule }) => rule === 'head')?.alerts ?? [];
    expect(stalled).toMatchObject({ type: 'condition', while: { headOnly: true } });
  });

  test('what only a reorg knows is refused elsewhere, where it would never be known', () => {
    const text = RULES.replace('height % 1000 == 0', 'height > 5 && block.depth > 1');
    const found = loadRules(config, [{ file: 'a.yaml', text }], { kinds }).problems;
    expect(found.map(({ message, hint }) => [message, hint])).toEqual([
      ['depth is known only of `on: reorg`', 'Write on: reorg.'],
    ]);
    const line = text.split('\n').find((one) => one.includes('depth > 1') && one.includes('new')) ?? '';
    expect(found[0]?.column).toBe(line.indexOf('depth') + 1);
  });

  test('the name of an address is no token: its balance would be zero for ever', () => {
    const found = loadRules(config, [{ file: 'a.yaml', text: RULES.replace('token: USDC', 'token: vault') }], {
      kinds,
    });
    expect(found.problems.map(({ line, column, message }) => [line, column, message])).toEqual([
      [7, 12, 'no token "vault"'],
    ]);
  });

  test('they can be described', () => {
    const { lines, warnings } = describeWatches(watches, config);
    const planned = lines.filter((line) => / times as long: | a day wanted, |: fits as written with /.test(line));
    expect(lines).toHaveLength(watches.length + 3 + planned.length);
    expect(warnings).toEqual([expect.stringMatching(/ credits a day too small; .*intervals become longer: /)]);
  });

  describe('a name of the config that is that of a field', () => {
    const clash = CONFIG.replace('  vault:', '  reputation:').replaceAll(', vault', '');
    const { config: other } = loadConfig('config.yaml', {
      env: { EXPLORER_API_KEY: 'k' },
      readFile: () => clash,
      notifiers,
    });
    if (other === null) throw new Error('no config');
    const loaded = (text: string) => loadRules(other, [{ file: 'a.yaml', text }], { kinds });

    test('is refused where rules use the kind of the field', () => {
      const { problems } = loaded(RULES.replaceAll('of: vault', 'of: treasury'));
      expect(problems.map(({ message }) => message)).toEqual(['"reputation" is a field of token already']);
    });

    test('is only warned of where they do not: the name can be used', () => {
      const { problems, warnings, watches } = loaded(`watches:
  - id: calls
    kind: internal-transactions
    explorer: ethereum
    of: reputation
    notify: [screen]
    alerts: [{ id: own, on: new, if: from.hash == reputation }]
`);
      expect(problems).toEqual([]);
      expect(watches).toHaveLength(1);
      expect(warnings.map(({ message }) => message)).toContain('"reputation" is a field of contract already');
    });
  });

  test('the schemas of both files can be made', () => {
    expect(JSON.stringify(rulesJsonSchema(kinds))).toContain('internal-transactions');
    expect(JSON.stringify(configJsonSchema(notifiers))).toContain('"log"');
  });
});
