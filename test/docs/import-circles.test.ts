// Files that import each other in a circle can only be understood together. Types count: they tie files just the same.
import { expect, test } from '@jest/globals';
import { importsOf, parse, parseSources, type Import } from '../support/syntax.ts';

test('no file imports itself by way of others, types included', () => {
  const imports = [...parseSources()].flatMap(([file, source]) => importsOf(file, source));
  expect(imports.length).toBeGreaterThan(1000);
  expect(circlesIn(imports)).toEqual([]);
});

test('a circle is found through types, exports, import() and import types', () => {
  const files = {
    'a.ts': "import type { B } from './b.ts';",
    'b.ts': "export { c } from './c.ts';",
    'c.ts': "export const c = () => import('./d.ts');",
    'd.ts': "export type D = import('./a.ts').A;",
    'e.ts': "import { a } from './a.ts';",
  };
  const imports = Object.entries(files).flatMap(([file, text]) => importsOf(file, parse(file, text)));
  expect(circlesIn(imports)).toEqual(['a.ts -> b.ts -> c.ts -> d.ts -> a.ts']);
});

/** One circle for each file that is the first to be reached in one, as `a.ts -> b.ts -> a.ts`. */
function circlesIn(imports: readonly Import[]): string[] {
  const byFile = Map.groupBy(imports, ({ file }) => file);
  const finished = new Set<string>();
  const circles: string[] = [];

  function visit(file: string, above: readonly string[]): void {
    const start = above.indexOf(file);
    if (start >= 0) circles.push([...above.slice(start), file].join(' -> '));
    if (start >= 0 || finished.has(file)) return;
    for (const { target } of byFile.get(file) ?? []) if (target !== null) visit(target, [...above, file]);
    finished.add(file);
  }

  for (const file of byFile.keys()) visit(file, []);
  return circles;
}
