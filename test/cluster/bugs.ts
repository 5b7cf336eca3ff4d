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
        find: "return entry?.state === 'working' && this.#clock.monotonic() < entry.deadline;",
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
  'a clock that stands still until the time has caught up': {
    edits: [
      {
        file: 'src/lib/anchored-clock.ts',
        find: 'if (newest - now > LATE_MS) newest = now;',
        replace: 'if (newest - now > LATE_MS * 1e9) newest = now;',
      },
    ],
    under: ['the clock of the database'],
    caughtAs: /^plan \d was not asked for|^lost: /,
  },
  'statements that are given up go on': {
    edits: [
      {
        file: 'src/store/postgres/driver.ts',
        find: 'SET LOCAL statement_timeout = ${Math.ceil(timeoutMs * 0.9)}',
        replace: 'SET LOCAL statement_timeout = ${Math.ceil(timeoutMs * 90)}',
      },
      {
        file: 'src/store/postgres/driver.ts',
        find: 'if (connection.isBroken()) await cancels.cancel(client);',
        replace: "if (connection.isBroken() && client.listenerCount('never') > 0) await cancels.cancel(client);",
      },
    ],
    under: ['table locks'],
    caughtAs: /had more than 5 connections/,
  },
  'tables of a newer release': {
    edits: [
      {
        file: 'src/store/postgres/cluster.ts',
        find: 'if (schema > SCHEMA_STEPS.length) throw newerSchema(database, schema);',
        replace: 'if (schema > 1000 * SCHEMA_STEPS.length) throw newerSchema(database, schema);',
      },
      {
        file: 'src/store/postgres/cluster.ts',
        find: 'AND NOT EXISTS (SELECT FROM cluster WHERE schema > ${SCHEMA_STEPS.length})`;',
        replace: 'AND NOT EXISTS (SELECT FROM cluster WHERE schema > 1000 * ${SCHEMA_STEPS.length})`;',
      },
    ],
    under: ['a newer schema'],
    caughtAs: /^tables of a newer release were written/,
  },
  'a memory of a newer release': {
    edits: [
      {
        file: 'src/store/tables/memory/stored-memory.ts',
        find: 'if (format > MEMORY_FORMAT)',
        replace: 'if (format > 1000 * MEMORY_FORMAT)',
      },
      {
        file: 'src/store/tables/memory/memory.ts',
        find: 'AND memory.format <= ${MEMORY_FORMAT}\n  RETURNING',
        replace: 'AND memory.format <= 1000 * ${MEMORY_FORMAT}\n  RETURNING',
      },
    ],
    under: ['a newer memory'],
    caughtAs: /^a memory of a newer release was written/,
  },
  'no way to an explorer, and its shard is kept': {
    edits: [
      {
        file: 'src/cluster/avoidance.ts',
        find: 'if (taker === undefined) continue;',
        replace: 'if (taker === undefined || shard.length > 0) continue;',
      },
    ],
    under: ['lost egress'],
    caughtAs: /^plan \d was not asked for/,
  },
  'another name is none': {
    edits: [
      {
        file: 'src/store/sql/installation.ts',
        find: 'if (found === null || found === own) return;',
        replace: 'if (found === null || found.length > 0 || found === own) return;',
      },
    ],
    under: ['another installation'],
    caughtAs: /^another installation (?:ended with|went on)/,
  },
  'a foreign majority is in force': {
    edits: [
      {
        file: 'src/cluster/agree.ts',
        find: 'live.filter(({ counts }) => counts);',
        replace: 'live.filter(({ counts }) => counts || live.length > 0);',
      },
    ],
    under: ['a foreign config'],
    caughtAs: /^invented at .*: care-theirs/,
  },
  'a claim whose answer was lost waits for its lease': {
    edits: [
      {
        file: 'src/engine/sending/sender.ts',
        find: 'if (state.lostClaim === null) return;',
        replace: 'if (state.lostClaim === null || channel.length > 0) return;',
      },
    ],
    under: ['lost answers'],
    faults: 6,
    caughtAs: /^lost: |^the state holds /,
  },
  // The version of a memory shows it to who commits one. A shard that commits nothing goes on from what the database lost.
  'a database that goes back is not noticed': {
    edits: [
      {
        file: 'src/store/postgres/cluster.ts',
        find: 'changed: before && changedSince(before, row)',
        replace: 'changed: null',
      },
    ],
    under: ['failover'],
    faults: 8,
    caughtAs: /^(?:lost: |unsent|end-unsent)/,
  },
  'told from memory, and again without a mark': {
    edits: [
      {
        file: 'src/store/tables/deliveries/deliveries.ts',
        find: "|| (kind === 'news' && members.some(mayBeTold))",
        replace: "|| (kind === 'repeat' && members.some(mayBeTold))",
      },
    ],
    under: ['cut line'],
    caughtAs: /^a copy that does not say so/,
  },
};
