// Which process holds the database: one at a time, under a lease that it renews. Its times are the server's, so that
// nobody's own clock matters.
import type { Fence } from '../fence.ts';
import { numberOrNull } from '../rows/dispatch-rows.ts';
import type { Database } from './database.ts';
import type { Sql } from './sql.ts';

/** Whoever wants the database. `owner`: an id of the process; `name`: how people know it. */
export interface Claimant {
  readonly owner: string;
  readonly name: string;
  readonly leaseMs: number;
}

/** Who has it, and for how long it would stay so if that one ended now. */
export interface Holder {
  readonly name: string;
  readonly leftMs: number;
}

export type Claimed =
  { readonly type: 'held'; readonly fence: Fence } | { readonly type: 'busy'; readonly holder: Holder };

const KEY = 'database';
const SLOT = 0;
const ENDS = "until = clock_timestamp() + $1::bigint * interval '1 ms'";

/** Takes the database when nobody has it. Within a transaction of the caller. */
export async function claim(sql: Sql, { owner, name, leaseMs }: Claimant): Promise<Claimed> {
  await sql.run('INSERT INTO shards (key, slot) VALUES ($1, $2) ON CONFLICT DO NOTHING', [KEY, SLOT]);
  const row = await sql.first(
    `UPDATE shards SET owner = $2, name = $3, epoch = epoch + 1, ${ENDS}
    WHERE key = '${KEY}' AND slot = ${SLOT} AND until < clock_timestamp() RETURNING epoch`,
    [leaseMs, owner, name],
  );
  if (row === undefined) return { type: 'busy', holder: await holderOf(sql) };
  return { type: 'held', fence: { key: KEY, slot: SLOT, owner, epoch: Number(row['epoch']) } };
}

async function holderOf(sql: Sql): Promise<Holder> {
  const row = await sql.first(
    `SELECT name, (extract(epoch FROM until - clock_timestamp()) * 1000)::bigint AS left_ms FROM shards
    WHERE key = '${KEY}' AND slot = ${SLOT}`,
  );
  return { name: String(row?.['name']), leftMs: numberOrNull(row?.['left_ms']) ?? 0 };
}

/** Also one that is past, as long as nobody took the database. False: somebody did. */
export async function renew(sql: Sql, { owner, epoch }: Fence, leaseMs: number): Promise<boolean> {
  const changed = await sql.run(
    `UPDATE shards SET ${ENDS} WHERE key = '${KEY}' AND slot = ${SLOT} AND owner = $2 AND epoch = $3`,
    [leaseMs, owner, epoch],
  );
  return changed === 1;
}

/** The next one need not wait for the end of the lease. */
export async function release({ sql }: Pick<Database, 'sql'>, { owner, epoch }: Fence): Promise<void> {
  await sql.run(
    `UPDATE shards SET owner = NULL, until = clock_timestamp()
    WHERE key = '${KEY}' AND slot = ${SLOT} AND owner = $1 AND epoch = $2`,
    [owner, epoch],
  );
}

/** Whether any process holds it now. */
export async function isHeldByAny(sql: Sql): Promise<boolean> {
  return (await sql.first('SELECT FROM shards WHERE owner IS NOT NULL AND until > clock_timestamp()')) !== undefined;
}
