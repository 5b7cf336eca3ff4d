// The reasons for the verdict: how old the data is, and whether messages are sent.
import { paceIn, type Watch } from '../../core/model/watch/watch.ts';
import type { BlindGroup, HealthSummary } from '../../core/model/quality/health-summary.ts';
import { showInstant, type Instant } from '../../lib/clock.ts';
import type { OwedDepth } from '../../store/contract/deliveries.ts';
import { clusterOf } from './cluster.ts';
import { forecasts } from './forecast.ts';
import { headsOf } from './heads.ts';
import type { BlindCauseShape, ChannelDebt, Trust } from '../shapes/overview.ts';
import { answerOf } from '../alerts/recipients.ts';
import type { QueryContext } from '../view.ts';
import { countUnhealthy, type WatchFacts } from '../watches/watch-facts.ts';

/** Only deliveries that were given up within this time count. */
export const GIVEN_UP_MS = 7 * 86_400_000;

export async function trust({ store, runtime, now }: QueryContext, watches: readonly WatchFacts[]): Promise<Trust> {
  const health = runtime.health();
  const { owed, dead } = await store.backlog(now - GIVEN_UP_MS);
  const { rejected } = health;
  return {
    heads: headsOf(health, now),
    blind: health.blind.map(causeIn),
    overdue: health.overdue.map(causeIn),
    watches: watches.length,
    oldest: oldestOf(watches, now),
    unhealthy: countUnhealthy(watches, runtime.blind()),
    owed: await debtsOf(store, owed),
    given_up: dead.reduce((sum, { rows }) => sum + rows, 0),
    credits: forecasts(runtime),
    not_judged: health.notJudged,
    troubles: health.troubles.map(({ explorer, text }) => `${explorer}: ${text}`),
    storage: storageOf(health),
    rejected: rejected && { since: showInstant(rejected.since), place: rejected.place, why: rejected.why },
    cluster: clusterOf(runtime),
  };
}

/** Null: no daemon runs, so nothing is reported about the storage. */
export function storageOf({ startedAt, storage }: HealthSummary): HealthSummary['storage'] | null {
  return startedAt === null ? null : storage;
}

function causeIn({ reason, since, ...group }: BlindGroup): BlindCauseShape {
  return { cause: reason, since: showInstant(since), ...group };
}

function oldestOf(facts: readonly WatchFacts[], now: Instant): Trust['oldest'] {
  let oldest: { watch: Watch; until: Instant; paceMs: number; share: number } | null = null;
  for (const { watch, memory } of facts) {
    const until = memory?.coveredUntil ?? null;
    if (until === null) continue;
    const paceMs = paceIn(memory, watch);
    const share = (now - until) / paceMs;
    if (oldest === null || share > oldest.share) oldest = { watch, until, paceMs, share };
  }
  if (oldest === null) return null;
  const { watch, until, paceMs } = oldest;
  return {
    watch: watch.name,
    at: showInstant(until),
    age_ms: Math.max(0, now - until),
    interval_ms: Math.round(paceMs),
  };
}

export function debtsOf(store: QueryContext['store'], owed: readonly OwedDepth[]): Promise<ChannelDebt[]> {
  return Promise.all(owed.map((depth) => debtOf(store, depth)));
}

async function debtOf(
  store: QueryContext['store'],
  { channel, rows, oldest, triedOften }: OwedDepth,
): Promise<ChannelDebt> {
  const last = await store.lastTried(channel);
  const [line] = last === null ? [] : await store.history({ subjects: [last.id], limit: 1 });
  return {
    channel,
    rows,
    since: showInstant(oldest),
    tried_often: triedOften,
    last_try: line === undefined ? null : showInstant(line.at),
    last_answer: last && answerOf(last),
  };
}
