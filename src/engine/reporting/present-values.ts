// The last values of firing alerts, from the polls since the start of the process. A message that is sent later than
// its alert fired shows these. An alert has none before the first poll of its watch.
import type { Decision } from '../../core/model/decision.ts';
import type { Present } from '../../core/model/delivery.ts';
import type { WatchId } from '../../core/model/ids.ts';
import type { Watch } from '../../core/model/watch/watch.ts';

export interface PresentValues {
  /** Drops the values of all other watches. */
  adopt(watches: readonly Watch[]): void;
  /** Call this after the decision is committed. */
  polled(watch: WatchId, decision: Pick<Decision, 'firing'>): void;
  /** `key`: the key of the alert's messages. Null: the alert does not fire, or no values were read yet. */
  of(alert: { readonly watch: WatchId; readonly key: string }): Present | null;
}

export function createPresentValues(): PresentValues {
  const byWatch = new Map<WatchId, ReadonlyMap<string, Present>>();
  return {
    adopt(watches) {
      const kept = new Set(watches.map(({ id }) => id));
      for (const id of byWatch.keys()) if (!kept.has(id)) byWatch.delete(id);
    },
    polled(watch, { firing }) {
      const former = byWatch.get(watch);
      if (firing.length === 0 && former === undefined) return;
      // If a poll did not read the values, the last ones stay, with their time.
      const known = firing.flatMap(({ key, present }): [string, Present][] => {
        const values = present ?? former?.get(key) ?? null;
        return values === null ? [] : [[key, values]];
      });
      if (known.length === 0) byWatch.delete(watch);
      else byWatch.set(watch, new Map(known));
    },
    of: ({ watch, key }) => byWatch.get(watch)?.get(key) ?? null,
  };
}
