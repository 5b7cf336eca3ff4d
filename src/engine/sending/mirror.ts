// Shows open alerts to a receiver that keeps its own state: all at every refresh, and sooner after a change or a call
// that was not accepted. The state has the last accepted transition of each alert. So after a restart no event is
// repeated, and ends that were not accepted are sent.
import type { Ownership } from '../../cluster/ownership.ts';
import { formerlyShown, shownOf, type MirroredAlert, type ShownAlert } from '../../core/model/mirror.ts';
import { nameOfTransition } from '../../core/model/transition.ts';
import type { Outcome } from '../../core/model/delivery.ts';
import type { RoutingRules } from '../../dispatch/rounds/route-round.ts';
import type { Clock, Instant } from '../../lib/clock.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { OpenMirror } from '../../notifiers/notifier.ts';
import type { Fence } from '../../store/contract/fence.ts';
import type { OutboxDepth } from '../../store/contract/deliveries.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Log } from '../../telemetry/log.ts';
import { createStorageBackoff, createWokenLoop } from '../loop.ts';

export interface MirrorLoop {
  /** Runs until the signal aborts. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** Call this after a change. Safe to call at any time, also before `run`. */
  wake(): void;
  /** Alerts that were posted and not accepted; null: none. */
  owed(): OutboxDepth | null;
}

export interface MirrorLoopOptions {
  readonly channel: string;
  readonly mirror: OpenMirror;
  readonly refreshMs: number;
  readonly holdMs: number;
  readonly store: Pick<Store, 'mirrored' | 'keepMirrored'>;
  readonly ownership: Pick<Ownership, 'fenceOf'>;
  /** The rules in force: a reload may lead an alert to the channel while it fires. */
  readonly rules: () => Pick<RoutingRules, 'ruleOf'>;
  /** Called after each refresh: with the first outcome that is not `sent`, else with `sent`. */
  readonly onOutcome: (outcome: Outcome) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** Alerts of this period are shown. Other channels try pending messages for the same time. */
const LOOK_BACK_MS = 3 * 86_400_000;
/** The wait after a call that was not accepted. */
const AGAIN_MS = 15_000;
/** Changes within this time are shown together. */
const GATHER_MS = 1000;

interface Posted extends ShownAlert {
  readonly accepted: MirroredAlert['accepted'];
  readonly outcome: Outcome;
}

export function createMirrorLoop(options: MirrorLoopOptions): MirrorLoop {
  const { channel, mirror, refreshMs, holdMs, store, ownership, rules, onOutcome, clock, log } = options;
  const loop = createWokenLoop(clock);
  const storage = createStorageBackoff({ loop: 'mirror', channel }, log);
  /** The time since which each alert is posted without being accepted. */
  let owedSince: ReadonlyMap<string, Instant> = new Map();
  let lastFailure: string | null = null;

  async function post(signal: AbortSignal): Promise<Posted[]> {
    const now = clock.now();
    const stored = await store.mirrored(channel, now - LOOK_BACK_MS);
    const alerts = stored.filter((alert) => isForChannel(alert, channel, rules()));
    const shown = alerts.flatMap((alert) => {
      const span = shownOf(alert, now, holdMs);
      return span === null ? [] : [{ ...alert, shown: span }];
    });
    if (shown.length === 0) return [];
    const over = alerts.flatMap((alert) => formerlyShown(alert, now, holdMs));
    const outcomes = await mirror.show([...shown, ...over], signal);
    failpoint('mirror.shown');
    return shown.flatMap((one, i) => {
      const outcome = outcomes[i];
      return outcome === undefined ? [] : [{ ...one, outcome }];
    });
  }

  async function keepAccepted(posted: readonly Posted[], fence: Fence): Promise<void> {
    const news = posted.filter(
      ({ message, accepted, outcome }) => outcome.type === 'sent' && accepted?.seq !== message.seq,
    );
    if (news.length === 0) return;
    const at = clock.now();
    const accepted = news.map(({ message: { key, seq }, shown: { endsAt } }) => ({ key, seq, at, endsAt }));
    await store.keepMirrored(channel, accepted, fence);
  }

  function report(posted: readonly Posted[]): void {
    const failed = posted.filter(({ outcome }) => outcome.type !== 'sent');
    const now = clock.now();
    owedSince = new Map(failed.map(({ message: { key } }) => [key, owedSince.get(key) ?? now]));
    const outcome = (failed[0] ?? posted[0])?.outcome;
    if (outcome === undefined) return;
    onOutcome(outcome);
    const why = outcome.type === 'sent' ? null : outcome.why;
    if (why !== null && why !== lastFailure)
      log.warn('mirror:failing', { channel, alerts: failed.length, why, effect: 'all open alerts are shown again' });
    if (why === null && lastFailure !== null) log.info('mirror:works-again', { channel });
    lastFailure = why;
  }

  async function refresh(signal: AbortSignal): Promise<number> {
    try {
      const fence = ownership.fenceOf(`channel:${channel}`);
      if (fence === null) return refreshMs;
      const posted = await post(signal);
      // A call that was aborted since the loop ends is no failure of the receiver.
      if (signal.aborted) return 0;
      await keepAccepted(posted, fence);
      report(posted);
      storage.answered('mirror');
    } catch (error) {
      await clock.sleep(storage.failed('mirror', error), signal);
      return 0;
    }
    await clock.sleep(GATHER_MS, signal);
    return (owedSince.size === 0 ? refreshMs : Math.min(refreshMs, AGAIN_MS)) - GATHER_MS;
  }

  return {
    wake: loop.wake,
    run: (signal) => loop.run(signal, () => refresh(signal)),
    owed: () =>
      owedSince.size === 0 ? null : { channel, rows: owedSince.size, oldest: Math.min(...owedSince.values()) },
  };
}

/** An alert that the channel got once is shown until its end, also when its rule is gone or leads elsewhere. */
function isForChannel(
  { message, watch, labels, accepted, isNamed }: MirroredAlert,
  channel: string,
  { ruleOf }: Pick<RoutingRules, 'ruleOf'>,
): boolean {
  if (isNamed || accepted !== null || nameOfTransition(message) !== 'firing') return true;
  return ruleOf(watch, message.alert, labels)?.channels.includes(channel) ?? false;
}
