// When nobody may be told: silences, mute windows and inhibitions by rule, acknowledgements by alert. All of them are read
// with the labels of the rule in force, where an alert is over with those that it had then.
import type { Instant, Span } from '../../model.ts';
import type { DaemonClock } from './clock.ts';
import type { Inhibition, LabelPattern, LabelValues, MuteTimes, OperatorAction, PeopleLog, PollEnd } from '../log.ts';
import { fits, namedBy } from './routing.ts';
import { common, merged, spanAt, type Spans } from './spans.ts';
import type { Stories, Story } from './stories.ts';
import { remembered, SELF, type Timeline, type Version } from './timeline.ts';

export interface RuleHolds {
  readonly silence: Spans;
  readonly mute: Spans;
  readonly inhibition: Spans;
  /** Without times in which its watch was polled in part only. */
  readonly sureInhibition: Spans;
}

export interface Holds {
  /** `until`: when the alert was over; left out: it is open. */
  readonly of: (rule: string, until?: Instant) => RuleHolds;
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** One that lasts less is a snooze. */
const ACK_MS = DAY_MS;
/** An alert whose watch was not polled for so long mutes nothing. */
const POLLED_WITHIN_MS = 3_600_000;
const WRITTEN_WITHIN_MS = 10_000;
/** After a start, decisions on a watch wait so long for its first poll. */
export const STARTING_MS = 300_000;

export function holdsIn(log: PeopleLog, clock: DaemonClock, timeline: Timeline, stories: Stories): Holds {
  const silences = silencesIn(log, clock, timeline, stories);
  const known = new Map<string, RuleHolds>();
  const silencesDuring = new Map(
    timeline.versions.map((version) => [version, silences.filter(({ spans }) => common(spans, [version]).length > 0)]),
  );
  const sources = sourcesIn(log, clock, stories, 'maybe');
  const sureSources = sourcesIn(log, clock, stories, 'sure');
  return {
    of: (rule, until = Infinity) => {
      const last = timeline.at(until);
      return remembered(known, `${rule} ${last.from}`, () => {
        const reads = timeline.versions.flatMap((version) => readIn(version, rule, last) ?? []);
        return {
          silence: merged(reads.flatMap((one) => silencedIn(one, silencesDuring.get(one.version) ?? []))),
          mute: merged(reads.flatMap((one) => mutedIn(one, clock, log.span))),
          inhibition: merged(reads.flatMap((one) => inhibitedIn(one, sources))),
          sureInhibition: merged(reads.flatMap((one) => inhibitedIn(one, sureSources))),
        };
      });
    },
  };
}

/** How a version of the config reads an alert. */
interface Read {
  readonly version: Version;
  readonly rule: string;
  readonly labels: LabelValues;
  readonly mutes: readonly MuteTimes[];
}

/** `last`: the version that was in force when it was over. Null: there is no such rule. */
function readIn(version: Version, rule: string, last: Version): Read | null {
  const then = version.from > last.from ? last.ruleOf(rule) : null;
  const labels = labelsOf(version, rule);
  if (labels === null) return null;
  if (then === null) return { version, rule, labels, mutes: version.namedFor(rule)?.mutes ?? [] };
  return { version, rule, labels: then.labels, mutes: namedBy(version.config, then).mutes };
}

function labelsOf(version: Version, rule: string): LabelValues | null {
  return version.ruleOf(rule)?.labels ?? null;
}

interface Silence {
  readonly matches: LabelPattern;
  readonly spans: Spans;
}

/** One that lasts until nothing it is about is open ends then. */
function silencesIn({ actions, span }: PeopleLog, clock: DaemonClock, timeline: Timeline, stories: Stories): Silence[] {
  return actions.flatMap((made): Silence[] => {
    if (made.type !== 'silence') return [];
    let [until, over] = [made.untilClock, span.to];
    const inForce: Span[] = [];
    let from = made.at;
    for (const one of actions) {
      if (one.type === 'silence-extended' && one.id === made.id && one.at < over) {
        inForce.push(...common(clock.between(made.fromClock, until), [{ from, to: one.at }]));
        [from, until] = [one.at, one.untilClock];
      }
      if (one.type === 'silence-ended' && one.id === made.id) over = Math.min(over, one.at);
    }
    inForce.push(...common(clock.between(made.fromClock, until), [{ from, to: over }]));
    const spans = merged(inForce);
    return [
      {
        matches: made.matches,
        spans: made.untilResolved ? untilResolved(spans, made.matches, timeline, stories) : spans,
      },
    ];
  });
}

function untilResolved(spans: Spans, matches: LabelPattern, timeline: Timeline, stories: Stories): Spans {
  const [first] = spans;
  if (first === undefined) return spans;
  const about = stories.all.filter(({ form, rule, from }) => {
    const labels = form === 'condition' ? labelsOf(timeline.at(from), rule) : null;
    return labels !== null && fits(matches, labels);
  });
  const open = spanAt(merged(about), first.from);
  return common(spans, [{ from: first.from, to: open?.to ?? first.from }]);
}

function silencedIn({ version, labels }: Read, silences: readonly Silence[]): Spans {
  if (labels['watch'] === SELF) return [];
  return silences.filter(({ matches }) => fits(matches, labels)).flatMap(({ spans }) => common(spans, [version]));
}

function mutedIn({ version, mutes }: Read, clock: DaemonClock, span: Span): Spans {
  const from = Math.max(version.from, span.from);
  const to = Math.min(version.to, span.to);
  return mutes.flatMap((mute) => whenMuted(mute, clock, { from, to }));
}

/** When a window is open. */
export function whenMuted(mute: MuteTimes, clock: DaemonClock, { from, to }: Span): Spans {
  const windows = windowsOf(mute, clock.at(from), clock.at(to));
  return common(merged(windows.flatMap((one) => clock.between(one.from, one.to))), [{ from, to }]);
}

/** By the clock of the daemon. */
function windowsOf({ days, from, to }: MuteTimes, begin: Instant, end: Instant): Span[] {
  const lastsMs = (to > from ? to - from : to - from + 24 * 60) * MINUTE_MS;
  const first = Math.floor(begin / DAY_MS) - 2;
  const count = Math.max(Math.ceil((end - begin) / DAY_MS), 0) + 5;
  return Array.from({ length: count }, (_, n) => first + n).flatMap((day) => {
    const at = day * DAY_MS + from * MINUTE_MS;
    const isMeant = days.length === 0 || days.includes(new Date(day * DAY_MS).getUTCDay());
    return isMeant ? [{ from: at, to: at + lastsMs }] : [];
  });
}

interface Source {
  readonly rule: string;
  readonly spans: Spans;
}

/** When alerts of a rule were open, and their watch was polled within an hour, by the clock of the daemon. */
function sourcesIn(
  { polls, lives }: PeopleLog,
  clock: DaemonClock,
  stories: Stories,
  sort: 'sure' | 'maybe',
): readonly Source[] {
  // A clock that is set back shows a time before the poll.
  const freshAfter = ({ at }: PollEnd, next: PollEnd | undefined): readonly Span[] =>
    common(clock.between(-Infinity, clock.at(at) + POLLED_WITHIN_MS), [{ from: at, to: next?.at ?? Infinity }]);

  const polled = new Map(
    [
      ...Map.groupBy(
        polls.filter((one) => sort === 'maybe' || (one.isComplete && isWrittenDown(one, lives))),
        ({ watch }) => watch,
      ),
    ].map(([watch, own]) => [watch, merged(own.flatMap((one, n) => freshAfter(one, own[n + 1])))]),
  );
  // A source is believed until its first poll after a start.
  const started = sort === 'sure' ? [] : lives.map(({ from }) => ({ from, to: from + STARTING_MS }));
  const byRule = Map.groupBy(
    stories.all.filter(({ form }) => form === 'condition'),
    ({ rule }) => rule,
  );
  return [...byRule].map(([rule, own]) => ({
    rule,
    spans: common(merged(own), merged([...(polled.get(rule.slice(0, rule.lastIndexOf('/'))) ?? []), ...started])),
  }));
}

/** When a watch was polled is written down every ten seconds. */
function isWrittenDown({ at }: PollEnd, lives: PeopleLog['lives']): boolean {
  return !lives.some(({ to, end }) => end === 'killed' && at <= to && to - at <= WRITTEN_WITHIN_MS);
}

function inhibitedIn({ version, rule, labels }: Read, sources: readonly Source[]): Spans {
  const inForce = version.config.inhibit.filter(({ mute }) => fits(mute, labels));
  return inForce.flatMap((inhibition) =>
    sources
      .filter((source) => source.rule !== rule && isSource(labelsOf(version, source.rule), inhibition, labels))
      .flatMap(({ spans }) => common(spans, [version])),
  );
}

function isSource(source: LabelValues | null, { when, equal }: Inhibition, muted: LabelValues): boolean {
  if (source === null || !fits(when, source)) return false;
  return equal.every((label) => source[label] !== undefined && source[label] === muted[label]);
}

export type Acked = Span & {
  /** How it ended: it ran out, was withdrawn, or stood to the end of the episode; `raised`: 114. */
  readonly end: 'over' | 'withdrawn' | 'replaced' | 'raised' | 'stands';
  /** A snooze. */
  readonly isShort: boolean;
};

type AboutAck = Extract<OperatorAction, { type: 'ack' | 'ack-withdrawn' }>;

/** The acknowledgements of an alert, one after another. `raisedAfter`: when its severity was raised above that of then. */
export function acksOf(
  story: Pick<Story, 'from' | 'to' | 'begin' | 'changes'>,
  own: readonly AboutAck[],
  raisedAfter: (at: Instant) => Instant,
  clock: DaemonClock,
): Acked[] {
  return episodesOf(story).flatMap(({ episode, from, to }) => {
    const about = own.filter((one) => one.episode === episode);
    return about.flatMap((ack, n): Acked[] => {
      if (ack.type !== 'ack' || ack.at < from || ack.at >= to) return [];
      const next = about[n + 1];
      const common = { from: ack.at, isShort: ack.untilClock - clock.at(ack.at) < ACK_MS };
      const ends: Acked[] = [
        { ...common, to: clock.waitUntil(ack.at, ack.untilClock), end: 'over' },
        { ...common, to, end: 'stands' },
        { ...common, to: raisedAfter(ack.at), end: 'raised' },
      ];
      if (next !== undefined)
        ends.push({ ...common, to: next.at, end: next.type === 'ack' ? 'replaced' : 'withdrawn' });
      return [ends.reduce((first, one) => (one.to < first.to ? one : first))];
    });
  });
}

/** What was flapping, and is steady, is in a later episode: those between were not told of. */
function episodesOf({ begin, changes, from, to }: Pick<Story, 'from' | 'to' | 'begin' | 'changes'>): OneEpisode[] {
  const all = [{ episode: begin.episode, from, to }];
  for (const { episode, knownAt } of changes) {
    const last = all.at(-1);
    if (last === undefined || episode <= last.episode) continue;
    last.to = knownAt;
    all.push({ episode, from: knownAt, to });
  }
  return all;
}

type OneEpisode = Span & { readonly episode: number };

export function acksByKey(actions: PeopleLog['actions']): ReadonlyMap<string, readonly AboutAck[]> {
  const own = actions.filter((one) => one.type === 'ack' || one.type === 'ack-withdrawn');
  return Map.groupBy(own, ({ key }) => key);
}
