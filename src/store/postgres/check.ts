// Looks at every row of the database, and changes nothing.
import type { Finding, StateCheck } from '../backups.ts';
import { checkedTables, createFindings, findingsOf, type CheckedTable } from '../findings.ts';
import { DELIVERIES } from './deliveries/deliveries-table.ts';
import { MEMBERS } from './deliveries/members-view.ts';
import { verify } from './journal-table.ts';
import { DIAGNOSTICS, REMEMBERED } from './memory-table.ts';
import { schemaOf } from './migrate.ts';
import { current } from './open.ts';
import { ACKS } from './operators/acks-table.ts';
import { SILENCES } from './operators/silences-table.ts';
import type { Sql } from './sql.ts';
import { TABLES } from './tables.ts';

const ROWS = checkedTables({
  memory: REMEMBERED,
  coverage: DIAGNOSTICS,
  deliveries: DELIVERIES,
  members: MEMBERS,
  silences: SILENCES,
  acks: ACKS,
});
const PAGE = 5000;

/** All of it as it was at one moment; a daemon may be working. Rejects with a StorageError. */
export async function checkPostgres(url: string): Promise<StateCheck> {
  await using opened = new AsyncDisposableStack();
  const database = opened.adopt(await current(url), (one) => one.close());
  return await database.snapshot(async (sql) => {
    const bytes = await sql.first('SELECT pg_database_size(current_database()) AS bytes');
    return {
      schema: await schemaOf(sql, database.name),
      isCurrent: true,
      bytes: Number(bytes?.['bytes']),
      rows: await countRows(sql),
      findings: await findingsIn(sql),
    };
  });
}

async function countRows(sql: Sql): Promise<Map<string, number>> {
  const rows = new Map<string, number>();
  for (const { name } of TABLES) {
    const row = await sql.first(`SELECT count(*) AS count FROM ${name}`);
    rows.set(name, Number(row?.['count']));
  }
  return rows;
}

async function findingsIn(sql: Sql): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const of of ROWS) findings.push(...(await damagedRows(sql, of)));
  return [...findings, ...findingsOf(await verify(sql, null))];
}

/** A page at a time, by a cursor that ends with the transaction. */
async function damagedRows(sql: Sql, of: CheckedTable): Promise<Finding[]> {
  const findings = createFindings(of);
  await sql.run(`DECLARE checked NO SCROLL CURSOR FOR ${of.select}`);
  for (let isLast = false; !isLast;) {
    const rows = await sql.all(`FETCH ${PAGE} FROM checked`);
    for (const row of rows) findings.look(row);
    isLast = rows.length < PAGE;
  }
  await sql.run('CLOSE checked');
  return findings.end();
}
