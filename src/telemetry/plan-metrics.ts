// Credits of each plan: their use up to now, and the planned use.
import type { CreditPlanState } from '../core/model/quality/health-summary.ts';
import { SEVERITIES } from '../core/model/ids.ts';
import { SPEND_CLASSES, type SpendClass } from '../core/spending/spend.ts';
import type { MetricRegistry } from './metric-registry.ts';

/** The present state of a plan, and the counts since the start. */
export interface PlanReading {
  readonly state: CreditPlanState;
  readonly counts: {
    readonly spent: Readonly<Record<SpendClass, number>>;
    readonly foreign: number;
    readonly postponed: Readonly<Record<'warning' | 'info', number>>;
  };
}

export interface PlanMetrics {
  /**
   * Sets the function that is called on each scrape; it replaces an earlier one. Unknown values of a plan are absent.
   */
  mirrorPlans(read: () => readonly PlanReading[]): void;
}

/** Each series has only the first explorer of its plan as label, so that a sum over explorers counts each plan once. */
export function createPlanMetrics(registry: MetricRegistry): PlanMetrics {
  let read: () => readonly PlanReading[] = () => [];

  type Value = number | null;
  const each = (valueOf: (reading: PlanReading) => Value) => (): (readonly [{ explorer: string }, number])[] =>
    read().flatMap((reading) => {
      const value = valueOf(reading);
      return value === null ? [] : [[{ explorer: nameOf(reading) }, value] as const];
    });

  registry.mirror(
    'chainwarden_explorer_credits_at_reset',
    each(({ state }) => state.atReset),
  );
  registry.mirror(
    'chainwarden_explorer_credits_planned_per_day',
    each(({ state }) => state.plannedPerDay),
  );
  registry.mirror(
    'chainwarden_explorer_credits_reset_timestamp_seconds',
    each(({ state }) => state.resetsAt / 1000),
  );
  registry.mirror(
    'chainwarden_explorer_credits_foreign_total',
    each(({ counts }) => counts.foreign),
  );
  registry.mirror('chainwarden_explorer_credits_spent_total', () =>
    read().flatMap((reading) =>
      SPEND_CLASSES.map((name) => [{ explorer: nameOf(reading), class: name }, reading.counts.spent[name]] as const),
    ),
  );
  registry.mirror('chainwarden_explorer_stretch', () =>
    read().flatMap((reading) =>
      SEVERITIES.map((severity) => [{ explorer: nameOf(reading), severity }, reading.state.stretch[severity]] as const),
    ),
  );
  registry.mirror('chainwarden_explorer_postponed_total', () =>
    read().flatMap((reading) =>
      (['warning', 'info'] as const).map(
        (severity) => [{ explorer: nameOf(reading), severity }, reading.counts.postponed[severity]] as const,
      ),
    ),
  );
  return {
    mirrorPlans(next) {
      read = next;
    },
  };
}

function nameOf({ state }: PlanReading): string {
  return state.explorers[0] ?? '';
}
