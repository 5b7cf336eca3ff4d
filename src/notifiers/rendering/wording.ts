// Words that every channel shares. What leaves this file is plain text of single lines, safe to show as it is.
import { showDuration } from '../../lib/clock.ts';
import type { Message } from '../../core/model/delivery.ts';
import { plainJoined, singleLine } from '../../lib/untrusted.ts';

/** Longest line of our own text; beyond it `…`. A stranger's text is cut much earlier. */
const MOST_OURS = 2000;

/** EVENT, FIRING, RESOLVED, RETRACTED and so on. */
export function stateOf(message: Message): string {
  return message.type.slice('alert.'.length).toUpperCase();
}

/** Our own text, such as a title or a name from the config, as one line without control characters. */
export function ours(text: string): string {
  return singleLine(text, MOST_OURS);
}

/** The message's text by lines, a stranger's parts opened and defanged. The author's line breaks stay. */
export function linesOf(message: Message): string[] {
  return plainJoined(message.text)
    .split('\n')
    .map(ours)
    .filter((line) => line !== '');
}

/** How long an alert fired that has ended: `1h12m`; null for the others. */
export function firedFor(message: Message): string | null {
  return message.resolvedAt === null ? null : showDuration(message.resolvedAt - message.since);
}

/** Pages to open: what is not a plain web address is left out. */
export function pagesOf(message: Message): string[] {
  return message.links.filter((link) => /^https?:\/\/[\u0021-\u007e]+$/.test(link) && URL.canParse(link));
}
