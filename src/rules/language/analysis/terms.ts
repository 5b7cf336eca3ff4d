// The parts of a condition as the analysis sees them: constants, what they are compared with, and which values that may
// have at all.
import { typeAt, type FieldType } from '../../../core/values/fields.ts';
import { Address } from '../../../core/values/address.ts';
import { Amount } from '../../../core/values/amount.ts';
import { identityOf } from '../cel/environment.ts';
import type { Language } from '../model.ts';
import { literalNumber } from '../reading/literals.ts';
import { childrenOf, isAccess, isBinary, isCall, isMethodCall, isName, isText, type Node } from '../syntax.ts';
import { BEFORE, COMPREHENSIONS, WINDOWS } from '../words.ts';

/** Variables of `exists` and the like, with the type of what they stand for. */
export type Scope = ReadonlyMap<string, FieldType | undefined>;

export type Constant = { readonly number: Amount } | { readonly name: string };

/** What is certain about the values of an expression, whatever the chain does. */
export interface Domain {
  readonly isWhole: boolean;
  readonly least: Amount | null;
  readonly most: Amount | null;
}

const ZERO = new Amount(0n, 0);
const ALL_OF_IT = new Amount(-1n, 0);
const ANYTHING: Domain = { isWhole: false, least: null, most: null };
const NO_SCOPE: Scope = new Map();
const NUMBERS: ReadonlySet<string> = new Set(['Amount', 'int', 'double']);
const TIMES: ReadonlySet<string> = new Set(['google.protobuf.Timestamp', 'google.protobuf.Duration']);

/** Answers questions about the parts of conditions that passed the type check of this language. */
export function createTerms(language: Language) {
  const { kind, names, cel } = language;

  /** The same text for the same expression, however it is spaced and whether or not its noun is written. */
  function keyOf(node: Node, scope: Scope): string {
    if (isName(node)) return scope.has(node.args) ? `$${node.args}` : node.args === kind.noun ? '' : node.args;
    if (isAccess(node)) {
      const base = keyOf(node.args[0], scope);
      return base === '' ? node.args[1] : `${base}.${node.args[1]}`;
    }
    if (node.op === 'value') return `${node.checkedType?.name ?? ''} ${JSON.stringify(String(node.args))}`;
    const name = isCall(node) || isMethodCall(node) ? node.args[0] : node.op;
    const inner = isMethodCall(node) && COMPREHENSIONS.includes(name) ? inside(node, scope) : scope;
    return `${name}(${childrenOf(node)
      .map((child, i) => keyOf(child, i === 0 ? scope : inner))
      .join(', ')})`;
  }

  /** A record that is compared is compared as the address that it is. */
  function subjectOf(node: Node, scope: Scope): string {
    const table = cel.records.get(typeOf(node));
    const identity = table === undefined ? undefined : identityOf(table);
    return identity === undefined ? keyOf(node, scope) : `${keyOf(node, scope)}.${identity}`;
  }

  /** The scope within a comprehension: its variable stands for an item of the list. */
  function inside(node: Node, scope: Scope): Scope {
    const [receiver, variable] = childrenOf(node);
    if (receiver === undefined || variable === undefined || !isName(variable)) return scope;
    const list = fieldOf(receiver, scope);
    return new Map([...scope, [variable.args, list?.type === 'list' ? list.of : undefined]]);
  }

  function fieldOf(node: Node, scope: Scope): FieldType | undefined {
    if (isName(node)) {
      if (scope.has(node.args)) return scope.get(node.args);
      return node.args === kind.noun || node.args === BEFORE
        ? { type: 'record', record: kind.fields }
        : kind.fields.fields[node.args]?.type;
    }
    if (isAccess(node)) return cel.records.get(typeOf(node.args[0]))?.fields[node.args[1]]?.type;
    const [first] = childrenOf(node);
    if (node.op === '[]' && first !== undefined) {
      const list = fieldOf(first, scope);
      return list?.type === 'list' ? list.of : undefined;
    }
    return isMethodCall(node) && node.args[0] === 'filter' ? fieldOf(node.args[1], scope) : undefined;
  }

  function isField(name: string): boolean {
    return Object.hasOwn(kind.fields.fields, name) || name === kind.noun || name === BEFORE;
  }

  /** Whether it names nothing that could be different tomorrow. */
  function isFixed(node: Node, scope: Scope): boolean {
    if (isName(node)) return !scope.has(node.args) && !isField(node.args) && names.has(node.args);
    if (isCall(node) && !FIXED_CALLS.has(node.args[0])) return false;
    if (!isMethodCall(node) || !COMPREHENSIONS.includes(node.args[0]))
      return childrenOf(node).every((child) => isFixed(child, scope));
    const [variable, ...bodies] = node.args[2];
    if (variable === undefined || !isName(variable) || !isFixed(node.args[1], scope)) return false;
    return bodies.every((body) => isFixedBut(body, variable.args, scope));
  }

  function isFixedBut(node: Node, variable: string, scope: Scope): boolean {
    if (isName(node)) return node.args === variable || isFixed(node, scope);
    return childrenOf(node).every((child) => isFixedBut(child, variable, scope));
  }

  /** The value of an expression that is fixed and simple enough to be known now. */
  function constantOf(node: Node, scope: Scope): Constant | undefined {
    if (isText(node)) return { name: node.args };
    if (node.op === 'value') {
      const { args } = node;
      if (args instanceof Amount) return { number: args };
      if (args instanceof Address) return { name: args.key };
      return typeof args === 'boolean' ? { name: String(args) } : undefined;
    }
    if (isName(node)) {
      const meaning = scope.has(node.args) || isField(node.args) ? undefined : names.get(node.args);
      return meaning instanceof Address ? { name: meaning.key } : undefined;
    }
    const number = numberOf(node, scope);
    return number === undefined ? undefined : { number };
  }

  function numberOf(node: Node, scope: Scope): Amount | undefined {
    if (isCall(node)) {
      const [name, [arg]] = node.args;
      return arg !== undefined && isText(arg) ? literalNumber(name, arg.args) : undefined;
    }
    const numbers = childrenOf(node).map((child) => {
      const constant = constantOf(child, scope);
      return constant !== undefined && 'number' in constant ? constant.number : undefined;
    });
    const [a, b] = numbers;
    if (node.op === '-_') return a?.negated();
    if (a === undefined || b === undefined || !isBinary(node)) return undefined;
    if (node.op === '+') return a.plus(b);
    if (node.op === '-') return a.minus(b);
    if (node.op === '*') return a.times(b);
    return node.op === '/' && !b.equals(ZERO) ? a.dividedBy(b) : undefined;
  }

  /** The names of a list in the condition, or of a group of the config; undefined when one of them is not fixed. */
  function listOf(node: Node, scope: Scope): readonly Constant[] | undefined {
    if (isName(node)) {
      const meaning = scope.has(node.args) || isField(node.args) ? undefined : names.get(node.args);
      return Array.isArray(meaning) ? meaning.map(({ key }: Address) => ({ name: key })) : undefined;
    }
    if (node.op !== 'list') return undefined;
    const items = childrenOf(node).map((item) => constantOf(item, scope));
    return items.every((item) => item !== undefined) ? items : undefined;
  }

  function domainOf(node: Node, scope: Scope): Domain {
    const name = isCall(node) || isMethodCall(node) ? node.args[0] : '';
    if (name === 'size') return { isWhole: true, least: ZERO, most: null };
    if (isCall(node) && WINDOWS.includes(name)) return domainOfWindow(name, node.args[1]);
    if (node.op === '%') return domainOfRemainder(node, scope);
    const most = isMethodCall(node) ? MOST[name] : undefined;
    if (most !== undefined) return { isWhole: true, least: ZERO, most: new Amount(BigInt(most), 0) };
    return domainOfType(fieldOf(node, scope));
  }

  /** What was never below zero cannot fall by more than all of it. */
  function domainOfWindow(name: string, args: readonly Node[]): Domain {
    const [named] = args.length > 1 ? args : [];
    const type = named !== undefined ? fieldOf(named, NO_SCOPE) : typeAt(kind.fields, kind.while?.measured ?? '');
    const { isWhole, least } = domainOfType(type);
    if (name === 'change') return { isWhole: false, least: least === null ? null : ALL_OF_IT, most: null };
    if (name === 'delta') return { isWhole, least: null, most: null };
    return { isWhole: isWhole && name !== 'avg', least, most: null };
  }

  /** Of whole numbers: `height % 10` is from 0 to 9. */
  function domainOfRemainder(node: Node, scope: Scope): Domain {
    const [dividend, divisor] = childrenOf(node);
    const constant = divisor === undefined ? undefined : constantOf(divisor, scope);
    const by = constant !== undefined && 'number' in constant ? constant.number : ZERO;
    const { isWhole, least }: Domain = dividend === undefined ? ANYTHING : domainOf(dividend, scope);
    if (!isWhole || by.compare(ZERO) <= 0 || by.digits % 10n ** BigInt(by.scale) !== 0n) return ANYTHING;
    const most = by.minus(new Amount(1n, 0));
    return { isWhole, least: least === null ? most.negated() : ZERO, most };
  }

  /** The words that a closed set has, or true and false; undefined when there may be others. */
  function namesFor(node: Node, scope: Scope): readonly string[] | undefined {
    if (typeOf(node) === 'bool') return ['true', 'false'];
    const type = fieldOf(node, scope);
    return type?.type === 'word' && type.isClosed === true ? type.values : undefined;
  }

  return { keyOf, subjectOf, inside, fieldOf, isFixed, constantOf, listOf, domainOf, namesFor };
}

function domainOfType(type: FieldType | undefined): Domain {
  if (type?.type !== 'int' && type?.type !== 'amount') return ANYTHING;
  return { isWhole: type.type === 'int', least: type.least === 0 ? ZERO : null, most: null };
}

export type Terms = ReturnType<typeof createTerms>;

/** CEL's name of the type, known once it was checked. */
export function typeOf(node: Node): string {
  return node.checkedType?.name ?? '';
}

/** Numbers, times and durations: what has an order. */
export function isNumeric(node: Node): boolean {
  return NUMBERS.has(typeOf(node)) || TIMES.has(typeOf(node));
}

/** Texts, addresses and the like: equal or not, and without an order. */
export function isNamed(node: Node): boolean {
  const type = typeOf(node);
  return ['string', 'bool', 'Address', 'Hash'].includes(type) || type.startsWith('Record');
}

/** How a constant is written when it stands beside this: only texts of the chain know upper and lower case. */
export function asName({ name }: { readonly name: string }, beside: Node): string {
  return typeOf(beside) === 'string' ? name : name.toLowerCase();
}

const FIXED_CALLS: ReadonlySet<string> = new Set(['size', 'amount', 'duration', 'timestamp', 'percent', 're', 'glob']);

/** What the getters of a time give at most; all of them begin at 0. */
const MOST: Readonly<Record<string, number>> = {
  getMonth: 11,
  getDayOfMonth: 30,
  getDayOfWeek: 6,
  getDayOfYear: 365,
  getHours: 23,
  getMinutes: 59,
  getSeconds: 59,
};
