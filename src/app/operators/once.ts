// Carries out one request of an operator: checked, stored, and only then acted upon.
import { showInstant, type Clock, type Instant } from '../../lib/clock.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { Transition } from '../../core/model/transition.ts';
import { announcementOf } from '../../engine/self/announcement.ts';
import { newsOf } from '../../engine/self/operator-news.ts';
import type { OperatorChange, Intervened, Intervention } from '../../store/contract/operators.ts';
import { StorageError, type Store } from '../../store/contract/store.ts';
import type { Log } from '../../telemetry/log.ts';
import type { WriteRequest, ActionRefusal, Result } from '../../web/api/operation.ts';
import type { RequestMistake } from '../../web/problem.ts';

export interface OnceOptions {
  readonly store: Pick<Store, 'answerTo' | 'intervene' | 'openAlerts' | 'policy'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'error'>;
  /** The channels that are told what operators did. */
  readonly notify: () => readonly string[];
  /** Transitions were committed, or who is told has changed. */
  readonly onChanged: () => void;
}

/** Null: nothing of that name is there to be changed. */
export type Checked =
  /** `alert`: how people call the one that it is about. */
  | { readonly change: Intervention; readonly alert?: string }
  | { readonly mistakes: readonly RequestMistake[] }
  | { readonly refusal: 'confirm-needed'; readonly detail: string }
  | null;

export interface Asked<T extends OperatorChange['type']> {
  /** Not looked at when the request is a repeated one: it is answered as it was at first. */
  readonly check: () => Checked | Promise<Checked>;
  /** What such a change changes. */
  readonly changes: T;
  /** What to do where there is nothing to be changed. */
  readonly missing: string;
  /** Acts on it, once it is stored. */
  readonly act: (changed: Extract<OperatorChange, { type: T }>) => Promise<void> | void;
}

/** Resolves when it is stored and acted upon. */
export type Once = <T extends OperatorChange['type']>(
  operation: WriteRequest,
  asked: Asked<T>,
) => Promise<Result<Extract<OperatorChange, { type: T }>>>;

export function createOnce({ store, clock, log, notify, onChanged }: OnceOptions): Once {
  return async (operation, asked) => {
    const { check, missing, act } = asked;
    return answering(log, async () => {
      const before = await store.answerTo(operation);
      if (before !== null) return resultOf(before, asked);
      const checked = await check();
      if (checked === null) return refused('not-found', missing);
      if ('mistakes' in checked) return { type: 'refused', why: { type: 'invalid', mistakes: checked.mistakes } };
      if ('refusal' in checked) return refused(checked.refusal, checked.detail);
      const { change, alert = null } = checked;
      const at = clock.now();
      const announce = (changed: OperatorChange): readonly Transition[] => {
        const news = newsOf({ change, changed, actor: operation.actor, at, alert });
        return news === null ? [] : announcementOf(news, { id: operation.key, at, notify: notify() });
      };
      const result = resultOf(await store.intervene(change, operation, { at, announce }), asked);
      if (result.type === 'done') {
        await act(result.value);
        onChanged();
      }
      failpoint('operator.kept');
      return result;
    });
  };
}

/** Says that the storage does not answer, where it does not. */
export async function answering<T>(log: OnceOptions['log'], work: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    log.error('storage:failed', { action: 'intervene', error });
    return refused('not-storable', FAILED);
  }
}

const FAILED = 'The state cannot be written: the log of the daemon says why. Nothing was changed.';

const DETAILS: Readonly<Record<Exclude<Extract<Intervened, { type: 'refused' }>['why'], 'not-found'>, string>> = {
  'key-taken': 'Something else was done under this Idempotency-Key. Use another one.',
  'is-over': 'It has ended already. Nothing was changed.',
  'stale-seq': 'The alert has changed since you looked at it. Look at it again, then acknowledge what it says now.',
  'not-given-up': 'It was not given up: it is sent, or still owed and will be tried again by itself.',
  'later-sent': 'A later message of the same alert was sent to this recipient: this one would read as if it were news.',
};

function refused(type: Exclude<ActionRefusal['type'], 'invalid'>, detail: string): Result<never> {
  return { type: 'refused', why: { type, detail } };
}

function resultOf<T extends OperatorChange['type']>(
  ended: Intervened,
  { missing, changes }: Asked<T>,
): Result<Extract<OperatorChange, { type: T }>> {
  if (ended.type === 'refused') {
    if (ended.why === 'not-found') return refused('not-found', missing);
    return refused(ended.why, DETAILS[ended.why]);
  }
  // A digest of the path is part of what was asked for: another kind of change has another one.
  if (!isOf(ended.changed, changes)) return refused('key-taken', DETAILS['key-taken']);
  return { type: 'done', value: ended.changed };
}

function isOf<T extends OperatorChange['type']>(
  changed: OperatorChange,
  type: T,
): changed is Extract<OperatorChange, { type: T }> {
  return changed.type === type;
}

const DAY_MS = 86_400_000;

/** What is wrong with the end of something that may last so long. */
export function untilMistakes(
  until: Instant,
  { now, longestMs }: { now: Instant; longestMs: number },
): RequestMistake[] {
  if (until <= now) return [{ pointer: '/until', detail: `is over: it is ${showInstant(now)} here` }];
  if (until - now <= longestMs) return [];
  const longest = longestMs === DAY_MS ? '24 hours' : `${longestMs / DAY_MS} days`;
  return [{ pointer: '/until', detail: `is more than ${longest} away` }];
}
