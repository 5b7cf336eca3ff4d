// The oracle for people: who must be told of what, by when, and when nobody may be, worked out from logs alone, and compared
// with what receivers saw. It knows decisions 79 and 99 to 119 and `dispatch.md` 6 and 8, and shares no code with the program.
// To be read in this order:
//
//   config-version, log      the config, and all else that it is told
//   verdict                  what it says
//   facts/                   what follows from that, before anything is judged:
//     spans, clock           stretches of time, and the clock of the daemon
//     routing, timeline      whom a config names (79), and which config was in force
//     stories, messages      what happened to each alert, and what receivers saw of it
//     holds, evidence        when nobody may be told; all of this together
//   groups, caps, excuses    what makes a message wait besides
//   walk, owed               whether something that is owed was sent in time
//   begins, ends             whom it is owed to
//   steps, calls             what follows while nobody answers
//   taken-back               what nobody can have seen
//   wrong-messages, -order,  what must not be sent
//     -sums
import { judgeBegins, namedSpans } from './begins.ts';
import { judgeCalls } from './calls.ts';
import { capsIn } from './caps.ts';
import { judgeEnds } from './ends.ts';
import { evidenceOf } from './facts/evidence.ts';
import { groupsIn } from './groups.ts';
import type { PeopleLog } from './log.ts';
import type { Court } from './owed.ts';
import type { Story } from './facts/stories.ts';
import type { PeopleVerdict } from './verdict.ts';
import { judgeMessage } from './wrong-messages.ts';
import { judgeOrder } from './wrong-order.ts';
import { judgeCap, judgeCounts, judgeRepeat, sentStories, type SentStory } from './wrong-sums.ts';

/** In the order of time. */
export function judgePeople(log: PeopleLog): PeopleVerdict[] {
  const evidence = evidenceOf(log);
  const court = { ...evidence, caps: capsIn(evidence), groups: groupsIn(evidence) };
  return [...judgeStories(court), ...judgeMessages(court)].toSorted((a, b) => a.at - b.at);
}

function judgeStories(court: Court): PeopleVerdict[] {
  return court.stories.all.flatMap((story) => {
    const named = namedSpans(court, story);
    return [
      ...judgeBegins(court, story, named),
      ...hearersOf(court, story).flatMap((target) => judgeEnds(court, story, target)),
      ...judgeCalls(court, story, named),
    ];
  });
}

/** Whoever was told something about it. */
function hearersOf({ messages }: Court, { key }: Story): string[] {
  return [...new Set(messages.aboutKey(key).map(({ message }) => message.target))];
}

function judgeMessages(court: Court): PeopleVerdict[] {
  const sent = sentByTarget(court);
  return court.messages.all.flatMap((message) => [
    ...judgeMessage(court, message),
    ...judgeOrder(court, message),
    ...judgeCap(court, message),
    ...judgeCounts(court, message),
    ...judgeRepeat(court, message, sent.get(message.target) ?? []),
  ]);
}

function sentByTarget(court: Court): ReadonlyMap<string, readonly SentStory[]> {
  const all = court.stories.all.flatMap((story) =>
    hearersOf(court, story).flatMap((target) => sentStories(court, story, target).map((one) => ({ target, one }))),
  );
  const byTarget = new Map<string, SentStory[]>();
  for (const { target, one } of all) {
    const known = byTarget.get(target);
    if (known === undefined) byTarget.set(target, [one]);
    else known.push(one);
  }
  return byTarget;
}
