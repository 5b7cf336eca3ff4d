// The sources of the program as syntax trees of TypeScript's own parser, for tests about its structure.
import { globSync, readFileSync } from 'node:fs';
import { dirname, normalize } from 'node:path';
import ts from 'typescript';

/** Every file that the pattern names, by its path from the root of the repository. */
export function parseSources(pattern = 'src/**/*.ts'): ReadonlyMap<string, ts.SourceFile> {
  const files = globSync(pattern).toSorted();
  return new Map(files.map((file) => [file, parse(file, readFileSync(file, 'utf8'))]));
}

export function parse(file: string, text: string): ts.SourceFile {
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
}

/** Every node below a node, in the order of the text; keywords and punctuation are none. */
export function nodesIn(node: ts.Node): readonly ts.Node[] {
  const found: ts.Node[] = [];
  function visit(child: ts.Node): void {
    found.push(child);
    ts.forEachChild(child, visit);
  }
  ts.forEachChild(node, visit);
  return found;
}

/** The line where a node begins, from 1. */
export function lineOf(node: ts.Node): number {
  return node.getSourceFile().getLineAndCharacterOfPosition(node.getStart()).line + 1;
}

/** One `import`, `export from`, `import()` or `import('...')` type. */
export interface Import {
  readonly file: string;
  /** As it is written, such as `../lib/clock.ts` or `zod`. */
  readonly specifier: string;
  /** The imported file by its path from the root; null for a package. */
  readonly target: string | null;
  /** Nothing of it is left when the program runs. */
  readonly isType: boolean;
  readonly text: string;
}

export function importsOf(file: string, source: ts.SourceFile): Import[] {
  return nodesIn(source).flatMap((node) => {
    const found = specifierOf(node);
    if (found === undefined) return [];
    const { specifier, isType } = found;
    const target = specifier.startsWith('.') ? normalize(`${dirname(file)}/${specifier}`) : null;
    return [{ file, specifier, target, isType, text: node.getText() }];
  });
}

function specifierOf(node: ts.Node): { readonly specifier: string; readonly isType: boolean } | undefined {
  if (ts.isImportDeclaration(node))
    return named(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword);
  if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined)
    return named(node.moduleSpecifier, node.isTypeOnly);
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return named(node.argument.literal, true);
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
    return named(node.arguments[0], false);
  return undefined;
}

function named(specifier: ts.Node | undefined, isType: boolean) {
  return specifier !== undefined && ts.isStringLiteral(specifier) ? { specifier: specifier.text, isType } : undefined;
}
