// Chains the lines of the journal within a second, and writes a line when the clock of the machine was set.
import type { Ownership } from '../../cluster/ownership.ts';
import type { JournalEntry } from '../../core/journal/entry.ts';
import { showDuration, type Clock } from '../../lib/clock.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Log } from '../../telemetry/log.ts';
import { keepAnchor, type KeptAnchor } from './kept-anchor.ts';
import type { ClockJump, ClockJumps } from './clock-jumps.ts';

export interface JournalOptions {
  readonly store: Pick<Store, 'chainJournal' | 'record' | 'journalHead' | 'journalHashAt'>;
  /** Null in a dry run, which keeps nothing. */
  readonly kept: KeptAnchor | null;
  readonly ownership: Pick<Ownership, 'fenceOf'>;
  readonly jumps: Pick<ClockJumps, 'all'>;
  readonly clock: Clock;
  readonly log: Log;
}

const LOOK_MS = 1000;
const LOOKS_FOR_ANCHOR = 10;
/** The most lines in one transaction, which takes a few milliseconds. */
const AT_ONCE = 500;

/**
 * Runs until the signal aborts, and chains all lines that are left then. A storage that does not answer is tried again.
 */
export async function runJournal(options: JournalOptions, signal: AbortSignal): Promise<void> {
  const { store, kept, ownership, jumps, clock, log } = options;
  let isKeeping = true;
  let isFailing = false;
  let recorded = 0;
  /** Lines that are not written yet. */
  let unwritten: readonly JournalEntry[] = [];

  async function chainAll(): Promise<void> {
    const fence = ownership.fenceOf('service:journal');
    while (fence !== null && (await store.chainJournal(AT_ONCE, fence)));
  }

  async function recordJump(): Promise<void> {
    const fresh = jumps.all().slice(recorded);
    recorded += fresh.length;
    for (const { byMs } of fresh)
      log.warn('clock:set', { by: showDuration(byMs), effect: 'due times follow the new time' });
    unwritten = [...unwritten, ...fresh.map(lineOf)];
    if (unwritten.length === 0) return;
    await store.record(unwritten);
    unwritten = [];
  }

  /** Keeps the newest line. If that fails, the journal continues without it. */
  async function keep(): Promise<void> {
    if (kept === null || ownership.fenceOf('service:journal') === null) return;
    try {
      await keepAnchor({ store, kept, clock, log });
      isKeeping = true;
    } catch (error) {
      if (isKeeping) log.warn('journal:not-kept', { error, effect: 'a truncated journal would not be noticed' });
      isKeeping = false;
    }
  }

  async function look(): Promise<void> {
    try {
      await recordJump();
      await chainAll();
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.warn('journal:not-chained', { error, effect: 'the lines are stored, and chained later' });
      isFailing = true;
    }
  }

  for (let looks = 0; !signal.aborted; looks += 1) {
    await look();
    if (looks % LOOKS_FOR_ANCHOR === 0) await keep();
    await clock.sleep(LOOK_MS, signal);
  }
  await look();
  await keep();
}

function lineOf({ at, byMs }: ClockJump): JournalEntry {
  return { at, kind: 'clock', subject: 'daemon', actor: 'daemon', data: { set_by_ms: byMs } };
}
