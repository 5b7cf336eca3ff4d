import { expect, test } from '@jest/globals';
import { channelCauses } from '../../../src/engine/self/channel-causes.ts';
import type { Cause } from '../../../src/engine/self/cause.ts';
import { daemonCauses, type DaemonCauseFacts } from '../../../src/engine/self/daemon-causes.ts';
import { explorerCauses, type ExplorerCauseFacts } from '../../../src/engine/self/explorer-causes.ts';
import { createFind } from '../../../src/engine/self/findings.ts';
import type { BlindReason } from '../../../src/core/model/quality/blind-cause.ts';
import { createBackupHealth } from '../../../src/engine/upkeep/backup-health.ts';
import { createNotJudgedItems } from '../../../src/engine/reporting/report.ts';
import { createClockJumps } from '../../../src/engine/upkeep/clock-jumps.ts';
import { createChannelHealth, UNTRIED } from '../../../src/engine/sending/channel-health.ts';
import { plainJoined } from '../../../src/lib/untrusted.ts';
import { blankMemory, retire } from '../../../src/core/step.ts';
import type { DaemonHealth } from '../../../src/engine/reporting/daemon-health.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import { calmHealth } from '../../support/engine/calm-health.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { createMemoryStore } from '../../support/store/memory-store.ts';
import { loadWatches } from '../../support/world.ts';

const AT = Date.UTC(2026, 0, 1, 21, 12);
const NOW = AT + 600_000;
const rule = (id: string, severity: string): string =>
  `  - { id: ${id}, kind: balance, of: treasury, every: 1m, alerts: [{ id: low, severity: ${severity}, while: balance < 1 }] }\n`;
const WATCHES = loadWatches(`watches:\n${rule('one', 'info')}${rule('two', 'critical')}${rule('three', 'warning')}`);

function blind(...reasons: readonly (BlindReason | null)[]): ExplorerCauseFacts['blind'] {
  return WATCHES.flatMap((watch, i) => {
    const reason = reasons[i] ?? null;
    return reason === null
      ? []
      : [{ watch, since: AT + i, reason, fields: reason === 'blind-field' ? ['balance'] : [] }];
  });
}

function shown(causes: readonly Cause[]): string[] {
  return causes.map(({ alert, severity, subject, title, text, isExplained }) =>
    [severity, `${alert}/${subject}`, title, '-', plainJoined(text), ...(isExplained ? ['(explained)'] : [])].join(' '),
  );
}

function ofExplorers(facts: Partial<ExplorerCauseFacts>): string[] {
  return shown(
    explorerCauses({
      watches: WATCHES,
      blind: [],
      troubles: [],
      notJudged: [],
      never: [],
      now: NOW,
      zone: 'UTC',
      ...facts,
    }),
  );
}

test('an explorer that fails for one watch so and for another so is one cause, at the highest severity', () => {
  expect(ofExplorers({ blind: blind('timeout', 'network', 'timeout') })).toEqual([
    'critical blind/chain/no-answer chain does not answer, 3 watches - Since 21:12 UTC: no answer in time, the explorer cannot be reached. Watches: one, three, two.',
  ]);
});

test.each([
  [
    'not-found',
    'blind/chain/not-understood chain answers otherwise than expected, 1 watch - Since 21:12 UTC: the explorer does not know this object (404). Watches: one.',
  ],
  [
    'stale',
    'blind/chain/stale the head of chain stands still, 1 watch - Since 21:12 UTC: the chain head is stalled. Watches: one.',
  ],
  [
    'partial',
    'blind/chain/no-data chain does not show everything, 1 watch - Since 21:12 UTC: answers are incomplete. Watches: one.',
  ],
  [
    'blind-field',
    'blind-field/chain/field chain does not send balance, 1 watch - Since 21:12 UTC: a field that a rule reads is missing. Watches: one.',
  ],
  [
    'no-poll',
    'blind/chain/not-polled chain is not polled, 1 watch - Since 21:12 UTC: no poll took effect. Watches: one.',
  ],
  [
    'damaged-memory',
    'blind/chain/damaged the memory of 1 watch on chain is damaged - Since 21:12 UTC: the stored memory cannot be read. Watches: one (chainwarden state forget WATCH).',
  ],
] as const)('a watch that is blind by %s says so', (reason, line) => {
  expect(ofExplorers({ blind: blind(reason) })).toEqual([`info ${line}`]);
});

test('what cannot be stored is told as the storage, not as an explorer', () => {
  expect(ofExplorers({ blind: blind('storage-fails') })).toEqual([
    expect.stringMatching(/not-stored .* \(explained\)$/),
  ]);
});

test('a watch for which a plan leaves nothing is not told as an explorer that does not answer', () => {
  expect(ofExplorers({ blind: blind(null, 'plan') })).toEqual([
    'critical blind/chain/plan the plan of chain leaves no credits for 1 watch - Since 21:12 UTC: the plan leaves no credits for this watch now. Watches: two.',
  ]);
});

test('a refused key is told at once, and explains that its watches are blind; a doubted one is not told yet', () => {
  const refused = (reason: 'unauthorized' | 'out-of-credits', doubt: string | null): ExplorerCauseFacts['troubles'] => [
    { trouble: { type: 'refused', explorer: 'chain', rest: { reason, doubt, nextAt: NOW } }, since: AT },
  ];
  expect(ofExplorers({ blind: blind('unauthorized'), troubles: refused('unauthorized', null) })).toEqual([
    'critical explorer-down/chain chain refuses the key, 3 watches - Since 21:12 UTC: the API key is rejected (401). Look at api_key in the config.',
    expect.stringMatching(/^info blind\/chain\/no-answer .* \(explained\)$/),
  ]);
  expect(ofExplorers({ troubles: refused('out-of-credits', null) })).toEqual([
    'critical credits/chain chain has no credits left, 3 watches - Since 21:12 UTC: no credits are left (402). It is asked again now and then.',
  ]);
  expect(ofExplorers({ troubles: refused('unauthorized', '90 credits were left') })).toEqual([]);
});

test('an explorer that shows another chain is down', () => {
  const trouble = { type: 'other-chain', explorer: 'chain', why: 'block 7 is another one' } as const;
  expect(ofExplorers({ troubles: [{ trouble, since: AT - 86_400_000 }] })).toEqual([
    'critical explorer-down/chain chain shows another chain than before, 3 watches - Since 2025-12-31 21:12 UTC: block 7 is another one.',
  ]);
});

test('a channel is told when it owes for five minutes, gave up or refuses; the words of a receiver are no links', () => {
  const health = {
    ...UNTRIED,
    lastFailure: '503 see https://evil.example',
    refusal: { since: AT, why: '401 see https://evil.example' },
  };
  const row = { channel: 'screen', rows: 3, oldest: AT };
  const causes = (changes: object, well = UNTRIED): string[] =>
    shown(
      channelCauses({
        watches: WATCHES,
        health: new Map([['screen', well]]),
        backlog: { owed: [], dead: [] },
        now: NOW,
        zone: 'UTC',
        ...changes,
      }),
    );
  expect(causes({ backlog: { owed: [row], dead: [row] } })).toEqual([
    'critical delivery-failing/screen 3 messages not delivered on screen - Since 21:12 UTC.',
    'critical dead-letter/screen 3 messages to screen given up - Since 21:12 UTC. chainwarden status lists them.',
  ]);
  expect(causes({ backlog: { owed: [row], dead: [] } }, health)).toEqual([
    'critical delivery-failing/screen 3 messages not delivered on screen - Since 21:12 UTC. Last answer: ' +
      '503 see hxxps[:]//evil[.]example (explained)',
    'critical channel-auth/screen screen refuses what is sent to it - Since 21:12 UTC: 401 see hxxps[:]//evil[.]example',
  ]);
  expect(causes({ backlog: { owed: [{ ...row, oldest: NOW - 299_000 }], dead: [] } })).toEqual([]);
  expect(causes({ backlog: { owed: [{ ...row, channel: 'gone' }], dead: [] } })).toEqual([]);
});

test('a receiver that refuses is known until it takes a message, whatever fails in between', () => {
  const clock = createFakeClock(AT);
  const health = createChannelHealth(clock);
  health.ended({ type: 'again', why: '401', auth: true });
  clock.stall(60_000);
  health.ended({ type: 'again', why: 'timeout' });
  expect(health.now()).toEqual({
    lastSentAt: null,
    failingSince: AT,
    lastFailure: 'timeout',
    refusal: { since: AT, why: '401' },
  });
  health.ended({ type: 'sent', answer: '204' });
  expect(health.now()).toEqual({ ...UNTRIED, lastSentAt: AT + 60_000 });
});

test('the daemon tells of its state file, its config and its loops', () => {
  const well: DaemonCauseFacts = {
    zone: 'UTC',
    outage: null,
    restoredAt: null,
    lowDisk: null,
    recovered: null,
    backup: null,
    clockJumps: [],
    rejected: null,
    failingLoops: [],
    cluster: null,
    severity: 'critical',
    now: NOW,
  };
  expect(daemonCauses(well)).toEqual([]);
  const ill: DaemonCauseFacts = {
    ...well,
    outage: { since: AT, until: NOW, what: 'fails' },
    restoredAt: AT,
    lowDisk: { since: AT, freeBytes: 180_500_000 },
    recovered: { how: 'lost', at: AT },
    backup: { type: 'failed', since: AT, why: 'no room' },
    clockJumps: [{ at: AT, byMs: 5_400_000 }],
    rejected: { since: AT, why: 'rules.yaml:2:1: no', problems: [] },
    cluster: outvoted('pid 1', 'pid 2'),
    failingLoops: [{ name: 'sender', about: { channel: 'ops' }, failures: 4, since: AT }],
  };
  expect(shown(daemonCauses(ill))).toEqual([
    'critical storage/outage the state could not be written - From 21:12 UTC to 21:22 UTC. Delayed messages are sent now. The log says why.',
    'critical storage/restored the state file was deleted or replaced, and was put back - At 21:12 UTC. Nothing is lost. Files found in its place are kept as *.found.',
    'warning storage/disk the disk of the state file is nearly full - Since 21:12 UTC: 180 MB are free. When the disk is full, nothing is stored, and the watches are blind. Free some space.',
    'critical storage/state-lost the state was lost, and a new one begins - At 21:12 UTC. Every watch starts with a new baseline, and deliveries that were owed are not sent. The log says which files were kept.',
    'warning backup/daily the daily backup of the state file failed - Since 21:12 UTC: no room',
    "warning clock-jump/forward the clock jumped forward by 1h30m - At 21:12 UTC the machine's clock was set forward, or the machine slept. Polls and messages that were due in between are due now.",
    'warning reload/config the config or the rules on disk are not in force - Since 21:12 UTC: rules.yaml:2:1: no',
    'warning outvoted/config 1 replica runs another config than the one in force - Since 21:12 UTC: pid 2. A replica with that config does no work. It names no watch that the database remembers. It counts after chainwarden state accept: pid 2.',
    'critical loop-failing/sender/ops loop sender (channel ops) fails again and again - Since 21:12 UTC: 4 times in a row. The log says why.',
  ]);
  expect(
    shown(daemonCauses({ ...well, backup: { type: 'old', since: AT }, clockJumps: [{ at: AT, byMs: -60_001 }] })),
  ).toEqual([
    'warning backup/daily no backup of the state file was made for two days - Since 21:12 UTC. Restart the daemon; the log may say why.',
    "warning clock-jump/back the clock jumped back by 1m - At 21:12 UTC the machine's clock was set back. Pauses, silences and acknowledgements end by the new time.",
  ]);
});

/** The second one waits for an operator. */
function outvoted(...[own, other]: readonly [string, string]): DaemonHealth['cluster'] {
  const one = { id: own, name: own, checksum: 'a', isSelf: true, counts: true, outvotedSince: null };
  const counts = { leasesLost: 0, takeovers: 0, fencedCommits: 0 };
  const waiting = { ...one, id: other, name: other, checksum: 'b', isSelf: false, counts: false, outvotedSince: AT };
  return { replicas: [one, waiting], shards: [], configInForce: 'a', counts };
}

test('an alert of a replica that is outvoted goes on where another one has just begun to look', async () => {
  const clock = createFakeClock(AT);
  const cluster = outvoted('pid 1', 'pid 2');
  const seen = {
    cluster: cluster && { ...cluster, replicas: cluster.replicas.map((one) => ({ ...one, outvotedSince: null })) },
  };
  const find = createFind({
    store: createMemoryStore(),
    health: () => healthOf(clock, seen),
    timeZone: () => 'UTC',
  });
  const { causes, isUndecided } = await find();
  expect(causes).toEqual([]);
  expect(isUndecided({ alert: 'outvoted', subject: 'config' })).toBe(true);
  seen.cluster = null;
  expect((await find()).isUndecided({ alert: 'outvoted', subject: 'config' })).toBe(false);
});

function healthOf(clock: Pick<Clock, 'now'>, parts: Partial<DaemonHealth>): DaemonHealth {
  return { ...calmHealth(clock.now()), ...parts };
}

test('an outage of the state file is over once it has worked for a minute', async () => {
  const clock = createFakeClock(AT);
  const state = { storage: 'works' as 'works' | 'fails' };
  const find = createFind({
    store: createMemoryStore(),
    health: () => healthOf(clock, { storage: state.storage, watches: WATCHES }),
    timeZone: () => 'UTC',
  });
  const titles = async (): Promise<string[]> => (await find()).causes.map(({ text }) => plainJoined(text).slice(0, 27));
  expect(await titles()).toEqual([]);
  state.storage = 'fails';
  expect(await titles()).toEqual(['Since 21:12 UTC. Critical a']);
  clock.stall(300_000);
  state.storage = 'works';
  expect(await titles()).toEqual(['From 21:12 UTC to 21:17 UTC']);
  clock.stall(59_000);
  expect(await titles()).toHaveLength(1);
  clock.stall(2000);
  expect(await titles()).toEqual([]);
});

test('nothing is over before it was looked at: no refusal, outage, failed backup, and no jump for an hour', async () => {
  const health = { current: UNTRIED };
  const work = { unpolled: WATCHES, undecided: new Set<string>() };
  const clock = createFakeClock(AT);
  const backups = createBackupHealth(clock);
  const jumps = createClockJumps(clock);
  const find = createFind({
    store: createMemoryStore(),
    health: () =>
      healthOf(clock, {
        ...work,
        watches: WATCHES,
        channels: new Map([['ops', health.current]]),
        backup: backups.isUnknown() ? 'unknown' : null,
        isYoung: jumps.isYoung(),
      }),
    timeZone: () => 'UTC',
  });
  const down = { alert: 'explorer-down', subject: 'chain' } as const;
  const auth = { alert: 'channel-auth', subject: 'ops' } as const;
  const undecided = async (): Promise<boolean[]> => {
    const { isUndecided } = await find();
    return [isUndecided(down), isUndecided(auth), isUndecided({ alert: 'reload', subject: 'config' })];
  };
  const ofTheDaemon = async (): Promise<boolean[]> => {
    const { isUndecided } = await find();
    return [
      isUndecided({ alert: 'backup', subject: 'daily' }),
      isUndecided({ alert: 'clock-jump', subject: 'back' }),
      isUndecided({ alert: 'not-judged', subject: 'chain/one' }),
    ];
  };
  expect(await ofTheDaemon()).toEqual([true, true, true]);
  backups.well();
  clock.stall(3_600_000);
  expect(await ofTheDaemon()).toEqual([false, false, false]);
  expect(await undecided()).toEqual([true, true, false]);
  Object.assign(work, { unpolled: WATCHES.slice(1), undecided: new Set(['chain']) });
  expect(await undecided()).toEqual([true, true, false]);
  work.undecided = new Set();
  health.current = { ...UNTRIED, lastSentAt: AT };
  expect(await undecided()).toEqual([false, false, false]);
});

test('items that no condition judged are told at the highest severity of their alerts, for an hour', () => {
  const clock = createFakeClock(AT);
  const notJudged = createNotJudgedItems(clock);
  const [info, , warning] = WATCHES;
  if (info === undefined || warning === undefined) throw new Error('three watches');
  const poll = (watch: typeof info, items: number): void => {
    const reasons = Array.from({ length: items }, () => ({ type: 'not-judged', alert: 'low', key: 'x' }) as const);
    notJudged.polled(watch, { ...retire(watch.id, blankMemory(watch), 0), reasons });
  };
  const told = (): string[] => ofExplorers({ notJudged: notJudged.recent() });
  poll(info, 0);
  expect(told()).toEqual([]);
  poll(info, 3);
  poll(warning, 800);
  poll(warning, 80);
  const why = 'the conditions took more steps than a poll has, until they left the pages that are read';
  expect(told()).toEqual([
    `info not-judged/chain/one items of one on chain were not judged - Since 21:12 UTC: 3 items were not judged: ${why}. one. Look at them there.`,
    `warning not-judged/chain/three items of three on chain were not judged - Since 21:12 UTC: 880 items were not judged: ${why}. three. Look at them there.`,
  ]);
  clock.stall(3_000_000);
  poll(warning, 1);
  clock.stall(700_000);
  expect(told()).toEqual([expect.stringContaining('881 items were not judged')]);
  expect(ofExplorers({ watches: [info], notJudged: notJudged.recent() })).toEqual([]);
  clock.stall(3_000_000);
  expect(told()).toEqual([]);
});
