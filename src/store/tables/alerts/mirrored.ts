// The alerts for receivers that keep their own state, and the states that they have accepted.
import type { FormerLabels, MirroredAlert } from '../../../core/model/mirror.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { AcceptedAlert, OldEvent, PassedAck } from '../../contract/mirrors.ts';
import type { SqlDialect } from '../../sql/dialect.ts';
import { int, ints, text, texts, type Row } from '../../sql/rows.ts';
import { columns, upsert, type Sql } from '../../sql/sql.ts';
import { messageOf } from '../deliveries/delivery-rows.ts';
import { inForceAt } from '../operators/policy.ts';
import { labelsIn } from './notifications.ts';

const MIRRORED = (d: SqlDialect): string => `
  WITH candidates AS (SELECT key FROM alerts WHERE is_open = 1 UNION SELECT key FROM notifications WHERE at > $2)
  SELECT newest.message, newest.key, newest.episode, newest.watch, shown.labels, shown.seq AS shown_seq, first.seq AS first_seq,
    mirrored.seq, mirrored.at, mirrored.ends_at,
    CASE WHEN ${isNamed(d, "AND one.transition <> 'resolved'")} THEN 1 ELSE 0 END AS is_named
  FROM candidates
    CROSS JOIN notifications AS newest
    CROSS JOIN notifications AS first
    CROSS JOIN notifications AS shown
    LEFT JOIN mirrored ON mirrored.channel = $1 AND mirrored.key = candidates.key AND mirrored.seq >= first.seq
  WHERE newest.key = candidates.key AND first.key = candidates.key AND shown.key = candidates.key
    AND newest.seq = (SELECT max(seq) FROM notifications AS one WHERE one.key = candidates.key)
    AND first.seq = (
      SELECT min(seq) FROM notifications AS one WHERE one.key = candidates.key AND one.episode = newest.episode)
    AND shown.seq = coalesce((
      SELECT max(seq) FROM notifications AS one
      WHERE one.key = candidates.key AND one.episode = newest.episode AND one.transition = 'firing'), first.seq)
    AND (newest.transition = 'firing' OR mirrored.seq IS NOT NULL OR ${isNamed(d)})
  ORDER BY newest.number`;

/** True if a notification of the newest episode was stored with the channel. */
function isNamed(d: SqlDialect, and = ''): string {
  return `EXISTS (
      SELECT 1 FROM notifications AS one
      WHERE one.key = candidates.key AND one.episode = newest.episode AND ${d.jsonHas('one.notify', '$1')} ${and})`;
}

/**
 * All firing alerts, and those with a transition after `since` that were stored with the channel or accepted by its
 * receiver. The alert whose newest transition is the oldest comes first. Unreadable alerts are left out.
 */
export async function mirrored(sql: Sql, channel: string, since: Instant): Promise<MirroredAlert[]> {
  const rows = await sql.all(MIRRORED, [channel, since]);
  const again = rows.filter((row) => row['shown_seq'] !== row['first_seq']).map((row) => text(row, 'key'));
  const fired = again.length === 0 ? [] : await sql.all(FIRED, [again]);
  const byEpisode = Map.groupBy(fired, episodeOf);
  return rows.flatMap((row) => mirroredOf(row, byEpisode.get(episodeOf(row)) ?? []) ?? []);
}

const FIRED = (d: SqlDialect): string => `
  SELECT key, episode, labels, at FROM notifications
  WHERE ${d.among('key', '$1', 'text')} AND transition = 'firing' ORDER BY key, seq`;

function episodeOf(row: Row): string {
  return `${text(row, 'key')} ${int(row, 'episode')}`;
}

/**
 * The labels of former firings of the episode, if they differ from those of the last one, each with the time until
 * which they held.
 */
function formerOf(fired: readonly Row[]): FormerLabels[] {
  return fired.slice(0, -1).flatMap((row, i) => {
    const labels = labelsIn(row['labels']);
    const [next, last] = [fired[i + 1], fired.at(-1)];
    if (labels === null || next === undefined || row['labels'] === last?.['labels']) return [];
    return [{ labels, until: int(next, 'at') }];
  });
}

/** Null: the row is unreadable. */
function mirroredOf(row: Row, fired: readonly Row[]): MirroredAlert | null {
  const message = messageOf(row);
  const labels = labelsIn(row['labels']);
  if (message === null || labels === null) return null;
  const accepted = row['seq'] === null ? null : ints(row, 'seq', 'at', 'ends_at');
  const isNamed = int(row, 'is_named') === 1;
  return { message, watch: text(row, 'watch'), labels, former: formerOf(fired), accepted, isNamed };
}

const NEWEST_TRANSITION = (key: string): string =>
  `(SELECT newest.transition FROM notifications AS newest WHERE newest.key = ${key} ORDER BY newest.seq DESC LIMIT 1)`;

const ACKS_TO_PASS = `
  SELECT acks.key, acks.seq, acks.at, acks.ends_at, ${NEWEST_TRANSITION('acks.key')} AS transition FROM acks
  WHERE ${inForceAt('$2')}
    AND EXISTS (
      SELECT 1 FROM recipient_state AS state
      WHERE state.key = acks.key AND state.channel = $1 AND begun IS NOT NULL AND notified >= begun)
    AND NOT EXISTS (
      SELECT 1 FROM mirrored WHERE mirrored.channel = $1 AND mirrored.key = acks.key AND mirrored.at >= acks.at)
  ORDER BY acks.at, acks.key`;

/**
 * Acknowledgements in force of alerts that the receiver was sent. It has not accepted them yet. The oldest comes first.
 */
export async function acksToPass(sql: Sql, channel: string, at: Instant): Promise<PassedAck[]> {
  const rows = await sql.all(ACKS_TO_PASS, [channel, at]);
  return rows.map((row) => ({
    key: text(row, 'key'),
    ...ints(row, 'seq', 'at'),
    until: int(row, 'ends_at'),
    isEvent: row['transition'] !== 'firing',
  }));
}

const OLD_EVENTS = (d: SqlDialect): string => `
  SELECT state.key, state.notified AS seq FROM recipient_state AS state CROSS JOIN notifications AS newest
  WHERE state.channel = $1 AND state.notified_at <= $2 AND state.begun IS NOT NULL AND state.notified >= state.begun
    AND newest.key = state.key
    AND newest.seq = (SELECT max(one.seq) FROM notifications AS one WHERE one.key = state.key)
    AND newest.transition IN ('event', 'corrected', 'reinstated') AND ${d.jsonText('newest.labels', 'severity')} <> 'info'
    AND NOT EXISTS (SELECT 1 FROM alerts WHERE alerts.key = state.key AND alerts.is_open = 1)
    AND NOT EXISTS (
      SELECT 1 FROM mirrored WHERE mirrored.channel = $1 AND mirrored.key = state.key AND mirrored.at >= state.notified_at)
  ORDER BY state.notified_at, state.key LIMIT $3 + 0`;

/**
 * Events that are no longer open, but whose end the receiver has not accepted since they were last sent to it, by
 * `before`. Events with severity `info` are left out. The oldest comes first.
 */
export async function oldEvents(sql: Sql, channel: string, before: Instant, limit: number): Promise<OldEvent[]> {
  const rows = await sql.all(OLD_EVENTS, [channel, before, limit]);
  return rows.map((row) => ({ ...texts(row, 'key'), ...ints(row, 'seq') }));
}

const KEEP = upsert('mirrored', ['channel', 'key'], {
  ...columns('text', 'channel', 'key'),
  ...columns('int', 'seq', 'at', 'ends_at'),
});

export async function keepMirrored(sql: Sql, channel: string, accepted: readonly AcceptedAlert[]): Promise<void> {
  const rows = accepted.map((one) => ({ channel, ...one }));
  await sql.each(KEEP, rows);
}
