// Bugs that are put into a copy of the sources on purpose, one at a time. A run that does not notice one has a hole.
import type { Bug } from '../simulation/bugs/bug.ts';
import type { FaultName } from './faults/catalogue.ts';

export interface ClusterBug extends Bug {
  /** Under which it shows. */
  readonly under: readonly FaultName[];
  /** How many faults; left out: three. */
  readonly faults?: number;
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
        find: "WHERE NOT ${IS_LIVE('$4')} AND starts_with(key, $2)",
        replace: "WHERE until < clock_timestamp() + interval '2 seconds' AND starts_with(key, $2)",
      },
      {
        file: 'src/store/postgres/cluster.ts',
        find: 'const ANY_FREE = `${UNHELD} AND',
        replace:
          "const ANY_FREE = `SELECT 1 FROM shards WHERE until < clock_timestamp() + interval '2 seconds' AND $1::bigint > 0 AND",
      },
      {
        file: 'src/store/postgres/cluster.ts',
        find: "CASE WHEN owner = $1 OR ${IS_LIVE('$4')} THEN owner END AS holder",
        replace: "CASE WHEN owner = $1 OR until > clock_timestamp() + interval '2 seconds' THEN owner END AS holder",
      },
      {
        file: 'src/store/postgres/cluster.ts',
        find: "ask_from = least(greatest(s.ask_from, s.until + s.window_ms * interval '1 ms'),",
        replace: 'ask_from = least(s.ask_from,',
      },
    ],
    under: ['silent line'],
    caughtAs: /two askers of plan/,
  },
  // A memory does not show it: its version is another one by then. Coverage, deliveries and the journal have no version.
  'no fence': {
    edits: [
      {
        file: 'src/store/postgres/cluster.ts',
        find: 'return (await sql.run(PROLONG, lease)) === 1;',
        replace: 'return (await sql.run(PROLONG, lease)) >= 0;',
      },
    ],
    under: ['late line'],
    caughtAs: /, which \S+ had claimed/,
  },
  // The fence lets only the holder write, and the holder knows the newest version, unless the database lost it and the
  // holder does not notice.
  'no version check': {
    edits: [
      {
        file: 'src/store/postgres/cluster.ts',
        find: 'changed: before && changedSince(before, row)',
        replace: 'changed: null',
      },
      {
        file: 'src/store/tables/memory/memory.ts',
        find: 'WHERE memory.watch = ${row.watch} AND memory.version = ${row.expects}',
        replace: 'WHERE memory.watch = ${row.watch} AND ${row.expects} > 0',
      },
    ],
    under: ['the database goes back'],
    caughtAs: /^lost: \S+ never heard of block/,
  },
  'early retiring': {
    edits: [
      {
        file: 'src/cluster/shared-ownership.ts',
        find: 'mayRetire: () => mayRetire(state, clock.monotonic(), leaseMs),',
        replace: 'mayRetire: () => true || mayRetire(state, clock.monotonic(), leaseMs),',
      },
    ],
    under: ['a halted rollout'],
    caughtAs: /was retired by/,
  },
  'a new file by the leave of the former one': {
    edits: [
      {
        file: 'src/cluster/shared-ownership.ts',
        find: 'state = { ...state, agreedSince: null, mayRetire: false };',
        replace: 'state = { ...state };',
      },
    ],
    under: ['another config'],
    caughtAs: /was retired by/,
  },
};
