// After a start or a reload: firing alerts fire once more, each by a new transition, if their rule became more severe.
// Then pending transitions and open alerts get the targets of the rules in force.
import type { RaisingRule } from '../../core/alerts/alert-evaluation.ts';
import { isHigher } from '../../core/model/delivery.ts';
import type { AlertId, WatchId } from '../../core/model/ids.ts';
import { raise } from '../../core/step.ts';
import type { DispatchContext, Key } from '../../dispatch/model.ts';
import { type ActiveAlert, type GoneTargets, leftBy, reroute } from '../../dispatch/reroute.ts';
import type { RoutingRules } from '../../dispatch/rounds/route-round.ts';
import { type Instant, nextTurn } from '../../lib/clock.ts';
import type { CommitResult, Fence } from '../../store/contract/fence.ts';
import { type DispatchState, type DispatchTools, reportUndeliverable, timeOf } from './state.ts';

/** The most alerts of one page, since nothing else runs while it is written. */
const MOST_REROUTED = 500;

/** Reads, decides and writes all active alerts, page by page. */
export async function rerouteAll(state: DispatchState, tools: DispatchTools, fence: Fence): Promise<void> {
  const { store, clock } = tools;
  // Set first: a reload in between sets it to true again.
  state.hasToReroute = false;
  try {
    const before = await store.goneTargets();
    let [gone, hasMoved]: [GoneTargets, boolean] = [{}, false];
    for (let after: Key | null = ''; after !== null;) {
      const page = await reroutePage(after, before, { state, tools, fence });
      gone = { ...gone, ...page.gone };
      hasMoved ||= page.hasMoved;
      after = page.last;
      await nextTurn();
    }
    const { left, nextAt } = leftBy(gone, clock.now());
    if (left.length > 0 || !isSame(before, gone)) await store.keepGone(gone, left, clock.now(), fence);
    state.rerouteAt = hasMoved ? clock.now() : nextAt;
  } catch (error) {
    state.hasToReroute = true;
    throw error;
  }
}

function isSame(before: GoneTargets, after: GoneTargets): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}

interface ReroutedPage {
  readonly gone: GoneTargets;
  /** The last key of the page, after which the next page starts; null: it was the last page. */
  readonly last: Key | null;
  /** True if a summary moved: what was decided about its events since is rerouted next. */
  readonly hasMoved: boolean;
}

interface Rerouting {
  readonly state: DispatchState;
  readonly tools: DispatchTools;
  readonly fence: Fence;
}

/** If the data changed since it was read, the page is read again. */
async function reroutePage(after: Key, before: GoneTargets, { state, tools, fence }: Rerouting): Promise<ReroutedPage> {
  const { store, ownership, rules } = tools;
  for (;;) {
    const at = await timeOf(state, tools, fence);
    const { alerts, last } = await store.readActive({ after, limit: MOST_REROUTED, at });
    const raised = await raiseSeverities(alerts, at, tools, fence);
    const result = reroute(alerts, rules(), before, at);
    const end = raised === 'kept' ? await store.commitReroute(result, at, fence) : raised;
    if (end === 'superseded') continue;
    if (end === 'fenced') ownership.lost('service:dispatch', fence);
    else reportUndeliverable(result.undeliverable, tools);
    return { gone: result.gone, last, hasMoved: result.informed.length > 0 };
  }
}

type Rules = Pick<RoutingRules, 'ruleOf'> & Pick<DispatchContext, 'presentOf'>;

/**
 * `superseded`: a poll of one of the watches was committed meanwhile, so the caller must read the alerts again. A
 * memory that cannot be read is skipped: its watch is reported as blind.
 */
async function raiseSeverities(
  alerts: readonly ActiveAlert[],
  at: Instant,
  { store, rules }: DispatchTools,
  fence: Fence,
): Promise<CommitResult> {
  const inForce = rules();
  const watches = new Set(alerts.filter((alert) => isRaised(alert, inForce)).map(({ watch }) => watch));
  if (watches.size === 0) return 'kept';
  const memories = await store.recall([...watches], () => undefined);
  const decisions = [...memories].flatMap(
    ([id, memory]) => raise(id, memory, (alert) => ruleOf(id, alert, inForce), at) ?? [],
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
