// What people look at of alerts: how far their messages came, and what happened lately.
import { BUILT_IN_RULE, type WatchId } from '../../core/model/ids.ts';
import type { Message } from '../../core/model/delivery.ts';
import type { Instant } from '../../lib/clock.ts';
import type { EpisodeName, EventGroup, FiringSpan, HeldMessage, Progress, Unheard } from '../alert-view.ts';
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
} from '../rows/alert-rows.ts';
import { readable, type Row } from '../rows/rows.ts';
import { messageOf } from '../rows/message-rows.ts';
import { IS_ENDED } from './deliveries/deliveries-table.ts';
import { columns, jsonText, type Sql } from './sql.ts';

const IS_OWED = "state IN ('due', 'sending')";
const SEVERITY = jsonText('labels', 'severity');

export async function progress(sql: Sql, of: readonly EpisodeName[]): Promise<Progress[]> {
  const rows = await sql.all(
    `SELECT notification.key, notification.episode, notification.seq, mine.*
    FROM unnest($1::text[], $2::bigint[]) AS asked (key, episode)
      JOIN notifications AS notification USING (key, episode)
      JOIN group_member AS member ON member.key = notification.key AND member.seq = notification.seq
      JOIN deliveries AS mine ON mine.number = member.delivery
    WHERE mine.state NOT IN ('merged', 'cancelled')
    ORDER BY mine.number`,
    columns(of, [({ key }) => key, ({ episode }) => episode]),
  );
  return readable(rows, progressOf);
}

export async function heldBack(sql: Sql, of: readonly EpisodeName[]): Promise<HeldMessage[]> {
  const rows = await sql.all(
    `SELECT state.key, channel, recipient, ${jsonText('state.held', 'why')} AS why
    FROM unnest($1::text[]) AS asked (key) JOIN recipient_state AS state USING (key)
    WHERE state.held IS JSON ORDER BY channel, recipient`,
    [of.map(({ key }) => key)],
  );
  return rows.map(heldMessageOf);
}

export async function unheard(sql: Sql, before: Instant, uncounted: readonly string[]): Promise<Unheard[]> {
  const rows = await sql.all(
    `WITH failing AS (
      SELECT number FROM deliveries
      WHERE rank = 0 AND (${IS_OWED} OR state = 'dead' AND ${IS_ENDED} AND dismissed_at IS NULL))
    SELECT DISTINCT n.key, n.episode, n.seq, n.watch, n.labels
    FROM failing
      JOIN group_member AS member ON member.delivery = failing.number
      JOIN notifications AS n ON n.key = member.key AND n.seq = member.seq
      JOIN deliveries AS mine ON mine.number = failing.number
    WHERE n.at <= $1 AND NOT mine.channel = ANY($2::text[])
      AND ${jsonText('n.labels', 'severity')} = 'critical' AND ${jsonText('n.labels', 'watch')} <> '${BUILT_IN_RULE}'
      AND NOT EXISTS (
        SELECT FROM group_member AS same JOIN deliveries AS other ON other.number = same.delivery
        WHERE same.key = n.key AND same.seq = n.seq AND NOT other.channel = ANY($2::text[])
          AND (other.state = 'sent' OR other.state = 'dead' AND other.dismissed_at IS NOT NULL))
    LIMIT ${MOST_UNHEARD}`,
    [before, uncounted],
  );
  return rows.flatMap(unheardOf);
}

export async function events(sql: Sql, since: Instant, limit: number): Promise<EventGroup[]> {
  const owed = await sql.all(`
    SELECT watch, alert, count(DISTINCT mine.number) AS owed
    FROM deliveries AS mine
      JOIN group_member AS member ON member.delivery = mine.number
      JOIN notifications AS n ON n.key = member.key AND n.seq = member.seq
    WHERE ${IS_OWED} GROUP BY watch, alert`);
  const groups = await sql.all(
    `SELECT counted.*, n.message FROM (
      SELECT watch, alert, count(*) AS count, max(number) AS newest
      FROM (
        SELECT number, watch, alert, transition FROM notifications WHERE at > $1 ORDER BY at DESC LIMIT ${MOST_EVENTS}
      ) AS recent
      WHERE transition = 'event' AND watch NOT LIKE '${BUILT_IN_RULE}/%' GROUP BY watch, alert) AS counted
      JOIN notifications AS n ON n.number = counted.newest
    ORDER BY newest DESC LIMIT $2`,
    [since, limit],
  );
  const owedOf = owedByAlert(owed);
  return groups.flatMap((row) => eventGroupOf(row, row, owedOf));
}

export async function firings(sql: Sql, since: Instant, watch: WatchId | null): Promise<FiringSpan[]> {
  const isAsked = `watch NOT LIKE '${BUILT_IN_RULE}/%' AND ($2::text IS NULL OR watch = $2) AND labels IS JSON`;
  const older = await sql.all(
    `SELECT key, episode, watch, alert, 'firing' AS transition, opened_at AS at, ${SEVERITY} AS severity FROM alerts
    WHERE is_open AND NOT is_event AND opened_at <= $1 AND ${isAsked}`,
    [since, watch],
  );
  const later = await sql.all(
    `SELECT key, episode, watch, alert, transition, at, ${SEVERITY} AS severity FROM notifications
    WHERE at > $1 AND ${isAsked} ORDER BY at, number LIMIT ${MOST_EVENTS}`,
    [since, watch],
  );
  return spansOf([...older, ...later]);
}

export async function messages(sql: Sql, { key, episode }: EpisodeName): Promise<Message[]> {
  const rows = await sql.all(
    `SELECT message FROM notifications WHERE key = $1 AND episode = $2 ORDER BY seq LIMIT ${MOST_MESSAGES}`,
    [key, episode],
  );
  return readMessages(rows);
}

export async function messagesOfKey(sql: Sql, key: string): Promise<Message[]> {
  const rows = await sql.all(
    `SELECT message FROM notifications WHERE key = $1 ORDER BY seq DESC LIMIT ${MOST_MESSAGES}`,
    [key],
  );
  return readMessages(rows);
}

/** So many of a rule's messages are read for those of one of its watches. */
const MOST_OF_RULE = 5000;

/** The name that people see stands in the message alone, so those of the rule are read, which an index finds. */
export async function messagesOf(sql: Sql, watch: string, limit: number): Promise<Message[]> {
  const rows = await sql.all(
    `SELECT message FROM notifications
    WHERE watch >= $1 || '/' AND watch < $1 || '0' AND strpos(message, $2) > 0
    ORDER BY number DESC LIMIT ${MOST_OF_RULE}`,
    [ruleOf(watch), JSON.stringify(watch)],
  );
  return readMessages(rows)
    .filter((message) => message.watch === watch)
    .slice(0, limit);
}

function readMessages(rows: readonly Row[]): Message[] {
  return rows.flatMap((row) => messageOf(row) ?? []);
}

export async function watchOf(sql: Sql, key: string): Promise<WatchId | null> {
  return textOrNull((await sql.first('SELECT watch FROM notifications WHERE key = $1 LIMIT 1', [key]))?.['watch']);
}
