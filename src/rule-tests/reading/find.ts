// Finds test files.
import { globSync, statSync } from 'node:fs';
import { join, normalize, sep } from 'node:path';

export type FoundTestFiles = { readonly files: readonly string[] } | { readonly complaint: string };

/** The test files that the paths name, each once. A directory stands for all test files in it and below it. */
export function findTestFiles(paths: readonly string[]): FoundTestFiles {
  const files: string[] = [];
  for (const path of paths) {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return { complaint: `there is no "${path}"` };
    if (!stat.isDirectory() && !/\.test\.ya?ml$/.test(path))
      return { complaint: `"${path}" is no test of rules: its name has to end in .test.yaml` };
    files.push(...(stat.isDirectory() ? testFilesBelow(path) : [path]));
  }
  return { files: [...new Set(files.map((file) => normalize(file).split(sep).join('/')))] };
}

function testFilesBelow(directory: string): string[] {
  return globSync('**/*.test.{yaml,yml}', { cwd: directory, exclude: ['**/node_modules/**'] })
    .toSorted()
    .map((file) => join(directory, file));
}
