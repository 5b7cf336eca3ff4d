// The newest line of the journal, kept outside of the state: the next check, or `history --verify`, then finds a
// journal that was cut, emptied or written again.
import { showAnchor, type JournalAnchor } from '../../core/journal/chain.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Log } from '../../telemetry/log.ts';

/** Both may throw errors of the file system. */
export interface KeptAnchor {
  /** Null: none was kept yet. */
  read(): JournalAnchor | null;
  /** Null: there is no line. */
  write(anchor: JournalAnchor | null): void;
}

export interface KeepOptions {
  readonly store: Pick<Store, 'journalHead' | 'journalHashAt' | 'record'>;
  readonly kept: KeptAnchor;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Log, 'warn'>;
}

/** Compares the journal with the kept line, reports a difference, and keeps its newest line. */
export async function keepAnchor({ store, kept, clock, log }: KeepOptions): Promise<void> {
  const last = kept.read();
  const head = await store.journalHead();
  const why = last === null ? null : await differenceFrom(store, last, head);
  if (last !== null && why !== null) {
    const data = { kept: showAnchor(last), why };
    log.warn('journal:not-as-kept', { ...data, effect: 'the newest line of the journal is the reference from now on' });
    await store.record([{ at: clock.now(), kind: 'not-as-kept', subject: 'daemon', actor: 'daemon', data }]);
  }
  if (head?.position !== last?.position || why !== null) kept.write(head);
}

/** Null: the line is unchanged, or was dropped by its age. */
async function differenceFrom(
  store: KeepOptions['store'],
  last: JournalAnchor,
  head: JournalAnchor | null,
): Promise<string | null> {
  if (head === null || head.position < last.position) return `the journal ends at ${head?.position ?? 0}`;
  const hash = await store.journalHashAt(last.position);
  return hash === null || hash === last.hash ? null : 'its hash is another than the one that was kept';
}
