// A condition taken apart where `&&`, `||` and `!` join it. Each part is compiled by itself, by the same compiler, so
// that a part is evaluated exactly as it is within the whole.
import { Amount } from '../core/amount.ts';
import type { Clause, Comparison } from '../core/model.ts';
import type { CompiledCondition } from './conditions.ts';
import type { ConditionUse, Language } from './language.ts';
import { literalNumber } from './literals.ts';
import { namesOf, resolveNames } from './paths.ts';
import { childrenOf, isBinary, isCall, isText, type Node } from './syntax.ts';
import { WINDOWS } from './words.ts';

type Own = Pick<CompiledCondition, 'text' | 'reads' | 'windows' | 'evaluate'>;

export function clauseOf(language: Language, own: Own, use: ConditionUse, ast: Node): Clause {
  const joins = JOINS[ast.op] ?? null;
  const texts = joins === null ? [] : joined(ast, ast.op).map((node) => textOf(own.text, node));
  const parts = texts.flatMap((text) => language.condition(text, use).value?.clause() ?? []);
  const isWhole = joins !== null && parts.length === texts.length;
  const { text, reads, windows } = own;
  return {
    text,
    reads,
    windows,
    evaluate: (scene) => own.evaluate(scene),
    joins: isWhole ? joins : null,
    parts: isWhole ? parts : [],
    compares: isBinary(ast) ? comparisonOf(language, own, use, ast) : null,
  };
}

const JOINS: Readonly<Record<string, Clause['joins']>> = { '&&': 'all', '||': 'any', '!_': 'not' };

/** `a && b && c` is one list of three. */
function joined(node: Node, op: string): readonly Node[] {
  return childrenOf(node).flatMap((child) => (child.op === op && op !== '!_' ? joined(child, op) : [child]));
}

/**
 * As it is written. A node knows nothing of the parentheses around its outermost parts, nor that its last number had
 * underscores: both are put back.
 */
function textOf(text: string, { start, end: parsedEnd }: Node): string {
  const end = parsedEnd + (/^\w*/.exec(text.slice(parsedEnd))?.[0].length ?? 0);
  const written = text.slice(start, end);
  const { open, close } = unmatched(written);
  const from = open === 0 ? start : nthBefore(text, start, open);
  const to = close === 0 ? end : nthBehind(text, end, close);
  return text.slice(from, to).trim();
}

const QUOTED = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g;

/** How many parentheses are missing in front of a text, and behind it. */
function unmatched(written: string): { open: number; close: number } {
  let depth = 0;
  let open = 0;
  for (const character of written.replace(QUOTED, '')) {
    if (character === '(') depth += 1;
    else if (character === ')' && depth > 0) depth -= 1;
    else if (character === ')') open += 1;
  }
  return { open, close: depth };
}

function nthBefore(text: string, start: number, count: number): number {
  let at = start;
  for (let i = 0; i < count; i++) at = text.lastIndexOf('(', at - 1);
  return at;
}

function nthBehind(text: string, end: number, count: number): number {
  let at = end;
  for (let i = 0; i < count; i++) at = text.indexOf(')', at) + 1;
  return at;
}

const FLIPPED = { '<': '>', '<=': '>=', '>': '<', '>=': '<=', '==': '==', '!=': '!=' } as const;

function isOperator(op: string): op is Comparison['operator'] {
  return Object.hasOwn(FLIPPED, op);
}

function comparisonOf(language: Language, own: Own, use: ConditionUse, { op, args }: Node): Comparison | null {
  if (!isOperator(op)) return null;
  const [left, right] = args as readonly [Node, Node];
  const bound = constantOf(right);
  if (bound !== undefined) return compared(subjectOf(language, own, use, left), op, bound);
  const first = constantOf(left);
  return first === undefined ? null : compared(subjectOf(language, own, use, right), FLIPPED[op], first);
}

function compared(
  subject: Comparison['subject'] | null,
  operator: Comparison['operator'],
  bound: Amount,
): Comparison | null {
  return subject === null ? null : { subject, operator, bound };
}

/** The value of a number, of `amount("...")` or `percent("...")`, or of `duration("...")` in milliseconds. */
function constantOf(node: Node): Amount | undefined {
  if (node.op === '-_') return constantOf(childrenOf(node)[0] ?? node)?.negated();
  if (node.op === 'value') return node.args instanceof Amount ? node.args : undefined;
  if (!isCall(node)) return undefined;
  const [name, [arg]] = node.args;
  const number = arg !== undefined && isText(arg) ? literalNumber(name, arg.args) : undefined;
  return name === 'duration' ? number?.times(MS_PER_SECOND) : number;
}

const MS_PER_SECOND = new Amount(1000n, 0);

function subjectOf(language: Language, { windows }: Own, { before }: ConditionUse, node: Node) {
  if (isCall(node)) {
    const [window, ...others] = windows;
    const isWindow = WINDOWS.includes(node.args[0]) && window !== undefined && others.length === 0;
    return isWindow ? ({ type: 'window', window } as const) : null;
  }
  const names = namesOf(node);
  const found = names === undefined ? undefined : resolveNames(language, names, before);
  if (found === undefined || !('path' in found) || !NUMBERS.includes(found.type.type)) return null;
  return { type: 'field', path: found.path, isBefore: found.before } as const;
}

const NUMBERS: readonly string[] = ['amount', 'int', 'double', 'duration'];
