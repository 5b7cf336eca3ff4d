// The daemon as `app/` puts it together, but for what needs the world: no files are watched, no port is opened, and the
// explorer and the receivers are those of the simulation.
import type { Watch } from '../../src/core/model/watch.ts';
import { createSender } from '../../src/engine/sender.ts';
import { runHousekeeping } from '../../src/engine/housekeeping.ts';
import { createPoller, type Poller, type PollerOptions } from '../../src/engine/poller.ts';
import { createScheduler } from '../../src/engine/scheduler.ts';
import { createBudget } from '../../src/explorer/spending/budget.ts';
import { createExplorer } from '../../src/explorer/explorer.ts';
import type { HttpTransport } from '../../src/explorer/http/http-transport.ts';
import type { Clock } from '../../src/lib/clock.ts';
import type { OpenNotifier } from '../../src/notifiers/notifier.ts';
import { API_KEY } from '../../src/sandbox/names.ts';
import type { Store } from '../../src/store/store.ts';
import type { Log } from '../../src/telemetry/log.ts';
import { REQUESTS_PER_SECOND } from './chain.ts';
import type { LifeLine } from './life-line.ts';
import { BASE_URL, EXPLORER } from './rules.ts';

export interface DaemonOptions {
  readonly line: LifeLine;
  readonly clock: Clock;
  readonly store: Store;
  readonly transport: HttpTransport;
  readonly watches: readonly Watch[];
  readonly senderByChannel: ReadonlyMap<string, Pick<OpenNotifier, 'send'>>;
  readonly log: Log;
  readonly onTick: (watches: readonly Watch[]) => void;
  readonly onPolled: PollerOptions['onPolled'];
}

export interface Daemon {
  readonly poller: Poller;
  /** Takes the same rules over once more, as after a change that changes nothing. */
  readonly reload: () => Promise<void>;
  /** Resolves when the process has stopped, as it is asked to; never when it dies. */
  readonly ended: Promise<void>;
}

const GIVE_UP_AFTER_MS = 3 * 86_400_000;
const STOP_MS = 7000;

export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { line, clock, store, watches, log } = options;
  const reading = new AbortController();
  const explorer = createExplorer({
    name: EXPLORER,
    baseUrl: BASE_URL,
    auth: { type: 'bearer', key: () => API_KEY },
    coin: { symbol: 'ETH', decimals: 18 },
    userAgent: 'chainwarden/simulation',
    budget: createBudget({ clock, requestsPerSecond: REQUESTS_PER_SECOND }),
    transport: options.transport,
    signal: reading.signal,
    clock,
    log,
  });
  const couriers = createCouriers(options);
  const poller = createPoller({
    store,
    clock,
    log,
    readerOf: () => explorer,
    onPolled: options.onPolled,
    onSkipped: () => undefined,
    onRecalled: () => undefined,
    onForks: () => undefined,
    onOwed: (channels) => {
      for (const channel of channels) couriers.get(channel)?.wake();
    },
  });
  const scheduler = createScheduler({
    clock,
    onTick(due) {
      options.onTick(due);
      void poller.poll(due, reading.signal);
    },
    onLag: () => undefined,
  });

  async function apply(): Promise<void> {
    const prepared = await poller.prepare(watches);
    prepared.commit();
    scheduler.set(watches, overdue(watches, poller, clock));
  }

  async function run(): Promise<void> {
    const abandoning = new AbortController();
    const sending = [...couriers.values()].map((courier) => courier.run(line.stopping, abandoning.signal));
    await Promise.all([
      scheduler.run(line.stopping),
      runHousekeeping({ store, clock, log, flush: () => poller.flush() }, line.stopping),
    ]);
    reading.abort(new DOMException('the daemon is stopping', 'AbortError'));
    await poller.idle();
    await poller.flush().catch(() => undefined);
    void clock.sleep(STOP_MS).then(() => {
      abandoning.abort();
    });
    await Promise.all(sending);
  }

  await apply();
  return { poller, reload: apply, ended: run() };
}

function createCouriers({ store, clock, log, senderByChannel }: DaemonOptions) {
  return new Map(
    [...senderByChannel].map(([channel, sender]) => [
      channel,
      createSender({
        store,
        channel,
        notifier: sender,
        giveUpAfterMs: GIVE_UP_AFTER_MS,
        clock,
        log,
        onOutcome: () => undefined,
        onDead: () => undefined,
      }),
    ]),
  );
}

function overdue(watches: readonly Watch[], poller: Poller, clock: Clock): Watch[] {
  return watches.filter(({ id, schedule }) => {
    const until = poller.memoryOf(id)?.coveredUntil ?? null;
    return until === null || clock.now() - until > schedule.intervalMs;
  });
}
