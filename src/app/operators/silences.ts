// Silences, as operators ask for them.
import { quote } from '../../config/values/scalars.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import type { Matcher, Silence } from '../../dispatch/model.ts';
import { isSilencedBy, namesSelf } from '../../dispatch/policy/silenced.ts';
import { selfLabels } from '../../engine/self/self-watch.ts';
import { showInstant } from '../../lib/clock.ts';
import { isWide, reachOf, type Silenceable } from '../../query/silences/reach.ts';
import type { OperatorChange } from '../../store/contract/operators.ts';
import type { Interventions, Result, SilenceAnswer, SilenceDraft } from '../../web/api/operation.ts';
import type { RequestMistake } from '../../web/problem.ts';
import { untilMistakes, type Checked, type Once, type OnceOptions } from './once.ts';

export interface SilenceCallsOptions extends OnceOptions {
  readonly watches: () => readonly Watch[];
}

type Calls = Pick<Interventions, 'silence' | 'extendSilence' | 'endSilence'>;

const DAY_MS = 86_400_000;
const LONGEST_MS = 30 * DAY_MS;
/** What the daemon tells of itself is not to be missed for long. */
const LONGEST_OF_SELF_MS = DAY_MS;

export function createSilenceCalls(once: Once, options: SilenceCallsOptions): Calls {
  const { store, clock, log, watches } = options;

  async function check(draft: SilenceDraft): Promise<Checked> {
    const now = clock.now();
    const reach = reachOf(draft.matchers, silenceable(watches()));
    const mistakes = ['rules' in reach ? [] : reach, timeMistakes(draft, now)].flat();
    if (mistakes.length > 0 || !('rules' in reach)) return { mistakes };
    if (isWide(reach) && !draft.confirm)
      return {
        refusal: 'confirm-needed',
        detail: `It is about ${reach.rules} of ${reach.ofRules} rules. Send "confirm": true where that is meant.`,
      };
    if (draft.untilResolved && !(await fires(draft.matchers)))
      return { mistakes: [{ pointer: '/until_resolved', detail: 'nothing that matches fires now' }] };
    const { matchers, until, untilResolved, comment } = draft;
    const from = Math.max(draft.from ?? now, now);
    return { change: { type: 'silence', matchers, from, until, untilResolved, comment } };
  }

  async function fires(matchers: Matcher): Promise<boolean> {
    const open = await store.openAlerts({ at: clock.now() });
    return open.some(({ isEvent, labels }) => !isEvent && isSilencedBy(matchers, labels));
  }

  async function checkLonger(id: string, until: number): Promise<Checked> {
    const now = clock.now();
    const found = (await store.policy(now)).silences.find((one) => one.id === id);
    const mistakes = found === undefined ? [] : timeMistakes({ from: null, until, matchers: found.matchers }, now);
    if (found !== undefined && until <= found.until)
      mistakes.push({ pointer: '/until', detail: `is not later than its end, ${showInstant(found.until)}` });
    return mistakes.length > 0 ? { mistakes } : { change: { type: 'extend-silence', id, until } };
  }

  const missing = (id: string): string => `There is no silence ${quote(id)}: \`chainwarden silence list\` shows them.`;

  return {
    silence: (draft, operation) =>
      once(operation, {
        changes: 'silence',
        check: () => check(draft),
        missing: '',
        act({ silence: { id, until, actor, comment } }) {
          log.info('silence:begun', { silence: id, until: showInstant(until), by: actor, comment });
        },
      }).then(silenceOf),
    extendSilence: (id, until, operation) =>
      once(operation, {
        changes: 'silence',
        check: () => checkLonger(id, until),
        missing: missing(id),
        act() {
          log.info('silence:extended', { silence: id, until: showInstant(until), by: operation.actor });
        },
      }).then(silenceOf),
    endSilence: (id, operation) =>
      once(operation, {
        changes: 'silence',
        check: () => ({ change: { type: 'end-silence', id } }),
        missing: missing(id),
        act() {
          log.info('silence:ended', { silence: id, by: operation.actor });
        },
      }).then(silenceOf),
  };
}

function silenceable(watches: readonly Watch[]): Silenceable {
  return { watches, selfLabels: selfLabels(new Set(watches.map(({ target }) => target.explorer))) };
}

function timeMistakes(
  { from, until, matchers }: Pick<SilenceDraft, 'from' | 'until' | 'matchers'>,
  now: number,
): RequestMistake[] {
  const longestMs = namesSelf(matchers) ? LONGEST_OF_SELF_MS : LONGEST_MS;
  const mistakes = untilMistakes(until, { now, longestMs });
  if (from !== null && from >= until) mistakes.push({ pointer: '/from', detail: 'is not before until' });
  return mistakes;
}

function silenceOf(result: Result<Extract<OperatorChange, { type: 'silence' }>>): Result<SilenceAnswer> {
  return result.type === 'refused' ? result : { type: 'done', value: result.value.silence satisfies Silence };
}
