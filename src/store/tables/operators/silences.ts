// Silences and pauses of operators.
import { z } from 'zod';
import type { Pause } from '../../../core/model/watch/pause.ts';
import type { Matcher, Silence } from '../../../dispatch/model.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { Announceable } from '../../contract/operators.ts';
import type { SqlDialect } from '../../sql/dialect.ts';
import { bool, count, fromJson, instant, int, parsed, readable, text, textOrNull, type Row } from '../../sql/rows.ts';
import { paged, type Sql } from '../../sql/sql.ts';

type DraftSilence = Omit<Silence, 'kind' | 'version'>;

const COLUMNS = 'id, kind, name, matchers, starts_at, ends_at, until_resolved, actor, comment, version';

/** All silences and pauses, row by row. */
export const SILENCES = paged(['id'], ({ after, end }) => `SELECT ${COLUMNS} FROM silences WHERE ${after} ${end}`);

const matchers: z.ZodType<Matcher> = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

const storedSilence: z.ZodType<Silence> = z.object({
  id: z.string(),
  kind: z.enum(['silence', 'pause']),
  matchers,
  from: instant,
  until: instant,
  untilResolved: z.boolean(),
  actor: z.string(),
  comment: z.string(),
  version: count,
});

const storedPause: z.ZodType<Pause> = z.object({
  id: z.string(),
  watch: z.string(),
  from: instant,
  until: instant,
  actor: z.string(),
  comment: z.string(),
});

/** A silence, or a pause as the silence of its alerts. Throws a StorageError that names it when the row is damaged. */
export function silenceOf(row: Row): Silence {
  return parsed(`${String(row['kind'])} ${String(row['id'])}`, () =>
    storedSilence.parse({
      ...row,
      matchers: fromJson(row['matchers']),
      from: row['starts_at'],
      until: row['ends_at'],
      untilResolved: bool(row, 'until_resolved'),
    }),
  );
}

/** Throws a StorageError that names the pause when the row is damaged. */
export function pauseOf(row: Row): Pause {
  const found = silenceOf(row);
  return parsed(`pause ${found.id}`, () => storedPause.parse({ ...found, watch: row['name'] }));
}

function announceableOf(row: Row): Announceable {
  return { silence: silenceOf(row), name: textOrNull(row, 'name'), announcedAt: int(row, 'announced_at') };
}

export async function addSilence(sql: Sql, silence: DraftSilence, at: Instant): Promise<Silence> {
  await add(sql, 'silence', { ...silence, name: null, at });
  return { ...silence, kind: 'silence', version: 1 };
}

const ADD = `
  INSERT INTO silences (id, kind, name, matchers, starts_at, ends_at, until_resolved, actor, comment, announced_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;

interface NewSilence extends DraftSilence {
  readonly name: string | null;
  readonly at: Instant;
}

async function add(sql: Sql, kind: Silence['kind'], one: NewSilence): Promise<void> {
  const { id, name, from, until, untilResolved, actor, comment, at } = one;
  const matchersText = JSON.stringify(one.matchers);
  await sql.run(ADD, [id, kind, name, matchersText, from, until, untilResolved, actor, comment, at]);
}

const FIND = `SELECT ${COLUMNS} FROM silences WHERE id = $1 AND kind = 'silence'`;

/** Sets the end of a silence that is not over. */
export async function endSilence(
  sql: Sql,
  id: string,
  until: Instant,
  at: Instant,
): Promise<Silence | 'not-found' | 'is-over'> {
  const [found] = readable(await sql.all(FIND, [id]), silenceOf);
  if (found === undefined) return 'not-found';
  if (found.until <= at) return 'is-over';
  await end(sql, [id], until, at);
  return { ...found, until, version: found.version + 1 };
}

const END = (d: SqlDialect): string => `
  UPDATE silences SET ends_at = $1, announced_at = $2, version = version + 1 WHERE ${d.among('id', '$3', 'text')}`;

async function end(sql: Sql, ids: readonly string[], until: Instant, at: Instant): Promise<void> {
  await sql.run(END, [until, at, ids]);
}

/** A pause of the same name that is in force ends when the new one starts. */
export async function addPause(sql: Sql, pause: Pause, matchers: Matcher): Promise<void> {
  await endPause(sql, pause.watch, pause.from);
  await add(sql, 'pause', { ...pause, name: pause.watch, matchers, untilResolved: false, at: pause.from });
}

const IN_FORCE = `SELECT ${COLUMNS} FROM silences WHERE kind = 'pause' AND name = $1 AND ends_at > $2`;

/** Null: none of that name is in force. */
export async function endPause(sql: Sql, watch: string, at: Instant): Promise<Pause | null> {
  const ended = readable(await sql.all(IN_FORCE, [watch, at]), pauseOf);
  const ids = ended.map(({ id }) => id);
  await end(sql, ids, at, at);
  const [pause] = ended;
  return pause === undefined ? null : { ...pause, until: at };
}

const ANNOUNCEABLE = `
  SELECT ${COLUMNS}, announced_at FROM silences WHERE ends_at > $1 OR announced_at < ends_at ORDER BY starts_at, id`;

/** Silences and pauses that are not over, or whose end was not announced. */
export async function announceable(sql: Sql, at: Instant): Promise<Announceable[]> {
  return readable(await sql.all(ANNOUNCEABLE, [at]), announceableOf);
}

const MARK_ANNOUNCED = 'UPDATE silences SET announced_at = $1 WHERE id = $2';

export async function markAnnounced(sql: Sql, id: string, at: Instant): Promise<void> {
  await sql.run(MARK_ANNOUNCED, [at, id]);
}

const KEEP_OVER = `
  UPDATE silences SET ends_at = $1, announced_at = $1, version = version + 1
  WHERE kind = 'pause' AND announced_at >= ends_at AND ends_at > $1`;

/** After the clock was set back: a pause whose end was announced does not begin again. */
export async function keepOver(sql: Sql, at: Instant): Promise<void> {
  await sql.run(KEEP_OVER, [at]);
}

const ALL = `SELECT ${COLUMNS} FROM silences ORDER BY starts_at, id`;

/** All stored silences and pauses, in the order of their start. Unreadable ones are left out. */
export async function silences(sql: Sql): Promise<Silence[]> {
  return readable(await sql.all(ALL), silenceOf);
}

const LASTING = `SELECT ${COLUMNS} FROM silences WHERE ends_at > $1 ORDER BY starts_at, id`;

/**
 * Silences and pauses that are not over. Unreadable ones are left out, so messages that they would hold back are sent.
 */
export async function silencesAt(sql: Sql, at: Instant): Promise<Silence[]> {
  return readable(await sql.all(LASTING, [at]), silenceOf);
}

const PAUSES = `SELECT ${COLUMNS} FROM silences WHERE kind = 'pause' ORDER BY starts_at, id`;

/**
 * All stored pauses, including ended ones. An unreadable one is left out, so its watch is polled, which is the safe
 * side.
 */
export async function pauses(sql: Sql): Promise<Pause[]> {
  return readable(await sql.all(PAUSES), pauseOf);
}

const HELD = (d: SqlDialect): string => `
  WITH waiting AS (
    SELECT DISTINCT ${d.jsonText('held', 'by')} AS silence, key FROM recipient_state
    WHERE held IS NOT NULL AND ${d.jsonText('held', 'why')} = 'silenced')
  SELECT silence, count(*) AS count FROM waiting
    JOIN silences ON silences.id = silence
    JOIN notifications AS notification ON notification.key = waiting.key AND notification.at >= silences.starts_at
  GROUP BY silence`;

/** By the id of a silence, the number of notifications since its start about alerts that it holds back now. */
export async function heldBySilence(sql: Sql): Promise<Map<string, number>> {
  return new Map((await sql.all(HELD)).map((row) => [text(row, 'silence'), int(row, 'count')]));
}
