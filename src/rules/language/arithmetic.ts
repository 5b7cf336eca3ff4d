// The value of one side of a comparison, for messages: `assets * 0.98`.
import type { EvaluationContext } from '../../core/model/watch/condition.ts';
import type { Amount } from '../../core/values/amount.ts';
import { exactOf, valueAt } from '../../core/values/fields.ts';
import type { Language } from './model.ts';
import { namesOf } from './reading/paths.ts';
import { resolveNames } from './reading/names.ts';
import { childrenOf, isBinary, type Node } from './syntax.ts';

/** Undefined: a field is unknown. */
type Arithmetic = (context: EvaluationContext) => Amount | undefined;

interface Reading {
  readonly language: Language;
  /** Whether `before` may be read. */
  readonly before: boolean;
  constantOf(node: Node): Amount | undefined;
}

/** Null if the node is no arithmetic of numbers. */
export function arithmeticOf(node: Node, reading: Reading): Arithmetic | null {
  const constant = reading.constantOf(node);
  if (constant !== undefined) return () => constant;
  const operation = Object.hasOwn(OPERATIONS, node.op) ? OPERATIONS[node.op] : undefined;
  if (operation !== undefined && isBinary(node)) {
    const [left, right] = node.args.map((side) => arithmeticOf(side, reading));
    return left && right ? (context) => joined(operation, left(context), right(context)) : null;
  }
  if (node.op === '-_') {
    const [inner] = childrenOf(node).map((child) => arithmeticOf(child, reading));
    return inner ? (context) => inner(context)?.negated() : null;
  }
  return fieldOf(node, reading);
}

type Operation = (a: Amount, b: Amount) => Amount | undefined;

const OPERATIONS: Readonly<Record<string, Operation>> = {
  '+': (a, b) => a.plus(b),
  '-': (a, b) => a.minus(b),
  '*': (a, b) => a.times(b),
  '/': (a, b) => (b.digits === 0n ? undefined : a.dividedBy(b)),
};

function joined(operation: Operation, a: Amount | undefined, b: Amount | undefined): Amount | undefined {
  return a === undefined || b === undefined ? undefined : operation(a, b);
}

function fieldOf(node: Node, { language, before }: Reading): Arithmetic | null {
  const names = namesOf(node);
  const found = names === undefined ? undefined : resolveNames(language, names, before);
  if (found === undefined || !('path' in found) || !['amount', 'int', 'double'].includes(found.type.type)) return null;
  const { path, before: isBefore } = found;
  return ({ view, before: last }) => {
    const of = isBefore ? last : view;
    return of === null ? undefined : exactOf(valueAt(of, path));
  };
}
