// Finds the parts of a condition that the analysis needs: constants, the subjects with which they are compared, and the
// values that a subject can have.
import { Address } from '../../../core/values/address.ts';
import { Amount } from '../../../core/values/amount.ts';
import { typeAt, type FieldType } from '../../../core/values/fields.ts';
import { WEEKDAYS } from '../../../lib/time-zone.ts';
import { identityOf } from '../cel/environment.ts';
import type { Language } from '../model.ts';
import { literalNumber } from '../reading/literals.ts';
import { childrenOf, isAccess, isBinary, isCall, isMethodCall, isName, isText, type Node } from '../syntax.ts';
import { BEFORE, COMPREHENSIONS } from '../words.ts';
import { createDomains } from './domains.ts';
import { typeOf } from './node-types.ts';
import type { ComparedConstant, Scope } from './scope.ts';

const NO_SCOPE: Scope = new Map();
const ZERO = new Amount(0n, 0);
const WEEKDAY: FieldType = { type: 'word', values: WEEKDAYS, isClosed: true };

/** Answers questions about the parts of conditions that passed the type check of this language. */
export class Terms {
  readonly #language: Language;
  readonly domainOf: ReturnType<typeof createDomains>;

  constructor(language: Language) {
    this.#language = language;
    this.domainOf = createDomains(this);
  }

  /** A key that is equal for equal expressions. Spaces make no difference, nor does the noun of the kind. */
  keyOf(node: Node, scope: Scope): string {
    if (isName(node))
      return scope.has(node.args) ? `$${node.args}` : node.args === this.#language.kind.noun ? '' : node.args;
    if (isAccess(node)) {
      const base = this.keyOf(node.args[0], scope);
      return base === '' ? node.args[1] : `${base}.${node.args[1]}`;
    }
    if (node.op === 'value') return `${node.checkedType?.name ?? ''} ${JSON.stringify(String(node.args))}`;
    const name = isCall(node) || isMethodCall(node) ? node.args[0] : node.op;
    const inner = isMethodCall(node) && COMPREHENSIONS.includes(name) ? this.inside(node, scope) : scope;
    return `${name}(${childrenOf(node)
      .map((child, i) => this.keyOf(child, i === 0 ? scope : inner))
      .join(', ')})`;
  }

  /** A record in a comparison stands for its address field. */
  subjectOf(node: Node, scope: Scope): string {
    const table = this.#language.cel.records.get(typeOf(node));
    const identity = table === undefined ? undefined : identityOf(table);
    return identity === undefined ? this.keyOf(node, scope) : `${this.keyOf(node, scope)}.${identity}`;
  }

  /** The scope within a comprehension: its variable stands for an item of the list. */
  inside(node: Node, scope: Scope): Scope {
    const [receiver, variable] = childrenOf(node);
    if (receiver === undefined || variable === undefined || !isName(variable)) return scope;
    const list = this.fieldOf(receiver, scope);
    return new Map([...scope, [variable.args, list?.type === 'list' ? list.of : undefined]]);
  }

  fieldOf(node: Node, scope: Scope): FieldType | undefined {
    if (isName(node)) {
      if (scope.has(node.args)) return scope.get(node.args);
      return node.args === this.#language.kind.noun || node.args === BEFORE
        ? { type: 'record', record: this.#language.kind.fields }
        : this.#language.kind.fields.fields[node.args]?.type;
    }
    if (isAccess(node)) return this.#language.cel.records.get(typeOf(node.args[0]))?.fields[node.args[1]]?.type;
    const [first] = childrenOf(node);
    if (node.op === '[]' && first !== undefined) {
      const list = this.fieldOf(first, scope);
      return list?.type === 'list' ? list.of : undefined;
    }
    if (isCall(node) && node.args[0] === 'weekday') return WEEKDAY;
    return isMethodCall(node) && node.args[0] === 'filter' ? this.fieldOf(node.args[1], scope) : undefined;
  }

  /** The type of the field that a window with these arguments is about: the first one, or the kind's own. */
  measuredBy(args: readonly Node[]): FieldType | undefined {
    const [named] = args.length > 1 ? args : [];
    if (named !== undefined) return this.fieldOf(named, NO_SCOPE);
    const { fields, while: held } = this.#language.kind;
    return typeAt(fields, held?.measured ?? '');
  }

  #isField(name: string): boolean {
    return (
      Object.hasOwn(this.#language.kind.fields.fields, name) || name === this.#language.kind.noun || name === BEFORE
    );
  }

  /** True if the value is always the same, since the expression has only constants and names of the config. */
  isFixed(node: Node, scope: Scope): boolean {
    if (isName(node)) return !scope.has(node.args) && !this.#isField(node.args) && this.#language.names.has(node.args);
    if (isCall(node) && !FIXED_CALLS.has(node.args[0])) return false;
    if (!isMethodCall(node) || !COMPREHENSIONS.includes(node.args[0]))
      return childrenOf(node).every((child) => this.isFixed(child, scope));
    const [variable, ...bodies] = node.args[2];
    if (variable === undefined || !isName(variable) || !this.isFixed(node.args[1], scope)) return false;
    return bodies.every((body) => this.#isFixedBut(body, variable.args, scope));
  }

  #isFixedBut(node: Node, variable: string, scope: Scope): boolean {
    if (isName(node)) return node.args === variable || this.isFixed(node, scope);
    return childrenOf(node).every((child) => this.#isFixedBut(child, variable, scope));
  }

  /** The value of a fixed expression, when it is simple enough to be computed at load. */
  constantOf(node: Node, scope: Scope): ComparedConstant | undefined {
    if (isText(node)) return { name: node.args };
    if (node.op === 'value') {
      const { args } = node;
      if (args instanceof Amount) return { number: args };
      if (args instanceof Address) return { name: args.key };
      return typeof args === 'boolean' ? { name: String(args) } : undefined;
    }
    if (isName(node)) {
      const meaning =
        scope.has(node.args) || this.#isField(node.args) ? undefined : this.#language.names.get(node.args);
      return meaning instanceof Address ? { name: meaning.key } : undefined;
    }
    const number = this.#numberOf(node, scope);
    return number === undefined ? undefined : { number };
  }

  #numberOf(node: Node, scope: Scope): Amount | undefined {
    if (isCall(node)) {
      const [name, [arg]] = node.args;
      return arg !== undefined && isText(arg) ? literalNumber(name, arg.args) : undefined;
    }
    const numbers = childrenOf(node).map((child) => {
      const constant = this.constantOf(child, scope);
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

  /** The items of a list in the condition, or of a group of the config; undefined if one of them is not constant. */
  listOf(node: Node, scope: Scope): readonly ComparedConstant[] | undefined {
    if (isName(node)) {
      const meaning =
        scope.has(node.args) || this.#isField(node.args) ? undefined : this.#language.names.get(node.args);
      return Array.isArray(meaning) ? meaning.map(({ key }: Address) => ({ name: key })) : undefined;
    }
    if (node.op !== 'list') return undefined;
    const items = childrenOf(node).map((item) => this.constantOf(item, scope));
    return items.every((item) => item !== undefined) ? items : undefined;
  }

  /** The words of a closed set, or true and false; undefined when there may be others. */
  namesFor(node: Node, scope: Scope): readonly string[] | undefined {
    if (typeOf(node) === 'bool') return ['true', 'false'];
    const type = this.fieldOf(node, scope);
    // With a single value, such as the only event of a watch, a comparison with it is no mistake.
    return type?.type === 'word' && type.isClosed === true && type.values.length > 1 ? type.values : undefined;
  }
}

const FIXED_CALLS: ReadonlySet<string> = new Set(['size', 'amount', 'duration', 'timestamp', 'percent', 're', 'glob']);
