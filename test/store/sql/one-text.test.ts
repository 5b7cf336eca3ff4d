// Tables are written once for both engines: what only one of them knows stands in its dialect.
import { expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const STORE = 'src/store';
const isOfEngine = (file: string): boolean => /^(?:sqlite|postgres)\//.test(file);

const texts = new Map(
  readdirSync(STORE, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => [file, readFileSync(join(STORE, file), 'utf8')]),
);
/** Texts within backticks and quotes: comments and names are left out. */
const sqlIn = (text: string): string => [...text.matchAll(/`[^`]*`|'[^'\n]*'/g)].join('\n');

const asksWhich = (text: string): boolean => /\bname [!=]== '(?:sqlite|postgres)'/.test(text);
const isForOneEngine = (text: string): boolean =>
  /\b(?:json_each|json_group_array|unnest|rowid|GLOB|OR REPLACE|OR IGNORE|greatest|least|ANY|INDEXED BY|pg_(?!dump)\w+)\b|::json/.test(
    sqlIn(text),
  );
const awaitsOther = (text: string): boolean => /\b(?:nextTurn|Promise\.all|setTimeout)\b/.test(text);

function filesWhere(isFound: (text: string) => boolean, folder = ''): string[] {
  return [...texts].flatMap(([file, text]) =>
    !isOfEngine(file) && file.startsWith(folder) && isFound(text) ? [file] : [],
  );
}

test('reads the tables', () => {
  expect(filesWhere(() => true, 'tables/').length).toBeGreaterThan(30);
});

test('asks which engine it is only where a measurement needs it', () => {
  expect(filesWhere(asksWhich)).toEqual(['tables/deliveries/deliveries.ts']);
});

test('uses no word that only one engine knows', () => {
  expect(filesWhere(isForOneEngine)).toEqual([]);
});

test('awaits nothing in tables but statements', () => {
  expect(filesWhere(awaitsOther, 'tables/')).toEqual([]);
});

test.each([
  [asksWhich, "d.name === 'sqlite' ? 1 : 2", 'd.name'],
  [isForOneEngine, '`SELECT value FROM json_each($1)`', '// json_each of SQLite'],
  [isForOneEngine, '`SELECT rowid FROM t`', '`SELECT number FROM t`'],
  [awaitsOther, 'await nextTurn();', 'await sql.run(NEXT);'],
])('%p finds its words, and nothing else', (isFound, text, other) => {
  expect([isFound(text), isFound(other)]).toEqual([true, false]);
});
