// The daemon's lines about itself in the journal. If a line cannot be written, this is logged, and the daemon goes on.
import type { Ownership } from '../cluster/ownership.ts';
import type { JournalKind } from '../core/journal/entry.ts';
import { idOf } from '../core/model/watch/identity.ts';
import type { Json } from '../core/values/fields.ts';
import type { Clock } from '../lib/clock.ts';
import { outlineOf } from '../plan/outline.ts';
import type { Store } from '../store/contract/store.ts';
import type { Log } from '../telemetry/log.ts';
import { outlineOfReport } from '../core/reports/model.ts';
import type { Setup } from './setup/setup.ts';

export interface DaemonJournal {
  started(setup: Setup, version: string): Promise<void>;
  /** Called when the setup is in force. */
  configured(setup: Setup): Promise<void>;
  stopped(): Promise<void>;
}

export interface DaemonJournalOptions {
  readonly store: Pick<Store, 'record' | 'chainJournal'>;
  readonly ownership: Pick<Ownership, 'fenceOf'>;
  readonly clock: Clock;
  readonly log: Log;
}

const MOST_CHAINED = 500;

export function createDaemonJournal({ store, ownership, clock, log }: DaemonJournalOptions): DaemonJournal {
  async function write(kind: JournalKind, data: Json): Promise<void> {
    try {
      await store.record([{ at: clock.now(), kind, subject: 'daemon', actor: 'daemon', data }]);
    } catch (error) {
      log.warn('journal:not-written', { kind, error });
    }
  }

  return {
    started: (setup, version) => write('start', { version, ...rulesOf(setup) }),
    configured: (setup) => write('config', rulesOf(setup)),
    async stopped() {
      await write('stop', null);
      // At most `MOST_CHAINED` lines are chained here. The next daemon chains the others.
      const fence = ownership.fenceOf('service:journal');
      if (fence !== null) await store.chainJournal(MOST_CHAINED, fence).catch(() => undefined);
    },
  };
}

/** If two setups have equal digests, they poll, decide and send the same. */
function rulesOf(setup: Setup): { readonly watches: number; readonly rules: string } {
  const outline = [outlineOf(setup), ...setup.reports.map(outlineOfReport)];
  return { watches: setup.watches.length, rules: idOf(JSON.stringify(outline)) };
}
