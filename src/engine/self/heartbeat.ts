// Sends beats to a service outside, which alarms when none comes. A beat is sent only if every part that an alert needs
// has shown since the last beat that it works:
//
//   scheduler   it ran its check, which each beat requests
//   disk        a row was committed to the state file now
//   event loop  it never stood still for five seconds
//   self        no self-alert was undeliverable for ten minutes
//   replicas    some replica works on each shard
//
// A beat carries the anchor of the journal, which the service keeps: it shows later whether the journal was rewritten.
// If a part does not work and the process still runs, the reason is posted to the same service at /fail. The heartbeat
// runs in its own loop, apart from the scheduler that it checks.
import { showAnchor, type JournalAnchor } from '../../core/journal/chain.ts';
import type { Outcome } from '../../core/model/delivery.ts';
import { showDuration, type Clock, type Instant } from '../../lib/clock.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { BeatOutcome } from '../../telemetry/daemon-metrics.ts';
import type { Log } from '../../telemetry/log.ts';

export interface HeartbeatTarget {
  readonly url: string;
  readonly everyMs: number;
  /** Networks that are not public, but may be called. */
  readonly allow: readonly string[];
}

/** Signs that the daemon's parts work. */
export interface Vitals {
  /** The number of times the scheduler has checked for due polls. */
  readonly turns: () => number;
  /** Makes the scheduler check again soon. */
  readonly turn: () => void;
  /** Commits a row to the state file. Rejects with a `StorageError`. */
  readonly probe: (at: Instant) => Promise<void>;
  /** The longest standstill of the event loop since the last call, in milliseconds. */
  readonly loopDelayMs: () => number;
  /** The time since which no self-alert can be delivered; null if one can. May reject as `probe` does. */
  readonly undeliverableSince: () => Promise<Instant | null>;
  /** The anchor of the newest chained line; null: there is none yet. May reject as `probe` does. */
  readonly anchor: () => Promise<JournalAnchor | null>;
  /** True if each shard has a replica. May reject as `probe` does. */
  readonly allHeld: () => Promise<boolean>;
}

export interface HeartbeatOptions {
  /** The settings in force; null: no heartbeat is sent. */
  readonly settings: () => HeartbeatTarget | null;
  readonly vitals: Vitals;
  /** Makes one attempt. Never rejects. */
  readonly post: (
    settings: HeartbeatTarget,
    call: { url: string; body: string },
    signal: AbortSignal,
  ) => Promise<Outcome>;
  readonly onBeat: (outcome: BeatOutcome) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** New settings after a reload are used after this time at the latest. */
const LOOK_MS = 10_000;
const LONGEST_DELAY_MS = 5000;
const UNDELIVERABLE_MS = 600_000;

export interface FailOptions extends Pick<HeartbeatOptions, 'settings' | 'post' | 'onBeat' | 'clock'> {
  /** The reason why this replica does no work; null: it works. */
  readonly why: () => string | null;
}

/**
 * Runs until the signal aborts. For a replica with an outvoted config: the other replicas send beats, and do not see
 * this fault.
 */
export async function runFailBeat(options: FailOptions, signal: AbortSignal): Promise<void> {
  const { settings, why, post, onBeat, clock } = options;
  while (!signal.aborted) {
    const [wanted, fault] = [settings(), why()];
    if (wanted !== null && fault !== null) {
      onBeat('withheld');
      await post(wanted, failCall(wanted, clock.now(), fault), signal);
    }
    await clock.sleep(wanted === null || fault === null ? LOOK_MS : wanted.everyMs, signal);
  }
}

/** Runs until the signal aborts. */
export async function runHeartbeat(options: HeartbeatOptions, signal: AbortSignal): Promise<void> {
  const { settings, clock } = options;
  const beat = createBeat(options);
  let beganAt = clock.monotonic();
  while (!signal.aborted) {
    const current = settings();
    const leftMs = current === null ? LOOK_MS : beganAt + current.everyMs - clock.monotonic();
    await clock.sleep(Math.min(Math.max(leftMs, 0), LOOK_MS), signal);
    const wanted = settings();
    if (wanted === null || clock.monotonic() - beganAt < wanted.everyMs) continue;
    beganAt = clock.monotonic();
    await beat(wanted, signal);
  }
}

interface Look {
  readonly faults: readonly string[];
  readonly anchor: JournalAnchor | null;
}

type Beat = (settings: HeartbeatTarget, signal: AbortSignal) => Promise<void>;

function createBeat({ vitals, post, onBeat, clock, log }: HeartbeatOptions): Beat {
  let turns = vitals.turns();
  // The first beat follows the same rule: it needs a check of the scheduler after a request.
  vitals.turn();
  let lastTrouble: string | null = null;

  /** Checks each part by its changes since the last beat. */
  async function look(): Promise<Look> {
    const now = clock.now();
    const hasTurned = vitals.turns() > turns;
    turns = vitals.turns();
    vitals.turn();
    const delayMs = vitals.loopDelayMs();
    const { faults, anchor } = await lookAtStore(vitals, now);
    const all = [
      ...(hasTurned ? [] : ['the scheduler does not check for due polls']),
      ...(delayMs < LONGEST_DELAY_MS ? [] : [`the daemon stood still for ${showDuration(delayMs)}`]),
      ...faults,
    ];
    return { faults: all, anchor };
  }

  function say(trouble: string | null, event: string): void {
    if (trouble !== null && trouble !== lastTrouble) log.error(event, { why: trouble });
    if (trouble === null && lastTrouble !== null) log.info('heartbeat:beats-again');
    lastTrouble = trouble;
  }

  return async (settings, signal) => {
    const { faults, anchor } = await look();
    if (faults.length > 0) {
      const why = faults.join('; ');
      onBeat('withheld');
      say(why, 'heartbeat:withheld');
      await post(settings, failCall(settings, clock.now(), why), signal);
      return;
    }
    failpoint('heartbeat.probed');
    const at = new Date(clock.now()).toISOString();
    const journal = anchor === null ? null : showAnchor(anchor);
    const outcome = await post(settings, { url: settings.url, body: JSON.stringify({ at, journal }) }, signal);
    failpoint('heartbeat.sent');
    if (outcome.type !== 'sent' && signal.aborted) return;
    onBeat(outcome.type === 'sent' ? 'sent' : 'not-taken');
    say(outcome.type === 'sent' ? null : outcome.why, 'heartbeat:not-taken');
  };
}

async function lookAtStore({ probe, undeliverableSince, allHeld, anchor }: Vitals, now: Instant): Promise<Look> {
  try {
    await probe(now);
    const since = await undeliverableSince();
    const unheld = (await allHeld()) ? [] : ['no replica works on some of the explorers, channels or services'];
    return { faults: [...unheardFaults(since, now), ...unheld], anchor: await anchor() };
  } catch (error) {
    // The message of the error may contain paths of the machine, so only its name is sent.
    const name = error instanceof Error ? error.name : 'unknown';
    return { faults: [`the state cannot be written (${name})`], anchor: null };
  }
}

function unheardFaults(since: Instant | null, now: Instant): string[] {
  if (since === null || now - since < UNDELIVERABLE_MS) return [];
  return [`alerts about the daemon itself cannot be delivered for ${showDuration(now - since)}`];
}

function failCall({ url }: HeartbeatTarget, now: Instant, why: string): { url: string; body: string } {
  return { url: failUrl(url), body: JSON.stringify({ at: new Date(now).toISOString(), why }) };
}

/** `https://beats.example/abc?x=1` -> `https://beats.example/abc/fail?x=1` */
export function failUrl(url: string): string {
  const fail = new URL(url);
  fail.pathname = `${fail.pathname.replace(/\/$/, '')}/fail`;
  return fail.href;
}
