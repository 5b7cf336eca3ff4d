// Types, sizes and folders of files.
import { dirname } from 'node:path';
import ts from 'typescript';
import type { Import } from '../syntax.ts';

/** Names of exported types that two files or more declare, each with the files. */
export function namesDeclaredTwice(sources: ReadonlyMap<string, ts.SourceFile>): string[] {
  const declared = [...sources].flatMap(([file, { statements }]) =>
    statements.flatMap((statement) => typeNameOf(statement) ?? []).map((name) => ({ name, file })),
  );
  return [...Map.groupBy(declared, ({ name }) => name)].flatMap(([name, found]) => {
    const files = [...new Set(found.map(({ file }) => file))];
    return files.length > 1 ? [`${name}: ${files.join(', ')}`] : [];
  });
}

function typeNameOf(statement: ts.Statement): string | undefined {
  const isType =
    ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement) || ts.isClassDeclaration(statement);
  if (!isType) return undefined;
  const isExported = statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
  return isExported ? statement.name?.text : undefined;
}

/** Commands are loaded one by one, threads are files of their own by nature, and an index is the list of its folder. */
const MAY_BE_SMALL = /^src\/cli\/|-thread\.ts$|\/index\.ts$/;

/** Files of fewer lines that one other file imports. */
export function smallFiles(
  sources: ReadonlyMap<string, { readonly text: string }>,
  imports: readonly Import[],
  lines: number,
): string[] {
  const byTarget = Map.groupBy(imports, ({ target }) => target);
  return [...sources].flatMap(([file, { text }]) => {
    const importers = new Set(byTarget.get(file)?.map((found) => found.file));
    const isSmall = text.split('\n').length <= lines && importers.size === 1 && !MAY_BE_SMALL.test(file);
    return isSmall ? [`${file}, imported by ${[...importers].join()}`] : [];
  });
}

/** Folders that hold more files than that, those of their own folders left out. */
export function fullFolders(files: readonly string[], most: number): string[] {
  const byFolder = Map.groupBy(files, (file) => dirname(file));
  return [...byFolder].flatMap(([folder, { length }]) => (length > most ? [`${folder}: ${length} files`] : []));
}
