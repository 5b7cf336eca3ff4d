// Explorers: the age of their data, their answers, and the cost of their requests.
import { stretchWords } from '../../core/spending/plan-words.ts';
import { watchesIn, type RequestPace } from '../../core/model/quality/health-summary.ts';
import { lastPauseOf } from '../../core/model/watch/pause.ts';
import { costsByRule, type RuleCost } from '../../rules/costs.ts';
import { forecasts, pricesIn } from './forecast.ts';
import type { CostRow, ExplorerRow, ExplorerList } from '../shapes/daemon.ts';
import type { Forecast } from '../shapes/overview.ts';
import { headsOf } from './heads.ts';
import type { ExplorerState, QueryContext } from '../view.ts';

export async function explorers(view: QueryContext): Promise<ExplorerList> {
  const { runtime, store, now } = view;
  const pauses = (await store.pauses()).filter(({ until }) => until > now);
  const asking = runtime.watches().filter((watch) => lastPauseOf(pauses, watch) === null);
  const costs = costsByRule(asking, pricesIn(runtime.health()));
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
  const paced = new Map(health.explorers.map(({ name, paced: pace }) => [name, pace]));
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
      paced: pacedRow(paced.get(name) ?? null),
      trouble: health.troubles.find(({ explorer }) => explorer === name)?.text ?? null,
      replica: runtime.replicaOf(name),
    };
  });
}

function pacedRow(paced: RequestPace | null): ExplorerRow['paced'] {
  if (paced === null) return null;
  const { perSecond, wantedPerSecond, stretch } = paced;
  return {
    requests_per_second: perSecond,
    wanted_per_second: Math.round(wantedPerSecond * 100) / 100,
    intervals: stretchWords(stretch),
  };
}

/**
 * The factor of the cheaper interval that is suggested. An interval that is 1.5 times as long saves a third of the
 * requests.
 */
const LONGER = 1.5;

function costRow(cost: RuleCost, all: readonly RuleCost[]): CostRow {
  const { explorer, rule, request, intervalMs, watches, requests, credits, sharedWith } = cost;
  const ofExplorer = all.filter((one) => one.explorer === explorer);
  const whole = ofExplorer.reduce((sum, one) => sum + one.credits, 0);
  return {
    explorer,
    rule,
    request,
    interval_ms: intervalMs,
    watches,
    requests_per_day: requests,
    credits_per_day: credits,
    share: whole === 0 ? null : credits / whole,
    shared_with: [...sharedWith],
    cheaper: credits === 0 ? null : { interval_ms: intervalMs * LONGER, saves: Math.round(credits * (1 - 1 / LONGER)) },
  };
}
