// Who is called when nobody answers. The clock of the steps runs from the first message of the episode that was closed (78),
// again from the end of an acknowledgement (101), and from a raised severity (114). A target is called as often as it has
// steps that are due in this run (102), in this episode only (100).
import type { Instant, Span } from '../model.ts';
import type { ClosedMember } from './log.ts';
import type { Court } from './owed.ts';
import { gapsIn, merged } from './facts/spans.ts';
import type { Story } from './facts/stories.ts';
import type { Version } from './facts/timeline.ts';

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
  /** Former versions of the config, or the time before an acknowledgement, had as many steps that were due. */
  readonly isPassed: boolean;
  /** Why the clock of this run began again; null: it is the first. */
  readonly again: 'ack' | 'raised' | null;
}

const FAILOVER_MS = 300_000;

export function stepsIn(court: Court, story: Story, open: Span): CallDue[] {
  let passed = 0;
  return runsOf(court, story, open).flatMap((run) => {
    const isAfterAck = court.acksOf(story).some(({ to }) => to === run.from);
    const again = isAfterAck ? 'ack' : run.from > open.from ? 'raised' : null;
    const since = closedIn(court, story, run);
    if (since === null) return [];
    const calls = court.timeline.within({ from: since, to: run.to }).flatMap((version) => {
      const due = stepsUnder(court, story, { run, since, version });
      const before = passed;
      passed = Math.max(passed, ...due.map(({ place }) => place + 1));
      return due.map(({ place, call }): CallDue => ({ ...call, isPassed: place < before, again }));
    });
    return joined(calls);
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
function closedIn(court: Court, story: Story, run: Span): Instant | null {
  const { messages, stories, log } = court;
  const isOwn = ({ key, seq }: ClosedMember): boolean =>
    key === story.key && stories.storiesOf(key, seq).includes(story);
  const told = [...messages.aboutKey(story.key), ...messages.goneOf(story.key)].filter(({ member }) => isOwn(member));
  const untried = log.untried.filter(({ members }) => members.some(isOwn));
  const closed = [
    ...told.flatMap(({ message }) => message.recordedAt ?? []),
    ...untried.map(({ closedAt }) => closedAt),
  ];
  const first = Math.min(...closed);
  // It may have been told from memory before it was stored.
  const from = run.from === story.from ? first : Math.max(first, noticedAt(court, story, run.from));
  return from < run.to ? from : null;
}

/** An acknowledgement that ends with a new episode of the same story ends when that is routed, so while a process runs. */
function noticedAt(court: Court, story: Story, at: Instant): Instant {
  const isOfEpisode = court.acksOf(story).some(({ to, end }) => to === at && end === 'stands');
  const life = court.log.lives.find(({ to }) => at < to);
  return isOfEpisode && life !== undefined ? Math.max(at, life.from) : at;
}

interface Under {
  readonly run: Span;
  readonly since: Instant;
  readonly version: Version;
}

interface DueStep {
  /** In the list of that version. */
  readonly place: number;
  readonly call: Omit<CallDue, 'isPassed' | 'again'>;
}

function stepsUnder({ clock }: Court, story: Story, { run, since, version }: Under): DueStep[] {
  const counts = new Map<string, number>();
  return (version.namedFor(story.rule)?.steps ?? []).flatMap(({ afterMs, targets }, place) => {
    const from = Math.max(clock.waitUntil(since, clock.at(since) + afterMs), version.from);
    const until = Math.min(run.to, version.to);
    return targets.flatMap((target): DueStep[] => {
      const count = (counts.get(target) ?? 0) + 1;
      counts.set(target, count);
      return from < until ? [{ place, call: { target, duty: 'step', from, until, since, count } }] : [];
    });
  });
}

/** What a reload leaves as it is is due once. */
function joined(calls: readonly CallDue[]): CallDue[] {
  const all: CallDue[] = [];
  for (const call of calls) {
    const place = all.findLastIndex(({ target, count }) => target === call.target && count === call.count);
    const before = all[place];
    if (before?.until === call.from) all[place] = { ...before, until: call.until };
    else all.push(call);
  }
  return all;
}

/** Critical, and accepted nowhere for five minutes. */
function failoverFrom(court: Court, story: Story, run: Span, since: Instant): CallDue[] {
  const { timeline, messages, clock, severityAt } = court;
  // It may have been told from memory before it was stored.
  const begun = Math.min(story.from, story.begin.fromMemoryAt ?? story.from);
  const own = messages.aboutKey(story.key).filter(({ member }) => member.seq >= story.begin.seq);
  const took = own.flatMap(({ message }) => message.acceptedAt ?? []);
  const acceptedAt = Math.min(...took.filter((at) => at >= begun), Infinity);
  const from = clock.waitUntil(since, clock.at(since) + FAILOVER_MS);
  const to = Math.min(run.to, acceptedAt);
  // Where receivers answer at once, the call itself is accepted then.
  if (from > to || severityAt(story, from) !== 'critical') return [];
  const once = { since, count: 1, isPassed: false, again: null };
  const calls = timeline.within({ from, to }).flatMap((version) =>
    (version.namedFor(story.rule)?.failover ?? []).map((target): CallDue => {
      const begun = Math.max(from, version.from);
      return { ...once, target, duty: 'failover', from: begun, until: Math.min(to, version.to) };
    }),
  );
  return joined(calls);
}
