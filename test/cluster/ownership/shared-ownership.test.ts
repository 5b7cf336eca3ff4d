// One replica among several, as its loops run: what its followers are told, and when. Only the clock and the database are
// not real.
import { expect, test } from '@jest/globals';
import type { Fence } from '../../../src/store/contract/fence.ts';
import { LEASE_MS, SHARDS, someReplicas } from '../../support/cluster/looping-replicas.ts';

type One = ReturnType<ReturnType<typeof someReplicas>['join']>;

function fenceOf({ ownership }: One): Fence {
  const fence = ownership.fenceOf('explorer:a');
  if (fence === null) throw new Error('explorer:a is not held');
  return fence;
}

test('the first replica has everything within a second, and its followers hear of each shard once', async () => {
  const { clock, join } = someReplicas();
  const one = join('one');
  await clock.advance(1000);
  expect(one.working()).toEqual(SHARDS);
  expect(one.told.toSorted()).toEqual(SHARDS.map((shard) => `claimed ${shard}`).toSorted());
  expect(await one.ownership.allHeld()).toBe(true);
  expect(one.ownership.view()).toMatchObject({
    replicas: [{ name: 'one', isSelf: true }],
    configInForce: 'config of w',
  });
  await one.stop();
});

test('a second replica gets its share, one shard after another, and neither loses one', async () => {
  const { clock, join } = someReplicas();
  const one = join('one');
  await clock.advance(10_000);
  const other = join('other');
  await clock.advance(30_000);
  expect([...one.working(), ...other.working()].toSorted()).toEqual([...SHARDS].toSorted());
  expect(one.working().filter((shard) => shard.startsWith('explorer:'))).toHaveLength(1);
  expect(one.told.filter((line) => line.startsWith('lost'))).toEqual([]);
  expect(one.told.filter((line) => line.startsWith('releasing'))).toHaveLength(2);
  await Promise.all([one.stop(), other.stop()]);
});

test('after a kill nobody polled, sent or chained for longer than the lease and five seconds', async () => {
  const { clock, join } = someReplicas();
  const [one, other] = [join('one'), join('other')];
  await clock.advance(30_000);
  const taken = one.working().length;
  one.kill();
  await clock.advance(LEASE_MS + 5000);
  expect(other.working()).toEqual(SHARDS);
  expect(taken).toBeGreaterThan(0);
  expect(other.ownership.view().counts.takeovers).toBe(taken);
  await other.stop();
});

test('a database that lacks the last seconds is read again by all who hold something, and nobody loses it to another', async () => {
  const { clock, cluster, join } = someReplicas();
  const [one, other] = [join('one'), join('other')];
  await clock.advance(30_000);
  const before = [one.held(), other.held()];
  const epochs = (): number[] =>
    SHARDS.map((shard) => (one.ownership.fenceOf(shard) ?? other.ownership.fenceOf(shard))?.epoch ?? 0);
  const newestBefore = Math.max(...epochs());
  for (const { told } of [one, other]) told.length = 0;
  cluster.goBack();
  await clock.advance(LEASE_MS / 3 + 1000);
  expect([one.working(), other.working()]).toEqual(before);
  // Each was claimed anew, which ends what its holder had begun.
  expect(Math.min(...epochs())).toBeGreaterThan(newestBefore);
  for (const replica of [one, other])
    expect(replica.told.toSorted()).toEqual(
      replica
        .held()
        .flatMap((shard) => [`claimed ${shard}`, `lost ${shard}`])
        .toSorted(),
    );
  for (const shard of one.held())
    expect(one.told.indexOf(`lost ${shard}`)).toBeLessThan(one.told.indexOf(`claimed ${shard}`));
  for (const { told } of [one, other]) told.length = 0;
  await clock.advance(60_000);
  expect([one.told, other.told]).toEqual([[], []]);
  await Promise.all([one.stop(), other.stop()]);
});

test('after a failover no replica takes a shard that another one still works on', async () => {
  const { clock, cluster, join } = someReplicas();
  const former = join('former');
  await clock.advance(2000);
  // All leases of that time are over when the standby takes over.
  const standby = cluster.standby();
  former.kill();
  const replicas = [join('one')];
  await clock.advance(500);
  replicas.push(join('other'));
  await clock.advance(40_000);
  const before = replicas.map((one) => one.working());
  expect(before.flat().toSorted()).toEqual([...SHARDS].toSorted());
  // Each of them is the first to notice it once.
  for (const laterMs of [0, 500]) {
    await clock.advance(laterMs);
    cluster.goBack(standby);
    for (let ms = 0; ms < LEASE_MS + 5000; ms += 100) {
      await clock.advance(100);
      const working = replicas.flatMap((one) => one.working());
      expect(working).toHaveLength(new Set(working).size);
    }
    expect(replicas.map((one) => one.working())).toEqual(before);
  }
  await Promise.all(replicas.map((one) => one.stop()));
});

test('after an outage that comes long after a failover the first replica that is back takes nothing from the others', async () => {
  const { clock, cluster, join } = someReplicas();
  const one = join('one');
  await clock.advance(2000);
  cluster.goBack();
  await clock.advance(20_000);
  const other = join('other');
  await clock.advance(30_000);
  const before = [one.working(), other.working()];
  one.isCut = other.isCut = true;
  await clock.advance(60_000);
  one.isCut = false;
  await clock.advance(5000);
  other.isCut = false;
  await clock.advance(5000);
  expect([one.working(), other.working()]).toEqual(before);
  expect(other.ownership.view().counts.leasesLost).toBe(0);
  await Promise.all([one.stop(), other.stop()]);
});

test('shards of a replica that is gone since a failover are taken over once all others may have renewed', async () => {
  const { clock, cluster, join } = someReplicas();
  const [one, other] = [join('one'), join('other')];
  await clock.advance(30_000);
  cluster.goBack();
  other.kill();
  await clock.advance(LEASE_MS + 5000);
  expect(one.working()).toEqual(SHARDS);
  await one.stop();
});

test('a replica that stopped left its shards to nobody until the end of its leases', async () => {
  const { clock, join } = someReplicas();
  const one = join('one');
  await clock.advance(10_000);
  const other = join('other');
  await clock.advance(1000);
  const stopping = one.stop();
  await clock.advance(3000);
  await stopping;
  expect(other.working()).toEqual(SHARDS);
  expect(one.told.filter((line) => line.startsWith('releasing'))).toHaveLength(SHARDS.length);
  expect(other.ownership.view().replicas.map(({ name }) => name)).toEqual(['other']);
  await other.stop();
});

test('gives a shard back only after its running commit', async () => {
  const { clock, join } = someReplicas();
  const one = join('one');
  await clock.advance(10_000);
  const other = join('other');
  const commit = Promise.withResolvers<undefined>();
  one.slow = (what) => (what === 'releasing' ? commit.promise : Promise.resolve());
  const stopping = one.stop();
  await clock.advance(8000);
  expect(one.working()).toEqual([]);
  expect(one.held()).toEqual(SHARDS);
  expect(other.working()).toEqual([]);
  commit.resolve(undefined);
  await stopping;
  expect(one.held()).toEqual([]);
  await clock.advance(3000);
  expect(other.working()).toEqual(SHARDS);
  await other.stop();
});

test('a replica that is cut off asks nothing more once its leases end, and loses nothing when nobody took them', async () => {
  const { clock, join } = someReplicas();
  const one = join('one');
  await clock.advance(10_000);
  one.isCut = true;
  await clock.advance(7000);
  expect(one.working()).toEqual(SHARDS);
  await clock.advance(8000);
  expect(one.working()).toEqual([]);
  expect(one.held()).toEqual(SHARDS);
  one.isCut = false;
  await clock.advance(2000);
  expect(one.working()).toEqual(SHARDS);
  expect(one.told.filter((line) => line.startsWith('lost'))).toEqual([]);
  await one.stop();
});

test('after an outage the first replica that came back took everything from the others', async () => {
  const { clock, join } = someReplicas();
  const [one, other] = [join('one'), join('other')];
  await clock.advance(30_000);
  const before = [one.working(), other.working()];
  one.isCut = other.isCut = true;
  await clock.advance(60_000);
  one.isCut = false;
  await clock.advance(5000);
  other.isCut = false;
  await clock.advance(5000);
  expect([one.working(), other.working()]).toEqual(before);
  expect(one.ownership.view().counts).toEqual({ leasesLost: 0, takeovers: 0, fencedCommits: 0 });
  await Promise.all([one.stop(), other.stop()]);
});

test('a replica that had stood still went on with what another one has by then', async () => {
  const { clock, join } = someReplicas();
  const one = join('one');
  await clock.advance(10_000);
  one.isCut = true;
  const other = join('other');
  await clock.advance(30_000);
  expect(other.working()).toEqual(SHARDS);
  expect(one.working()).toEqual([]);
  one.ownership.lost('explorer:a', fenceOf(one));
  expect(one.ownership.fenceOf('explorer:a')).toBeNull();
  expect(one.lines).toEqual(['commit-fenced']);
  one.isCut = false;
  await clock.advance(2000);
  expect(one.held().filter((shard) => other.held().includes(shard))).toEqual([]);
  expect(one.told.filter((line) => line.startsWith('lost'))).toHaveLength(SHARDS.length);
  expect(one.ownership.view().counts).toMatchObject({ leasesLost: SHARDS.length, fencedCommits: 1 });
  await Promise.all([one.stop(), other.stop()]);
});

test('a shard whose write was refused by mistake stayed with a replica that did not work on it', async () => {
  const { clock, join } = someReplicas();
  const one = join('one');
  await clock.advance(10_000);
  const former = fenceOf(one);
  one.ownership.lost('explorer:a', former);
  expect(one.working()).not.toContain('explorer:a');
  await clock.advance(6000);
  expect(one.working()).toEqual(SHARDS);

  // The answer to a slow write of the former claim.
  one.ownership.lost('explorer:a', former);
  expect(one.working()).toEqual(SHARDS);
  expect(one.lines).toEqual(['commit-fenced']);
  expect(one.told.filter((line) => line.endsWith('explorer:a'))).toEqual([
    'claimed explorer:a',
    'lost explorer:a',
    'claimed explorer:a',
  ]);
  await one.stop();
});

test('what is stored of a shard could not be read, and nobody worked on it', async () => {
  const { clock, join } = someReplicas();
  const one = join('one');
  let failures = 3;
  one.slow = async () => {
    if (failures-- > 0) throw new Error('the database does not answer');
  };
  await clock.advance(5000);
  expect(one.told.toSorted()).toEqual(SHARDS.map((shard) => `claimed ${shard}`).toSorted());
  await one.stop();
});

test('a shard that no config names any more was waited for by the heartbeat', async () => {
  const { clock, cluster, join } = someReplicas();
  cluster.addShards([{ shard: 'explorer:gone', windowMs: 0 }]);
  const one = join('one');
  await clock.advance(20_000);
  expect(one.ownership.mayRetire()).toBe(false);
  expect(one.ownership.view().shards.map(({ shard }) => shard)).toContain('explorer:gone');
  await clock.advance(30_000);
  expect(one.ownership.mayRetire()).toBe(true);
  expect(one.told).toContain('releasing explorer:gone');
  expect(one.ownership.view().shards.map(({ shard }) => shard)).not.toContain('explorer:gone');
  expect(await one.ownership.allHeld()).toBe(true);
  await one.stop();
});

test('a replica with a stray file polled by it, and what it learned took the place of what the others remember', async () => {
  const { clock, join } = someReplicas();
  const [one, other, third] = [join('one'), join('other'), join('third')];
  await clock.advance(60_000);
  const stray = one.working();
  expect(stray).not.toEqual([]);
  one.ownership.declare({ checksum: 'stray', watches: ['w'], shards: [] });
  expect(one.working()).toEqual([]);
  await clock.advance(3000);
  expect(one.held()).toEqual([]);
  expect([...other.working(), ...third.working()].toSorted()).toEqual([...SHARDS].toSorted());
  expect(one.ownership.view().configInForce).toBe('config of w');
  await Promise.all([one.stop(), other.stop(), third.stop()]);
});

test('retires no watch while replicas have different configs', async () => {
  const { clock, join } = someReplicas();
  const [one, other] = [join('one'), join('other')];
  await clock.advance(60_000);
  expect(one.ownership.mayRetire()).toBe(true);
  one.ownership.declare({ checksum: 'stray', watches: ['w'], shards: [] });
  expect(one.ownership.mayRetire()).toBe(false);
  await clock.advance(60_000);
  expect([one, other].map(({ ownership }) => ownership.mayRetire())).toEqual([false, false]);
  await Promise.all([one.stop(), other.stop()]);
});

test('the only replica goes on working when its config changes', async () => {
  const { clock, join } = someReplicas();
  const one = join('one');
  await clock.advance(10_000);
  one.ownership.declare({
    checksum: 'new',
    watches: ['w'],
    shards: SHARDS.map((shard) => ({ shard, windowMs: 1000 })),
  });
  await clock.advance(1000);
  expect(one.working()).toEqual(SHARDS);
  expect(one.told.filter((line) => !line.startsWith('claimed'))).toEqual([]);
  await one.stop();
});

test('a config that names nothing of what is remembered is not in force, also once the replica that knows it is away', async () => {
  const { clock, cluster, join } = someReplicas();
  cluster.remembers = 'w';
  const own = join('own');
  const [one, other] = [join('one', ['theirs']), join('other', ['theirs'])];
  await clock.advance(61_000);
  expect(own.working()).toEqual(SHARDS);
  const standing = () => own.ownership.view().replicas.map(({ name, outvotedSince }) => [name, outvotedSince]);
  expect(standing()).toEqual([
    ['own', null],
    ['one', expect.any(Number)],
    ['other', expect.any(Number)],
  ]);
  await own.stop();
  await clock.advance(120_000);
  expect([...one.held(), ...other.held()]).toEqual([]);
  expect([one, other].map(({ ownership }) => ownership.view().configInForce)).toEqual([null, null]);
  expect(one.ownership.view().replicas[0]).toMatchObject({ isSelf: true, counts: false });

  // An operator accepts it.
  cluster.accepted = 'config of theirs';
  await clock.advance(20_000);
  expect([...one.working(), ...other.working()].toSorted()).toEqual([...SHARDS].toSorted());
  expect(one.ownership.view().replicas.map(({ outvotedSince }) => outvotedSince)).toEqual([null, null]);
  await Promise.all([one.stop(), other.stop()]);
});

test('a replica whose rules are all renamed while it works goes on, and waits for no operator', async () => {
  const { clock, cluster, join } = someReplicas();
  cluster.remembers = 'w';
  const one = join('one');
  await clock.advance(10_000);
  const shards = SHARDS.map((shard) => ({ shard, windowMs: 1000 }));
  one.ownership.declare({ checksum: 'renamed', watches: ['renamed'], shards });
  await clock.advance(1000);
  expect(one.working()).toEqual(SHARDS);
  await one.stop();
});

test('new rules that go out to one replica after another within a minute are no fault', async () => {
  const { clock, join } = someReplicas();
  const [one, other] = [join('one'), join('other')];
  await clock.advance(20_000);
  const shards = SHARDS.map((shard) => ({ shard, windowMs: 1000 }));
  const outvoted = () => other.ownership.view().replicas.filter(({ outvotedSince }) => outvotedSince !== null);
  one.ownership.declare({ checksum: 'new', watches: ['w'], shards });
  await clock.advance(50_000);
  expect(outvoted()).toEqual([]);
  other.ownership.declare({ checksum: 'new', watches: ['w'], shards });
  await clock.advance(120_000);
  expect(outvoted()).toEqual([]);
  await Promise.all([one.stop(), other.stop()]);
});

test('a replica ends where a newer release, or another installation, has the state, and writes nothing more', async () => {
  const { clock, cluster, join } = someReplicas();
  const one = join('one');
  await clock.advance(10_000);
  cluster.mismatch = 'a newer release';
  await clock.advance(6000);
  await expect(one.running).rejects.toThrow('a newer release');
  expect(one.held()).toEqual([]);
  // A shard that is given back writes down what it learned, here into the tables of another release.
  expect(one.told.filter((line) => line.startsWith('releasing'))).toEqual([]);
  expect(one.told.filter((line) => line.startsWith('lost')).toSorted()).toEqual(
    SHARDS.map((shard) => `lost ${shard}`).toSorted(),
  );
  expect(cluster.hasFree()).toBe(true);
});
