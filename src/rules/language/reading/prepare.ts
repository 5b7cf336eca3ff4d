// Visits a condition before CEL's type check: numbers become exact, names are resolved, forbidden calls are reported.
import { isNotYet } from '../../../config/unknown-keys.ts';
import { hintFor } from '../../../config/values/nearest.ts';
import { quote } from '../../../config/values/scalars.ts';
import { isTimeZone, zoneHint } from '../../../config/values/time-zones.ts';
import { parseDuration } from '../../../lib/durations.ts';
import { Address } from '../../../core/values/address.ts';
import { Amount } from '../../../core/values/amount.ts';
import type { Measure } from '../../../core/model/watch/condition.ts';
import type { ConditionMistake } from '../mistake.ts';
import { compilePattern, LITERALS, type Literal } from './literals.ts';
import { clockMacro, countSteps, hasMacro, windowMacro } from './macros.ts';
import type { Paths } from './paths.ts';
import {
  childrenOf,
  isAccess,
  isCall,
  isMethodCall,
  isName,
  isText,
  type Call,
  type MethodCall,
  type Node,
} from '../syntax.ts';
import { COMPREHENSIONS, FUNCTIONS, METHODS, WINDOWS, type ClockFunction } from '../words.ts';

const DEEPEST_COMPREHENSION = 2;

export interface Around {
  /** Variables of `exists`, `all` and the like. */
  readonly locals: ReadonlySet<string>;
  readonly nesting: number;
  /** Inside an index such as `[0]`: CEL expects its own integers there. */
  readonly isIndex?: boolean;
}

/** Visits a tree once and changes it in place; mistakes are collected in `mistakes`. */
export class Preparation {
  readonly mistakes: ConditionMistake[] = [];
  readonly #source: string;
  readonly #paths: Paths;

  constructor(source: string, paths: Paths) {
    this.#source = source;
    this.#paths = paths;
  }

  visit(node: Node, around: Around): void {
    if (isName(node) || isAccess(node)) this.#visitPath(node, around);
    else if (isCall(node)) this.#visitCall(node, around);
    else if (isMethodCall(node)) this.#visitMethod(node, around);
    else if (node.op === 'value') this.#makeExact(node, around);
    else if (node.op === '[]') this.#visitItem(node, around);
    else for (const child of childrenOf(node)) this.visit(child, around);
  }

  #complain(node: { readonly start: number; readonly end: number }, message: string, hint?: string): void {
    this.mistakes.push({ message, hint, start: node.start, end: node.end });
  }

  #visitItem(node: Node, around: Around): void {
    const [list, index] = childrenOf(node);
    if (list !== undefined && index !== undefined && isText(index) && this.#isRecord(list, around)) {
      const written = this.#source.slice(list.start, list.end);
      this.#complain(node, 'a field stands behind a dot', `Write ${written}.${index.args}.`);
      return;
    }
    if (list !== undefined) this.visit(list, around);
    if (index?.op === '-_') this.#complain(index, 'items are counted from 0', 'Write [0] for the first one.');
    else if (index !== undefined) this.visit(index, { ...around, isIndex: true });
  }

  #isRecord(node: Node, { locals }: Around): boolean {
    return (isName(node) || isAccess(node)) && isName(this.#paths.baseOf(node)) && this.#paths.isRecord(node, locals);
  }

  #visitPath(node: Node, around: Around): void {
    const base = this.#paths.baseOf(node);
    if (!isName(base)) {
      this.visit(base, around);
      return;
    }
    const mistake = this.#paths.read(node, around.locals);
    if (mistake !== undefined) this.mistakes.push(mistake);
  }

  #visitCall(node: Call, around: Around): void {
    const [name, args] = node.args;
    if (!FUNCTIONS.includes(name)) {
      const span = { start: node.start, end: node.start + name.length };
      if (isNotYet(name)) this.#complain(span, `${name}() is not supported yet`);
      else if (name === 'matches') this.#complain(span, 'matches() is not used here', REGEX_HINT);
      else
        this.#complain(span, `no function ${quote(name)}`, name === 'not' ? 'Write !(…).' : hintFor(name, FUNCTIONS));
      return;
    }
    if (name === 'has') this.#visitHas(node, around);
    else if (isMeasure(name)) this.#visitWindow(node, name);
    else if (name === 'hour' || name === 'weekday') this.#visitClock(node, name);
    else if (name === 're' || name === 'glob') this.#visitPattern(node, around);
    else if (OF_VALUES.includes(name)) for (const arg of args) this.visit(arg, around);
    else this.#checkLiteral(node, LITERALS[name]);
  }

  #visitHas(node: Call, around: Around): void {
    const [field, ...others] = node.args[1];
    if (field === undefined || others.length > 0 || !(isName(field) || isAccess(field))) {
      this.#complain(node, 'has() takes one field', 'Write has(to.name).');
      return;
    }
    this.#visitPath(field, around);
    if (this.#paths.isConstant(field, around.locals))
      this.#complain(field, 'a name of the config is always known', 'Ask of a field.');
    node.setMeta('macro', hasMacro(field));
  }

  #visitWindow(node: Call, measure: Measure): void {
    const args = node.args[1];
    const [named, time] = args.length > 1 ? args : [undefined, args[0]];
    const isField = named === undefined || isName(named) || isAccess(named);
    const ms = time !== undefined && isText(time) ? parseDuration(time.args) : undefined;
    if (args.length > 2 || !isField || ms === undefined || ms === 0) {
      this.#complain(
        node,
        `${measure}() takes a time in quotes`,
        `Write ${measure}("1h"), or ${measure}(field, "2d").`,
      );
      return;
    }
    const window = this.#paths.lookBack({ measure, ms }, named);
    if ('message' in window) this.#complain(node, window.message, window.hint);
    else node.setMeta('macro', windowMacro(window));
  }

  #visitClock(node: Call, name: ClockFunction): void {
    const [zone, ...others] = node.args[1];
    if (zone === undefined || others.length > 0 || !isText(zone))
      this.#complain(node, `${name}() takes a time zone in quotes`, `Write ${name}("Europe/Berlin").`);
    else if (!isTimeZone(zone.args)) this.#complain(zone, `no time zone ${quote(zone.args)}`, zoneHint(zone.args));
    else node.setMeta('macro', clockMacro(name, zone.args));
  }

  #visitPattern(node: Call, around: Around): void {
    const [name, [subject, pattern, ...others]] = node.args;
    if (subject === undefined || pattern === undefined || others.length > 0 || !isText(pattern)) {
      this.#complain(
        node,
        `${name}() takes a text and a pattern in quotes`,
        `Write ${name}(method, "${name === 're' ? '^swap' : 'swap*'}").`,
      );
      return;
    }
    this.visit(subject, around);
    const compiled = compilePattern(name, pattern.args);
    if ('message' in compiled) this.#complain(pattern, compiled.message, compiled.hint);
    else (pattern as Node).args = compiled.pattern;
  }

  /** `amount`, `percent`, `duration` and `timestamp` take a quoted text, which is parsed once, here. */
  #checkLiteral(node: Call, literal: Literal | undefined): void {
    if (literal === undefined) return;
    const [name, [arg, ...others]] = node.args;
    const { test, example, hint } = literal;
    if (arg === undefined || others.length > 0 || !isText(arg))
      this.#complain(node, `${name}() takes a text in quotes`, `Write ${name}("${example}").`);
    else if (!test(arg.args))
      this.#complain(arg, `${quote(arg.args)} is no ${name}`, hint?.(arg.args) ?? `Write ${name}("${example}").`);
  }

  #visitMethod(node: MethodCall, around: Around): void {
    const [name, receiver, args] = node.args;
    if (!METHODS.includes(name)) {
      // The method's name follows the receiver and a dot.
      const start = this.#source.indexOf(name, receiver.end);
      const span = { start: start < 0 ? node.start : start, end: (start < 0 ? node.start : start) + name.length };
      if (name === 'matches') this.#complain(span, 'matches() is not used here', REGEX_HINT);
      else if (FUNCTIONS.includes(name))
        this.#complain(span, `${name}() is a function, not a method`, functionHint(name));
      else this.#complain(span, `no method ${quote(name)}`, hintFor(name, METHODS));
      return;
    }
    this.visit(receiver, around);
    if (COMPREHENSIONS.includes(name)) this.#visitComprehension(node, around);
    else for (const arg of args) this.visit(arg, around);
  }

  #visitComprehension(node: MethodCall, { locals, nesting, isIndex = false }: Around): void {
    const [variable, ...bodies] = node.args[2];
    if (nesting + 1 > DEEPEST_COMPREHENSION)
      this.#complain(node, `${node.args[0]}() is nested more than ${DEEPEST_COMPREHENSION} deep`);
    if (variable === undefined || !isName(variable)) {
      this.#complain(
        node,
        `${node.args[0]}() takes a variable and a condition`,
        `Write ${node.args[0]}(t, t.value > 1).`,
      );
      return;
    }
    const inside = { locals: new Set([...locals, variable.args]), nesting: nesting + 1, isIndex };
    for (const body of bodies) {
      this.visit(body, inside);
      countSteps(body);
    }
  }

  /** Numbers become Amounts of exactly the written value. An unquoted address stays an address. */
  #makeExact(node: Node, { isIndex = false }: Around): void {
    const { args } = node;
    if (isIndex || typeof args === 'boolean' || typeof args === 'string' || args === null) return;
    const written = this.#source.slice(node.start, node.end).trim();
    const value =
      Address.parse(written) ??
      (typeof args === 'bigint' ? new Amount(args, 0) : Amount.parse(written.replace(/u$/i, '')));
    if (value === undefined)
      this.#complain(node, `${quote(written)} is no number here`, 'Numbers are written 12, 1_000 or 0.5.');
    else node.args = value;
  }
}

/** Functions whose arguments are conditions of their own. */
const OF_VALUES = ['size', 'unlimited', 'resembles'];

function isMeasure(name: string): name is Measure {
  return WINDOWS.includes(name);
}

function functionHint(name: string): string {
  return isMeasure(name) ? `Write ${name}("1h"), or ${name}(field, "1h").` : `Write it first: ${name}(…).`;
}

const REGEX_HINT = 'Write re(method, "^swap"), which cannot be made to run for ever, or glob(method, "swap*").';
