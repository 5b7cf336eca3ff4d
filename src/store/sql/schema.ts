// The tables, for both engines. JSON is stored as text: `jsonb` accepts neither \u0000 nor half of a surrogate pair,
// and names of tokens contain both. Booleans are 0 and 1, instants are milliseconds. PostgreSQL has three tables more,
// for its replicas (postgres/tables-of-cluster.ts).
import type { SqlDialect } from './dialect.ts';
import { alertTables, deliveryTables, groupTables, renewalColumns } from './dispatch-schema.ts';

/**
 * Statements that lead from schema n to n + 1. A released step must not be edited, since existing states were made by
 * it.
 */
export type SchemaStep = (dialect: SqlDialect) => readonly string[];

/** The steps of all engines. An engine may add statements for its own tables to a step. */
export const SCHEMA_STEPS: readonly SchemaStep[] = [
  (dialect) => [
    ...memoryTables(dialect),
    ...sampleTables(dialect),
    ...alertTables(dialect),
    ...groupTables(dialect),
    ...deliveryTables(dialect),
    ...operatorTables(dialect),
    ...journalTables(dialect),
  ],
  (dialect) => [...renewalColumns(dialect), ...factsBesideTheirNames(dialect), ...planTables(dialect)],
  ({ int }) => [`ALTER TABLE memory ADD COLUMN format ${int} NOT NULL DEFAULT 1`],
  // This step only changes the tables of replicas (postgres/tables-of-cluster.ts).
  () => [],
  ({ text }) => [`ALTER TABLE channels ADD COLUMN recipients ${text}`],
  // The time until which a stored transition waits for details; null: it waits for none.
  ({ int }) => [`ALTER TABLE notifications ADD COLUMN details_until ${int}`],
];

/**
 * `covered` changes with every poll, so its rows are narrow. `coverage` holds the last observed values and the health
 * of conditions, and is written when these change. `seen_at` is when those values were last observed, `evaluated_at`
 * when that health was last found. Neither table has a further index, so an update changes no index.
 */
function memoryTables({ int, text, table, keyedTable }: SqlDialect): string[] {
  return [
    `CREATE TABLE memory (
      watch ${text} NOT NULL PRIMARY KEY,
      version ${int} NOT NULL,
      checksum ${text} NOT NULL,
      state ${text} NOT NULL,
      alerts ${text} NOT NULL,
      history ${text} NOT NULL DEFAULT '{}',
      data ${text} NOT NULL DEFAULT 'null'
    ) ${table(85)}`,
    `CREATE TABLE covered (
      watch ${text} NOT NULL PRIMARY KEY REFERENCES memory (watch) ON DELETE CASCADE,
      until ${int},
      seen_at ${int},
      evaluated_at ${int}
    ) ${keyedTable(50)}`,
    `CREATE TABLE coverage (
      watch ${text} NOT NULL PRIMARY KEY REFERENCES memory (watch) ON DELETE CASCADE,
      snapshot ${text} NOT NULL DEFAULT 'null',
      health ${text} NOT NULL DEFAULT '{}'
    ) ${keyedTable(70)}`,
    `CREATE TABLE facts (name ${text} NOT NULL PRIMARY KEY, value ${text} NOT NULL) ${keyedTable()}`,
    // Rounds that depend on the row lock it, so it must exist.
    "INSERT INTO facts (name, value) VALUES ('policy', '0')",
    `CREATE TABLE channels (name ${text} NOT NULL PRIMARY KEY, ran_ms ${int} NOT NULL) ${keyedTable()}`,
    `CREATE TABLE chain_blocks (
      explorer ${text} NOT NULL,
      height ${int} NOT NULL,
      hash ${text} NOT NULL,
      first_seen ${int} NOT NULL,
      last_seen ${int} NOT NULL,
      PRIMARY KEY (explorer, height, hash)
    ) ${keyedTable()}`,
  ];
}

/**
 * Makes `facts` a plain `table`. SQLite stores the values of a `keyedTable` in the tree of its keys, so a search by
 * name also reads values of other rows. `running` is 300 bytes for each watch: with 10,000 watches each read of
 * `policy` took 2 ms.
 */
function factsBesideTheirNames({ text, table }: SqlDialect): string[] {
  return [
    'ALTER TABLE facts RENAME TO former_facts',
    `CREATE TABLE facts (name ${text} NOT NULL PRIMARY KEY, value ${text} NOT NULL) ${table()}`,
    'INSERT INTO facts (name, value) SELECT name, value FROM former_facts',
    'DROP TABLE former_facts',
  ];
}

/** `plan` is a digest of an origin and a key, `kept` the JSON of the plan's state. */
function planTables({ int, text, table }: SqlDialect): string[] {
  return [
    `CREATE TABLE plans (plan ${text} NOT NULL PRIMARY KEY, at ${int} NOT NULL, kept ${text} NOT NULL) ${table(50)}`,
  ];
}

/**
 * `samples` holds ended runs of equal values, `sample_buckets` a row for each hour of older runs, `unknown_spans` the
 * times without `ok` data of a watch. Rows are numbered, so that the oldest are dropped first if there are too many.
 */
function sampleTables({ serial, int, text, table }: SqlDialect): string[] {
  return [
    `CREATE TABLE samples (
      number ${serial},
      watch ${text} NOT NULL REFERENCES memory (watch) ON DELETE CASCADE,
      path ${text} NOT NULL,
      since ${int} NOT NULL,
      until ${int} NOT NULL,
      value ${text} NOT NULL
    ) ${table()}`,
    'CREATE INDEX samples_of_watch ON samples (watch, path, until)',
    `CREATE TABLE sample_buckets (
      number ${serial},
      watch ${text} NOT NULL REFERENCES memory (watch) ON DELETE CASCADE,
      path ${text} NOT NULL,
      width ${int} NOT NULL,
      at ${int} NOT NULL,
      first ${text} NOT NULL,
      last ${text} NOT NULL,
      min ${text} NOT NULL,
      max ${text} NOT NULL,
      UNIQUE (watch, path, width, at)
    ) ${table()}`,
    'CREATE INDEX sample_buckets_at ON sample_buckets (at)',
    `CREATE TABLE unknown_spans (
      number ${serial},
      watch ${text} NOT NULL REFERENCES memory (watch) ON DELETE CASCADE,
      since ${int} NOT NULL,
      until ${int},
      cause ${text} NOT NULL,
      UNIQUE (watch, since)
    ) ${table()}`,
    'CREATE INDEX unknown_spans_open ON unknown_spans (watch) WHERE until IS NULL',
    'CREATE INDEX unknown_spans_until ON unknown_spans (until) WHERE until IS NOT NULL',
  ];
}

/**
 * `name` of a pause is the name that the operator gave. `announced_at` is the time of the last announcement of a
 * silence or a pause. `severity` of an acknowledgement is the severity of the alert at that time. It does not cover a
 * higher severity.
 */
function operatorTables({ int, text, keyedTable }: SqlDialect): string[] {
  return [
    `CREATE TABLE silences (
      id ${text} NOT NULL PRIMARY KEY,
      kind ${text} NOT NULL CHECK (kind IN ('silence', 'pause')),
      matchers ${text} NOT NULL,
      starts_at ${int} NOT NULL,
      ends_at ${int} NOT NULL,
      until_resolved ${int} NOT NULL DEFAULT 0,
      actor ${text} NOT NULL,
      comment ${text} NOT NULL,
      version ${int} NOT NULL DEFAULT 1,
      name ${text},
      announced_at ${int} NOT NULL DEFAULT 0
    ) ${keyedTable()}`,
    'CREATE INDEX silences_end ON silences (ends_at)',
    `CREATE TABLE acks (
      key ${text} NOT NULL,
      episode ${int} NOT NULL,
      id ${text} NOT NULL UNIQUE,
      seq ${int} NOT NULL,
      severity ${text} NOT NULL,
      actor ${text} NOT NULL,
      comment ${text},
      at ${int} NOT NULL,
      ends_at ${int} NOT NULL,
      PRIMARY KEY (key, episode)
    ) ${keyedTable()}`,
    'CREATE INDEX acks_end ON acks (ends_at)',
    `CREATE TABLE operator_requests (
      key ${text} NOT NULL PRIMARY KEY,
      digest ${text} NOT NULL,
      answer ${text} NOT NULL,
      at ${int} NOT NULL
    ) ${keyedTable()}`,
  ];
}

/** `position` and `hash` are null until a line is chained. `checkpoints` holds the last line of each dropped part. */
function journalTables({ serial, int, text, table, keyedTable }: SqlDialect): string[] {
  return [
    `CREATE TABLE journal (
      number ${serial},
      at ${int} NOT NULL,
      kind ${text} NOT NULL,
      subject ${text} NOT NULL,
      actor ${text} NOT NULL,
      data ${text} NOT NULL,
      position ${int} UNIQUE,
      hash ${text}
    ) ${table()}`,
    'CREATE INDEX journal_of_subject ON journal (subject, number)',
    'CREATE INDEX journal_unchained ON journal (number) WHERE position IS NULL',
    `CREATE TABLE checkpoints (
      position ${int} NOT NULL PRIMARY KEY,
      at ${int} NOT NULL,
      hash ${text} NOT NULL
    ) ${keyedTable()}`,
  ];
}
