// A file that is renamed or removed may still be named in a text.
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const PATH = /`((?:src|test|deploy|docs|bench)\/[\w./-]+)`|\]\((?!https?:)([\w./-]+)/g;

const named = globSync(['README.md', 'docs/*.md', 'CHANGELOG.md', 'src/**/*.ts', 'test/**/*.ts']).flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(PATH)].flatMap(([, path, link]) => {
    if (path !== undefined) return [{ file, path }];
    return file.endsWith('.md') && link !== undefined ? [{ file, path: linked(file, link) }] : [];
  }),
);

function linked(file: string, link: string): string {
  return file.startsWith('docs/') ? `docs/${link}` : link;
}

test('what the documents and comments name is there', () => {
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter(({ path }) => !existsSync(path))).toEqual([]);
});

test('the map of the code names fourteen files of a poll that can be read in one sitting, and each folder of the sources', () => {
  const map = readFileSync('docs/architecture.md', 'utf8');
  const files = [...map.matchAll(/^\| \d+ +\| `(src\/[\w./-]+\.ts)` /gm)].map(([, file = '']) => file);
  expect(new Set(files).size).toBe(14);
  const lines = files.map((file) => readFileSync(file, 'utf8').split('\n').length);
  expect(Math.max(...lines)).toBeLessThanOrEqual(341);
  const folders = readdirSync('src', { withFileTypes: true }).filter((one) => one.isDirectory());
  expect(folders.map(({ name }) => `src/${name}`).filter((folder) => !map.includes(`\`${folder}\``))).toEqual([]);
});
