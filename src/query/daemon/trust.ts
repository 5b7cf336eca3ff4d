// What the verdict rests on: how fresh the data is, and whether messages go out.
import type { Watch } from '../../core/model/watch/watch.ts';
import { causesOf, type BlindWatch } from '../../core/model/quality/blind-cause.ts';
import { showInstant, type Instant } from '../../lib/clock.ts';
import type { OutboxDepth } from '../../store/contract/deliveries.ts';
import { clusterOf } from './cluster.ts';
import { forecasts } from './forecast.ts';
import { headsOf } from './heads.ts';
import type { BlindCauseShape, ChannelDebt, Trust } from '../shapes/overview.ts';
import { answerOf } from '../alerts/recipients.ts';
import type { RuntimeView, QueryContext } from '../view.ts';
import { countUnhealthy, type WatchFacts } from '../watches/watch-facts.ts';

/** What was given up before counts no more. */
export const GIVEN_UP_MS = 7 * 86_400_000;

export interface Trusted {
  readonly watches: readonly WatchFacts[];
  readonly blind: readonly BlindWatch[];
}

export async function trust({ store, runtime, now }: QueryContext, { watches, blind }: Trusted): Promise<Trust> {
  const { owed, dead } = await store.backlog(now - GIVEN_UP_MS);
  return {
    heads: headsOf(runtime, blind, now),
    blind: causesIn(blind),
    overdue: causesIn(runtime.blindness.overdue()),
    watches: watches.length,
    oldest: oldestOf(watches, now),
    unhealthy: countUnhealthy(watches, blind),
    owed: await debtsOf(store, owed),
    given_up: dead.reduce((sum, { rows }) => sum + rows, 0),
    credits: forecasts(runtime, now),
    not_judged: runtime.notJudged(),
    troubles: [...runtime.troubles()],
    storage: runtime.storage(),
    rejected: rejectedOf(runtime),
    cluster: clusterOf(runtime),
  };
}

function rejectedOf(runtime: RuntimeView): Trust['rejected'] {
  const rejected = runtime.rejected();
  if (rejected === null) return null;
  const [first] = rejected.problems;
  const place = first === undefined ? null : `${first.file}:${first.line}`;
  return { since: showInstant(rejected.since), place, why: first?.message ?? rejected.why };
}

const MOST_NAMED = 10;

function causesIn(blind: readonly BlindWatch[]): BlindCauseShape[] {
  return causesOf(blind).map(({ explorer, reason, since, watches, fields }) => ({
    cause: reason,
    explorer,
    since: showInstant(since),
    watches: watches.length,
    rules: new Set(watches.map(({ rule }) => rule)).size,
    names: watches.slice(0, MOST_NAMED).map(({ name }) => name),
    fields: [...fields],
  }));
}

function oldestOf(facts: readonly WatchFacts[], now: Instant): Trust['oldest'] {
  let oldest: { watch: Watch; until: Instant; share: number } | null = null;
  for (const { watch, memory } of facts) {
    const until = memory?.coveredUntil ?? null;
    if (until === null) continue;
    const share = (now - until) / watch.schedule.intervalMs;
    if (oldest === null || share > oldest.share) oldest = { watch, until, share };
  }
  if (oldest === null) return null;
  const { watch, until } = oldest;
  return { watch: watch.name, age_ms: Math.max(0, now - until), interval_ms: watch.schedule.intervalMs };
}

export function debtsOf(store: QueryContext['store'], owed: readonly OutboxDepth[]): Promise<ChannelDebt[]> {
  return Promise.all(owed.map((depth) => debtOf(store, depth)));
}

async function debtOf(store: QueryContext['store'], { channel, rows, oldest }: OutboxDepth): Promise<ChannelDebt> {
  const last = await store.lastTried(channel);
  const [line] = last === null ? [] : await store.history({ subjects: [last.id], limit: 1 });
  return {
    channel,
    rows,
    since: showInstant(oldest),
    last_try: line === undefined ? null : showInstant(line.at),
    last_answer: last && answerOf(last),
  };
}
