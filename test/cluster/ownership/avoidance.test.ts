// Shards that a replica leaves to others. Only the clock, the database and the hosts of explorers are not real.
import { expect, test } from '@jest/globals';
import { reachabilityAfter, type Reachability } from '../../../src/core/model/quality/reachability.ts';
import type { Shard } from '../../../src/store/contract/fence.ts';
import { someReplicas, type Replica } from '../../support/cluster/looping-replicas.ts';

const explorersOf = (replica: Replica): Shard[] => replica.working().filter((shard) => shard.startsWith('explorer:'));

/** Replicas that ask the explorers of their shards once a second, as far as they get there. */
function askingReplicas(explorers: readonly Shard[] = BOTH) {
  const { clock, cluster, join } = someReplicas([...explorers, 'channel:mail', 'service:dispatch']);
  const asking = new Map<Replica, (shard: Shard) => void>();
  /** `one explorer:a`: from that replica nothing gets through to that host. */
  const barred = new Set<string>();
  const probes: string[] = [];

  function joinAsking(name: string): Replica {
    const replica = join(name);
    const known = new Map<Shard, Reachability>();
    const of = (shard: Shard): Reachability => known.get(shard) ?? { type: 'unknown' };
    const ask = (shard: Shard): void => {
      const end = barred.has(`${name} ${shard}`) ? 'unreached' : 'answered';
      known.set(shard, reachabilityAfter(of(shard), end, clock.monotonic()));
    };
    replica.ownership.consult({
      of,
      async probe(shard) {
        probes.push(`${name} ${shard}`);
        ask(shard);
      },
    });
    asking.set(replica, ask);
    return replica;
  }

  async function pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      await clock.advance(1000);
      for (const [replica, ask] of asking) for (const shard of explorersOf(replica)) ask(shard);
    }
  }

  /** Until that, or so long: how many seconds it took. */
  async function passUntil(isSo: () => boolean, most: number): Promise<number> {
    let seconds = 0;
    for (; seconds < most && !isSo(); seconds += 1) await pass(1);
    return seconds;
  }

  const stopAll = (): Promise<unknown> => Promise.all([...asking.keys()].map((replica) => replica.stop()));
  const askOnce = (replica: Replica, shard: Shard): void => asking.get(replica)?.(shard);
  return { cluster, join: joinAsking, barred, probes, askOnce, pass, passUntil, stopAll };
}

const BOTH: Shard[] = ['explorer:a', 'explorer:b'];

test('a replica that reaches an explorer no more gives its shard away within a minute, and has it again once it does', async () => {
  const { join, barred, probes, pass, passUntil, stopAll } = askingReplicas();
  const [one, other] = [join('one'), join('other')];
  await pass(60);
  const [shard = 'explorer:a'] = explorersOf(one);
  expect(probes).toEqual([]);
  barred.add(`one ${shard}`);
  const took = await passUntil(() => explorersOf(other).length === 2, 60);
  expect(took).toBeGreaterThan(30);
  expect(took).toBeLessThan(50);
  expect(one.log.lines).toContain('warn cluster:unreached');

  // It is asked for every two minutes; nothing is given back and forth meanwhile.
  const { length } = other.told;
  await pass(600);
  expect(explorersOf(other).toSorted()).toEqual(BOTH);
  expect(other.told).toHaveLength(length);

  barred.clear();
  expect(await passUntil(() => explorersOf(one).length === 1, 180)).toBeLessThan(150);
  const moved = one.told.length;
  await pass(300);
  expect([explorersOf(one).length, explorersOf(other).length]).toEqual([1, 1]);
  expect(one.told).toHaveLength(moved);
  await stopAll();
});

test('while its polls end, a shard that is given away is given away once, and no round follows upon another meanwhile', async () => {
  const { join, barred, pass, passUntil, stopAll } = askingReplicas();
  const [one, other] = [join('one'), join('other')];
  await pass(60);
  const [shard = 'explorer:a'] = explorersOf(one);
  const ended = Promise.withResolvers<undefined>();
  one.slow = async (what) => {
    if (what === 'releasing') await ended.promise;
  };
  barred.add(`one ${shard}`);
  const unreached = (): number => one.log.lines.filter((line) => line === 'warn cluster:unreached').length;
  await passUntil(() => unreached() > 0, 60);
  await pass(20);
  expect(unreached()).toBe(1);
  expect(explorersOf(other)).toHaveLength(1);
  ended.resolve(undefined);
  await pass(10);
  expect(explorersOf(other)).toHaveLength(2);
  await stopAll();
});

test('an explorer that answers nobody stays where it is, and so does one that missed a few requests', async () => {
  const { join, barred, pass, stopAll } = askingReplicas();
  const [one, other] = [join('one'), join('other')];
  await pass(60);
  const [shard = 'explorer:a'] = explorersOf(one);
  const told = () => [...one.told, ...other.told];
  const before = told();
  barred.add(`one ${shard}`);
  await pass(25);
  barred.clear();
  await pass(60);
  barred.add(`one ${shard}`).add(`other ${shard}`);
  await pass(600);
  expect(told()).toEqual(before);
  expect(explorersOf(one)).toEqual([shard]);
  await stopAll();
});

test('a replica that gave an explorer away claims another one only once the host of that one answers it', async () => {
  const three: Shard[] = [...BOTH, 'explorer:c'];
  const { join, barred, pass, passUntil, stopAll } = askingReplicas(three);
  const replicas = [join('one'), join('other')];
  await pass(90);
  const [less, more] = replicas.toSorted((a, b) => explorersOf(a).length - explorersOf(b).length);
  if (less === undefined || more === undefined) throw new Error('there are two');
  expect([explorersOf(less).length, explorersOf(more).length]).toEqual([1, 2]);
  const name = less === replicas[0] ? 'one' : 'other';
  const [lost] = explorersOf(less);
  for (const shard of three) barred.add(`${name} ${shard}`);
  await passUntil(() => explorersOf(more).length === 3, 60);
  const { length } = less.told;
  await pass(600);
  expect(explorersOf(more).toSorted()).toEqual(three);
  expect(less.told).toHaveLength(length);

  // It reaches the two others again, and takes its share of these.
  for (const shard of three) if (shard !== lost) barred.delete(`${name} ${shard}`);
  expect(await passUntil(() => explorersOf(less).length === 1, 60)).toBeLessThan(30);
  expect(explorersOf(less)).not.toEqual([lost]);
  await stopAll();
});

test('an answer of another host from before a replica gave an explorer away does not prove that it has a network', async () => {
  const three: Shard[] = [...BOTH, 'explorer:c'];
  const { join, barred, askOnce, pass, passUntil, stopAll } = askingReplicas(three);
  const replicas = [join('one'), join('other')];
  await pass(90);
  const [less, more] = replicas.toSorted((a, b) => explorersOf(a).length - explorersOf(b).length);
  if (less === undefined || more === undefined) throw new Error('there are two');
  const name = less === replicas[0] ? 'one' : 'other';
  for (const shard of explorersOf(less)) barred.add(`${name} ${shard}`);
  await pass(25);
  for (const shard of explorersOf(more)) askOnce(less, shard);
  for (const shard of three) barred.add(`${name} ${shard}`);
  await passUntil(() => explorersOf(more).length === 3, 60);
  const { length } = less.told;
  await pass(120);
  expect(explorersOf(more).toSorted()).toEqual(three);
  expect(less.told).toHaveLength(length);

  barred.clear();
  expect(await passUntil(() => explorersOf(less).length === 1, 60)).toBeLessThan(30);
  await stopAll();
});

test('a shard comes back at once where the one that took it reaches the explorer no more, or is gone', async () => {
  const { join, barred, pass, passUntil, stopAll } = askingReplicas();
  const [one, other] = [join('one'), join('other')];
  await pass(60);
  const [shard = 'explorer:a'] = explorersOf(one);
  barred.add(`one ${shard}`);
  await passUntil(() => explorersOf(other).length === 2, 60);
  barred.clear();
  barred.add(`other ${shard}`);
  expect(await passUntil(() => explorersOf(one).includes(shard), 70)).toBeLessThan(60);

  barred.clear();
  await pass(200);
  barred.add(`one ${shard}`);
  await passUntil(() => explorersOf(other).length === 2, 60);
  await other.stop();
  await pass(20);
  expect(explorersOf(one).toSorted()).toEqual(BOTH);
  await stopAll();
});

test('a shard that a replica cannot work on goes to another one, beyond its share, and comes back when that one is gone', async () => {
  const { clock, join } = someReplicas();
  const [one, other] = [join('one'), join('other')];
  await clock.advance(60_000);
  const [shard = 'explorer:a'] = explorersOf(one);
  expect(one.ownership.avoid(shard)).toBe(true);
  await clock.advance(3000);
  expect(explorersOf(one)).toEqual([]);
  expect(explorersOf(other).toSorted()).toEqual(['explorer:a', 'explorer:b']);
  await clock.advance(100_000);
  expect(explorersOf(one)).toEqual([]);
  expect(explorersOf(other)).toHaveLength(2);
  // Two minutes are over: each has its share again.
  await clock.advance(40_000);
  expect([explorersOf(one).length, explorersOf(other).length]).toEqual([1, 1]);

  const [again = 'explorer:a'] = explorersOf(one);
  expect(one.ownership.avoid(again)).toBe(true);
  await clock.advance(10_000);
  await other.stop();
  await clock.advance(20_000);
  expect(explorersOf(one).toSorted()).toEqual(['explorer:a', 'explorer:b']);
  // Nobody else is there to do better.
  expect(one.ownership.avoid(again)).toBe(false);
  await one.stop();
});

test('a replica asks other explorers no more once the explorer that it did not reach is removed from the config', async () => {
  const { join, barred, probes, pass, passUntil, stopAll } = askingReplicas();
  const [one, other] = [join('one'), join('other')];
  await pass(60);
  const [shard = 'explorer:a'] = explorersOf(one);
  const [kept = 'explorer:b'] = explorersOf(other);
  barred.add(`one ${shard}`);
  await passUntil(() => explorersOf(other).length === 2, 60);

  const shards = [kept, 'service:dispatch' as const].map((name) => ({ shard: name, windowMs: 0 }));
  for (const { ownership } of [one, other]) ownership.declare({ checksum: `without ${shard}`, watches: ['w'], shards });
  await pass(60);
  probes.length = 0;
  await pass(300);
  expect(probes).toEqual([]);
  await stopAll();
});
