// What operators change, in plain maps: a part of the second subject of the contract suite.
import type { Pause } from '../../src/core/model/pause.ts';
import type { Instant } from '../../src/lib/clock.ts';
import type { Changed, Intervened, Intervention, OperatorRequest } from '../../src/store/store.ts';

export interface KeptOfOperators {
  readonly pauseById: Map<string, Pause>;
  readonly requestByKey: Map<string, { readonly asked: string; readonly changed: Changed; readonly at: Instant }>;
}

export function nothingOfOperators(): KeptOfOperators {
  return { pauseById: new Map(), requestByKey: new Map() };
}

const DAY_MS = 86_400_000;

export function createMemoryInterventions({ pauseById, requestByKey }: KeptOfOperators) {
  function answerTo({ key, asked }: OperatorRequest): Intervened | null {
    const found = requestByKey.get(key);
    if (found === undefined) return null;
    return found.asked === asked ? { type: 'kept', changed: found.changed } : { type: 'refused', why: 'key-taken' };
  }

  function endPause(watch: string, at: Instant): Pause | null {
    const [ended] = [...pauseById.values()].filter((one) => one.watch === watch && one.until > at);
    if (ended === undefined) return null;
    const pause = { ...ended, until: at };
    pauseById.set(pause.id, pause);
    return pause;
  }

  function apply(
    change: Intervention,
    { key, actor }: OperatorRequest,
    at: Instant,
  ): Pause | 'key-taken' | 'not-found' {
    if (change.type === 'end-pause') return endPause(change.watch, at) ?? 'not-found';
    if (pauseById.has(key)) return 'key-taken';
    endPause(change.watch, at);
    const { watch, until, comment } = change;
    const pause = { id: key, watch, from: at, until, actor, comment };
    pauseById.set(key, pause);
    return pause;
  }

  return {
    answerTo,
    intervene(change: Intervention, request: OperatorRequest, at: Instant): Intervened {
      const before = answerTo(request);
      if (before !== null) return before;
      const pause = apply(change, request, at);
      if (typeof pause === 'string') return { type: 'refused', why: pause };
      for (const [key, row] of requestByKey) if (row.at < at - DAY_MS) requestByKey.delete(key);
      const changed: Changed = { type: 'pause', pause };
      requestByKey.set(request.key, { asked: request.asked, changed, at });
      return { type: 'kept', changed };
    },
    pauses: (): Pause[] => [...pauseById.values()],
    prune(before: Instant): void {
      for (const { id, until } of pauseById.values()) if (until < before - 60 * DAY_MS) pauseById.delete(id);
    },
  };
}
