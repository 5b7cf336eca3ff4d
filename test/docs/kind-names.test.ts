// A kind and an operation know all about themselves: a new one is its file and its line. Code elsewhere that asks for
// one by its name would have to be found and changed with it.
import { expect, test } from '@jest/globals';
import ts from 'typescript';
import { OPERATIONS } from '../../src/explorer/operations.ts';
import { kinds } from '../../src/watches/index.ts';
import { lineOf, nodesIn, parse, parseSources } from '../support/syntax.ts';

const NAMES = new Set([...kinds, ...OPERATIONS].map(({ name }) => name));

/** Rooms that are about single kinds and operations; the sandbox is an explorer of its own. */
const EXEMPT = /^src\/(?:watches\/|sandbox\/|explorer\/operations\.ts$)/;

/** Names that are also words of other things: types of values, keys of rules, fields of records. */
const COMMON_WORDS = new Set(['address', 'token', 'balance', 'contract', 'read']);

/** What ends so is an enumeration of the code's own: `field.type`. So is a value of `sightings`. */
const OF_ENUMERATIONS = new Set(['type', 'key', 'what', 'reason', 'sightings']);

test('nothing outside of watches, operations and sandbox asks for a kind or an operation by its name', () => {
  const found = [...parseSources()].flatMap(([file, source]) => (EXEMPT.test(file) ? [] : namesAskedIn(file, source)));
  expect(found).toEqual([]);
});

test.each([
  "const isHead = question.operation === 'blocks';",
  "if ('balance' !== kind.name) return;",
  "switch (operation) { case 'token': break; }",
  "const costs = { 'address-tokens': 20, other: 1 };",
  'const docs = { blocks: 1, transactions: 2 };',
  'interface Docs { readonly blocks: string; readonly balance: string }',
  "const doc = docs['blocks'];",
  "const isList = ['holdings', 'transactions'].includes(kind.name);",
  "const lists = new Set(['blocks']);",
  "const isOfAddress = operation.startsWith('address-tokens');",
])('found: %s', (text) => {
  expect(namesAskedIn('x.ts', parse('x.ts', text))).not.toEqual([]);
});

test.each([
  "if (field.type === 'address') return;",
  "switch (meaning.type) { case 'token': break; }",
  "if (reason === 'token') journal.onWrongToken();",
  "const isOne = sightings[key] === 'contract';",
  'const message = { of, token, address, fields };',
  'const chain = { blocks: reader.blocks(), head };',
])('no name of a kind: %s', (text) => {
  expect(namesAskedIn('x.ts', parse('x.ts', text))).toEqual([]);
});

function namesAskedIn(file: string, source: ts.SourceFile): string[] {
  return nodesIn(source)
    .filter(isAsked)
    .map((node) => `${file}:${lineOf(node)}: ${node.getText()}`);
}

function isAsked(node: ts.Node): boolean {
  if (ts.isObjectLiteralExpression(node)) return isKeyedByNames(node.properties);
  if (ts.isInterfaceDeclaration(node) || ts.isTypeLiteralNode(node)) return isKeyedByNames(node.members);
  return ts.isStringLiteralLike(node) && NAMES.has(node.text) && isCompared(node);
}

/** Two names of kinds or operations among the keys are no accident, unless both are common words. */
function isKeyedByNames(properties: readonly (ts.ObjectLiteralElementLike | ts.TypeElement)[]): boolean {
  const keys = properties.flatMap(({ name }) => (name !== undefined && isText(name) ? [name.text] : []));
  const names = keys.filter((key) => NAMES.has(key));
  return (
    names.some((name) => name.includes('-')) || (names.length > 1 && !names.every((name) => COMMON_WORDS.has(name)))
  );
}

function isText(name: ts.PropertyName): name is ts.Identifier | ts.StringLiteral {
  return ts.isIdentifier(name) || ts.isStringLiteral(name);
}

/**
 * With what a name is compared: an operand of `===`, a case, an item of a list or set, a
 * key that is read, an argument of a text's method.
 */
function isCompared(literal: ts.StringLiteralLike): boolean {
  const { parent } = literal;
  if (ts.isBinaryExpression(parent)) {
    const other = parent.left === literal ? parent.right : parent.left;
    return EQUALITY.has(parent.operatorToken.kind) && !tellsType(other);
  }
  if (ts.isCaseClause(parent)) return !tellsType(parent.parent.parent.expression);
  if (COMMON_WORDS.has(literal.text)) return false;
  if (ts.isArrayLiteralExpression(parent) || ts.isElementAccessExpression(parent)) return true;
  return ts.isCallExpression(parent) && ts.isPropertyAccessExpression(parent.expression);
}

const EQUALITY = new Set([
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
  ts.SyntaxKind.EqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsToken,
]);

function tellsType(node: ts.Node): boolean {
  if (ts.isElementAccessExpression(node)) return tellsType(node.expression);
  const name = ts.isPropertyAccessExpression(node) ? node.name : node;
  return ts.isIdentifier(name) && OF_ENUMERATIONS.has(name.text);
}
