// Comparisons with fields that a row does not have, such as an argument of another function. They are false, and not
// unknown: it is known that there is no such value.
import type { AnyView, Lacking } from '../../../core/values/fields.ts';
import type { ConditionUse, Language } from '../model.ts';
import { exceed } from '../cel/limits.ts';
import { childrenOf, isCall, isMethodCall, isName, type Node } from '../syntax.ts';
import { COMPREHENSIONS, SELF } from '../words.ts';
import { resolveNames } from './names.ts';
import { namesOf } from './paths.ts';

/** Makes each part of the condition between `&&`, `||` and `!` false if a field that it compares does not exist. */
export function decideLacking(language: Language, node: Node, use: ConditionUse): void {
  const { lacking } = language.kind.fields;
  if (lacking === null) return;
  if (JOINS.includes(node.op)) {
    for (const part of childrenOf(node)) decideLacking(language, part, use);
    return;
  }
  const paths = coveredPaths(language, lacking, { node, use });
  if (paths.length > 0) guard(node, lacking, paths);
}

const JOINS: readonly string[] = ['&&', '||', '!_', '?:'];

interface Part {
  readonly node: Node;
  readonly use: ConditionUse;
}

function coveredPaths(
  language: Language,
  lacking: Lacking,
  { node, use }: Part,
  locals: ReadonlySet<string> = new Set(),
): readonly string[] {
  const names = namesOf(node);
  if (names !== undefined) {
    const found = locals.has(names[0] ?? '') ? undefined : resolveNames(language, names, use.before);
    return found !== undefined && 'path' in found && !found.before && lacking.covers(found.path) ? [found.path] : [];
  }
  const inner = localsIn(node, locals);
  // `has(x) == false` is about whether x is there, so it is decided without x.
  const parts = childrenOf(node).filter((part) => !(isCall(part) && part.args[0] === 'has'));
  return parts.flatMap((part) => coveredPaths(language, lacking, { node: part, use }, inner));
}

function localsIn(node: Node, locals: ReadonlySet<string>): ReadonlySet<string> {
  if (!isMethodCall(node) || !COMPREHENSIONS.includes(node.args[0])) return locals;
  const [variable] = node.args[2];
  return variable !== undefined && isName(variable) ? new Set([...locals, variable.args]) : locals;
}

function guard(node: Node, lacking: Lacking, paths: readonly string[]): void {
  // `has` is false of a value that cannot be read.
  const asked = isCall(node) && node.args[0] === 'has' ? [] : paths;
  node.evaluate = (evaluator, own, context) => {
    const view = (context as { getValue(name: string): AnyView }).getValue(SELF);
    if (paths.some((path) => lacking.lacks(view, path))) return false;
    for (const path of asked) {
      const misfit = lacking.misfitOf(view, path);
      if (misfit !== null) exceed(misfit);
    }
    // cel-js makes the same choice when it runs a node for the first time.
    const { alternate, macro, evaluate } = node.meta;
    if (alternate !== undefined) return alternate.evaluate(evaluator, alternate, context);
    return macro === undefined ? evaluate(evaluator, own, context) : macro.evaluate(evaluator, macro, context);
  };
}
