// The types that CEL's check found for the nodes of a condition.
import type { Node } from '../syntax.ts';

const NUMBERS: ReadonlySet<string> = new Set(['Amount', 'int', 'double']);
const TIMES: ReadonlySet<string> = new Set(['google.protobuf.Timestamp', 'google.protobuf.Duration']);

/** CEL's name of the type; empty before the type check. */
export function typeOf(node: Node): string {
  return node.checkedType?.name ?? '';
}

/** True for types with an order: numbers, times and durations. */
export function isNumeric(node: Node): boolean {
  return NUMBERS.has(typeOf(node)) || TIMES.has(typeOf(node));
}

/** True for types without an order, such as texts and addresses. Their values can only be equal or not. */
export function isNamed(node: Node): boolean {
  const type = typeOf(node);
  return ['string', 'bool', 'Address', 'Hash'].includes(type) || type.startsWith('Record');
}

/** A constant in the form in which it is compared with `beside`. Letter case counts only if `beside` is a text. */
export function asName({ name }: { readonly name: string }, beside: Node): string {
  return typeOf(beside) === 'string' ? name : name.toLowerCase();
}
