// How a process comes to hold the database, and goes on holding it. Both go by the machine's clock: they wait for a server.
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../../lib/clock.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Fence } from '../fence.ts';
import { linkSecretsAfterStart } from '../link-secrets.ts';
import { StorageError, StoreBusyError } from '../store.ts';
import type { Database } from './database.ts';
import { endLeases } from './dispatch/deliveries-table.ts';
import { readFact, writeFact } from './facts.ts';
import { claim, renew, type Claimant, type Claimed, type Holder } from './lease.ts';

/** A lease outlasts two renewals that fail. */
const RENEWALS_PER_LEASE = 3;
const LONGEST_LOOK_MS = 5000;
const AFTER_THE_END_MS = 20;

export interface StandbyTools {
  /** Told once, when another process has the database. */
  readonly onStandby?: (holder: Holder) => Promise<void>;
  readonly log?: Log;
}

/** Takes the database as soon as nobody has it, and ends what the one before was sending. */
export async function claimWhenFree(
  database: Pick<Database, 'write'>,
  me: Claimant,
  { onStandby, log }: StandbyTools = {},
): Promise<Fence> {
  let isStandby = false;
  for (;;) {
    const claimed = await take(database, me).catch((error: unknown) => {
      // It was there before: the server restarts, or the network is cut.
      if (!isStandby || !(error instanceof StorageError)) throw error;
      return null;
    });
    if (claimed?.type === 'held') {
      if (isStandby) log?.warn('storage:taken-over', { effect: 'this process works from now on' });
      return claimed.fence;
    }
    if (claimed !== null && !isStandby) {
      isStandby = true;
      await onStandby?.(claimed.holder);
      log?.warn('storage:standby', { holder: claimed.holder.name, effect: 'this process waits to take over' });
    }
    const leftMs = claimed?.holder.leftMs ?? LONGEST_LOOK_MS;
    await pause(Math.min(Math.max(leftMs, 0) + AFTER_THE_END_MS, LONGEST_LOOK_MS));
  }
}

function take(database: Pick<Database, 'write'>, me: Claimant): Promise<Claimed> {
  return database.write('take-over', async (sql) => {
    const claimed = await claim(sql, me);
    if (claimed.type === 'held') {
      await endLeases(sql);
      await writeFact(sql, 'links', linkSecretsAfterStart(await readFact(sql, 'links'), systemClock.now()));
    }
    return claimed;
  });
}

export interface LeaseKeeper {
  /** Throws a StoreBusyError when another process has taken the database. */
  assertHeld(): void;
  stop(): Promise<void>;
}

/** Renews the lease until it is told to stop, or another process has taken the database. */
export function keepLease({ name, sql }: Pick<Database, 'name' | 'sql'>, fence: Fence, leaseMs: number): LeaseKeeper {
  const ending = new AbortController();
  const { signal } = ending;
  let isLost = false;

  const isOver = (): boolean => signal.aborted || isLost;

  async function run(): Promise<void> {
    while (!isOver()) {
      await pause(leaseMs / RENEWALS_PER_LEASE, undefined, { signal, ref: false }).catch(() => undefined);
      if (isOver()) return;
      try {
        isLost = !(await renew(sql, fence, leaseMs));
      } catch (error) {
        // Whoever needs the database says what is wrong with it. The next renewal may succeed.
        if (!(error instanceof StorageError)) throw error;
      }
    }
  }

  const running = run();
  return {
    assertHeld() {
      if (isLost)
        throw new StoreBusyError(
          `another daemon has taken ${name}: this one did not renew its lease of ${leaseMs / 1000} s. Start it again: it ` +
            'then waits until the other one ends.',
        );
    },
    async stop() {
      ending.abort();
      await running;
    },
  };
}
