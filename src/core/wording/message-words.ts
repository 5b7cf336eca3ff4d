// What of a message people read first.
import type { Segment } from '../model/watch/condition.ts';
import type { Message } from '../model/delivery.ts';

/** The subject without its state: `treasury USDC 970,030, below 1,000,000`, `base: treasury USDC 970,030, below 1,000,000`. */
export function headingOf({ place, ...words }: Pick<Message, 'title' | 'detail' | 'place'>): string {
  const heading = titleAndDetail(words);
  return place === null || words.title.includes(place) ? heading : `${place}: ${heading}`;
}

/** The same of a rule that watches one explorer. */
export function titleAndDetail({ title, detail }: Pick<Message, 'title' | 'detail'>): string {
  return detail === null ? title : `${title}: ${detail}`;
}

/** Where there is room for one text: the rule's own, else the first lines. */
export function mainText({ text, lines }: Pick<Message, 'text' | 'lines'>): readonly (readonly Segment[])[] {
  return text.length > 0 ? [text] : lines;
}
