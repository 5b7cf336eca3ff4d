// What people look at of alerts: how far their messages came, and what happened lately.
import type { DatabaseSync } from 'node:sqlite';
import { BUILT_IN_RULE, type WatchId } from '../../core/model/ids.ts';
import type { Message } from '../../core/model/delivery.ts';
import type { Instant } from '../../lib/clock.ts';
import { readable, type Row } from '../rows/rows.ts';
import { messageOf } from '../rows/message-rows.ts';
import {
  eventGroupOf,
  heldMessageOf,
  MOST_EVENTS,
  MOST_MESSAGES,
  MOST_UNHEARD,
  owedByAlert,
  progressOf,
  ruleOf,
  spansOf,
  textOrNull,
  unheardOf,
  type OwedOf,
} from '../rows/alert-rows.ts';
import type { EpisodeName, EventGroup, FiringSpan, HeldMessage, Progress, Unheard } from '../alert-view.ts';
import { limitBy } from './database.ts';
import { IS_ENDED } from './deliveries/deliveries-table.ts';

export interface AlertsView {
  progress(of: readonly EpisodeName[]): Progress[];
  held(of: readonly EpisodeName[]): HeldMessage[];
  unheard(before: Instant, uncounted: readonly string[]): Unheard[];
  events(since: Instant, limit: number): EventGroup[];
  firings(since: Instant, watch: string | null): FiringSpan[];
  messages(of: EpisodeName): Message[];
  messagesOfKey(key: string): Message[];
  messagesOf(watch: string, limit: number): Message[];
  watchOf(key: string): WatchId | null;
}

const IS_OWED = "state IN ('due', 'sending')";
const IS_GIVEN_UP = `state = 'dead' AND ${IS_ENDED} AND dismissed_at IS NULL`;

export function createAlertsView(db: DatabaseSync): AlertsView {
  const progress = db.prepare(`
    SELECT notification.key, notification.episode, notification.seq, mine.*
    FROM json_each(?) AS asked
      CROSS JOIN notifications AS notification
        ON notification.key = asked.value ->> 'key' AND notification.episode = asked.value ->> 'episode'
      CROSS JOIN group_member AS member ON member.key = notification.key AND member.seq = notification.seq
      CROSS JOIN deliveries AS mine ON mine.number = member.delivery
    WHERE mine.state NOT IN ('merged', 'cancelled')
    ORDER BY mine.number`);
  const held = db.prepare(`
    SELECT state.key, channel, recipient, state.held ->> '$.why' AS why, held_at
    FROM json_each(?) AS asked CROSS JOIN recipient_state AS state ON state.key = asked.value ->> 'key'
    WHERE json_valid(state.held) AND state.held IS NOT NULL ORDER BY channel, recipient`);
  const unheard = db.prepare(`
    WITH failing AS (
      SELECT number FROM deliveries WHERE ${IS_OWED} AND rank = 0
      UNION ALL SELECT number FROM deliveries WHERE ${IS_GIVEN_UP} AND rank = 0)
    SELECT DISTINCT notification.key, notification.episode, notification.seq, notification.watch, notification.labels
    FROM failing
      JOIN group_member AS member ON member.delivery = failing.number
      JOIN notifications AS notification ON notification.key = member.key AND notification.seq = member.seq
      JOIN deliveries AS mine ON mine.number = failing.number
    WHERE notification.at <= ?1 AND mine.channel NOT IN (SELECT value FROM json_each(?2))
      AND json_valid(labels) AND labels ->> '$.severity' = 'critical'
      AND labels ->> '$.watch' <> '${BUILT_IN_RULE}'
      AND NOT EXISTS (
        SELECT 1 FROM group_member AS same JOIN deliveries AS other ON other.number = same.delivery
        WHERE same.key = notification.key AND same.seq = notification.seq
          AND other.channel NOT IN (SELECT value FROM json_each(?2))
          AND (other.state = 'sent' OR other.state = 'dead' AND other.dismissed_at IS NOT NULL))
    LIMIT ${MOST_UNHEARD}`);
  const events = db.prepare(`
    SELECT watch, alert, count(*) AS count, max(number) AS newest
    FROM (
      SELECT number, watch, alert, transition FROM notifications WHERE at > ?1 ORDER BY at DESC LIMIT ${MOST_EVENTS})
    WHERE transition = 'event' AND watch NOT LIKE '${BUILT_IN_RULE}/%'
    GROUP BY watch, alert ORDER BY newest DESC LIMIT ?2`);
  const notification = db.prepare('SELECT key, episode, message FROM notifications WHERE number = ?');
  const owed = db.prepare(`
    SELECT watch, alert, count(DISTINCT mine.number) AS owed
    FROM deliveries AS mine
      JOIN group_member AS member ON member.delivery = mine.number
      JOIN notifications AS notification ON notification.key = member.key AND notification.seq = member.seq
    WHERE ${IS_OWED} GROUP BY watch, alert`);
  const firings = db.prepare(`
    SELECT key, episode, watch, alert, transition, at, labels ->> '$.severity' AS severity FROM notifications
    WHERE at > ?1 AND watch NOT LIKE '${BUILT_IN_RULE}/%' AND (?2 IS NULL OR watch = ?2) AND json_valid(labels)
    ORDER BY at, number LIMIT ${MOST_EVENTS}`);
  const older = db.prepare(`
    SELECT alerts.key, alerts.episode, alerts.watch, alerts.alert, 'firing' AS transition, opened_at AS at,
      labels ->> '$.severity' AS severity
    FROM alerts
    WHERE is_open = 1 AND is_event = 0 AND opened_at <= ?1 AND watch NOT LIKE '${BUILT_IN_RULE}/%'
      AND (?2 IS NULL OR watch = ?2) AND json_valid(labels)`);
  const messages = db.prepare(
    `SELECT message FROM notifications WHERE key = ? AND episode = ? ORDER BY seq LIMIT ${MOST_MESSAGES}`,
  );

  const ofKey = db.prepare(`SELECT message FROM notifications WHERE key = ? ORDER BY seq DESC LIMIT ${MOST_MESSAGES}`);
  // The ids of the watches of a rule begin with its own, so that an index finds them.
  const ofWatch = db.prepare(`
    SELECT message FROM notifications
    WHERE watch >= ?1 || '/' AND watch < ?1 || '0' AND json_valid(message) AND message ->> '$.watch' = ?2
    ORDER BY number DESC ${limitBy('?3')}`);
  const watchOf = db.prepare('SELECT watch FROM notifications WHERE key = ? LIMIT 1');

  const groupOf = (row: Row, owedOf: OwedOf): EventGroup[] =>
    eventGroupOf(row, notification.get(Number(row['newest'])) ?? {}, owedOf);

  return {
    progress: (of) => readable(progress.all(JSON.stringify(of)), progressOf),
    held: (of) => held.all(JSON.stringify(of)).map(heldMessageOf),
    unheard: (before, uncounted) => unheard.all(before, JSON.stringify(uncounted)).flatMap((row) => unheardOf(row)),
    events(since, limit) {
      const owedOf = owedByAlert(owed.all());
      return events.all(since, limit).flatMap((row) => groupOf(row, owedOf));
    },
    firings: (since, watch) => spansOf([...older.all(since, watch), ...firings.all(since, watch)]),
    messages: ({ key, episode }) => messages.all(key, episode).flatMap((row) => messageOf(row) ?? []),
    messagesOfKey: (key) => ofKey.all(key).flatMap((row) => messageOf(row) ?? []),
    messagesOf: (watch, limit) => ofWatch.all(ruleOf(watch), watch, limit).flatMap((row) => messageOf(row) ?? []),
    watchOf: (key) => textOrNull(watchOf.get(key)?.['watch']),
  };
}
