// Reads the journal: pages for people, the lines of a subject, and its chain from end to end.
import { createVerifier, type JournalAnchor, type ChainCheck } from '../../../core/journal/chain.ts';
import type {
  HistoryFilter,
  JournalFilter,
  JournalLine,
  JournalPage,
  NotificationOf,
  StoredNotification,
} from '../../contract/journal.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { SqlDialect } from '../../sql/dialect.ts';
import { int, intOrNull, ints, jsonIfAny, text, textOrNull, texts, type Row } from '../../sql/rows.ts';
import { paged, type Sql } from '../../sql/sql.ts';
import { storedNotificationOf } from '../deliveries/delivery-rows.ts';
import { anchorOf, checkpointOf, journalTextOf } from './journal.ts';

const COLUMNS = 'number, at, kind, subject, actor, data, position, hash';
/** The most lines that one search reads, which takes a few milliseconds. */
const MOST_SEARCHED = 20_000;
/** The most notifications that one search reads, from the newest on. */
const MOST_MESSAGES = 20_000;
/** The most alerts of searched watches. */
const MOST_KEYS = 10_000;

// Two statements, since SQLite finds the minimum or the maximum by the key, but reads all rows for both together.
const NEWEST = 'SELECT coalesce(max(number), 0) AS number FROM journal';
const OLDEST = 'SELECT coalesce(min(number), 1) AS number FROM journal';

const PAGE = (d: SqlDialect): string => `
  WITH told AS (
    SELECT DISTINCT key FROM (
      SELECT key, message, labels FROM notifications WHERE $5::text IS NOT NULL ORDER BY number DESC LIMIT ${MOST_MESSAGES}
    ) AS newest
    WHERE message ${d.like} $5::text ESCAPE '\\' OR labels ${d.like} $5::text ESCAPE '\\'
    LIMIT ${MOST_KEYS}),
  labelled AS (
    SELECT DISTINCT key FROM (
      SELECT key, labels FROM notifications
      WHERE $11::text[] IS NOT NULL AND at <= (SELECT max(at) FROM journal WHERE number >= $1 AND number < $2)
      ORDER BY number DESC LIMIT ${MOST_MESSAGES}
    ) AS newest
    WHERE ${d.containsAll('labels', '$11')}
    LIMIT ${MOST_KEYS})
  SELECT ${COLUMNS} FROM journal
  WHERE number >= $1 AND number < $2 AND at >= $7 AND at < $8
    AND ($3::text[] IS NULL OR ${d.among('kind', '$3', 'text')})
    AND NOT ${d.among('kind', '$10', 'text')}
    AND ($4::text[] IS NULL OR ${d.startsWithAny('subject', '$4')})
    AND ($5::text IS NULL OR ${d.among('subject', '$6', 'text')}
      OR subject IN (
        SELECT key FROM (
          SELECT DISTINCT key FROM notifications WHERE ${d.among('watch', '$6', 'text')} LIMIT ${MOST_KEYS}) AS keys)
      OR subject IN (SELECT key FROM told) OR ${d.jsonText('data', 'key')} IN (SELECT key FROM told)
      OR actor ${d.like} $5::text ESCAPE '\\' OR subject ${d.like} $5::text ESCAPE '\\'
      OR data ${d.like} $5::text ESCAPE '\\')
    AND ($11::text[] IS NULL OR subject IN (SELECT key FROM labelled)
      OR ${d.among(`(subject || coalesce(' ' || ${d.jsonText('data', 'alert')}, ''))`, '$12', 'text')}
      OR ${d.jsonText('data', 'key')} IN (SELECT key FROM labelled) OR ${d.containsAll('data', '$11')}
      OR subject IN (
        SELECT mine.id FROM group_member AS member JOIN deliveries AS mine ON mine.number = member.delivery
        WHERE member.key IN (SELECT key FROM labelled)))
  ORDER BY number DESC LIMIT $9 + 0`;

const LATEST = 'SELECT max(at) AS at FROM journal WHERE number >= $1 AND number < $2';

export async function journalPage(
  sql: Sql,
  { kinds, without, subjects, search, labelled, since, until, before, limit }: JournalFilter,
): Promise<JournalPage> {
  const end = before ?? (await numberOf(sql, NEWEST)) + 1;
  const isLookedFor =
    without.length > 0 || [kinds, subjects, search, labelled, since, until].some((one) => one !== null);
  const from = isLookedFor ? end - MOST_SEARCHED : 0;
  const pattern = search === null ? null : `%${escapedForLike(search.text)}%`;
  const times = [since ?? -Number.MAX_SAFE_INTEGER, until ?? Number.MAX_SAFE_INTEGER];
  const searched = [subjects, pattern, search?.watches ?? []];
  const ofLabelled = [
    labelled?.labels.map(inJson) ?? null,
    labelled === null ? [] : [...labelled.watches, ...labelled.alerts.map(({ watch, alert }) => `${watch} ${alert}`)],
  ];
  const rows = await sql.all(PAGE, [from, end, kinds, ...searched, ...times, limit, without, ...ofLabelled]);
  const lines = rows.map(journalLineOf);
  const last = lines.length === limit ? (lines.at(-1)?.number ?? from) : from;
  const isOver = last <= (await numberOf(sql, OLDEST)) || (since !== null && (await isBefore(sql, since, [from, end])));
  return { lines, next: isOver ? null : last };
}

/** `"team":"treasury"`, as it appears in JSON. */
function inJson([name, value]: readonly [string, string]): string {
  return `${JSON.stringify(name)}:${JSON.stringify(value)}`;
}

/**
 * True if all lines of the range are older. One older line is not enough: a clock that was set back leaves single older
 * lines.
 */
async function isBefore(sql: Sql, since: Instant, range: readonly [from: number, end: number]): Promise<boolean> {
  const row = await sql.first(LATEST, range);
  return row !== undefined && (intOrNull(row, 'at') ?? since) < since;
}

async function numberOf(sql: Sql, statement: string): Promise<number> {
  const row = await sql.first(statement);
  return row === undefined ? 0 : int(row, 'number');
}

/** Escapes the wildcards of LIKE with a backslash. */
function escapedForLike(searched: string): string {
  return searched.replaceAll(/[\\%_]/g, String.raw`\$&`);
}

/** Shows unreadable data as text. */
function journalLineOf(row: Row): JournalLine {
  const [position, hash] = [intOrNull(row, 'position'), textOrNull(row, 'hash')];
  return {
    ...ints(row, 'number', 'at'),
    ...texts(row, 'kind', 'subject', 'actor'),
    data: jsonIfAny(row, 'data') ?? text(row, 'data'),
    anchor: position === null || hash === null ? null : { position, hash },
  };
}

const HISTORY = (d: SqlDialect): string => `
  SELECT ${COLUMNS} FROM journal
  WHERE ($1::text[] IS NULL OR ${d.among('subject', '$1', 'text')}) AND at >= $2
  ORDER BY number DESC LIMIT $3 + 0`;

/** Newest first. */
export async function history(sql: Sql, { subjects, since, limit }: HistoryFilter): Promise<JournalLine[]> {
  const rows = await sql.all(HISTORY, [subjects ?? null, since ?? -Number.MAX_SAFE_INTEGER, limit]);
  return rows.map(journalLineOf);
}

/** The number of lines that are verified at once. */
const VERIFIED = 500;

const CHAINED = paged(
  ['position'],
  ({ after, end }) => `SELECT ${COLUMNS} FROM journal WHERE position IS NOT NULL AND ${after} ${end}`,
);

/** Verifies every line after the last checkpoint. */
export async function verifyJournal(sql: Sql, anchor: JournalAnchor | null): Promise<ChainCheck> {
  const verifier = createVerifier(await checkpointOf(sql), anchor);
  for await (const rows of sql.pages(CHAINED, VERIFIED))
    for (const row of rows) verifier.add({ ...journalTextOf(row), ...anchorOf(row) });
  return verifier.end();
}

const NOTIFICATION = `
  SELECT watch, episode, seq, message FROM notifications
  WHERE key = $1 AND ($2::text IS NULL OR transition = $2::text) AND at <= $3 ORDER BY seq DESC LIMIT 1`;

/** For each, its newest notification up to `until`; null: it was dropped, or is damaged. */
export async function notifications(sql: Sql, of: readonly NotificationOf[]): Promise<(StoredNotification | null)[]> {
  const found = [];
  for (const { key, transition, until } of of)
    found.push(storedNotificationOf(await sql.first(NOTIFICATION, [key, transition, until])));
  return found;
}
