// The values that an expression can have, whatever the data is.
import { Amount } from '../../../core/values/amount.ts';
import type { FieldType } from '../../../core/values/fields.ts';
import { childrenOf, isCall, isMethodCall, type Node } from '../syntax.ts';
import { WINDOWS } from '../words.ts';
import type { ComparedConstant, Scope } from './scope.ts';

/** Bounds that the value of an expression never exceeds, whatever the data is. Null: there is no such bound. */
export interface Domain {
  readonly isWhole: boolean;
  readonly least: Amount | null;
  readonly most: Amount | null;
}

const ZERO = new Amount(0n, 0);
const ALL_OF_IT = new Amount(-1n, 0);
const ANYTHING: Domain = { isWhole: false, least: null, most: null };

interface DomainTerms {
  fieldOf(node: Node, scope: Scope): FieldType | undefined;
  constantOf(node: Node, scope: Scope): ComparedConstant | undefined;
  measuredBy(args: readonly Node[]): FieldType | undefined;
}

export function createDomains(terms: DomainTerms): (node: Node, scope: Scope) => Domain {
  function domainOf(node: Node, scope: Scope): Domain {
    const name = isCall(node) || isMethodCall(node) ? node.args[0] : '';
    if (name === 'size') return { isWhole: true, least: ZERO, most: null };
    if (isCall(node) && WINDOWS.includes(name)) return domainOfWindow(name, node.args[1]);
    if (node.op === '%') return domainOfRemainder(node, scope);
    const most = isMethodCall(node) || name === 'hour' ? MOST[name] : undefined;
    if (most !== undefined) return { isWhole: true, least: ZERO, most: new Amount(BigInt(most), 0) };
    return domainOfType(terms.fieldOf(node, scope));
  }

  /**
   * The values of a window. A value that is never below zero can fall by the whole value at most, so `change` is at
   * least -1.
   */
  function domainOfWindow(name: string, args: readonly Node[]): Domain {
    const { isWhole, least } = domainOfType(terms.measuredBy(args));
    if (name === 'change') return { isWhole: false, least: least === null ? null : ALL_OF_IT, most: null };
    if (name === 'delta') return { isWhole, least: null, most: null };
    return { isWhole: isWhole && name !== 'avg', least, most: null };
  }

  /** The remainder of whole numbers has bounds: `height % 10` is from 0 to 9. */
  function domainOfRemainder(node: Node, scope: Scope): Domain {
    const [dividend, divisor] = childrenOf(node);
    const constant = divisor === undefined ? undefined : terms.constantOf(divisor, scope);
    const by = constant !== undefined && 'number' in constant ? constant.number : ZERO;
    const { isWhole, least }: Domain = dividend === undefined ? ANYTHING : domainOf(dividend, scope);
    if (!isWhole || by.compare(ZERO) <= 0 || by.digits % 10n ** BigInt(by.scale) !== 0n) return ANYTHING;
    const most = by.minus(new Amount(1n, 0));
    return { isWhole, least: least === null ? most.negated() : ZERO, most };
  }

  return domainOf;
}

function domainOfType(type: FieldType | undefined): Domain {
  if (type?.type !== 'int' && type?.type !== 'amount') return ANYTHING;
  return { isWhole: type.type === 'int', least: type.least === 0 ? ZERO : null, most: null };
}

/** The largest results of `hour()` and of the time getters. Their smallest result is 0. */
const MOST: Readonly<Record<string, number>> = {
  hour: 23,
  getMonth: 11,
  getDayOfMonth: 30,
  getDayOfWeek: 6,
  getDayOfYear: 365,
  getHours: 23,
  getMinutes: 59,
  getSeconds: 59,
};
