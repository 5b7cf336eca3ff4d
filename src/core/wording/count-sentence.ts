// The sentence of an alert that counts items: enough of them within a time, or none for a time.
import type { Instant } from '../../lib/clock.ts';
import type { CountedItem } from '../model/memory.ts';
import type { AnyKind } from '../model/kind.ts';
import type { CountAlert } from '../model/watch.ts';
import type { Occasion, Sentence } from '../model/wording.ts';
import { ownValue } from './values.ts';
import { capital, lineOf, showPath, showSpan, showTime } from './words.ts';

export interface CountOccasion extends Occasion {
  readonly kind: AnyKind;
  readonly alert: Pick<CountAlert, 'fires' | 'per'>;
  /** Within the time; undefined where none are counted. */
  readonly count: number;
  /** When the newest one happened; null = none is known. */
  readonly newest: Instant | null;
  /** The newest ones, the newest first. */
  readonly items: readonly CountedItem[];
  readonly at: Instant;
  readonly isOver: boolean;
}

export function countSentence(occasion: CountOccasion): Sentence {
  const { alert } = occasion;
  return alert.fires.type === 'none-for' ? absence(occasion, alert.fires.ms) : crowd(occasion, alert.fires.withinMs);
}

/** `3 failed vault calls in 10 min from 0x3c54…b3ab` */
function crowd(occasion: CountOccasion, withinMs: number): Sentence {
  const { kind, names, view, count, isOver } = occasion;
  const { noun } = kind.wording.items(names, view);
  const many = `${count === 0 ? 'no' : String(count)} ${noun}${count === 1 ? '' : 's'}`;
  const detail = `${count} in ${showSpan(withinMs)}`;
  const group = groupWords(occasion);
  return {
    title: `${many} in ${showSpan(withinMs)}${group === '' ? '' : ` ${group}`}`,
    detail: group === '' ? detail : `${detail} ${group}`,
    measured: String(count),
    lines: isOver ? [] : crowdLines(occasion),
  };
}

/** One line per item; how many more there are, and when the newest happened where nothing else says. */
function crowdLines(occasion: CountOccasion): Sentence['lines'] {
  const { items, count, at } = occasion;
  const listed = items.filter(({ place }) => place !== '');
  if (listed.length === 0) return lineOf(newestWords(occasion, 'Newest at'));
  const more = count > listed.length ? [`and ${count - listed.length} more.`] : [];
  const lines = listed.map((item) => `${capital(item.place)}, ${showTime(item.at, at)}.`);
  return [...lines, ...more].flatMap((line) => lineOf(line));
}

/** `from 0x3c54…b3ab` */
function groupWords(occasion: CountOccasion): string {
  const words = occasion.alert.per.map((path) => {
    const value = ownValue(occasion, path) ?? 'unknown';
    const [, end] = /^(from|to)\.hash$/.exec(path) ?? [];
    return end === undefined ? `with ${showPath(path)} ${value}` : `${end} ${value}`;
  });
  return words.join(', ');
}

/** `no call to vault for 6 h` */
function absence(occasion: CountOccasion, ms: number): Sentence {
  const { kind, names, view, isOver } = occasion;
  const { one } = kind.wording.items(names, view);
  if (isOver)
    return { title: `${one} again`, detail: null, measured: null, lines: lineOf(newestWords(occasion, 'At')) };
  const detail = `none for ${showSpan(ms)}`;
  const newest = newestWords(occasion, 'Last one at') ?? 'None since it is watched.';
  return { title: `no ${one} for ${showSpan(ms)}`, detail, measured: null, lines: lineOf(newest) };
}

function newestWords({ newest, at }: CountOccasion, label: string): string | null {
  return newest === null ? null : `${label} ${showTime(newest, at)}.`;
}
