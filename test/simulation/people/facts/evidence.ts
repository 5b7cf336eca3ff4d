// All that follows from a log before anything is judged, worked out once.
import type { Instant } from '../../model.ts';
import { daemonClock, type DaemonClock } from './clock.ts';
import { acksByKey, acksOf, holdsIn, STARTING_MS, type Acked, type Holds } from './holds.ts';
import type { PeopleLog, SeverityName } from '../log.ts';
import { messagesIn, type Line, type Messages } from './messages.ts';
import { gapsIn, merged, type Spans } from './spans.ts';
import { RANK, storiesIn, type Stories, type Story } from './stories.ts';
import { remembered, timelineOf, type Timeline, type Version } from './timeline.ts';

export interface Evidence {
  readonly log: PeopleLog;
  readonly clock: DaemonClock;
  readonly timeline: Timeline;
  readonly stories: Stories;
  readonly messages: Messages;
  readonly holds: Holds;
  /** When it did not run, the store refused, or its clock was set. */
  readonly process: { readonly down: Spans; readonly store: Spans; readonly jump: Spans };
  /** In the first five minutes after a start repeats and steps may wait for a poll. */
  readonly starting: Spans;
  readonly acksOf: (story: Story) => readonly Acked[];
  readonly raisesOf: (story: Story) => readonly Raise[];
  /** What the target was sent, or was to be sent, of this story. */
  readonly linesOf: (story: Story, target: string) => readonly Line[];
  readonly severityAt: (story: Story, at: Instant) => SeverityName;
}

/** A reload raised the severity above all that was told of this episode (114). */
export interface Raise {
  readonly at: Instant;
  readonly severity: SeverityName;
}

export function evidenceOf(log: PeopleLog): Evidence {
  const clock = daemonClock(log);
  const timeline = timelineOf(log);
  const stories = storiesIn(log);
  const messages = messagesIn(log, clock, timeline);
  const acked = acksByKey(log.actions);
  const acks = new Map<string, readonly Acked[]>();
  const raises = new Map<string, readonly Raise[]>();
  const raisesOf = (story: Story): readonly Raise[] =>
    remembered(raises, story.id, () => raisesIn(story, timeline, messages));
  return {
    log,
    clock,
    timeline,
    stories,
    messages,
    holds: holdsIn(log, clock, timeline, stories),
    process: {
      down: gapsIn(merged(log.lives), log.span),
      store: merged(log.refusals),
      jump: log.jumps.map(({ at }) => ({ from: at, to: at + 1 })),
    },
    starting: merged(log.lives.map(({ from }) => ({ from, to: from + STARTING_MS }))),
    acksOf: (story) =>
      remembered(acks, story.id, () =>
        acksOf(story, acked.get(story.key) ?? [], (at) => raisedAfter(story, timeline, at), clock),
      ),
    raisesOf,
    linesOf: (story, target) => linesOf(story, target, messages, stories),
    severityAt: (story, at) => timeline.at(at).ruleOf(story.rule)?.severity ?? story.begin.severity,
  };
}

/** Who acknowledged it before has not seen how severe it is. */
function raisedAfter(story: Story, timeline: Timeline, at: Instant): Instant {
  const rankOf = (version: Version): number => RANK[version.ruleOf(story.rule)?.severity ?? 'info'];
  const before = rankOf(timeline.at(at));
  return (
    timeline.within({ from: at, to: story.to }).find((one) => one.from > at && rankOf(one) > before)?.from ?? Infinity
  );
}

/** A condition that was told of is told of anew, if it is more severe than it ever was (114). */
function raisesIn(story: Story, timeline: Timeline, messages: Messages): Raise[] {
  if (story.form === 'event' || story.isSelf) return [];
  const [first] = messages.aboutKey(story.key).filter(({ member }) => member.seq >= story.begin.seq);
  let highest = story.begin.severity;
  return timeline.within(story).flatMap((version): Raise[] => {
    const severity = version.ruleOf(story.rule)?.severity ?? 'info';
    if (version.from <= story.from || RANK[severity] <= RANK[highest]) return [];
    highest = severity;
    return first !== undefined && first.message.closedAt <= version.from ? [{ at: version.from, severity }] : [];
  });
}

function linesOf(story: Story, target: string, messages: Messages, { storiesOf }: Stories): readonly Line[] {
  const folded = [...story.changes, ...story.partsEnded, ...(story.end === null ? [] : [story.end])];
  const others = new Set(folded.map(({ key }) => key).filter((key) => key !== story.key));
  const own = messages
    .about(target, story.key)
    .filter(({ member }) => storiesOf(story.key, member.seq).includes(story));
  if (others.size === 0) return own;
  return [...own, ...[...others].flatMap((key) => messages.about(target, key))].toSorted(
    (a, b) => a.message.firstAt - b.message.firstAt,
  );
}
