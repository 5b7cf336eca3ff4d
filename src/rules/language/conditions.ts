// Compiles the text of a condition into a function from an evaluation context to true, false or unknown. Mistakes are
// found when the rule is loaded. A condition that cannot be decided is unknown.
import type { ParseResult } from '@marcbachmann/cel-js';
import type { EvaluationContext, StepBudget } from '../../core/model/watch/condition.ts';
import type { Truth } from '../../core/model/ids.ts';
import { quote } from '../../config/values/scalars.ts';
import { isTimeZone, ZONE_EXAMPLE, zoneHint } from '../../config/values/time-zones.ts';
import { analyse } from './analysis/analyse.ts';
import { typeMistake, typeName } from './cel/errors.ts';
import { clauseOf } from './clauses.ts';
import type { Compiled, ConditionMistake } from './mistake.ts';
import type { CompiledCondition, ConditionUse, Language } from './model.ts';
import { metered } from './cel/limits.ts';
import { emptyLists, literalMistakes } from './reading/literals.ts';
import { decideLacking } from './reading/lacking.ts';
import { createPaths } from './reading/paths.ts';
import { Preparation } from './reading/prepare.ts';
import { syntaxMistake } from './reading/syntax-mistakes.ts';
import { childrenOf, isMethodCall, isText, nodeOf, withoutUnderscores, type Node } from './syntax.ts';
import { TIME_GETTERS } from './words.ts';

const LONGEST = 8192;

/** A condition. Offsets of its mistakes refer to `text`. */
export function compileCondition(language: Language, text: string, use: ConditionUse): Compiled<CompiledCondition> {
  if (text.trim() === '') return refused([{ message: 'the condition is empty', start: 0, end: 1 }]);
  if (text.length > LONGEST)
    return refused([{ message: `a condition has at most ${LONGEST} characters`, start: 0, end: 1 }]);
  const source = withoutUnderscores(text);
  const parsed = parse(language, source);
  if ('mistake' in parsed) return refused([parsed.mistake]);
  const { program } = parsed;
  const paths = createPaths(language, use);
  const preparation = new Preparation(source, paths);
  preparation.visit(nodeOf(program.ast), { locals: new Set(), nesting: 0 });
  if (preparation.mistakes.length > 0) return refused(preparation.mistakes);
  const mistakes = check(language, program, source);
  if (mistakes.length > 0) return refused(mistakes);
  decideLacking(language, nodeOf(program.ast), use);
  const analysis = analyse(language, nodeOf(program.ast), source);
  if (analysis.mistakes.length > 0) return refused(analysis.mistakes);
  const { constraints, doubts } = analysis;
  const reads = [...paths.reads];
  const headOnly = reads.length > 0 && reads.every((path) => isOfHead(language, path));
  const readsBefore = [...paths.readsBefore];
  const { windows } = paths;
  const own = { text, reads, windows, ...evaluatedBy(language, program) };
  const value = {
    ...own,
    readsBefore,
    headOnly,
    clause: () => clauseOf(language, own, use, nodeOf(program.ast)),
    constraints,
  };
  return { value, mistakes: [], doubts };
}

function isOfHead({ kind }: Language, path: string): boolean {
  const [name = ''] = path.split('.');
  return kind.fields.fields[name]?.ofHead === true;
}

function evaluatedBy(language: Language, program: ParseResult): Pick<CompiledCondition, 'evaluate' | 'limitOf'> {
  /** Limits that the last evaluation of each context exceeded. */
  const limits = new WeakMap<EvaluationContext, string | null>();
  const evaluateOn = (context: EvaluationContext, budget?: StepBudget): Truth => {
    const { truth, limit, steps } = evaluate(language, program, context);
    if (budget !== undefined) budget.left -= steps;
    if (truth === 'unknown') limits.set(context, limit);
    return truth;
  };
  return {
    evaluate: evaluateOn,
    limitOf(context) {
      if (!limits.has(context) && evaluateOn(context) !== 'unknown') return null;
      return limits.get(context) ?? null;
    },
  };
}

function refused<T>(mistakes: readonly ConditionMistake[]): Compiled<T> {
  return { value: null, mistakes, doubts: [] };
}

function parse({ cel }: Language, source: string): { program: ParseResult } | { mistake: ConditionMistake } {
  try {
    return { program: cel.env.parse(source) };
  } catch (error) {
    return { mistake: syntaxMistake(error, source) };
  }
}

/** Mistakes that CEL's own type check finds, and some that it misses. */
function check(language: Language, program: ParseResult, source: string): ConditionMistake[] {
  const empty = emptyLists(nodeOf(program.ast));
  if (empty.length > 0) return empty;
  const result = program.check();
  const ast = nodeOf(program.ast);
  if (!result.valid) return [typeMistake(language.cel, result.error, { ast, source })];
  if (result.type !== 'bool' && result.type !== 'dyn')
    return [
      {
        message: `a condition is true or false, this is ${typeName(result.type ?? '')}`,
        start: ast.start,
        end: ast.end,
      },
    ];
  return [...literalMistakes(ast), ...timeZoneMistakes(ast)];
}

/**
 * Finds arguments of `getHours()` and similar functions that are no time zone. `timestamp.getHours("Europe/Berlin")` is
 * right. A zone that does not exist would make the condition unknown for ever.
 */
function timeZoneMistakes(node: Node): ConditionMistake[] {
  const mistakes = childrenOf(node).flatMap(timeZoneMistakes);
  if (!isMethodCall(node) || !TIME_GETTERS.includes(node.args[0])) return mistakes;
  const [zone] = node.args[2];
  if (zone === undefined || (isText(zone) && isTimeZone(zone.args))) return mistakes;
  const { start, end } = zone;
  if (!isText(zone))
    return [...mistakes, { message: 'a time zone is a text in quotes', hint: ZONE_EXAMPLE, start, end }];
  return [...mistakes, { message: `no time zone ${quote(zone.args)}`, hint: zoneHint(zone.args), start, end }];
}

function evaluate({ cel }: Language, program: ParseResult, context: EvaluationContext): Evaluated {
  const { value, limit, steps } = metered((): unknown => program(cel.bind(context)));
  return typeof value === 'boolean' ? { truth: value, limit: null, steps } : { truth: 'unknown', limit, steps };
}

interface Evaluated {
  readonly truth: Truth;
  readonly limit: string | null;
  readonly steps: number;
}
