// Passes that ended early: sessions that were signed out, and used codes. They are stored in the state, so that they
// stay ended after a restart and on every replica. If the state does not answer, this process keeps them in memory, so
// that people can sign in and out during an outage of the storage.
import type { Log } from '../../telemetry/log.ts';
import type { Pass } from './signed.ts';

export interface EndedPasses {
  has(pass: Pass): Promise<boolean>;
  /** Ends the pass. False: it had ended before. */
  add(pass: Pass, now: number): Promise<boolean>;
}

export interface KeptPasses {
  isPassEnded(nonce: string, until: number): Promise<boolean>;
  /** False: it had ended before. */
  endPass(nonce: string, until: number, now: number): Promise<boolean>;
}

export function createEndedPasses(kept: KeptPasses, log: Pick<Log, 'warn'> | undefined): EndedPasses {
  const own = rememberedPasses();

  function failed(error: unknown, effect: string): void {
    log?.warn('web:failed', { error, effect });
  }

  return {
    async has({ nonce, until }) {
      if (await own.isPassEnded(nonce, until)) return true;
      try {
        return await kept.isPassEnded(nonce, until);
      } catch (error) {
        failed(error, 'sessions and codes that ended on another replica or before a restart are still accepted');
        return false;
      }
    },
    async add({ nonce, until }, now) {
      if (await own.isPassEnded(nonce, until)) return false;
      try {
        return await kept.endPass(nonce, until, now);
      } catch (error) {
        failed(error, 'the session or code is ended in this process only');
        return own.endPass(nonce, until, now);
      }
    },
  };
}

/** Ended passes in the memory of this process only. */
export function rememberedPasses(): KeptPasses {
  const untilByNonce = new Map<string, number>();
  return {
    isPassEnded: (nonce) => Promise.resolve(untilByNonce.has(nonce)),
    endPass(nonce, until, now) {
      const isFirst = !untilByNonce.has(nonce);
      for (const [known, over] of untilByNonce) if (over <= now) untilByNonce.delete(known);
      untilByNonce.set(nonce, until);
      return Promise.resolve(isFirst);
    },
  };
}
