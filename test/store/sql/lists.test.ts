// A list statement is written for one row, and does the same on both engines in whatever order the rows are.
import { expect, test } from '@jest/globals';
import { earlier, later } from '../../../src/store/sql/dialect.ts';
import { jsonOrNull, type Row } from '../../../src/store/sql/rows.ts';
import { list, paged, type ListRow, type ListStatement, type Sql } from '../../../src/store/sql/sql.ts';
import type { SqlDatabase } from '../../../src/store/sql/database.ts';
import { onEachEngine } from './engines.ts';

const PUT = list(
  { name: 'text', value: 'text' },
  (row) => `INSERT INTO facts (name, value) SELECT ${row.name}, ${row.value} ${row.from} WHERE true
    ON CONFLICT (name) DO UPDATE SET value = facts.value || excluded.value`,
);
const RENAME = list(
  { name: 'text', new_value: 'text?' },
  (row) => `UPDATE facts SET value = coalesce(${row.new_value}, 'none') ${row.from} WHERE facts.name = ${row.name}`,
);
const DROP = list({ name: 'text' }, (row) => `DELETE FROM facts ${row.using} WHERE facts.name = ${row.name}`);
const FIND = list(
  { name: 'text', nth_place: 'int', is_wanted: 'bool' },
  (row) => `SELECT facts.name, ${row.nth_place} AS place FROM facts ${row.also}
    WHERE facts.name = ${row.name} AND ${row.is_wanted} = 1`,
);
const RUN = list(
  { name: 'text', ran_ms: 'int' },
  (row, d) => `INSERT INTO channels (name, ran_ms) SELECT ${row.name}, ${row.ran_ms} ${row.from} ${d.inOrder}`,
);
const FACTS = "SELECT name, value FROM facts WHERE name <> 'policy' ORDER BY name";

const given = ['a', 'b', 'c', 'd'];

onEachEngine((open) => {
  test.each(['in the order of the list', 'in the opposite order'])('a list changes the same rows %s', async (order) => {
    await using opened = await open();
    const { database } = opened;
    const inOrder = <T>(rows: readonly T[]): readonly T[] => (order.includes('opposite') ? rows.toReversed() : rows);
    expect(await each(database, PUT, inOrder(given.map((name) => ({ name, value: `${name}1` }))))).toBe(4);
    expect(await each(database, PUT, inOrder(given.slice(2).map((name) => ({ name, value: '2' }))))).toBe(2);
    expect(
      await each(
        database,
        RENAME,
        inOrder([
          { name: 'a', newValue: 'x' },
          { name: 'b', newValue: null },
          { name: 'z', newValue: 'y' },
        ]),
      ),
    ).toBe(2);
    expect(await each(database, DROP, inOrder([{ name: 'd' }, { name: 'z' }]))).toBe(1);
    expect(await database.sql.all(FACTS)).toEqual([
      { name: 'a', value: 'x' },
      { name: 'b', value: 'none' },
      { name: 'c', value: 'c12' },
    ]);
  });

  test('the results of a list are those of each row', async () => {
    await using opened = await open();
    const { database } = opened;
    await each(
      database,
      PUT,
      given.map((name) => ({ name, value: name })),
    );
    const wanted = ['c', 'a', 'q'].map((name, at) => ({ name, nthPlace: at, isWanted: true }));
    const rows = await database.sql.allOf(FIND, [...wanted, { name: 'b', nthPlace: 9, isWanted: false }]);
    expect(placesIn(rows)).toEqual(['a 1', 'c 0']);
  });

  test('an empty list is no statement', async () => {
    await using opened = await open();
    const { sql } = opened.database;
    expect([await sql.each(DROP, []), await sql.allOf(FIND, [])]).toEqual([0, []]);
  });

  test('a NUL within a text fails no statement', async () => {
    await using opened = await open();
    await each(opened.database, RUN, [{ name: 'a\0b', ranMs: 1 }]);
    expect(await opened.database.sql.all('SELECT ran_ms FROM channels')).toEqual([{ ran_ms: 1 }]);
  });

  test('pages hold every row once', async () => {
    await using opened = await open();
    const { database } = opened;
    await each(
      database,
      PUT,
      Array.from({ length: 25 }, (_, at) => ({ name: String(at).padStart(2, '0'), value: at < 20 ? 'yes' : 'no' })),
    );
    const pages = await database.snapshot((sql) => pagesIn(sql));
    expect(pages.map(({ length }) => length)).toEqual([8, 8, 4]);
    expect(new Set(pages.flat()).size).toBe(20);
  });

  test('the words of the dialects mean the same', async () => {
    await using opened = await open();
    const { database } = opened;
    await each(database, PUT, [
      { name: 'a/1', value: '{"of": "x", "in": {"by": "y"}}' },
      { name: 'a/2', value: '["x", "z"]' },
      { name: 'B_3', value: 'no JSON' },
    ]);
    expect(await database.sql.all(WORDS, [['a/1', 'B_3'], 'a/', 'b\\_%', 'x'])).toEqual([
      { name: 'B_3', listed: 1, begins: 0, holds: 0, is_like: 1, json: 0, text: null, within: null, has: 0 },
      { name: 'a/1', listed: 1, begins: 1, holds: 1, is_like: 0, json: 1, text: 'x', within: 'y', has: 0 },
      { name: 'a/2', listed: 0, begins: 1, holds: 1, is_like: 0, json: 1, text: null, within: null, has: 1 },
    ]);
    const arrays = (await database.sql.first(ARRAYS)) ?? {};
    expect([jsonOrNull(arrays['names']), jsonOrNull(arrays['none'])]).toEqual([['B_3', 'a/1', 'a/2'], []]);
  });

  test.each([
    [1, 2, 2, 1],
    [2, 1, 2, 1],
    [null, 1, 1, 1],
    [1, null, 1, 1],
    [null, null, null, null],
  ])('of %p and %p, the later is %p and the earlier %p', async (a, b, late, early) => {
    await using opened = await open();
    expect(await opened.database.sql.first(OF_TWO, [a, b])).toEqual({ late, early });
  });
});

const OF_TWO = `SELECT ${later('$1::bigint', '$2::bigint')} AS late, ${earlier('$1::bigint', '$2::bigint')} AS early`;

const flag = (condition: string): string => `CASE WHEN ${condition} THEN 1 ELSE 0 END::bigint`;

const WORDS: ListStatement<Record<string, never>>['text'] = (d) => `
  SELECT name, ${flag(d.among('name', '$1', 'text'))} AS listed, ${flag(d.startsWith('name', '$2'))} AS begins,
    ${flag(d.contains('name', '$2'))} AS holds,
    ${flag(`name ${d.like} $3 ESCAPE '\\'`)} AS is_like, ${flag(d.isJson('value'))} AS json,
    ${d.jsonText('value', 'of')} AS text, ${d.jsonText('value', 'in', 'by')} AS within, ${flag(d.jsonHas('facts.value', '$4'))} AS has
  FROM facts WHERE name <> 'policy' ORDER BY name`;

const ARRAYS: typeof WORDS = (d) => `
  SELECT ${d.jsonArray('name ORDER BY name')} AS names, (SELECT ${d.jsonArray('name')} FROM channels) AS none
  FROM facts WHERE name <> 'policy'`;

const YES = paged(
  ['name'],
  ({ after, end }) => `SELECT name FROM facts WHERE value = 'yes' AND ${after} ${end}`,
  'facts',
);

async function pagesIn(sql: Sql): Promise<unknown[][]> {
  const pages: unknown[][] = [];
  for await (const rows of sql.pages(YES, 8)) pages.push(rows.map(({ name }) => name));
  return pages;
}

type Columns = Parameters<typeof list>[0];

function each<C extends Columns>(
  database: SqlDatabase,
  statement: ListStatement<C>,
  rows: readonly ListRow<C>[],
): Promise<number> {
  return database.write('record', (sql) => sql.each(statement, rows));
}

function placesIn(rows: readonly Row[]): string[] {
  return rows.map(({ name, place }) => `${String(name)} ${String(place)}`).toSorted();
}
