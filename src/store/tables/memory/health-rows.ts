// The health of the daemon, as each process that works on the state stored it last.
import { HealthSummary } from '../../../core/model/quality/health-summary.ts';
import type { SqlDialect } from '../../sql/dialect.ts';
import { jsonIfAny, text, texts } from '../../sql/rows.ts';
import { list, type Sql } from '../../sql/sql.ts';
import { writeFact } from './facts.ts';

const PREFIX = 'health:';

const ALL = (d: SqlDialect): string => `
  SELECT name, value FROM facts WHERE ${d.startsWith('name', `'${PREFIX}'`)} ORDER BY name`;
const DROP = list({ name: 'text' }, (row) => `DELETE FROM facts ${row.using} WHERE facts.name = ${row.name}`);

/** The rows of running processes, by their ids; if none runs, all rows. A damaged row is left out. */
export async function healthRows(sql: Sql, live: readonly string[]): Promise<Map<string, HealthSummary>> {
  const rows = new Map<string, HealthSummary>();
  for (const row of await sql.all(ALL)) {
    const id = text(row, 'name').slice(PREFIX.length);
    const { data } = HealthSummary.safeParse(jsonIfAny(row, 'value'));
    if (data !== undefined && (live.length === 0 || live.includes(id))) rows.set(id, data);
  }
  return rows;
}

/** Drops rows of processes that are not `known` any more. */
export async function keepHealth(sql: Sql, id: string, health: HealthSummary, known: readonly string[]): Promise<void> {
  await dropHealth(sql, [id, ...known]);
  await writeFact(sql, `${PREFIX}${id}`, health);
}

/** Drops all rows but those of these processes. */
export async function dropHealth(sql: Sql, ids: readonly string[]): Promise<void> {
  const names = new Set(ids.map((id) => `${PREFIX}${id}`));
  const gone = (await sql.all(ALL)).map((row) => texts(row, 'name')).filter(({ name }) => !names.has(name));
  await sql.each(DROP, gone);
}
