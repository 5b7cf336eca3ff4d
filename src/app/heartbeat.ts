// Connects the heartbeat to its sources and its sender.
import type { Ownership } from '../cluster/ownership.ts';
import type { HeartbeatSettings } from '../config/model.ts';
import type { DaemonHealth } from '../engine/reporting/daemon-health.ts';
import type { Scheduler } from '../engine/scheduling/scheduler.ts';
import { runFailBeat, runHeartbeat, type HeartbeatOptions } from '../engine/self/heartbeat.ts';
import { undeliverableSince } from '../engine/self/undeliverable.ts';
import type { Clock } from '../lib/clock.ts';
import { watchLoopDelay } from '../lib/loop-delay.ts';
import { createPoster, TOTAL_MS } from '../notifiers/wire/post-json.ts';
import { secretsOf } from '../notifiers/wire/egress.ts';
import type { Store } from '../store/contract/store.ts';
import type { DaemonMetrics } from '../telemetry/daemon-metrics.ts';
import type { Log } from '../telemetry/log.ts';
import type { InForce } from './in-force.ts';
import type { DaemonNotes } from './health.ts';

export interface HeartbeatParts {
  readonly inForce: Pick<InForce, 'heartbeat' | 'self'>;
  readonly scheduler: Pick<Scheduler, 'turns' | 'turn'>;
  readonly health: () => Pick<DaemonHealth, 'channels' | 'startedAt'>;
  readonly store: Pick<Store, 'probe' | 'backlog' | 'journalHead'>;
  readonly ownership: Pick<Ownership, 'allHeld'>;
  readonly metrics: Pick<DaemonMetrics, 'beat'>;
  readonly notes: Pick<DaemonNotes, 'heartbeatAt'>;
  readonly version: string;
  /** True for a dry run, which sends no heartbeats. */
  readonly isDry: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

export interface OutvotedParts extends Pick<HeartbeatParts, 'metrics' | 'version' | 'isDry' | 'clock' | 'log'> {
  readonly inForce: Pick<InForce, 'heartbeat'>;
  readonly ownership: Pick<Ownership, 'view'>;
}

/** Runs until the signal aborts. */
export async function failWhileOutvoted(options: OutvotedParts, signal: AbortSignal): Promise<void> {
  const { ownership, clock } = options;
  const why = (): string | null => {
    const self = ownership.view().replicas.find(({ isSelf }) => isSelf);
    if (self === undefined || self.outvotedSince === null) return null;
    return `${self.name} does nothing: ${self.counts ? OUTVOTED : NOT_COUNTED}`;
  };
  await runFailBeat({ ...postingOf(options), why, clock }, signal);
}

const OUTVOTED = 'most replicas run another config';
const NOT_COUNTED = 'its config names no watch that the database remembers';

/** Runs until the signal aborts. */
export async function beatUntil(options: HeartbeatParts, signal: AbortSignal): Promise<void> {
  const { inForce, scheduler, notes, store, ownership, health, clock, log } = options;
  const posting = postingOf(options);
  using delay = watchLoopDelay();
  await runHeartbeat(
    {
      ...posting,
      vitals: {
        turns: scheduler.turns,
        turn: scheduler.turn,
        probe: store.probe,
        anchor: () => store.journalHead(),
        allHeld: ownership.allHeld,
        loopDelayMs: () => delay.longestMs(),
        async undeliverableSince() {
          const { owed } = await store.backlog(clock.now());
          const { channels, startedAt } = health();
          return undeliverableSince({ self: inForce.self(), health: channels, owed, startedAt });
        },
      },
      onBeat: (outcome) => {
        posting.onBeat(outcome);
        if (outcome === 'sent') notes.heartbeatAt = clock.now();
      },
      clock,
      log,
    },
    signal,
  );
}

type Posting = Pick<HeartbeatOptions, 'settings' | 'post' | 'onBeat'>;

function postingOf(options: OutvotedParts | HeartbeatParts): Posting {
  const { inForce, metrics, isDry, clock } = options;
  return {
    settings: () => (isDry ? null : settingsOf(inForce.heartbeat())),
    async post({ url, allow }, call, end) {
      await using poster = createPoster({ tools: options, totalMs: TOTAL_MS, allow, secrets: secretsOf(url) });
      return await poster.postJson(call, end);
    },
    onBeat: (outcome) => {
      metrics.beat(outcome, clock.now());
    },
  };
}

function settingsOf(settings: HeartbeatSettings | null) {
  return settings === null ? null : { ...settings, url: settings.url.reveal() };
}
