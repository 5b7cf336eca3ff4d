// What else was so when something went wrong: no excuse, but by it one mistake of the program is told from another.
import type { Instant, Span } from '../model.ts';
import { isBeginLine } from './begins.ts';
import { HOUR_MS } from './caps.ts';
import { hasSummaryAhead, hasSummaryBefore, isOverOneCap, type Place } from './near-caps.ts';
import type { Evidence } from './facts/evidence.ts';
import type { Message } from './facts/messages.ts';
import type { Groups } from './groups.ts';
import { whenMuted } from './facts/holds.ts';
import { fits } from './facts/routing.ts';
import { countUntil, nextStart, spanAt } from './facts/spans.ts';
import { SENT_WITHIN_MS } from './walk.ts';

/**
 * `behind-a-retry`: when the alert was over, a message about it to the target was tried, and waited for its next try.
 * `retrying`: a message about the alert, or about one in its message, was refused and waits for its next try.
 * `woken`: it does so though the receiver has taken over another since.
 * `set-back`: it does so, and the clock was set back meanwhile.
 * `sibling`: a message about another alert of its group waits for its next try, and both may be in one message.
 * `over-one-cap`: with critical messages in one bucket with all others the target had been sent all that it may.
 * `over-by-clock`: the same by the clock of the daemon, which was set back since some of them were closed.
 * `held`: a silence, a mute window or an inhibition was in force.
 * `summary-before`: in the ten minutes before the target was sent a summary.
 * `summary-ahead`: by the clock, which was set back, its last summary is still to come.
 * `untried`: no message that would have told it was tried within an hour, though alert, target and run went on.
 * `dropped-later`: an inhibition that drops events began within an hour, and not before the event.
 * `given-up`: a message that told of its begin was given up before.
 * `edited`: it ended since its rule was changed or removed, and not by its own condition.
 * `renamed`: no config named the target when the alert began.
 * `closed-before`: what it is told in was closed before the silence, mute window or inhibition began.
 * `counted`: the target was sent that it began only in the summary of a silence or an inhibition.
 * `ended-together`: its end was folded into one transition with those of others.
 * `called-before`: no route names the target, and it was told of an earlier episode.
 * `acked-before`: an acknowledgement of it had ended.
 * `begun-held`: a silence was in force when it began.
 * `just-jumped`: the clock was set forward in the minute before the target was last told of it.
 * `relabelled`: a reload has changed the labels of its rule since it began.
 * `routed-as-others`: the daemon says it of itself, and a route that fits its labels mutes it then or lets its group wait.
 * `a-day-old`: it began a day before, by the clock, or did so within the hour that followed.
 */
export type Near =
  | 'behind-a-retry'
  | 'retrying'
  | 'woken'
  | 'set-back'
  | 'sibling'
  | 'over-one-cap'
  | 'over-by-clock'
  | 'held'
  | 'summary-before'
  | 'summary-ahead'
  | 'untried'
  | 'dropped-later'
  | 'given-up'
  | 'edited'
  | 'renamed'
  | 'closed-before'
  | 'counted'
  | 'ended-together'
  | 'called-before'
  | 'acked-before'
  | 'begun-held'
  | 'just-jumped'
  | 'relabelled'
  | 'routed-as-others'
  | 'a-day-old';

/** What is tried for longer is given up. */
const WAITING_MS = 24 * HOUR_MS;

const ENDED_BY_EDIT: ReadonlySet<string> = new Set(['rule changed', 'rule removed']);

export function nearOf(evidence: Evidence & { readonly groups: Groups }, place: Place): Near[] {
  const isOver = isOverOneCap(evidence, place, (time) => time);
  const all: readonly (readonly [Near, boolean])[] = [
    ['behind-a-retry', isBehindRetry(evidence, place)],
    ['retrying', refusedFor(evidence, place).length > 0],
    ['woken', isWoken(evidence, place)],
    ['set-back', isSetBack(evidence, place)],
    ['sibling', isBehindSibling(evidence, place)],
    ['over-one-cap', isOver],
    ['over-by-clock', !isOver && isOverOneCap(evidence, place, evidence.clock.at)],
    ['held', isHeld(evidence, place)],
    ['summary-before', hasSummaryBefore(evidence, place)],
    ['summary-ahead', hasSummaryAhead(evidence, place)],
    ['untried', isUntried(evidence, place)],
    ['dropped-later', isDroppedLater(evidence, place)],
    ['given-up', isGivenUp(evidence, place)],
    ['edited', ENDED_BY_EDIT.has(place.story.end?.reason ?? '')],
    ['renamed', isRenamed(evidence, place)],
    ['closed-before', isClosedBefore(evidence, place)],
    ['counted', isCounted(evidence, place)],
    ['ended-together', isEndedTogether(place)],
    ['called-before', wasCalledBefore(evidence, place)],
    ['acked-before', evidence.acksOf(place.story).some(({ to }) => to <= place.at)],
    ['begun-held', spanAt(evidence.holds.of(place.story.rule).silence, place.story.from) !== null],
    ['just-jumped', isJustJumped(evidence, place)],
    ['relabelled', isRelabelled(evidence, place)],
    ['routed-as-others', isRoutedAsOthers(evidence, place)],
    ['a-day-old', isDayOld(evidence, place)],
  ];
  return all.flatMap(([near, isSo]) => (isSo ? [near] : []));
}

function isRoutedAsOthers({ timeline, clock }: Evidence, { story, at }: Place): boolean {
  const routes = timeline.at(at).config.routes.filter(({ match }) => fits(match, story.begin.labels));
  const waits = routes.some(({ groupWaitMs, groupIntervalMs }) => Math.max(groupWaitMs ?? 0, groupIntervalMs ?? 0) > 0);
  const mutes = routes.flatMap(({ mute }) => mute);
  const span = { from: at, to: at + SENT_WITHIN_MS };
  return story.isSelf && (waits || mutes.some((mute) => whenMuted(mute, clock, span).length > 0));
}

function isDroppedLater({ holds, timeline }: Evidence, { story, at }: Place): boolean {
  const { inhibition } = holds.of(story.rule);
  const from = nextStart(inhibition, story.from);
  const isLater = spanAt(inhibition, story.from) === null && from <= at + HOUR_MS;
  return story.form === 'event' && isLater && timeline.at(from).config.inhibit.some(({ events }) => events === 'drop');
}

function isGivenUp({ linesOf }: Evidence, { story, target, at }: Place): boolean {
  return linesOf(story, target).some((line) => isBeginLine(line) && (line.message.deadAt ?? Infinity) <= at);
}

function isBehindRetry({ messages }: Evidence, { story, target }: Place): boolean {
  return messages
    .about(target, story.key)
    .some(
      ({ message }) =>
        message.firstAt < story.to &&
        (message.knownAt ?? Infinity) >= story.to &&
        (message.deadAt ?? Infinity) >= story.to,
    );
}

/** When their last tries until then had ended. */
function refusedFor({ messages }: Evidence, { story, target, carrier, at }: Place): Instant[] {
  const keys = new Set([story.key, ...(carrier?.members ?? []).map(({ key }) => key)]);
  const near = new Set([...keys].flatMap((key) => messages.troubled(target, key)));
  return [...near].flatMap(({ tries, deadAt }) => {
    const last = tries.findLast(({ begunAt }) => begunAt <= at);
    const isOver = last === undefined || last.outcome.type === 'accepted' || (deadAt ?? Infinity) <= at;
    return isOver ? [] : (last.endedAt ?? []);
  });
}

function isBehindSibling(
  { messages, groups }: Evidence & { readonly groups: Groups },
  { story, target, at }: Place,
): boolean {
  const group = groups.groupAt(story.rule, target, at);
  const all = messages.to(target);
  const until = countUntil(all.length, (n) => (all[n]?.firstAt ?? Infinity) <= at + SENT_WITHIN_MS);
  return all
    .slice(
      countUntil(until, (n) => (all[n]?.firstAt ?? 0) < at - WAITING_MS),
      until,
    )
    .some(
      ({ members, knownAt, deadAt }) =>
        (knownAt ?? Infinity) > at &&
        (deadAt ?? Infinity) > at &&
        members.some(
          ({ key, watch, alert }) => key !== story.key && groups.groupAt(`${watch}/${alert}`, target, at) === group,
        ),
    );
}

function isWoken(evidence: Evidence, place: Place): boolean {
  const wakes = evidence.messages.wakes(place.target);
  return refusedFor(evidence, place).some((ended) => wakes.some((woken) => woken > ended && woken <= place.at));
}

function isSetBack(evidence: Evidence, place: Place): boolean {
  const back = evidence.log.jumps.filter(({ at, ms }) => ms < 0 && at <= place.at);
  return refusedFor(evidence, place).some((ended) => back.some(({ at }) => at > ended));
}

function isHeld(evidence: Evidence, place: Place): boolean {
  return holdsAt(evidence, place).length > 0;
}

function holdsAt({ holds }: Evidence, { story, at }: Place): Span[] {
  const { silence, mute, inhibition } = holds.of(story.rule);
  return [silence, mute, inhibition].flatMap((spans) => spanAt(spans, at) ?? []);
}

function isClosedBefore(evidence: Evidence, place: Place): boolean {
  const { target, story, at } = place;
  const lines = evidence.messages.about(target, story.key).filter(({ message }) => message.firstAt === at);
  const holds = holdsAt(evidence, place);
  return holds.length > 0 && lines.some(({ message }) => holds.every(({ from }) => message.closedAt <= from));
}

function isCounted({ linesOf }: Evidence, { target, story, at }: Place): boolean {
  const begins = linesOf(story, target).filter(
    (line) => isBeginLine(line) && line.message.isMaybeSent && line.message.firstAt <= at,
  );
  return begins.length > 0 && begins.every(({ message }) => HELD.has(message.kind));
}

const HELD: ReadonlySet<Message['kind']> = new Set(['silence_summary', 'inhibition_summary']);

function isUntried({ log, timeline }: Evidence, { story, target, carrier, came, at }: Place): boolean {
  const until = Math.min(story.to, log.span.to, nextStart(timeline.without(target), at));
  return carrier === null && came === null && until - at > HOUR_MS;
}

function isRenamed({ timeline }: Evidence, { story, target }: Place): boolean {
  return timeline.at(story.from).namedFor(story.rule)?.targets.includes(target) !== true;
}

function wasCalledBefore({ timeline, messages }: Evidence, { story, target, at }: Place): boolean {
  const isNamed = timeline.at(at).namedFor(story.rule)?.targets.includes(target) === true;
  return !isNamed && messages.about(target, story.key).some(({ member }) => member.episode < story.episode);
}

const NOTICED_MS = 60_000;

function isJustJumped({ log, messages }: Evidence, { story, target, at }: Place): boolean {
  const known = messages.about(target, story.key).flatMap(({ message }) => message.knownAt ?? []);
  const last = Math.max(...known.filter((one) => one <= at));
  return log.jumps.some((jump) => jump.ms > 0 && jump.at <= last && last <= jump.at + NOTICED_MS);
}

function isRelabelled({ timeline }: Evidence, { story, at }: Place): boolean {
  const now = Object.entries(timeline.at(at).ruleOf(story.rule)?.labels ?? {});
  return now.some(([label, value]) => story.begin.labels[label] !== value);
}

const DAY_MS = 86_400_000;

function isDayOld({ clock }: Evidence, { story, at }: Place): boolean {
  return clock.waitUntil(story.from, story.begin.decidedClock + DAY_MS) <= at + HOUR_MS;
}

function isEndedTogether({ story, at }: Place): boolean {
  const folded = [...story.partsEnded, ...(story.end === null ? [] : [story.end])];
  return folded.some(({ foldedKeys, knownAt }) => foldedKeys !== null && knownAt <= at);
}
