// The decisions of operators about messages, with a number that rises when they change.
import type { Key } from '../../../dispatch/model.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { StoredPolicy } from '../../contract/operators.ts';
import type { SqlDialect } from '../../sql/dialect.ts';
import type { Sql } from '../../sql/sql.ts';
import { countIn, readCount, writeFact } from '../memory/facts.ts';
import { acksAt, acksOf } from './acks.ts';
import { silencesAt } from './silences.ts';

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
const SHARE = (d: SqlDialect): string => `SELECT value FROM facts WHERE name = 'policy' ${d.forShare}`;
const LOCK = (d: SqlDialect): string => `SELECT value FROM facts WHERE name = 'policy' ${d.forUpdate()}`;

/** False: the policy has changed since. True: it cannot change before the end of the transaction. */
export async function isPolicy(sql: Sql, version: number): Promise<boolean> {
  return countIn(await sql.first(SHARE)) === version;
}

/** Until the end of the transaction no other replica changes the policy, and no round that depends on it commits. */
export async function lockPolicy(sql: Sql): Promise<void> {
  await sql.first(LOCK);
}

/** Runs in the transaction of the change. */
export async function raisePolicy(sql: Sql): Promise<void> {
  await writeFact(sql, 'policy', countIn(await sql.first(LOCK)) + 1);
}
