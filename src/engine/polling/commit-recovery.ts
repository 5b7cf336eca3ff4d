// What follows a commit that the store did not keep. Without it the watch would go on deciding on a memory that is not
// the stored one: every later commit would be superseded too, and the watch blind until a restart.
//
//   superseded   the stored memory is another one: it is read again. Where it is newer, the same observation is decided
//                again on it. Where it is older (the file was put back), it is taken, and the next poll decides.
//   rejected     the store answered with an error, and may have committed all the same: the memory is read again before
//                the next poll of the watch.
import type { Memory } from '../../core/model/memory.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import type { WatchId } from '../../core/model/ids.ts';
import type { Log } from '../../telemetry/log.ts';
import type { CommitBatch } from './batch.ts';
import type { Outages } from '../reporting/outages.ts';
import type { DecidedPoll } from './poll.ts';

export interface RecoveryOptions {
  readonly batch: CommitBatch<DecidedPoll>;
  /** Reads the stored memory of one watch; undefined: nothing is stored. */
  readonly recall: (watch: Watch) => Promise<Memory | undefined>;
  readonly heldVersion: (watch: WatchId) => number;
  /** The stored memory replaces the one that is held; undefined: nothing is stored any more. */
  readonly replace: (watch: Watch, stored: Memory | undefined) => void;
  /** The same observation on the memory that is held now; null when the daemon is stopping. */
  readonly decideAgain: (decided: DecidedPoll) => Promise<DecidedPoll | null>;
  readonly outages: Pick<Outages, 'storageFails'>;
  readonly log: Pick<Log, 'warn'>;
  /** Counted: the memory of a watch was read again. */
  readonly onRecalled: (cause: RecallCause) => void;
}

export type RecallCause = 'superseded' | 'rejected';

export interface CommitRecovery {
  /** Commits what a poll decided. Never rejects. */
  commit(decided: DecidedPoll): Promise<void>;
  /** Reads the memory again where the last commit left it uncertain. False: the store does not answer, do not poll. */
  settle(watch: Watch): Promise<boolean>;
  /** What the last decision would have made of the memory, if the store did not take it; undefined when it did. */
  unkept(watch: WatchId): Memory | undefined;
  /** Its memory is not held any more. */
  forget(watch: WatchId): void;
}

const MOST_DECISIONS = 3;

export function createCommitRecovery(options: RecoveryOptions): CommitRecovery {
  const { batch, recall, heldVersion, replace, decideAgain, outages, log, onRecalled } = options;
  const uncertain = new Set<WatchId>();
  const unkept = new Map<WatchId, Memory>();

  async function settle(watch: Watch): Promise<boolean> {
    return !uncertain.has(watch.id) || (await readAgain(watch, 'rejected')) !== 'failed';
  }

  /** Whether the stored memory is newer than the one that was held, or anything else. */
  async function readAgain(watch: Watch, cause: RecallCause): Promise<'newer' | 'not-newer' | 'failed'> {
    uncertain.add(watch.id);
    try {
      const stored = await recall(watch);
      uncertain.delete(watch.id);
      const [held, found] = [heldVersion(watch.id), stored?.version ?? 0];
      onRecalled(cause);
      if (found === held) return 'not-newer';
      log.warn('watch:memory-recalled', { watch: watch.name, cause, held, found });
      replace(watch, stored);
      return found > held ? 'newer' : 'not-newer';
    } catch (error) {
      outages.storageFails(error);
      return 'failed';
    }
  }

  function noteRejected({ watch: { id }, decision }: DecidedPoll): void {
    uncertain.add(id);
    if (decision.transitions.length > 0) unkept.set(id, decision.memory);
  }

  return {
    settle,
    unkept: (id) => unkept.get(id),
    forget(id) {
      uncertain.delete(id);
      unkept.delete(id);
    },
    async commit(decided) {
      let current = decided;
      for (let decisions = 1; ; decisions += 1) {
        const end = await batch.add(current);
        unkept.delete(current.watch.id);
        if (end === 'rejected') noteRejected(current);
        if (end !== 'superseded') return;
        if ((await readAgain(current.watch, 'superseded')) !== 'newer' || decisions === MOST_DECISIONS) return;
        const again = await decideAgain(current);
        if (again === null) return;
        current = again;
      }
    },
  };
}
