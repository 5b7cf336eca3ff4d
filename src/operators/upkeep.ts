// Upkeep of silences, pauses and acknowledgements. It announces the start of a planned silence, the end of silences and
// pauses, and once a day each pause that still lasts. It ends a silence with `until_resolved` when none of its alerts
// fires any more, and an acknowledgement when a reload has made its alert more severe.
import { isHigher } from '../core/model/delivery.ts';
import type { Watch } from '../core/model/watch/watch.ts';
import { isSilencedBy } from '../dispatch/policy/match.ts';
import type { InhibitingAlert, Silence } from '../dispatch/model.ts';
import type { Moment } from '../lib/time-zone.ts';
import type { Clock, Instant } from '../lib/clock.ts';
import type { OpenAlertRow, StoredAck } from '../store/contract/operators.ts';
import type { Fence } from '../store/contract/fence.ts';
import type { Store } from '../store/contract/store.ts';
import { endAck, nameOf, severityOf } from './acks.ts';
import type { Action, ActionBy } from './action.ts';
import { announcementOf, DAEMON, dueAnnouncement } from './announcements.ts';
import { commitAction, type CommittedChange } from './apply.ts';
import { endSilence } from './silences.ts';

/** Records if the storage answers. `failed` returns the milliseconds to wait after a failure. */
export interface StorageAnswers {
  answered(action: string): void;
  failed(action: string, error: unknown): number;
}

export interface PolicyUpkeepOptions {
  readonly store: Pick<Store, 'policy' | 'openAlerts' | 'openConditions' | 'announceable' | 'announce' | 'operate'>;
  /** Null while another replica does this work. */
  readonly fence: () => Fence | null;
  readonly clock: Clock;
  readonly storage: () => StorageAnswers;
  readonly watches: () => readonly Watch[];
  /** The channels for alerts about the daemon itself. */
  readonly notify: () => readonly string[];
  /** The time zone for texts to people. */
  readonly timeZone: () => string;
  /** Called after commits of transitions, and after changes of recipients. */
  readonly onChanged: () => void;
}

const LOOK_MS = 10_000;

/** Runs until the signal aborts. */
export async function keepPolicy(options: PolicyUpkeepOptions, signal: AbortSignal): Promise<void> {
  const { store, fence: held, clock, watches, notify, timeZone, onChanged } = options;
  const storage = options.storage();
  // An alert can be more severe than its acknowledgement only after a reload or a new acknowledgement, so only these
  // start a check.
  let checked: { readonly version: number; readonly watches: readonly Watch[] } | null = null;

  async function announceDue(at: Instant, fence: Fence): Promise<void> {
    for (const stored of await store.announceable(at)) {
      const due = dueAnnouncement(stored, { now: at, zone: timeZone() });
      if (due === null) continue;
      const { id } = stored.silence;
      const transitions = announcementOf(due.text, {
        id: `${id} ${due.occasion}`,
        at,
        zone: timeZone(),
        notify: notify(),
      });
      if ((await store.announce(id, transitions, at, fence)) === 'kept') onChanged();
    }
  }

  async function endWhatIsOver(at: Instant): Promise<void> {
    const policy = await store.policy(at);
    await endResolved(policy.silences, at);
    const now = { version: policy.version, watches: watches() };
    if (now.version === checked?.version && now.watches === checked.watches) return;
    await endRaised(policy.acks, at);
    checked = now;
  }

  async function endResolved(silences: readonly Silence[], at: Instant): Promise<void> {
    const untilResolved = silences.filter((one) => one.untilResolved && one.from <= at);
    for (const { id } of await resolved(untilResolved, at))
      await end(endSilence, { change: { id }, subject: null, by: by(`resolved:${id}`, { now: at, zone: timeZone() }) });
  }

  async function resolved(silences: readonly Silence[], at: Instant): Promise<readonly Silence[]> {
    if (silences.length === 0) return [];
    const conditions = await store.openConditions();
    const seemOver = silences.filter((one) => isResolved(one, conditions));
    if (seemOver.length === 0) return [];
    // `openAlerts` reads the messages, which already contain a condition that was committed just now. It is called only
    // here, since thousands of messages take long.
    const open = (await store.openAlerts({ at })).filter(({ isEvent }) => !isEvent);
    return seemOver.filter((one) => isResolved(one, open));
  }

  async function endRaised(acks: readonly StoredAck[], at: Instant): Promise<void> {
    const acked = acks.length === 0 ? [] : await store.openAlerts({ at, keys: acks.map(({ key }) => key) });
    for (const { ack, alert } of raised(acks, acked, watches())) {
      const change = { key: ack.key, episode: ack.episode };
      await end(endAck, { change, subject: nameOf(alert), by: by(`raised:${ack.id}`, { now: at, zone: timeZone() }) });
    }
  }

  async function end<Body, Change, Done extends object, Answer extends object>(
    action: Action<Body, Change, Done, Answer>,
    committed: CommittedChange<Change>,
  ): Promise<void> {
    const { done } = await commitAction(action, committed, options);
    if (done !== null) onChanged();
  }

  async function look(): Promise<number> {
    try {
      const fence = held();
      if (fence === null) return LOOK_MS;
      await endWhatIsOver(clock.now());
      await announceDue(clock.now(), fence);
      storage.answered('operators');
      return LOOK_MS;
    } catch (error) {
      return storage.failed('operators', error);
    }
  }

  while (!signal.aborted) await clock.sleep(await look(), signal);
}

function isResolved({ matchers }: Silence, open: readonly InhibitingAlert[]): boolean {
  return !open.some(({ labels }) => isSilencedBy(matchers, labels));
}

interface Raised {
  readonly ack: StoredAck;
  readonly alert: OpenAlertRow;
}

function raised(acks: readonly StoredAck[], open: readonly OpenAlertRow[], watches: readonly Watch[]): Raised[] {
  return acks.flatMap((ack) => {
    const alert = open.find(({ key, episode }) => key === ack.key && episode === ack.episode);
    return alert !== undefined && isHigher(severityOf(alert, watches), ack.severity) ? [{ ack, alert }] : [];
  });
}

function by(key: string, { now: at, zone }: Moment): ActionBy {
  return { request: { key, asked: key, actor: DAEMON }, at, zone };
}
