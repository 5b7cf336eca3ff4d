// Static analysis of a condition: parts that always have the same value, and parts that contradict each other. A rule
// that can never fire is refused rather than loaded.
//
// For each part, the analysis computes which values its fields may have if the part is true, and if it is false.
// When in doubt a value counts as possible, so that only certain mistakes are refused.
import { quote } from '../../../config/values/scalars.ts';
import type { Language } from '../model.ts';
import type { ConditionMistake } from '../mistake.ts';
import { changeDoubts } from './change-limits.ts';
import { Logic } from './logic.ts';
import type { ConstraintResult, TruthConstraints } from './constraints.ts';
import { childrenOf, isCall, isMethodCall, joinedBy, wholeSpan, type Node } from '../syntax.ts';
import { unitDoubts } from './smallest-units.ts';
import { Terms } from './terms.ts';
import type { Scope } from './scope.ts';
import { COMPREHENSIONS } from '../words.ts';
import { wordComplaints } from './word-values.ts';

export interface Analysis {
  readonly mistakes: readonly ConditionMistake[];
  readonly doubts: readonly ConditionMistake[];
  readonly constraints: TruthConstraints;
}

const NO_SCOPE: Scope = new Map();

/** Analyses a condition that passed the type check. `source` is the text that offsets refer to. */
export function analyse(language: Language, ast: Node, source: string): Analysis {
  const analyst = new Analyst(new Terms(language), source);
  analyst.analyseNode(ast, NO_SCOPE);
  const { mistakes, doubts } = analyst;
  return { mistakes, doubts, constraints: analyst.factsOf(ast) };
}

class Analyst {
  readonly mistakes: ConditionMistake[] = [];
  readonly doubts: ConditionMistake[] = [];
  readonly #terms: Terms;
  readonly #source: string;
  readonly #logic: Logic;

  constructor(terms: Terms, source: string) {
    this.#terms = terms;
    this.#source = source;
    this.#logic = new Logic(terms);
  }

  factsOf(ast: Node): TruthConstraints {
    return {
      whenTrue: this.#logic.outcomeOf(ast, true, NO_SCOPE),
      whenFalse: this.#logic.outcomeOf(ast, false, NO_SCOPE),
    };
  }

  /**
   * Analyses a part that is true or false. Its own parts are analysed first, so that the smallest wrong part is
   * reported.
   */
  analyseNode(node: Node, scope: Scope): void {
    const before = this.mistakes.length;
    if (this.#terms.isFixed(node, scope)) {
      this.#complain(node, `${this.#text(node)} is always the same: there is no field in it`, FIXED_HINT);
      return;
    }
    if (node.op === '&&' || node.op === '||' || node.op === '!_') {
      const parts = joinedBy(node);
      for (const part of parts) this.analyseNode(part, scope);
      this.#findDuplicates(parts, scope);
    } else if (node.op === '?:') this.#analyseChoice(node, scope);
    else this.#analysePlain(node, scope);
    // A wrong part makes the whole condition wrong, so only the part is reported.
    if (this.mistakes.length > before) return;
    this.#complainUnlessOpen(node, this.#logic.outcomeOf(node, true, scope), 'never');
    if (this.mistakes.length === before)
      this.#complainUnlessOpen(node, this.#logic.outcomeOf(node, false, scope), 'always');
  }

  /** A literal `true` or `false` is allowed only as a branch of `?:`. */
  #analyseChoice(node: Node, scope: Scope): void {
    const [asked, ...branches] = childrenOf(node);
    if (asked !== undefined) this.analyseNode(asked, scope);
    for (const branch of branches) if (branch.op !== 'value') this.analyseNode(branch, scope);
  }

  /** Analyses a comparison, a call or a field. */
  #analysePlain(node: Node, scope: Scope): void {
    const [left, right] = childrenOf(node);
    if (left !== undefined && right !== undefined && COMPARISONS.has(node.op)) {
      if (this.#terms.subjectOf(left, scope) === this.#terms.subjectOf(right, scope))
        this.#complain(node, `${this.#text(left)} is compared with itself`, 'Compare it with something else.');
    }
    if (node.op === 'in' && right?.op === 'list') this.#findDuplicates(childrenOf(right), scope);
    const { mistakes, doubts } = wordComplaints(node, this.#terms, scope);
    this.mistakes.push(...mistakes);
    this.doubts.push(...doubts, ...unitDoubts(node, this.#terms, scope), ...changeDoubts(node, this.#terms, scope));
    this.#analyseChildren(node, scope);
  }

  /**
   * A part that is not a truth value may contain some: `transfers.exists(t, ...)`, `size(transfers.filter(t, ...)) >
   * 2`.
   */
  #analyseChildren(node: Node, scope: Scope): void {
    if (isCall(node) && node.args[0] === 'has') return;
    if (isMethodCall(node) && COMPREHENSIONS.includes(node.args[0])) {
      const [name, receiver, [, ...bodies]] = node.args;
      const inner = this.#terms.inside(node, scope);
      this.#analyseChildren(receiver, scope);
      for (const [i, body] of bodies.entries())
        if (name === 'map' && i === bodies.length - 1) this.#analyseChildren(body, inner);
        else this.analyseNode(body, inner);
      return;
    }
    for (const child of childrenOf(node)) {
      if (CONNECTIVES.has(child.op)) this.analyseNode(child, scope);
      else if (COMPARISONS.has(child.op) && child.op !== node.op) this.analyseNode(child, scope);
      else this.#analyseChildren(child, scope);
    }
    this.#findZeroDivision(node, scope);
  }

  #findZeroDivision(node: Node, scope: Scope): void {
    const [, divisor] = childrenOf(node);
    if ((node.op !== '/' && node.op !== '%') || divisor === undefined) return;
    const constant = this.#terms.constantOf(divisor, scope);
    if (constant !== undefined && 'number' in constant && constant.number.digits === 0n)
      this.#complain(node, 'a division by zero is never known', 'Divide by something else.');
  }

  /** Repeated parts, such as `a && b && a` or `x in [1, 2, 1]`: one of them is probably a mistake. */
  #findDuplicates(items: readonly Node[], scope: Scope): void {
    const seen = new Set<string>();
    for (const item of items) {
      const key = this.#terms.keyOf(item, scope);
      if (seen.has(key)) this.#complain(item, `${this.#text(item)} is there twice`, 'Remove it, or correct it.');
      seen.add(key);
    }
  }

  #complainUnlessOpen(node: Node, outcome: ConstraintResult, what: 'never' | 'always'): void {
    if (!('clash' in outcome)) return;
    const [one, other] = outcome.clash;
    const plain = `${this.#text(node)} is ${what} true`;
    if (one === undefined || other === undefined) this.#complain(node, plain, outcome.why);
    else if (what === 'never')
      this.#complain(other, `${this.#text(other)} can never be true together with ${this.#text(one)}`);
    else this.#complain(node, plain, `Either ${this.#text(one)} or ${this.#text(other)} is true of every value.`);
  }

  #text(node: Node): string {
    const { start, end } = wholeSpan(this.#source, node);
    return quote(this.#source.slice(start, end));
  }

  #complain(node: Node, message: string, hint?: string): void {
    this.mistakes.push({ message, hint, ...wholeSpan(this.#source, node) });
  }
}

const FIXED_HINT = 'Name a field, or leave it out.';
const CONNECTIVES: ReadonlySet<string> = new Set(['&&', '||', '!_', '?:']);
const COMPARISONS: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=', 'in']);
