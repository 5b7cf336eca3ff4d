// Replacements for CEL's own evaluation of single nodes: `has`, windows, and the bodies of `exists` and the like.
import type { WindowHistory, Window } from '../../../core/model/watch/condition.ts';
import { Amount } from '../../../core/values/amount.ts';
import type { Instant } from '../../../lib/clock.ts';
import { hourIn, weekdayIn } from '../../../lib/time-zone.ts';
import { spend } from '../cel/limits.ts';
import { childrenOf, type Node } from '../syntax.ts';
import { HISTORY, MOMENT, type ClockFunction } from '../words.ts';

/** Counts the nodes of a body each time that `exists` and the like evaluate it for an item. */
export function countSteps(body: Node): void {
  const steps = sizeOf(body);
  body.evaluate = (evaluator, node, context) => {
    spend(steps);
    // cel-js makes the same choice when it runs a node for the first time.
    const { alternate, macro, evaluate } = body.meta;
    if (alternate !== undefined) return alternate.evaluate(evaluator, alternate, context);
    return macro === undefined ? evaluate(evaluator, node, context) : macro.evaluate(evaluator, macro, context);
  };
}

function sizeOf(node: Node): number {
  return childrenOf(node).reduce((size, child) => size + sizeOf(child), 1);
}

interface Checker {
  check(node: Node, context: unknown): unknown;
  getType(name: string): unknown;
}

interface Evaluator {
  run(node: Node, context: unknown): unknown;
}

/**
 * Whether the field is known. CEL's own `has` accepts neither a field without its record, nor a path that begins with
 * an unknown field.
 */
export function hasMacro(field: Node) {
  return {
    typeCheck(checker: Checker, _macro: unknown, context: unknown): unknown {
      checker.check(field, context);
      return checker.getType('bool');
    },
    evaluate(evaluator: Evaluator, _macro: unknown, context: unknown): boolean {
      try {
        return evaluator.run(field, context) !== undefined;
      } catch {
        return false;
      }
    },
  };
}

/** Evaluates a window on the history in the evaluation context. An unknown value makes the condition unknown. */
export function windowMacro(window: Window) {
  return {
    typeCheck: (checker: Checker): unknown => checker.getType('Amount'),
    evaluate(_evaluator: Evaluator, _macro: unknown, context: { getValue(name: string): unknown }): Amount {
      const history = context.getValue(HISTORY) as WindowHistory | null;
      const value = history?.(window);
      if (value === undefined) throw new RangeError('not known that far back');
      return value;
    },
  };
}

/** The hour or weekday in the zone, at the time of the item or of the poll. */
export function clockMacro(name: ClockFunction, zone: string) {
  const isHour = name === 'hour';
  return {
    typeCheck: (checker: Checker): unknown => checker.getType(isHour ? 'Amount' : 'string'),
    evaluate(_evaluator: Evaluator, _macro: unknown, context: { getValue(name: string): unknown }): Amount | string {
      const at = context.getValue(MOMENT) as Instant;
      return isHour ? new Amount(BigInt(hourIn(zone, at)), 0) : weekdayIn(zone, at);
    },
  };
}
