// Shards that this replica leaves to others for a while. Another replica can do more with them: it can read a memory of
// a newer format, or reach the explorer.
//
// Replicas announce their results with each renewal of their leases. The holder of a shard announces if the host does
// not answer. The others then send the host one request, which costs no credits, and announce if it answers. The holder
// gives the shard away only if another replica got an answer: if the host is down, the shard stays.
import { isCutOff, isReached, type Reachability } from '../core/model/quality/reachability.ts';
import type { Clock } from '../lib/clock.ts';
import type { AnnouncedConfig, LiveReplica } from '../store/contract/cluster.ts';
import type { Shard } from '../store/contract/fence.ts';
import type { Log } from '../telemetry/log.ts';
import { isOf } from './share.ts';

/** The answers of a shard's explorers to this process. */
export interface Reach {
  of(shard: Shard): Reachability;
  /** Sends the host one request, which costs no credits. After that `of` returns the new result. */
  probe(shard: Shard): Promise<void>;
}

export interface Avoidance {
  readonly consult: (reach: Reach) => void;
  /**
   * The shards that are left to others now. While the host of one explorer does not answer this replica, other explorers
   * that it does not hold are among them until their hosts answer it, since the fault may be its own network.
   */
  shards(): Shard[];
  announced(): Pick<AnnouncedConfig, 'avoids' | 'reaches' | 'unreached'>;
  /** Gives the shard back and leaves it to others. False: no other replica can claim it, so it stays. */
  readonly avoid: (shard: Shard) => boolean;
  /** Call this once in each round, after the answer to the renewal: `others` is then up to date. */
  look(): void;
}

export interface AvoidanceOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly held: () => readonly Shard[];
  /** All shards of the config, also those of others. */
  readonly all: () => readonly Shard[];
  /** The other live replicas whose config is in force. */
  readonly others: () => readonly LiveReplica[];
  readonly giveBack: (shard: Shard) => void;
  /** Called when another round is needed at once, for an announcement or a claim. */
  readonly onNews: () => void;
}

const AVOIDED_MS = 120_000;
/** In this last part of an avoidance the host is tried in each round, so that its end depends on a new result. */
const ASKED_AGAIN_MS = 15_000;
/** A host is tried at most once in a round. */
const PROBED_MS = 4000;

export function createAvoidance({ clock, log, held, all, others, giveBack, onNews }: AvoidanceOptions): Avoidance {
  let reach: Reach = { of: () => ({ type: 'unknown' }), probe: () => Promise.resolve() };
  const isAnswering = (shard: Shard): boolean => isReached(reach.of(shard), clock.monotonic());
  const avoided = createAvoided(clock, isAnswering);
  const cutOff = (): Shard[] => held().filter((shard) => isCutOff(reach.of(shard)));
  const missedByOthers = (): Shard[] => [...new Set(others().flatMap(({ unreached }) => unreached))];
  const isOfUse = (shard: Shard): boolean => isAnswering(shard) && missedByOthers().includes(shard);
  const probe = createProbe(clock, (shard) => {
    if (isOfUse(shard)) onNews();
  });

  /** An answer from before the last host was found unreached does not count: the network may have failed since. */
  function unproven(): Shard[] {
    if (avoided.unreached().length === 0) return [];
    const isProven = (shard: Shard) => isReached(reach.of(shard), clock.monotonic(), avoided.unreachedSince());
    return all().filter(
      (shard) =>
        isOf('explorer', shard) &&
        !avoided.includes(shard) &&
        !held().includes(shard) &&
        !isProven(shard) &&
        others().some(takes(shard)),
    );
  }

  const shards = (): Shard[] => [...avoided.now(), ...unproven()];

  function leave(shard: Shard, isUnreached: boolean): void {
    avoided.add(shard, isUnreached);
    giveBack(shard);
    onNews();
  }

  /**
   * Ends the avoidance of a shard if it is not in the config any more, if no other replica can claim it any more, or if
   * its host answers this replica again but not the holder.
   */
  function takeBack(): void {
    const isOfUseAgain = (shard: Shard): boolean => avoided.unreached().includes(shard) && isOfUse(shard);
    const back = avoided
      .now()
      .filter((shard) => !all().includes(shard) || !others().some(takes(shard)) || isOfUseAgain(shard));
    for (const shard of back) avoided.end(shard);
    if (back.length > 0) onNews();
  }

  /** Skips avoided shards: they are being given back, and count as held until that ends. */
  function giveAway(): void {
    for (const shard of cutOff().filter((one) => !avoided.includes(one))) {
      const taker = others().find((one) => takes(shard)(one) && one.reaches.includes(shard));
      if (taker === undefined) continue;
      log.warn('cluster:unreached', { shard, effect: `the shard is given back; its host answers ${taker.name}` });
      leave(shard, true);
    }
  }

  function askAgain(): void {
    for (const shard of held()) if (reach.of(shard).type === 'unreached') probe(reach, shard);
    for (const shard of [...avoided.endingSoon(), ...unproven(), ...missedByOthers()]) probe(reach, shard);
  }

  return {
    consult(next) {
      reach = next;
    },
    shards,
    announced: () => ({ avoids: shards(), unreached: cutOff(), reaches: missedByOthers().filter(isAnswering) }),
    avoid(shard) {
      if (!others().some(takes(shard))) return false;
      leave(shard, false);
      return true;
    },
    look() {
      giveAway();
      askAgain();
      takeBack();
    },
  };
}

interface Avoided {
  readonly since: number;
  readonly until: number;
  readonly isUnreached: boolean;
}

function createAvoided(clock: Clock, isAnswering: (shard: Shard) => boolean) {
  const avoided = new Map<Shard, Avoided>();
  const unreached = (): [Shard, Avoided][] => [...avoided].filter(([, { isUnreached }]) => isUnreached);
  return {
    add(shard: Shard, isUnreached: boolean): void {
      const since = clock.monotonic();
      avoided.set(shard, { since, until: since + AVOIDED_MS, isUnreached });
    },
    includes: (shard: Shard): boolean => avoided.has(shard),
    end(shard: Shard): void {
      avoided.delete(shard);
    },
    /**
     * The avoided shards, without those whose avoidance has ended. The avoidance of a host that does not answer
     * continues.
     */
    now(): Shard[] {
      const now = clock.monotonic();
      for (const [shard, entry] of avoided) {
        if (now < entry.until) continue;
        if (entry.isUnreached && !isAnswering(shard)) avoided.set(shard, { ...entry, until: now + AVOIDED_MS });
        else avoided.delete(shard);
      }
      return [...avoided.keys()];
    },
    unreached: (): Shard[] => unreached().map(([shard]) => shard),
    /** When the last of them was found unreached; -Infinity without any. */
    unreachedSince: (): number => Math.max(...unreached().map(([, { since }]) => since)),
    endingSoon: (): Shard[] =>
      unreached().flatMap(([shard, { until }]) => (until - clock.monotonic() <= ASKED_AGAIN_MS ? [shard] : [])),
  };
}

const takes =
  (shard: Shard) =>
  ({ avoids }: LiveReplica): boolean =>
    !avoids.includes(shard);

/** Runs one probe at a time for each shard. `onEnd` is called when the result of the probe is known. */
function createProbe(clock: Clock, onEnd: (shard: Shard) => void): (reach: Reach, shard: Shard) => void {
  const probing = new Set<Shard>();
  return (reach, shard) => {
    const last = reach.of(shard);
    const isFresh = last.type !== 'unknown' && clock.monotonic() - last.at < PROBED_MS;
    if (isFresh || probing.has(shard)) return;
    probing.add(shard);
    void reach.probe(shard).finally(() => {
      probing.delete(shard);
      onEnd(shard);
    });
  };
}
