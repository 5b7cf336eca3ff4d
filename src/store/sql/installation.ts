// The installation that a database belongs to. Its first start writes the name down; from then on no other one may use it.
import { OtherInstallationError } from '../contract/store.ts';
import type { SqlDatabase } from './database.ts';
import type { Sql } from './sql.ts';

type Named = Pick<SqlDatabase, 'name'>;

/** Rejects with an OtherInstallationError; nothing was changed then. Tables of older releases have no name yet. */
export async function assertInstallation(
  database: Named & Pick<SqlDatabase, 'sql' | 'header'>,
  own: string,
): Promise<void> {
  const { sql, header } = database;
  if (!Object.hasOwn(await header.columns(sql, 'cluster'), 'installation')) return;
  assertSame(database, await nameIn(sql), own);
}

/** Within a transaction that holds a lock. Rejects with an OtherInstallationError. */
export async function takeInstallation(database: Named, sql: Sql, own: string): Promise<void> {
  await sql.run('UPDATE cluster SET installation = $1 WHERE installation IS NULL', [own]);
  assertSame(database, await nameIn(sql), own);
}

export function assertSame({ name }: Named, found: string | null, own: string): void {
  if (found === null || found === own) return;
  throw new OtherInstallationError(
    `${name} is the state of the installation "${found}", and this config is of "${own}" (state.postgres.name). ` +
      'Name the database of this installation in state.postgres. Where it is this one, write ' +
      `name: ${found}. Nothing was changed.`,
  );
}

async function nameIn(sql: Sql): Promise<string | null> {
  const found = (await sql.first('SELECT installation FROM cluster'))?.['installation'];
  return typeof found === 'string' ? found : null;
}
