// Counts polls and requests by explorer since the start of the process.

/** The work for one explorer. */
export interface ExplorerWork {
  readonly polls: number;
  /** Missed polls. */
  readonly missed: number;
  readonly requests: number;
  /** The sum of the prices of the requests. */
  readonly credits: number;
  /** The newest block; null: no answer showed one. */
  readonly head: number | null;
  /** The credits left by the newest answer that has them; null: no answer had them. */
  readonly creditsLeft: number | null;
}

/** By the explorer's name. */
export type WorkByExplorer = ReadonlyMap<string, ExplorerWork>;

export const NOTHING_DONE = { polls: 0, missed: 0, requests: 0, credits: 0 } as const;

export interface WorkCounts {
  polled(explorer: string, isSeen: boolean): void;
  request(facts: { readonly explorer: string; readonly credits: number }): void;
  explorerHeaders(facts: { readonly explorer: string; readonly credits: number | null }): void;
  head(facts: { readonly explorer: string; readonly height: bigint }): void;
  /** The work since the start of the process. */
  readonly now: () => WorkByExplorer;
}

export function createWorkCounts(): WorkCounts {
  const workByExplorer = new Map<string, ExplorerWork>();

  function add(explorer: string, change: (before: ExplorerWork) => Partial<ExplorerWork>): void {
    const before = workByExplorer.get(explorer) ?? { ...NOTHING_DONE, head: null, creditsLeft: null };
    workByExplorer.set(explorer, { ...before, ...change(before) });
  }

  return {
    polled(explorer, isSeen) {
      add(explorer, ({ polls, missed }) => ({ polls: polls + 1, missed: missed + (isSeen ? 0 : 1) }));
    },
    request({ explorer, credits: price }) {
      add(explorer, ({ requests, credits }) => ({ requests: requests + 1, credits: credits + price }));
    },
    explorerHeaders({ explorer, credits }) {
      if (credits !== null) add(explorer, () => ({ creditsLeft: credits }));
    },
    head({ explorer, height }) {
      add(explorer, () => ({ head: Number(height) }));
    },
    now: () => new Map(workByExplorer),
  };
}

/** The work between two results of `now`. */
export function workSince(before: WorkByExplorer, now: WorkByExplorer): WorkByExplorer {
  return new Map(
    [...now].map(([explorer, done]) => {
      const { polls, missed, requests, credits } = before.get(explorer) ?? NOTHING_DONE;
      return [
        explorer,
        {
          ...done,
          polls: done.polls - polls,
          missed: done.missed - missed,
          requests: done.requests - requests,
          credits: done.credits - credits,
        },
      ];
    }),
  );
}
