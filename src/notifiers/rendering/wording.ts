// Words that all channels share. All texts from this file are plain single lines, safe to show.
import { showDuration } from '../../lib/clock.ts';
import { SEVERITY_RAISED, stateWord, type Message } from '../../core/model/delivery.ts';
import type { Segment } from '../../core/model/watch/condition.ts';
import { headingOf, mainText } from '../../core/wording/words.ts';
import { plainJoined, singleLine } from '../../lib/untrusted.ts';

/** The longest line of our own text; a longer one is cut and ends with `…`. Untrusted text is cut much earlier. */
const MOST_OURS = 2000;

/** EVENT, FIRING, RESOLVED, RETRACTED and so on. */
export function stateOf(message: Message): string {
  return stateWord(message.type).toUpperCase();
}

/** `[RESOLVED after 12m5s] treasury USDC 1,120,423, above 1,050,000`. It never contains text from the chain. */
export function subjectOf(message: Message): string {
  return taggedSubject(message, tagOf(message));
}

/** Like `subjectOf`, with another word for the state. */
export function taggedSubject(message: Message, tag: string): string {
  return `[${tag}] ${ours(headingOf(message))}`;
}

function tagOf(message: Message): string {
  const severity = message.severity.toUpperCase();
  const fired = firedFor(message);
  switch (message.type) {
    case 'alert.event':
    case 'alert.firing':
    case 'alert.summary':
      return severity;
    case 'alert.resolved':
      return fired === null ? 'RESOLVED' : `RESOLVED after ${fired}`;
    case 'alert.retracted':
    case 'alert.corrected':
    case 'alert.reinstated':
      return stateOf(message);
  }
}

/** Our own text, such as a title or a name from the config, as one line without control characters. */
export function ours(text: string): string {
  return singleLine(text, MOST_OURS);
}

/** The lines of a text. Untrusted parts are defanged. The author's line breaks stay. */
export function toLinesOfText(text: readonly Segment[]): string[] {
  return plainJoined(text)
    .split('\n')
    .map(ours)
    .filter((line) => line !== '');
}

/** The text below the subject if there is room for only one text: the rule's own text, else the first lines. */
export function textOf(message: Message): string[] {
  return mainText(message).flatMap(toLinesOfText);
}

/** The reason; null if there is none, or if the subject or the first line gives it. */
export function reasonOf({ reason, detail }: Message): string | null {
  return reason === null || reason === detail || reason === SEVERITY_RAISED ? null : ours(reason);
}

/** The time that an ended alert fired: `1h12m`. Null for others, below a second, and after the clock was set back. */
export function firedFor({ resolvedAt, since }: Message): string | null {
  return resolvedAt === null || resolvedAt - since < SECOND_MS ? null : showDuration(resolvedAt - since);
}

const SECOND_MS = 1000;
