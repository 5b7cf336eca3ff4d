// Conditions that CEL cannot parse. Most use the syntax of another language: the message shows how to write them here.
import { ParseError } from '@marcbachmann/cel-js';
import { quote } from '../../../config/values/scalars.ts';
import { lowerFirst } from '../../../lib/lower-first.ts';
import type { ConditionMistake } from '../mistake.ts';
import { numberSlip } from './number-slips.ts';

type Words = Pick<ConditionMistake, 'message' | 'hint'>;

/** `error`: the error of CEL for `source`. */
export function syntaxMistake(error: unknown, source: string): ConditionMistake {
  if (!(error instanceof ParseError))
    return { message: 'the condition is nested too deeply', start: 0, end: source.length };
  const { start: at = 0, end = source.length } = error.range ?? {};
  const slip = bracesMistake(source) ?? numberSlip(source, at);
  if (slip !== undefined) return slip;
  const start = Math.min(at, Math.max(0, source.length - 1));
  const word = /^\w{1,40}/.exec(source.slice(at))?.[0] ?? '';
  return { ...syntaxWords(error.summary, source, at), start, end: Math.max(end, at + word.length) };
}

/** The braces of a template, written around a field of a condition. */
function bracesMistake(source: string): ConditionMistake | undefined {
  const start = source.indexOf('{{');
  if (start < 0) return undefined;
  const name = /^\{\{\s{0,9}([\w.]{1,64})/.exec(source.slice(start))?.[1];
  const hint = name === undefined ? 'Leave them out.' : `Write ${name}.`;
  return {
    message: 'braces belong to title and text: a condition names fields without them',
    hint,
    start,
    end: start + 2,
  };
}

function syntaxWords(summary: string, source: string, at: number): Words {
  const limit = /^Exceeded max(\w+) \((\d+)\)/.exec(summary);
  if (limit !== null) return { message: LIMIT_WORDS[limit[1] ?? ''] ?? `too many parts: at most ${limit[2] ?? ''}` };
  const [before, next] = [source.slice(0, at).trimEnd(), source.slice(at).trimStart()];
  const slip = SLIPS.find(([pattern]) => pattern.test(next));
  if (slip !== undefined) return { message: slip[1], hint: slip[2] };
  if (/\bnot$/i.test(before)) return { message: '"not" is no operator here', hint: 'Write !.' };
  if (/^(?:Unterminated|Newlines)/.test(summary)) return { message: 'a text has no closing quote' };
  if (/^Invalid/.test(summary)) return { message: `no expression: ${lowerFirst(summary)}` };
  return unexpected(before, next);
}

const LIMIT_WORDS: Readonly<Record<string, string>> = {
  AstNodes: 'the condition is too long: it has more than 500 parts',
  Depth: 'the condition is nested more than 32 levels deep',
  MapEntries: 'maps are not used here',
};

/** Syntax of other languages, and how to write it here. */
const SLIPS: readonly (readonly [RegExp, message: string, hint: string])[] = [
  [/^=>/, '"=>" is no operator here', 'Write >=.'],
  [/^=</, '"=<" is no operator here', 'Write <=.'],
  [/^=/, 'a single = compares nothing', 'Write ==.'],
  [/^&/, 'a single & joins nothing', 'Write &&.'],
  [/^\|/, 'a single | joins nothing', 'Write ||.'],
  [/^and\b/i, '"and" is no operator here', 'Write &&.'],
  [/^or\b/i, '"or" is no operator here', 'Write ||.'],
  [/^is\b/i, '"is" is no operator here', 'Write ==.'],
  [/^not\b/i, '"not" is no operator here', 'Write !.'],
  [/^between\b/i, '"between" is no operator here', 'Write value >= 1 && value <= 5.'],
  [/^contains\b/i, '"contains" is no operator here', 'Write method.contains("swap").'],
  [/^like\b/i, '"like" is no operator here', 'Write glob(method, "swap*").'],
  [/^(?:below|under)\b/i, '"below" and "under" are no operators here', 'Write <.'],
  [/^(?:above|over)\b/i, '"above" and "over" are no operators here', 'Write >.'],
  [/^if\b/i, 'a condition begins without "if"', 'Leave it out.'],
  [/^>/, '"<>" is no operator here', 'Write !=.'],
  [/^≥/, '"≥" is no operator here', 'Write >=.'],
  [/^≤/, '"≤" is no operator here', 'Write <=.'],
  [/^≠/, '"≠" is no operator here', 'Write !=.'],
  [/^[−–—]/, 'this dash is no minus sign', 'Write -.'],
  [/^[“”„‘’«»`]/, 'a text has straight quotes', 'Write "swap".'],
  [/^[$€£]/, 'a number has no sign of a currency', 'Leave it out.'],
  [/^;/, 'a condition has no ; in it', 'Leave it out.'],
];

/** The missing text before the place where CEL stopped, or the surplus text there. */
function unexpected(before: string, next: string): Words {
  if (next === '') return { message: 'the condition ends too early', hint: closing(before) };
  const list = /\bin\s{0,9}\(([^()]{1,200})$/.exec(before)?.[1];
  if (list !== undefined)
    return {
      message: 'a list stands in square brackets',
      hint: `Write in [${list}${/^[^()]{0,200}/.exec(next)?.[0] ?? ''}].`,
    };
  if (next.startsWith(')') && closing(before) === undefined)
    return { message: 'this ) closes nothing', hint: 'Leave it out.' };
  const here = quote(/^(?:\w{1,40}|.)/su.exec(next)?.[0] ?? '');
  const isValueBefore = /[\w)\]"']$/.test(before);
  if (isValueBefore && /^[\w("'[]/.test(next)) return { message: `an operator is missing before ${here}` };
  return { message: isValueBefore ? `${here} cannot stand here` : `a value is missing before ${here}` };
}

function closing(before: string): string | undefined {
  const depth = before.split('(').length - before.split(')').length;
  return depth > 0 ? 'Write the missing ).' : undefined;
}
