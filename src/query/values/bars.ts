// The last 24 hours of a watch in half hours, each with its worst state.
import { activeSince } from '../../core/alerts/emission.ts';
import type { WatchId } from '../../core/model/ids.ts';
import { showInstant, type Instant } from '../../lib/clock.ts';
import type { FiringSpan } from '../../store/contract/alerts.ts';
import type { UnknownSpan } from '../../store/contract/samples.ts';
import { stateOf } from '../alerts/found-state.ts';
import { BAR_STATES, BARS, type Bars } from '../shapes/common.ts';
import type { QueryContext } from '../view.ts';

const BAR_MS = 1_800_000;
type BarState = Bars['states'][number];

/** The start of the first bar: the present half hour is the last one. */
export function barsFrom(now: Instant): Instant {
  return Math.floor(now / BAR_MS) * BAR_MS - (BARS - 1) * BAR_MS;
}

export type BarsOf = (id: WatchId) => Bars;

/** The present state of a watch, and since when it lasts. */
export interface BarNow {
  readonly state: BarState;
  readonly since: Instant;
}

interface Shown {
  readonly barsOf: BarsOf;
  readonly nowOf: (id: WatchId) => BarNow;
}

export interface Days {
  /** Watches with at least one state other than `quiet`, the worst present state first. */
  readonly worstFirst: () => WatchId[];
  /** Conditions that ended, the last one first. */
  readonly ended: () => FiringSpan[];
  /** The bars of these watches. */
  readonly of: (watches: readonly WatchId[]) => Promise<Shown>;
}

/** The last 24 hours of all watches, or of one. */
export async function days({ store, runtime, now }: QueryContext, watch: WatchId | null = null): Promise<Days> {
  const from = barsFrom(now);
  const spans = await store.firings(from, watch);
  const firings = Map.groupBy(spans, (span) => span.watch);
  const unknown = Map.groupBy(await store.unknownSpans(from, watch), (span) => span.watch);
  /** When the condition began, which is before it fired. All other places show that time too. */
  const beganAt = (span: FiringSpan): Instant => {
    const memory = runtime.readings.memoryOf(span.watch);
    const found = memory && stateOf(memory, span);
    return (found && activeSince(found.condition)) ?? span.from;
  };
  const spansOf = (id: WatchId): Spans => ({ firings: firings.get(id) ?? [], unknown: unknown.get(id) ?? [] });
  return {
    worstFirst() {
      const ids = [...firings.keys(), ...unknown.keys()];
      const ranks = new Map(ids.map((id) => [id, rankOf(lastingIn(spansOf(id), ({ from: at }) => at))]));
      const shown = runtime.watches().flatMap(({ id }) => (ranks.has(id) ? [id] : []));
      return shown.toSorted((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0));
    },
    ended() {
      const over = spans.filter(({ until, isEvent }) => until !== null && !isEvent);
      return over.toSorted((a, b) => (b.until ?? 0) - (a.until ?? 0));
    },
    async of(watches) {
      const firstPolls = await store.firstPolls(watches);
      const dayOf = (id: WatchId): Day => {
        const knownFrom = runtime.readings.memoryOf(id) === undefined ? now : (firstPolls.get(id) ?? from);
        return { ...spansOf(id), from, now, knownFrom };
      };
      return { barsOf: (id) => barsOf(dayOf(id)), nowOf: (id) => nowOf(dayOf(id), beganAt) };
    },
  };
}

interface Spans {
  readonly firings: readonly FiringSpan[];
  readonly unknown: readonly UnknownSpan[];
}

/** The worst state that has not ended, and among equal ones the oldest; null: there is none. */
function lastingIn({ firings, unknown }: Spans, beganAt: (span: FiringSpan) => Instant): BarNow | null {
  const lasting = [
    ...firings.flatMap((span): BarNow[] =>
      span.until !== null || span.severity === 'info' ? [] : [{ state: span.severity, since: beganAt(span) }],
    ),
    ...unknown.flatMap(({ since, until }): BarNow[] => (until === null ? [{ state: 'unknown', since }] : [])),
  ];
  return lasting.toSorted((a, b) => rankOf(a) - rankOf(b) || a.since - b.since)[0] ?? null;
}

function rankOf(now: BarNow | null): number {
  return BAR_STATES.indexOf(now?.state ?? 'quiet');
}

function nowOf({ firings, unknown, from, now, knownFrom }: Day, beganAt: (span: FiringSpan) => Instant): BarNow {
  const lasting = lastingIn({ firings, unknown }, beganAt);
  if (lasting !== null) return lasting;
  if (knownFrom === now) return { state: 'unknown', since: from };
  const ends = [...firings, ...unknown].flatMap(({ until }) => until ?? []);
  return { state: 'quiet', since: Math.max(from, knownFrom, ...ends) };
}

interface Day extends Spans {
  readonly from: Instant;
  readonly now: Instant;
  /** The watch was never polled before this time. */
  readonly knownFrom: Instant;
}

function barsOf({ from, now, knownFrom, firings, unknown }: Day): Bars {
  const states: BarState[] = Array.from({ length: BARS }, () => 'quiet');
  const mark = (state: BarState, since: Instant, until: Instant): void => {
    const last = Math.min(BARS - 1, Math.floor((until - from) / BAR_MS));
    for (let i = Math.max(0, Math.floor((since - from) / BAR_MS)); i <= last; i += 1)
      if (worse(state, states[i])) states[i] = state;
  };
  // A watch without a poll is unknown until now. Otherwise the half hour of its first poll does not count as unknown.
  if (knownFrom > from) mark('unknown', from, knownFrom === now ? now : knownFrom - BAR_MS);
  for (const { since, until } of unknown) mark('unknown', since, until ?? now);
  for (const span of firings) if (span.severity !== 'info') mark(span.severity, span.from, span.until ?? now);
  const told = firings.filter((span) => span.from > from);
  const notified = told.map((span) => Math.floor((span.from - from) / BAR_MS));
  const places = [...new Set(notified.filter((place) => place >= 0 && place < BARS))].toSorted((a, b) => a - b);
  return { from: showInstant(from), states, notified: places };
}

function worse(one: BarState, other: BarState | undefined): boolean {
  return BAR_STATES.indexOf(one) < (other === undefined ? BAR_STATES.length : BAR_STATES.indexOf(other));
}
