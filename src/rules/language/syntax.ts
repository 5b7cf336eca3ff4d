// The parts of cel-js's syntax tree that conditions use. Literals are replaced in it before the type check.
import type { ASTNode } from '@marcbachmann/cel-js';
import type { TextSpan } from '../../config/problem.ts';

export interface Node {
  readonly op: string;
  args: unknown;
  /** Offsets in the expression; `pos` is the place of an error about it. */
  readonly pos: number;
  readonly start: number;
  readonly end: number;
  readonly checkedType?: { readonly name: string };
  setMeta(key: string, value: unknown): unknown;
  /** Results of cel-js for this node: another tree or a function in place of it, and how its operator is evaluated. */
  readonly meta: { readonly alternate?: Evaluable; readonly macro?: Evaluable; readonly evaluate: Evaluate };
  evaluate: Evaluate;
}

type Evaluate = (evaluator: unknown, node: unknown, context: unknown) => unknown;

interface Evaluable {
  readonly evaluate: Evaluate;
}

/** Throws if cel-js's nodes do not have this shape: its own types leave out the members that conditions use. */
export function nodeOf(ast: ASTNode): Node {
  if (!isNode(ast)) throw new TypeError('the syntax tree of cel-js has changed');
  return ast;
}

function isNode(ast: object): ast is Node {
  return 'setMeta' in ast && 'meta' in ast && 'evaluate' in ast;
}

export type Access = Node & { readonly args: readonly [Node, string] };
export type Call = Node & { readonly args: readonly [string, Node[]] };
export type MethodCall = Node & { readonly args: readonly [string, Node, Node[]] };
export type Binary = Node & { readonly args: readonly [Node, Node] };

export const isAccess = (node: Node): node is Access => node.op === '.';
export const isCall = (node: Node): node is Call => node.op === 'call';
export const isMethodCall = (node: Node): node is MethodCall => node.op === 'rcall';
export const isName = (node: Node): node is Node & { readonly args: string } => node.op === 'id';
export const isText = (node: Node): node is Node & { args: string } =>
  node.op === 'value' && typeof node.args === 'string';
export const isBinary = (node: Node): node is Binary => BINARY.has(node.op);

const BINARY = new Set(['==', '!=', 'in', '<', '<=', '>', '>=', '+', '-', '*', '/', '%', '&&', '||', '[]']);

/** The expressions inside an expression, in the order of the text. */
export function childrenOf(node: Node): readonly Node[] {
  if (isAccess(node)) return [node.args[0]];
  if (isCall(node)) return node.args[1];
  if (isMethodCall(node)) return [node.args[1], ...node.args[2]];
  if (node.op === 'value' || node.op === 'id') return [];
  return Array.isArray(node.args) ? (node.args as Node[]) : [node.args as Node];
}

/** The operands of `&&`, `||` or `!`: `a && b && c` has three. */
export function joinedBy(node: Node): readonly Node[] {
  return childrenOf(node).flatMap((child) => (child.op === node.op && node.op !== '!_' ? joinedBy(child) : [child]));
}

/** The offsets of an expression with its outer parentheses, which a node's own offsets leave out. */
export function wholeSpan(text: string, { start, end }: TextSpan): TextSpan {
  const { opened, closed } = unmatched(text.slice(start, end));
  let [from, to] = [start, end];
  for (let i = 0; i < closed && from > 0; i++) from = text.lastIndexOf('(', from - 1);
  for (let i = 0; i < opened; i++) to = text.indexOf(')', to) + 1;
  return from >= 0 && to >= end ? { start: from, end: to } : { start, end };
}

/** The number of parentheses in a text that are never closed, and of those closed without being opened. */
function unmatched(text: string): { readonly opened: number; readonly closed: number } {
  let [opened, closed] = [0, 0];
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[()]/g)) {
    if (token === '(') opened += 1;
    else if (token === ')' && opened > 0) opened -= 1;
    else if (token === ')') closed += 1;
  }
  return { opened, closed };
}

/**
 * Removes underscores from numbers outside of texts (`1_000_000`), and keeps every column by filling up with spaces.
 */
export function withoutUnderscores(expression: string): string {
  return expression.replace(TOKEN, (token) => {
    if (!/^\d/.test(token) || !token.includes('_')) return token;
    return token.replaceAll('_', '').padEnd(token.length);
  });
}

const TOKEN = /"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|\/\/.*|[A-Za-z_]\w*|\d(?:\w|\.(?=\d))*/g;
