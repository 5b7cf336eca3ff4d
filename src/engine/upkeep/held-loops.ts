// Runs each loop only while this process holds the shard that the loop works on.
//
//   waiting    another replica has the shard, or none has
//   running    from the claim of the shard on; the supervisor starts a failed loop again
//   releasing  the shard is about to be given back: the loop is aborted, and has two seconds to end. Later writes are
//              fenced
//   lost       another replica may have the shard already: the loop is aborted, and its end is not waited for
import type { Follower, Ownership } from '../../cluster/ownership.ts';
import { aborted, type Clock } from '../../lib/clock.ts';
import type { Shard } from '../../store/contract/fence.ts';

export type LoopRun = (signal: AbortSignal) => Promise<void>;

/** Makes a loop that calls `run` again after each claim of the shard, until its own signal aborts. */
export type WhileHeld = (shard: Shard, run: LoopRun) => LoopRun;

export interface HeldLoops {
  readonly whileHeld: WhileHeld;
  /** Must follow the ownership of all shards before the first loop runs. */
  readonly follower: Follower;
}

/** The time from the claim of a shard until it is given back or lost. */
interface Tenure {
  readonly ending: AbortController;
  readonly running: Set<Promise<void>>;
}

const LONGEST_END_MS = 2000;

export function createHeldLoops({ isShared }: Pick<Ownership, 'isShared'>, clock: Pick<Clock, 'sleep'>): HeldLoops {
  const tenureByShard = new Map<Shard, Tenure>();
  let claims = new AbortController();

  function end(shard: Shard): Tenure | undefined {
    const tenure = tenureByShard.get(shard);
    tenureByShard.delete(shard);
    tenure?.ending.abort();
    return tenure;
  }

  async function runOnce({ ending, running }: Tenure, run: LoopRun, signal: AbortSignal): Promise<void> {
    const work = run(AbortSignal.any([signal, ending.signal]));
    // `releasing` only waits for the end, so a failure must not reach it.
    const settled = work.catch(() => undefined).finally(() => running.delete(settled));
    running.add(settled);
    await work;
    if (!signal.aborted && !ending.signal.aborted) throw new Error('it ended by itself');
  }

  return {
    whileHeld: (shard, run) =>
      !isShared
        ? run
        : async (signal) => {
            while (!signal.aborted) {
              const tenure = tenureByShard.get(shard);
              if (tenure === undefined) await aborted(AbortSignal.any([signal, claims.signal]));
              else await runOnce(tenure, run, signal);
            }
          },
    follower: {
      claimed(shard) {
        end(shard);
        tenureByShard.set(shard, { ending: new AbortController(), running: new Set() });
        const before = claims;
        claims = new AbortController();
        before.abort();
        return Promise.resolve();
      },
      async releasing(shard) {
        const tenure = end(shard);
        if (tenure === undefined) return;
        const ended = new AbortController();
        await Promise.race([Promise.all(tenure.running), clock.sleep(LONGEST_END_MS, ended.signal)]);
        ended.abort();
      },
      lost(shard) {
        end(shard);
      },
    },
  };
}
