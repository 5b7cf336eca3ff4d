// Who is called when nobody answers. The clock of the steps runs from the first message of the episode that was closed (78),
// again from the end of an acknowledgement (101), and from a raised severity (114). A target is called as often as it has
// steps that are due in this run (102), in this episode only (100).
import type { Instant, Span } from '../model.ts';
import type { Court } from './owed.ts';
import { gapsIn, merged } from './facts/spans.ts';
import type { Story } from './facts/stories.ts';

export interface CallDue {
  readonly target: string;
  readonly duty: 'step' | 'failover';
  readonly from: Instant;
  /** When it is acknowledged or over, or the config has no such step any more. */
  readonly until: Instant;
  /** The beginning of the run. */
  readonly since: Instant;
  /** How many of its steps are due by then. */
  readonly count: number;
}

const FAILOVER_MS = 300_000;

export function stepsIn(court: Court, story: Story, open: Span): CallDue[] {
  return runsOf(court, story, open).flatMap((run) => {
    const first = closedIn(court, story, run);
    return first === null ? [] : stepsFrom(court, story, run, first);
  });
}

export function failoversIn(court: Court, story: Story, open: Span): CallDue[] {
  return runsOf(court, story, open).flatMap((run) => {
    const first = closedIn(court, story, run);
    return first === null ? [] : failoverFrom(court, story, run, first);
  });
}

/** When it was open and nobody had acknowledged it. */
function runsOf(court: Court, story: Story, open: Span): Span[] {
  const raised = court.raisesOf(story).map(({ at }) => at);
  return gapsIn(merged(court.acksOf(story)), open).flatMap(({ from, to }) => {
    const edges = [from, ...raised.filter((at) => at > from && at < to), to];
    return edges.slice(1).map((end, n) => ({ from: edges[n] ?? from, to: end }));
  });
}

/** When the clock of the run began; null: nothing of the story was closed in it. */
function closedIn({ messages, stories }: Court, story: Story, run: Span): Instant | null {
  const own = messages
    .aboutKey(story.key)
    .filter(({ member }) => stories.storiesOf(story.key, member.seq).includes(story));
  const first = Math.min(...own.map(({ message }) => message.closedAt));
  const from = Math.max(first, run.from);
  return from < run.to ? from : null;
}

function stepsFrom({ timeline, clock }: Court, story: Story, run: Span, since: Instant): CallDue[] {
  return timeline.within({ from: since, to: run.to }).flatMap((version) => {
    const counts = new Map<string, number>();
    return (version.namedFor(story.rule)?.steps ?? []).flatMap(({ afterMs, targets }) => {
      const from = Math.max(clock.waitUntil(since, clock.at(since) + afterMs), version.from);
      const until = Math.min(run.to, version.to);
      return targets.flatMap((target): CallDue[] => {
        const count = (counts.get(target) ?? 0) + 1;
        counts.set(target, count);
        return from < until ? [{ target, duty: 'step', from, until, since, count }] : [];
      });
    });
  });
}

/** Critical, and accepted nowhere for five minutes. */
function failoverFrom(court: Court, story: Story, run: Span, since: Instant): CallDue[] {
  const { timeline, messages, clock, severityAt } = court;
  const took = messages.aboutKey(story.key).flatMap(({ message }) => message.sentAt ?? []);
  const acceptedAt = Math.min(...took.filter((at) => at >= story.from), Infinity);
  const from = clock.waitUntil(since, clock.at(since) + FAILOVER_MS);
  const to = Math.min(run.to, acceptedAt);
  if (from >= to || severityAt(story, from) !== 'critical') return [];
  return timeline.within({ from, to }).flatMap((version) =>
    (version.namedFor(story.rule)?.failover ?? []).map((target): CallDue => {
      const begun = Math.max(from, version.from);
      return { target, duty: 'failover', from: begun, until: Math.min(to, version.to), since, count: 1 };
    }),
  );
}
