// The causes that hold an alert back: an inhibiting alert, a silence, an acknowledgement, a watch without a poll, a
// mute window.
import { coversSeverity } from '../../core/model/delivery.ts';
import type { WatchId } from '../../core/model/ids.ts';
import type { Instant } from '../../lib/clock.ts';
import { weekdayOf, zoneOffset } from '../../lib/time-zone.ts';
import type {
  Ack,
  DispatchContext,
  GroupMember,
  Held,
  InhibitingAlert,
  InhibitionSource,
  InhibitRule,
  Key,
  Labels,
  MuteWindow,
  Silence,
} from '../model.ts';
import { isAbout, isSilencedBy } from './match.ts';

/** Rounds also read silences that ended less than this time ago. */
export const PAST_SILENCES_MS = 86_400_000;

export interface Hold {
  readonly why: Held;
  readonly until: Instant | 'change';
  /** Events from this time on are not counted when the hold is over; null: all events are counted. */
  readonly dropsSince: Instant | null;
}

/** The inputs of a round at its instant, computed once for all members. */
export interface Context {
  readonly now: Instant;
  readonly world: DispatchContext;
  readonly inhibitionOf: InhibitionOf<InhibitionSource>;
  /** Silences and pauses that are in force. */
  readonly inForce: readonly Silence[];
  readonly ackOf: AckOf;
  readonly mutedUntil: (windows: readonly MuteWindow[]) => Instant | null;
}

/** The acknowledgement that is in force for an episode and covers its present severity; null: there is none. */
export type AckOf = (alert: Pick<Ack, 'key' | 'episode' | 'severity'>) => Ack | null;

export function acksAt<A extends Ack>(acks: readonly A[], now: Instant): (...of: Parameters<AckOf>) => A | null {
  const inForce = new Map(acks.filter(({ until }) => now < until).map((ack) => [nameOf(ack), ack]));
  return (alert) => {
    const ack = inForce.get(nameOf(alert));
    return ack !== undefined && coversSeverity(ack.severity, alert.severity) ? ack : null;
  };
}

function nameOf({ key, episode }: Pick<Ack, 'key' | 'episode'>): string {
  return `${key} ${episode}`;
}

export function contextOf(world: DispatchContext, now: Instant): Context {
  const ends = new Map<string, Instant | null>();
  return {
    now,
    world,
    inhibitionOf: inhibitionsAt(world, now),
    inForce: world.silences.filter(({ from, until }) => from <= now && now < until),
    ackOf: acksAt(world.acks, now),
    // Thousands of members share a few windows, and each window takes several calendar computations: it is computed
    // once.
    mutedUntil: (windows) => {
      if (windows.length === 0) return null;
      const name = JSON.stringify(windows);
      const known = ends.get(name);
      const end = known === undefined ? mutedUntil(windows, now) : known;
      ends.set(name, end);
      return end;
    },
  };
}

/** The fields of an alert that decide whether it is held back. */
export type Holdable = Pick<GroupMember, 'key' | 'watch' | 'labels' | 'severity' | 'episode' | 'routing'>;

/** The first cause, in this order, that holds back a message that is not the end of a sent alert. */
export function holdOf(context: Context, member: Holdable): Hold | null {
  return inhibited(context, member) ?? silenced(context, member) ?? muted(context, member);
}

/** The first cause, in this order, that holds back a repeat. */
export function holdOfRepeat(context: Context, member: Holdable): Hold | null {
  return (
    inhibited(context, member) ??
    silenced(context, member) ??
    holdOfAck(context, member) ??
    unpolled(context, member) ??
    muted(context, member)
  );
}

/** The hold of an alert that somebody has acknowledged. */
export function holdOfAck({ ackOf }: Context, member: Holdable): Hold | null {
  const ack = ackOf(member);
  return ack === null ? null : { why: { why: 'acked', by: null }, until: ack.until, dropsSince: null };
}

/** An ended silence of these labels that was in force for all of that time; null: there is none. */
export function silenceOver(
  { world, now }: Context,
  { labels }: Pick<GroupMember, 'labels'>,
  { from, until }: { readonly from: Instant; readonly until: Instant },
): Silence | null {
  const over = world.silences.filter((one) => one.kind === 'silence' && one.until <= now);
  return over.find((one) => one.from <= from && until < one.until && isSilencedBy(one.matchers, labels)) ?? null;
}

function inhibited({ inhibitionOf }: Context, member: Holdable): Hold | null {
  const found = inhibitionOf(member);
  if (found === null) return null;
  const why: Held = { why: 'inhibited', by: found.source.key };
  return { why, until: 'change', dropsSince: found.rule.events === 'drop' ? found.source.openedAt : null };
}

function silenced(context: Context, member: Holdable): Hold | null {
  const silence = matching(context, member, 'silence');
  if (silence === undefined) return null;
  const why: Held = { why: 'silenced', by: silence.id };
  return { why, until: silence.untilResolved ? 'change' : silence.until, dropsSince: null };
}

/** The hold if the watch is paused, or was not polled since the start: its alerts may be over. */
function unpolled(context: Context, member: Holdable): Hold | null {
  const { world, now } = context;
  const pause = matching(context, member, 'pause');
  if (pause !== undefined) return { why: { why: 'unpolled', by: pause.id }, until: pause.until, dropsSince: null };
  const until = firstPollUntil(world, member.watch, now);
  if (until === null || now >= until) return null;
  return { why: { why: 'unpolled', by: null }, until, dropsSince: null };
}

function muted(context: Context, { routing }: Holdable): Hold | null {
  const until = context.mutedUntil(routing.options.mute);
  return until === null ? null : { why: { why: 'mute-window', by: null }, until, dropsSince: null };
}

function matching({ inForce }: Context, { labels }: Holdable, kind: Silence['kind']): Silence | undefined {
  return inForce.find((one) => one.kind === kind && isSilencedBy(one.matchers, labels));
}

// Open alerts that mute others. Example: an alert that a chain does not advance mutes the alerts that this causes.

/** If the watch of a source was not polled for this long, the source mutes nothing any more. */
const BELIEVED_MS = 3_600_000;

/** The time after a start for which decisions on a watch wait for its first poll. */
const FIRST_POLL_MS = 300_000;

/**
 * The end of the time that a decision waits for the first poll of a watch after the start. Null: the watch was polled,
 * or the clock was set back behind the start.
 */
export function firstPollUntil(
  { startedAt, lookedAt }: Pick<DispatchContext, 'startedAt' | 'lookedAt'>,
  watch: WatchId,
  now: Instant,
): Instant | null {
  return lookedAt(watch) !== null || now < startedAt ? null : startedAt + FIRST_POLL_MS;
}

interface Inhibition<S extends InhibitingAlert> {
  readonly source: S;
  readonly rule: InhibitRule;
}

/** The first rule with an open source for an alert; null: nothing mutes it. */
type InhibitionOf<S extends InhibitingAlert> = (alert: {
  readonly key: Key;
  readonly labels: Labels;
}) => Inhibition<S> | null;

/**
 * Sources are indexed by the labels that must be equal, so the cost for one alert does not grow with the number of
 * sources. If an alert or a source lacks one of these labels, the rule does not apply to it. No alert mutes itself.
 */
export function inhibitionsAt<S extends InhibitingAlert>(
  world: Pick<DispatchContext, 'inhibit' | 'coveredUntil' | 'startedAt'> & { readonly sources: readonly S[] },
  now: Instant,
): InhibitionOf<S> {
  const believed = world.sources.filter(({ watch }) => isBelieved(world, watch, now));
  const rules = world.inhibit.map((rule) => ({ rule, sources: sourcesOf(rule, believed) }));
  return ({ key, labels }) => {
    for (const { rule, sources } of rules) {
      if (!isAbout(rule.mute, labels)) continue;
      const source = sources.get(valuesOf(rule, labels) ?? '')?.find((one) => one.key !== key);
      if (source !== undefined) return { source, rule };
    }
    return null;
  };
}

function isBelieved(
  { coveredUntil, startedAt }: Pick<DispatchContext, 'coveredUntil' | 'startedAt'>,
  watch: WatchId,
  now: Instant,
): boolean {
  const until = coveredUntil(watch) ?? -Infinity;
  // After a long stop, a source stays in force until the first poll, at most for `FIRST_POLL_MS`.
  return now - until <= BELIEVED_MS || (until < startedAt && now - startedAt < FIRST_POLL_MS);
}

/**
 * Keeps at most two sources for the same values. An alert does not mute itself: if it is one of the two sources, the
 * other one mutes it.
 */
function sourcesOf<S extends InhibitingAlert>(rule: InhibitRule, open: readonly S[]): Map<string, S[]> {
  const byValues = new Map<string, S[]>();
  for (const source of open) {
    const values = isAbout(rule.when, source.labels) ? valuesOf(rule, source.labels) : null;
    if (values === null) continue;
    const same = byValues.get(values) ?? [];
    if (same.length < 2) byValues.set(values, [...same, source]);
  }
  return byValues;
}

/** Null if one of the labels is missing. The text is never empty, so a lookup of '' finds no source. */
function valuesOf({ equal }: InhibitRule, labels: Labels): string | null {
  const values = equal.map((label) => (Object.hasOwn(labels, label) ? labels[label] : undefined));
  return values.includes(undefined) ? null : JSON.stringify(values);
}

// Mute windows: days and hours of the local clock in a zone. When daylight saving time changes that clock, a skipped
// time counts as past, and a repeated time counts twice.

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** At most this many windows without a gap are joined. A later decision joins the next ones. */
const MOST_JOINED = 16;

/** The time at which the windows in force at `at` are over; null: none is in force. Windows that touch count as one. */
export function mutedUntil(windows: readonly MuteWindow[], at: Instant): Instant | null {
  let until: Instant | null = null;
  for (let i = 0; i < MOST_JOINED; i += 1) {
    const next = latestEnd(windows, until ?? at);
    if (next === null) return until;
    until = next;
  }
  return until;
}

function latestEnd(windows: readonly MuteWindow[], at: Instant): Instant | null {
  const ends = windows.flatMap((window) => endOf(window, at) ?? []);
  return ends.length === 0 ? null : Math.max(...ends);
}

/** The end of the window that the instant lies in; null: it lies in none. */
function endOf(window: MuteWindow, at: Instant): Instant | null {
  const wall = at + zoneOffset(window.zone, at);
  const day = Math.floor(wall / DAY_MS);
  // A window that passes midnight belongs to the day on which it begins.
  for (const start of [day, day - 1]) {
    const from = start * DAY_MS + msOf(window.from);
    const to = start * DAY_MS + msOf(window.to) + (passesMidnight(window) ? DAY_MS : 0);
    if (window.days.includes(weekdayOf(start)) && wall >= from && wall < to)
      return setBackIn(window.zone, { at, end: whenWallShows(to, window.zone, at), from });
  }
  return null;
}

/** The time at which the clock is set back to before the start of the window; else the end of the window. */
function setBackIn(zone: string, { at, end, from }: { at: Instant; end: Instant; from: number }): Instant {
  if (zoneOffset(zone, end) >= zoneOffset(zone, at)) return end;
  const change = changeBetween(zone, at, end);
  return change + zoneOffset(zone, change) < from ? change : end;
}

function passesMidnight({ from, to }: MuteWindow): boolean {
  return msOf(to) <= msOf(from);
}

function msOf(time: string): number {
  const [hours = '0', minutes = '0'] = time.split(':');
  return (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
}

/** The first instant after `at` at which the local time is `to` or later. */
function whenWallShows(to: number, zone: string, at: Instant): Instant {
  const before = zoneOffset(zone, at);
  const guess = to - before;
  const after = zoneOffset(zone, guess);
  if (before === after) return guess;
  const change = changeBetween(zone, at, guess);
  return guess <= change ? guess : Math.max(change, to - after);
}

/** The time at which the offset of the zone changes, between two instants with different offsets. */
function changeBetween(zone: string, from: Instant, to: Instant): Instant {
  const before = zoneOffset(zone, from);
  let [low, high] = [from, to];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (zoneOffset(zone, middle) === before) low = middle;
    else high = middle;
  }
  return high;
}
