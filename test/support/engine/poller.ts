import { Missed, type Read } from '../../../src/core/model/watch/question.ts';
import type { MissReason } from '../../../src/core/model/observation.ts';
import { createPoller, type PollerOptions } from '../../../src/engine/polling/poller.ts';
import { AddressDetails } from '../../../src/explorer/reading/resources/address.ts';
import { createFakeClock } from '../fake-clock.ts';
import { createMemoryStore } from '../store/memory-store.ts';
import { createRecordingLog } from '../recording-log.ts';
import { ownershipOf } from '../store/fences.ts';

/** A poller over an explorer that shows one balance, and what came of its polls. */
export function aPoller(change: Partial<PollerOptions> = {}) {
  const clock = createFakeClock();
  const log = createRecordingLog();
  const seen = {
    /** Empty: the explorer gives no answer, for this reason. */
    wei: '5',
    reason: 'timeout' as MissReason,
    asked: 0,
    skipped: 0,
    /** How often a poll came to nothing because the lease had ended. */
    leaseEnded: 0,
    rounds: 0,
    polled: [] as boolean[],
    /** How often it was said that there are some. */
    transitions: 0,
    recalled: [] as string[],
  };
  const gate: { open: Promise<unknown> } = { open: Promise.resolve() };
  const read: Read = {
    async one() {
      seen.asked += 1;
      await gate.open;
      if (seen.wei === '') throw new Missed(seen.reason, 'addresses/{address}: no answer within 30 s');
      return AddressDetails.read({ coin_balance: seen.wei }, { coin: 18 }) as never;
    },
    page: () => Promise.reject(new Error('not asked for')),
    pageAgain: () => Promise.reject(new Error('not asked for')),
  };
  const store = createMemoryStore();
  const poller = createPoller({
    store,
    ownership: ownershipOf(store),
    readerOf: () => ({
      tickReader() {
        seen.rounds += 1;
        return read;
      },
      head: () => null,
      blocks: () => null,
      blocksFrom: () => Promise.reject(new Error('not asked for')),
    }),
    clock,
    log,
    onPolled: (_watch, _observation, { hasChanged }) => seen.polled.push(hasChanged),
    onForks: () => undefined,
    onIdentity: () => undefined,
    onRecalled: (cause) => seen.recalled.push(cause),
    onDamaged: () => undefined,
    onSkipped: () => (seen.skipped += 1),
    onLeaseEnded: () => (seen.leaseEnded += 1),
    onTransitions: () => (seen.transitions += 1),
    ...change,
  });
  return { clock, log, seen, gate, store, poller };
}
