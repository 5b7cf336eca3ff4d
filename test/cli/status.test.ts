// What `status` says: what fires and whether to trust that, and what was not read of lists.
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { loadSetup } from '../../src/app/setup/setup.ts';
import { readFileSync } from 'node:fs';
import type { RequestPace } from '../../src/core/model/quality/health-summary.ts';
import { summaryOfHealth } from '../../src/engine/reporting/daemon-health.ts';
import { calmHealth } from '../support/engine/calm-health.ts';
import { blankMemory, step } from '../../src/core/step.ts';
import { AddressRef } from '../../src/explorer/reading/resources/address.ts';
import { InternalTransaction } from '../../src/explorer/reading/resources/internal-transaction.ts';
import { takeLock } from '../../src/store/sqlite/files/lock.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { overviewLines } from '../../src/cli/state/status-table.ts';
import { Overview } from '../../src/query/shapes/overview.ts';
import { CALM, overviewWith } from '../support/daemon-in-trouble.ts';
import type { ListReading } from '../../src/watches/lists/list-reading.ts';
import type { Ran } from '../support/cli.ts';
import { prepareState, type PreparedState } from '../support/store/prepared-state.ts';
import { commit } from '../support/store/store-calls.ts';
import { aPlanState } from '../support/spending.ts';

const RULES = `
watches: [{ id: calls, kind: internal-transactions, of: vault, notify: screen, every: 1m, alerts: [{ id: failed, on: new }] }]
`;

type Reading = ListReading<typeof InternalTransaction.fields>;

function reading(blocks: readonly number[], stopped: Reading['stopped'] = null): Reading {
  const rows = blocks.map((block) =>
    InternalTransaction.make({
      transaction_hash: `0x${block}`,
      index: 0n,
      block_number: BigInt(block),
      from: AddressRef.make({}),
    }),
  );
  return { rows, stopped, reachedEnd: stopped === null, older: null };
}

/** Steps the one watch through these readings, a minute apart, and writes each down. */
async function remember(
  { config, clock, folder }: ReturnType<typeof prepareState>,
  readings: readonly (readonly [Reading, string | null])[],
): Promise<void> {
  const { setup } = loadSetup(config, { env: {}, readFile: (path) => readFileSync(path, 'utf8') });
  const [watch] = setup?.watches ?? [];
  if (watch === undefined) throw new Error('the rules do not load');
  const begin = clock.now();
  let memory = blankMemory(watch);
  await using store = await openSqliteStore({ file: join(folder.path, 'state.db') });
  for (const [i, [seen, partial]] of readings.entries()) {
    const at = begin + i * 60_000;
    const decision = step(watch, memory, {
      type: 'seen',
      at,
      paceMs: 0,
      head: null,
      chain: 'not-asked',
      seen,
      partial,
    });
    await commit(store, [decision], at);
    memory = { ...decision.memory, version: memory.version + 1 };
  }
}

test('status names the blocks that were not read, why and since when, and when the list was last read as a whole', async () => {
  using prepared = prepareState(RULES);
  await remember(prepared, [
    [reading([10]), null],
    [reading([12, 11, 10]), null],
    [
      reading([99, 60], { why: '20 pages read', lowest: 60, resume: { block_number: '60' } }),
      'blocks 13-60 not examined: 20 pages read',
    ],
  ]);
  const { out } = await prepared.run('status', '--watches', '-c', prepared.config);
  expect(out).toContain('  calls: blocks 13-60 not read yet since 2026-01-01T00:02:00Z: 20 pages read\n');
  expect(out).toContain('  calls: last read again as a whole 2026-01-01T00:00:00Z\n');
});

test('events that cannot be decided yet are counted in one part, not named one by one', async () => {
  using prepared = prepareState(RULES.replace('on: new', 'on: new, if: success == false'));
  await remember(prepared, [
    [reading([10]), null],
    [reading([11, 10]), null],
    [reading([12, 11, 10]), null],
  ]);
  const { out } = await prepared.run('status', '-c', prepared.config);
  expect(out).toContain('\ncalls: failed: 2 not decided yet, since 2026-01-01T00:01:00Z\n');
});

/** While a daemon holds the state. */
async function statusBesideDaemon(prepared: PreparedState, ...options: string[]): Promise<Ran> {
  using _held = takeLock(prepared.stateFile);
  return await prepared.run('status', ...options, '-c', prepared.config);
}

const SCREEN = { now: Date.UTC(2026, 0, 1, 1), zone: 'UTC', width: 120 };

const BALANCES = `
watches:
  - id: coins
    kind: balance
    of: treasury
    every: 1m
    alerts: [{ id: low, while: balance < 1_000_000, for: 2m, severity: critical, notify: [screen, night] }]
  - { id: gas, kind: balance, of: vault, every: 1m, alerts: [{ id: low, while: balance < 2_000_000, notify: screen }] }
`;

test('status begins with what fires, how far beyond its limit, who was told, and why watches are blind', async () => {
  using prepared = prepareState(BALANCES);
  await prepared.polls('940000');
  const pending = await statusBesideDaemon(prepared);
  expect(pending.out.split('\n').slice(0, 6)).toEqual([
    'WARNING: vault coin 940,000, below 2,000,000',
    'Nobody has acknowledged it. No watch is blind, and no delivery is owed.',
    '',
    'SEVERITY  STATE    ALERT      VALUE                          SINCE      NOTIFIED',
    'warning   firing   gas/low    940,000 coin, below 2,000,000  00:01 UTC  screen accepted',
    'critical  pending  coins/low  940,000 coin, below 1,000,000  00:01 UTC',
  ]);
  await prepared.polls('940000', '900000', 'missed', 'missed');
  // Not blind yet, and no word that all is seen.
  const overdue = await statusBesideDaemon(prepared);
  expect(overdue.out).toContain(' 2 of 2 watches have had no usable answer since 00:03 UTC.\n');
  expect(overdue.out).toContain('\nno usable answer since 00:03:49 UTC: 2 watches on chain: error: coins, gas\n');
  expect(overdue.out).not.toContain('blind');
  await prepared.polls('missed', 'missed', 'missed', 'missed');
  const json = await prepared.run('status', '-c', prepared.config, '--json');
  expect(Overview.parse(JSON.parse(json.out)).cards.map(({ title }) => title)).toEqual([
    'treasury coin 900,000, below 1,000,000; last read 6 min ago',
    'vault coin 900,000, below 2,000,000; fired at 940,000; last read 6 min ago',
  ]);
  const { out } = await statusBesideDaemon(prepared);
  expect(out.split('\n')[0]).toBe(
    'CRITICAL: treasury coin 900,000, below 1,000,000; last read 6 min ago (and one more)',
  );
  expect(out).toContain('critical  firing  coins/low  was 900,000 coin, below 1,000,000  00:01 UTC  ');
  expect(out).toContain('no answer since 00:03:49 UTC: 2 watches on chain: error: coins, gas');
});

test('status names seconds, not the milliseconds at which a watch became blind', () => {
  const overview = overviewWith({ ...CALM });
  const [cause] = overview.trust.blind;
  if (cause === undefined) throw new Error('nothing is blind');
  const blind = [{ ...cause, since: '2026-01-01T00:03:00.417Z' }];
  const lines = overviewLines({ ...overview, trust: { ...overview.trust, blind } }, SCREEN);
  expect(lines.filter((line) => line.startsWith('blind since'))).toEqual([
    expect.stringContaining('blind since 00:03 UTC: '),
  ]);
});

test('status says which replica polls, and which explorer no replica polls', () => {
  const overview = overviewWith({ ...CALM });
  const cluster: Overview['trust']['cluster'] = {
    replicas: [
      { name: 'host-1', is_self: false, config: 'a' },
      { name: 'host-2', is_self: false, config: 'b' },
    ],
    shards: [
      { shard: 'channel:ops', replica: 'host-1' },
      { shard: 'explorer:ethereum', replica: 'host-1' },
      { shard: 'explorer:gnosis', replica: null },
    ],
    config_in_force: 'a',
  };
  const lines = overviewLines({ ...overview, trust: { ...overview.trust, cluster } }, SCREEN);
  expect(lines.filter((line) => /^(?:replica|nobody) /.test(line))).toEqual([
    'replica host-1: works on channel:ops, explorer:ethereum',
    'replica host-2: works on nothing; runs another config than most, and claims nothing',
    'nobody works on: explorer:gnosis',
  ]);
  expect(overviewLines(overview, SCREEN).join('\n')).not.toContain('replica');
});

test('status gives the overview as JSON, as the API does', async () => {
  using prepared = prepareState(BALANCES);
  await prepared.polls('940000', '940000', '940000');
  const { code, out } = await statusBesideDaemon(prepared, '--json');
  expect(code).toBe(0);
  expect(Overview.parse(JSON.parse(out))).toMatchObject({
    verdict: 'critical',
    cards: [{ watch: 'coins', measure: { value: '940000', limit: '1000000' } }, { watch: 'gas' }],
    trust: { heads: [], storage: null, cluster: null },
  });
});

test('where no daemon runs, status says so first, and never that all is quiet', async () => {
  using prepared = prepareState(BALANCES);
  await prepared.polls('3000000');
  expect((await statusBesideDaemon(prepared)).out).toMatch(/^All quiet\n/);
  const { out } = await prepared.run('status', '-c', prepared.config);
  expect(out.split('\n').slice(0, 2)).toEqual([
    'No daemon runs',
    'Nothing is polled and nothing is sent. The page shows the state from when it ended.',
  ]);
  const json = await prepared.run('status', '--json', '-c', prepared.config);
  expect(Overview.parse(JSON.parse(json.out))).toMatchObject({ verdict: 'blind', headline: 'No daemon runs' });
});

test('status shows the health that a daemon wrote down, its age, and a daemon that hangs', async () => {
  using prepared = prepareState(BALANCES);
  await prepared.polls('3000000');
  const { clock, stateFile } = prepared;
  const health = {
    ...summaryOfHealth(calmHealth(clock.now())),
    notJudged: 4,
    troubles: [{ explorer: 'chain', text: 'unauthorized', isDoubted: false }],
    explorers: [
      {
        name: 'chain',
        polled: 2,
        head: { height: '9', at: clock.now(), state: 'fresh', since: null },
        credits: null,
        plan: null,
        paced: null,
      },
    ],
  } as const;
  {
    await using store = await openSqliteStore({ file: stateFile });
    await store.keepHealth({ ...health, troubles: [...health.troubles], explorers: [...health.explorers] });
  }
  await clock.advance(20_000);
  const { out } = await statusBesideDaemon(prepared);
  expect(out).toMatch(/^Nothing fires, but explorer chain cannot be relied on\n/);
  expect(out).toContain('\nExplorer chain cannot be relied on and 4 items were not judged.\n');
  expect(out).toContain('\ndaemon: running since 2026-01-01T00:01:00Z, as it wrote down 20s ago\n');
  expect(out).toContain('\nexplorer chain: unauthorized\n');
  const json = Overview.parse(JSON.parse((await statusBesideDaemon(prepared, '--json')).out));
  expect(json).toMatchObject({
    verdict: 'blind',
    trust: { storage: 'works', not_judged: 4, heads: [{ explorer: 'chain', height: '9', state: 'fresh' }] },
  });

  await clock.advance(71_000);
  const hanging = await statusBesideDaemon(prepared);
  expect(hanging.out.split('\n').slice(0, 2)).toEqual([
    'The daemon has written nothing since 00:01 UTC',
    'It hangs, or its state cannot be written. The state from that time is shown.',
  ]);
  expect(hanging.out).not.toContain('daemon: running');
  const stopped = await prepared.run('status', '-c', prepared.config);
  expect(stopped.out).toMatch(/^No daemon runs\n/);
});

test('a plan is said as it stands now, and not again for a whole day; without one, that nothing makes credits last', async () => {
  using prepared = prepareState(BALANCES);
  await prepared.polls('3000000');
  prepared.folder.write('config.yaml', WITH_SECRETS.replace('    api_key: { env: EXPLORER_KEY }\n', ''));
  const { clock, stateFile } = prepared;
  const head = { height: null, at: null, state: 'unread', since: null } as const;
  const said = async (
    plan: ReturnType<typeof aPlanState> | null,
    credits: number | null,
    paced: RequestPace | null = null,
  ): Promise<string> => {
    {
      await using store = await openSqliteStore({ file: stateFile });
      const explorers = [{ name: 'chain', polled: 2, head, plan, paced, credits }];
      await store.keepHealth({ ...summaryOfHealth(calmHealth(clock.now())), explorers });
    }
    return (await statusBesideDaemon(prepared)).out.replaceAll('\n  ', ' ');
  };
  const stretch = { critical: 1, warning: 1.02, info: 4.44 };
  const plan = {
    explorers: ['chain'],
    credits: 1000,
    known: 900,
    wantedPerDay: 57_600,
    resetsAt: clock.now() + 3_600_000,
  };
  const longer = await said(aPlanState({ ...plan, stretch }), 900);
  expect(longer).toContain('the rules want 57,600 a day; intervals: warning ×1.02, info ×4.4');
  expect(longer).not.toContain('too small');
  const none = { critical: 1, warning: 1, info: 1 };
  expect(await said(aPlanState({ ...plan, stretch: none }), 900)).toContain(
    'the rules want 57,600 a day; intervals are as they are written now',
  );
  const unplanned = await said(null, 9_200_000);
  expect(unplanned).toContain(
    '\nchain: 9,200,000 credits left; write plan: { credits: NUMBER, per: month } of what the key has to make them last\n',
  );
  expect(await said(null, null)).not.toContain('credits left');
  expect(await said(null, null, { perSecond: 5, wantedPerSecond: 7.83, stretch })).toContain(
    '\nchain: the rules want 7.8 requests a second, 5 are allowed; intervals: warning ×1.02, info ×4.4\n',
  );
});

test('after a restart, watches were blind in status since before it, and not on the page', async () => {
  using prepared = prepareState(BALANCES);
  await prepared.polls('3000000');
  const { clock, stateFile } = prepared;
  await clock.advance(3_600_000);
  expect((await statusBesideDaemon(prepared)).out).toMatch(/^Nothing fires, but 2 watches are blind\n/);
  {
    await using store = await openSqliteStore({ file: stateFile });
    const explorers = [
      {
        name: 'chain',
        polled: 2,
        head: { height: null, at: null, state: 'unread', since: null },
        credits: null,
        plan: null,
        paced: null,
      },
    ] as const;
    await store.keepHealth({ ...summaryOfHealth(calmHealth(clock.now())), unseen: 2, explorers: [...explorers] });
  }
  const { out } = await statusBesideDaemon(prepared);
  expect(out).toMatch(/^Starting\n0 of 2 watches have had their first answer\./);
  expect(out).not.toMatch(/blind|no answer since/);
});

test('status is as wide as the terminal: what has no room stands below', async () => {
  using prepared = prepareState(BALANCES);
  await prepared.polls('940000', '940000', '940000');
  using _held = takeLock(prepared.stateFile);
  const { out } = await prepared.runWith({ width: 80 }, 'status', '-c', prepared.config);
  expect(out.split('\n')).toEqual([
    'CRITICAL: treasury coin 940,000, below 1,000,000 (and one more)',
    'Nobody has acknowledged 1 critical alert and 1 warning. No watch is blind, and',
    'no delivery is owed.',
    '',
    'SEVERITY  STATE   ALERT      VALUE                          SINCE',
    'critical  firing  coins/low  940,000 coin, below 1,000,000  00:01 UTC',
    '  night, screen accepted',
    'warning   firing  gas/low    940,000 coin, below 2,000,000  00:01 UTC',
    '  screen accepted',
    '',
    '2 watches. Furthest behind: coins, last answer 1s ago, asked every 1m.',
    'deliveries: 3 sent, 0 given up',
    '',
  ]);
  const narrow = await prepared.runWith({ width: 50 }, 'status', '-c', prepared.config);
  expect(narrow.out.split('\n').slice(6, 10)).toEqual([
    'SEVERITY  STATE   ALERT',
    'critical  firing  coins/low',
    '  940,000 coin, below 1,000,000; since 00:01 UTC;',
    '  night, screen accepted',
  ]);
});

test('a critical alert that flaps and is pending again is one row', async () => {
  using prepared = prepareState(BALANCES);
  const fall = ['940000', '940000', '940000', '3000000'];
  await prepared.polls(...fall, ...fall, ...fall, '940000');
  const { out } = await statusBesideDaemon(prepared);
  expect(out.match(/coins\/low/g)).toHaveLength(1);
  expect(out).toMatch(/^critical {2}flapping +coins\/low/m);
});

test('many alerts of a rule that are in hand in one way are one row', () => {
  const overview = overviewWith({ ...CALM });
  const pending = (place: number): Overview['handled'][number] => ({
    key: null,
    episode: null,
    seq: null,
    alerts: 1,
    watch: `payroll[p${place}]`,
    alert: 'low',
    title: 'low',
    severity: 'warning',
    state: 'pending',
    why: 'pending',
    since: `2026-01-01T00:0${place}:00Z`,
    fires_at: null,
    measure: null,
    count: null,
    ack: null,
    silence: null,
  });
  const lines = (count: number): string[] =>
    overviewLines({ ...overview, cards: [], handled: Array.from({ length: count }, (_, i) => pending(i)) }, SCREEN);
  expect(lines(4).filter((line) => line.includes('payroll'))).toEqual([
    'warning   pending  payroll/low  4 alerts  00:00 UTC',
  ]);
  expect(lines(3).filter((line) => line.includes('payroll'))).toHaveLength(3);
});

const WITH_SECRETS = `
explorers:
  chain:
    form: instance
    instance_url: https://explorer.invalid
    api_key: { env: EXPLORER_KEY }
    plan: { credits: 1000, per: day }
addresses: { treasury: '0x${'11'.repeat(20)}', vault: '0x${'22'.repeat(20)}' }
channels: { screen: { type: webhook, url: { env: HOOK } }, night: { type: webhook, url: { file: night.secret } } }
heartbeat: { url: { env: BEATS } }
http: { operators: { alice: { token: { env: ALICE_TOKEN } } } }
state: { file: state.db }
rules: [rules.yaml]
`;

test('secrets that only the daemon has are one line, and a plan that is exceeded is another', async () => {
  using prepared = prepareState(BALANCES);
  await prepared.polls('3000000');
  prepared.folder.write('config.yaml', WITH_SECRETS);
  const { code, out, err } = await statusBesideDaemon(prepared);
  expect([code, err]).toEqual([
    0,
    'Secrets that this command cannot read, but the daemon may: EXPLORER_KEY, HOOK, night.secret.\n\n',
  ]);
  expect(out).toMatch(/^All quiet\n/);
  expect(out.replaceAll('\n  ', ' ')).toContain(
    'plan of chain: the plan is 62,360 credits a day too small; critical watches alone do not fit',
  );
  const explained = await prepared.run('explain', 'coins', '-c', prepared.config);
  expect(explained.out).toContain('night');
  // What sends needs them.
  const sent = await prepared.run('notify', 'test', 'screen', '-c', prepared.config);
  expect([sent.code, sent.err]).toEqual([78, expect.stringContaining('"HOOK" is not set')]);
});
