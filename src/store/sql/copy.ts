// Copies a state from one database to another, row by row in one transaction. Both have the same tables.
import { readFact, writeFact } from '../tables/memory/facts.ts';
import { StorageError } from '../contract/store.ts';
import type { SqlDatabase } from './database.ts';
import type { Row } from './rows.ts';
import { fieldName, insertion, paged, type Sql } from './sql.ts';
import { isNumbered, TABLES, type StateTable } from './table-order.ts';

/** By table, the number of copied rows. */
export type Copied = ReadonlyMap<string, number>;

const AT_ONCE = 100;

/**
 * Copies one snapshot of the state. `begin` is called first in the transaction of the target, and may reject. Rejects
 * with a StorageError, also if the target is not empty; the target is unchanged then.
 */
export function copyTables(
  from: Pick<SqlDatabase, 'snapshot'>,
  to: SqlDatabase,
  begin: (target: Sql) => Promise<void> = async () => undefined,
): Promise<Copied> {
  return from.snapshot((source) =>
    to.write('migrate', async (target) => {
      await begin(target);
      const copied = new Map<string, number>();
      for (const table of TABLES) copied.set(table.name, await copyTable(source, target, table, to));
      // Three facts are copied: decisions depend on the number of the policy, sent links must stay valid, and the names
      // of plans depend on the salt.
      for (const name of ['policy', 'links', 'salt'] as const) {
        const fact = await readFact(source, name);
        if (fact !== null) await writeFact(target, name, fact);
      }
      return copied;
    }),
  );
}

async function copyTable(
  source: Sql,
  target: Sql,
  table: StateTable,
  { name, dialect, header }: Pick<SqlDatabase, 'name' | 'dialect' | 'header'>,
): Promise<number> {
  if ((await target.first(`SELECT 1 FROM ${table.name} LIMIT 1`)) !== undefined)
    throw new StorageError(`${name} holds a state already: name an empty database.`);
  const columns = await header.columns(target, table.name);
  const names = Object.keys(columns);
  const insert = insertion(table.name, columns);
  const select = paged(
    table.keys,
    ({ after, end }) => `SELECT ${names.join(', ')} FROM ${table.name} WHERE ${after} ${end}`,
  );
  let count = 0;
  for await (const rows of source.pages(select, AT_ONCE)) count += await target.each(insert, rows.map(storable));
  const renumber = isNumbered(table) && count > 0 ? dialect.numbersFrom(table.name) : null;
  if (renumber !== null) await target.first(renumber);
  return count;
}

function storable(row: Row): Readonly<Record<string, string | number | null>> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [fieldName(name), valueOf(value)]));
}

function valueOf(value: unknown): string | number | null {
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}
