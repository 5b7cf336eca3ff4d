// Queries about recent events and firings.
import type { Message } from '../../../core/model/delivery.ts';
import { BUILT_IN_RULE, type Labels, type WatchId } from '../../../core/model/ids.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { EpisodeName, EventGroup, FiringSpan } from '../../contract/alerts.ts';
import type { SqlDialect } from '../../sql/dialect.ts';
import { int, text, texts, type Row } from '../../sql/rows.ts';
import type { Sql } from '../../sql/sql.ts';
import { isOwed, messageOf } from '../deliveries/delivery-rows.ts';
import { labelsIn } from './notifications.ts';
import { toldTogether } from './alert-lists.ts';

/** Only the newest events of a storm are counted. */
const MOST_EVENTS = 20_000;
const MOST_MESSAGES = 200;

const isOfRule = (d: SqlDialect): string => `NOT ${d.startsWith('watch', `'${BUILT_IN_RULE}/'`)}`;

const OWED = (d: SqlDialect): string => `
  SELECT n.watch, n.alert, count(DISTINCT mine.number) AS owed
  FROM deliveries AS mine CROSS JOIN group_member AS member CROSS JOIN notifications AS n
  WHERE ${isOwed(d)} AND member.delivery = mine.number AND n.key = member.key AND n.seq = member.seq
  GROUP BY n.watch, n.alert`;

const EVENTS = (d: SqlDialect): string => `
  SELECT counted.watch, counted.alert, counted.count, n.message,
    (SELECT newest.transition FROM notifications AS newest WHERE newest.key = n.key ORDER BY newest.seq DESC LIMIT 1) AS now
  FROM (
    SELECT watch, alert, count(*) AS count, max(number) AS newest
    FROM (
      SELECT number, key, watch, alert, transition FROM notifications WHERE at > $1 ORDER BY at DESC LIMIT ${MOST_EVENTS}
    ) AS recent
    WHERE transition = 'event' AND ${isOfRule(d)} AND NOT ${d.among('key', '$3', 'text')} GROUP BY watch, alert ORDER BY newest DESC LIMIT $2 + 0
  ) AS counted CROSS JOIN notifications AS n
  WHERE n.number = counted.newest ORDER BY counted.newest DESC`;

/**
 * Events after `since`, grouped by alert. The alert with the newest event comes first. Unreadable events are left out.
 */
export async function events(sql: Sql, since: Instant, limit: number): Promise<EventGroup[]> {
  const owed = new Map((await sql.all(OWED)).map((row) => [nameOf(row), int(row, 'owed')]));
  const { gone, afterwards } = await toldTogether(sql, since);
  return (await sql.all(EVENTS, [since, limit, afterwards])).flatMap((row) => {
    const message = messageOf(row);
    if (message === null) return [];
    const group = { watch: text(row, 'watch'), alert: text(row, 'alert'), count: int(row, 'count'), message };
    const isRetracted = row['now'] === 'retracted' || gone.has(message.key);
    return [{ ...group, isRetracted, owed: owed.get(nameOf(row)) ?? 0 }];
  });
}

function nameOf(row: Row): string {
  return `${String(row['watch'])}\n${String(row['alert'])}`;
}

const isAsked = (d: SqlDialect): string =>
  `${isOfRule(d)} AND ($2::text IS NULL OR watch = $2::text) AND ${d.isJson('labels')}`;

const OLDER = (d: SqlDialect): string => `
  SELECT key, episode, watch, alert, 'firing' AS transition, opened_at AS at,
    ${d.jsonText('labels', 'severity')} AS severity
  FROM alerts WHERE is_open = 1 AND is_event = 0 AND opened_at <= $1 AND ${isAsked(d)}`;

const LATER = (d: SqlDialect): string => `
  SELECT key, episode, watch, alert, transition, at, ${d.jsonText('labels', 'severity')} AS severity FROM notifications
  WHERE at > $1 AND ${isAsked(d)} ORDER BY at, number LIMIT ${MOST_EVENTS}`;

/** Alerts that fire now, or that fired or happened after `since`, the oldest first. `watch`: null for all watches. */
export async function firings(sql: Sql, since: Instant, watch: WatchId | null): Promise<FiringSpan[]> {
  return spansOf([...(await sql.all(OLDER, [since, watch])), ...(await sql.all(LATER, [since, watch]))], since);
}

/**
 * The rows are in the order of time. A firing begins a span, and its end closes it. An event or its correction is a
 * moment.
 */
function spansOf(rows: readonly Row[], since: Instant): FiringSpan[] {
  const open = new Map<string, { -readonly [K in keyof FiringSpan]: FiringSpan[K] }>();
  const spans: FiringSpan[] = [];
  for (const row of rows) {
    const name = `${String(row['key'])} ${String(row['episode'])}`;
    const begun = open.get(name);
    if (row['transition'] === 'resolved') {
      if (begun === undefined) spans.push({ ...spanOf(row), from: since, isEvent: false });
      else begun.until = int(row, 'at');
      open.delete(name);
    } else if (begun === undefined) {
      const span = spanOf(row);
      spans.push(span);
      if (!span.isEvent) open.set(name, span);
    }
  }
  return spans;
}

function spanOf(row: Row): FiringSpan {
  const at = int(row, 'at');
  const isEvent = row['transition'] !== 'firing';
  const { severity } = row;
  return {
    ...texts(row, 'key', 'watch', 'alert'),
    episode: int(row, 'episode'),
    severity: severity === 'critical' || severity === 'info' ? severity : 'warning',
    from: at,
    until: isEvent ? at : null,
    isEvent,
  };
}

const OF_EPISODE = `
  SELECT message FROM notifications WHERE key = $1 AND episode = $2 ORDER BY seq LIMIT ${MOST_MESSAGES}`;

/** The transitions of an episode, the oldest first. */
export async function messages(sql: Sql, { key, episode }: EpisodeName): Promise<Message[]> {
  return readMessages(await sql.all(OF_EPISODE, [key, episode]));
}

const OF_KEY = `SELECT message FROM notifications WHERE key = $1 ORDER BY seq DESC LIMIT ${MOST_MESSAGES}`;

/** The transitions of an alert, the newest first. */
export async function messagesOfKey(sql: Sql, key: string): Promise<Message[]> {
  return readMessages(await sql.all(OF_KEY, [key]));
}

// Only the message contains the name that people see. The ids of the watches of a rule begin with the rule's id, so
// that an index finds them.
const OF_WATCH = (d: SqlDialect): string => `
  SELECT message FROM notifications
  WHERE watch >= $1 AND watch < $2 AND ${d.contains('message', '$3')} ORDER BY number DESC LIMIT $4 + 0`;

/** The transitions of a watch by its name, even if it was removed, the newest first. */
export async function messagesOf(sql: Sql, watch: string, limit: number): Promise<Message[]> {
  const rule = watch.replace(/\[.*$/s, '');
  const name = `"watch":${JSON.stringify(watch)}`;
  const found = readMessages(await sql.all(OF_WATCH, [`${rule}/`, `${rule}0`, name, limit]));
  return found.filter((message) => message.watch === watch);
}

function readMessages(rows: readonly Row[]): Message[] {
  return rows.flatMap((row) => messageOf(row) ?? []);
}

const LABELS = 'SELECT labels FROM notifications WHERE key = $1 AND episode = $2 ORDER BY seq DESC LIMIT 1';

/** The labels of the newest transition of an episode; null: none is stored, or they are damaged. */
export async function labelsOf(sql: Sql, { key, episode }: EpisodeName): Promise<Labels | null> {
  const row = await sql.first(LABELS, [key, episode]);
  return labelsIn(row?.['labels']);
}

/** Null: the alert is unknown. */
export async function watchOf(sql: Sql, key: string): Promise<WatchId | null> {
  const row = await sql.first('SELECT watch FROM notifications WHERE key = $1 LIMIT 1', [key]);
  return row === undefined ? null : text(row, 'watch');
}
