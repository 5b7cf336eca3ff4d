// Pauses, as operators ask for them.
import { hintFor } from '../../config/values/nearest.ts';
import { quote } from '../../config/values/scalars.ts';
import { labelsOfWatch } from '../../core/model/watch/labels.ts';
import { isPauseOf, LONGEST_PAUSE_MS } from '../../core/model/watch/pause.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import type { Matcher } from '../../dispatch/model.ts';
import { showInstant } from '../../lib/clock.ts';
import type { Interventions, PauseAnswer, Result } from '../../web/api/operation.ts';
import type { OperatorChange } from '../../store/contract/operators.ts';
import { untilMistakes, type Once, type OnceOptions } from './once.ts';

export interface PauseCallsOptions extends OnceOptions {
  readonly watches: () => readonly Watch[];
  /** Pauses have changed: those in force are others from now on. */
  readonly onPauses: () => Promise<void>;
  /** These are polled again. */
  readonly onResumed: (watches: readonly Watch[]) => void;
}

export function createPauseCalls(once: Once, options: PauseCallsOptions): Pick<Interventions, 'pause' | 'endPause'> {
  const { clock, log, watches, onPauses, onResumed } = options;

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
        changes: 'pause',
        check() {
          const [paused] = named(watch);
          if (paused === undefined) return null;
          const mistakes = untilMistakes(draft.until, { now: clock.now(), longestMs: LONGEST_PAUSE_MS });
          return mistakes.length > 0
            ? { mistakes }
            : { change: { type: 'pause', watch, matchers: matchersOf(watch, paused), ...draft } };
        },
        missing: noSuchWatch(watch),
        async act({ pause: { until, actor, comment } }) {
          await onPauses();
          log.info('watch:paused', { watch, until: showInstant(until), by: actor, comment });
        },
      }).then(pauseOf),
    endPause: (watch, operation) =>
      once(operation, {
        changes: 'pause',
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

/** Of the alerts of a rule, or of one of its watches. */
function matchersOf(name: string, watch: Watch): Matcher {
  return name === watch.rule ? { watch: name } : labelsOfWatch(watch);
}

function pauseOf(result: Result<Extract<OperatorChange, { type: 'pause' }>>): Result<PauseAnswer> {
  return result.type === 'refused' ? result : { type: 'done', value: result.value.pause };
}
