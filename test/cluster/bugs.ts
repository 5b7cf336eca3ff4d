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
  'no fence': {
    edits: [
      {
        file: 'src/store/postgres/lease.ts',
        find: 'return row !== undefined || renew(sql, fence, leaseMs);',
        replace: 'return row !== undefined || (await renew(sql, fence, leaseMs)) || true;',
      },
    ],
    under: ['freeze'],
    caughtAs: /wrote .*, which .* had claimed/,
  },
  'a lease that nobody waits for': {
    edits: [
      {
        file: 'src/store/postgres/lease.ts',
        find: 'AND until < clock_timestamp() RETURNING epoch',
        replace: 'RETURNING epoch',
      },
    ],
    under: ['stop and start'],
    caughtAs: /two askers of plan/,
  },
};
