// A condition divided at `&&`, `||` and `!`. The same compiler compiles each part separately, so a part has the same
// result as within the whole.
import { Amount } from '../../core/values/amount.ts';
import type { Clause, Comparison, Relation } from '../../core/model/watch/condition.ts';
import type { CompiledCondition, ConditionUse, Language } from './model.ts';
import { arithmeticOf } from './arithmetic.ts';
import { equalityOf } from './equalities.ts';
import { literalNumber } from './reading/literals.ts';
import { namesOf } from './reading/paths.ts';
import { resolveNames } from './reading/names.ts';
import { isComparisonOperator, MIRRORED } from './comparison-operators.ts';
import { childrenOf, isBinary, isCall, isText, joinedBy, wholeSpan, type Node } from './syntax.ts';
import { WINDOWS } from './words.ts';

type Own = Pick<CompiledCondition, 'text' | 'reads' | 'windows' | 'evaluate'>;

/**
 * `own` is the whole condition, and `ast` its tree. When one part does not compile alone, the condition has no parts.
 */
export function clauseOf(language: Language, own: Own, use: ConditionUse, ast: Node): Clause {
  const joins = JOINS[ast.op] ?? null;
  const texts = joins === null ? [] : joinedBy(ast).map((node) => textOf(own.text, node));
  const parts = texts.flatMap((text) => language.condition(text, use).value?.clause() ?? []);
  const isWhole = joins !== null && parts.length === texts.length;
  const { text, reads, windows } = own;
  return {
    text,
    reads,
    windows,
    evaluate: (context) => own.evaluate(context),
    joins: isWhole ? joins : null,
    parts: isWhole ? parts : [],
    compares: comparisonOf(language, own, use, ast),
    relates: relationOf(language, own, use, ast),
    equals: equalityOf(language, ast, use.before),
  };
}

const JOINS: Readonly<Record<string, Clause['joins']>> = { '&&': 'all', '||': 'any', '!_': 'not' };

/** The text as written. A node's offsets leave out its outermost parentheses and the underscores of its last number. */
function textOf(text: string, { start, end: parsedEnd }: Node): string {
  const end = parsedEnd + (/^\w*/.exec(text.slice(parsedEnd))?.[0].length ?? 0);
  const whole = wholeSpan(text, { start, end });
  return text.slice(whole.start, whole.end).trim();
}

function comparisonOf(language: Language, own: Own, use: ConditionUse, node: Node): Comparison | null {
  const { op } = node;
  if (!isBinary(node) || !isComparisonOperator(op)) return null;
  const [left, right] = node.args;
  const bound = constantOf(right);
  if (bound !== undefined) return compared(subjectOf(language, own, use, left), op, bound);
  const first = constantOf(left);
  return first === undefined ? null : compared(subjectOf(language, own, use, right), MIRRORED[op], first);
}

/** Undefined where one side is a constant, or where no side is a single field. */
function relationOf(language: Language, own: Own, use: ConditionUse, node: Node): Relation | undefined {
  const { op } = node;
  if (!isBinary(node) || !isComparisonOperator(op) || own.windows.length > 0) return undefined;
  const [left, right] = node.args;
  if (constantOf(left) !== undefined || constantOf(right) !== undefined) return undefined;
  const subject = subjectOf(language, own, use, left);
  const other = subject === null ? left : right;
  const named = subject ?? subjectOf(language, own, use, right);
  const boundIn = arithmeticOf(other, { language, before: use.before, constantOf });
  if (named === null || boundIn === null) return undefined;
  return { subject: named, operator: subject === null ? MIRRORED[op] : op, text: textOf(own.text, other), boundIn };
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
