import { describe, expect, test } from '@jest/globals';
import { copyTables } from '../../../src/store/copy.ts';
import type { SqlDatabase } from '../../../src/store/sql/database.ts';
import { SCHEMA_STEPS } from '../../../src/store/sql/schema.ts';
import { list } from '../../../src/store/sql/sql.ts';
import { isNumbered, TABLES } from '../../../src/store/sql/table-order.ts';
import { SQLITE } from '../../../src/store/sqlite/dialect.ts';
import { createMemoryDatabase } from '../../../src/store/sqlite/driver.ts';
import { migrateState } from '../../../src/store/sql/migrate.ts';
import { onEachEngine } from './engines.ts';

const LINE = list(
  { at: 'int', data: 'text' },
  (row, d) => `
  INSERT INTO journal (at, kind, subject, actor, data) SELECT ${row.at}, 'k', 's', 'a', ${row.data} ${row.from} ${d.inOrder}`,
);
// More than one page, with what a stranger may have named.
const LINES = Array.from({ length: 2345 }, (_, at) => ({ at, data: JSON.stringify(`\u0000 \ud83d\ude00 ${at}`) }));

async function fill(database: SqlDatabase): Promise<void> {
  await database.write('commit', async (sql) => {
    await sql.each(LINE, LINES);
    await sql.run('DELETE FROM journal WHERE number > 2300');
    await sql.run(`INSERT INTO memory (watch, version, checksum, state, alerts) VALUES ('w', 3, 'c', 's', '{}')`);
    await sql.run(`INSERT INTO covered (watch, until) VALUES ('w', NULL)`);
    await sql.run(`INSERT INTO plans (plan, at, kept) VALUES ('p', 1, '{}')`);
    await sql.run(`INSERT INTO facts (name, value) VALUES ('salt', '"s"')`);
    await sql.run(`UPDATE facts SET value = '7' WHERE name = 'policy'`);
  });
}

async function emptyDatabase(): Promise<SqlDatabase> {
  const database = createMemoryDatabase();
  await migrateState(database);
  return database;
}

const tableOf = async ({ sql }: SqlDatabase, name: string): Promise<unknown> =>
  (await sql.all(`SELECT * FROM ${name} ORDER BY 1`)).map((row) => ({ ...row }));

onEachEngine((open) => {
  test('moves every row there and back, and numbers new rows after those', async () => {
    await using opened = await open();
    const { database } = opened;
    const [before, after] = [await emptyDatabase(), await emptyDatabase()];
    await fill(before);
    const copied = await copyTables(before, database);
    expect([...copied].filter(([, count]) => count > 0)).toEqual([
      ['memory', 1],
      ['covered', 1],
      ['plans', 1],
      ['journal', 2300],
    ]);
    await copyTables(database, after);
    for (const { name } of [...TABLES, { name: 'facts' }])
      expect([name, await tableOf(after, name)]).toEqual([name, await tableOf(before, name)]);
    await database.write('record', (sql) => sql.each(LINE, LINES.slice(0, 1)));
    expect(await database.sql.first('SELECT max(number) AS newest FROM journal')).toEqual({ newest: 2301 });
  });

  test('leaves a database that holds something as it was', async () => {
    await using opened = await open();
    const { database } = opened;
    const before = await emptyDatabase();
    await fill(before);
    await database.write('record', (sql) => sql.each(LINE, LINES.slice(0, 1)));
    await expect(copyTables(before, database)).rejects.toThrow('holds a state already: name an empty database');
    expect(await tableOf(database, 'memory')).toEqual([]);
    const begin = () => Promise.reject(new Error('in use'));
    await expect(copyTables(await emptyDatabase(), before, begin)).rejects.toThrow('in use');
  });
});

describe('the list of tables', () => {
  test('names every table of the schema, each after those that it refers to, with the columns of its key', () => {
    const made = SCHEMA_STEPS.flatMap((step) => step(SQLITE)).flatMap((statement) => {
      const [, name] = /^CREATE TABLE (\w+)/.exec(statement) ?? [];
      return name === undefined ? [] : [{ name, statement }];
    });
    expect(TABLES.map(({ name }) => name).toSorted()).toEqual(
      made
        .map(({ name }) => name)
        .filter((name) => name !== 'facts')
        .toSorted(),
    );
    const before = new Set<string>();
    for (const table of TABLES) {
      const statement = made.find(({ name }) => name === table.name)?.statement ?? '';
      expect([table.name, keysIn(statement)]).toEqual([table.name, table.keys]);
      expect([table.name, /number INTEGER PRIMARY KEY/.test(statement)]).toEqual([table.name, isNumbered(table)]);
      for (const [, other = ''] of statement.matchAll(/REFERENCES (\w+)/g)) expect(before).toContain(other);
      before.add(table.name);
    }
  });
});

function keysIn(statement: string): string[] {
  const [, several] = /PRIMARY KEY \(([^)]*)\)/.exec(statement) ?? [];
  const [, single = ''] = /(\w+) (?:TEXT|INTEGER)(?: NOT NULL)? PRIMARY KEY/.exec(statement) ?? [];
  return several?.split(', ') ?? [single];
}
