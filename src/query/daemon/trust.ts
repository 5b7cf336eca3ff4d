// What the verdict rests on: how fresh the data is, and whether messages go out.
import { healthOf, type HealthByAlert } from '../../core/model/health.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import { causesOf } from '../../core/model/quality/blind-cause.ts';
import { showInstant, type Instant } from '../../lib/clock.ts';
import type { OutboxDepth } from '../../store/outbox.ts';
import { forecasts } from './forecast.ts';
import type { BlindCause, ChannelDebt, HeadAge, Trust } from '../shapes/overview.ts';
import { answerOf } from '../alerts/recipients.ts';
import type { RuntimeView, View } from '../view.ts';

const GIVEN_UP_MS = 7 * 86_400_000;

export async function trust({ store, runtime, now }: View): Promise<Trust> {
  const { owed, dead } = await store.backlog(now - GIVEN_UP_MS);
  return {
    heads: headsOf(runtime, now),
    blind: blindOf(runtime),
    watches: runtime.watches().length,
    oldest: oldestOf(runtime, now),
    unhealthy: unhealthyOf(runtime, now),
    owed: await debtsOf(store, owed),
    given_up: dead.reduce((sum, { rows }) => sum + rows, 0),
    credits: forecasts(runtime, now),
    troubles: [...runtime.troubles()],
    storage: runtime.storage(),
  };
}

/** The oldest first; those of which nothing is known before all others. */
export function headsOf(runtime: RuntimeView, now: Instant): HeadAge[] {
  const heads = (runtime.explorers() ?? []).map(({ name, head }): HeadAge => {
    const height = head === null ? null : String(head.height);
    const age_ms = head === null ? null : Math.max(0, now - head.at);
    return { explorer: name, height, at: head && showInstant(head.at), age_ms, is_stalled: head?.isStalled ?? false };
  });
  return heads.toSorted((a, b) => (b.age_ms ?? Infinity) - (a.age_ms ?? Infinity));
}

const MOST_NAMED = 10;

function blindOf(runtime: RuntimeView): BlindCause[] {
  return causesOf(runtime.blind()).map(({ explorer, reason, since, watches, fields }) => ({
    cause: reason,
    explorer,
    since: showInstant(since),
    watches: watches.length,
    rules: new Set(watches.map(({ rule }) => rule)).size,
    names: watches.slice(0, MOST_NAMED).map(({ name }) => name),
    fields: [...fields],
  }));
}

function oldestOf(runtime: RuntimeView, now: Instant): Trust['oldest'] {
  let oldest: { watch: Watch; until: Instant; share: number } | null = null;
  for (const watch of runtime.watches()) {
    const until = runtime.memoryOf(watch.id)?.coveredUntil ?? null;
    if (until === null) continue;
    const share = (now - until) / watch.schedule.intervalMs;
    if (oldest === null || share > oldest.share) oldest = { watch, until, share };
  }
  if (oldest === null) return null;
  const { watch, until } = oldest;
  return { watch: watch.name, age_ms: Math.max(0, now - until), interval_ms: watch.schedule.intervalMs };
}

function unhealthyOf(runtime: RuntimeView, now: Instant): number {
  return runtime.watches().reduce((sum, watch) => sum + unhealthyAlerts(runtime, watch, now).length, 0);
}

interface KnownHealth {
  readonly minute: number;
  readonly alerts: readonly string[];
}

// Ten thousand watches are asked at every look, and what they say changes with their polls and with the days.
const known = new WeakMap<HealthByAlert, KnownHealth>();
const MINUTE_MS = 60_000;

/** The ids of alerts of the watch that are always true, or unknown for too long, to within a minute. */
export function unhealthyAlerts(runtime: RuntimeView, { id, schedule }: Watch, now: Instant): readonly string[] {
  const records = runtime.healthOf(id);
  const before = known.get(records);
  const minute = Math.floor(now / MINUTE_MS);
  if (before?.minute === minute) return before.alerts;
  const alerts = unhealthyIn(records, schedule.intervalMs, now);
  known.set(records, { minute, alerts });
  return alerts;
}

function unhealthyIn(records: HealthByAlert, intervalMs: number, now: Instant): string[] {
  const unhealthy: string[] = [];
  // Of ten thousand watches nearly all are well: no list of pairs is made.
  for (const alert in records) {
    const record = records[alert];
    const health = record === undefined ? 'ok' : healthOf(record, now, intervalMs);
    if (health === 'always-true' || health === 'unknown-too-long') unhealthy.push(alert);
  }
  return unhealthy;
}

export function debtsOf(store: View['store'], owed: readonly OutboxDepth[]): Promise<ChannelDebt[]> {
  return Promise.all(owed.map((depth) => debtOf(store, depth)));
}

async function debtOf(store: View['store'], { channel, rows, oldest }: OutboxDepth): Promise<ChannelDebt> {
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
