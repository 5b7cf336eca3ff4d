// Stores the state of plans, so that it survives restarts and moves to another replica with the shard of the explorers.
// It is read after the claim, before any request, and written while the shard is held.
import type { Ownership } from '../../cluster/ownership.ts';
import type { PlanRow } from '../../core/spending/plan.ts';
import type { Account } from '../../explorer/spending/account.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Fence, Shard } from '../../store/contract/fence.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Log } from '../../telemetry/log.ts';
import type { ShardOf } from '../polling/state.ts';

/** A plan, and its name in the state. */
export interface NamedPlan {
  readonly explorers: readonly string[];
  readonly account: Pick<Account, 'row' | 'resume'>;
  /** Null: the plan is not stored, and ends with the process. */
  readonly nameIn: (salt: string) => string | null;
}

export interface KeptPlansOptions {
  readonly store: Pick<Store, 'plans' | 'keepPlans'>;
  readonly ownership: Pick<Ownership, 'fenceOf' | 'lost'>;
  /** The shards in force. */
  readonly shardOf: ShardOf;
  /** The plans in force. */
  readonly plans: () => readonly NamedPlan[];
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Log, 'warn'>;
}

export interface KeptPlans {
  /**
   * Reads the stored state for these explorers. `commit` makes their plans continue from it; plans that are held
   * already stay unchanged. Rejects with a `StorageError`.
   */
  prepare(explorers: Iterable<string>, nextShards?: ShardOf): Promise<{ commit(): void }>;
  /** Stores plans that have changed. Rejects with a `StorageError`. */
  flush(): Promise<void>;
  /** The shard is lost: its plans are not written any more, and the next claim reads them again. */
  drop(shard: Shard): void;
}

interface Held {
  readonly name: string;
  readonly shard: Shard;
  /** The stored row of the plan, as JSON. */
  written: string;
}

export function createKeptPlans({ store, ownership, shardOf, plans, clock, log }: KeptPlansOptions): KeptPlans {
  const heldByAccount = new Map<NamedPlan['account'], Held>();

  function onDamaged(why: string): void {
    log.warn('plan:damaged', {
      why,
      effect: 'the account of the plan starts again, with the credits that the explorer announces',
    });
  }

  return {
    async prepare(explorers, nextShards = shardOf) {
      const claimOf = (explorer: string): number | undefined => ownership.fenceOf(nextShards(explorer))?.epoch;
      const claims = new Map([...explorers].map((explorer) => [explorer, claimOf(explorer)]));
      const { salt, rows } = await store.plans(onDamaged);
      const commit = (): void => {
        const inForce = new Set(plans().map(({ account }) => account));
        for (const account of heldByAccount.keys()) if (!inForce.has(account)) heldByAccount.delete(account);
        for (const { explorers: members, account, nameIn } of plans()) {
          const [first = ''] = members;
          const [name, claim] = [nameIn(salt), claimOf(first)];
          // Values read under an ended claim may be old: the next claim reads them again.
          if (name === null || claim === undefined || claim !== claims.get(first) || heldByAccount.has(account))
            continue;
          const row = rows.get(name) ?? null;
          account.resume(row);
          heldByAccount.set(account, { name, shard: nextShards(first), written: JSON.stringify(row) });
        }
      };
      return { commit };
    },
    async flush() {
      const now = clock.now();
      const changed = [...heldByAccount].flatMap(([account, held]) => {
        const row = account.row();
        const [text, fence] = [JSON.stringify(row), ownership.fenceOf(held.shard)];
        return row === null || fence === null || text === held.written ? [] : [{ row, held, text, fence }];
      });
      for (const [fence, own] of Map.groupBy(changed, (one): Fence => one.fence)) {
        const kept = new Map<string, PlanRow>(own.map(({ held, row }) => [held.name, row]));
        if ((await store.keepPlans(kept, now, fence)) === 'kept') for (const { held, text } of own) held.written = text;
        else for (const shard of new Set(own.map(({ held }) => held.shard))) ownership.lost(shard, fence);
      }
    },
    drop(shard) {
      for (const [account, held] of heldByAccount) if (held.shard === shard) heldByAccount.delete(account);
    },
  };
}
