// Explorers: how fresh they are, how they answer, and what their requests cost.
import { watchesIn } from '../../core/model/quality/health-summary.ts';
import { costsByRule, type RuleCost } from '../../rules/costs.ts';
import { forecasts } from './forecast.ts';
import type { CostRow, ExplorerRow, ExplorerList } from '../shapes/daemon.ts';
import type { Forecast } from '../shapes/overview.ts';
import { headsOf } from './heads.ts';
import type { ExplorerState, QueryContext } from '../view.ts';

export async function explorers(view: QueryContext): Promise<ExplorerList> {
  const costs = costsByRule(view.runtime.watches());
  return { explorers: rowsOf(view), costs: costs.map((cost) => costRow(cost, costs)) };
}

function rowsOf({ runtime, now }: QueryContext): ExplorerRow[] {
  const health = runtime.health();
  const heads = new Map(headsOf(health, now).map((head) => [head.explorer, head]));
  const plans = new Map(
    forecasts(runtime)
      .flatMap((forecast) => forecast ?? [])
      .flatMap((forecast) => forecast.explorers.map((name): [string, Forecast] => [name, forecast])),
  );
  const states = new Map((runtime.explorers() ?? []).map((state): [string, ExplorerState] => [state.name, state]));
  const blind = Map.groupBy(health.blind, ({ explorer }) => explorer);
  const watches = Map.groupBy(runtime.watches(), ({ target }) => target.explorer);
  return [...runtime.config().explorers.keys()].map((name) => {
    const state = states.get(name) ?? null;
    const head = heads.get(name) ?? null;
    return {
      name,
      head,
      answers: state === null ? null : state.answers.map(({ outcome, count }) => ({ outcome, count })),
      p99_ms: state?.p99Ms ?? null,
      rate: state?.rate ?? null,
      watches: watches.get(name)?.length ?? 0,
      blind: watchesIn(blind.get(name) ?? []),
      credits: plans.get(name) ?? null,
      trouble: health.troubles.find(({ explorer }) => explorer === name)?.text ?? null,
      replica: runtime.replicaOf(name),
    };
  });
}

/** An interval that is half as long again needs a third fewer requests. */
const LONGER = 1.5;

function costRow(cost: RuleCost, all: readonly RuleCost[]): CostRow {
  const { explorer, rule, request, intervalMs, watches, requestsPerDay, creditsPerDay, sharedWith } = cost;
  const ofExplorer = all.filter((one) => one.explorer === explorer);
  const credits = ofExplorer.reduce((sum, one) => sum + one.creditsPerDay, 0);
  return {
    explorer,
    rule,
    request,
    interval_ms: intervalMs,
    watches,
    requests_per_day: requestsPerDay,
    credits_per_day: creditsPerDay,
    share: credits === 0 ? null : creditsPerDay / credits,
    shared_with: [...sharedWith],
    cheaper:
      creditsPerDay === 0
        ? null
        : { interval_ms: intervalMs * LONGER, saves: Math.round(creditsPerDay * (1 - 1 / LONGER)) },
  };
}
