// Connects the daily report to its sources.
import type { Ownership } from '../cluster/ownership.ts';
import { plansOf } from '../core/model/quality/health-summary.ts';
import type { Watch } from '../core/model/watch/watch.ts';
import { showMatcher } from '../dispatch/policy/matcher-text.ts';
import { showTime } from '../core/wording/words.ts';
import type { Moment } from '../lib/time-zone.ts';
import { causesOf } from '../core/model/quality/blind-cause.ts';
import type { WatchReadings } from '../engine/polling/state.ts';
import type { DaemonHealth } from '../engine/reporting/daemon-health.ts';
import { counted } from '../engine/self/cause.ts';
import { runDailyReport } from '../engine/self/daily-report.ts';
import { type Standing, type Unread } from '../engine/self/report-text.ts';
import type { Clock } from '../lib/clock.ts';
import type { Store } from '../store/contract/store.ts';
import type { Log } from '../telemetry/log.ts';
import type { Parts } from './parts.ts';

export interface DailyReportParts extends Pick<Parts, 'inForce' | 'poller' | 'work' | 'wake'> {
  readonly health: () => Pick<DaemonHealth, 'watches' | 'blind' | 'explorers'>;
  readonly store: Store;
  readonly ownership: Pick<Ownership, 'fenceOf' | 'isShared'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Runs until the signal aborts. */
export async function reportDaily(
  { inForce, poller, work, wake, store, ownership, health, clock, log }: DailyReportParts,
  signal: AbortSignal,
): Promise<void> {
  const { digest, timeZone } = inForce;
  await runDailyReport(
    {
      store,
      ownership,
      settings: digest,
      timeZone,
      work: work.now,
      blind: () => causesOf(health().blind).map(({ watches, ...cause }) => ({ ...cause, watches: watches.length })),
      // Plans that only other replicas use are left out: this process does not have their state.
      plans: () => plansOf(health().explorers.filter(({ polled }) => polled > 0)),
      async standing(): Promise<Standing> {
        const now = clock.now();
        const { watches, blind, explorers: all } = health();
        const elsewhere = ownership.isShared ? all.filter(({ polled }) => polled === 0).map(({ name }) => name) : [];
        const explorers = Map.groupBy(watches, ({ target }) => target.explorer);
        const { owed } = await store.backlog(now);
        return {
          watches: new Map([...explorers].map(([explorer, { length }]) => [explorer, length])),
          elsewhere: new Set(elsewhere),
          blind: blind.length,
          zone: timeZone(),
          unread: watches.flatMap((watch) => unreadOf(watch, poller.readings)),
          owed,
          held: await heldBy(store, { now, zone: timeZone() }),
          anchor: await store.journalHead(),
        };
      },
      onTransitions: wake.transitions,
      clock,
      log,
    },
    signal,
  );
}

function unreadOf({ id, name, kind }: Watch, { memoryOf }: Pick<WatchReadings, 'memoryOf'>): Unread[] {
  const state = kind.state.safeParse(memoryOf(id)?.state ?? null);
  if (!state.success || kind.coverage === undefined) return [];
  return kind.coverage(state.data).unread.map(({ heights, reason }) => ({ watch: name, heights, reason }));
}

/** The waiting messages, and the silences, pauses and acknowledgements in force. */
async function heldBy(store: Store, moment: Moment): Promise<string[]> {
  const { now } = moment;
  const { silences, acks } = await store.policy(now);
  const inForce = silences.filter(({ from, until }) => from <= now && until > now);
  const messages = [...(await store.held())].map(([why, count]) => `${counted(count, 'message')} (${why})`);
  return [
    ...messages,
    ...inForce.map(
      ({ kind, matchers, until, actor }) =>
        `${kind === 'pause' ? 'paused' : 'silenced'} ${showMatcher(matchers)} until ${showTime(until, moment)} by ${actor}`,
    ),
    ...(acks.length === 0 ? [] : [`acknowledged alerts: ${acks.length}`]),
  ];
}
