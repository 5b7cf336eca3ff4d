// In which state each watch is: the first of `WATCH_STATES` that holds.
import type { BlindWatch } from '../../core/model/quality/blind-cause.ts';
import type { Severity, WatchId } from '../../core/model/ids.ts';
import { labelsOf } from '../../core/model/watch/labels.ts';
import { lastPauseOf, type Pause } from '../../core/model/watch/pause.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import type { Labels, Silence } from '../../dispatch/model.ts';
import { isSilencedBy } from '../../dispatch/policy/silenced.ts';
import type { Instant } from '../../lib/clock.ts';
import type { WatchState } from '../shapes/watches.ts';
import type { View } from '../view.ts';
import type { WatchFacts } from './watch-facts.ts';

export interface WatchStanding {
  readonly state: WatchState;
  /** Of what fires or is pending. */
  readonly severity: Severity | null;
  readonly since: Instant | null;
}

export interface WatchStates {
  of(facts: WatchFacts): WatchStanding;
  blindOf(id: WatchId): BlindWatch | null;
  pauseOf(watch: Watch): Pause | null;
}

export async function watchStates({ store, runtime, now }: View): Promise<WatchStates> {
  const { silences: all } = await store.policy(now);
  const silences = all.filter(({ kind, from, until }) => kind === 'silence' && from <= now && now < until);
  const pauses = (await store.pauses()).filter(({ until }) => until > now);
  const blind = new Map(runtime.blind().map((one) => [one.watch.id, one]));
  const unpolled = new Set((runtime.unpolled() ?? []).map(({ id }) => id));
  const pauseOf = (watch: Watch): Pause | null => (pauses.length === 0 ? null : lastPauseOf(pauses, watch));

  function of({ watch, memory, active }: WatchFacts): WatchStanding {
    if (active?.type === 'firing') return { state: 'firing', severity: active.severity, since: active.since };
    if (active !== null) return { state: 'pending', severity: active.severity, since: active.since };
    const calm = { severity: null };
    const blindSince = blind.get(watch.id)?.since;
    if (blindSince !== undefined) return { ...calm, state: 'blind', since: blindSince };
    const pause = pauseOf(watch);
    if (pause !== null) return { ...calm, state: 'paused', since: pause.from };
    const silence = silenceOf(watch, silences);
    if (silence !== null) return { ...calm, state: 'silenced', since: silence.from };
    if (unpolled.has(watch.id)) return { ...calm, state: 'starting', since: runtime.startedAt };
    return { ...calm, state: 'ok', since: memory?.data?.since ?? null };
  }

  return { of, pauseOf, blindOf: (id) => blind.get(id) ?? null };
}

const labels = new WeakMap<Watch, readonly Labels[]>();

function silenceOf(watch: Watch, silences: readonly Silence[]): Silence | null {
  if (silences.length === 0) return null;
  const known = labels.get(watch) ?? watch.alerts.map((alert) => labelsOf(watch, alert));
  labels.set(watch, known);
  return silences.find(({ matchers }) => known.some((one) => isSilencedBy(matchers, one))) ?? null;
}
