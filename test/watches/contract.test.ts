// A contract behind a proxy: which code counts, and what is said of it.
import { describe, expect, test } from '@jest/globals';
import { loadConfig } from '../../src/config/config.ts';
import type { Memory } from '../../src/core/model/memory.ts';
import { blankMemory, step } from '../../src/core/step.ts';
import { Address } from '../../src/core/values/address.ts';
import { missingValues } from '../../src/core/poll.ts';
import { explorerCauses } from '../../src/engine/self/explorer-causes.ts';
import { dataWords } from '../../src/explain/data-words.ts';
import { SmartContract } from '../../src/explorer/reading/resources/smart-contract.ts';
import { notifiers } from '../../src/notifiers/index.ts';
import { describeWatches } from '../../src/rules/describe.ts';
import { loadRules } from '../../src/rules/load.ts';
import { ADDRESSES, CONTRACTS } from '../../src/sandbox/names.ts';
import { ContractDetails } from '../../src/watches/contract/reading.ts';
import { kinds } from '../../src/watches/index.ts';
import { run } from '../rule-tests/support/trials.ts';
import { CONFIG as WORLD, createWorld, loadWatches, type World } from '../support/world.ts';

const CONFIG = `
explorers: { chain: { form: sandbox } }
addresses:
  vault: '0xca55518dF8A55440f3834CE64D573ABa5E458550'
  treasury: '0xa14C3E6DD27d6A8e02f9Ea24EcDE64e6B6f50db0'
  vault_v2: '0x1111111111111111111111111111111111111111'
  safe_singleton: '0x4444444444444444444444444444444444444444'
channels: { screen: { type: log } }
routes: [{ notify: [screen] }]
`;

const RULES = `
watches:
  - id: vault-code
    kind: contract
    of: [vault, treasury] # a Safe is a proxy too
    every: 5m
    expected: [vault_v2, safe_singleton]
    alerts:
      - { id: foreign-code, while: is_expected == false, severity: critical }
      - { id: upgraded, on: changed, if: implementations != before.implementations, severity: critical }
      - { id: unverified, while: is_verified == false, for: 1h }
`;

const files = { 'rules/code.yaml': RULES, 'config.yaml': CONFIG };

test('a lost list says nothing; foreign code is told at once, each time, its end after ten minutes', async () => {
  const { results } = await run(
    `
rules: code.yaml
config: ../config.yaml
tests:
  - name: the story
    watch: vault-code[vault]
    saw:
      - { at: 0m, implementations: &ours [{ address_hash: vault_v2 }] }
      - { at: 5m, implementations: [] }
      - { at: 25h, implementations: &foreign [{ address_hash: '0x2222222222222222222222222222222222222222' }] }
      - { at: 25h5m, implementations: *ours } # a return waits
      - { at: 25h10m, implementations: *foreign } # as told
      - { at: 25h15m, implementations: *ours }
      - { at: 25h25m, implementations: *ours }
      - { at: 25h30m, implementations: *foreign }
    expect:
      - { at: 25h, alert: foreign-code, state: firing, title: 'vault runs 0x2222…2222, not expected' }
      - { at: 25h, alert: upgraded, state: event, title: 'vault implementation is now 0x2222…2222, was vault_v2' }
      - { at: 25h25m, alert: foreign-code, state: resolved }
      - { at: 25h25m, alert: upgraded, state: event }
      - { at: 25h30m, alert: foreign-code, state: firing }
      - { at: 25h30m, alert: upgraded, state: event }
`,
    files,
  );
  expect(results.flatMap(({ details }) => details).join('\n')).toBe('');
});

const IMPLEMENTATION = CONTRACTS.implementation;
const OTHER = '0x2222222222222222222222222222222222222222';
const rules = (expected: string, more = '') => `
watches:
  - id: code
    kind: contract
    of: vault
    every: 1m
    expected: ['${expected}']
    alerts:
      - { id: foreign, while: is_expected == false, severity: critical }
      - { id: upgraded, on: changed, if: implementations != before.implementations, severity: critical }
${more}`;
const BOTH = ['foreign firing', 'upgraded event'];

/** Remarks that `explain` makes on the watch. */
function remarksOn({ decisions: [decision], clock }: World): string[] {
  const [watch] = loadWatches(rules(IMPLEMENTATION));
  if (watch === undefined || decision === undefined) throw new Error('no poll took place');
  return dataWords(watch, decision.memory, { now: clock.now(), zone: 'UTC', pause: null });
}

const upgrade = (world: World, implementation: string): void => {
  world.sandbox.upgrade({ implementation });
};

function notesOf({ decisions: [decision] }: World): string[] {
  return (decision?.reasons ?? []).flatMap((reason) => (reason.type === 'note' ? [reason.text] : []));
}

/** What the watch says in so many polls of one minute. */
async function pollsOf(world: World, count: number): Promise<string[]> {
  const said: string[] = [];
  for (let i = 0; i < count; i += 1) said.push(...(await world.poll()));
  return said;
}

test('an upgrade is told with both contracts, and their names as text of the chain', async () => {
  await using world = await createWorld(rules(IMPLEMENTATION));
  expect(await world.poll()).toEqual([]);
  upgrade(world, OTHER);
  expect((await world.poll()).toSorted()).toEqual(BOTH);
  const told = world.messages.find(({ alert }) => alert === 'upgraded');
  expect(told?.title).toBe('vault implementation is now 0x2222…2222, was 0x4cb3…6af8');
  expect(told?.lines[0]).toEqual([
    { text: 'Name given: "' },
    { untrusted: 'VaultV2' },
    { text: '"' },
    { text: ', was "' },
    { untrusted: 'Vault' },
    { text: '".' },
    { text: ' Proxy eip1967.' },
  ]);
  expect(told?.fields['implementation']).toEqual({ text: OTHER });
});

test('coins and code of one address are one request', async () => {
  const coins =
    '  - { id: coins, kind: balance, of: vault, every: 1m, alerts: [{ id: low, while: balance > 1e60 }] }\n';
  await using world = await createWorld(rules(IMPLEMENTATION, coins));
  await world.poll();
  expect(world.replicas.asked).toEqual([`addresses/${ADDRESSES.vault.toLowerCase()}`]);
});

test('the first known set is the baseline, even if the first poll has none; foreign code there is told', async () => {
  await using world = await createWorld(rules(OTHER));
  world.sandbox.fail({ fault: 'lost-implementations' });
  expect(await world.poll()).toEqual([]);
  expect(await world.poll()).toEqual(['foreign firing']);
});

test('a change of anything but the set is told once, and a name that is found later is none', async () => {
  const { results } = await run(
    `
rules: code.yaml
config: ../config.yaml
tests:
  - name: the story
    watch: w
    saw:
      - { at: 0m, implementations: [{ address_hash: vault_v2 }], is_verified: true, proxy_type: eip1967 }
      - { at: 5m, implementations: [{ address_hash: vault_v2, name: VaultV2 }], is_verified: true, proxy_type: eip1967 }
      - { at: 10m, implementations: [{ address_hash: vault_v2, name: VaultV2 }], is_verified: true, proxy_type: eip1822 }
      - { at: 15m, implementations: [{ address_hash: vault_v2, name: VaultV2 }], is_verified: true, proxy_type: eip1822 }
      - { at: 20m, implementations: [{ address_hash: vault_v2, name: VaultV2 }], is_verified: false, proxy_type: eip1822 }
      - { at: 25m, implementations: [{ address_hash: vault_v2, name: VaultV2 }], is_verified: false, proxy_type: eip1822 }
    expect:
      - { at: 10m, alert: any, state: event, title: 'vault proxy type eip1822, was eip1967', text: { contains: 'Name given: "VaultV2". Proxy eip1822.' } }
      - { at: 20m, alert: any, state: event, title: vault source is not verified }
`,
    {
      ...files,
      'rules/code.yaml':
        'watches: [{ id: w, kind: contract, of: vault, every: 5m, alerts: [{ id: any, on: changed }] }]',
    },
  );
  expect(results.flatMap(({ details }) => details).join('\n')).toBe('');
});

test('a message names every value that changed, and none that is only unknown', async () => {
  const { results } = await run(
    `
rules: code.yaml
config: ../config.yaml
tests:
  - name: the story
    watch: w
    saw:
      - { at: 0m, implementations: [{ address_hash: vault_v2 }], is_verified: true, proxy_type: eip1967, creation_status: success }
      - { at: 5m, implementations: [], is_verified: false, proxy_type: null, creation_status: success }
      - { at: 10m, implementations: [], is_verified: true, proxy_type: null, creation_status: selfdestructed }
    expect:
      - { at: 5m, alert: any, state: event, title: vault source is not verified }
      - { at: 10m, alert: any, state: event, title: vault source is verified, text: { contains: 'Creation status selfdestructed, was success.' } }
`,
    {
      ...files,
      'rules/code.yaml':
        'watches: [{ id: w, kind: contract, of: vault, every: 5m, alerts: [{ id: any, on: changed }] }]',
    },
  );
  expect(results.flatMap(({ details }) => details).join('\n')).toBe('');
});

test('an upgrade of one among many contracts names that one', async () => {
  const { results } = await run(
    `
rules: code.yaml
config: ../config.yaml
tests:
  - name: the story
    watch: vault-code[vault]
    saw:
      - { at: 0m, implementations: [{ address_hash: &a '0xa111111111111111111111111111111111111111' }, { address_hash: &b '0xb111111111111111111111111111111111111111' }, { address_hash: &c '0xc111111111111111111111111111111111111111' }, { address_hash: &d '0xd111111111111111111111111111111111111111' }] }
      - { at: 5m, implementations: [{ address_hash: *a }, { address_hash: *b }, { address_hash: *c }, { address_hash: '0xe111111111111111111111111111111111111111' }] }
    expect:
      - { at: 5m, alert: foreign-code, state: firing, title: 'vault runs 0xe111…1111, 0xa111…1111, 0xb111…1111 and 1 more, not expected' }
      - { at: 5m, alert: upgraded, state: event, title: 'vault implementations are now 0xe111…1111, 0xa111…1111, 0xb111…1111 and 1 more, was 0xd111…1111, 0xa111…1111, 0xb111…1111 and 1 more' }
`,
    {
      ...files,
      'rules/code.yaml': RULES.replace(
        /expected: .*/,
        `expected: [${['a', 'b', 'c', 'd'].map((one) => `'0x${one}${'1'.repeat(39)}'`).join(', ')}]`,
      ),
    },
  );
  expect(results.flatMap(({ details }) => details).join('\n')).toBe('');
});

test('replicas that differ are told of once, and never of an end', async () => {
  await using world = await createWorld(rules(IMPLEMENTATION));
  await world.poll();
  upgrade(world, OTHER);
  expect((await world.poll()).toSorted()).toEqual(BOTH);
  for (let i = 0; i < 15; i += 1) {
    upgrade(world, i % 2 === 0 ? IMPLEMENTATION : OTHER);
    expect(await world.poll()).toEqual([]);
  }
});

test('a return waits ten minutes, through a restart', async () => {
  await using world = await createWorld(rules(IMPLEMENTATION));
  await world.poll();
  upgrade(world, OTHER);
  await world.poll();
  upgrade(world, IMPLEMENTATION);
  expect(await pollsOf(world, 6)).toEqual([]);
  await world.restart();
  expect(await pollsOf(world, 4)).toEqual([]);
  const waiting =
    'the earlier implementation is shown again, and counts after ten minutes (since 2026-01-01T00:03:00Z)';
  expect(remarksOn(world)).toContain(waiting);
  expect((await world.poll()).toSorted()).toEqual(['foreign resolved', 'upgraded event']);
  expect(remarksOn(world)).not.toContain(waiting);
});

test('a return to code that is not expected does not wait', async () => {
  await using world = await createWorld(rules(OTHER));
  expect(await world.poll()).toEqual(['foreign firing']);
  upgrade(world, OTHER);
  expect((await world.poll()).toSorted()).toEqual(['foreign resolved', 'upgraded event']);
  upgrade(world, IMPLEMENTATION);
  expect((await world.poll()).toSorted()).toEqual(BOTH);
});

test('an outage while a return waits begins the ten minutes again', async () => {
  await using world = await createWorld(rules(IMPLEMENTATION));
  await world.poll();
  upgrade(world, OTHER);
  await world.poll();
  upgrade(world, IMPLEMENTATION);
  expect(await pollsOf(world, 6)).toEqual([]);
  world.sandbox.fail({ fault: 'blocked', times: 1000 });
  expect(await pollsOf(world, 8)).toEqual([]);
  world.sandbox.clearFaults();
  expect(await pollsOf(world, 10)).toEqual([]);
  expect((await world.poll()).toSorted()).toEqual(['foreign resolved', 'upgraded event']);
});

test('an upgrade during an outage is told with the first answer after it', async () => {
  await using world = await createWorld(rules(IMPLEMENTATION));
  await world.poll();
  world.sandbox.fail({ fault: 'blocked', times: 1000 });
  upgrade(world, OTHER);
  expect(await pollsOf(world, 5)).toEqual([]);
  world.sandbox.clearFaults();
  expect((await world.poll()).toSorted()).toEqual(BOTH);
});

test('a change whose commit never comes is decided again with the same keys, or not at all', () => {
  const [watch] = loadWatches(rules(IMPLEMENTATION));
  if (watch === undefined) throw new Error('there is no watch');
  const decide = (memory: Memory, at: number, implementation: string) => {
    const address_hash = Address.parse(implementation);
    const view = ContractDetails.read({ implementations: [{ address_hash: address_hash?.text }] }, { coin: 18 });
    const seen = { view, rows: [], partial: null };
    return step(watch, memory, { type: 'seen', at, paceMs: 0, head: null, chain: 'not-asked', seen, partial: null });
  };
  const { memory } = decide(blankMemory(watch), 60_000, IMPLEMENTATION);
  const keysAt = (at: number, implementation: string): string[] =>
    decide(memory, at, implementation).transitions.map(({ message }) => message.key);
  const lost = keysAt(120_000, OTHER);
  expect(lost).toHaveLength(2);
  expect(keysAt(180_000, OTHER)).toEqual(lost);
  expect(keysAt(180_000, IMPLEMENTATION)).toEqual([]);
});

describe('a reload', () => {
  test('that expects the new code ends the alert, and tells no change', async () => {
    await using world = await createWorld(rules(IMPLEMENTATION));
    await world.poll();
    upgrade(world, OTHER);
    await world.poll();
    await world.load(rules(OTHER));
    expect(await world.poll()).toEqual(['foreign resolved']);
    expect(await world.poll()).toEqual([]);
    upgrade(world, IMPLEMENTATION);
    expect((await world.poll()).toSorted()).toEqual(['foreign firing', 'upgraded event']);
  });

  test('that no longer expects the code tells it without a change of the code', async () => {
    await using world = await createWorld(rules(IMPLEMENTATION));
    await world.poll();
    await world.load(rules(OTHER));
    expect(await world.poll()).toEqual(['foreign firing']);
  });

  test('that adds the watch begins with the code of that time', async () => {
    const coins =
      'watches: [{ id: coins, kind: balance, of: vault, every: 1m, alerts: [{ id: low, while: balance > 1e60 }] }]';
    await using world = await createWorld(coins);
    await world.poll();
    upgrade(world, OTHER);
    await world.load(rules(OTHER));
    expect(await pollsOf(world, 2)).toEqual([]);
  });
});

describe('a lost list', () => {
  const lose = (world: World): void => {
    world.sandbox.fail({ fault: 'lost-implementations', times: 1000 });
  };
  const stateOf = ({ decisions: [decision] }: World) => decision?.memory.data?.state;

  test('ends no alert, and makes the watch blind with the third poll', async () => {
    await using world = await createWorld(rules(IMPLEMENTATION));
    await world.poll();
    upgrade(world, OTHER);
    await world.poll();
    lose(world);
    const states: (string | undefined)[] = [];
    for (let i = 0; i < 4; i += 1) {
      expect(await world.poll()).toEqual([]);
      states.push(stateOf(world));
      await world.restart();
    }
    expect(states).toEqual(['ok', 'ok', 'blind-field', 'blind-field']);
    expect(world.decisions[0]?.reasons).toContainEqual({
      type: 'note',
      text: 'is_expected is not known: conditions that read it are unknown',
    });
    world.sandbox.clearFaults();
    expect(await world.poll()).toEqual([]);
    expect(stateOf(world)).toBe('ok');
  });

  test('makes a condition on the type of the proxy blind, too', async () => {
    await using world = await createWorld(
      'watches: [{ id: w, kind: contract, of: vault, every: 1m, alerts: [{ id: beacon, while: proxy_type == "eip1967_beacon" }] }]',
    );
    await world.poll();
    lose(world);
    expect(await pollsOf(world, 3)).toEqual([]);
    expect(stateOf(world)).toBe('blind-field');
  });

  test('is told by what is lost', async () => {
    await using world = await createWorld(rules(IMPLEMENTATION));
    await world.poll();
    lose(world);
    await pollsOf(world, 3);
    const [watch] = loadWatches(rules(IMPLEMENTATION));
    const memory = world.decisions[0]?.memory;
    if (watch === undefined || memory === undefined) throw new Error('no poll took place');
    const since = Date.UTC(2026, 0, 1, 14, 2);
    const blind = [{ watch, since, reason: 'blind-field', ...missingValues(watch, memory) } as const];
    const facts = { watches: [watch], blind, troubles: [], notJudged: [], never: [], now: since, zone: 'UTC' };
    expect(explorerCauses(facts).map(({ alert, severity, title }) => [alert, severity, title])).toEqual([
      ['blind-field', 'critical', 'implementation of vault not known since 14:02 UTC'],
    ]);
  });

  test('is none of the memory of an earlier definition of the watch', () => {
    const [watch] = loadWatches(rules(IMPLEMENTATION));
    if (watch === undefined) throw new Error('there is no watch');
    const memory = { ...blankMemory(watch), state: { unlisted: 3 } };
    expect(missingValues(watch, memory)).toEqual({
      fields: ['implementations', 'is_expected'],
      lost: 'implementation',
    });
    expect(missingValues(watch, { ...memory, checksum: 'another' })).toEqual({ fields: [], lost: null });
    expect(missingValues(watch, { ...memory, state: { values: {} } })).toEqual({ fields: [], lost: null });
  });

  test('does not count for a contract that is no proxy', async () => {
    await using world = await createWorld(
      `watches: [{ id: w, kind: contract, of: ACME, expected: vault, every: 1m, alerts: [{ id: foreign, while: is_expected == false }] }]`,
    );
    await world.poll();
    expect(notesOf(world)).toEqual(['the explorer shows no implementation: what rules read of it is unknown']);
    expect(await pollsOf(world, 4)).toEqual([]);
    expect(stateOf(world)).toBe('ok');
    expect(notesOf(world)).toEqual([]);
  });
});

test('an account without code is noted once', async () => {
  await using world = await createWorld(
    'watches: [{ id: w, kind: contract, of: hot_wallet, every: 1m, alerts: [{ id: any, on: changed }] }]',
  );
  await world.poll();
  expect(notesOf(world)).toEqual(['the address has no code']);
  expect(await world.poll()).toEqual([]);
  expect(notesOf(world)).toEqual([]);
});

describe('the code and its source', () => {
  const SOURCE = 'watches: [{ id: w, kind: contract, of: vault, every: 10m, alerts: [ALERTS] }]';
  const CONFLICT = '{ id: conflict, while: conflicting == true, severity: critical }';
  const CODE = '{ id: code, on: changed, if: code_hash != before.code_hash }';
  const VERIFIED = '{ id: unverified, while: is_verified == false }';
  const FOREIGN = '{ id: upgraded, on: changed, if: implementations != before.implementations }';
  const withAlerts = (...alerts: readonly string[]): string => SOURCE.replace('ALERTS', alerts.join(', '));
  const askedOf = (world: World): readonly string[] => world.replicas.asked.map((path) => path.replace(/0x.*/, ''));

  test('are asked for only where an alert reads them', async () => {
    await using world = await createWorld(withAlerts(VERIFIED, '{ id: any, on: changed }'));
    await world.poll();
    expect(askedOf(world)).toEqual(['addresses/']);
    await world.load(withAlerts(VERIFIED, CONFLICT));
    await world.poll();
    expect(askedOf(world)).toEqual(['addresses/', 'addresses/', 'smart-contracts/']);
  });

  test('detectors that disagree are told, and their agreement', async () => {
    await using world = await createWorld(withAlerts(CONFLICT));
    await world.poll();
    world.sandbox.upgrade({ implementation: IMPLEMENTATION, conflicting: true });
    expect(await world.poll()).toEqual(['conflict firing']);
    expect(world.messages[0]?.title).toBe('detectors disagree about the proxy vault');
    world.sandbox.upgrade({ implementation: IMPLEMENTATION });
    expect(await world.poll()).toEqual(['conflict resolved']);
  });

  test('a reload that reads them first tells no change, and keeps the set of before', async () => {
    await using world = await createWorld(withAlerts('{ id: any, on: changed }'));
    await world.poll();
    await world.load(withAlerts(CODE, '{ id: any, on: changed }', FOREIGN));
    expect(await world.poll()).toEqual([]);
    upgrade(world, OTHER);
    expect((await world.poll()).toSorted()).toEqual(['any event', 'upgraded event']);
  });

  test('a refusal of the second question leaves the first one judged', async () => {
    await using world = await createWorld(withAlerts(CONFLICT, FOREIGN));
    await world.poll();
    upgrade(world, OTHER);
    world.sandbox.fail({ fault: 'blocked', times: 1000, operation: 'smart-contract' });
    expect(await world.poll()).toEqual(['upgraded event']);
    expect(notesOf(world)).toEqual([expect.stringContaining('code not read: ')]);
  });

  test('a host that always refuses the second question makes only its conditions blind', async () => {
    await using world = await createWorld(withAlerts(CONFLICT, FOREIGN));
    world.sandbox.fail({ fault: 'blocked', times: 1000, operation: 'smart-contract' });
    const states: (string | undefined)[] = [];
    for (let i = 0; i < 4; i += 1) {
      expect(await world.poll()).toEqual([]);
      states.push(world.decisions[0]?.memory.data?.state);
      await world.restart();
    }
    expect(states).toEqual(['ok', 'ok', 'blind-field', 'blind-field']);
    const [watch] = loadWatches(withAlerts(CONFLICT, FOREIGN));
    const memory = world.decisions[0]?.memory;
    expect(watch && missingValues(watch, memory)).toEqual({ fields: ['conflicting'], lost: null });
    upgrade(world, OTHER);
    expect(await world.poll()).toEqual(['upgraded event']);
    world.sandbox.clearFaults();
    expect(await world.poll()).toEqual([]);
    expect(world.decisions[0]?.memory.data?.state).toBe('ok');
  });

  test('a host that refuses the second question is told once for all contracts', async () => {
    const rule = `watches: [{ id: w, kind: contract, of: [vault, treasury, ACME], every: 1m, alerts: [${CONFLICT}] }]`;
    await using world = await createWorld(rule);
    world.sandbox.fail({ fault: 'blocked', times: 1000, operation: 'smart-contract' });
    await pollsOf(world, 3);
    const watches = loadWatches(rule);
    const since = Date.UTC(2026, 0, 1, 14, 2);
    const blind = watches.map((watch) => {
      const memory = world.decisions.find(({ watchId }) => watchId === watch.id)?.memory;
      return { watch, since, reason: 'blind-field', ...missingValues(watch, memory) } as const;
    });
    const facts = { watches, blind, troubles: [], notJudged: [], never: [], now: since, zone: 'UTC' };
    expect(explorerCauses(facts).map(({ title }) => title)).toEqual(['chain does not send conflicting, 3 watches']);
  });

  test('a refusal does not count once no rule reads the code', async () => {
    await using world = await createWorld(withAlerts(CONFLICT, FOREIGN));
    world.sandbox.fail({ fault: 'blocked', times: 1000, operation: 'smart-contract' });
    await pollsOf(world, 3);
    await world.load(withAlerts(FOREIGN));
    await world.poll();
    expect(world.decisions[0]?.memory.data?.state).toBe('ok');
  });

  test('no answer about the code means that no source is verified, unless the first answer says so', async () => {
    await using world = await createWorld(withAlerts(CONFLICT, VERIFIED));
    await world.poll();
    world.sandbox.fail({ fault: 'not-found', times: 1000, operation: 'smart-contract' });
    expect(await world.poll()).toEqual([]);
    world.replicas.use({ without: 'is_verified' });
    await world.poll();
    expect(world.decisions[0]?.snapshot?.view).toMatchObject({ is_verified: false });
  });

  test('check counts both questions', () => {
    const { config } = loadConfig('config.yaml', { env: {}, readFile: () => WORLD, notifiers });
    if (config === null) throw new Error('the config does not load');
    const { lines } = describeWatches(loadWatches(withAlerts(CONFLICT)), config);
    expect(lines).toEqual([
      expect.stringMatching(
        /asks addresses\/0x\w+…\w+ and smart-contracts\/0x\w+…\w+ +288 requests, 5,760 credits a day/,
      ),
      'w: reads the code and its source with a second request: every: 10m is enough for it',
      expect.stringContaining('288 requests a day, 5,760 credits a day'),
    ]);
  });

  test('other code at the address is told by its hash', async () => {
    const { results } = await run(
      `
rules: code.yaml
config: ../config.yaml
tests:
  - name: the story
    watch: w
    saw:
      - { at: 0m, code_hash: '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' }
      - { at: 10m, code_hash: null }
      - { at: 20m, code_hash: '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb' }
    expect:
      - { at: 20m, alert: code, state: event, title: 'vault code hash 0xbbbb…bbbb, was 0xaaaa…aaaa' }
`,
      { ...files, 'rules/code.yaml': withAlerts(CODE) },
    );
    expect(results.flatMap(({ details }) => details).join('\n')).toBe('');
  });
});

test.each([
  ['several implementations', { conflicting_implementations: [{}, {}] }, true],
  ['detectors that agree', { conflicting_implementations: null }, false],
  ['a release before 9.1', {}, undefined],
])('%s', (_case, row, conflicting) => {
  expect(SmartContract.read(row, { coin: 18 })?.conflicting).toBe(conflicting);
});

test('the hash of code is that of its bytes, and there is none without code', () => {
  const hashOf = (deployed_bytecode: unknown) => SmartContract.read({ deployed_bytecode }, { coin: 18 })?.code_hash;
  expect(hashOf('0xAB')).toBe(hashOf('0xab'));
  expect(hashOf('0xab')).toMatch(/^0x[0-9a-f]{64}$/);
  for (const none of ['0x', null, undefined, '0xabc', 7]) expect(hashOf(none)).toBeUndefined();
});

describe('its own keys', () => {
  const problemsOf = (keys: string): string[] => {
    const text = `watches: [{ id: w, kind: contract, of: vault, ${keys} }]`;
    return loadProblems(text).map(({ message, hint }) => `${message}. ${hint ?? ''}`);
  };

  test('is_expected needs expected', () => {
    expect(problemsOf('alerts: [{ id: a, while: is_expected == false }]')).toEqual([
      'is_expected is known only where the watch has expected. Name the contracts that may be behind it: expected: [vault_v2].',
    ]);
  });

  test('expected takes names, groups and addresses', () => {
    expect(problemsOf("expected: [ours, treasury, '0x2222222222222222222222222222222222222222']")).toEqual([]);
    expect(problemsOf('expected: []')).toEqual(['the list is empty. ']);
    expect(problemsOf('expected: [tresury]')).toEqual(['no address "tresury". Did you mean treasury?']);
  });
});

function loadProblems(text: string) {
  const { config } = loadConfig('config.yaml', { env: {}, readFile: () => WORLD, notifiers });
  if (config === null) throw new Error('the config does not load');
  return loadRules(config, [{ file: 'rules.yaml', text }], { kinds }).problems;
}
