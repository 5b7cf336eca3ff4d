// Numbers in other spellings: 1,000,000 and 1M, 10% and 2m and 5 ETH. The message shows how to write them here.
import type { ConditionMistake } from '../mistake.ts';
import { WINDOWS } from '../words.ts';

/** The mistake at or just before the offset `at`; undefined when there is none. */
export function numberSlip(source: string, at: number): ConditionMistake | undefined {
  return SLIPS.flatMap(({ pattern, mistake }) =>
    [...source.matchAll(pattern)].flatMap((found) => {
      const start = found.index;
      const end = start + found[0].length;
      return start <= at && source.slice(end, at).trim() === '' ? [{ ...mistake(found), start, end }] : [];
    }),
  ).at(0);
}

interface Slip {
  /** Repetitions are bounded, so that a long text does not take long. */
  readonly pattern: RegExp;
  readonly mistake: (found: RegExpExecArray) => Pick<ConditionMistake, 'message' | 'hint'>;
}

const SLIPS: readonly Slip[] = [
  {
    pattern: /(?<![\w.])(?!0)\d{1,3}(?:,\d{3}){1,9}(?!\w)/g,
    mistake: ([written]) => ({ message: 'a number has no commas', hint: `Write ${written.replaceAll(',', '_')}.` }),
  },
  {
    pattern: /(?<![\w.'"])\d{1,3}(?:['’]\d{3}){1,9}(?![\w'])/g,
    mistake: ([written]) => ({
      message: 'a number has no apostrophes',
      hint: `Write ${written.replaceAll(/['’]/g, '_')}.`,
    }),
  },
  {
    pattern: /(?<![\w.])\d{1,3}(?:\.\d{3}){2,9}(?!\w)/g,
    mistake: ([written]) => ({
      message: 'a number has one point at most',
      hint: `Write ${written.replaceAll('.', '_')}.`,
    }),
  },
  {
    pattern: /(?<=[<>=]\s{0,4})(\d{1,15}),(\d{1,15})(?![\w,])/g,
    mistake: ([, whole = '', fraction = '']) => ({
      message: 'a number has a point, not a comma',
      hint: `Write ${whole}.${fraction}.`,
    }),
  },
  {
    pattern: /(?<![\w.)\]])\.(\d{1,18})(?!\w)/g,
    mistake: ([written]) => ({ message: 'a number begins with a digit', hint: `Write 0${written}.` }),
  },
  {
    pattern: /(?<![\w.])(\d{1,9})\s{0,4}(ms|s|sec|m|min|h|d|(?:second|minute|hour|day)s?)(?!\w)/g,
    mistake: ({ 0: written, 1: count = '', 2: unit = '', input, index }) => ({
      message: `"${written}" is no number`,
      hint: durationHint(count, unit, input.slice(0, index)),
    }),
  },
  {
    pattern: /(?<![\w.])(\d{1,15})(?:\.(\d{1,9}))?\s{0,4}([kKmMbB])(?!\w)/g,
    mistake: ([written, whole = '', fraction = '', unit = '']) => ({
      message: `"${written}" is no number: digits are written out`,
      hint: `Write ${writtenOut(whole, fraction, ZEROS[unit.toLowerCase()] ?? 0)}.`,
    }),
  },
  {
    pattern: /(?<![\w.])-?\d{1,9}(?:\.\d{1,9})?%/g,
    mistake: ([written]) => ({
      message: `"${written}" is no number`,
      hint: `Write percent("${written.slice(0, -1)}").`,
    }),
  },
  {
    pattern:
      /(?<![\w.])(\d[\d_]{0,30}(?:\.\d{1,30})?)\s{1,4}(?!(?:and|between|contains|in|is|like|not|or)\b)[a-z]{2,12}(?!\w)/gi,
    mistake: ([written, number = '']) => ({
      message: `"${written}" is no number: an amount has no unit`,
      hint: /wei$/i.test(written) ? 'Amounts are in whole coins and tokens.' : `Write ${number}.`,
    }),
  },
];

/** `before`: the condition up to the duration. Functions over the history take a text; `2m` may mean two millions. */
function durationHint(count: string, unit: string, before: string): string {
  const letter = unit === 'ms' ? unit : unit.charAt(0);
  const isOfHistory = WINDOW_CALL.test(before);
  if (isOfHistory) return `Write "${count}${letter}", in quotes.`;
  const duration = letter === 'd' ? `${Number(count) * 24}h` : `${count}${letter}`;
  return `Write duration("${duration}")${unit === 'm' ? `, or ${writtenOut(count, '', 6)}` : ''}.`;
}

const WINDOW_CALL = new RegExp(`\\b(?:${WINDOWS.join('|')})\\(\\s{0,4}(?:[\\w.]{1,64}\\s{0,4},\\s{0,4})?$`);

const ZEROS: Readonly<Record<string, number>> = { k: 3, m: 6, b: 9 };

/** `writtenOut('1', '5', 6)` is `1_500_000`. */
function writtenOut(whole: string, fraction: string, zeros: number): string {
  const digits = `${whole}${fraction.slice(0, zeros).padEnd(zeros, '0')}`;
  const rest = fraction.slice(zeros);
  return `${digits.replace(/\B(?=(?:\d{3})+$)/g, '_')}${rest === '' ? '' : `.${rest}`}`;
}
