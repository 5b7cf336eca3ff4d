// Numbers as they are written elsewhere: 1,000,000 and 1M and 10%. The message says how to write them here.
import type { Mistake } from '../mistake.ts';

/** The mistake at or just before the offset `at`; undefined when there is none. */
export function numberSlip(source: string, at: number): Mistake | undefined {
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
  readonly mistake: (found: RegExpExecArray) => Pick<Mistake, 'message' | 'hint'>;
}

const SLIPS: readonly Slip[] = [
  {
    pattern: /(?<![\w.])\d{1,3}(?:,\d{3}){1,9}(?!\w)/g,
    mistake: ([written]) => ({ message: 'a number has no commas', hint: `Write ${written.replaceAll(',', '_')}.` }),
  },
  {
    pattern: /(?<![\w.])\d{1,3}(?:\.\d{3}){2,9}(?!\w)/g,
    mistake: ([written]) => ({
      message: 'a number has one point at most',
      hint: `Write ${written.replaceAll('.', '_')}.`,
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
];

const ZEROS: Readonly<Record<string, number>> = { k: 3, m: 6, b: 9 };

/** `writtenOut('1', '5', 6)` is `1_500_000`. */
function writtenOut(whole: string, fraction: string, zeros: number): string {
  const digits = `${whole}${fraction.slice(0, zeros).padEnd(zeros, '0')}`;
  const rest = fraction.slice(zeros);
  return `${digits.replace(/\B(?=(?:\d{3})+$)/g, '_')}${rest === '' ? '' : `.${rest}`}`;
}
