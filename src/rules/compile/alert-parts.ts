// The conditions and texts of one alert, compiled.
import { restOf } from '../../config/problem.ts';
import type { Path } from '../../config/yaml/written.ts';
import type { Window } from '../../core/model/watch/condition.ts';
import type { Threshold } from '../../core/model/watch/watch.ts';
import { SCHEDULE } from '../language/events.ts';
import type { Compiled, ConditionMistake } from '../language/mistake.ts';
import type { CompiledCondition, CompiledTemplate, Language } from '../language/model.ts';
import type { WrittenAlert } from '../schema/shape.ts';
import { windowComplaint } from './alert-form.ts';
import { warnOfContractSender } from './contract-sender.ts';
import type { Compiling } from './model.ts';
import {
  complainOfNeeds,
  complainOfPlace,
  warnOfClaims,
  warnOfNoTokens,
  warnOfReads,
  warnOfSeldom,
} from './doubtful-reads.ts';
import { complainOfPair, complainOfRatio } from './pairs.ts';
import { reportOf, type CompiledReport } from './report.ts';
import { MOST_TEXT } from './text-budget.ts';
import { thresholdOf } from './threshold.ts';

/** One alert as written. */
export interface ReadAlert {
  readonly path: Path;
  readonly written: WrittenAlert;
  /** False if a part of the alert is wrong. The alert is then checked for more problems, but not used. */
  readonly isWhole: boolean;
}

/** The compiled parts; null: the part is absent or wrong. */
export interface AlertParts {
  readonly if: CompiledCondition | null;
  readonly while: CompiledCondition | null;
  readonly until: CompiledCondition | null;
  /** `of` of `at_least`. */
  readonly of: CompiledCondition | null;
  /** Set for `on: schedule`. */
  readonly report: CompiledReport | null;
  /** Set for an alert that counts items. */
  readonly fires: Threshold | null;
  readonly title: CompiledTemplate | null;
  readonly resolved: CompiledTemplate | null;
  readonly text: CompiledTemplate | null;
}

/** Compiles every part; mistakes are reported at their places. */
export function compileParts(
  compiling: Compiling,
  { written, path, isWhole }: ReadAlert,
  language: Language,
): AlertParts {
  // Conditions and reports are evaluated on the present values, not on an item.
  const isOfNow = written.while !== undefined || written.on === SCHEDULE;
  const isChange = written.on === 'changed' || (isOfNow && 'changed' in compiling.kind.events);
  const use = { before: isChange || !isWhole, windows: isOfNow };
  const condition = (text: string | undefined, ...keys: readonly string[]): CompiledCondition | null => {
    if (text === undefined) return null;
    const at = [...path, ...keys];
    if (!affordable(compiling, at, text, language)) return null;
    const compiled = accept(compiling, at, language.condition(text, use));
    complainOfPlace(compiling, at, { isOfNow, text, compiled });
    if (isWhole) complainOfOthers(compiling, at, { on: written.on, text, reads: compiled?.reads ?? [] });
    warnOfSeldom(compiling, at, text, compiled?.reads ?? []);
    complainOfNeeds(compiling, at, text, compiled?.reads ?? []);
    if (compiled !== null) warnOfContractSender(compiling, at, compiled);
    return looksFarEnough(compiling, at, compiled);
  };
  const doubted = (key: 'if' | 'while'): CompiledCondition | null => {
    const compiled = condition(written[key], key);
    if (compiled === null) return null;
    warnOfReads(compiling, [...path, key], compiled, written);
    warnOfNoTokens(compiling, [...path, key], compiled, language.explorer);
    return compiled;
  };
  const template = (key: 'title' | 'resolved' | 'text'): CompiledTemplate | null => {
    if (written[key] === undefined) return null;
    const at = [...path, key];
    if (!affordable(compiling, at, written[key], language)) return null;
    const compiled = accept(
      compiling,
      at,
      language.template(written[key], { ...use, as: key === 'text' ? 'text' : 'title' }),
    );
    warnOfSeldom(compiling, at, written[key], compiled?.reads ?? []);
    complainOfPlace(compiling, at, { isOfNow, text: written[key], compiled });
    return looksFarEnough(compiling, at, compiled);
  };
  const value = (text: string, at: Path): CompiledTemplate | null => {
    if (!affordable(compiling, at, text, language)) return null;
    const { mistakes, ...compiled } = language.template(`${OPEN}${text}${CLOSE}`, { ...use, as: 'text' });
    const moved = mistakes.map(({ start, end, ...mistake }) => ({
      ...mistake,
      start: Math.max(0, start - OPEN.length),
      end: Math.min(text.length, end - OPEN.length),
    }));
    const shown = accept(compiling, at, { ...compiled, mistakes: moved });
    complainOfPlace(compiling, at, { isOfNow, text, compiled: shown });
    return looksFarEnough(compiling, at, shown);
  };
  const withClaims = (compiled: CompiledCondition | null): CompiledCondition | null => {
    const isChecked = written.if === undefined || compiled !== null;
    if (isWhole && isChecked) warnOfClaims(compiling, path, written, compiled?.reads ?? []);
    return compiled;
  };
  complainOfPace(compiling, written, path);
  const conditions = {
    if: withClaims(doubted('if')),
    while: doubted('while'),
    until: condition(written.until, 'until'),
  };
  complainOfPair(compiling, conditions, path);
  const of = condition(written.at_least?.of, 'at_least', 'of');
  complainOfRatio(compiling, { if: conditions.if, of }, path);
  const fires = thresholdOf(compiling, written, { path, language, of });
  const report = reportOf(compiling, written, { path, compile: value });
  const words = { title: template('title'), resolved: template('resolved'), text: template('text') };
  return { ...conditions, of, fires, report, ...words };
}

const OPEN = '{{ ';
const CLOSE = ' }}';

function affordable({ affords, complain }: Compiling, path: Path, text: string, { explorer }: Language): boolean {
  if (affords(text, explorer)) return true;
  complain(path, {
    message: `the conditions and texts of this file have more than ${MOST_TEXT} characters`,
    hint: 'Split it into several files.',
  });
  return false;
}

/** Reports fields that are known only for another event. With them, the condition would always be unknown. */
function complainOfOthers(
  { kind, complain }: Compiling,
  path: Path,
  { on, text, reads }: { readonly on: string | undefined; readonly text: string; readonly reads: readonly string[] },
): void {
  for (const [field, event] of Object.entries(kind.onlyOf ?? {})) {
    if (on === event || !reads.includes(field)) continue;
    const start = Math.max(0, text.search(new RegExp(`\\b${field}\\b`)));
    const within = { start, end: start + field.length };
    complain(path, { message: `${field} is known only of \`on: ${event}\``, hint: `Write on: ${event}.`, within });
  }
}

/** Reports a time of `at_least` or `none_for` that does not fit the interval. A shorter time may contain no poll. */
function complainOfPace({ complain, intervalMs }: Compiling, { at_least, none_for }: WrittenAlert, path: Path): void {
  const spans = [
    [['at_least', 'within'], at_least?.within],
    [['none_for'], none_for],
  ] as const;
  for (const [key, ms] of spans) {
    const complaint = ms === undefined ? undefined : windowComplaint(ms, intervalMs);
    if (complaint !== undefined) complain([...path, ...key], complaint);
  }
}

function looksFarEnough<T extends { readonly windows: readonly Window[] }>(
  { complain, intervalMs }: Compiling,
  path: Path,
  compiled: T | null,
): T | null {
  for (const { ms } of compiled?.windows ?? []) {
    const complaint = windowComplaint(ms, intervalMs);
    if (complaint !== undefined) complain(path, complaint);
  }
  return compiled;
}

const MOST_MISTAKES = 10;

function accept<T>(
  { complain, warn, add, place }: Compiling,
  path: Path,
  { value, mistakes, doubts }: Compiled<T>,
): T | null {
  const at = ({ message, hint, start, end }: ConditionMistake) => ({ message, hint, within: { start, end } });
  for (const mistake of mistakes.slice(0, MOST_MISTAKES)) complain(path, at(mistake));
  if (mistakes.length > MOST_MISTAKES) add([restOf(place.source.file, mistakes.length - MOST_MISTAKES)]);
  for (const doubt of doubts.slice(0, MOST_MISTAKES)) warn(path, at(doubt));
  return value;
}
