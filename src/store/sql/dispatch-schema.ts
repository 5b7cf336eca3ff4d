// The tables of alerts, recipients and deliveries, for both engines.
import type { SqlDialect } from './dialect.ts';

/**
 * `notifications` holds the transitions of polls, each message once; `summary` is the JSON array of a summary's keys,
 * null for other rows. `alerts` holds the alerts and whether they are open, `recipient_state` the decisions about each
 * alert and recipient.
 */
export function alertTables({ serial, int, text, table, keyedTable }: SqlDialect): string[] {
  return [
    `CREATE TABLE notifications (
      number ${serial},
      id ${text} NOT NULL UNIQUE,
      key ${text} NOT NULL,
      episode ${int} NOT NULL,
      seq ${int} NOT NULL,
      watch ${text} NOT NULL,
      alert ${text} NOT NULL,
      transition ${text} NOT NULL
        CHECK (transition IN ('event', 'firing', 'resolved', 'retracted', 'corrected', 'reinstated')),
      labels ${text} NOT NULL,
      notify ${text} NOT NULL,
      message ${text} NOT NULL,
      summary ${text},
      at ${int} NOT NULL,
      routed ${int} NOT NULL DEFAULT 0
    ) ${table()}`,
    'CREATE INDEX notifications_unrouted ON notifications (number) WHERE routed = 0',
    'CREATE INDEX notifications_of_key ON notifications (key, seq)',
    'CREATE INDEX notifications_of_alert ON notifications (watch, alert)',
    'CREATE INDEX notifications_at ON notifications (at)',
    `CREATE TABLE alerts (
      key ${text} NOT NULL PRIMARY KEY,
      newest ${int} NOT NULL,
      episode ${int} NOT NULL,
      is_open ${int} NOT NULL,
      began ${int} NOT NULL,
      at ${int} NOT NULL,
      watch ${text} NOT NULL,
      alert ${text} NOT NULL,
      labels ${text} NOT NULL,
      is_event ${int} NOT NULL,
      opened_at ${int} NOT NULL,
      first_closed_at ${int},
      escalation_step ${int} NOT NULL DEFAULT 0,
      failed_over ${int} NOT NULL DEFAULT 0,
      due_at ${int}
    ) ${keyedTable()}`,
    'CREATE INDEX alerts_due ON alerts (due_at) WHERE due_at IS NOT NULL',
    'CREATE INDEX alerts_open ON alerts (watch) WHERE is_open = 1',
    `CREATE TABLE recipient_state (
      key ${text} NOT NULL,
      channel ${text} NOT NULL,
      recipient ${text} NOT NULL,
      wanted ${int} NOT NULL,
      wanted_at ${int} NOT NULL,
      closed ${int} NOT NULL DEFAULT 0,
      notified ${int} NOT NULL DEFAULT 0,
      maybe_notified ${int} NOT NULL DEFAULT 0,
      notified_at ${int},
      group_id ${text} NOT NULL DEFAULT '',
      via ${text} NOT NULL DEFAULT 'route' CHECK (via IN ('route', 'escalate', 'failover')),
      begun ${int},
      held ${text},
      held_at ${int},
      decided ${int} NOT NULL DEFAULT 0,
      repeats ${int} NOT NULL DEFAULT 0,
      receipt ${text},
      receipt_episode ${int},
      PRIMARY KEY (key, channel, recipient)
    ) ${keyedTable(70)}`,
    'CREATE INDEX recipient_state_age ON recipient_state (wanted_at)',
    `CREATE INDEX recipient_state_of_group ON recipient_state (group_id)
      WHERE wanted > closed OR held IS NOT NULL OR repeats = 1`,
  ];
}

/**
 * `renewed` is the JSON of the reason to send an open alert to a recipient at once; in `group_member`, the reason why
 * the member was sent at once. In `alerts`, `called_from` is the time from which the waits of escalation steps count,
 * and `calls` the JSON of the number of calls to each recipient since then. `answered` is the JSON of the
 * acknowledgement in force, `highest` the highest severity of the episode (0 = critical). `needs_ack` is 0 for an event
 * that has only a failover. In `deliveries`, `critical` is the JSON of the critical lines, and `out_of_turn` the number
 * of tries outside of the own schedule. `told` is the JSON of the recipients that were sent a notification before it
 * could be stored.
 */
export function renewalColumns({ int, text }: SqlDialect): string[] {
  return [
    `ALTER TABLE covered ADD COLUMN pace_ms ${int}`,
    `ALTER TABLE recipient_state ADD COLUMN renewed ${text}`,
    `ALTER TABLE group_member ADD COLUMN renewed ${text}`,
    'ALTER TABLE alerts DROP COLUMN escalation_step',
    `ALTER TABLE alerts ADD COLUMN calls ${text} NOT NULL DEFAULT '{}'`,
    `ALTER TABLE alerts ADD COLUMN called_from ${int}`,
    `ALTER TABLE alerts ADD COLUMN answered ${text}`,
    `ALTER TABLE alerts ADD COLUMN highest ${int}`,
    `ALTER TABLE alerts ADD COLUMN needs_ack ${int} NOT NULL DEFAULT 1`,
    `ALTER TABLE notifications ADD COLUMN told ${text}`,
    'CREATE INDEX notifications_of_summary ON notifications (at) WHERE summary IS NOT NULL',
    `ALTER TABLE deliveries ADD COLUMN critical ${text}`,
    `ALTER TABLE deliveries ADD COLUMN out_of_turn ${int} NOT NULL DEFAULT 0`,
  ];
}

/** `dispatch_group` holds the timers of groups. */
export function groupTables({ int, text, keyedTable, nullsFirst }: SqlDialect): string[] {
  return [
    `CREATE TABLE dispatch_group (
      id ${text} NOT NULL PRIMARY KEY,
      channel ${text} NOT NULL,
      recipient ${text} NOT NULL,
      labels ${text} NOT NULL,
      version ${int} NOT NULL DEFAULT 1,
      closed_at ${int},
      due_at ${int},
      wake_at ${int},
      news ${int}
    ) ${keyedTable(70)}`,
    `CREATE INDEX dispatch_group_due ON dispatch_group (due_at, news ${nullsFirst}, id) WHERE due_at IS NOT NULL`,
    'CREATE INDEX dispatch_group_of_target ON dispatch_group (channel, recipient, due_at) WHERE due_at IS NOT NULL',
  ];
}

/**
 * `deliveries` holds pending messages, each to one recipient, and ended ones until they are pruned. `group_member`
 * names their notifications, `delivery_order` the earlier deliveries that must end before a delivery is sent,
 * `mirrored` the alerts that were accepted by receivers with their own state. `maybe_copy` is 1 after a try whose
 * outcome is unknown.
 */
export function deliveryTables({ serial, int, text, table, keyedTable }: SqlDialect): string[] {
  return [
    `CREATE TABLE deliveries (
      number ${serial},
      id ${text} NOT NULL UNIQUE,
      channel ${text} NOT NULL,
      recipient ${text} NOT NULL,
      kind ${text} NOT NULL CHECK (kind IN
        ('news', 'repeat', 'overflow_summary', 'silence_summary', 'inhibition_summary', 'daily_report')),
      rank ${int} NOT NULL CHECK (rank IN (0, 1, 2)),
      state ${text} NOT NULL CHECK (state IN ('due', 'sending', 'sent', 'dead', 'merged', 'cancelled', 'parked')),
      attempt ${int} NOT NULL DEFAULT 0,
      due_at ${int} NOT NULL,
      created_at ${int} NOT NULL,
      runtime_at ${int} NOT NULL,
      settled_at ${int},
      outcome ${text},
      lease_until ${int},
      folds ${text},
      dismissed_at ${int},
      maybe_copy ${int} NOT NULL DEFAULT 0,
      rule ${text} NOT NULL DEFAULT ''
    ) ${table(70)}`,
    "CREATE INDEX deliveries_due ON deliveries (channel, rank, due_at, number, rule) WHERE state = 'due'",
    `CREATE INDEX deliveries_ended ON deliveries (state, settled_at)
      WHERE state IN ('sent', 'dead', 'merged', 'cancelled')`,
    "CREATE INDEX deliveries_owed ON deliveries (channel, created_at) WHERE state IN ('due', 'sending')",
    "CREATE INDEX deliveries_sending ON deliveries (channel, lease_until) WHERE state = 'sending'",
    `CREATE INDEX deliveries_open ON deliveries (channel, recipient, folds, number)
      WHERE folds IS NOT NULL AND state = 'due' AND attempt = 0`,
    'CREATE INDEX deliveries_of_target ON deliveries (channel, recipient, created_at)',
    `CREATE TABLE group_member (
      delivery ${int} NOT NULL REFERENCES deliveries (number) ON DELETE CASCADE,
      key ${text} NOT NULL,
      seq ${int} NOT NULL,
      notification ${int},
      sent_as ${text} NOT NULL DEFAULT 'news' CHECK (sent_as IN ('news', 'repeat', 'fired-and-resolved')),
      held_at ${int},
      position ${int} NOT NULL DEFAULT 0,
      present ${text},
      PRIMARY KEY (delivery, key, seq)
    ) ${keyedTable()}`,
    'CREATE INDEX group_member_of_key ON group_member (key, seq)',
    `CREATE TABLE delivery_order (
      delivery ${int} NOT NULL REFERENCES deliveries (number) ON DELETE CASCADE,
      earlier ${int} NOT NULL REFERENCES deliveries (number) ON DELETE CASCADE,
      PRIMARY KEY (delivery, earlier)
    ) ${keyedTable()}`,
    'CREATE INDEX delivery_order_earlier ON delivery_order (earlier)',
    `CREATE TABLE mirrored (
      channel ${text} NOT NULL,
      key ${text} NOT NULL,
      seq ${int} NOT NULL,
      at ${int} NOT NULL,
      ends_at ${int} NOT NULL,
      PRIMARY KEY (channel, key)
    ) ${keyedTable()}`,
  ];
}
