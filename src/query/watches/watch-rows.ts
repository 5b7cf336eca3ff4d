// The rows of watches in lists.
import { paceIn, type ConditionAlert, type Watch } from '../../core/model/watch/watch.ts';
import { showInstant } from '../../lib/clock.ts';
import type { BarsOf } from '../values/bars.ts';
import { sharedLabels } from '../labels.ts';
import { isBeyond, limitOf, measureOf, plainMeasureOf, readingOf, relativeDistance } from '../values/measure.ts';
import type { MeasureShape } from '../shapes/common.ts';
import type { WatchRow } from '../shapes/watches.ts';
import { timeOf } from '../times.ts';
import { isOutOfDate } from '../values/readings.ts';
import type { QueryContext } from '../view.ts';
import type { WatchFacts } from './watch-facts.ts';
import { nextFiring } from '../overview/pending.ts';
import type { WatchStates } from './watch-states.ts';

export interface RowParts {
  readonly states: WatchStates;
  readonly barsOf: BarsOf;
}

export function watchRow(view: QueryContext, facts: WatchFacts, { states, barsOf }: RowParts): WatchRow {
  const { watch, memory } = facts;
  const { state, severity, since } = states.of(facts);
  const blind = states.blindOf(watch.id);
  const measure = measureOfWatch(view, facts, blind !== null);
  return {
    name: watch.name,
    rule: watch.rule,
    labels: { ...sharedLabels(watch) },
    kind: watch.kind.name,
    explorer: watch.target.explorer,
    state,
    severity,
    since: timeOf(since),
    fires_at: timeOf(nextFiring(facts)),
    blind: blind && { cause: blind.reason, since: showInstant(blind.since), fields: [...blind.fields] },
    is_healthy: blind !== null || facts.unhealthy.length === 0,
    measure,
    needs: needsOf(watch, measure),
    as_of: timeOf(memory?.coveredUntil ?? null),
    interval_ms: watch.schedule.intervalMs,
    effective_ms: Math.round(paceIn(memory, watch)),
    bars: barsOf(watch.id),
  };
}

/** The measure of the alert that is closest to firing or beyond its limit; else the kind's measure. */
export function measureOfWatch(
  view: QueryContext,
  { watch, memory }: WatchFacts,
  isBlind: boolean,
): MeasureShape | null {
  const goodAt = memory?.coveredUntil ?? null;
  const isOld = isBlind || isOutOfDate(view, watch, goodAt);
  const reading = readingOf(view.runtime.readings.figuresOf(watch.id), { isOld, goodAt });
  // Values of windows are computed only for a single alert. Lists show the value of the field itself.
  const plain = conditionsOf(watch).filter((alert) => limitOf(alert.while)?.subject.type === 'field');
  const all = plain.flatMap((alert) => measureOf(watch, alert, reading) ?? []);
  const [closest] = all.toSorted((a, b) => nearness(a) - nearness(b));
  return closest ?? plainMeasureOf(watch, reading);
}

function conditionsOf({ alerts }: Watch): ConditionAlert[] {
  return alerts.filter((alert) => alert.type === 'condition');
}

/** A smaller number is closer to firing; below zero, the value is beyond its limit. */
function nearness(measure: MeasureShape): number {
  const distance = relativeDistance(measure);
  if (distance === null) return Infinity;
  return isBeyond(measure) ? -distance : distance;
}

/** `balance has to fall by more than 12.36 ETH, below 0.05`; null if unknown. */
function needsOf(watch: Watch, measure: MeasureShape | null): string | null {
  if (watch.alerts.every(({ type }) => type === 'event')) return 'an event';
  if (measure === null || measure.distance === null || measure.fires === null || isBeyond(measure)) return null;
  const { field, distance, unit, limit, fires } = measure;
  const by = unit === '' ? distance : `${distance} ${unit}`;
  return `${field} has to ${fires === 'below' ? 'fall' : 'rise'} by more than ${by}, ${fires} ${limit ?? ''}`;
}
