// Queries about alerts: the open alerts, their recipients, and the progress of their messages.
import { z } from 'zod';
import { BUILT_IN_RULE, SEVERITIES, type Recipient } from '../../../core/model/ids.ts';
import { EVENT_OPEN_MS, EVENT_SHOWN_MS } from '../../../core/model/transition.ts';
import { headingOf } from '../../../core/wording/words.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { EpisodeName, HeldMessage, Progress, Unheard } from '../../contract/alerts.ts';
import type { OpenAlertRow, OpenFilter } from '../../contract/operators.ts';
import type { SqlDialect } from '../../sql/dialect.ts';
import { int, ints, jsonOrNull, readable, texts, type Row } from '../../sql/rows.ts';
import { list, type Sql } from '../../sql/sql.ts';
import type { NotifiedLabels } from '../../contract/store.ts';
import { deliveryOf, IS_ENDED, IS_NAMED, isOwed } from '../deliveries/delivery-rows.ts';
import { labelsIn, recipientOf } from './notifications.ts';
import { isOfEvents, retractedAmong, summaryMembersSince } from './summaries.ts';
import { IS_ACTIVE } from './recipient-states.ts';

const MOST_UNHEARD = 1000;
/**
 * At most so many notifications of the last 24 hours are read, the newest ones. A flood of events must not delay the
 * daemon.
 */
const MOST_RECENT = 2000;

const PROGRESS = list(
  { key: 'text', episode: 'int' },
  (row, d) => `
    SELECT n.key, n.episode, n.seq, mine.*, ${IS_NAMED(d)}
    FROM notifications AS n CROSS JOIN group_member AS member CROSS JOIN deliveries AS mine ${row.also}
    WHERE n.key = ${row.key} AND n.episode = ${row.episode} AND member.key = n.key AND member.seq = n.seq
      AND mine.number = member.delivery AND (mine.state NOT IN ('merged', 'cancelled') OR mine.attempt > 0)`,
);

/** Deliveries of these episodes that were tried or are pending, the oldest first. */
export async function progress(sql: Sql, of: readonly EpisodeName[]): Promise<Progress[]> {
  const rows = await sql.allOf(PROGRESS, of);
  return readable(rows, progressOf).toSorted((a, b) => a.delivery.number - b.delivery.number);
}

function progressOf(row: Row): Progress {
  return {
    ...texts(row, 'key'),
    ...ints(row, 'episode', 'seq'),
    isDismissed: row['dismissed_at'] !== null,
    delivery: deliveryOf(row),
  };
}

const HELD_BACK = (d: SqlDialect): string => `
  SELECT key, channel, recipient, ${d.jsonText('held', 'why')} AS why FROM recipient_state
  WHERE ${d.among('key', '$1', 'text')} AND held IS NOT NULL AND ${d.isJson('held')} ORDER BY channel, recipient, key`;

/** Messages of these alerts that are held back, with the reasons. */
export async function heldBack(sql: Sql, of: readonly EpisodeName[]): Promise<HeldMessage[]> {
  const rows = await sql.all(HELD_BACK, [of.map(({ key }) => key)]);
  return rows.map((row) => ({ ...recipientOf(row), key: String(row['key']), why: String(row['why']) }));
}

// Each part repeats the condition of a partial index, so that SQLite uses it. Without CROSS JOIN, SQLite would read all
// notifications first.
const UNHEARD = (d: SqlDialect): string => `
  WITH failing AS (
    SELECT number FROM deliveries AS mine WHERE ${isOwed(d)} AND rank = 0
    UNION ALL SELECT number FROM deliveries WHERE state = 'dead' AND ${IS_ENDED} AND dismissed_at IS NULL AND rank = 0)
  SELECT DISTINCT n.key, n.episode, n.seq, n.watch, n.labels
  FROM failing
    CROSS JOIN deliveries AS mine CROSS JOIN group_member AS member CROSS JOIN notifications AS n
  WHERE mine.number = failing.number AND member.delivery = failing.number
    AND n.key = member.key AND n.seq = member.seq AND n.at <= $1 AND NOT ${d.among('mine.channel', '$2', 'text')}
    AND ${d.jsonText('n.labels', 'severity')} = 'critical' AND ${d.jsonText('n.labels', 'watch')} <> '${BUILT_IN_RULE}'
    AND NOT EXISTS (
      SELECT 1 FROM group_member AS same JOIN deliveries AS other ON other.number = same.delivery
      WHERE same.key = n.key AND same.seq = n.seq AND NOT ${d.among('other.channel', '$2', 'text')}
        AND (other.state = 'sent' OR other.state = 'dead' AND other.dismissed_at IS NOT NULL))
  LIMIT ${MOST_UNHEARD}`;

/**
 * `uncounted`: channels that people may not read at once, such as `log`. A message that was sent only there does not
 * count.
 */
export async function unheard(sql: Sql, before: Instant, uncounted: readonly string[]): Promise<Unheard[]> {
  return (await sql.all(UNHEARD, [before, uncounted])).flatMap((row) => {
    const labels = labelsIn(row['labels']);
    if (labels === null) return [];
    return [{ ...texts(row, 'key'), ...ints(row, 'episode', 'seq'), labels }];
  });
}

const newestOf = (candidates: string): string => `
  WITH candidates AS (${candidates})
  SELECT newest.key, newest.episode, newest.seq, newest.watch, newest.alert, newest.transition, newest.labels,
    newest.message, newest.at, alerts.is_open, alerts.needs_ack
  FROM candidates CROSS JOIN notifications AS newest LEFT JOIN alerts ON alerts.key = newest.key
  WHERE newest.key = candidates.key
    AND newest.seq = (SELECT max(seq) FROM notifications AS other WHERE other.key = candidates.key)
    AND (transition = 'firing' OR (transition NOT IN ('resolved', 'retracted')
      AND (is_open = 1 OR (is_open IS NULL AND newest.at > $1))))
  ORDER BY newest.at, newest.number`;
const RECENT = newestOf(`
  SELECT key FROM alerts WHERE is_open = 1
  UNION SELECT key FROM (
    SELECT key FROM notifications WHERE at > $1 ORDER BY at DESC LIMIT ${MOST_RECENT}) AS recent`);
const NAMED = (d: SqlDialect): string =>
  newestOf(`SELECT DISTINCT key FROM notifications WHERE ${d.among('key', '$2', 'text')}`);

/** An unreadable alert is left out. */
export async function openAlerts(sql: Sql, { at, keys }: OpenFilter): Promise<OpenAlertRow[]> {
  const since = at - EVENT_SHOWN_MS;
  const rows = keys === undefined ? await sql.all(RECENT, [since]) : await sql.all(NAMED, [since, keys]);
  const open = rows.flatMap((row) => openAlertOf(row) ?? []);
  if (!open.some(({ isEvent }) => isEvent)) return open;
  const { gone } = await toldTogether(sql, at - EVENT_OPEN_MS);
  return open.filter(({ key, isEvent }) => !isEvent || !gone.has(key));
}

export interface Together {
  /**
   * Keys of events in a summary of retractions, and of summaries of events that were all retracted. Events that return
   * get a new summary, so these keys do not count as open.
   */
  readonly gone: ReadonlySet<string>;
  /** Keys of summaries about later transitions of events. */
  readonly afterwards: readonly string[];
}

export async function toldTogether(sql: Sql, since: Instant): Promise<Together> {
  const summaries = await summaryMembersSince(sql, since);
  const over = await retractedAmong(sql, summaries);
  const retracted = summaries.filter(({ transition }) => transition === 'retracted').flatMap(({ members }) => members);
  return {
    gone: new Set([...retracted, ...over.map(({ key }) => key)]),
    afterwards: summaries.filter((one) => !isOfEvents(one)).map(({ key }) => key),
  };
}

const saidShape = z.object({
  watch: z.string(),
  severity: z.enum(SEVERITIES),
  title: z.string(),
  detail: z.string().nullish(),
  place: z.string().nullish(),
  since: z.number(),
  firedAt: z.number().nullish(),
  summary: z.object({ of: z.string() }).nullable(),
});

/** The summaries that count as events. A summary of later transitions of events does not. */
const EVENTS_TOGETHER = ['alert.event', 'alert.reinstated'];

/**
 * Null: the row is unreadable, or is no alert. Only a part of the message is checked, since to check thousands of whole
 * messages takes a second.
 */
function openAlertOf(row: Row): OpenAlertRow | null {
  const labels = labelsIn(row['labels']);
  const said = saidShape.safeParse(jsonOrNull(row['message'])).data;
  if (labels === null || said === undefined) return null;
  if (said.summary !== null && !EVENTS_TOGETHER.includes(said.summary.of)) return null;
  return {
    ...texts(row, 'key', 'watch', 'alert'),
    ...ints(row, 'episode', 'seq', 'at'),
    name: said.watch,
    rule: labels['watch'] ?? said.watch,
    labels,
    severity: said.severity,
    title: headingOf({ title: said.title, detail: said.detail ?? null, place: said.place ?? null }),
    since: said.since,
    firedAt: said.firedAt ?? null,
    isEvent: row['transition'] !== 'firing',
    isFollowed: row['transition'] === 'firing' || (row['is_open'] === 1 && row['needs_ack'] === 1),
  };
}

// A silence does not hold back the end of an alert whose begin was sent. So an end counts only if the same alert also
// began since `$1`.
const OF_THE_TIME = `
  n.at >= $1 AND (transition NOT IN ('resolved', 'retracted') OR EXISTS (
    SELECT 1 FROM notifications AS begun
    WHERE begun.key = n.key AND begun.episode = n.episode AND begun.seq < n.seq AND begun.at >= $1))`;
const COUNTS = `
  SELECT labels, count(*) AS count FROM notifications AS n WHERE ${OF_THE_TIME} GROUP BY labels ORDER BY labels`;
const TARGETS = `
  SELECT DISTINCT labels, channel, recipient
  FROM notifications AS n JOIN recipient_state AS state ON state.key = n.key
  WHERE ${OF_THE_TIME} AND state.wanted >= n.seq ORDER BY channel, recipient`;

/**
 * Counts the notifications since `since` for each set of labels. The preview of a silence uses it. Unreadable ones are
 * left out.
 */
export async function notifiedSince(sql: Sql, since: Instant): Promise<NotifiedLabels[]> {
  const counts = await sql.all(COUNTS, [since]);
  const to = Map.groupBy(await sql.all(TARGETS, [since]), ({ labels }) => String(labels));
  return counts.flatMap((row): NotifiedLabels[] => {
    const labels = labelsIn(row['labels']);
    if (labels === null) return [];
    return [{ labels, count: int(row, 'count'), to: (to.get(String(row['labels'])) ?? []).map(recipientOf) }];
  });
}

const TOLD = `
  SELECT alerts.key, channel, recipient FROM alerts JOIN recipient_state AS state ON state.key = alerts.key
  WHERE is_open = 1 AND is_event = 0 AND begun IS NOT NULL ORDER BY channel, recipient`;

/** For each firing alert, by its key: the recipients that were sent that it fires. */
export async function told(sql: Sql): Promise<Map<string, readonly Recipient[]>> {
  const byKey = Map.groupBy(await sql.all(TOLD), ({ key }) => String(key));
  return new Map([...byKey].map(([key, rows]) => [key, rows.map(recipientOf)]));
}

const HELD_COUNTS = (d: SqlDialect): string => `
  SELECT ${d.jsonText('held', 'why')} AS why, count(*) AS count FROM recipient_state
  WHERE (${IS_ACTIVE}) AND held IS NOT NULL GROUP BY 1 ORDER BY 1`;

/** The number of held-back messages, by the reason. */
export async function held(sql: Sql): Promise<Map<string, number>> {
  const rows = await sql.all(HELD_COUNTS);
  return new Map(rows.map((row) => [String(row['why']), Number(row['count'])]));
}
