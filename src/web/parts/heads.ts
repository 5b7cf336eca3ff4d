// Whether what an explorer shows of its chain is of now, in words.
import type { HeadAge } from '../../query/shapes/overview.ts';
import { duration, type Moment } from './time.ts';

const WORDS: Readonly<Record<HeadAge['state'], (time: string) => string>> = {
  fresh: () => 'fresh',
  stalled: (time) => `no new block for ${time}`,
  overdue: (time) => `not read for ${time}`,
  blind: (time) => `blind for ${time}`,
  unread: (time) => `answered ${time} ago, head not read`,
  unknown: () => 'not known',
};

/** `fresh`, `no new block for 4 min` */
export function headWords({ state, since }: HeadAge, { now }: Moment): string {
  if (since === null) return state === 'unread' ? 'head not read' : WORDS[state]('');
  return WORDS[state](duration(Math.max(0, now - Date.parse(since))));
}

/** Where no watch asks for the head, nothing is wrong with it. */
export function isDoubtfulHead({ state }: HeadAge): boolean {
  return state !== 'fresh' && state !== 'unread';
}
