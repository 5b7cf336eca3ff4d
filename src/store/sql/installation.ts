// The installation that a database belongs to. The first start of an installation stores its name. From then on no
// other installation may use the database.
import { OtherInstallationError } from '../contract/store.ts';
import type { SqlDatabase } from './database.ts';
import type { Sql } from './sql.ts';

type Named = Pick<SqlDatabase, 'name'>;

/**
 * Rejects with an OtherInstallationError, without a change, if the database has another name. Tables of older releases
 * have no name yet, and are accepted.
 */
export async function assertInstallation(
  database: Named & Pick<SqlDatabase, 'sql' | 'header'>,
  own: string,
): Promise<void> {
  const { sql, header } = database;
  if (!Object.hasOwn(await header.columns(sql, 'cluster'), 'installation')) return;
  assertSame(database, await nameIn(sql), own);
}

/**
 * Stores the name if there is none. Must be called in a transaction that holds a lock. Rejects with an
 * OtherInstallationError if the database has another name.
 */
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
