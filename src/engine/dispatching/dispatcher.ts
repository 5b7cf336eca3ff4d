// Chooses who is told of what polls decided, and makes the deliveries. Commits of polls wake it.
//
// A round reads, decides and writes. It takes a bounded number of transitions, and other work runs between two rounds.
// When the process dies, what was not routed is routed after the next start, and makes the same deliveries.
import type { RecipientsOf } from '../../core/model/ids.ts';
import type { RoutingRound, RoutingResult } from '../../dispatch/routing-round.ts';
import { sendAtOnce } from '../../dispatch/send-at-once.ts';
import { nextTurn, type Clock } from '../../lib/clock.ts';
import type { Store } from '../../store/store.ts';
import type { Log } from '../../telemetry/log.ts';
import { createStorageBackoff } from '../reporting/storage-backoff.ts';
import { createWokenLoop } from '../woken-loop.ts';

export interface Dispatcher {
  /** Runs until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Transitions were committed. Safe to call at any time, also before `run`. */
  wake(): void;
}

export interface DispatcherOptions {
  readonly store: Pick<Store, 'readRound' | 'commitRound' | 'fenceOf'>;
  /** Of the config in force. */
  readonly recipientsOf: RecipientsOf;
  /** Deliveries of these channels were committed. */
  readonly onOwed: (channels: ReadonlySet<string>) => void;
  readonly clock: Clock;
  readonly log: Log;
}

// Nothing else runs while a round is written. 200 deliveries take 20 to 25 ms on a machine of two busy cores.
const MOST_READ = 100;
const MOST_WRITTEN = 200;
// Transitions may be there without a wake, where a commit was kept and its process was told otherwise.
const LONGEST_REST_MS = 60_000;

export function createDispatcher({ store, recipientsOf, onOwed, clock, log }: DispatcherOptions): Dispatcher {
  const storage = createStorageBackoff({ loop: 'dispatcher' }, log);
  const loop = createWokenLoop(clock);

  /** False: nothing is left to route, or another process does it. */
  async function runRound(): Promise<boolean> {
    const read = await store.readRound(MOST_READ);
    if (read.unrouted.length === 0) return false;
    const { round, result } = firstOf(read, recipientsOf);
    const end = await store.commitRound(round, result, clock.now(), store.fenceOf('service:dispatch'));
    if (end === 'kept') report(round, result);
    return end !== 'fenced';
  }

  function report({ unrouted }: RoutingRound, { owed }: RoutingResult): void {
    for (const { damage } of unrouted) if (damage !== null) log.error('notification:damaged', { error: damage });
    for (const { id, channel, undeliverable } of owed)
      if (undeliverable !== null) log.error('delivery:dead', { channel, delivery: id, why: undeliverable });
    onOwed(new Set(owed.map(({ channel }) => channel)));
  }

  /** All that is there; returns how long to rest. A storage that fails is waited for, whatever wakes the loop. */
  async function routeAll(stop: AbortSignal): Promise<number> {
    try {
      while (!stop.aborted && (await runRound())) await nextTurn();
      storage.answered('route');
      return LONGEST_REST_MS;
    } catch (error) {
      await clock.sleep(storage.failed('route', error), stop);
      return 0;
    }
  }

  return { wake: loop.wake, run: (stop) => loop.run(stop, () => routeAll(stop)) };
}

/** As many of the first transitions as make a bounded number of deliveries, but one at least. The rest is read again. */
function firstOf(
  read: RoutingRound,
  recipientsOf: RecipientsOf,
): { readonly round: RoutingRound; readonly result: RoutingResult } {
  for (let count = read.unrouted.length; ; count = Math.ceil(count / 2)) {
    const round = { ...read, unrouted: read.unrouted.slice(0, count) };
    const result = sendAtOnce(round, recipientsOf);
    if (count === 1 || result.owed.length <= MOST_WRITTEN) return { round, result };
  }
}
