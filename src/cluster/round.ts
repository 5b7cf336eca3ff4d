// Plans one round of a replica from the database's answer to its renewal.
//
//   lost      a shard that was not renewed: another replica has claimed it
//   found     a renewed shard that `held` lacks: the answer to its claim was lost, a write of it was fenced by mistake,
//             or the database went back; it is given back and claimed again
//   claims    free shards, up to the quota; only while this replica's config is in force
//   releases  one shard of each group that was above its quota in two rounds; all shards while another config is in
//             force, since decisions by this config would replace the state of the other replicas
//
// Times are of the monotonic clock of this process, in milliseconds, unless their names say otherwise.
import type { Instant } from '../lib/clock.ts';
import type { Fence, Shard } from '../store/contract/fence.ts';
import type { HeldShard, Renewed } from '../store/contract/cluster.ts';
import { configInForce } from './agree.ts';
import { groupsFor, type Family, type ShareGroup } from './share.ts';

/** The values that one round passes to the next. */
export interface RoundState {
  /** By the id of a live replica: the time since which another config than its own is in force. */
  readonly outvoted: ReadonlyMap<string, OutvotedSince>;
  /** The time when the last answered round was sent; null: none was answered. */
  readonly sentAt: number | null;
  /**
   * No shard but `reclaims` is claimed before this time. After an outage the former owners can renew their leases first.
   * After a failover the database may call a shard free that another replica holds and works on, until that replica
   * renews.
   */
  readonly claimsFrom: number;
  /**
   * The shards that this replica worked on when it noticed that the database had lost data or had restarted; none after
   * `claimsFrom`, since other replicas may hold them at the next outage.
   */
  readonly reclaims: readonly Shard[];
  /** Names of the groups in which this replica held more than its quota. */
  readonly crowded: readonly string[];
  /** The time since which all live replicas are known to run one config. */
  readonly agreedSince: number | null;
  /** True if all live replicas have run one config for long enough. */
  readonly mayRetire: boolean;
}

interface OutvotedSince {
  /** By the clock of the database. */
  readonly at: Instant;
  readonly sentAt: number;
}

export const FIRST_ROUND: RoundState = {
  outvoted: new Map(),
  sentAt: null,
  claimsFrom: 0,
  reclaims: [],
  crowded: [],
  agreedSince: null,
  mayRetire: false,
};

export interface RoundInput {
  /** This replica. */
  readonly id: string;
  readonly renewed: Renewed;
  /** The checksum of this replica's config. */
  readonly checksum: string;
  readonly held: readonly HeldShard[];
  readonly sentAt: number;
  readonly leaseMs: number;
}

export interface RoundPlan {
  readonly state: RoundState;
  readonly lost: readonly HeldShard[];
  readonly found: readonly HeldShard[];
  /** The end of the time in which requests for held shards may be sent. */
  readonly deadline: number;
  readonly inForce: string | null;
  readonly claims: readonly ShardClaim[];
  readonly releases: readonly Shard[];
}

export interface ShardClaim {
  readonly family: Family;
  /** The shards that may be claimed if they are free. */
  readonly shards: readonly Shard[];
  readonly count: number;
}

const AGREED_MS = 30_000;
const OUTVOTED_MS = 60_000;

/**
 * The time before the end of a lease at which requests stop: 2 s of 15. So the last ones are answered before another
 * replica sends any.
 */
function marginMs(leaseMs: number): number {
  return (leaseMs * 2) / 15;
}

/** The time after an outage without claims: the owners of ended leases renew them first. */
function afterOutageMs(leaseMs: number): number {
  return (leaseMs * 2) / 3;
}

/** The time between two rounds. Two rounds may fail before the lease ends. */
export function roundMs(leaseMs: number): number {
  return leaseMs / 3;
}

/** The state after a failover or a restart of the database, which may lack claims and renewals of all replicas. */
export function afterSetBack(state: RoundState, worked: readonly Shard[], sentAt: number, leaseMs: number): RoundState {
  return { ...state, claimsFrom: sentAt + afterOutageMs(leaseMs), reclaims: worked };
}

export function planRound(before: RoundState, input: RoundInput): RoundPlan {
  const { renewed, checksum, held, sentAt, leaseMs } = input;
  const inForce = configInForce(renewed.replicas, renewed.config);
  const isInForce = checksum === inForce;
  const mine = renewed.mine.map(({ shard }) => shard);
  const groups = groupsIn(input, inForce);
  const crowded = groups.filter((group) => surplusOf(group, mine) > 0);
  const wasOut = isStale(before, sentAt, leaseMs);
  const agreedSince = agreedSinceIn(renewed, wasOut ? null : before.agreedSince, sentAt);
  const state: RoundState = {
    outvoted: outvotedIn(renewed, inForce, before.outvoted, sentAt),
    sentAt,
    claimsFrom: wasOut ? sentAt + afterOutageMs(leaseMs) : before.claimsFrom,
    reclaims: sentAt < before.claimsFrom ? before.reclaims : [],
    crowded: crowded.map(({ name }) => name),
    agreedSince,
    mayRetire: agreedSince !== null && Math.min(sentAt - agreedSince, sinceAnnounced(renewed)) >= AGREED_MS,
  };
  const isWaiting = sentAt < state.claimsFrom;
  const free = freeIn(renewed).filter((shard) => !isWaiting || state.reclaims.includes(shard));
  const surplus = crowded.filter(({ name }) => !isWaiting && before.crowded.includes(name));
  return {
    state,
    lost: without(held, renewed.mine),
    found: without(renewed.mine, held),
    deadline: sentAt + leaseMs - marginMs(leaseMs),
    inForce,
    claims: isInForce ? groups.flatMap((group) => claimOf(group, mine, free)) : [],
    releases: isInForce ? surplus.flatMap((group) => lastOf(group, mine)) : mine,
  };
}

function outvotedIn(
  { replicas, now }: Renewed,
  inForce: string | null,
  before: RoundState['outvoted'],
  sentAt: number,
): RoundState['outvoted'] {
  const outvoted = replicas.filter(({ checksum }) => checksum !== inForce);
  return new Map(outvoted.map(({ id }) => [id, before.get(id) ?? { at: now, sentAt }]));
}

/**
 * The time since which a replica is outvoted; null if that has not lasted for a minute, since new rules need up to a
 * minute to reach all replicas.
 */
export function outvotedSince({ outvoted }: RoundState, id: string, now: number): Instant | null {
  const since = outvoted.get(id);
  return since === undefined || now - since.sentAt < OUTVOTED_MS ? null : since.at;
}

function without(some: readonly HeldShard[], others: readonly HeldShard[]): HeldShard[] {
  return some.filter(({ fence }) => !others.some((other) => isSame(other.fence, fence)));
}

function isSame(a: Fence, b: Fence): boolean {
  return a.key === b.key && a.epoch === b.epoch;
}

/** True if shards that no config names may be ended. */
export function mayRetire(state: RoundState, now: number, leaseMs: number): boolean {
  return state.mayRetire && !isStale(state, now, leaseMs);
}

/** True if the last answer is so old that leases may have ended since, and replicas may have started or stopped. */
function isStale({ sentAt }: RoundState, now: number, leaseMs: number): boolean {
  return sentAt !== null && now - sentAt > leaseMs - roundMs(leaseMs);
}

function agreedSinceIn({ replicas }: Renewed, before: number | null, sentAt: number): number | null {
  const areAgreed = new Set(replicas.map(({ checksum }) => checksum)).size === 1;
  return areAgreed ? (before ?? sentAt) : null;
}

/**
 * The time since the newest announcement of a live replica. It shows a config that was changed and changed back between
 * two rounds.
 */
function sinceAnnounced({ replicas, now }: Renewed): number {
  return now - Math.max(...replicas.map(({ announcedAt }) => announcedAt));
}

/** Only replicas whose config is in force claim, so only they divide the shards. */
function groupsIn({ id, renewed }: RoundInput, inForce: string | null): ShareGroup[] {
  const shards = renewed.shards.map(({ shard }) => shard);
  const sharers = renewed.replicas.filter(({ checksum }) => checksum === inForce);
  return groupsFor(id, shards, sharers);
}

/** The number of shards above the quota; negative: below it. */
function surplusOf({ shards, share }: ShareGroup, mine: readonly Shard[]): number {
  return mine.filter((shard) => shards.includes(shard)).length - share;
}

function freeIn({ shards }: Renewed): Shard[] {
  return shards.flatMap(({ shard, holder }) => (holder === null ? [shard] : []));
}

function claimOf(group: ShareGroup, mine: readonly Shard[], free: readonly Shard[]): ShardClaim[] {
  const { family } = group;
  const shards = free.filter((shard) => group.shards.includes(shard));
  const count = Math.min(shards.length, -surplusOf(group, mine));
  return count > 0 ? [{ family, shards, count }] : [];
}

function lastOf({ shards }: ShareGroup, mine: readonly Shard[]): Shard[] {
  return mine
    .filter((shard) => shards.includes(shard))
    .toSorted()
    .slice(-1);
}
