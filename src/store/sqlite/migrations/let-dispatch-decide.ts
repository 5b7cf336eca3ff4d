// Leads to the schema in which the dispatcher decides when each target is told, and together with what. Until then every
// notification went out at once and alone: nothing waits that was not put into a delivery.
import type { DatabaseSync } from 'node:sqlite';

const CHANGES = `
  CREATE TABLE dispatch_group (
    id TEXT PRIMARY KEY,
    channel TEXT NOT NULL,
    recipient TEXT NOT NULL,
    labels TEXT NOT NULL,
    version INTEGER NOT NULL DEFAULT 1,
    closed_at INTEGER,
    due_at INTEGER,
    wake_at INTEGER,
    news INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX dispatch_group_due ON dispatch_group (due_at, news, id) WHERE due_at IS NOT NULL;
  CREATE INDEX dispatch_group_of_target ON dispatch_group (channel, recipient, due_at) WHERE due_at IS NOT NULL;

  ALTER TABLE recipient_state ADD COLUMN group_id TEXT NOT NULL DEFAULT '';
  ALTER TABLE recipient_state ADD COLUMN via TEXT NOT NULL DEFAULT 'route'
    CHECK (via IN ('route', 'escalate', 'failover'));
  ALTER TABLE recipient_state ADD COLUMN begun INTEGER;
  ALTER TABLE recipient_state ADD COLUMN held TEXT;
  ALTER TABLE recipient_state ADD COLUMN held_at INTEGER;
  ALTER TABLE recipient_state ADD COLUMN decided INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE recipient_state ADD COLUMN repeats INTEGER NOT NULL DEFAULT 0;

  ALTER TABLE alerts ADD COLUMN watch TEXT NOT NULL DEFAULT '';
  ALTER TABLE alerts ADD COLUMN alert TEXT NOT NULL DEFAULT '';
  ALTER TABLE alerts ADD COLUMN labels TEXT NOT NULL DEFAULT '{}';
  ALTER TABLE alerts ADD COLUMN is_event INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE alerts ADD COLUMN opened_at INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE alerts ADD COLUMN first_closed_at INTEGER;
  ALTER TABLE alerts ADD COLUMN escalation_step INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE alerts ADD COLUMN failed_over INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE alerts ADD COLUMN due_at INTEGER;
  CREATE INDEX alerts_due ON alerts (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX alerts_open ON alerts (watch) WHERE is_open = 1;

  ALTER TABLE group_member ADD COLUMN told_as TEXT NOT NULL DEFAULT 'news'
    CHECK (told_as IN ('news', 'repeat', 'fired-and-resolved'));
  ALTER TABLE group_member ADD COLUMN held_at INTEGER;
  ALTER TABLE group_member ADD COLUMN position INTEGER NOT NULL DEFAULT 0;

  CREATE INDEX deliveries_of_target ON deliveries (channel, recipient, created_at);
`;

// Of what fires, everyone who heard of its begin is owed the end; of events, everyone who was not told that it is over.
const STATES = `
  UPDATE alerts SET
    opened_at = at,
    (watch, alert, labels) = (
      SELECT watch, alert, labels FROM notifications
      WHERE notifications.key = alerts.key AND notifications.seq <= alerts.newest ORDER BY seq DESC LIMIT 1)
    WHERE EXISTS (SELECT 1 FROM notifications WHERE notifications.key = alerts.key AND notifications.seq <= alerts.newest);
  UPDATE alerts SET first_closed_at = at WHERE is_open = 1;
  UPDATE recipient_state SET begun = alerts.began, repeats = 1
    FROM alerts WHERE alerts.key = recipient_state.key AND is_open = 1 AND wanted >= began;
  UPDATE recipient_state SET begun = 1
    WHERE NOT EXISTS (SELECT 1 FROM alerts WHERE alerts.key = recipient_state.key)
      AND coalesce((SELECT transition FROM notifications
        WHERE notifications.key = recipient_state.key AND notifications.seq <= recipient_state.wanted
        ORDER BY seq DESC LIMIT 1), 'event') NOT IN ('retracted', 'resolved');
  UPDATE recipient_state SET decided = wanted;
  CREATE INDEX recipient_state_of_group ON recipient_state (group_id)
    WHERE wanted > closed OR held IS NOT NULL OR repeats = 1;

  UPDATE notifications SET transition = 'event'
    WHERE json_valid(message) AND message -> '$.summary' IS NOT NULL AND message ->> '$.summary' IS NOT NULL;
`;

export function letDispatchDecide(db: DatabaseSync): void {
  db.exec(CHANGES);
  db.exec(STATES);
}
