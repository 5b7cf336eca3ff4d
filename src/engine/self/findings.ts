// One check of the daemon's work: its defects, and the causes that are undecided.
import { highest } from '../../core/model/delivery.ts';
import { showTrouble, type ExplorerTrouble } from '../../core/model/quality/explorer-trouble.ts';
import { plansOf } from '../../core/model/quality/health-summary.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Backlog } from '../../store/contract/deliveries.ts';
import { UnavailableError } from '../../lib/unavailable.ts';
import type { Store } from '../../store/contract/store.ts';
import { UNTRIED } from '../sending/channel-health.ts';
import type { DaemonHealth } from '../reporting/daemon-health.ts';
import { channelCauses, DEAD_MS } from './channel-causes.ts';
import { channelOf, explorerOf, type CauseId, type SelfFindings } from './cause.ts';
import { daemonCauses, type Outage } from './daemon-causes.ts';
import { createPlanCauses } from './plan-causes.ts';
import { explorerCauses, fieldSubject, lostSubject, type ExplorerCauseFacts } from './explorer-causes.ts';

export interface FindOptions {
  readonly store: Pick<Store, 'backlog'>;
  readonly health: () => DaemonHealth;
  /** The zone in which times are shown. */
  readonly timeZone: () => string;
}

/** An outage is over after this time, so that a storage that works now and then has one outage. */
const OVER_AFTER_MS = 60_000;

export function createFind({ store, health: healthNow, timeZone }: FindOptions): () => Promise<SelfFindings> {
  const begun = new Map<string, Instant>();
  const plans = createPlanCauses();
  let outage: Outage | null = null;

  /** Adds to each trouble, and to each comparison that never holds, the time since which all checks have found it. */
  function sinceFound({ troubles, never, at: now }: DaemonHealth): Pick<ExplorerCauseFacts, 'troubles' | 'never'> {
    const refusing = troubles.map((trouble) => ({ trouble, key: keyOf(trouble) }));
    const inVain = never.map((one) => ({ ...one, key: `${one.watch.id} ${one.sender.alert} ${one.sender.text}` }));
    const keys = new Set([...refusing, ...inVain].map(({ key }) => key));
    for (const key of begun.keys()) if (!keys.has(key)) begun.delete(key);
    for (const key of keys) if (!begun.has(key)) begun.set(key, now);
    const since = (key: string): Instant => begun.get(key) ?? now;
    return {
      troubles: refusing.map(({ trouble, key }) => ({ trouble, since: since(key) })),
      never: inVain.map(({ watch, sender, key }) => ({ watch, sender, since: since(key) })),
    };
  }

  function lastOutage({ storage: state, at: now }: DaemonHealth): Outage | null {
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
    const health = healthNow();
    const { watches, blind, notJudged, channels, at: now } = health;
    const zone = timeZone();
    const ofExplorers = explorerCauses({ watches, blind, ...sinceFound(health), notJudged, now, zone });
    const ofPlans = plans.look({ plans: plansOf(health.explorers), watches, now, zone });
    const causes = [
      ...ofExplorers,
      ...ofPlans.filter((cause) => !ofExplorers.some((one) => isSame(one, cause))),
      ...daemonCauses({
        ...health,
        backup: health.backup === 'unknown' ? null : health.backup,
        outage: lastOutage(health),
        severity: highest(watches.flatMap(({ alerts }) => alerts.map(({ severity }) => severity))),
        now,
        zone,
      }),
    ];
    const stored = await backlogAt(now - DEAD_MS);
    const backlog = { owed: [...(stored?.owed ?? []), ...health.owedToMirrors], dead: stored?.dead ?? [] };
    return {
      causes: [...causes, ...channelCauses({ watches, health: channels, backlog, now, zone })],
      isUndecided: (cause) =>
        (stored === null && channelOf(cause) !== null) || plans.isUndecided(cause, now) || isUndecided(cause, health),
    };
  };
}

function isSame(one: CauseId, other: CauseId): boolean {
  return one.alert === other.alert && one.subject === other.subject;
}

/** A refusal is identified by its reason, since its texts may change while it lasts. */
function keyOf(trouble: ExplorerTrouble): string {
  return trouble.type === 'refused' ? `${trouble.explorer} ${trouble.rest.reason}` : showTrouble(trouble);
}

function isUndecided(cause: CauseId, health: DaemonHealth): boolean {
  const explorer = explorerOf(cause);
  if (cause.alert === 'backup') return health.backup === 'unknown';
  if (cause.alert === 'outvoted') return hasOtherConfigs(health);
  if (cause.alert === 'clock-jump' || cause.alert === 'not-judged') return health.isYoung;
  if (explorer !== null)
    return health.undecided.has(explorer) || isUnpolled(explorer, health) || isUnanswered(cause, explorer, health);
  // A refusal may last until the receiver has accepted a message.
  const { lastSentAt } = health.channels.get(cause.subject) ?? UNTRIED;
  return cause.alert === 'channel-auth' && health.channels.has(cause.subject) && lastSentAt === null;
}

/**
 * True if a live replica runs another config. The cause is found only after a minute, so until then it is undecided.
 */
function hasOtherConfigs({ cluster }: DaemonHealth): boolean {
  return cluster !== null && cluster.replicas.some(({ checksum }) => checksum !== cluster.configInForce);
}

/**
 * True if a field was missing, and the watch is blind for another reason by now: only the next answers show whether it is
 * there again.
 */
function isUnanswered({ alert, subject }: CauseId, explorer: string, { blind }: DaemonHealth): boolean {
  if (alert !== 'blind-field') return false;
  return blind.some(
    ({ watch, reason, fields }) =>
      reason !== 'blind-field' &&
      fields.length > 0 &&
      watch.target.explorer === explorer &&
      (subject === fieldSubject(explorer) || subject === lostSubject(watch)),
  );
}

/** True if no poll of the explorer's watches has ended since the start. */
function isUnpolled(explorer: string, { watches, unpolled }: DaemonHealth): boolean {
  const own = (all: readonly Watch[]): number => all.filter(({ target }) => target.explorer === explorer).length;
  const count = own(watches);
  return count > 0 && own(unpolled) === count;
}
