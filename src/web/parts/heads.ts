// Words that state whether an explorer's chain is up to date.
import type { HeadAge } from '../../query/shapes/overview.ts';
import { html, type HtmlContent } from './html.ts';
import { ageTag, type Moment } from './time.ts';

const WORDS: Readonly<Record<HeadAge['state'], (age: HtmlContent) => HtmlContent>> = {
  fresh: () => 'fresh',
  stalled: (age) => html`no new block for ${age}`,
  overdue: (age) => html`not read for ${age}`,
  blind: (age) => html`blind for ${age}`,
  unread: (age) => html`answered ${age} ago, head not read`,
  unknown: () => 'not known',
};

/** `fresh`, `no new block for 4 min` */
export function headWords({ state, since }: HeadAge, moment: Moment): HtmlContent {
  if (since === null) return state === 'unread' ? 'head not read' : WORDS[state]('');
  return WORDS[state](ageTag(since, moment));
}

/** A head that no watch reads is not doubtful. */
export function isDoubtfulHead({ state }: HeadAge): boolean {
  return state !== 'fresh' && state !== 'unread';
}
