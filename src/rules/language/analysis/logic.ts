// The values that every field compared with constants may have if a condition is true, and if it is false.
// `a && b` narrows, `a || b` widens. When no value is left, the condition is never true.
import type { Constraint, Constraints, ConstraintResult } from './constraints.ts';
import { Amount } from '../../../core/values/amount.ts';
import { OPPOSITE } from '../../../core/model/watch/condition.ts';
import { type ComparisonOperator, MIRRORED, isComparisonOperator } from '../comparison-operators.ts';
import { type Node, childrenOf } from '../syntax.ts';
import type { ComparedConstant, Scope } from './scope.ts';
import type { Domain } from './domains.ts';
import type { Terms } from './terms.ts';
import { asName, isNamed, isNumeric } from './node-types.ts';
import { type ValueSet, intersect, isEmpty, numbersThat, setOfNames, unite, wholeOnly } from './value-sets.ts';

/** Whether both can hold at once; true when in doubt. */
export function isPossible(a: ConstraintResult, b: ConstraintResult): boolean {
  return !('clash' in meet(a, b));
}

const NOTHING: Constraints = new Map();
const ZERO = new Amount(0n, 0);

/** Computes the constraints of parts. The result for each part is kept. */
export class Logic {
  readonly #terms: Terms;
  readonly #known = { true: new Map<Node, ConstraintResult>(), false: new Map<Node, ConstraintResult>() };

  constructor(terms: Terms) {
    this.#terms = terms;
  }

  /** The constraints if the part has the truth value `wanted`. */
  outcomeOf(node: Node, wanted: boolean, scope: Scope): ConstraintResult {
    const memo = this.#known[wanted ? 'true' : 'false'];
    const outcome = memo.get(node) ?? this.#derive(node, wanted, scope);
    memo.set(node, outcome);
    return outcome;
  }

  #derive(node: Node, wanted: boolean, scope: Scope): ConstraintResult {
    const [a, b, c] = childrenOf(node);
    if (node.op === 'value') return node.args === !wanted ? { clash: [] } : NOTHING;
    if (a === undefined) return this.#opaque(node, wanted, scope);
    if (node.op === '!_') return attributedTo(node, this.outcomeOf(a, !wanted, scope));
    if (b !== undefined && (node.op === '&&' || node.op === '||')) {
      const combine = (node.op === '&&') === wanted ? meet : join;
      return combine(this.outcomeOf(a, wanted, scope), this.outcomeOf(b, wanted, scope));
    }
    if (b !== undefined && c !== undefined && node.op === '?:')
      return join(
        meet(this.outcomeOf(a, true, scope), this.outcomeOf(b, wanted, scope)),
        meet(this.outcomeOf(a, false, scope), this.outcomeOf(c, wanted, scope)),
      );
    if (b !== undefined && node.op === 'in')
      return this.#membership(node, { a, b }, wanted, scope) ?? this.#opaque(node, wanted, scope);
    if (b !== undefined && isComparisonOperator(node.op)) {
      const sign = wanted ? node.op : OPPOSITE[node.op];
      return this.#comparison(node, { a, b, sign }, scope) ?? this.#opaque(node, wanted, scope);
    }
    return this.#opaque(node, wanted, scope);
  }

  /** The constraint of a part that is not analysed further: it is only known to be true or false. */
  #opaque(node: Node, wanted: boolean, scope: Scope): ConstraintResult {
    return only(this.#terms.keyOf(node, scope), { values: setOfNames([String(wanted)]), by: [node] });
  }

  #comparison(node: Node, { a, b, sign }: Compared, scope: Scope): ConstraintResult | undefined {
    const [left, right] = [this.#terms.constantOf(a, scope), this.#terms.constantOf(b, scope)];
    if (left !== undefined && right !== undefined) return NOTHING;
    if (right !== undefined) return this.#withConstant(node, { subject: a, sign, constant: right }, scope);
    if (left !== undefined)
      return this.#withConstant(node, { subject: b, sign: MIRRORED[sign], constant: left }, scope);
    if (!(isNumeric(a) && isNumeric(b)) && !(isNamed(a) && isNamed(b))) return undefined;
    // Two fields are compared by their difference, which is below, at or above zero.
    const keys = [this.#terms.subjectOf(a, scope), this.#terms.subjectOf(b, scope)] as const;
    const isTurned = keys[0] > keys[1];
    const values = numbersThat(isTurned ? MIRRORED[sign] : sign, ZERO);
    return only(keys.toSorted().join(' ~ '), { values, by: [node] });
  }

  #withConstant(node: Node, { subject, sign, constant }: Against, scope: Scope): ConstraintResult | undefined {
    const key = this.#terms.subjectOf(subject, scope);
    if ('number' in constant) {
      if (!isNumeric(subject)) return undefined;
      const domain = this.#terms.domainOf(subject, scope);
      return bounded(key, numbersThat(sign, constant.number), { node, domain });
    }
    if (!isNamed(subject) || (sign !== '==' && sign !== '!=')) return undefined;
    return among(key, this.#named([asName(constant, subject)], sign === '!=', subject, scope), node);
  }

  #membership(node: Node, { a, b }: Pair, wanted: boolean, scope: Scope): ConstraintResult | undefined {
    const items = this.#terms.listOf(b, scope);
    if (items === undefined || this.#terms.constantOf(a, scope) !== undefined) return undefined;
    const key = this.#terms.subjectOf(a, scope);
    const numbers = items.flatMap((item) => ('number' in item ? [item.number] : []));
    if (numbers.length === items.length && isNumeric(a))
      return bounded(key, amongNumbers(numbers, wanted), { node, domain: this.#terms.domainOf(a, scope) });
    const names = items.flatMap((item) => ('name' in item ? [asName(item, a)] : []));
    if (names.length < items.length || !isNamed(a)) return undefined;
    return among(key, this.#named(names, !wanted, a, scope), node);
  }

  /** In a closed set, "all but some" means the set of the others. */
  #named(names: readonly string[], isWithout: boolean, subject: Node, scope: Scope): ValueSet {
    const all = this.#terms.namesFor(subject, scope);
    if (all === undefined || !isWithout) return setOfNames(names, isWithout);
    return setOfNames(all.filter((name) => !names.includes(name)));
  }
}

interface Pair {
  readonly a: Node;
  readonly b: Node;
}

interface Compared extends Pair {
  readonly sign: ComparisonOperator;
}

interface Against {
  readonly subject: Node;
  readonly sign: ComparisonOperator;
  readonly constant: ComparedConstant;
}

function amongNumbers(numbers: readonly Amount[], wanted: boolean): ValueSet {
  const all: ValueSet = { type: 'numbers', ranges: [{ low: null, isLowIn: false, high: null, isHighIn: false }] };
  const none: ValueSet = { type: 'numbers', ranges: [] };
  return wanted
    ? numbers.reduce<ValueSet>((set, one) => unite(set, numbersThat('==', one)) ?? set, none)
    : numbers.reduce<ValueSet>((set, one) => intersect(set, numbersThat('!=', one)), all);
}

/** Restricts the wanted numbers to those that the subject can have. */
function bounded(key: string, wanted: ValueSet, { node, domain }: { node: Node; domain: Domain }): ConstraintResult {
  const possible: ValueSet = {
    type: 'numbers',
    ranges: [{ low: domain.least, isLowIn: true, high: domain.most, isHighIn: true }],
  };
  const values = domain.isWhole ? wholeOnly(intersect(wanted, possible)) : intersect(wanted, possible);
  return isEmpty(values) ? { clash: [], why: whyOf(domain) } : only(key, { values, by: [node] });
}

function whyOf({ isWhole, least, most }: Domain): string {
  if (most !== null) return `It is a whole number from ${least?.toString() ?? ''} to ${most.toString()}.`;
  if (least === null) return 'It is a whole number.';
  if (least.digits < 0n) return 'It is a fraction, and never below -1: ten percent less is -0.1, or percent("-10").';
  return isWhole ? 'It is a whole number, and never below zero.' : 'It is never below zero.';
}

function among(key: string, values: ValueSet, node: Node): ConstraintResult {
  return isEmpty(values)
    ? { clash: [], why: 'It has no other value. Use has() to ask whether it is known.' }
    : only(key, { values, by: [node] });
}

function only(key: string, known: Constraint): ConstraintResult {
  return isEmpty(known.values) ? { clash: [] } : new Map([[key, known]]);
}

/** Attributes the constraints to the whole negation: without its `!`, the shown part would mean the opposite. */
function attributedTo(node: Node, outcome: ConstraintResult): ConstraintResult {
  if ('clash' in outcome) return outcome;
  return new Map([...outcome].map(([key, { values }]) => [key, { values, by: [node] }]));
}

/** The constraints if both hold. */
function meet(a: ConstraintResult, b: ConstraintResult): ConstraintResult {
  if ('clash' in a) return a;
  if ('clash' in b) return b;
  const both = new Map(a);
  for (const [key, other] of b) {
    const one = both.get(key);
    const values = one === undefined ? other.values : intersect(one.values, other.values);
    if (one !== undefined && isEmpty(values)) return { clash: [...one.by.slice(-1), ...other.by.slice(-1)] };
    both.set(key, { values, by: [...(one?.by ?? []), ...other.by].slice(-2) });
  }
  return both;
}

/** The constraints if one of the two holds: only those that both imply are certain. */
function join(a: ConstraintResult, b: ConstraintResult): ConstraintResult {
  if ('clash' in a) return b;
  if ('clash' in b) return a;
  const either = new Map<string, Constraint>();
  for (const [key, one] of a) {
    const other = b.get(key);
    const values = other === undefined ? undefined : unite(one.values, other.values);
    if (other !== undefined && values !== undefined)
      either.set(key, { values, by: [...one.by, ...other.by].slice(-2) });
  }
  return either;
}
