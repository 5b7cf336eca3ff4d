// What keeps explorers from being asked or believed. Each process that works on the state writes its own.
import type { SqlDialect } from '../../sql/dialect.ts';
import { jsonIfAny, text } from '../../sql/rows.ts';
import { list, type Sql } from '../../sql/sql.ts';
import { textsOf, writeFact } from './facts.ts';

const PREFIX = 'troubles:';

const ALL = (d: SqlDialect): string => `
  SELECT name, value FROM facts WHERE ${d.startsWith('name', `'${PREFIX}'`)} ORDER BY name`;
const DROP = list({ name: 'text' }, (row) => `DELETE FROM facts ${row.using} WHERE facts.name = ${row.name}`);

/** Of processes that live; where none does, what each wrote last. */
export async function troubles(sql: Sql, live: readonly string[]): Promise<string[]> {
  const all = (await sql.all(ALL)).map((row) => ({ of: text(row, 'name'), lines: textsOf(jsonIfAny(row, 'value')) }));
  const names = new Set(live.map((id) => `${PREFIX}${id}`));
  return all.filter(({ of }) => names.size === 0 || names.has(of)).flatMap(({ lines }) => lines);
}

/** Drops those of processes that are not `known` any more. */
export async function keepTroubles(
  sql: Sql,
  id: string,
  lines: readonly string[],
  known: readonly string[],
): Promise<void> {
  const names = new Set([id, ...known].map((one) => `${PREFIX}${one}`));
  const gone = (await sql.all(ALL)).map((row) => text(row, 'name')).filter((name) => !names.has(name));
  await sql.each(
    DROP,
    gone.map((name) => ({ name })),
  );
  await writeFact(sql, `${PREFIX}${id}`, lines);
}
