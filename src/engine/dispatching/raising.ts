// A reload made a rule more severe: its firing alerts are sent once more, by a transition of their own.
import type { RaisingRule } from '../../core/alerts/alert-evaluation.ts';
import { raise } from '../../core/step.ts';
import { isHigher } from '../../core/model/delivery.ts';
import type { AlertId, WatchId } from '../../core/model/ids.ts';
import type { DispatchContext } from '../../dispatch/model.ts';
import type { ActiveAlert, ReroutingRules } from '../../dispatch/reroute.ts';
import type { Instant } from '../../lib/clock.ts';
import type { CommitResult, Fence } from '../../store/contract/fence.ts';
import type { Store } from '../../store/contract/store.ts';

export type RaisingStore = Pick<Store, 'recall' | 'commit'>;

type Rules = Pick<ReroutingRules, 'ruleOf'> & Pick<DispatchContext, 'presentOf'>;

interface Raising {
  readonly store: RaisingStore;
  readonly at: Instant;
  readonly fence: Fence;
}

/**
 * `superseded`: a poll of one of the watches was committed meanwhile, and all is to be read again. A memory that cannot be
 * read is left alone: its watch is reported as blind.
 */
export async function raiseSeverities(
  alerts: readonly ActiveAlert[],
  rules: Rules,
  { store, at, fence }: Raising,
): Promise<CommitResult> {
  const watches = new Set(alerts.filter((alert) => isRaised(alert, rules)).map(({ watch }) => watch));
  if (watches.size === 0) return 'kept';
  const memories = await store.recall([...watches], () => undefined);
  const decisions = [...memories].flatMap(
    ([id, memory]) => raise(id, memory, (alert) => ruleOf(id, alert, rules), at) ?? [],
  );
  const ends = decisions.length === 0 ? [] : await store.commit(decisions, at, fence);
  return ends.find((end) => end !== 'kept') ?? 'kept';
}

/** It was routed as less severe. The memory of its watch decides whether it was ever sent as severe. */
function isRaised({ watch, alert, severity }: ActiveAlert, { ruleOf: ruleIn }: Rules): boolean {
  const rule = ruleIn(watch, alert);
  return rule?.type === 'rule' && isHigher(rule.severity, severity);
}

function ruleOf(watch: WatchId, alert: AlertId, { ruleOf: ruleIn, presentOf }: Rules): RaisingRule | null {
  const rule = ruleIn(watch, alert);
  if (rule?.type !== 'rule') return null;
  const { severity, labels, channels: notify } = rule;
  return { severity, labels, notify, presentOf: (key) => presentOf({ watch, key }) };
}
