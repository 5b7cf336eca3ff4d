// The situations of the gallery: a person may be woken by each of them.
import { explorerCauses } from '../../src/engine/self/explorer-causes.ts';
import { channelCauses } from '../../src/engine/self/channel-causes.ts';
import { daemonCauses } from '../../src/engine/self/daemon-causes.ts';
import type { Cause } from '../../src/engine/self/cause.ts';
import { UNTRIED } from '../../src/engine/sending/channel-health.ts';
import type { Situation, Stage } from './stage.ts';

const FELL = ['{ at: 0m, balance: 1_090_237 }', '{ at: 1m, balance: 970_030.25 }'];
const call = (id: string, more: string, block = 1000): string =>
  `{ id: ${id}, from: collector, to: vault, block_number: ${block}, ${more} }`;
const tx = call;
const HOSTILE = '"@here <!channel> [safe](https://evil.example) *x* /start #airdrop evil[.]com"';

const word = (digits: string): string => digits.padStart(64, '0');
/** `multicall(bytes[] data)` with `pause()` and `renounceOwnership()`. */
const MULTICALL = `0xac9650d8${['20', '2', '40', '80'].map(word).join('')}${['8456cb59', '715018a6'].map((data) => word('4') + data.padEnd(64, '0')).join('')}`;

function nothing(): void {
  // Time passes.
}

export const SITUATIONS: readonly Situation[] = [
  {
    name: 'warning-begins',
    story: 'A condition of severity warning begins.',
    saw: { 'coins[ethereum, treasury]': ['{ at: 0m, balance: 4 }', '{ at: 1m, balance: 2.748 }'] },
  },
  { name: 'critical-begins', story: 'A critical condition with a runbook begins.', saw: { reserve: FELL } },
  {
    name: 'own-words-begin',
    story: 'A critical condition with a title and a text of its rule begins.',
    saw: { titled: FELL },
  },
  { name: 'value-changed', story: 'An event of severity info: a balance moved.', saw: { 'reserve-moves': FELL } },
  {
    name: 'condition-ends',
    story: 'A critical condition is over.',
    saw: { reserve: [...FELL, '{ at: 9m, balance: 1_120_423 }'] },
  },
  {
    name: 'own-words-end',
    story: 'A condition with a title of its rule is over.',
    saw: { titled: [...FELL, '{ at: 9m, balance: 1_120_423 }'] },
  },
  {
    name: 'compound-begins',
    story: 'A condition of several values begins.',
    saw: { both: ['{ at: 0m, balance: 2_000_000 }', '{ at: 11m, balance: 900_000 }'] },
  },
  {
    name: 'payment',
    story: 'A large payment, with links to the transaction.',
    saw: { 'vault-payments': ['{ at: 0m, items: [] }', `{ at: 1m, items: [${tx('a', 'status: ok, value: 250')}] }`] },
  },
  {
    name: 'critical-event',
    story: 'A critical event with a runbook: somebody calls the vault.',
    saw: {
      'vault-admin': [
        '{ at: 0m, items: [] }',
        `{ at: 1m, items: [${tx('a', 'status: ok, value: 0, method: pause')}] }`,
      ],
    },
  },
  {
    name: 'wrapped-call',
    story: 'Somebody tells the vault to make two calls at once.',
    saw: {
      'vault-admin': [
        '{ at: 0m, items: [] }',
        `{ at: 1m, items: [${tx('a', `status: ok, value: 0, raw_input: '${MULTICALL}'`)}] }`,
      ],
    },
  },
  {
    name: 'event-retracted',
    story: 'The payment is gone: its block was replaced.',
    saw: {
      'vault-payments': [
        `{ at: 0m, items: [${tx('old', 'status: ok, value: 1')}] }`,
        ...[1, 2, 3, 4, 5].map((minute) => {
          const gone = minute === 1 ? `${tx('a', 'status: ok, value: 250', 1002)}, ` : '';
          return `{ at: ${minute}m, items: [${gone}${tx('old', 'status: ok, value: 1')}], head: { height: ${1002 + minute} } }`;
        }),
      ],
    },
    shownFrom: '2m',
  },
  {
    name: 'event-corrected',
    story: 'The payment was another one.',
    saw: {
      'vault-payments': [
        '{ at: 0m, items: [] }',
        `{ at: 1m, items: [${tx('a', 'status: ok, value: 250')}] }`,
        `{ at: 2m, items: [${tx('a', 'status: ok, value: 240')}] }`,
      ],
    },
  },
  {
    name: 'call-failed',
    story: 'A call fails with a reason that a stranger wrote.',
    saw: {
      'vault-calls': [
        '{ at: 0m, items: [] }',
        `{ at: 1m, items: [${call('a', `success: false, error: ${HOSTILE}`)}] }`,
      ],
    },
  },
  {
    name: 'calls-failed',
    story: 'Three calls of one caller fail within ten minutes.',
    saw: {
      'vault-failures': [
        '{ at: 0m, items: [] }',
        `{ at: 1m, items: [${['a', 'b', 'c'].map((id) => call(id, 'success: false, error: out of gas')).join(', ')}] }`,
      ],
    },
  },
  {
    name: 'nobody-called',
    story: 'For six hours nobody called.',
    saw: { 'vault-failures': ['{ at: 0m, items: [] }', '{ at: 6h1m, items: [] }'] },
  },
  {
    name: 'token-arrives',
    story: 'A token with a hostile symbol arrives.',
    saw: {
      tokens: [
        '{ at: 0m, holdings: [] }',
        `{ at: 1m, holdings: [{ id: scam, token: { symbol: ${HOSTILE}, name: ${HOSTILE}, reputation: scam }, balance: 8000 }] }`,
      ],
    },
  },
  {
    name: 'token-flagged',
    story: 'Our own token is called a scam.',
    saw: { 'our-token': ['{ at: 0m, reputation: ok }', '{ at: 1m, reputation: scam }'] },
  },
  {
    name: 'chain-stalled',
    story: 'The chain stands still.',
    saw: {
      head: [
        '{ at: 0m, items: [{ height: 1000, timestamp: 0s }] }',
        '{ at: 3m, items: [{ height: 1000, timestamp: -3m }] }',
      ],
    },
  },
  {
    name: 'report',
    story: 'The report of the day.',
    saw: { report: ['{ at: 0m, balance: 1_090_237 }', '{ at: 24h, balance: 970_030.25 }'] },
  },
  {
    name: 'repeat',
    story: 'Four hours later it is still so.',
    saw: { reserve: [...FELL, '{ at: 4h, balance: 940_100 }'] },
    then: [['4h2m', nothing]],
  },
  {
    name: 'escalation',
    story: 'Nobody acknowledged it for 15 minutes: others are called.',
    saw: { unanswered: ['{ at: 0m, balance: 4 }', '{ at: 1m, balance: 2 }', '{ at: 15m, balance: 1.5 }'] },
    then: [['17m', nothing]],
  },
  {
    name: 'ack-ended',
    story: 'The acknowledgement has ended, and it is still so.',
    saw: { reserve: [...FELL, '{ at: 61m, balance: 960_000 }'] },
    then: [
      ['2m', (stage) => stage.ack('1h')],
      ['63m', nothing],
    ],
  },
  {
    name: 'reload-owed',
    story: 'The rules name more channels than before.',
    saw: { unanswered: ['{ at: 0m, balance: 4 }', '{ at: 1m, balance: 2 }', '{ at: 9m, balance: 1.5 }'] },
    then: [
      [
        '10m',
        (stage) => {
          stage.reload('notify: [webhook]', 'notify: [discord, email, log, ntfy, pagerduty, slack, teams, telegram]');
        },
      ],
    ],
  },
  {
    name: 'severity-raised',
    story: 'The rules call it critical now.',
    saw: { 'coins[ethereum, treasury]': ['{ at: 0m, balance: 4 }', '{ at: 1m, balance: 2.748 }'] },
    then: [
      [
        '9m',
        (stage) => {
          stage.reload('while: balance < 3 }', 'while: balance < 3, severity: critical }');
        },
      ],
    ],
  },
  {
    name: 'several-chains',
    story: 'The same address runs empty on two chains.',
    saw: {
      'relayer[ethereum]': ['{ at: 0m, balance: 1 }', '{ at: 1m, balance: 0.01 }'],
      'relayer[base]': ['{ at: 0m, balance: 1 }', '{ at: 1m, balance: 0.02 }'],
    },
  },
  {
    name: 'several-alerts',
    story: 'Several alerts of a rule begin at once.',
    saw: Object.fromEntries(
      ['treasury', 'hot_wallet', 'vault'].map((of, n) => [
        `coins[ethereum, ${of}]`,
        ['{ at: 0m, balance: 4 }', `{ at: 1m, balance: ${n}.5 }`],
      ]),
    ),
  },
  {
    name: 'end-among-others',
    story: 'One alert ends in the message in which another one begins.',
    saw: {
      'coins[ethereum, treasury]': ['{ at: 0m, balance: 4 }', '{ at: 1m, balance: 2 }', '{ at: 9m, balance: 5 }'],
      'coins[ethereum, vault]': ['{ at: 0m, balance: 4 }', '{ at: 9m, balance: 1 }'],
    },
  },
  {
    name: 'flapping',
    story: 'The value goes up and down.',
    saw: {
      'coins[ethereum, treasury]': [4, 2, 4, 2, 4, 2, 4].map((coins, n) => `{ at: ${n}m, balance: ${coins} }`),
    },
    shownFrom: '5m',
  },
  {
    name: 'cap',
    story: 'More happened than people are sent one by one.',
    saw: {
      'vault-calls': [
        '{ at: 0m, items: [] }',
        ...Array.from(
          { length: 16 },
          (_, n) =>
            `{ at: ${n * 31 + 31}s, items: [${Array.from({ length: n + 1 }, (_one, i) => call(`c${i}`, 'success: false, error: out of gas')).join(', ')}] }`,
        ),
      ],
    },
    then: [['13m', nothing]],
  },
  {
    name: 'silence-ended',
    story: 'A silence is over under which calls failed.',
    saw: {
      'vault-calls': [
        '{ at: 0m, items: [] }',
        `{ at: 6m, items: [${call('a', 'success: false')}, ${call('b', 'success: false')}] }`,
      ],
    },
    then: [
      ['5m', (stage) => stage.silence('1h', 'vault-calls')],
      ['66m', nothing],
    ],
  },
  {
    name: 'inhibition-ended',
    story: 'The chain goes on, and what it held back is told.',
    saw: {
      head: [
        '{ at: 0m, items: [{ height: 1000, timestamp: 0s }] }',
        '{ at: 3m, items: [{ height: 1000, timestamp: -3m }] }',
        '{ at: 9m, items: [{ height: 1001, timestamp: -1s }] }',
      ],
      'vault-calls': ['{ at: 0m, items: [] }', `{ at: 4m, items: [${call('a', 'success: false')}] }`],
    },
    then: [['11m', nothing]],
    shownFrom: '9m',
  },
  {
    name: 'mute-ended',
    story: 'A mute window is over in which a condition began and ended.',
    saw: { 'quiet-hours': ['{ at: 0m, balance: 4 }', '{ at: 1h, balance: 2 }', '{ at: 2h, balance: 5 }'] },
    then: [['6h', nothing]],
  },
  {
    name: 'blind-begins',
    story: 'The explorer does not answer any more.',
    then: [['10m', (stage) => stage.finds(blindCauses(stage))]],
  },
  {
    name: 'blind-ends',
    story: 'The explorer answers again.',
    then: [
      ['10m', (stage) => stage.finds(blindCauses(stage))],
      ['20m', (stage) => stage.finds([])],
    ],
  },
  {
    name: 'storage',
    story: 'The disk of the state file is full.',
    then: [['10m', (stage) => stage.finds(storageCauses(stage))]],
  },
  {
    name: 'dead-letter',
    story: 'Messages were given up.',
    then: [['10m', (stage) => stage.finds(deadLetters(stage))]],
  },
  { name: 'channel-test', story: 'A person tests the channels.', then: [['1m', (stage) => stage.sample()]] },
  {
    name: 'not-on-record',
    story: 'A critical alert is told while the state cannot be written.',
    saw: { reserve: FELL },
    then: [
      [
        '30s',
        (stage) => {
          stage.tryAs({ unrecorded: true });
        },
      ],
    ],
  },
  {
    name: 'maybe-copy',
    story: 'Nobody knows whether the first try arrived.',
    saw: { reserve: FELL },
    then: [
      [
        '30s',
        (stage) => {
          stage.tryAs({ number: 2, maybeCopy: true });
        },
      ],
    ],
  },
  {
    name: 'over-before-told',
    story: 'Fired and ended while no receiver was reached.',
    saw: { reserve: [...FELL, '{ at: 4m, balance: 1_120_423 }'] },
    then: [
      [
        '30s',
        (stage) => {
          stage.reach(false);
        },
      ],
      [
        '12m',
        (stage) => {
          stage.reach(true);
        },
      ],
    ],
  },
];

function blindCauses(stage: Stage): Cause[] {
  const [now, since] = [stage.now(), stage.now() - 300_000];
  const watches = stage.watches.filter(({ target }) => target.explorer === 'ethereum').slice(0, 4);
  const blind = watches.map((watch) => ({ watch, since, reason: 'timeout', fields: [] }) as const);
  return explorerCauses({ watches, blind, troubles: [], notJudged: [], never: [], now, zone: 'UTC' });
}

function storageCauses(stage: Stage): Cause[] {
  const now = stage.now();
  const nothingElse = {
    restoredAt: null,
    recovered: null,
    backup: null,
    clockJumps: [],
    rejected: null,
    failingLoops: [],
    cluster: null,
  };
  const lowDisk = { since: now - 60_000, freeBytes: 40_000_000 };
  return daemonCauses({ ...nothingElse, outage: null, lowDisk, severity: 'critical', now, zone: 'UTC' });
}

function deadLetters(stage: Stage): Cause[] {
  const now = stage.now();
  const dead = [{ channel: 'slack', rows: 3, oldest: now - 120_000 }];
  return channelCauses({
    health: new Map([['slack', UNTRIED]]),
    backlog: { owed: [], dead },
    watches: stage.watches,
    now,
    zone: 'UTC',
  });
}
