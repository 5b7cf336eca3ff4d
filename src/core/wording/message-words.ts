// The first words of a message.
import type { Segment } from '../model/watch/condition.ts';
import type { Message } from '../model/delivery.ts';
import { showSpan } from './words.ts';

/** The subject without its state: `treasury USDC on base 970,030, below 1,000,000`, `base: Call to vault failed`. */
export function headingOf({ place, ...words }: Pick<Message, 'title' | 'detail' | 'place'>): string {
  const heading = titleAndDetail(words);
  return place === null || namesPlace(words.title, place) ? heading : `${place}: ${heading}`;
}

/** True if the title names the place as a word, and not only as a part of one. */
function namesPlace(title: string, place: string): boolean {
  return title.split(/[ :,]+/).includes(place);
}

/** Like `headingOf`, for a rule that watches one explorer. */
export function titleAndDetail({ title, detail }: Pick<Message, 'title' | 'detail'>): string {
  return detail === null ? title : `${title}: ${detail}`;
}

/** An alert that is still firing. */
export interface OngoingAlert {
  readonly now: Pick<Message, 'title' | 'detail' | 'measured' | 'place'>;
  /** The value with which it fired; null if it is unknown. */
  readonly firedAt: string | null;
  /** The age of the current values; null if they are up to date. */
  readonly ageMs: number | null;
}

/** `treasury ETH 0.0487, below 3; fired at 2.748`, `treasury ETH 0.0487, below 3; last read 12 min ago` */
export function standingTitle({ now, firedAt, ageMs }: OngoingAlert): string {
  const fired = firedAt === null || firedAt === now.measured ? [] : [firedWords(firedAt)];
  const read = ageMs === null ? [] : [`last read ${showSpan(ageMs)} ago`];
  return [headingOf(now), ...fired, ...read].join('; ');
}

/** `fired at 2.748`, `when it fired: fell 20 %` */
function firedWords(measured: string): string {
  return /^-?\d/.test(measured) ? `fired at ${measured}` : `when it fired: ${measured}`;
}

/** For a channel with room for one text: the rule's own text, else the first lines. */
export function mainText({
  text,
  table = [],
  lines,
}: Pick<Message, 'text' | 'table' | 'lines'>): readonly (readonly Segment[])[] {
  return text.length > 0 ? [text] : [...rowsInWords(table), ...lines];
}

/** `coins: balance 12 ETH, balance USD $40,000` for each row of a table. */
function rowsInWords([head = [], ...rows]: NonNullable<Message['table']>): Segment[][] {
  return rows.map(([name = '', ...cells]) => {
    const values = cells.flatMap((cell, i) => (cell === '' ? [] : `${head[i + 1] ?? ''} ${cell}`));
    return [{ text: `${name}: ${values.join(', ')}.` }];
  });
}
