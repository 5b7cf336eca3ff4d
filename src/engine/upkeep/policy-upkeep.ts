// What becomes of silences, pauses and acknowledgements without an operator: people are told that one begins or is over,
// or still lasts after a day; a silence ends when nothing of it fires any more, an acknowledgement when a reload has made
// its alert more severe.
import type { Ownership } from '../../cluster/ownership.ts';
import { RANK_OF } from '../../core/model/delivery.ts';
import type { Severity } from '../../core/model/ids.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import { isSilencedBy } from '../../dispatch/policy/silenced.ts';
import type { Silence } from '../../dispatch/model.ts';
import type { Clock, Instant } from '../../lib/clock.ts';
import type { Intervention, OpenAlertRow, StoredAck } from '../../store/contract/operators.ts';
import type { Fence } from '../../store/contract/fence.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Log } from '../../telemetry/log.ts';
import { createStorageBackoff } from '../reporting/storage-backoff.ts';
import { announcementOf } from '../self/announcement.ts';
import { DAEMON, newsByTime, newsOf } from '../self/operator-news.ts';

export interface PolicyUpkeepOptions {
  readonly store: Pick<Store, 'policy' | 'openAlerts' | 'announceable' | 'announce' | 'intervene'>;
  readonly ownership: Pick<Ownership, 'fenceOf'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly watches: () => readonly Watch[];
  /** The channels that are told what is wrong with the daemon itself. */
  readonly notify: () => readonly string[];
  /** Transitions were committed, or who is told has changed. */
  readonly onChanged: () => void;
}

const LOOK_MS = 10_000;

/** Runs until the signal aborts. */
export async function keepPolicy(options: PolicyUpkeepOptions, signal: AbortSignal): Promise<void> {
  const { store, ownership, clock, log, watches, notify, onChanged } = options;
  const storage = createStorageBackoff({ loop: 'operators' }, log);

  async function tellByTime(at: Instant, fence: Fence): Promise<void> {
    for (const stored of await store.announceable(at)) {
      const due = newsByTime(stored, at);
      if (due === null) continue;
      const { id } = stored.silence;
      const transitions = announcementOf(due.news, { id: `${id} ${due.occasion}`, at, notify: notify() });
      if ((await store.announce(id, transitions, at, fence)) === 'kept') onChanged();
    }
  }

  async function end(change: Intervention, key: string, at: Instant, alert: string | null): Promise<void> {
    const request = { key, asked: key, actor: DAEMON };
    const announce: Parameters<Store['intervene']>[2]['announce'] = (changed) => {
      const news = newsOf({ change, changed, actor: DAEMON, at, alert });
      return news === null ? [] : announcementOf(news, { id: key, at, notify: notify() });
    };
    const { type } = await store.intervene(change, request, { at, announce });
    if (type === 'kept') onChanged();
  }

  async function endWhatIsOver(at: Instant): Promise<void> {
    const { silences, acks } = await store.policy(at);
    const untilResolved = silences.filter((one) => one.untilResolved && one.from <= at);
    const open = untilResolved.length === 0 ? [] : await store.openAlerts({ at });
    for (const { id } of untilResolved.filter((one) => isResolved(one, open)))
      await end({ type: 'end-silence', id }, `resolved:${id}`, at, null);
    const acked = acks.length === 0 ? [] : await store.openAlerts({ at, keys: acks.map(({ key }) => key) });
    for (const { ack, alert } of raised(acks, acked, watches()))
      await end({ type: 'end-ack', key: ack.key, episode: ack.episode }, `raised:${ack.id}`, at, nameOf(alert));
  }

  async function look(): Promise<number> {
    try {
      const fence = ownership.fenceOf('service:dispatch');
      if (fence === null) return LOOK_MS;
      await endWhatIsOver(clock.now());
      await tellByTime(clock.now(), fence);
      storage.answered('operators');
      return LOOK_MS;
    } catch (error) {
      return storage.failed('operators', error);
    }
  }

  while (!signal.aborted) await clock.sleep(await look(), signal);
}

function isResolved({ matchers }: Silence, open: readonly OpenAlertRow[]): boolean {
  return !open.some(({ isEvent, labels }) => !isEvent && isSilencedBy(matchers, labels));
}

interface Raised {
  readonly ack: StoredAck;
  readonly alert: OpenAlertRow;
}

function raised(acks: readonly StoredAck[], open: readonly OpenAlertRow[], watches: readonly Watch[]): Raised[] {
  return acks.flatMap((ack) => {
    const alert = open.find(({ key, episode }) => key === ack.key && episode === ack.episode);
    const isHigher = alert !== undefined && RANK_OF[severityOf(alert, watches)] < RANK_OF[ack.severity];
    return isHigher ? [{ ack, alert }] : [];
  });
}

/** That of its rule in force; of an alert whose rule is gone, that of its message. */
export function severityOf({ watch, alert, severity }: OpenAlertRow, watches: readonly Watch[]): Severity {
  const rule = watches.find(({ id }) => id === watch)?.alerts.find(({ id }) => id === alert);
  return rule?.severity ?? severity;
}

/** `coins[treasury]/low` */
export function nameOf({ name, alert }: OpenAlertRow): string {
  return `${name}/${alert}`;
}
