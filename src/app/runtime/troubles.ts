// What keeps explorers from being asked or believed: for /readyz, and in the state file for `status`.
import { showTrouble, type ExplorerTrouble } from '../../core/model/quality/explorer-trouble.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import type { Poller } from '../../engine/polling/poller.ts';
import type { Store } from '../../store/contract/store.ts';
import type { ExplorerSet } from './explorers.ts';

export interface TroublesOptions {
  readonly explorers: Pick<ExplorerSet, 'rests'>;
  readonly poller: Pick<Poller, 'otherChain'>;
  readonly watches: () => readonly Watch[];
  readonly store: Pick<Store, 'keepTroubles'>;
}

export interface Troubles {
  now(): readonly ExplorerTrouble[];
  /** Writes them down where they are others than before. Rejects with a `StorageError`. */
  keep(): Promise<void>;
}

export function createTroubles({ explorers, poller, watches, store }: TroublesOptions): Troubles {
  /** Null: what a former process wrote. */
  let kept: string | null = null;

  /** Without a limiter's rests: they are over within minutes, and a part of every day. */
  function refusals(): ExplorerTrouble[] {
    const refused = [...explorers.rests()].filter(([, { reason }]) => reason !== 'rate-limited');
    return refused.map(([explorer, rest]) => ({ type: 'refused', explorer, rest }));
  }

  function otherChains(): ExplorerTrouble[] {
    const names = new Set(watches().map(({ target }) => target.explorer));
    return [...names].flatMap((explorer): ExplorerTrouble[] => {
      const why = poller.otherChain(explorer);
      return why === null ? [] : [{ type: 'other-chain', explorer, why }];
    });
  }

  const now = (): ExplorerTrouble[] => [...refusals(), ...otherChains()];

  return {
    now,
    async keep() {
      const lines = now().map(showTrouble);
      const text = lines.join('\n');
      if (text === kept) return;
      await store.keepTroubles(lines);
      kept = text;
    },
  };
}
