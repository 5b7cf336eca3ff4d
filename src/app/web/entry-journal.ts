// Writes logins, logouts and counts of wrong tokens into the journal. If a line cannot be written, this is logged, and
// nobody is refused.
import type { JournalKind } from '../../core/journal/entry.ts';
import type { Json } from '../../core/values/fields.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Log } from '../../telemetry/log.ts';

export interface EntryJournalOptions {
  readonly store: Pick<Store, 'record'>;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  readonly log: Pick<Log, 'warn'>;
  /** Aborts when the web server closes. */
  readonly signal: AbortSignal;
}

export interface EntryJournal {
  readonly onEntry: (type: 'entered' | 'left', name: string, peer: string) => void;
  readonly onWrongToken: () => void;
}

const WINDOW_MS = 600_000;

export function createEntryJournal({ store, clock, log, signal }: EntryJournalOptions): EntryJournal {
  let wrong = 0;

  async function write(kind: JournalKind, actor: string, data: Json): Promise<void> {
    try {
      await store.record([{ at: clock.now(), kind, subject: 'daemon', actor, data }]);
    } catch (error) {
      log.warn('journal:not-written', { kind, error });
    }
  }

  /**
   * The first wrong token is written at once. Those of the next ten minutes are written as one line with their number.
   */
  async function count(): Promise<void> {
    await write('wrong-tokens', 'daemon', { tokens: 1 });
    await clock.sleep(WINDOW_MS, signal).catch(() => undefined);
    const more = wrong - 1;
    wrong = 0;
    if (more > 0) await write('wrong-tokens', 'daemon', { tokens: more });
  }

  return {
    onEntry: (type, name, peer) => void write(type, name, { from: peer }),
    onWrongToken() {
      wrong += 1;
      if (wrong === 1) void count();
    },
  };
}
