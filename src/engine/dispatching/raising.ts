// If a reload made a rule more severe, its firing alerts are sent once more, each by a new transition.
import type { RaisingRule } from '../../core/alerts/alert-evaluation.ts';
import { raise } from '../../core/step.ts';
import { isHigher } from '../../core/model/delivery.ts';
import type { AlertId, WatchId } from '../../core/model/ids.ts';
import type { DispatchContext } from '../../dispatch/model.ts';
import type { ActiveAlert } from '../../dispatch/reroute.ts';
import type { RoutingRules } from '../../dispatch/rounds/route-round.ts';
import type { Instant } from '../../lib/clock.ts';
import type { CommitResult, Fence } from '../../store/contract/fence.ts';
import type { Store } from '../../store/contract/store.ts';

export type RaisingStore = Pick<Store, 'recall' | 'commit'>;

type Rules = Pick<RoutingRules, 'ruleOf'> & Pick<DispatchContext, 'presentOf'>;

interface Raising {
  readonly store: RaisingStore;
  readonly at: Instant;
  readonly fence: Fence;
}

/**
 * `superseded`: a poll of one of the watches was committed meanwhile, so the caller must read the alerts again. A
 * memory that cannot be read is skipped: its watch is reported as blind.
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

/**
 * True if the alert was routed with a lower severity. Whether it has fired with the present one is checked in the
 * memory of its watch.
 */
function isRaised({ watch, alert, labels, severity }: ActiveAlert, { ruleOf: ruleIn }: Rules): boolean {
  const rule = ruleIn(watch, alert, labels);
  return rule?.type === 'rule' && isHigher(rule.severity, severity);
}

/**
 * The rule of a condition. Only conditions are raised, and no condition has the label `claim`, so no labels are passed.
 */
function ruleOf(watch: WatchId, alert: AlertId, { ruleOf: ruleIn, presentOf }: Rules): RaisingRule | null {
  const rule = ruleIn(watch, alert, {});
  if (rule?.type !== 'rule') return null;
  const { severity, labels, channels: notify } = rule;
  return { severity, labels, notify, presentOf: (key) => presentOf({ watch, key }) };
}
