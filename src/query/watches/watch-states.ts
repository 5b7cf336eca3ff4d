// The state of each watch: the first of `WATCH_STATES` that holds.
import type { BlindWatch } from '../../core/model/quality/blind-cause.ts';
import type { Severity, WatchId } from '../../core/model/ids.ts';
import { labelsOf } from '../../core/model/watch/identity.ts';
import { lastPauseOf, type Pause } from '../../core/model/watch/pause.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import type { Labels, Silence } from '../../dispatch/model.ts';
import { isSilencedBy } from '../../dispatch/policy/match.ts';
import type { Instant } from '../../lib/clock.ts';
import type { WatchState } from '../shapes/watches.ts';
import type { QueryContext } from '../view.ts';
import type { WatchFacts } from './watch-facts.ts';
import { remembered } from '../../lib/remembered.ts';

export interface WatchStanding {
  readonly state: WatchState;
  /** The severity of the alert that fires or is pending. */
  readonly severity: Severity | null;
  readonly since: Instant | null;
}

export interface WatchStates {
  /** The state alone, without the facts that only rows show: it is called for ten thousand watches. */
  stateOf(facts: WatchFacts): WatchState;
  of(facts: WatchFacts): WatchStanding;
  blindOf(id: WatchId): BlindWatch | null;
  pauseOf(watch: Watch): Pause | null;
}

export async function watchStates({ store, runtime, now }: QueryContext): Promise<WatchStates> {
  const { silences: all } = await store.policy(now);
  const silences = all.filter(({ kind, from, until }) => kind === 'silence' && from <= now && now < until);
  const pauses = (await store.pauses()).filter(({ until }) => until > now);
  const blind = new Map(runtime.blind().map((one) => [one.watch.id, one]));
  const unseen = new Set(runtime.unseen().map(({ id }) => id));
  const pauseOf = (watch: Watch): Pause | null => (pauses.length === 0 ? null : lastPauseOf(pauses, watch));

  function stateOf({ watch, active }: WatchFacts): WatchState {
    if (active !== null) return active.type;
    if (blind.size > 0 && blind.has(watch.id)) return 'blind';
    if (pauseOf(watch) !== null) return 'paused';
    if (silenceOf(watch, silences) !== null) return 'silenced';
    return unseen.size > 0 && unseen.has(watch.id) ? 'starting' : 'ok';
  }

  function sinceOf({ watch, memory, active }: WatchFacts, state: WatchState): Instant | null {
    switch (state) {
      case 'firing':
      case 'pending':
        return active?.since ?? null;
      case 'blind':
        return blind.get(watch.id)?.since ?? null;
      case 'paused':
        return pauseOf(watch)?.from ?? null;
      case 'silenced':
        return silenceOf(watch, silences)?.from ?? null;
      case 'starting':
        return runtime.startedAt;
      case 'ok':
        return memory?.data?.since ?? null;
    }
  }

  function of(facts: WatchFacts): WatchStanding {
    const state = stateOf(facts);
    return { state, severity: facts.active?.severity ?? null, since: sinceOf(facts, state) };
  }

  return { of, stateOf, pauseOf, blindOf: (id) => blind.get(id) ?? null };
}

const alertLabels = remembered((watch: Watch): readonly Labels[] =>
  watch.alerts.map((alert) => labelsOf(watch, alert)),
);

function silenceOf(watch: Watch, silences: readonly Silence[]): Silence | null {
  if (silences.length === 0) return null;
  const labels = alertLabels(watch);
  return silences.find(({ matchers }) => labels.some((one) => isSilencedBy(matchers, one))) ?? null;
}
