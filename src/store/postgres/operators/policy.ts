// What operators have decided about messages, with a number that rises when that changes.
import type { Instant } from '../../../lib/clock.ts';
import type { StoredPolicy } from '../../interventions.ts';
import type { Sql } from '../sql.ts';
import { acksAt } from './acks-table.ts';
import { silencesAt } from './silences-table.ts';

export async function policyAt(sql: Sql, at: Instant): Promise<StoredPolicy> {
  const row = await sql.first('SELECT policy FROM cluster');
  return { version: Number(row?.['policy']), silences: await silencesAt(sql, at), acks: await acksAt(sql, at) };
}

/** False: operators have changed something since. True: nobody changes anything until the end of the transaction. */
export async function isPolicy(sql: Sql, version: number): Promise<boolean> {
  return (await sql.first('SELECT FROM cluster WHERE policy = $1 FOR SHARE', [version])) !== undefined;
}

/** Until the end of the transaction no other replica changes what operators have decided, and no round rests on it. */
export async function lockPolicy(sql: Sql): Promise<void> {
  await sql.run('SELECT FROM cluster FOR UPDATE');
}

/** Within the transaction of what changes it. */
export async function raisePolicy(sql: Sql): Promise<void> {
  await sql.run('UPDATE cluster SET policy = policy + 1');
}
