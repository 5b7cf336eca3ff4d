// A file that is renamed or removed may still be named in a text.
import { existsSync, globSync, readFileSync } from 'node:fs';
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
