// The alerts that met something of all that people do, and of what becomes of messages. Two of these that met one alert within a
// quarter of an hour met each other.
import type { Decision } from '../../../src/core/model/decision.ts';
import type { MemberVerdict } from '../../../src/dispatch/model.ts';
import { MEETINGS, type Instant, type Meeting, type Sighting } from '../model.ts';

const NEAR_MS = 900_000;
/** A hold of a message is looked at again by then. */
const HOLD_MS = 600_000;
/** A call or a given up message stays so. */
export const STATE_MS = 4 * 3_600_000;
const EVENT_MS = 86_400_000;

export interface SightingLog {
  readonly saw: (of: Meeting, key: string) => void;
  /** It lasts so long, but no longer than the alert. */
  readonly sawFor: (of: Meeting, key: string, ms: number) => void;
  readonly decided: (decision: Pick<Decision, 'watchId' | 'reasons' | 'transitions'>) => void;
  readonly judged: (verdicts: ReadonlyMap<string, MemberVerdict>) => void;
  /** It meets all that is open. */
  readonly sawAll: (of: Meeting) => void;
  readonly all: () => readonly Sighting[];
}

export function createSightingLog(now: () => Instant): SightingLog {
  const last = new Map<string, { of: Meeting; key: string; episode: number; from: Instant; to: Instant }>();
  const over: Sighting[] = [];
  /** Events have no end of their own. */
  const openUntil = new Map<string, Instant>();
  /** By watch and alert: of a condition that is not told there is no message with its key. */
  const lastKey = new Map<string, string>();
  const episodeOf = new Map<string, number>();

  /** A meeting that goes on is one. */
  function saw(of: Meeting, key: string): void {
    const at = now();
    const name = `${of} ${key}`;
    const before = last.get(name);
    if (before !== undefined && at - before.to <= NEAR_MS) {
      before.to = at;
      return;
    }
    if (before !== undefined) over.push(before);
    last.set(name, { of, key, episode: episodeOf.get(key) ?? 0, from: at, to: at });
  }

  function sawFor(of: Meeting, key: string, ms: number): void {
    saw(of, key);
    const one = last.get(`${of} ${key}`);
    if (one !== undefined) one.to = now() + ms;
  }

  function end(key: string): void {
    openUntil.delete(key);
    for (const kind of MEETINGS) {
      const one = last.get(`${kind} ${key}`);
      if (one !== undefined) one.to = Math.min(one.to, now());
    }
  }

  return {
    saw,
    sawFor,
    decided({ watchId, transitions, reasons }) {
      for (const { message } of transitions) {
        const { key, episode, type, reason, alert } = message;
        episodeOf.set(key, episode);
        lastKey.set(`${watchId} ${alert}`, key);
        if (type === 'alert.firing') openUntil.set(key, Infinity);
        if (type === 'alert.event') openUntil.set(key, now() + EVENT_MS);
        if (type === 'alert.retracted' || type === 'alert.corrected') saw('retraction', key);
        if (reason?.startsWith('flapping') === true) sawFor('flapping', key, STATE_MS);
        if (type === 'alert.resolved' || type === 'alert.retracted') end(key);
      }
      for (const one of reasons) {
        const key = one.type === 'cooldown' ? lastKey.get(`${watchId} ${one.alert}`) : undefined;
        if (key === undefined) continue;
        sawFor('cooldown', key, HOLD_MS);
        // Untold, it is open for a while: nobody hears of its end.
        if (!openUntil.has(key)) openUntil.set(key, now() + HOLD_MS);
      }
    },
    judged(verdicts) {
      for (const [key, verdict] of verdicts) {
        const of = meetingOf(verdict);
        if (of !== null) sawFor(of, key, HOLD_MS);
      }
    },
    sawAll(of) {
      for (const [key, until] of openUntil) {
        if (until > now()) saw(of, key);
        else openUntil.delete(key);
      }
    },
    all: () => [...over, ...last.values()],
  };
}

function meetingOf(verdict: MemberVerdict): Meeting | null {
  if (verdict.type === 'wait') return 'group wait';
  if (verdict.type === 'count') return verdict.in === 'overflow_summary' ? 'cap' : null;
  if (verdict.type !== 'hold') return null;
  switch (verdict.why.why) {
    case 'inhibited':
      return 'inhibition';
    case 'silenced':
      return 'silence';
    case 'mute-window':
      return 'mute';
    case 'cap':
      return 'cap';
    case 'acked':
    case 'unpolled':
      return null;
  }
}

export type PairCounts = ReadonlyMap<string, number>;

/** `ack + reload`: how many alerts met both at once. Each episode is an alert of its own. */
export function pairCounts(sightings: readonly Sighting[]): PairCounts {
  const counts = new Map<string, number>();
  for (const own of Map.groupBy(sightings, ({ key }) => key).values()) {
    const seen = new Set<string>();
    for (const [n, one] of own.entries())
      for (const other of own.slice(n + 1)) {
        const pair = pairOf(one.of, other.of);
        const name = `${pair} ${Math.max(one.episode, other.episode)}`;
        if (one.of === other.of || !isNear(one, other) || seen.has(name)) continue;
        seen.add(name);
        counts.set(pair, (counts.get(pair) ?? 0) + 1);
      }
  }
  return counts;
}

function isNear(one: Sighting, other: Sighting): boolean {
  return one.from <= other.to + NEAR_MS && other.from <= one.to + NEAR_MS;
}

export function pairOf(one: Meeting, other: Meeting): string {
  return [one, other].toSorted((a, b) => MEETINGS.indexOf(a) - MEETINGS.indexOf(b)).join(' + ');
}

export const PAIRS: readonly string[] = MEETINGS.flatMap((one, n) =>
  MEETINGS.slice(n + 1).map((other) => pairOf(one, other)),
);
