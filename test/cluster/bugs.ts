// Bugs that are put into a copy of the sources on purpose, one at a time. A run that does not notice one has a hole.
import type { Bug } from '../simulation/bugs.ts';
import type { FaultName } from './faults.ts';

export interface ClusterBug extends Bug {
  /** Under which it shows. */
  readonly under: readonly FaultName[];
  /** What a finding must say. */
  readonly caughtAs: RegExp;
}

export const BUGS: Readonly<Record<string, ClusterBug>> = {
  'no end of asking': {
    edits: [
      {
        file: 'src/cluster/held-shards.ts',
        find: "return entry?.state === 'working' && clock.monotonic() < entry.deadline;",
        replace: "return entry?.state === 'working';",
      },
    ],
    under: ['silent line'],
    caughtAs: /two askers of plan/,
  },
  'a lease that nobody waits for': {
    edits: [
      {
        file: 'src/store/postgres/cluster.ts',
        find: "const IS_FREE = 'until < clock_timestamp()';",
        replace: "const IS_FREE = 'true';",
      },
    ],
    under: ['stop and start'],
    caughtAs: /two askers of plan/,
  },
};
