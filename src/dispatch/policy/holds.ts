// The causes that hold an alert back: an inhibiting alert, a silence, an acknowledgement, a watch without a poll, a
// mute window.
import { coversSeverity } from '../../core/model/delivery.ts';
import type { Instant } from '../../lib/clock.ts';
import { firstPollUntil, inhibitionsAt, type InhibitionOf } from './inhibit.ts';
import type { Ack, GroupMember, Held, InhibitionSource, MuteWindow, Silence, DispatchContext } from '../model.ts';
import { mutedUntil } from './mutes.ts';
import { isSilencedBy } from './silenced.ts';

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
