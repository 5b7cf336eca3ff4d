// Writes down, for the first oracle, when a watch was not polled since an operator had paused it.
import type { Instant, Paused } from '../model.ts';
import { PATHS } from '../rules.ts';
import { WATCHES, type WatchSource } from './watches.ts';

export interface PausedLog {
  readonly begun: (watch: string) => void;
  /** It is polled again, if it was paused. */
  readonly over: (watch: string) => void;
  readonly all: () => readonly Paused[];
}

export function createPausedLog(now: () => Instant): PausedLog {
  const since = new Map<string, Instant>();
  const over: Paused[] = [];

  function untilNow(watch: string, from: Instant): Paused {
    return { watch, from, to: now(), path: pathOf(watch) };
  }

  return {
    begun(watch) {
      if (!since.has(watch)) since.set(watch, now());
    },
    over(watch) {
      const from = since.get(watch);
      if (from === undefined) return;
      since.delete(watch);
      over.push(untilNow(watch, from));
    },
    all: () => [...over, ...[...since].map(([watch, from]) => untilNow(watch, from))],
  };
}

function pathOf(id: string): string | null {
  const watch = WATCHES.find((one) => one.id === id);
  return watch === undefined ? null : (PATH_OF[watch.kind]?.(watch) ?? null);
}

const PATH_OF: Readonly<Record<string, (watch: WatchSource) => string | undefined>> = {
  'internal-transactions': ({ of }) => Object.entries(PATHS).find(([name]) => name === of)?.[1],
  transactions: ({ of }) => (of === undefined ? PATHS.large : PATHS.wallet),
  blocks: () => PATHS.blocks,
  balance: ({ token }) => (token === undefined ? PATHS.coin : PATHS.tokens),
  holdings: () => PATHS.tokens,
  token: () => PATHS.acme,
  transfers: ({ of }) => (of === undefined ? PATHS.usdc : PATHS.moves),
  contract: () => PATHS.code,
  read: () => PATHS.rpc,
  logs: ({ of }) => (of === 'vault' ? PATHS.admin : PATHS.approvals),
};
