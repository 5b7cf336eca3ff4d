// Pages of the journal, for who looks through it.
import type { Instant } from '../../lib/clock.ts';
import type { JournalFilter, JournalPage, NotificationOf, StoredNotification } from '../journal.ts';
import { escapedForLike, journalLineOf, MOST_KEYS, MOST_SEARCHED, pageOf } from '../rows/journal-rows.ts';
import { storedNotificationOf } from '../rows/message-rows.ts';
import { countsSince, notificationCountOf } from '../rows/notification-rows.ts';
import type { NotificationCount } from '../store.ts';
import type { Sql } from './sql.ts';

export async function journalPage(
  sql: Sql,
  { kinds, subjects, search, before, limit }: JournalFilter,
): Promise<JournalPage> {
  const ends = await sql.first(
    'SELECT coalesce(max(number), 0) AS newest, coalesce(min(number), 1) AS oldest FROM journal',
  );
  const end = before ?? Number(ends?.['newest']) + 1;
  const isLookedFor = kinds !== null || subjects !== null || search !== null;
  const from = isLookedFor ? end - MOST_SEARCHED : 0;
  const rows = await sql.all(
    `WITH about AS (
      SELECT unnest($3::text[]) AS id
      UNION SELECT key FROM (
        SELECT DISTINCT key FROM notifications WHERE watch = ANY($3::text[]) LIMIT ${MOST_KEYS}) AS keys)
    SELECT number, at, kind, subject, actor, data, position, hash FROM journal
    WHERE number >= $1 AND number < $2
      AND ($4::text[] IS NULL OR kind = ANY($4))
      AND ($7::text[] IS NULL OR EXISTS (SELECT FROM unnest($7) AS prefix WHERE starts_with(subject, prefix)))
      AND ($5::text IS NULL OR subject IN (SELECT id FROM about) OR actor ILIKE $5 OR subject ILIKE $5 OR data ILIKE $5)
    ORDER BY number DESC LIMIT $6`,
    [
      from,
      end,
      search?.watches ?? [],
      kinds,
      search === null ? null : `%${escapedForLike(search.text)}%`,
      limit,
      subjects,
    ],
  );
  return pageOf(rows.map(journalLineOf), { limit, from, oldest: Number(ends?.['oldest']) });
}

/** The newest notification of each that is not later; null: it is not kept, or damaged. */
export async function notifications(sql: Sql, of: readonly NotificationOf[]): Promise<(StoredNotification | null)[]> {
  const found: (StoredNotification | null)[] = [];
  for (const { key, transition, until } of of)
    found.push(
      storedNotificationOf(
        await sql.first(
          `SELECT watch, episode, seq, message FROM notifications
          WHERE key = $1 AND ($2::text IS NULL OR transition = $2) AND at <= $3 ORDER BY seq DESC LIMIT 1`,
          [key, transition, until],
        ),
      ),
    );
  return found;
}

/** How many transitions of each alert were decided since then. */
export async function notificationCounts(sql: Sql, since: Instant): Promise<NotificationCount[]> {
  return (await sql.all(countsSince('$1'), [since])).map(notificationCountOf);
}
