// Pages of the journal, for who looks through it.
import type { DatabaseSync } from 'node:sqlite';
import { escapedForLike, journalLineOf, MOST_KEYS, MOST_SEARCHED, pageOf } from '../rows/journal-rows.ts';
import { storedNotificationOf } from '../rows/message-rows.ts';
import { countsSince, notificationCountOf } from '../rows/notification-rows.ts';
import type { JournalFilter, JournalPage, NotificationOf, StoredNotification } from '../journal.ts';
import type { NotificationCount } from '../store.ts';
import type { Instant } from '../../lib/clock.ts';
import { limitBy } from './database.ts';

export function createJournalPages(db: DatabaseSync): (filter: JournalFilter) => JournalPage {
  const newest = db.prepare('SELECT coalesce(max(number), 0) AS number FROM journal');
  const oldest = db.prepare('SELECT coalesce(min(number), 1) AS number FROM journal');
  const select = db.prepare(`
    WITH watches AS (SELECT value AS id FROM json_each(?3)),
      about AS (
        SELECT id FROM watches
        UNION SELECT key FROM (
          SELECT DISTINCT key FROM notifications WHERE watch IN (SELECT id FROM watches) LIMIT ${MOST_KEYS}))
    SELECT number, at, kind, subject, actor, data, position, hash FROM journal
    WHERE number >= ?1 AND number < ?2
      AND (?4 IS NULL OR kind IN (SELECT value FROM json_each(?4)))
      AND (?7 IS NULL OR EXISTS (SELECT 1 FROM json_each(?7) WHERE subject GLOB value || '*'))
      AND (?5 IS NULL OR subject IN (SELECT id FROM about) OR actor LIKE ?5 ESCAPE '\\'
        OR subject LIKE ?5 ESCAPE '\\' OR data LIKE ?5 ESCAPE '\\')
    ORDER BY number DESC ${limitBy('?6')}`);
  return ({ kinds, subjects, search, before, limit }) => {
    const end = before ?? Number(newest.get()?.['number']) + 1;
    const isLookedFor = kinds !== null || subjects !== null || search !== null;
    const from = isLookedFor ? end - MOST_SEARCHED : 0;
    const lines = select
      .all(
        from,
        end,
        JSON.stringify(search?.watches ?? []),
        kinds && JSON.stringify(kinds),
        search && `%${escapedForLike(search.text)}%`,
        limit,
        subjects && JSON.stringify(subjects),
      )
      .map(journalLineOf);
    return pageOf(lines, { limit, from, oldest: Number(oldest.get()?.['number']) });
  };
}

/** The newest notification of each that is not later; null: it is not kept, or damaged. */
export function createNotificationsView(
  db: DatabaseSync,
): (of: readonly NotificationOf[]) => (StoredNotification | null)[] {
  const select = db.prepare(`
    SELECT watch, episode, seq, message FROM notifications
    WHERE key = ?1 AND (?2 IS NULL OR transition = ?2) AND at <= ?3 ORDER BY seq DESC LIMIT 1`);
  return (of) => of.map(({ key, transition, until }) => storedNotificationOf(select.get(key, transition, until)));
}

export function createNotificationCounts(db: DatabaseSync): (since: Instant) => NotificationCount[] {
  const select = db.prepare(countsSince('?'));
  return (since) => select.all(since).map(notificationCountOf);
}
