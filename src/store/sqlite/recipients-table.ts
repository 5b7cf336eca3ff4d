// Who knows what: the state of each recipient by alert, and which alerts fire.
import type { DatabaseSync } from 'node:sqlite';
import type { Recipient } from '../../core/model/ids.ts';
import { isBegin } from '../../core/model/transition.ts';
import type { Informed, Knower, Unrouted, Untried } from '../../dispatch/routing-round.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Row } from '../rows.ts';

/** None of these statements opens a transaction. */
export interface RecipientsTable {
  /** To whom the begin of the present episode of these alerts was owed. */
  knowers(notifications: readonly Unrouted[]): Knower[];
  /** What waits for those to whom nothing of these alerts was sent. */
  untried(notifications: readonly Unrouted[]): Untried[];
  /** An alert fires, or is over. */
  turned(notification: Unrouted, at: Instant): void;
  informed(informed: Informed, at: Instant): void;
  /** What is neither firing nor was heard of since. */
  prune(before: Instant): void;
}

export function createRecipientsTable(db: DatabaseSync): RecipientsTable {
  // Events have no row in `alerts`: their only episode begins with their first seq.
  const knowers = db.prepare(`
    SELECT about.value AS key, state.channel, state.recipient
    FROM json_each(?) AS about
      CROSS JOIN recipient_state AS state ON state.key = about.value
      LEFT JOIN alerts ON alerts.key = about.value
    WHERE state.wanted >= coalesce(alerts.began, 1)
    ORDER BY state.channel, state.recipient`);
  const untried = db.prepare(`
    SELECT about.value AS key, mine.channel, mine.recipient, mine.number AS delivery
    FROM json_each(?) AS about
      CROSS JOIN group_member AS member ON member.key = about.value
      CROSS JOIN deliveries AS mine ON mine.number = member.delivery
      CROSS JOIN recipient_state AS state
        ON state.key = about.value AND state.channel = mine.channel AND state.recipient = mine.recipient
    WHERE mine.state = 'due' AND mine.attempt = 0 AND state.notified = 0 AND NOT EXISTS (
      SELECT 1 FROM group_member AS also JOIN deliveries AS other ON other.number = also.delivery
      WHERE also.key = about.value AND other.channel = mine.channel AND other.recipient = mine.recipient
        AND other.attempt > 0)`);
  const fires = db.prepare(`
    INSERT INTO alerts (key, newest, episode, is_open, began, at) VALUES (?1, ?2, ?3, 1, ?2, ?4)
    ON CONFLICT (key) DO UPDATE SET
      began = CASE WHEN is_open = 1 THEN began ELSE excluded.began END,
      newest = excluded.newest, episode = excluded.episode, is_open = 1, at = excluded.at`);
  const ends = db.prepare('UPDATE alerts SET newest = ?, is_open = 0, at = ? WHERE key = ?');
  const informed = db.prepare(`
    INSERT INTO recipient_state (key, channel, recipient, wanted, closed, wanted_at)
    SELECT value, ?2, ?3, ?4, ?4, ?5 FROM json_each(?1) WHERE true
    ON CONFLICT (key, channel, recipient) DO UPDATE SET
      wanted = max(wanted, excluded.wanted), closed = max(closed, excluded.closed), wanted_at = excluded.wanted_at`);
  const prune = db.prepare(`
    DELETE FROM recipient_state WHERE wanted_at < ?
      AND NOT EXISTS (SELECT 1 FROM alerts WHERE alerts.key = recipient_state.key AND is_open = 1)`);
  const pruneAlerts = db.prepare('DELETE FROM alerts WHERE is_open = 0 AND at < ?');
  return {
    knowers: (notifications) =>
      knowers.all(keysOf(notifications.filter(({ transition }) => !isBegin(transition)))).map(knowerOf),
    untried: (notifications) =>
      untried
        .all(keysOf(notifications.filter(({ transition }) => transition === 'retracted')))
        .map((row) => ({ ...knowerOf(row), delivery: Number(row['delivery']) })),
    turned({ key, seq, episode, transition }, at) {
      if (transition === 'firing') fires.run(key, seq, episode, at);
      if (transition === 'resolved') ends.run(seq, at, key);
    },
    informed({ channel, recipient, notification: { about, seq } }, at) {
      informed.run(JSON.stringify(about), channel, recipient, seq, at);
    },
    prune(before) {
      prune.run(before);
      pruneAlerts.run(before);
    },
  };
}

function keysOf(notifications: readonly Unrouted[]): string {
  return JSON.stringify(notifications.flatMap(({ about }) => about));
}

function knowerOf(row: Row): Knower {
  return { key: String(row['key']), ...recipientOf(row) };
}

function recipientOf(row: Row): Recipient {
  return { channel: String(row['channel']), recipient: String(row['recipient']) };
}

/** By key of each alert that fires, who was told so. */
export function createToldView(db: DatabaseSync): () => Map<string, readonly Recipient[]> {
  const told = db.prepare(`
    SELECT alerts.key, channel, recipient FROM alerts JOIN recipient_state AS state ON state.key = alerts.key
    WHERE is_open = 1 AND state.wanted >= alerts.began ORDER BY channel, recipient`);
  return () => {
    const byKey = Map.groupBy(told.all(), ({ key }) => String(key));
    return new Map([...byKey].map(([key, rows]) => [key, rows.map(recipientOf)]));
  };
}
