// The states that a daemon can be in, how each comes about, and all that is true of it then. A test compares it with what
// page, API, `status`, metrics and /readyz say; `npm run pictures` makes pictures of the pages.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Overview, PageVerdict } from '../../../src/query/shapes/overview.ts';
import type { FaultName } from '../../../src/sandbox/faults/fault.ts';
import type { ChainName, StagedDaemon } from './staged-daemon.ts';

export interface LookedAtState {
  readonly name: string;
  /** So before the daemon starts. */
  readonly before?: (chains: StagedDaemon['chains']) => void;
  readonly reach: (daemon: StagedDaemon) => Promise<void>;
  readonly verdict: PageVerdict;
  /** Of page, API and `status`. */
  readonly headline: RegExp;
  /** Parts of the overview. */
  readonly api?: object;
  /** Each is in the text of the first page. */
  readonly page?: readonly RegExp[];
  readonly status?: readonly RegExp[];
  readonly metrics?: readonly RegExp[];
  readonly readyz?: readonly RegExp[];
  /** The state takes no writes, so `status` can only say that nothing is written. */
  readonly isUnwritten?: boolean;
}

const FOREVER = 1_000_000;
const ETH = 10n ** 18n;

const failing =
  (fault: FaultName, ...names: readonly ChainName[]) =>
  (chains: StagedDaemon['chains']): void => {
    for (const name of names) chains[name].fail({ fault, times: FOREVER });
  };

export function blindIn({ trust }: Pick<Overview, 'trust'>): number {
  return trust.blind.reduce((sum, { watches }) => sum + watches, 0);
}

/** An explorer fails, until so many watches are blind. */
const blinded =
  (fault: FaultName, blind: number, ...names: readonly ChainName[]) =>
  async ({ chains, until }: StagedDaemon): Promise<void> => {
    failing(fault, ...names)(chains);
    await until((overview) => blindIn(overview) === blind);
  };

async function fall({ chains, until }: StagedDaemon): Promise<void> {
  chains.one.setBalance({ address: 'treasury', value: 0n });
  await until(({ verdict }) => verdict === 'critical');
}

async function acknowledge(daemon: StagedDaemon, ms: number): Promise<void> {
  await fall(daemon);
  const [card] = (await daemon.look()).api.cards;
  if (card === undefined) throw new Error('nothing fires');
  const until = new Date(daemon.running.clock.now() + ms).toISOString();
  await daemon.operate(`/alerts/${card.key}/${card.episode}/acks`, { seq: card.seq, until, comment: 'known' });
}

const HOUR = 3_600_000;

export const STATES: readonly LookedAtState[] = [
  {
    name: 'starting',
    before: failing('unavailable', 'one', 'two', 'three'),
    reach: ({ pass }) => pass(5),
    verdict: 'starting',
    headline: /^Starting$/,
    page: [/0 of 7 watches have had their first answer/],
    readyz: [/^ready$/],
  },
  {
    name: 'quiet',
    reach: ({ pass }) => pass(20),
    verdict: 'quiet',
    headline: /^All quiet$/,
    api: { cards: [], unhandled: 0, trust: { blind: [], overdue: [], owed: [], storage: 'works', not_judged: 0 } },
    status: [/\ndaemon: running since /],
    metrics: [/^chainwarden_storage_writable 1$/m],
    readyz: [/^ready$/],
  },
  {
    name: 'late',
    async reach({ chains, until }) {
      failing('unavailable', 'one')(chains);
      await until(
        ({ trust: { overdue, heads } }) => overdue.length > 0 && heads.some(({ state }) => state === 'overdue'),
      );
    },
    verdict: 'quiet',
    headline: /^Nothing fires, but 3 of 7 watches have had no usable answer since /,
    api: { trust: { blind: [], overdue: [{ explorer: 'one', watches: 3 }] } },
    readyz: [/^ready$/],
  },
  {
    name: 'explorer down',
    reach: blinded('unavailable', 3, 'one'),
    verdict: 'blind',
    headline: /^Nothing fires, but 3 watches are blind$/,
    api: { trust: { blind: [{ explorer: 'one', cause: 'server-error', watches: 3 }] } },
    status: [/3 of 7 watches are blind/],
    readyz: [/^ready\nblind: 3 of 7 watches\none: server-error since /],
  },
  {
    name: 'frozen',
    async reach({ frozen, until }) {
      frozen.add('one');
      await until((overview) => blindIn(overview) === 3);
    },
    verdict: 'blind',
    headline: /^Nothing fires, but 3 watches are blind$/,
    page: [/no new block for/],
    readyz: [/^ready\nblind: 3 of 7 watches\none: stale since /],
  },
  {
    name: 'rate limited',
    reach: blinded('rate-limited', 3, 'one'),
    verdict: 'blind',
    headline: /^Nothing fires, but 3 watches are blind$/,
    api: { trust: { blind: [{ explorer: 'one', cause: 'rate-limited', watches: 3 }] } },
  },
  {
    name: 'without credits',
    reach: blinded('out-of-credits', 2, 'three'),
    verdict: 'blind',
    headline: /^Nothing fires, but 2 watches are blind$/,
    api: { trust: { blind: [{ explorer: 'three', cause: 'out-of-credits', watches: 2 }] } },
    page: [/three: no credits are left/, /none left, says three/],
    status: [/\nexplorer three: no credits are left/],
    readyz: [/\nexplorer three: no credits are left/],
    metrics: [/^chainwarden_explorer_refused_until_timestamp_seconds\{explorer="three"/m],
  },
  {
    name: 'one of three blind',
    reach: blinded('unauthorized', 2, 'two'),
    verdict: 'blind',
    headline: /^Nothing fires, but 2 watches are blind$/,
    api: { trust: { blind: [{ explorer: 'two', watches: 2 }] } },
  },
  {
    name: 'all blind',
    reach: blinded('bad-gateway', 7, 'one', 'two', 'three'),
    verdict: 'blind',
    headline: /^Nothing fires, but 7 watches are blind$/,
    readyz: [/^ready\nblind: 7 of 7 watches\n/],
  },
  {
    name: 'channel dead',
    async reach({ chains, hook, until }) {
      hook.status = 503;
      chains.one.setBalance({ address: 'treasury', value: 200n * ETH });
      await until(({ verdict }) => verdict === 'blind');
    },
    verdict: 'blind',
    headline: /^All open alerts are in hand or pending, but 1 delivery could not be sent$/,
    api: { trust: { owed: [{ channel: 'hook', rows: 1 }] } },
    status: [/\nowed on hook: 1, /],
    metrics: [/^chainwarden_outbox_rows\{channel="hook"\} 1$/m],
  },
  {
    name: 'storage locked',
    async reach({ disk, pass, until }) {
      await pass(20);
      disk.isLocked = true;
      await until(({ trust }) => trust.storage === 'fails');
      await pass(100);
    },
    verdict: 'critical',
    headline: /^Nothing new can be stored$/,
    status: [/^The daemon has written nothing since /],
    metrics: [/^chainwarden_storage_writable 0$/m],
    readyz: [/^waiting\nstorage: the state cannot be written/],
    isUnwritten: true,
  },
  {
    name: 'rejected reload',
    async reach({ folder, running, pass }) {
      folder.write('rules.yaml', 'watches: [{ id: coins, kind: balanse }]\n');
      await running.reload();
      await pass(20);
    },
    verdict: 'quiet',
    headline: /^All quiet$/,
    api: { trust: { rejected: { place: 'rules.yaml:1' } } },
    page: [/The files on the disk are not in force/],
    status: [/The files on the disk are not in force/, /\nconfig: the files are not in force since /],
    metrics: [/^chainwarden_config_last_reload_successful 0$/m],
    readyz: [/^ready\nconfig: the last reload failed/],
  },
  {
    name: '500 alerts',
    async reach({ chains, pass, until }) {
      await pass(15);
      for (let i = 0; i < 500; i += 1) chains.one.failCall({ to: 'vault' });
      await until(({ unhandled }) => unhandled > 0);
    },
    verdict: 'critical',
    // Beyond fifty a poll tells the rest as one.
    headline: /^450 more failed events of calls in one poll \(the newest of 51 events\)$/,
    api: { cards: [{ state: 'event', alerts: 51 }] },
    status: [/51 events/],
  },
  {
    name: 'retracted critical event',
    async reach({ chains, pass, until }) {
      await pass(15);
      chains.one.failCall({ to: 'vault' });
      await until(({ verdict }) => verdict === 'critical');
      chains.one.reorganise({ blocks: 60, transactions: 'dropped' });
      await until(({ verdict }) => verdict !== 'critical');
    },
    verdict: 'quiet',
    headline: /^All quiet$/,
    api: {
      cards: [],
      events: [
        { alert: 'failed', is_retracted: true },
        { alert: 'used', is_retracted: true },
      ],
    },
    page: [/etracted/],
  },
  {
    name: 'critical',
    reach: fall,
    verdict: 'critical',
    headline: /below 1$/,
    api: {
      cards: [{ watch: 'coins[one]', severity: 'critical', state: 'firing', measure: { value: '0' } }],
      unhandled: 1,
    },
    status: [/\ncritical +firing +coins\[one\]\/low /],
    metrics: [/^chainwarden_alerts_unacknowledged\{severity="critical"\} 1$/m],
  },
  {
    name: 'acknowledged',
    reach: (daemon) => acknowledge(daemon, 12 * HOUR),
    verdict: 'in-hand',
    headline: /^Nothing needs you$/,
    api: { cards: [], unhandled: 0, handled: [{ watch: 'coins[one]', why: 'acknowledged', ack: { actor: 'alice' } }] },
    status: [/acknowledged by alice/],
    metrics: [/^chainwarden_alerts_unacknowledged\{severity="critical"\} 0$/m],
  },
  {
    name: 'snoozed',
    reach: (daemon) => acknowledge(daemon, HOUR),
    verdict: 'in-hand',
    headline: /^Nothing needs you$/,
    api: { unhandled: 0, handled: [{ why: 'acknowledged' }] },
    metrics: [/^chainwarden_alerts_unacknowledged\{severity="critical"\} 0$/m],
  },
  {
    name: 'silenced',
    async reach(daemon) {
      const until = new Date(daemon.running.clock.now() + HOUR).toISOString();
      const matchers = { watch: 'coins', alert: 'low' };
      await daemon.operate('/silences', { matchers, until, comment: 'the vault is moved', confirm: true });
      daemon.chains.one.setBalance({ address: 'treasury', value: 0n });
      await daemon.until(({ handled }) => handled.length > 0);
    },
    verdict: 'in-hand',
    headline: /^Nothing needs you$/,
    api: { unhandled: 0, handled: [{ why: 'silenced', silence: { actor: 'alice' } }], trust: { owed: [] } },
    status: [/silenced by alice/],
    metrics: [
      /^chainwarden_silences\{state="active"\} 1$/m,
      /^chainwarden_alerts_unacknowledged\{severity="critical"\} 0$/m,
    ],
  },
  {
    name: 'flapping',
    async reach({ chains, pass, until }) {
      for (let i = 0; i < 4; i += 1) {
        chains.one.setBalance({ address: 'treasury', value: 5n * ETH });
        await pass(20);
        chains.one.setBalance({ address: 'treasury', value: 0n });
        await pass(20);
      }
      await until(({ cards }) => cards.some(({ state }) => state === 'flapping'));
    },
    verdict: 'critical',
    headline: /below 1$/,
    api: { cards: [{ state: 'flapping' }] },
    status: [/\ncritical +flapping +coins\[one\]\/low /],
  },
  {
    name: 'stretched',
    async reach({ folder, running, until }) {
      const path = join(folder.path, 'config.yaml');
      writeFileSync(path, readFileSync(path, 'utf8').replace('stretch: off', 'stretch: on'));
      await running.reload();
      await until(({ trust }) => trust.credits.some((one) => one !== null && one.intervals !== ''));
    },
    verdict: 'quiet',
    headline: /^All quiet$/,
    api: {
      trust: {
        blind: [],
        overdue: [],
        credits: [{ explorers: ['three'], runs_out_at: null, stretch: { critical: 1 } }],
      },
    },
    page: [/last, at longer intervals/, /intervals info ×\d\.\d/],
    status: [/\nthree: [^]*intervals: info ×\d/],
    metrics: [/^chainwarden_explorer_stretch\{explorer="three",severity="info"\} 1\.\d/m],
    readyz: [/^ready$/],
  },
  {
    name: 'plan exceeded',
    async reach({ until }) {
      await until(({ trust }) => trust.credits.some((one) => (one?.at_reset ?? 0) < 0));
    },
    verdict: 'quiet',
    headline: /^All quiet$/,
    api: { trust: { credits: [{ explorers: ['three'] }] } },
    metrics: [/^chainwarden_explorer_credits_at_reset\{explorer="three"\} -\d/m],
  },
];
