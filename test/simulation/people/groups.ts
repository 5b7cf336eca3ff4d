// The timer of a group (dispatch.md 6): the first news of a quiet group waits for `group_wait`; what follows a message waits
// until `group_interval` is over. Critical news waits for neither, and programs have no groups.
import type { Instant } from '../model.ts';
import type { Evidence } from './facts/evidence.ts';
import { goneFrom, type Message } from './facts/messages.ts';
import { groupOf, type Named } from './facts/routing.ts';
import { countUntil } from './facts/spans.ts';
import type { Story } from './facts/stories.ts';
import { remembered } from './facts/timeline.ts';
import type { TryMember } from './log.ts';

export interface Groups {
  /**
   * Until when the group of the story waits, from a time on at which nothing else holds it. `since`: it waits since then,
   * and only for a message that was closed meanwhile, as a repeat that was due; null: it does not wait yet. `happenedAt`:
   * the time of the begin, the end or the correction that is owed.
   */
  readonly waitsUntil: (
    story: Story,
    target: string,
    wait: {
      readonly at: Instant;
      readonly since: Instant | null;
      readonly sort: 'news' | 'repeat';
      readonly happenedAt: Instant;
    },
  ) => Instant;
  /** The name of the group of a rule at that time; null: the target has none. */
  readonly groupAt: (rule: string, target: string, at: Instant) => string | null;
}

interface GroupClosing {
  readonly at: Instant;
}

type OfRule = Pick<TryMember, 'watch' | 'alert'>;

export function groupsIn({ timeline, messages, stories, severityAt, clock }: Evidence): Groups {
  const closings = new Map<string, ReadonlyMap<string, readonly GroupClosing[]>>();

  function groupAt(rule: string, target: string, at: Instant): string | null {
    const version = timeline.at(at);
    const named = version.namedFor(rule);
    return named === null || timeline.kindOf(target, at) !== 'people' ? null : nameOf(rule, named, at);
  }

  function nameOf(rule: string, { groupBy }: Named, at: Instant): string {
    return groupOf(timeline.at(at).ruleOf(rule)?.labels ?? {}, groupBy);
  }

  /** Also what left it before its first try: the timer counts from when it was closed. */
  function closedAbout(message: Message): readonly OfRule[] {
    const gone = goneFrom(message).flatMap(({ key, seq }) => stories.transitionOf(key, seq) ?? []);
    return [...message.members, ...gone];
  }

  const closingsOf = (target: string): ReadonlyMap<string, readonly GroupClosing[]> =>
    remembered(closings, target, () => {
      const closed = messages.to(target).map((message) => ({ ...message, members: closedAbout(message) }));
      const made = [...closed, ...messages.untriedTo(target)];
      const all = made.flatMap(({ members, closedAt }) => {
        const names = new Set(members.map(({ watch, alert }) => groupAt(`${watch}/${alert}`, target, closedAt)));
        return [...names].flatMap((name) => (name === null ? [] : [{ name, at: closedAt }]));
      });
      return Map.groupBy(
        all.toSorted((a, b) => a.at - b.at),
        ({ name }) => name,
      );
    });

  return {
    groupAt,
    waitsUntil(story, target, { at, since, sort, happenedAt }) {
      const named = timeline.at(at).namedFor(story.rule);
      const group = groupAt(story.rule, target, at);
      if (named === null || group === null || (sort === 'news' && severityAt(story, at) === 'critical')) return at;
      const own = closingsOf(target).get(group) ?? [];
      const last = own[countUntil(own.length, (n) => (own[n]?.at ?? Infinity) < at) - 1];
      // A reload may have moved it to a group that waits by a timer of its own.
      const isMoved = since !== null && groupAt(story.rule, target, since) !== group;
      const isMeant = last !== undefined && (since === null || isMoved || last.at >= since);
      const paced = isMeant ? clock.waitUntil(last.at, clock.at(last.at) + named.intervalMs) : at;
      const isFirst = sort === 'news' && since === null;
      // It waits since it happened, whatever else held it meanwhile.
      if (paced <= at) return isFirst ? Math.max(at, happenedAt + named.waitMs) : at;
      // It happened in a quiet group, where a summary was closed meanwhile.
      return isFirst && last !== undefined && last.at >= happenedAt
        ? Math.max(paced, happenedAt + named.waitMs)
        : paced;
    },
  };
}
