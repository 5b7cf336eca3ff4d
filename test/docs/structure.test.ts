// The structure of the sources, beside who imports whom (boundaries.test.ts). Each bound is the number of places that are
// left: it may only be lowered. A failure lists all places of its check.
import { expect, test } from '@jest/globals';
import { above } from '../support/checks/bound.ts';
import { fullFolders, namesDeclaredTwice, smallFiles } from '../support/checks/files.ts';
import { forwardingFunctions, longFunctions } from '../support/checks/functions.ts';
import { importsOf, parse, parseSources } from '../support/syntax.ts';

const MOST_LINES = 80;
const FEW_LINES = 25;
const MOST_FILES = 20;

/** Functions that are longer. A name leaves the list when its function is split. */
const STILL_LONG = new Set(['createExplorer', 'createPoller', 'createSharedOwnership']);

const sources = parseSources();
const files = [...sources];

const sample = (text: string) => parse('x.ts', text);
const samples = (texts: Readonly<Record<string, string>>) =>
  new Map(Object.entries(texts).map(([file, text]) => [file, parse(file, text)]));

test('reads all sources', () => {
  expect(files.length).toBeGreaterThan(500);
});

test('the bound of a check fails above it, and shows the places', () => {
  expect(above(2, ['a', 'b'])).toEqual([]);
  expect(above(2, ['a'])).toEqual([]);
  expect(above(1, ['a', 'b'])).toEqual(['2 places, allowed: 1', 'a', 'b']);
});

test('an exported type has a name of its own', () => {
  expect(above(0, namesDeclaredTwice(sources))).toEqual([]);
});

test('finds a name of two types', () => {
  const found = namesDeclaredTwice(
    samples({
      'a.ts': 'export interface Row { readonly a: 1 }\nexport class Page {}',
      'b.ts': 'export type Row = string;\nexport abstract class Page {}',
    }),
  );
  expect(found).toEqual(['Row: a.ts, b.ts', 'Page: a.ts, b.ts']);
});

test('passes types of one file, and names that are not exported or are no types', () => {
  const found = namesDeclaredTwice(
    samples({
      'a.ts': 'export const Row = 1;\nexport type Row = typeof Row;\ninterface Own {}',
      'b.ts': "interface Own {}\nexport type { Row } from './a.ts';\nexport const Row2 = 1;",
    }),
  );
  expect(found).toEqual([]);
});

test('a function is short enough for one screen', () => {
  const long = files.flatMap(([file, source]) => longFunctions(file, source, MOST_LINES));
  expect(long.filter(({ name }) => !STILL_LONG.has(name)).map(({ place }) => place)).toEqual([]);
});

test.each([
  'function a() {\n\n}',
  'const a = () => {\n\n};',
  'const b = { a() {\n\n} };',
  'const b = { a: () =>\n\n1 };',
])('finds the function of three lines in: %s', (text) => {
  expect(longFunctions('x.ts', sample(text), 2)).toEqual([{ name: 'a', place: 'x.ts:1: a has 3 lines' }]);
});

test.each(['function a() {\n\n}', '\n\n/** One.\n * Two. */\nconst a = () => 1;', 'interface B { a(\n\n\n): void }'])(
  'passes the length of: %s',
  (text) => {
    expect(longFunctions('x.ts', sample(text), 3)).toEqual([]);
  },
);

test('a call is made where it is meant, not forwarded', () => {
  expect(
    above(
      23,
      files.flatMap(([file, source]) => forwardingFunctions(file, source)),
    ),
  ).toEqual([]);
});

test.each([
  'const x = { run: (signal) => loop.run(signal) };',
  'const x = { run: async (signal) => await loop.run(signal) };',
  'const x = { run(signal) { loop.run(signal); } };',
  'class X { run(a, b) { return this.#loop.run(a, b); } }',
  'const x = { now: () => clock.now() };',
])('finds the forwarded call in: %s', (text) => {
  expect(forwardingFunctions('x.ts', sample(text))).toHaveLength(1);
});

test.each([
  'const x = { run: (signal) => loop.start(signal) };',
  'const x = { run: (a, b) => loop.run(b, a) };',
  'const x = { run: (a) => loop.run(a, 1) };',
  'const x = { run: loop.run };',
  'class X { *values() { for (const { value } of this.rows.values()) yield value; } }',
  'class X { run(a) { check(a); return this.loop.run(a); } }',
])('passes the call in: %s', (text) => {
  expect(forwardingFunctions('x.ts', sample(text))).toEqual([]);
});

test('a file has more than a few lines, or several importers', () => {
  const imports = files.flatMap(([file, source]) => importsOf(file, source));
  expect(above(6, smallFiles(sources, imports, FEW_LINES))).toEqual([]);
});

test('finds the small file with one importer, and no other', () => {
  const texts = samples({
    'src/a.ts': "import { b } from './b.ts';\nimport './c.ts';\nimport './large.ts';\nimport './backup-thread.ts';",
    'src/b.ts': "import './c.ts';",
    'src/c.ts': '',
    'src/large.ts': '\n'.repeat(9),
    'src/backup-thread.ts': '',
  });
  const imports = [...texts].flatMap(([file, source]) => importsOf(file, source));
  expect(smallFiles(texts, imports, 5)).toEqual(['src/b.ts, imported by src/a.ts']);
});

test('a folder can be seen whole', () => {
  expect(fullFolders([...sources.keys()], MOST_FILES)).toEqual([]);
});

test('finds the full folder, and does not count the files of its own folders', () => {
  expect(fullFolders(['a/1.ts', 'a/2.ts', 'a/3.ts', 'b/1.ts', 'b/2.ts', 'b/c/3.ts'], 2)).toEqual(['a: 3 files']);
});
