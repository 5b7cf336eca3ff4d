// The decisions of operators about messages: acknowledged episodes, and the policy that they are a part of.
import { z } from 'zod';
import { coversSeverity } from '../../../core/model/delivery.ts';
import { SEVERITIES } from '../../../core/model/ids.ts';
import { NOTICED_WITHIN_MS } from '../../../core/model/quality/clock-shift.ts';
import { EVENT_SHOWN_MS } from '../../../core/model/transition.ts';
import type { ClockShift } from '../../../dispatch/clock-jump.ts';
import type { Key } from '../../../dispatch/model.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { StoredAck, StoredPolicy } from '../../contract/operators.ts';
import { earlier, type SqlDialect } from '../../sql/dialect.ts';
import { bool, count, instant, int, parsed, readable, type Row, text } from '../../sql/rows.ts';
import { columns, paged, type Sql, upsert } from '../../sql/sql.ts';
import { countIn, readCount, writeFact } from '../memory/facts.ts';
import { silencesAt } from './silences.ts';

// Acknowledged episodes of alerts.

const COLUMNS = 'key, episode, id, seq, severity, actor, comment, at, ends_at';

/** True if the episode has not ended since it was acknowledged. */
const LASTS = `NOT EXISTS (
  SELECT 1 FROM notifications AS later WHERE later.key = acks.key AND later.seq > acks.seq
    AND (later.episode > acks.episode OR later.transition IN ('resolved', 'retracted')))`;

/** True if the acknowledgement is in force at that time. */
export const inForceAt = (at: string): string => `acks.ends_at > ${at} AND ${LASTS}`;

/** All acknowledgements, row by row. */
export const ACKS = paged(['key', 'episode'], ({ after, end }) => `SELECT ${COLUMNS} FROM acks WHERE ${after} ${end}`);

const storedAck: z.ZodType<StoredAck> = z.object({
  id: z.string(),
  key: z.string(),
  episode: count,
  seq: count,
  severity: z.enum(SEVERITIES),
  actor: z.string(),
  comment: z.string().nullable(),
  at: instant,
  until: instant,
});

/** Throws a StorageError that names the alert when the row is damaged. */
export function ackOf(row: Row): StoredAck {
  return parsed(`acknowledgement of alert ${String(row['key'])}`, () =>
    storedAck.parse({ ...row, until: row['ends_at'] }),
  );
}

/** The reason why an episode cannot be acknowledged at that transition. */
type AckRefusal = 'not-found' | 'is-over' | 'stale-seq' | 'already-acknowledged';

// The newest transition of an open alert is never dropped.
const NEWEST = (d: SqlDialect): string => `
  SELECT newest.key, newest.episode, newest.seq, newest.transition, newest.at,
    CASE WHEN EXISTS (SELECT 1 FROM alerts WHERE alerts.key = newest.key AND is_open = 1) THEN 1 ELSE 0 END AS is_open
  FROM notifications AS newest
  WHERE ${d.among('newest.key', '$1', 'text')}
    AND newest.seq = (SELECT max(seq) FROM notifications AS other WHERE other.key = newest.key)`;

const KEEP = upsert('acks', ['key', 'episode'], {
  ...columns('text', 'key', 'id', 'severity', 'actor'),
  ...columns('int', 'episode', 'seq', 'at', 'ends_at'),
  comment: 'text?',
});

export async function addAck(sql: Sql, ack: StoredAck, replace: boolean): Promise<StoredAck | AckRefusal> {
  const [end = 'not-found'] = await addAcks(sql, [ack], { replace, at: ack.at });
  return end;
}

/**
 * `replace`: true if an acknowledgement in force is replaced; else it is a reason to refuse. No two of `acks` may be of
 * the same alert.
 */
export async function addAcks(
  sql: Sql,
  acks: readonly StoredAck[],
  { replace, at }: { readonly replace: boolean; readonly at: Instant },
): Promise<(StoredAck | AckRefusal)[]> {
  const keys = acks.map(({ key }) => key);
  const newest = new Map((await sql.all(NEWEST, [keys])).map((row) => [text(row, 'key'), row]));
  const standing = replace ? [] : await acksOf(sql, keys, at);
  const ends = acks.map((ack) => {
    const own = standing.find(({ key, episode }) => key === ack.key && episode === ack.episode);
    return (
      refusalOf(newest.get(ack.key), ack) ??
      (own !== undefined && coversSeverity(own.severity, ack.severity) ? 'already-acknowledged' : ack)
    );
  });
  const kept = ends.flatMap((end) => (typeof end === 'string' ? [] : [{ ...end, endsAt: end.until }]));
  await sql.each(KEEP, kept);
  return ends;
}

/** Null: it can be acknowledged. `newest`: the newest transition of the alert; undefined: it has none. */
function refusalOf(
  newest: Row | undefined,
  { episode, seq, at }: StoredAck,
): Exclude<AckRefusal, 'already-acknowledged'> | null {
  if (newest === undefined || int(newest, 'seq') < seq) return 'not-found';
  if (int(newest, 'seq') > seq) return 'stale-seq';
  if (int(newest, 'episode') !== episode) return 'not-found';
  return isOver(newest, at) ? 'is-over' : null;
}

/** An event that needs no acknowledgement can be acknowledged for a day. */
function isOver(newest: Row, at: Instant): boolean {
  const { transition } = newest;
  if (transition === 'resolved' || transition === 'retracted') return true;
  return transition !== 'firing' && !bool(newest, 'is_open') && int(newest, 'at') <= at - EVENT_SHOWN_MS;
}

/** The acknowledged episode. */
interface AckedEpisode {
  readonly key: Key;
  readonly episode: number;
}

const FIND = `
  SELECT ${COLUMNS}, CASE WHEN ${LASTS} THEN 1 ELSE 0 END AS lasts FROM acks WHERE key = $1 AND episode = $2`;
const END = 'UPDATE acks SET ends_at = $1 WHERE key = $2 AND episode = $3';

export async function endAck(
  sql: Sql,
  { key, episode }: AckedEpisode,
  at: Instant,
): Promise<StoredAck | 'not-found' | 'is-over'> {
  const row = await sql.first(FIND, [key, episode]);
  const [found] = row === undefined ? [] : readable([row], ackOf);
  if (row === undefined || found === undefined) return 'not-found';
  if (!bool(row, 'lasts') || found.until <= at) return 'is-over';
  await sql.run(END, [at, key, episode]);
  return { ...found, until: at };
}

const lastingWhere = (which: string): string =>
  `SELECT ${COLUMNS} FROM acks WHERE ${which} AND ${inForceAt('$1')} ORDER BY at, id`;
const LASTING = lastingWhere('1 = 1');
const LASTING_OF = (d: SqlDialect): string => lastingWhere(d.among('key', '$2', 'text'));

/**
 * Acknowledgements in force of episodes that have not ended. An unreadable one is left out, so its alert is repeated.
 */
async function acksAt(sql: Sql, at: Instant): Promise<StoredAck[]> {
  return readable(await sql.all(LASTING, [at]), ackOf);
}

/** Like `acksAt`, only for these alerts. */
export async function acksOf(sql: Sql, keys: readonly Key[], at: Instant): Promise<StoredAck[]> {
  return keys.length === 0 ? [] : readable(await sql.all(LASTING_OF, [at, keys]), ackOf);
}

const FORWARD = `
  UPDATE acks SET ends_at = ends_at + $1::bigint
  WHERE ends_at > $2::bigint - $1::bigint AND at <= $2::bigint - $1::bigint`;

// An acknowledgement that was made between the jump and now is of the clock as it is now.
const BACK = `
  UPDATE acks SET ends_at = CASE
    WHEN ends_at <= $2::bigint - $1::bigint AND NOT at BETWEEN $2::bigint - ${NOTICED_WITHIN_MS} AND $2::bigint THEN $2::bigint
    ELSE ${earlier('ends_at', '$2::bigint + ends_at - at')} END
  WHERE ends_at > $2::bigint`;

/**
 * After a jump forward an acknowledgement keeps the time that it had left; after one back it lasts from then on for its
 * own length at most, and an ended one is not in force again.
 */
export async function moveAcks(sql: Sql, { byMs, now }: ClockShift): Promise<void> {
  await sql.run(byMs > 0 ? FORWARD : BACK, [byMs, now]);
}

// The decisions of operators about messages, with a number that rises when they change.

export async function policyAt(sql: Sql, at: Instant): Promise<StoredPolicy> {
  return { ...(await withoutAcks(sql, at)), acks: await acksAt(sql, at) };
}

/**
 * The policy with only the acknowledgements of these alerts. A round is about a few alerts, but hundreds of
 * acknowledgements may be in force: to read 300 would take a millisecond in each round and before each first try.
 */
export async function policyFor(sql: Sql, keys: readonly Key[], at: Instant): Promise<StoredPolicy> {
  return { ...(await withoutAcks(sql, at)), acks: await acksOf(sql, keys, at) };
}

async function withoutAcks(sql: Sql, at: Instant): Promise<Omit<StoredPolicy, 'acks'>> {
  return { version: await readCount(sql, 'policy'), silences: await silencesAt(sql, at) };
}

// The first step of the schema writes the row, since a missing row could not be locked.
const SHARE_POLICY = (d: SqlDialect): string => `SELECT value FROM facts WHERE name = 'policy' ${d.forShare}`;
const LOCK_POLICY = (d: SqlDialect): string => `SELECT value FROM facts WHERE name = 'policy' ${d.forUpdate()}`;

/** False: the policy has changed since. True: it cannot change before the end of the transaction. */
export async function isPolicy(sql: Sql, version: number): Promise<boolean> {
  return countIn(await sql.first(SHARE_POLICY)) === version;
}

/** Until the end of the transaction no other replica changes the policy, and no round that depends on it commits. */
export async function lockPolicy(sql: Sql): Promise<void> {
  await sql.first(LOCK_POLICY);
}

/** Runs in the transaction of the change. */
export async function raisePolicy(sql: Sql): Promise<void> {
  await writeFact(sql, 'policy', countIn(await sql.first(LOCK_POLICY)) + 1);
}
