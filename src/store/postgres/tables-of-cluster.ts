// The tables that only PostgreSQL has: the number of the schema, and the shared data of replicas. `sql/schema.ts` has
// the others.
import type { SchemaStep } from '../sql/schema.ts';

/**
 * Each renewal of a lease rewrites rows of `shards` and `replicas`, so half of each page is left free for new versions
 * of its rows.
 */
const clusterTables: SchemaStep = ({ int, text }) => [
  `CREATE TABLE cluster (
    one ${int} NOT NULL PRIMARY KEY CHECK (one = 1),
    application ${int} NOT NULL,
    schema ${int} NOT NULL,
    config ${text}
  )`,
  `CREATE TABLE shards (
    key ${text} NOT NULL,
    slot int NOT NULL,
    owner uuid,
    epoch ${int} NOT NULL DEFAULT 0,
    until timestamptz NOT NULL DEFAULT '-infinity',
    ask_from timestamptz NOT NULL DEFAULT '-infinity',
    window_ms int NOT NULL DEFAULT 0,
    PRIMARY KEY (key, slot)
  ) WITH (fillfactor = 50)`,
  // All shards take their epochs from one sequence. So a shard that is removed and added again has a higher epoch than
  // before.
  'CREATE SEQUENCE shard_epochs',
  `CREATE TABLE replicas (
    id uuid PRIMARY KEY,
    name ${text} NOT NULL,
    checksum ${text} NOT NULL,
    announced_at timestamptz NOT NULL,
    until timestamptz NOT NULL
  ) WITH (fillfactor = 50)`,
  'ALTER TABLE memory SET (autovacuum_vacuum_scale_factor = 0.02)',
];

/**
 * `installation` is null until the first start of a release that writes names. `accepted` is the checksum of a config
 * that an operator has accepted although its watches have no memory. A replica that `counts` has a vote on the config
 * in force. `avoids` is a JSON list of shards that the replica does not take for a while. `format` is the newest format
 * of memories that it can read.
 */
const installationColumns: SchemaStep = ({ int, text }) => [
  `ALTER TABLE cluster ADD COLUMN installation ${text}`,
  `ALTER TABLE cluster ADD COLUMN accepted ${text}`,
  `ALTER TABLE replicas ADD COLUMN counts ${int} NOT NULL DEFAULT 1`,
  `ALTER TABLE replicas ADD COLUMN avoids ${text} NOT NULL DEFAULT '[]'`,
  `ALTER TABLE replicas ADD COLUMN format ${int} NOT NULL DEFAULT 1`,
];

/**
 * JSON lists of shards. `unreached`: the replica holds them, but their explorer does not answer it. `reaches`: another
 * replica announces them as unreached, but their explorer answers this one.
 */
const reachColumns: SchemaStep = ({ text }) => [
  `ALTER TABLE replicas ADD COLUMN unreached ${text} NOT NULL DEFAULT '[]'`,
  `ALTER TABLE replicas ADD COLUMN reaches ${text} NOT NULL DEFAULT '[]'`,
];

const NOTHING: SchemaStep = () => [];

/** One entry for each step of the schema. */
export const CLUSTER_STEPS: readonly SchemaStep[] = [clusterTables, NOTHING, installationColumns, reachColumns];
