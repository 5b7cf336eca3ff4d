// The condition of an event in its message: its first comparison with a constant in the subject, other values that it
// read in a line of their own. A value that the kind's sentence shows is not repeated.
import { quotable } from '../../lib/untrusted.ts';
import type { Comparison, Condition, Segment } from '../model/watch/condition.ts';
import type { Sentence, WordingContext } from '../model/watch/wording.ts';
import { shortHex } from '../values/address.ts';
import { isDollars } from '../values/dollars.ts';
import { exactOf, recordTypeOf, typeAt, valueAt } from '../values/fields.ts';
import { textAt } from './change-sentence.ts';
import { boundWords, limitOn, limitsOf, numberWords } from './comparisons.ts';
import { ownValue } from './values.ts';
import { showDate, showPath } from './words.ts';

type Occasion = Pick<WordingContext, 'names' | 'view'>;

/** The sentence of an event that `condition` selected, with what it matched. */
export function withMatched(sentence: Sentence, condition: Condition | null, occasion: Occasion): Sentence {
  if (condition === null) return sentence;
  const { lines, shows = [], implies = [], ...said } = sentence;
  const first = firstLimit(condition, { title: said.title, implies }, occasion);
  const shown = new Set(first === null ? shows : [...shows, first.path]);
  const paths = condition.reads.filter((path) => !shown.has(path));
  const matched = matchedLine(paths, condition, occasion);
  return {
    ...said,
    ...(first === null ? {} : withFirst(said, first.words)),
    lines: matched === null ? lines : [...lines, matched],
  };
}

function withFirst({ title, detail }: Pick<Sentence, 'title' | 'detail'>, words: string) {
  return { title: `${title}, ${words}`, detail: detail === null ? words : `${detail}, ${words}` };
}

interface FirstLimit {
  readonly path: string;
  /** `gas used percentage 97.2, above 95` */
  readonly words: string;
}

/** Null if there is none, its value is unknown, or the title shows a limit of its own. */
function firstLimit(
  condition: Condition,
  { title, implies }: Required<Pick<Sentence, 'title' | 'implies'>>,
  occasion: Occasion,
): FirstLimit | null {
  const all = limitsOf(condition).flatMap((limit) => limitWords(limit, occasion));
  const limits = all.filter(({ path }) => !implies.includes(path));
  const [first] = limits;
  if (first === undefined || limits.some(({ bound }) => title.includes(`, ${bound}`))) return null;
  const { path, value, bound } = first;
  const words = isDollars(recordTypeOf(occasion.view), path) ? value : `${showPath(path)} ${value}`;
  return { path, words: `${words}, ${bound}` };
}

function limitWords(limit: Comparison, occasion: Occasion) {
  const { subject } = limit;
  if (subject.type !== 'field' || subject.isBefore) return [];
  const { path } = subject;
  const number = exactOf(valueAt(occasion.view, path));
  const value = valueWords(path, occasion);
  if (number === undefined || value === null) return [];
  return [{ path, value, bound: boundWords(limit, number, numberWords(recordTypeOf(occasion.view), path)) }];
}

const MOST_PATHS = 6;

/** `Matched: gas used percentage 97.2 (above 95), method "deposit".` */
function matchedLine(paths: readonly string[], condition: Condition, occasion: Occasion): readonly Segment[] | null {
  const parts = paths.flatMap((path) => {
    const words = matchedWords(path, condition, occasion);
    return words === null ? [] : [words];
  });
  if (parts.length === 0) return null;
  const listed = parts.slice(0, MOST_PATHS).flatMap((words, i) => (i === 0 ? words : [{ text: ', ' }, ...words]));
  return joined([{ text: 'Matched: ' }, ...listed, { text: '.' }]);
}

/** The same text with as few segments as possible. */
function joined(segments: readonly Segment[]): readonly Segment[] {
  return segments.reduce<readonly Segment[]>((all, segment) => {
    const last = all.at(-1);
    const isText = last !== undefined && 'text' in last && 'text' in segment;
    return isText ? [...all.slice(0, -1), { text: `${last.text}${segment.text}` }] : [...all, segment];
  }, []);
}

function matchedWords(path: string, condition: Condition, occasion: Occasion): readonly Segment[] | null {
  const text = textAt(occasion.view, path);
  if (text !== undefined)
    return [{ text: `${showPath(path)} "` }, { untrusted: quotable(text, MOST_TEXT) }, { text: '"' }];
  const value = valueWords(path, occasion);
  if (value === null) return null;
  const limit = limitOn(condition, path);
  const bound = limit === null ? undefined : limitWords(limit, occasion).at(0)?.bound;
  return [{ text: `${showPath(path)} ${value}${bound === undefined ? '' : ` (${bound})`}` }];
}

const MOST_TEXT = 200;

/** Null for what is unknown, and for what has no short form. */
function valueWords(path: string, occasion: Occasion): string | null {
  const { names, view } = occasion;
  const type = typeAt(recordTypeOf(view), path);
  const value = valueAt(view, path);
  if (type?.type === 'hash' && typeof value === 'string') return shortHex(value);
  if (value instanceof Date) return showDate(value.getTime(), names.zone);
  const own = ownValue(occasion, path);
  if (own === undefined) return null;
  const unit =
    type?.type !== 'amount' ? null : type.unit === 'gwei' ? 'gwei' : type.unit === 'coin' ? names.coin : null;
  return unit === null ? own : `${own} ${unit}`;
}
