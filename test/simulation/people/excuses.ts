// What excuses that something is not sent yet, by target and alert. A message must be sent within 90 s in which nothing
// excuses it.
import type { Instant, Span } from '../model.ts';
import type { Evidence } from './facts/evidence.ts';
import type { Try } from './log.ts';
import { MOST_OTHERS, type Message } from './facts/messages.ts';
import { common, merged, nextStart, spanAt, type Spans } from './facts/spans.ts';
import type { Story } from './facts/stories.ts';
import type { Excuse } from './verdict.ts';

export interface Excused {
  readonly by: Excuse;
  readonly spans: Spans;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Between the tries of one message (35), each give or take a fifth. */
const WAITS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE];
const BODY_WAITS = [5 * MINUTE, 25 * MINUTE];
const GONE_MS = 15 * MINUTE;
const SPREAD = 1.2;

/** How often a begin that was given up is tried again where nothing is repeated (109). */
export const GIVEN_UP_MS = 4 * HOUR;

/** Of everybody and everything: the process, the store, the clock; and the channel. */
export function outerExcuses({ process, messages, timeline }: Evidence, target: string): Excused[] {
  return [
    { by: 'down', spans: process.down },
    { by: 'store', spans: process.store },
    { by: 'jump', spans: process.jump },
    { by: 'channel-gone', spans: timeline.without(target) },
    { by: 'busy', spans: messages.busy(target.slice(0, target.indexOf('/'))) },
  ];
}

/** Held (99), but for the group and the cap, which act once (walk.ts). What leaves programs out is named before a mute. */
export function holdExcuses({ holds, acksOf }: Evidence, story: Story): Excused[] {
  const { silence, mute, inhibition } = holds.of(story.rule, story.to);
  return [
    { by: 'silence', spans: silence },
    { by: 'inhibition', spans: inhibition },
    { by: 'mute', spans: mute },
    { by: 'ack', spans: merged(acksOf(story)) },
  ];
}

/** Silences have one summary in each slot, and so have inhibitions (103). A clock that is set back shows a slot again. */
export function slotExcuses(
  { messages, clock }: Evidence,
  { target, carrier, slotMs }: { target: string; carrier: Message | null; slotMs: number },
): Excused[] {
  if (carrier?.kind !== 'silence_summary' && carrier?.kind !== 'inhibition_summary') return [];
  const before = messages.to(target).filter((one) => one.kind === carrier.kind && one.closedAt < carrier.closedAt);
  const spans = before.flatMap(({ closedAt }) => {
    const slot = Math.floor(clock.at(closedAt) / slotMs) * slotMs;
    return common(clock.between(slot, slot + slotMs), [{ from: closedAt, to: carrier.closedAt }]);
  });
  return [{ by: 'cap', spans: merged(spans) }];
}

/** Repeats and steps wait for the first poll after a start, and while the watch is paused. */
export function pollExcuses(evidence: Evidence, { rule }: Story): Excused[] {
  const watch = rule.slice(0, rule.lastIndexOf('/'));
  return [{ by: 'first-poll', spans: merged([...evidence.starting, ...pausesOf(evidence, watch)]) }];
}

function pausesOf({ log, clock }: Evidence, watch: string): Span[] {
  const own = log.actions.filter((one) => 'watch' in one && one.watch === watch);
  return own.flatMap((one, n) => {
    if (one.type !== 'pause') return [];
    const over = clock.between(one.untilClock, Infinity).find(({ to }) => to > one.at);
    return [{ from: one.at, to: Math.min(over?.from ?? Infinity, own[n + 1]?.at ?? Infinity) }];
  });
}

/**
 * Until the next try of what was refused. Messages about the same alert wait for one another, but not for long where their
 * receiver takes others; so does the message in which it came for those about its other alerts, where all of them wait, and
 * one that it was in before a hold took it out.
 */
export function tryExcuses(evidence: Evidence, awaited: Awaited): Excused[] {
  const { target, key, from, carrier, repeatMsAt } = awaited;
  const others = waitsWithOthers(evidence, awaited) ? keysOf(carrier) : [];
  const keys = new Set([key, ...others, ...evidence.messages.leftBy(target, key)]);
  // The message of an end that is told for many is about none of them by its own key.
  const own = carrier === null ? [] : [carrier];
  const near = new Set([...own, ...[...keys].flatMap((one) => evidence.messages.troubled(target, one))]);
  const waits = [...near].flatMap((message) => {
    const isBefore = carrier !== null && message.id !== carrier.id && message.closedAt < carrier.closedAt;
    const isAwaited = isBefore && message.keys.some((one) => one === key || others.includes(one));
    return message.tries.flatMap((one, n) => {
      const wait = untilNext(waitAfter(evidence, message, one, repeatMsAt), message.tries[n + 1]);
      if (wait === null) return [];
      return isAwaited ? sooner(wait, awaitedUntil(evidence, target, Math.max(carrier.closedAt, wait.endedAt))) : wait;
    });
  });
  const before = [...keys].flatMap((one) =>
    untriedBefore(evidence, target, one, one === key ? from : carrier?.closedAt),
  );
  return [...Map.groupBy([...waits, ...before], ({ by }) => by)].map(([by, all]) => ({
    by,
    spans: merged(all.map(({ span }) => span)),
  }));
}

interface Awaited {
  readonly target: string;
  readonly key: string;
  /** Since when it is owed. */
  readonly from: Instant;
  /** The message in which it came, or was to come; null: none was tried. */
  readonly carrier: Message | null;
  /** After how long it is told again, as the config has it then; null: never. */
  readonly repeatMsAt: (at: Instant) => number | null;
}

/** An earlier message about it was not settled when that was closed. Summaries are not divided. */
function waitsWithOthers({ messages }: Evidence, { target, key, carrier }: Awaited): boolean {
  if (carrier === null || carrier.isSummary) return true;
  const at = carrier.closedAt;
  // What is told as one thing may have been taken out of a message that was not tried yet.
  const isOneThing = carrier.members.some((member) => member.key === key && member.as === 'fired-and-resolved');
  return (
    isOneThing ||
    messages
      .about(target, key)
      .some(
        ({ message: { closedAt, knownAt, deadAt } }) =>
          closedAt < at && (knownAt ?? Infinity) >= at && (deadAt ?? Infinity) >= at,
      )
  );
}

/** Until their first tries, of messages that were closed before: whether those are late is judged by themselves. */
function untriedBefore({ messages }: Evidence, target: string, key: string, at: Instant = -Infinity): Wait[] {
  return messages
    .about(target, key)
    .flatMap(({ message: { closedAt, firstAt } }) =>
      closedAt < at && firstAt > closedAt ? [{ by: 'schedule', span: { from: closedAt, to: firstAt } }] : [],
    );
}

/** Of the alerts that a message is about, or was when it was closed, as many as matter. */
function keysOf(message: Message | null): readonly string[] {
  return (message?.keys ?? []).slice(0, MOST_OTHERS);
}

interface Wait {
  readonly by: Excuse;
  readonly span: Span;
}

/** Until the next try. */
interface TryWait extends Wait {
  readonly endedAt: Instant;
}

/** It is over with the next try. */
function untilNext(wait: TryWait | null, next: Try | undefined): TryWait | null {
  if (wait === null || next === undefined) return wait;
  return { ...wait, span: { ...wait.span, to: Math.min(wait.span.to, next.begunAt) } };
}

/** What is awaited is tried within five minutes; waits are looked through once a minute. */
const AWAITED_MS = 6 * MINUTE;

/** Counted anew after each time in which the process did not run, or the receiver was left alone. */
function awaitedUntil({ process, messages, timeline }: Evidence, target: string, at: Instant): Instant {
  const { down, store, jump } = process;
  const interruptions = [down, store, jump, timeline.without(target), messages.resting(target)];
  let from = at;
  for (;;) {
    const over = Math.max(...interruptions.map((spans) => spanAt(spans, from)?.to ?? from));
    const next = Math.min(...interruptions.map((spans) => nextStart(spans, over)));
    if (next >= over + AWAITED_MS) return over + AWAITED_MS;
    from = next;
  }
}

/** What was given up is not tried again for that, and a receiver that named a time is not disturbed. */
function sooner({ by, span, ...wait }: TryWait, until: Instant): TryWait {
  const isHastened = by === 'schedule' || by === 'success';
  return { ...wait, by, span: isHastened ? { ...span, to: Math.min(span.to, until) } : span };
}

/** Null: there is none. */
function waitAfter(evidence: Evidence, message: Message, one: Try, repeatMsAt: Awaited['repeatMsAt']): TryWait | null {
  const { outcome, begunAt, endedAt, attempt } = one;
  if (outcome.type === 'accepted' || endedAt === null) return null;
  const { clock } = evidence;
  // A clock that is set back makes it wait longer, by less than the wait itself (dispatch.md 8).
  const lasting = (by: Excuse, ms: number): TryWait => {
    const to = Math.max(endedAt + ms, clock.waitUntil(endedAt, clock.at(endedAt) + ms));
    return { by, span: { from: begunAt, to }, endedAt };
  };
  if (message.deadAt !== null && endedAt >= message.deadAt) return lasting('given-up', againMs(repeatMsAt, endedAt));
  const waitMs = (WAITS[attempt - 1] ?? HOUR) * SPREAD;
  if (outcome.type === 'unknown') return lasting('schedule', waitMs);
  if (outcome.retryAfterMs !== null)
    return lasting('retry-after', Math.min(Math.max(outcome.retryAfterMs, SECOND), HOUR));
  if (outcome.why === 'auth' || outcome.why === 'gone') return lasting('schedule', Math.max(waitMs, GONE_MS * SPREAD));
  if (outcome.why === 'body') {
    const before = message.tries.filter((other) => other.begunAt <= begunAt && isOfBody(other)).length;
    return lasting('schedule', (BODY_WAITS[before - 1] ?? HOUR) * SPREAD);
  }
  const woken = evidence.messages.wakes(message.target).find((at) => at > endedAt);
  return woken !== undefined && woken < endedAt + waitMs
    ? { by: 'success', span: { from: begunAt, to: woken }, endedAt }
    : lasting('schedule', waitMs);
}

function againMs(repeatMsAt: Awaited['repeatMsAt'], at: Instant): number {
  return acrossReloads((ms) => repeatMsAt(at + ms) ?? GIVEN_UP_MS) ?? GIVEN_UP_MS;
}

/** How long a wait is that reloads may make longer meanwhile; null: it is off by then. `msAfter`: how long it is after `ms`. */
export function acrossReloads(msAfter: (ms: number) => number | null): number | null {
  let ms = msAfter(0);
  let later = ms === null ? null : msAfter(ms);
  while (ms !== null && later !== null && later > ms) [ms, later] = [later, msAfter(later)];
  return later === null ? null : ms;
}

function isOfBody({ outcome }: Try): boolean {
  return outcome.type === 'refused' && outcome.why === 'body';
}
