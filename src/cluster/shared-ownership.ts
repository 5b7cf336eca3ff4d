// The rounds of one replica among several. It checks once a second for a free shard. If there is one, and otherwise
// every third of a lease, it renews its leases and acts on the answer. `round.ts` decides what an answer means.
import type { JournalEntry, JournalKind } from '../core/journal/entry.ts';
import type { Json } from '../core/values/fields.ts';
import { type Clock, createMutex, type Instant } from '../lib/clock.ts';
import type { ClaimedShard, Renewed, SharedCluster } from '../store/contract/cluster.ts';
import type { Shard } from '../store/contract/fence.ts';
import type { Log } from '../telemetry/log.ts';
import { createAvoidance } from './avoidance.ts';
import { HeldShards } from './held-shards.ts';
import type { ClusterView, DeclaredConfig, Ownership, ReplicaView } from './ownership.ts';
import {
  afterSetBack,
  FIRST_ROUND,
  mayRetire,
  outvotedSince,
  planRound,
  roundMs,
  type RoundPlan,
  type RoundState,
} from './round.ts';
import { isOf } from './share.ts';

export interface SharedOwnershipOptions {
  readonly cluster: SharedCluster;
  /** Its monotonic time decides when leases end. */
  readonly clock: Clock;
  readonly log: Log;
  /** Called after each round with the time by the clock of the database. */
  readonly onTime: (now: Instant) => void;
  /** Appends lines to the journal. */
  readonly record: (entries: readonly JournalEntry[]) => Promise<void>;
}

const LOOK_MS = 1000;
const READ_AGAIN = 'the state is read from the database again, and decisions continue from it';

export function createSharedOwnership(options: SharedOwnershipOptions): Ownership {
  const { cluster, clock, log, onTime, record } = options;
  const { leaseMs } = cluster;
  const held = new HeldShards(options);
  /**
   * Keeps releases and rounds apart. Otherwise the answer to a round could contain a shard that was just given back.
   */
  const asking = createMutex();
  const counts = { leasesLost: 0, takeovers: 0, fencedCommits: 0 };
  let declared: DeclaredConfig | null = null;
  let state = FIRST_ROUND;
  let newest: Renewed | null = null;
  let inForce: string | null = null;
  let roundAt = 0;
  let isNextDue = false;
  let isCut = false;
  let setBackAt: Instant | null = null;
  /**
   * True once a config of this process had a vote. A config that is loaded later is of the same installation, so it has
   * one too.
   */
  let hasCounted = false;
  let standing: Standing = 'in-force';
  const avoidance = createAvoidance({
    clock,
    log,
    held: () => held.all().map(({ shard }) => shard),
    all: () => declared?.shards.map(({ shard }) => shard) ?? [],
    others: () => newest?.replicas.filter(({ id, checksum }) => id !== cluster.id && checksum === inForce) ?? [],
    giveBack: (shard) => void release(shard),
    onNews: goOnAtOnce,
  });

  async function look(): Promise<void> {
    if (declared === null) return;
    if (clock.monotonic() >= roundAt || (await cluster.hasFree(avoidance.shards()))) await asking.hold(round);
  }

  async function round(): Promise<void> {
    if (declared === null) return;
    isNextDue = false;
    const { checksum, shards, watches } = declared;
    const sentAt = clock.monotonic();
    hasCounted ||= await cluster.remembersAny(watches);
    const renewed = await cluster.renew({ checksum, counts: hasCounted, ...avoidance.announced() });
    onTime(renewed.now + (clock.monotonic() - sentAt) / 2);
    if (renewed.changed !== null) setBack(renewed, sentAt);
    const plan = planRound(state, { id: cluster.id, renewed, checksum, held: held.all(), sentAt, leaseMs });
    ({ state, inForce } = plan);
    newest = renewed;
    noteStanding(renewed);
    roundAt = sentAt + roundMs(leaseMs);
    follow(plan);
    await claimAnew(plan);
    await agree(plan, renewed);
    if (inForce === checksum) await addMissing(shards, renewed);
    await claimAll(plan);
    giveBack(plan, shards);
    avoidance.look();
  }

  function setBack({ changed, now }: Renewed, sentAt: number): void {
    setBackAt = now;
    const worked = held.all().flatMap(({ shard }) => (held.mayWork(shard) ? [shard] : []));
    if (changed === 'went-back') forget();
    else readAnew();
    state = afterSetBack(state, worked, sentAt, leaseMs);
  }

  /**
   * Drops all shards, since the database lacks data that this process has. `planRound` then finds those that this
   * replica still holds there, and they are claimed again.
   */
  function forget(): void {
    log.warn('cluster:went-back', { effect: READ_AGAIN });
    for (const { shard } of held.all()) drop(shard, 'the database lacks what it had before');
    state = FIRST_ROUND;
  }

  /**
   * After a restart the database may lack writes since the last renewal, and a watch with an unchanged value would
   * never notice. So all data is read again. Channels are released, which waits for running attempts, so that none is
   * repeated meanwhile. Other shards are lost, so that no memory from before is written.
   */
  function readAnew(): void {
    log.info('cluster:database-restarted', { effect: READ_AGAIN });
    for (const { shard } of held.all())
      if (isOf('channel', shard)) void release(shard);
      else held.lose(shard);
  }

  function follow({ lost, deadline }: RoundPlan): void {
    for (const { shard } of lost) drop(shard, 'another replica has claimed it');
    held.prolong(deadline);
  }

  /**
   * Gives found shards back, to claim them again. Only a claim ends the unfinished work of the former holder: without
   * it, a message that the holder had claimed would never be sent.
   */
  async function claimAnew({ found }: RoundPlan): Promise<void> {
    for (const { shard, fence } of found) await cluster.release(fence, windowOf(shard));
    if (found.length > 0) goOnAtOnce();
  }

  function noteStanding({ replicas }: Renewed): void {
    const self = replicas.find(({ id }) => id === cluster.id);
    const isOutvoted = outvotedSince(state, cluster.id, clock.monotonic()) !== null;
    const next = self?.counts === false ? 'not-counted' : isOutvoted ? 'outvoted' : 'in-force';
    if (next === standing) return;
    standing = next;
    if (next === 'in-force') log.info('cluster:has-a-say', { config: declared?.checksum });
    else log.warn(`cluster:${next}`, { config: declared?.checksum, inForce, effect: EFFECTS[next] });
  }

  async function agree({ inForce: config }: RoundPlan, { config: before, now }: Renewed): Promise<void> {
    if (config === null || config === before) return;
    if (await cluster.agree(config, before, now)) log.info('cluster:config-in-force', { config, before });
  }

  async function addMissing(shards: DeclaredConfig['shards'], { shards: known }: Renewed): Promise<void> {
    const missing = shards.filter(({ shard }) => !known.some((row) => row.shard === shard));
    if (missing.length === 0) return;
    await cluster.addShards(missing);
    goOnAtOnce();
  }

  /** Starts the next round at once. It claims free shards. */
  function goOnAtOnce(): void {
    roundAt = 0;
    isNextDue = true;
  }

  async function claimAll({ claims, deadline }: RoundPlan): Promise<void> {
    for (const { family, shards, count } of claims)
      for (const claimed of await cluster.claim(family, count, shards)) {
        noteClaim(claimed);
        held.add(claimed, deadline);
      }
  }

  function noteClaim({ shard, isTakeover }: ClaimedShard): void {
    if (isTakeover) counts.takeovers += 1;
    log.info('cluster:claimed', { shard, isTakeover });
  }

  /** Gives back shards above the quota, and drops shards that no config has work for any more. */
  function giveBack({ releases }: RoundPlan, shards: DeclaredConfig['shards']): void {
    for (const shard of releases) void release(shard);
    if (!state.mayRetire) return;
    for (const { shard } of held.all())
      if (!shards.some((one) => one.shard === shard))
        void held.release(shard, (fence) => asking.hold(() => cluster.dropShard(fence)));
  }

  function release(shard: Shard): Promise<void> {
    return held.release(shard, async (fence) => {
      await asking.hold(() => cluster.release(fence, windowOf(shard)));
      log.info('cluster:released', { shard });
    });
  }

  function windowOf(shard: Shard): number {
    return declared?.shards.find((one) => one.shard === shard)?.windowMs ?? 0;
  }

  function drop(shard: Shard, why: string): void {
    if (!held.lose(shard)) return;
    counts.leasesLost += 1;
    log.warn('cluster:lost', { shard, why });
  }

  /** An outage of the database is logged once. Work on held shards continues until their leases end. */
  async function lookSafely(): Promise<void> {
    try {
      await look();
      if (isCut) log.info('cluster:answers-again');
      isCut = false;
    } catch (error) {
      if (cluster.isOver(error)) throw error;
      isNextDue = false;
      if (!isCut) log.warn('cluster:cut-off', { error, effect: 'no request is sent after the leases end' });
      isCut = true;
    }
  }

  async function leave(): Promise<void> {
    await Promise.all(held.all().map(({ shard }) => release(shard)));
    // Without the database the leases end by themselves.
    await cluster.leave().catch(() => undefined);
  }

  /** Stops all writes, also unfinished ones: the next holders continue from the stored state. */
  async function giveUp(): Promise<void> {
    const all = held.all();
    for (const { shard } of all) held.lose(shard);
    for (const { shard, fence } of all) await cluster.release(fence, windowOf(shard)).catch(() => false);
    await cluster.leave().catch(() => undefined);
  }

  async function note(kind: JournalKind, data: Json): Promise<void> {
    const line = { at: newest?.now ?? clock.now(), kind, subject: 'cluster', actor: cluster.name, data };
    await record([line]).catch((error: unknown) => {
      log.warn('journal:not-written', { kind, error });
    });
  }

  return {
    isShared: true,
    fenceOf: held.fenceOf,
    // A config does no work before it is known to be in force.
    mayWork: (shard) => declared?.checksum === inForce && held.mayWork(shard),
    holds: (shard) => held.mayWork(shard),
    declare(config) {
      // The replicas have agreed on the former config, not on this one.
      if (config.checksum !== declared?.checksum) state = { ...state, agreedSince: null, mayRetire: false };
      declared = config;
      roundAt = 0;
    },
    follow: held.follow,
    lost(shard, { epoch }) {
      counts.fencedCommits += 1;
      // A slow write under a former claim is refused too. It must not end the new claim. Otherwise the writes that are
      // under way under the new claim would be refused, and would end the claim after it.
      if (held.fenceOf(shard)?.epoch !== epoch) return;
      void note('commit-fenced', { shard });
      drop(shard, 'a write of it was refused');
    },
    avoid: avoidance.avoid,
    consult: avoidance.consult,
    view: () =>
      viewOf({
        newest,
        state,
        now: clock.monotonic(),
        inForce,
        id: cluster.id,
        isOurs: (shard) => held.fenceOf(shard) !== null,
        counts,
      }),
    mayRetire: () => mayRetire(state, clock.monotonic(), leaseMs),
    setBackAt: () => setBackAt,
    allHeld: cluster.allHeld,
    async run(signal) {
      try {
        while (!signal.aborted) {
          await lookSafely();
          await clock.sleep(isNextDue ? 0 : LOOK_MS, signal);
        }
      } catch (error) {
        await giveUp();
        throw error;
      }
      await leave();
    },
  };
}

/** The position of this replica's config among the live replicas. */
type Standing = 'in-force' | 'outvoted' | 'not-counted';

const EFFECTS: Readonly<Record<Exclude<Standing, 'in-force'>, string>> = {
  outvoted: 'most replicas run another config: this one does nothing by its own',
  'not-counted':
    'this config has no watch that is in the database, so this replica waits. If this is intended: chainwarden state accept',
};

interface Seen {
  readonly newest: Renewed | null;
  readonly state: RoundState;
  /** In monotonic time. */
  readonly now: number;
  readonly inForce: string | null;
  readonly id: string;
  /** This function is up to date. `newest` lacks the claims and releases since its renewal. */
  readonly isOurs: (shard: Shard) => boolean;
  readonly counts: ClusterView['counts'];
}

function viewOf({ newest, state, now, inForce, id, isOurs, counts }: Seen): ClusterView {
  const replicas = (newest?.replicas ?? [])
    .map((one): ReplicaView => ({
      id: one.id,
      name: one.name,
      checksum: one.checksum,
      counts: one.counts,
      isSelf: one.id === id,
      outvotedSince: outvotedSince(state, one.id, now),
    }))
    .toSorted((a, b) => Number(b.isSelf) - Number(a.isSelf) || (a.name < b.name ? -1 : 1));
  const nameOf = new Map(replicas.map((one) => [one.id, one.name]));
  const holderNow = (shard: Shard, holder: string | null): string | null =>
    isOurs(shard) ? id : holder === id ? null : holder;
  const shards = (newest?.shards ?? []).map(({ shard, holder }) => ({
    shard,
    holder: nameOf.get(holderNow(shard, holder) ?? '') ?? null,
    isOurs: isOurs(shard),
  }));
  return { replicas, shards, configInForce: inForce, counts: { ...counts } };
}
