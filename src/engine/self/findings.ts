// One look at the daemon's work: what is wrong with it, and what cannot be said yet.
import { highest } from '../../core/model/delivery.ts';
import { showTrouble, type ExplorerTrouble } from '../../core/model/quality/explorer-trouble.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import type { Clock, Instant } from '../../lib/clock.ts';
import type { Backlog, OutboxDepth } from '../../store/contract/deliveries.ts';
import { UnavailableError } from '../../lib/unavailable.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Blindness } from '../../core/model/quality/blind-cause.ts';
import { UNTRIED, type ChannelHealth } from '../sending/channel-health.ts';
import type { NotJudgedItems } from '../reporting/not-judged.ts';
import type { BackupHealth } from '../upkeep/backup-health.ts';
import type { ClockJumps } from '../upkeep/clock-jumps.ts';
import type { FailingLoop } from '../upkeep/supervisor.ts';
import { channelCauses, DEAD_MS } from './channel-causes.ts';
import { channelOf, explorerOf, type CauseId, type SelfFindings } from './cause.ts';
import { daemonCauses, type DaemonCauseFacts, type Outage } from './daemon-causes.ts';
import { explorerCauses, type ExplorerCauseFacts } from './explorer-causes.ts';

/** What is looked at. */
export interface SelfCheckInput {
  readonly watches: () => readonly Watch[];
  /** Watches of which no poll has ended yet. */
  readonly unpolled: () => readonly Watch[];
  readonly blindness: Pick<Blindness, 'blind'>;
  /** Explorers of which it is not known yet whether a watch that was blind before the start still is. */
  readonly undecided: () => ReadonlySet<string>;
  readonly troubles: () => readonly ExplorerTrouble[];
  readonly notJudged: Pick<NotJudgedItems, 'recent' | 'isYoung'>;
  readonly channelHealth: () => ReadonlyMap<string, ChannelHealth>;
  /** What receivers that keep their own state of alerts did not accept. */
  readonly owedToMirrors: () => readonly OutboxDepth[];
  readonly storage: () => 'works' | 'fails' | 'full';
  readonly restoredAt: () => DaemonCauseFacts['restoredAt'];
  readonly lowDisk: () => DaemonCauseFacts['lowDisk'];
  readonly recovered: () => DaemonCauseFacts['recovered'];
  readonly backups: Pick<BackupHealth, 'trouble' | 'isUnknown'>;
  readonly clockJumps: Pick<ClockJumps, 'recent' | 'isYoung'>;
  readonly rejected: () => DaemonCauseFacts['rejected'];
  readonly failing: () => readonly FailingLoop[];
  /** The zone in which times are shown. */
  readonly timeZone: () => string;
}

export interface FindOptions {
  readonly store: Pick<Store, 'backlog'>;
  readonly clock: Clock;
  readonly work: SelfCheckInput;
}

/** A storage that works now and then is one outage. */
const OVER_AFTER_MS = 60_000;

export function createFind({ store, clock, work }: FindOptions): () => Promise<SelfFindings> {
  const begun = new Map<string, Instant>();
  let outage: Outage | null = null;

  /** When each of them was first seen without a break. */
  function troublesSince(now: Instant): ExplorerCauseFacts['troubles'] {
    const seen = work.troubles().map((trouble) => ({ trouble, key: keyOf(trouble) }));
    const keys = new Set(seen.map(({ key }) => key));
    for (const key of begun.keys()) if (!keys.has(key)) begun.delete(key);
    for (const key of keys) if (!begun.has(key)) begun.set(key, now);
    return seen.map(({ trouble, key }) => ({ trouble, since: begun.get(key) ?? now }));
  }

  function lastOutage(now: Instant): Outage | null {
    const state = work.storage();
    if (state !== 'works') outage = { since: outage?.until === null ? outage.since : now, until: null, what: state };
    else if (outage?.until === null) outage = { ...outage, until: now };
    const isRecent = outage !== null && Math.abs(now - (outage.until ?? now)) < OVER_AFTER_MS;
    return isRecent ? outage : null;
  }

  /** Null: the store does not answer. */
  async function backlogAt(deadSince: Instant): Promise<Backlog | null> {
    try {
      return await store.backlog(deadSince);
    } catch (error) {
      if (error instanceof UnavailableError) return null;
      throw error;
    }
  }

  return async () => {
    const now = clock.now();
    const zone = work.timeZone();
    const watches = work.watches();
    const health = work.channelHealth();
    const causes = [
      ...explorerCauses({
        watches,
        blind: work.blindness.blind(),
        troubles: troublesSince(now),
        notJudged: work.notJudged.recent(),
        now,
        zone,
      }),
      ...daemonCauses({
        outage: lastOutage(now),
        restoredAt: work.restoredAt(),
        lowDisk: work.lowDisk(),
        recovered: work.recovered(),
        backup: work.backups.trouble(),
        jumps: work.clockJumps.recent(),
        rejected: work.rejected(),
        failing: work.failing(),
        severity: highest(watches.flatMap(({ alerts }) => alerts.map(({ severity }) => severity))),
        now,
        zone,
      }),
    ];
    const stored = await backlogAt(now - DEAD_MS);
    const backlog = { owed: [...(stored?.owed ?? []), ...work.owedToMirrors()], dead: stored?.dead ?? [] };
    return {
      causes: [...causes, ...channelCauses({ watches, health, backlog, now, zone })],
      isUndecided: (cause) => (stored === null && channelOf(cause) !== null) || isUndecided(cause, work, health),
    };
  };
}

/** Of a refusal, words may change while it lasts. */
function keyOf(trouble: ExplorerTrouble): string {
  return trouble.type === 'refused' ? `${trouble.explorer} ${trouble.rest.reason}` : showTrouble(trouble);
}

function isUndecided(cause: CauseId, work: SelfCheckInput, health: ReadonlyMap<string, ChannelHealth>): boolean {
  const explorer = explorerOf(cause);
  if (cause.alert === 'backup') return work.backups.isUnknown();
  if (cause.alert === 'clock-jump') return work.clockJumps.isYoung();
  if (cause.alert === 'not-judged') return work.notJudged.isYoung();
  if (explorer !== null) return work.undecided().has(explorer) || isUnpolled(explorer, work);
  // A refusal is over when a message was taken.
  const { lastSentAt } = health.get(cause.subject) ?? UNTRIED;
  return cause.alert === 'channel-auth' && health.has(cause.subject) && lastSentAt === null;
}

/** No poll of any of its watches has ended since the start. */
function isUnpolled(explorer: string, { watches, unpolled }: SelfCheckInput): boolean {
  const own = (all: readonly Watch[]): number => all.filter(({ target }) => target.explorer === explorer).length;
  const count = own(watches());
  return count > 0 && own(unpolled()) === count;
}
