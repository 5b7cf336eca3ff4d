// Chains the lines of the journal within a second, and writes a line when the clock of the machine was set.
import { showDuration, type Clock } from '../../lib/clock.ts';
import type { Store } from '../../store/store.ts';
import type { Log } from '../../telemetry/log.ts';

export interface JournalOptions {
  readonly store: Pick<Store, 'chainJournal' | 'record' | 'fenceOf'>;
  readonly clock: Clock;
  readonly log: Log;
}

const LOOK_MS = 1000;
/** In one transaction: takes a few milliseconds. */
const AT_ONCE = 500;
const JUMP_MS = 60_000;

/** Runs until the signal aborts, and chains what is there then. A storage that does not answer is tried again. */
export async function runJournal({ store, clock, log }: JournalOptions, signal: AbortSignal): Promise<void> {
  const fence = store.fenceOf('service:journal');
  let isFailing = false;
  let before = { wall: clock.now(), steady: clock.monotonic() };

  async function chainAll(): Promise<void> {
    while (await store.chainJournal(AT_ONCE, fence));
  }

  async function compareClocks(): Promise<void> {
    const now = { wall: clock.now(), steady: clock.monotonic() };
    const setBy = now.wall - before.wall - (now.steady - before.steady);
    if (Math.abs(setBy) > JUMP_MS) {
      const data = { set_by_ms: Math.round(setBy) };
      await store.record([{ at: now.wall, kind: 'clock', subject: 'daemon', actor: 'daemon', data }], fence);
      log.warn('clock:set', { by: showDuration(setBy), effect: 'due times are by the new time' });
    }
    before = now;
  }

  async function look(): Promise<void> {
    try {
      await compareClocks();
      await chainAll();
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.warn('journal:not-chained', { error, effect: 'its lines are kept, and chained later' });
      isFailing = true;
    }
  }

  while (!signal.aborted) {
    await look();
    await clock.sleep(LOOK_MS, signal);
  }
  await look();
}
