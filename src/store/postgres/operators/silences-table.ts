// What operators have silenced and paused.
import type { Pause } from '../../../core/model/watch/pause.ts';
import type { Matcher, Silence } from '../../../dispatch/model.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { Announceable } from '../../interventions.ts';
import { announceableOf, pauseOf, silenceOf } from '../../rows/operator-rows.ts';
import { readable } from '../../rows/rows.ts';
import { jsonText, type Sql } from '../sql.ts';

type Written = Omit<Silence, 'kind' | 'version'>;

const COLUMNS = 'id, kind, name, matchers, starts_at, ends_at, until_resolved, actor, comment, version';

/** For who reads every silence and pause. */
export const SILENCES = `SELECT ${COLUMNS} FROM silences ORDER BY starts_at, id`;

export async function hasSilence(sql: Sql, id: string): Promise<boolean> {
  return (await sql.first('SELECT FROM silences WHERE id = $1', [id])) !== undefined;
}

export async function addSilence(sql: Sql, silence: Written, at: Instant): Promise<Silence> {
  await add(sql, 'silence', { ...silence, name: null, at });
  return { ...silence, kind: 'silence', version: 1 };
}

async function add(
  sql: Sql,
  kind: Silence['kind'],
  {
    name,
    at,
    id,
    matchers,
    from,
    until,
    untilResolved,
    actor,
    comment,
  }: Written & { name: string | null; at: Instant },
): Promise<void> {
  await sql.run(
    `INSERT INTO silences (id, kind, name, matchers, starts_at, ends_at, until_resolved, actor, comment, announced_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [id, kind, name, JSON.stringify(matchers), from, until, untilResolved, actor, comment, at],
  );
}

/** Sets the end of one that is not over. */
export async function endSilence(
  sql: Sql,
  id: string,
  until: Instant,
  at: Instant,
): Promise<Silence | 'not-found' | 'is-over'> {
  const row = await sql.first(`SELECT ${COLUMNS} FROM silences WHERE id = $1 AND kind = 'silence'`, [id]);
  const [found] = row === undefined ? [] : readable([row], silenceOf);
  if (found === undefined) return 'not-found';
  if (found.until <= at) return 'is-over';
  await end(sql, [id], until, at);
  return { ...found, until, version: found.version + 1 };
}

async function end(sql: Sql, ids: readonly string[], until: Instant, at: Instant): Promise<void> {
  await sql.run(
    'UPDATE silences SET ends_at = $1, announced_at = $2, version = version + 1 WHERE id = ANY($3::text[])',
    [until, at, ids],
  );
}

/** A pause of the same name that is in force ends with it. */
export async function addPause(sql: Sql, pause: Pause, matchers: Matcher): Promise<void> {
  await endPause(sql, pause.watch, pause.from);
  await add(sql, 'pause', { ...pause, name: pause.watch, matchers, untilResolved: false, at: pause.from });
}

/** Null: none of that name is in force. */
export async function endPause(sql: Sql, watch: string, at: Instant): Promise<Pause | null> {
  const rows = await sql.all(`SELECT ${COLUMNS} FROM silences WHERE kind = 'pause' AND name = $1 AND ends_at > $2`, [
    watch,
    at,
  ]);
  const ended = readable(rows, pauseOf);
  await end(
    sql,
    ended.map(({ id }) => id),
    at,
    at,
  );
  const [pause] = ended;
  return pause === undefined ? null : { ...pause, until: at };
}

/** Those that are not over, or whose end nobody was told of. */
export async function announceable(sql: Sql, at: Instant): Promise<Announceable[]> {
  const rows = await sql.all(
    `SELECT ${COLUMNS}, announced_at FROM silences WHERE ends_at > $1 OR announced_at < ends_at ORDER BY starts_at, id`,
    [at],
  );
  return readable(rows, announceableOf);
}

export async function markAnnounced(sql: Sql, id: string, at: Instant): Promise<void> {
  await sql.run('UPDATE silences SET announced_at = $1 WHERE id = $2', [at, id]);
}

/** All that are kept, by their begin. One that cannot be read is left out. */
export async function silences(sql: Sql): Promise<Silence[]> {
  return readable(await sql.all(SILENCES), silenceOf);
}

/** Silences and pauses that are not over. One that cannot be read is left out: what it would hold back is sent. */
export async function silencesAt(sql: Sql, at: Instant): Promise<Silence[]> {
  const rows = await sql.all(`SELECT ${COLUMNS} FROM silences WHERE ends_at > $1 ORDER BY starts_at, id`, [at]);
  return readable(rows, silenceOf);
}

/** Over or not. One that cannot be read is left out: its watch is polled, which is the safe side. */
export async function pauses(sql: Sql): Promise<Pause[]> {
  const rows = await sql.all(`SELECT ${COLUMNS} FROM silences WHERE kind = 'pause' ORDER BY starts_at, id`);
  return readable(rows, pauseOf);
}

/** By the id of a silence, how many notifications about what it holds back now were decided since its begin. */
export async function heldBySilence(sql: Sql): Promise<Map<string, number>> {
  const rows = await sql.all(`
    WITH waiting AS (
      SELECT DISTINCT ${jsonText('held', 'by')} AS silence, key FROM recipient_state
      WHERE ${jsonText('held', 'why')} = 'silenced')
    SELECT silence, count(*) AS count FROM waiting
      JOIN silences ON silences.id = silence
      JOIN notifications AS n ON n.key = waiting.key AND n.at >= silences.starts_at
    GROUP BY silence`);
  return new Map(rows.map((row) => [String(row['silence']), Number(row['count'])]));
}

export async function pruneSilences(sql: Sql, endedBefore: Instant): Promise<void> {
  await sql.run('DELETE FROM silences WHERE ends_at < $1', [endedBefore]);
}
