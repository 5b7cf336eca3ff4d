// What operators change through the API: checked, stored, and only then acted upon.
import { hintFor } from '../config/nearest.ts';
import { quote } from '../config/scalars.ts';
import { isPauseOf, LONGEST_PAUSE_MS } from '../core/model/pause.ts';
import type { Watch } from '../core/model/watch.ts';
import { showInstant, type Clock, type Instant } from '../lib/clock.ts';
import { StorageError, type Changed, type Intervened, type Intervention, type Store } from '../store/store.ts';
import type { Log } from '../telemetry/log.ts';
import type { Interventions, Operation, PauseAnswer, Refusal, Result } from '../web/api/operation.ts';
import type { Mistake } from '../web/problem.ts';

export interface InterventionsOptions {
  readonly store: Pick<Store, 'answerTo' | 'intervene' | 'fenceOf'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'error'>;
  readonly watches: () => readonly Watch[];
  /** Pauses have changed: those in force are others from now on. */
  readonly onPauses: () => Promise<void>;
  /** These are polled again. */
  readonly onResumed: (watches: readonly Watch[]) => void;
}

/** Null: nothing of that name is there to be changed. */
type Checked = { readonly change: Intervention } | { readonly mistakes: readonly Mistake[] } | null;

interface Asked {
  /** Not looked at when the request is a repeated one: it is answered as it was at first. */
  readonly check: () => Checked;
  /** What to do where there is nothing to be changed. */
  readonly missing: string;
  /** Acts on it, once it is stored. */
  readonly act: (changed: Changed) => Promise<void>;
}

export function createInterventions(options: InterventionsOptions): Interventions {
  const { store, clock, log, watches, onPauses, onResumed } = options;

  async function once(operation: Operation, { check, missing, act }: Asked): Promise<Result<Changed>> {
    try {
      const before = await store.answerTo(operation);
      if (before !== null) return resultOf(before, missing);
      const checked = check();
      if (checked === null) return refused('not-found', missing);
      if ('mistakes' in checked) return { type: 'refused', why: { type: 'invalid', mistakes: checked.mistakes } };
      const fence = store.fenceOf('service:operators');
      const ended = await store.intervene(checked.change, operation, clock.now(), fence);
      if (ended.type === 'kept') await act(ended.changed);
      return resultOf(ended, missing);
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      log.error('storage:failed', { action: 'intervene', error });
      return refused('not-storable', FAILED);
    }
  }

  function named(name: string): readonly Watch[] {
    return watches().filter((watch) => isPauseOf({ watch: name }, watch));
  }

  function noSuchWatch(name: string): string {
    const names = new Set(watches().flatMap((watch) => [watch.rule, watch.name]));
    return [`There is no rule and no watch ${quote(name)}.`, hintFor(name, names)].filter(Boolean).join(' ');
  }

  return {
    pause: (watch, draft, operation) =>
      once(operation, {
        check() {
          if (named(watch).length === 0) return null;
          const mistakes = untilMistakes(draft.until, { now: clock.now(), longestMs: LONGEST_PAUSE_MS });
          return mistakes.length > 0 ? { mistakes } : { change: { type: 'pause', watch, ...draft } };
        },
        missing: noSuchWatch(watch),
        async act({ pause: { until, actor, comment } }) {
          await onPauses();
          log.info('watch:paused', { watch, until: showInstant(until), by: actor, comment });
        },
      }).then(pauseOf),
    endPause: (watch, operation) =>
      once(operation, {
        check: () => ({ change: { type: 'end-pause', watch } }),
        missing: `No pause of ${quote(watch)} is in force: \`chainwarden status\` shows those that are.`,
        async act() {
          await onPauses();
          log.info('watch:resumed', { watch, by: operation.actor });
          onResumed(named(watch));
        },
      }).then(pauseOf),
  };
}

const FAILED = 'The state file takes nothing: the log of the daemon says why. Nothing was changed.';
const FENCED = 'Another daemon has taken over the state file. Nothing was changed.';
const KEY_TAKEN = 'Something else was done under this Idempotency-Key. Use another one.';

function refused(type: Exclude<Refusal['type'], 'invalid'>, detail: string): Result<never> {
  return { type: 'refused', why: { type, detail } };
}

function resultOf(ended: Intervened, missing: string): Result<Changed> {
  if (ended.type === 'kept') return { type: 'done', value: ended.changed };
  switch (ended.why) {
    case 'key-taken':
      return refused('key-taken', KEY_TAKEN);
    case 'not-found':
      return refused('not-found', missing);
    case 'fenced':
      return refused('not-storable', FENCED);
  }
}

function pauseOf(result: Result<Changed>): Result<PauseAnswer> {
  return result.type === 'refused' ? result : { type: 'done', value: result.value.pause };
}

const DAY_MS = 86_400_000;

function untilMistakes(until: Instant, { now, longestMs }: { now: Instant; longestMs: number }): Mistake[] {
  if (until <= now) return [{ pointer: '/until', detail: `is over: it is ${showInstant(now)} here` }];
  if (until - now <= longestMs) return [];
  return [{ pointer: '/until', detail: `is more than ${longestMs / DAY_MS} days away` }];
}
