import { expect, test } from '@jest/globals';
import { Superseded, orSuperseded, type SqlDatabase } from '../../../src/store/sql/database.ts';
import type { Sql } from '../../../src/store/sql/sql.ts';
import { onEachEngine, onEachShared } from './engines.ts';

const ADD = 'INSERT INTO facts (name, value) VALUES ($1, $2)';
const NAMES = "SELECT name FROM facts WHERE name <> 'policy' ORDER BY name";

const namesIn = async (sql: Sql): Promise<unknown[]> => (await sql.all(NAMES)).map(({ name }) => name);

onEachEngine((open) => {
  test('a transaction keeps all or nothing', async () => {
    await using opened = await open();
    const { database } = opened;
    await database.write('record', (sql) => sql.run(ADD, ['kept', 'x']));
    const failing = database.write('record', async (sql) => {
      await sql.run(ADD, ['lost', 'x']);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow(/cannot write/);
    expect(await namesIn(database.sql)).toEqual(['kept']);
  });

  test('a superseded round keeps nothing', async () => {
    await using opened = await open();
    const { database } = opened;
    const end = await orSuperseded(
      database.write('commit-due', async (sql) => {
        await sql.run(ADD, ['lost', 'x']);
        throw new Superseded();
      }),
    );
    expect([end, await namesIn(database.sql)]).toEqual(['superseded', []]);
  });

  test('the statements of a transaction are refused after its end', async () => {
    await using opened = await open();
    const { database } = opened;
    const left = await database.write('record', async (sql) => [sql]);
    const read = await database.snapshot(async (sql) => [sql]);
    for (const sql of [...left, ...read]) await expect(sql.all(NAMES)).rejects.toThrow(/the transaction is over/);
  });

  test('writes keep the order in which they were asked for', async () => {
    await using opened = await open();
    const { database } = opened;
    const order: number[] = [];
    const write = async (at: number): Promise<void> => {
      await database.write('record', async (sql) => {
        await sql.run(ADD, [`fact ${at}`, 'x']);
        order.push(at);
      });
    };
    await Promise.all([1, 2, 3, 4].map(write));
    expect(order).toEqual([1, 2, 3, 4]);
  });

  test('values come back as they were given', async () => {
    await using opened = await open();
    const { sql } = opened.database;
    const row = await sql.first(
      'SELECT $1::bigint AS int, $2::text AS text, $3::bigint AS yes, $4::text AS missing, count(*) AS count FROM channels',
      [2 ** 45, 'ü', true, null],
    );
    expect(row).toEqual({ int: 2 ** 45, text: 'ü', yes: 1, missing: null, count: 0 });
  });

  test('a closed database can be closed again', async () => {
    await using opened = await open();
    await opened.database[Symbol.asyncDispose]();
    await opened.database[Symbol.asyncDispose]();
  });
});

onEachShared((open) => {
  test('a snapshot shows one moment', async () => {
    await using opened = await open();
    const { database } = opened;
    const [before, after] = await database.snapshot(async (sql) => {
      const first = await namesIn(sql);
      await addElsewhere(opened.again());
      return [first, await namesIn(sql)];
    });
    expect([before, after, await namesIn(database.sql)]).toEqual([[], [], ['elsewhere']]);
  });

  test('a read waits for no write, and sees nothing of it', async () => {
    await using opened = await open();
    const { database } = opened;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const writing = database.write('record', async (sql) => {
      await sql.run(ADD, ['written', 'x']);
      await promise;
    });
    expect(await namesIn(database.sql)).toEqual([]);
    expect(await namesIn(database.view.sql)).toEqual([]);
    resolve(undefined);
    await writing;
    expect(await namesIn(database.sql)).toEqual(['written']);
    expect(await namesIn(database.view.sql)).toEqual(['written']);
  });

  test('short reads do not wait behind the reads of pages', async () => {
    await using opened = await open();
    const { database } = opened;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const looking = database.view.snapshot(async (sql) => {
      await namesIn(sql);
      await promise;
    });
    expect(await namesIn(database.sql)).toEqual([]);
    resolve(undefined);
    await looking;
  });
});

async function addElsewhere(other: SqlDatabase): Promise<void> {
  await other.write('record', (sql) => sql.run(ADD, ['elsewhere', 'x']));
}
