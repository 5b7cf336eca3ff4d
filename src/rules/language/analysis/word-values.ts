// Words are enumerations: a comparison with a value that the enumeration does not have is a mistake.
import { RE2JS } from 're2js';
import { hintFor } from '../../../config/values/nearest.ts';
import { quote } from '../../../config/values/scalars.ts';
import { isWord } from '../../../core/values/record-type.ts';
import type { FieldType } from '../../../core/values/fields.ts';
import type { ConditionMistake } from '../mistake.ts';
import { childrenOf, isAccess, isCall, isMethodCall, isName, isText, type Node } from '../syntax.ts';
import type { Scope } from './scope.ts';
import type { Terms } from './terms.ts';

type Word = Extract<FieldType, { type: 'word' }>;

interface Complaints {
  readonly mistakes: readonly ConditionMistake[];
  readonly doubts: readonly ConditionMistake[];
}

/**
 * A value that a closed set does not have is a mistake. In an open set it is only a doubt, since the set may get it
 * later.
 */
export function wordComplaints(node: Node, terms: Terms, scope: Scope): Complaints {
  const mistakes: ConditionMistake[] = [];
  const doubts: ConditionMistake[] = [];
  const wordOf = (side: Node | undefined): Word | undefined => {
    if (side === undefined || !(isName(side) || isAccess(side) || isCall(side) || side.op === '[]')) return undefined;
    const type = terms.fieldOf(side, scope);
    // `"dex" in tags`: the items of the list are words.
    const item = type?.type === 'list' ? type.of : type;
    return item?.type === 'word' ? item : undefined;
  };
  for (const { word, text } of comparedTexts(node, wordOf)) {
    const at = { start: text.start, end: text.end };
    if (word.isClosed === true && !word.values.includes(text.args))
      mistakes.push({
        message: `${quote(text.args)} is no value of it`,
        hint: hintFor(text.args, word.values) ?? word.advice,
        ...at,
      });
    else if (!isWord(text.args))
      mistakes.push({ message: `${quote(text.args)} cannot be a value of this field`, hint: SHAPE, ...at });
    else if (word.values.length > 0 && !word.values.includes(text.args))
      doubts.push({
        message: `${quote(text.args)} is a value that was never seen here`,
        hint: hintFor(text.args, word.values),
        ...at,
      });
  }
  doubts.push(...methodDoubts(node));
  const mistake = patternMistake(node, wordOf);
  return { mistakes: mistake === undefined ? mistakes : [...mistakes, mistake], doubts };
}

/** Doubts about texts such as `method == "Pause()"`: explorers show the name of a method alone. */
function methodDoubts(node: Node): ConditionMistake[] {
  if (!['==', '!=', 'in'].includes(node.op)) return [];
  const [left, right] = childrenOf(node);
  if (left === undefined || right === undefined || !isName(left) || left.args !== 'method') return [];
  const texts = (right.op === 'list' ? childrenOf(right) : [right]).filter(isText);
  return texts.flatMap(({ args, start, end }) => {
    const name = /^(\w+)\s*\(/.exec(args)?.[1];
    if (name === undefined) return [];
    const message = 'a method is shown by its name alone, in the spelling of the contract';
    return [{ message, hint: `Write "${name.charAt(0).toLowerCase()}${name.slice(1)}".`, start, end }];
  });
}

const SHAPE = 'Values are letters, digits, spaces, dashes and underscores.';

interface ComparedText {
  readonly word: Word;
  readonly text: Node & { readonly args: string };
}

function comparedTexts(node: Node, wordOf: (side: Node | undefined) => Word | undefined): readonly ComparedText[] {
  if (!['==', '!=', 'in'].includes(node.op)) return [];
  const sides = childrenOf(node);
  return sides.flatMap((side, i) => {
    const word = wordOf(side);
    const other = sides[1 - i];
    if (word === undefined || other === undefined) return [];
    const texts = other.op === 'list' ? childrenOf(other) : [other];
    return texts.filter(isText).map((text) => ({ word, text }));
  });
}

/** A pattern that matches none of the known values. */
function patternMistake(
  node: Node,
  wordOf: (side: Node | undefined) => Word | undefined,
): ConditionMistake | undefined {
  const test = testOf(node);
  const word = test === undefined ? undefined : wordOf(test.subject);
  if (test === undefined || word?.isClosed !== true || word.values.some(test.fits)) return undefined;
  const { start, end } = test.pattern;
  return { message: 'the pattern matches no possible value', hint: `Possible: ${word.values.join(', ')}.`, start, end };
}

interface Test {
  readonly subject: Node;
  readonly pattern: Node;
  readonly fits: (value: string) => boolean;
}

function testOf(node: Node): Test | undefined {
  if (isCall(node)) {
    const [subject, pattern] = node.args[1];
    const re = pattern?.args;
    if (subject === undefined || pattern === undefined || !(re instanceof RE2JS)) return undefined;
    return { subject, pattern, fits: (value) => re.matcher(value).find() };
  }
  if (!isMethodCall(node)) return undefined;
  const [name, subject, [pattern]] = node.args;
  const method = Object.hasOwn(METHOD_TESTS, name) ? METHOD_TESTS[name] : undefined;
  if (method === undefined || pattern === undefined || !isText(pattern)) return undefined;
  return { subject, pattern, fits: (value) => method(value, pattern.args) };
}

const METHOD_TESTS: Readonly<Record<string, (value: string, part: string) => boolean>> = {
  contains: (value, part) => value.includes(part),
  startsWith: (value, part) => value.startsWith(part),
  endsWith: (value, part) => value.endsWith(part),
};
