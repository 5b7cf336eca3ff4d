// Words that all channels share: of a message, of one transition in a delivery, and of a try. All texts from this file are
// plain single lines, safe to show.
import {
  type Attempt,
  type Delivery,
  type DeliveryMember,
  firedAtOf,
  type Message,
  type Present,
  presentValues,
  SEVERITY_RAISED,
  stateWord,
} from '../../core/model/delivery.ts';
import { BUILT_IN_RULE } from '../../core/model/ids.ts';
import type { Segment } from '../../core/model/watch/condition.ts';
import { capital, headingOf, mainText, showRange, showTime } from '../../core/wording/words.ts';
import { type Instant, showDuration } from '../../lib/clock.ts';
import type { Moment } from '../../lib/time-zone.ts';
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
function taggedSubject(message: Message, tag: string): string {
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

// The words for one transition in a delivery. A repeat shows since when the condition holds. If an alert ended before
// its begin was sent, both times are named. A late message has the present values, if known, beside the values at its
// time.

/** `[CRITICAL for 4h] treasury USDC 970,030, below 1,000,000`. `at`: the time when the delivery was put together. */
export function memberSubject(member: DeliveryMember, at: Instant): string {
  const message = presentMessage(member);
  if (!isToldAgain(member)) return subjectOf(message);
  const lasts = at - message.since;
  const severity = message.severity.toUpperCase();
  return taggedSubject(message, lasts < 1000 ? severity : `${severity} for ${showDuration(lasts)}`);
}

/**
 * True if the transition is not new: it was sent before, is more severe now, or still lasts and is sent late to a new
 * recipient. An event does not last.
 */
function isToldAgain({ as, renewed, message }: DeliveryMember): boolean {
  const isLate = renewed !== null && message.type === 'alert.firing';
  return as === 'repeat' || isLate || message.reason === SEVERITY_RAISED;
}

/**
 * The message with its newest known values. If newer values than its own are known, its own become the previous values.
 */
export function presentMessage(member: DeliveryMember): Message {
  const { message } = member;
  const present = laterValues(member);
  return present === null ? message : { ...message, ...presentValues(message, present) };
}

/** The current values. Null if none are known, or if the message is new and its values have not changed. */
export function laterValues(member: DeliveryMember): Present | null {
  const { message, present } = member;
  const isSame = present !== null && present.title === message.title && present.detail === message.detail;
  return isSame && isNews(member) ? null : present;
}

/** True if the transition is sent for the first time and was not held back. Only its group may have waited. */
function isNews({ as, renewed, heldAt }: DeliveryMember): boolean {
  return as === 'news' && renewed === null && heldAt === null;
}

/**
 * True for a repeat, and for a member with newer values than those of its transition. The change at that time is then
 * left out.
 */
export function isToldLater(member: DeliveryMember): boolean {
  return member.as === 'repeat' || laterValues(member) !== null;
}

/** The first lines below the subject of `memberSubject`; empty if the subject needs no explanation. */
export function memberLead(member: DeliveryMember, at: Instant): string[] {
  const held = heldWords(member, at);
  return [...historyOf(member, at), ...(held === null ? [] : [`${held.replace('held', 'Held')}.`])];
}

/**
 * The words behind the subject in a list: `21:16 UTC`, `since 12:00 UTC; values of 16:00 UTC`,
 * `was firing 12:03–12:09 UTC; held back since 12:03 UTC`
 */
export function memberAside(member: DeliveryMember, at: Instant): string {
  const held = heldWords(member, at);
  const present = laterValues(member);
  const read = present === null ? [] : [`values of ${showTime(present.at, momentOf(member.message, at))}`];
  return [timeOf(member, at), ...(held === null ? [] : [held]), ...read].join('; ');
}

function historyOf(member: DeliveryMember, at: Instant): string[] {
  const { message, as } = member;
  const present = laterValues(member);
  if (as === 'fired-and-resolved' && message.resolvedAt !== null)
    return [`Was firing ${showRange(firedAtOf(message), message.resolvedAt, momentOf(message, at))}, now clear.`];
  const renewal = renewalOf(member, at);
  if (renewal !== null) return [...renewal, ...valuesOf(member, at)];
  const moment = momentOf(message, at);
  if (!isToldLater(member)) return beganWords(message, moment);
  if (isNews(member)) return [...beganWords(message, moment), ...valuesOf(member, at)];
  if (message.type !== 'alert.firing') return [`It happened at ${showTime(message.since, moment)}.`];
  const fired = showTime(firedAtOf(message), moment);
  if (present === null) return [`When it fired, ${fired}: ${message.measured ?? 'as the subject says'}. ${STILL}`];
  return valuesOf(member, at).map((line) => `${line} ${STILL}`);
}

/** `Since 16:58 UTC, fired 17:03 UTC.`, if the condition began before it fired. */
function beganWords(message: Message, moment: Moment): string[] {
  // Messages about the daemon itself have these times in their own text.
  const isOfRule = message.type === 'alert.firing' && message.kind !== BUILT_IN_RULE;
  const { since, fired } = beginTimes(message, moment);
  return isOfRule && since !== fired ? [`${capital(sinceWords(message, moment))}.`] : [];
}

/** `since 16:58 UTC, fired 17:03 UTC` */
export function sinceWords(message: TimesOfBegin, moment: Moment): string {
  const { since, fired } = beginTimes(message, moment);
  return since === fired ? `since ${since}` : `since ${since}, fired ${fired}`;
}

type TimesOfBegin = Pick<Message, 'since' | 'firedAt'>;

function beginTimes(message: TimesOfBegin, moment: Moment): { readonly since: string; readonly fired: string } {
  return { since: showTime(message.since, moment), fired: showTime(firedAtOf(message), moment) };
}

/**
 * When the newest values were read, and the values with which the alert fired; nothing if the member has no later
 * values.
 */
function valuesOf(member: DeliveryMember, at: Instant): string[] {
  const { message } = member;
  const present = laterValues(member);
  if (present === null || message.type !== 'alert.firing') return [];
  if (present.at <= message.observedAt)
    return [`No later value is known than when it fired, ${firedTime(message, at)}.`];
  const fired = firedTime(message, at);
  const isSame = message.measured === null || message.measured === present.measured;
  const then = isSame ? `It fired at ${fired}` : `When it fired, ${fired}: ${message.measured}`;
  return [`Values of ${showTime(present.at, momentOf(message, at))}. ${then}.`];
}

function firedTime(message: Message, at: Instant): string {
  return showTime(firedAtOf(message), momentOf(message, at));
}

/** The reason why an older transition is sent now; null: it is new, repeated as usual, or a call. */
function renewalOf({ message, renewed }: DeliveryMember, at: Instant): string[] | null {
  if (renewed === null || renewed.why === 'called') return null;
  const since = showTime(message.since, momentOf(message, at));
  const so = message.type === 'alert.firing' ? `Still firing since ${since}.` : `It happened at ${since}.`;
  return [renewed.why === 'reload' ? so : `${endedWords(renewed.by)} ${so}`];
}

function endedWords(by: string | null): string {
  return by === null ? 'The acknowledgement has ended.' : `The acknowledgement of ${by} has ended.`;
}

const STILL = 'It has not cleared since.';

function timeOf(member: DeliveryMember, at: Instant): string {
  const { message, as } = member;
  if (isToldAgain(member)) return `since ${showTime(message.since, momentOf(message, at))}`;
  if (as === 'fired-and-resolved' && message.resolvedAt !== null)
    return `was firing ${showRange(firedAtOf(message), message.resolvedAt, momentOf(message, at))}`;
  return showTime(message.at, momentOf(message, at));
}

function heldWords({ heldAt, message }: DeliveryMember, at: Instant): string | null {
  return heldAt === null ? null : `held back since ${showTime(heldAt, momentOf(message, at))}`;
}

function momentOf({ zone }: Message, now: Instant): Moment {
  return { now, zone };
}

export function isAboutOne({ members, more }: Delivery): boolean {
  return members.length === 1 && more.length === 0;
}

/** A header that shows the number of the attempt: `1`, `2; may be a copy`, `1; unrecorded`. */
export function attemptText({ number, maybeCopy, unrecorded }: Attempt): string {
  const marks = [...(maybeCopy ? ['may be a copy'] : []), ...(unrecorded === true ? ['unrecorded'] : [])];
  return [number, ...marks].join('; ');
}
