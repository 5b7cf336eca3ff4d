import { BUCKETS_AND_SPANS } from '../samples-table.ts';
import { MIRROR_TABLE } from '../dispatch/mirror-table.ts';
import type { DatabaseSync } from 'node:sqlite';
import { firstNumber, inStep } from '../database.ts';
import { StorageError } from '../../store.ts';
import { letDispatchDecide } from './let-dispatch-decide.ts';
import { toDispatch } from './to-dispatch.ts';

/** What leads from one schema to the next: SQL, or more than SQL can do. */
type Migration = string | ((db: DatabaseSync) => void);

// 'CWdn': tells our file from any other SQLite file that `state` may be pointed at by mistake.
export const APPLICATION_ID = 0x4357646e;

/**
 * Statements that lead from schema n to n + 1. A released one is never edited: files out there were made by it.
 *
 * Schema 1. `coverage` stands apart from `memory` because it changes with every poll and memory does not. `deliveries`
 * is the outbox and, until it is pruned, the record of what was said. Its indexes hold what is owed: first of all the
 * order within (key, recipient), then the order in which it falls due.
 *
 * Schema 2. `history` holds the samples that windows look back over, `data` how good the last poll's data was.
 *
 * Schema 3. `look` holds what was last looked at, `health` how the conditions of the alerts do: both change with every
 * poll, as coverage does, and only explain.
 *
 * Schema 4. `ran_ms` is for how long the sender of a channel has run in all, `ran_before` what that was when the
 * delivery was committed: their difference is its age. It counts neither the time for which the daemon was stopped or
 * the channel not configured, nor what a wrong clock adds. What was owed before starts at age 0.
 *
 * Schema 5. `rank` is that of the message's severity: a claim takes the most severe first.
 *
 * Schema 6. `chain_blocks` holds the newest blocks that each explorer has shown, with every hash of a height.
 *
 * Schema 7. `lease_until` is until when a delivery that is being sent is nobody else's. What an older release was sending
 * has none: taking the file over ends all leases.
 *
 * Schema 8. `folds` says of a summary that takes further events in what may share it; null of all others.
 *
 * Schema 9. `samples` holds the runs of equal values that are over, which stood in `history` before: a row of a
 * six-day window was rewritten whole at every poll. What goes on stays in `history`.
 *
 * Schema 10. `silences` holds what operators have silenced and paused, `operator_requests` for a day what they were
 * answered under which key.
 *
 * Schema 11. `notifications` holds what polls decided, each message once. `deliveries` is what is owed to one recipient,
 * with its notifications in `group_member`; `delivery_order` names what has to end before it. `alerts` and
 * `recipient_state` say which alerts fire and who was told; memories held that before.
 *
 * Schema 12. `journal` holds what was decided, told and changed, a line each, and `checkpoints` the last line of each
 * part of it that was dropped by its age. `position` and `hash` are null until the line is chained.
 *
 * Schema 13. `dismissed_at` of a delivery that was given up is when an operator said that nobody needs to look at it.
 *
 * Schema 14. `acks` holds which episodes of alerts operators have acknowledged. `name` of a pause is what the operator
 * named; its `matchers`, those of its alerts, held that before. `announced_at` is when people were last told of a silence
 * or a pause: not at all of the end of what an older release made.
 *
 * Schema 15. `severity` of an acknowledgement is that of the alert's rule when it was made: a higher one ends it.
 *
 * Schema 16. `dispatch_group` holds the timers by which the dispatcher puts messages together; what it has decided about
 * each recipient stands in `recipient_state`.
 *
 * Schema 17. `receipt` is what a receiver called the message about an alert, in the episode `receipt_episode`, which later
 * ones change or answer. `maybe_copy` is 1 after a try of which nobody knows whether it arrived.
 *
 * Schema 18. `mirrored` holds what receivers that keep their own state of alerts accepted.
 *
 * Schema 21. `sample_buckets` holds an hour each of runs that `samples` holds no more, `unknown_spans` when no data of a
 * watch was `ok`.
 *
 * Schema 22. The tables are the same. What is remembered of `holdings` is packed: an older release would take it for
 * unreadable, and begin anew in silence.
 */
export const MIGRATIONS: readonly Migration[] = [
  `
  CREATE TABLE memory (
    watch TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    checksum TEXT NOT NULL,
    state TEXT NOT NULL,
    alerts TEXT NOT NULL
  ) STRICT;

  CREATE TABLE coverage (
    watch TEXT PRIMARY KEY REFERENCES memory (watch) ON DELETE CASCADE,
    until INTEGER
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE deliveries (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    watch TEXT NOT NULL,
    channel TEXT NOT NULL,
    recipient TEXT NOT NULL,
    key TEXT NOT NULL,
    seq INTEGER NOT NULL,
    message TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('due', 'sending', 'sent', 'dead')),
    attempt INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    settled_at INTEGER,
    outcome TEXT
  ) STRICT;

  CREATE INDEX deliveries_in_order ON deliveries (channel, recipient, key, seq, number, state)
    WHERE state IN ('due', 'sending');
  CREATE INDEX deliveries_due ON deliveries (channel, due_at, number) WHERE state = 'due';
  CREATE INDEX deliveries_ended ON deliveries (state, settled_at) WHERE state IN ('sent', 'dead');

  CREATE TABLE facts (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  ALTER TABLE memory ADD COLUMN history TEXT NOT NULL DEFAULT '{}';
  ALTER TABLE memory ADD COLUMN data TEXT NOT NULL DEFAULT 'null';
  `,
  `
  ALTER TABLE coverage ADD COLUMN look TEXT NOT NULL DEFAULT 'null';
  ALTER TABLE coverage ADD COLUMN health TEXT NOT NULL DEFAULT '{}';
  `,
  `
  CREATE TABLE channels (
    name TEXT PRIMARY KEY,
    ran_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  ALTER TABLE deliveries ADD COLUMN ran_before INTEGER NOT NULL DEFAULT 0;
  `,
  `
  ALTER TABLE deliveries ADD COLUMN rank INTEGER NOT NULL DEFAULT 1;
  UPDATE deliveries
    SET rank = CASE message ->> '$.severity' WHEN 'critical' THEN 0 WHEN 'info' THEN 2 ELSE 1 END
    WHERE state IN ('due', 'sending') AND json_valid(message);

  DROP INDEX deliveries_due;
  CREATE INDEX deliveries_due ON deliveries (channel, rank, due_at, number) WHERE state = 'due';
  `,
  `
  CREATE TABLE chain_blocks (
    explorer TEXT NOT NULL,
    height INTEGER NOT NULL,
    hash TEXT NOT NULL,
    first_seen INTEGER NOT NULL,
    last_seen INTEGER NOT NULL,
    PRIMARY KEY (explorer, height, hash)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  ALTER TABLE deliveries ADD COLUMN lease_until INTEGER;
  CREATE INDEX deliveries_sending ON deliveries (channel, lease_until) WHERE state = 'sending';
  `,
  `
  ALTER TABLE deliveries ADD COLUMN folds TEXT;
  CREATE INDEX deliveries_open ON deliveries (channel, recipient, folds, number)
    WHERE folds IS NOT NULL AND state = 'due' AND attempt = 0;
  `,
  `
  CREATE TABLE samples (
    watch TEXT NOT NULL REFERENCES memory (watch) ON DELETE CASCADE,
    path TEXT NOT NULL,
    since INTEGER NOT NULL,
    until INTEGER NOT NULL,
    value TEXT NOT NULL
  ) STRICT;
  CREATE INDEX samples_of_watch ON samples (watch, path, until);

  INSERT INTO samples (watch, path, since, until, value)
    SELECT memory.watch, paths.key, runs.value ->> 0, runs.value ->> 1, runs.value ->> 2
    FROM memory
      JOIN json_each(CASE WHEN json_valid(history) THEN history ELSE '{}' END) AS paths
      JOIN json_each(paths.value) AS runs
    WHERE runs.value ->> 1 IS NOT NULL
    ORDER BY memory.watch, paths.key, runs.key;
  UPDATE memory SET history = (
      SELECT json_group_object(paths.key, json((
        SELECT json_group_array(json(runs.value)) FROM json_each(paths.value) AS runs WHERE runs.value ->> 1 IS NULL)))
      FROM json_each(history) AS paths)
    WHERE json_valid(history) AND history <> '{}';
  `,
  `
  CREATE TABLE silences (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('silence', 'pause')),
    matchers TEXT NOT NULL,
    starts_at INTEGER NOT NULL,
    ends_at INTEGER NOT NULL,
    until_resolved INTEGER NOT NULL DEFAULT 0,
    actor TEXT NOT NULL,
    comment TEXT NOT NULL,
    version INTEGER NOT NULL DEFAULT 1,
    summed_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX silences_end ON silences (ends_at) WHERE summed_at IS NULL;

  CREATE TABLE operator_requests (
    key TEXT PRIMARY KEY,
    asked TEXT NOT NULL,
    answer TEXT NOT NULL,
    at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  toDispatch,
  `
  CREATE TABLE journal (
    number INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    actor TEXT NOT NULL,
    data TEXT NOT NULL,
    position INTEGER UNIQUE,
    hash TEXT
  ) STRICT;
  CREATE INDEX journal_of_subject ON journal (subject, number);
  CREATE INDEX journal_unchained ON journal (number) WHERE position IS NULL;

  CREATE TABLE checkpoints (
    position INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    hash TEXT NOT NULL
  ) STRICT;
  `,
  `
  ALTER TABLE deliveries ADD COLUMN dismissed_at INTEGER;
  `,
  `
  DROP INDEX silences_end;
  ALTER TABLE silences DROP COLUMN summed_at;
  ALTER TABLE silences ADD COLUMN name TEXT;
  ALTER TABLE silences ADD COLUMN announced_at INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX silences_end ON silences (ends_at);
  UPDATE silences SET announced_at = ends_at;
  UPDATE silences SET name = matchers ->> '$.watch' WHERE json_valid(matchers);
  UPDATE silences
    SET matchers = json_object(
      'watch', substr(name, 1, instr(name, '[') - 1),
      'of', substr(name, instr(name, '[') + 1, length(name) - instr(name, '[') - 1))
    WHERE name LIKE '%_[%]';

  CREATE TABLE acks (
    key TEXT NOT NULL,
    episode INTEGER NOT NULL,
    id TEXT NOT NULL UNIQUE,
    seq INTEGER NOT NULL,
    actor TEXT NOT NULL,
    comment TEXT,
    at INTEGER NOT NULL,
    ends_at INTEGER NOT NULL,
    PRIMARY KEY (key, episode)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX acks_end ON acks (ends_at);
  `,
  `
  ALTER TABLE acks ADD COLUMN severity TEXT NOT NULL DEFAULT 'critical';
  `,
  letDispatchDecide,
  `
  ALTER TABLE recipient_state ADD COLUMN receipt TEXT;
  ALTER TABLE recipient_state ADD COLUMN receipt_episode INTEGER;
  ALTER TABLE deliveries ADD COLUMN maybe_copy INTEGER NOT NULL DEFAULT 0;
  UPDATE deliveries SET maybe_copy = 1
    WHERE state = 'due' AND json_valid(outcome) AND outcome ->> '$.type' = 'unknown';
  `,
  MIRROR_TABLE,
  `
  ALTER TABLE group_member ADD COLUMN present TEXT;
  `,
  `
  ALTER TABLE deliveries ADD COLUMN rule TEXT NOT NULL DEFAULT '';
  UPDATE deliveries SET rule = coalesce((
    SELECT CASE WHEN json_valid(labels) THEN labels ->> '$.watch' END FROM group_member AS member
      JOIN notifications AS notification ON notification.number = member.notification
    WHERE member.delivery = deliveries.number ORDER BY position LIMIT 1), '')
    WHERE state IN ('due', 'sending');
  DROP INDEX deliveries_due;
  CREATE INDEX deliveries_due ON deliveries (channel, rank, due_at, number, rule) WHERE state = 'due';
  `,
  BUCKETS_AND_SPANS,
  '',
];

/**
 * Brings the file to the newest schema in one transaction. Throws a StorageError for a file of a newer release, and for
 * one that is not ours; nothing is changed then.
 */
export function migrate(db: DatabaseSync, file: string, migrations = MIGRATIONS): void {
  assertOurs(db, file);
  const version = assertNotNewer(db, file, migrations);
  if (version === migrations.length) return;
  inStep(db, 'migrate', () => {
    for (const migration of migrations.slice(version)) {
      if (typeof migration === 'string') db.exec(migration);
      else migration(db);
    }
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    db.exec(`PRAGMA user_version = ${migrations.length}`);
  });
}

/** For those who only read: throws a StorageError unless the file has exactly the schema that is known here. */
export function assertCurrent(db: DatabaseSync, file: string): void {
  assertOurs(db, file);
  assertNotNewer(db, file, MIGRATIONS);
  if (isCurrent(db)) return;
  throw new StorageError(
    `${file} was written by an older release. Start the daemon once: it brings the file up to date.`,
  );
}

/** Of exactly the schema that is known here. */
export function isCurrent(db: DatabaseSync): boolean {
  return firstNumber(db, 'PRAGMA user_version') === MIGRATIONS.length;
}

/** Throws a StorageError for a file that this release cannot take over, and for one that holds nothing. */
export function assertFilled(db: DatabaseSync, file: string): void {
  assertOurs(db, file);
  if (assertNotNewer(db, file, MIGRATIONS) === 0) throw new StorageError(`${file} holds no state: it is empty.`);
}

function assertOurs(db: DatabaseSync, file: string): void {
  const isEmpty = firstNumber(db, 'SELECT count(*) FROM sqlite_schema') === 0;
  if (isEmpty || firstNumber(db, 'PRAGMA application_id') === APPLICATION_ID) return;
  throw new StorageError(`${file} is a database of another program. Point "state" at a file of its own.`);
}

function assertNotNewer(db: DatabaseSync, file: string, migrations: readonly Migration[]): number {
  const version = firstNumber(db, 'PRAGMA user_version');
  if (version <= migrations.length) return version;
  throw new StorageError(
    `${file} was written by a newer release (schema ${version}, this one knows up to ${migrations.length}). ` +
      'Install that release or a later one, or point "state" at another file.',
  );
}
