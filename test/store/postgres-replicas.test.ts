// Several replicas on one database: what each may write, and when another takes over. Every store has connections of its
// own to a real server, as another process would.
import { summaryOfHealth } from '../../src/engine/reporting/daemon-health.ts';
import { calmHealth } from '../support/engine/calm-health.ts';
import { describe, expect, test } from '@jest/globals';
import type { ClaimedShard, SharedCluster } from '../../src/store/contract/cluster.ts';
import type { Fence, Shard } from '../../src/store/contract/fence.ts';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import type { Store } from '../../src/store/contract/store.ts';
import { execute, hasPostgres, startPostgres } from '../support/store/postgres.ts';
import { databaseAt } from '../support/store/story-state.ts';
import { claimAll, fenceOf } from '../support/store/fences.ts';
import { allOf, commit, dueQuery, owe, route } from '../support/store/store-calls.ts';
import { aDecision, aDelivery, aTransition, NOON } from './builders.ts';
import { operate } from '../support/store/operate.ts';

const server = hasPostgres ? await startPostgres() : null;
const LEASE_MS = 3_600_000;
const CONFIG = { checksum: 'config', counts: true, avoids: [], unreached: [], reaches: [] };
const ANOTHER = { checksum: 'another', counts: true, avoids: [], unreached: [], reaches: [] };
const SECOND = 1000;
const WATCHES: Shard = 'explorer:chain';

interface Replica {
  readonly store: Store;
  readonly cluster: SharedCluster;
}

class Replicas implements AsyncDisposable {
  readonly url: string;
  readonly #opened = new AsyncDisposableStack();

  constructor(url: string) {
    this.url = url;
  }

  async join(name: string, leaseMs = LEASE_MS): Promise<Replica> {
    const store = this.#opened.use(await openPostgresStore({ place: databaseAt(this.url), owner: name, leaseMs }));
    if (!store.cluster.isShared) throw new Error('several replicas share a database');
    await store.cluster.renew(CONFIG);
    return { store, cluster: store.cluster };
  }

  /** As if the replicas that hold something had not been heard of for so long. */
  async endLeases(agoMs = 1): Promise<void> {
    await execute(this.url, `UPDATE shards SET until = clock_timestamp() - ${agoMs} * interval '1 ms'`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened.disposeAsync();
  }
}

async function replicas(): Promise<Replicas> {
  if (server === null) throw new Error('there is no server');
  return new Replicas(await server.database());
}

async function claimOne({ cluster }: Replica, shard: Shard = WATCHES, windowMs = 0): Promise<ClaimedShard> {
  await cluster.addShards([{ shard, windowMs }]);
  const [claimed] = await cluster.claim(shard.slice(0, shard.indexOf(':')), 1);
  if (claimed === undefined) throw new Error(`${shard} is not free`);
  return claimed;
}

const learn = (store: Store, fence: Fence, change: Parameters<typeof aDecision>[1] = {}): Promise<string[]> =>
  store.commit([aDecision('w', change)], NOON, fence);

(server === null ? describe.skip : describe)('replicas on one PostgreSQL', () => {
  test('a replica that had stood still wrote over what the next one had learned', async () => {
    await using all = await replicas();
    const [former, next] = [await all.join('former'), await all.join('next')];
    const { fence } = await claimOne(former);
    expect(await learn(former.store, fence)).toEqual(['kept']);
    await all.endLeases();
    const taken = await claimOne(next);
    expect(taken).toMatchObject({ isTakeover: true, shard: WATCHES });
    expect(taken.fence.epoch).toBeGreaterThan(fence.epoch);
    expect(await learn(former.store, fence, { expects: 1 })).toEqual(['fenced']);
    expect(await former.store.cover(new Map([['w', { until: NOON + SECOND }]]), fence)).toBe('fenced');
    expect((await next.store.recall(['w'])).get('w')?.version).toBe(1);
    expect(await learn(next.store, taken.fence, { expects: 1 })).toEqual(['kept']);
    expect((await former.cluster.renew(CONFIG)).mine).toEqual([]);
  });

  test('who only looked was not told that a shard has no holder any more', async () => {
    await using all = await replicas();
    const [one, other] = [await all.join('one'), await all.join('other')];
    await claimOne(one);
    const reader = await other.store.reader();
    const holderOf = (id: string | null): object => ({
      replicas: [{ name: 'one' }, { name: 'other', checksum: 'config' }],
      shards: [{ shard: WATCHES, holder: id }],
      config: null,
    });
    expect(await reader.replicas()).toMatchObject(holderOf(one.cluster.id));
    await all.endLeases();
    expect(await reader.replicas()).toMatchObject(holderOf(null));
  });

  test('after an outage longer than the lease its owners had to hand everything over, though nobody had taken it', async () => {
    await using all = await replicas();
    const owner = await all.join('owner');
    const { fence } = await claimOne(owner);
    // A takeover that goes as promised is no reason to say that nobody works.
    await all.endLeases();
    expect(await owner.cluster.allHeld()).toBe(true);
    await all.endLeases(6 * SECOND);
    expect(await owner.cluster.allHeld()).toBe(false);
    expect(await learn(owner.store, fence)).toEqual(['kept']);
    expect(await owner.cluster.allHeld()).toBe(true);
    await all.endLeases();
    expect((await owner.cluster.renew(CONFIG)).mine).toEqual([{ shard: WATCHES, fence, askAfterMs: 0 }]);
    expect(await owner.cluster.hasFree()).toBe(false);
  });

  test('a standby that took over without the last seconds was taken for the same database', async () => {
    await using all = await replicas();
    const [one, other] = [await all.join('one'), await all.join('other')];
    const haveGoneBack = async (): Promise<boolean[]> => {
      const renewed = [await one.cluster.renew(CONFIG), await other.cluster.renew(CONFIG)];
      return renewed.map(({ changed }) => changed === 'went-back');
    };
    expect(await haveGoneBack()).toEqual([false, false]);
    const renewedBefore = async (ago: string): Promise<void> => {
      await execute(all.url, `UPDATE replicas SET until = until - interval '${ago}' WHERE name = 'one'`);
    };
    await renewedBefore('5 seconds');
    expect(await haveGoneBack()).toEqual([true, false]);
    expect(await haveGoneBack()).toEqual([false, false]);
    // It was renewed, and the answer never came.
    await renewedBefore('-5 seconds');
    expect(await haveGoneBack()).toEqual([false, false]);
    await execute(all.url, 'DELETE FROM replicas');
    expect(await haveGoneBack()).toEqual([true, true]);
    await one.cluster.leave();
    expect(await haveGoneBack()).toEqual([false, false]);
  });

  test('a shard that was given back is free at once, and its rate is waited for', async () => {
    await using all = await replicas();
    const [former, next] = [await all.join('former'), await all.join('next')];
    const { fence } = await claimOne(former);
    expect(await next.cluster.claim('explorer', 9)).toEqual([]);
    expect(await former.cluster.release(fence, 5000)).toBe(true);
    expect(await former.cluster.release(fence, 5000)).toBe(false);
    expect(await learn(former.store, fence)).toEqual(['fenced']);
    const [taken] = await next.cluster.claim('explorer', 9);
    expect(taken).toMatchObject({ isTakeover: false });
    expect(taken?.askAfterMs).toBeGreaterThan(3000);
    expect(taken?.askAfterMs).toBeLessThanOrEqual(5000);
  });

  test('after a kill the next one asked before the rate of the former was over', async () => {
    await using all = await replicas();
    const [former, next] = [await all.join('former'), await all.join('next')];
    await claimOne(former, WATCHES, 60_000);
    await all.endLeases(20_000);
    const [taken] = await next.cluster.claim('explorer', 9);
    expect(taken?.askAfterMs).toBeGreaterThan(30_000);
    expect(taken?.askAfterMs).toBeLessThanOrEqual(40_000);
  });

  test('a clock that had been ahead held up every claim until it had caught up, not only the first', async () => {
    await using all = await replicas();
    const [former, next] = [await all.join('former', 10_000), await all.join('next', 10_000)];
    const { fence } = await claimOne(former, WATCHES, 5000);
    await execute(all.url, "UPDATE shards SET ask_from = clock_timestamp() + interval '10 minutes'");
    await former.cluster.release(fence, 5000);
    const [taken] = await next.cluster.claim('explorer', 9);
    expect(taken?.askAfterMs).toBeLessThanOrEqual(15_000);
    expect(
      await execute(all.url, "SELECT FROM shards WHERE ask_from < clock_timestamp() + interval '1 minute'"),
    ).toHaveLength(1);
  });

  test('of two that claim at once both got the shard', async () => {
    await using all = await replicas();
    const some = await Promise.all(['a', 'b', 'c'].map((name) => all.join(name)));
    const shards = Array.from({ length: 30 }, (_, n): Shard => `explorer:e${n}`);
    await some[0]?.cluster.addShards(shards.map((shard) => ({ shard, windowMs: 0 })));
    const claims: ClaimedShard[] = [];
    for (let round = 0; round < 10; round += 1) {
      const claimed = (await Promise.all(some.map(({ cluster }) => cluster.claim('explorer', 4)))).flat();
      expect(new Set(claimed.map(({ shard }) => shard)).size).toBe(claimed.length);
      claims.push(...claimed);
      if (round % 3 === 2) await all.endLeases();
    }
    const epochs = claims.map(({ fence }) => fence.epoch);
    expect(new Set(epochs).size).toBe(epochs.length);
  });

  test('keeps no commit of the former holder after a claim by the next one', async () => {
    await using all = await replicas();
    const [one, other] = [await all.join('one'), await all.join('other')];
    let [holder, waiting] = [one, other];
    let { fence } = await claimOne(holder);
    let kept = 0;
    for (let turn = 0; turn < 60; turn += 1) {
      const late = Array.from({ length: 4 }, (_, n) =>
        holder.store.commit([aDecision(`w${n}`, { expects: turn })], NOON, fence),
      );
      await all.endLeases();
      const claims = await waiting.cluster.claim('explorer', 1);
      // What is seen now is all that the former epoch will ever have written.
      const seen = await waiting.store.recall();
      kept += (await Promise.all(late)).filter(([end]) => end === 'kept').length;
      const [claimed] = claims;
      if (claimed !== undefined) {
        expect(await waiting.store.recall()).toEqual(seen);
        [holder, waiting] = [waiting, holder];
        fence = claimed.fence;
      }
      // Every watch is at the version of the turn, whoever wrote it.
      for (let n = 0; n < 4; n += 1) {
        const version = (await holder.store.recall([`w${n}`])).get(`w${n}`)?.version ?? 0;
        if (version === turn) await holder.store.commit([aDecision(`w${n}`, { expects: turn })], NOON, fence);
      }
    }
    const versions = [...(await one.store.recall()).values()].map(({ version }) => version);
    expect(versions).toEqual([60, 60, 60, 60]);
    expect(kept).toBeGreaterThan(0);
  });

  test('what one replica was sending is due again for the next one, and nothing of other channels', async () => {
    await using all = await replicas();
    const [former, next] = [await all.join('former'), await all.join('next')];
    const shards: Shard[] = ['channel:mail', 'channel:chat'];
    await former.cluster.addShards(shards.map((shard) => ({ shard, windowMs: 0 })));
    const held = new Map((await former.cluster.claim('channel', 2)).map(({ shard, fence }) => [shard, fence]));
    await execute(
      all.url,
      `INSERT INTO deliveries (id, channel, recipient, kind, rank, state, attempt, due_at, created_at, runtime_at, lease_until)
      SELECT c, c, c, 'news', 1, 'sending', 1, 0, 0, 0, ${NOON + 60 * SECOND} FROM unnest(ARRAY['mail', 'chat']) AS one (c)`,
    );
    const mail = held.get('channel:mail');
    if (mail === undefined) throw new Error('it was claimed');
    await former.cluster.release(mail, 0);
    await next.cluster.claim('channel', 2);
    expect(await next.store.expire('mail', NOON, [])).toBe(1);
    expect(await next.store.expire('chat', NOON, [])).toBe(0);
  });

  test('a shard that came back after it was removed was held under an epoch of before', async () => {
    await using all = await replicas();
    const one = await all.join('one');
    const { fence } = await claimOne(one);
    await one.cluster.dropShard(fence);
    expect((await one.cluster.renew(CONFIG)).shards).toEqual([]);
    expect((await claimOne(one)).fence.epoch).toBeGreaterThan(fence.epoch);
  });

  test('each replica knows the others, who holds what, and which config was in force', async () => {
    await using all = await replicas();
    const [one, other] = [await all.join('one'), await all.join('other')];
    await claimOne(one);
    await one.cluster.addShards([{ shard: 'channel:mail', windowMs: 0 }]);
    expect(await one.cluster.agree('config', null, NOON)).toBe(true);
    expect(await other.cluster.agree('another', null, NOON)).toBe(false);
    const seen = await other.cluster.renew(ANOTHER);
    expect(seen.replicas.map(({ name, checksum }) => [name, checksum]).toSorted()).toEqual([
      ['one', 'config'],
      ['other', 'another'],
    ]);
    expect(seen.shards).toEqual([
      { shard: 'channel:mail', holder: null },
      { shard: WATCHES, holder: one.cluster.id },
    ]);
    expect(seen.config).toBe('config');
    const announced = seen.replicas.map(({ announcedAt }) => announcedAt);
    expect((await other.cluster.renew(ANOTHER)).replicas.map(({ announcedAt }) => announcedAt)).toEqual(announced);
    await one.cluster.leave();
    expect((await other.cluster.renew(ANOTHER)).replicas.map(({ name }) => name)).toEqual(['other']);
    const kinds = (await one.store.history({ limit: 9 })).map(({ kind, actor }) => `${actor} ${kind}`);
    expect(kinds.toReversed()).toEqual([
      'one replica-joined',
      'other replica-joined',
      'one shard-claimed',
      'one config-in-force',
    ]);
  });

  test('memories are written in the newest format that all live replicas read, and one of a newer format not at all', async () => {
    await using all = await replicas();
    const [one, other] = [await all.join('one'), await all.join('other')];
    const { fence } = await claimOne(one);
    const commit = async (expects: number) => one.store.commit([aDecision('w', { expects })], NOON, fence);
    const formats = async () =>
      (await execute(all.url, 'SELECT format FROM memory')).map(({ format }) => Number(format));
    await execute(all.url, `UPDATE replicas SET format = 0 WHERE name = 'other'`);
    await one.cluster.renew(CONFIG);
    expect(await commit(0)).toEqual(['kept']);
    expect(await formats()).toEqual([0]);
    await other.cluster.leave();
    await one.cluster.renew(CONFIG);
    expect(await commit(1)).toEqual(['kept']);
    expect(await formats()).toEqual([1]);

    await execute(all.url, 'UPDATE memory SET format = 2');
    expect(await commit(2)).toEqual(['superseded']);
    await one.store.forget(['w']);
    expect(await formats()).toEqual([2]);
    const damaged: unknown[] = [];
    await one.store.recall(['w'], (id, _why, isNewer) => damaged.push([id, isNewer]));
    expect(damaged).toEqual([['w', true]]);
  });

  test('nothing is written once a newer release has changed the tables, also before the next renewal', async () => {
    await using all = await replicas();
    const one = await all.join('one');
    const { fence } = await claimOne(one);
    expect(await one.store.commit([aDecision('w', { expects: 0 })], NOON, fence)).toEqual(['kept']);
    await execute(all.url, 'UPDATE cluster SET schema = schema + 1');
    expect(await one.store.commit([aDecision('w', { expects: 1 })], NOON, fence)).toEqual(['fenced']);
    const renewing = one.cluster.renew(CONFIG);
    await expect(renewing).rejects.toThrow('was written by a newer release');
    expect(one.cluster.isOver(await renewing.catch((error: unknown) => error))).toBe(true);
  });

  test('a message does not wait for one that another replica sent while the order was written', async () => {
    await using all = await replicas();
    const one = await all.join('one');
    const { fence } = await claimOne(one, 'channel:ops');
    await execute(
      all.url,
      `INSERT INTO deliveries (id, channel, recipient, kind, rank, state, due_at, created_at, runtime_at)
      SELECT id, 'ops', 'ops', 'news', 1, state, 0, 0, 0
      FROM (VALUES ('earlier', 'sent'), ('later', 'due')) AS one (id, state);
      INSERT INTO delivery_order SELECT later.number, earlier.number FROM deliveries AS later, deliveries AS earlier
      WHERE later.id = 'later' AND earlier.id = 'earlier'`,
    );
    expect(await one.store.nextDue({ ...allOf('ops'), perRule: 9 })).toBe(0);
    await one.store.claim(
      { ...allOf('ops'), perRule: 9, limit: 9, at: NOON, leaseMs: LEASE_MS, outOfTurn: null },
      fence,
    );
    const [later] = await execute(all.url, "SELECT attempt FROM deliveries WHERE id = 'later'");
    expect(Number(later?.['attempt'])).toBe(1);
  });

  test('one request of an operator that came to two replicas was carried out twice, or refused by one of them', async () => {
    await using all = await replicas();
    const some = await Promise.all(['a', 'b', 'c'].map((name) => all.join(name)));
    const pause = {
      type: 'pause',
      watch: 'vault',
      matchers: { watch: 'vault' },
      until: NOON + LEASE_MS,
      comment: '',
    } as const;
    for (let n = 0; n < 10; n += 1) {
      const request = { key: `request-${n}`, asked: 'a pause', actor: 'ada' };
      const ends = await Promise.all(some.map(({ store }) => operate(store, pause, request, { at: NOON + n })));
      expect(ends).toEqual(some.map(() => ends[0]));
      expect(ends[0]?.type).toBe('kept');
    }
    const [first] = some;
    expect((await first?.store.pauses())?.filter(({ until }) => until > NOON + 10)).toHaveLength(1);
  });

  test('a round of one replica knows the acknowledgements that another one has just written', async () => {
    await using all = await replicas();
    const [dispatching, other] = [await all.join('dispatching'), await all.join('other')];
    await claimAll(dispatching.store, ['service:test']);
    const transitions = [aTransition({ key: 'low', episode: 1, seq: 1, type: 'alert.firing' })];
    await commit(dispatching.store, [aDecision('w', { transitions })], NOON);
    await route(dispatching.store, NOON);
    const acked = async (): Promise<string[]> => {
      const { policy } = await dispatching.store.readDue(dueQuery(NOON));
      return policy.acks.map(({ actor }) => actor);
    };
    const alert = { key: 'low', episode: 1 };
    const ack = { type: 'ack', ...alert, seq: 1, severity: 'warning', until: NOON + LEASE_MS, comment: null } as const;
    const by = (key: string, actor = 'ada') => ({ key, asked: key, actor });
    expect(await acked()).toEqual([]);
    await operate(other.store, { ...ack, replace: false }, by('a1'), { at: NOON });
    expect(await acked()).toEqual(['ada']);
    await operate(other.store, { ...ack, replace: true }, by('a2', 'bob'), { at: NOON });
    expect(await acked()).toEqual(['bob']);
    await operate(other.store, { type: 'end-ack', ...alert }, by('k3'), { at: NOON });
    expect(await acked()).toEqual([]);
  });

  test('what was taken back was sent all the same, because another replica claimed it in that moment', async () => {
    await using all = await replicas();
    const [dispatching, sending] = [await all.join('dispatching'), await all.join('sending')];
    await claimAll(dispatching.store, ['service:test']);
    const { fence } = await claimOne(sending, 'channel:ops');
    const nothing = { owing: [], told: [], informed: [], turned: [], undeliverable: [] };
    const ends = new Set<string>();
    for (let n = 0; n < 30; n += 1) {
      const id = `alert-${n}`;
      await owe(dispatching.store, id, [aDelivery({ id, watch: id })], NOON);
      const target = { channel: 'ops', recipient: 'ops' };
      const withdrawn = [{ target, key: id, from: 1, as: 'merged' }] as const;
      const [round, claimed] = await Promise.all([
        dispatching.store.commitRouting(
          { unrouted: [], retracting: [], known: [] },
          { ...nothing, withdrawn },
          NOON,
          fenceOf(dispatching.store, 'service:test'),
        ),
        sending.store.claim(
          { ...allOf('ops'), perRule: 99, limit: 1, at: NOON, leaseMs: LEASE_MS, outOfTurn: null },
          fence,
        ),
      ]);
      const [row] = await execute(all.url, `SELECT state FROM deliveries WHERE id = '${id}'`);
      expect([round, claimed.length, row?.['state']]).toEqual(
        claimed.length === 1 ? ['superseded', 1, 'sending'] : ['kept', 0, 'merged'],
      );
      ends.add(round);
    }
    expect(ends.size).toBeGreaterThan(0);
  });

  test('each replica writes a row of how it does, and the row of one that is gone is not shown', async () => {
    await using all = await replicas();
    const [one, other] = [await all.join('one'), await all.join('other')];
    const health = summaryOfHealth(calmHealth(NOON));
    await one.store.keepHealth({ ...health, troubles: [{ explorer: 'a', text: 'refuses the key', isDoubted: false }] });
    await other.store.keepHealth({ ...health, troubles: [{ explorer: 'b', text: 'is busy', isDoubted: false }] });
    const shown = async (): Promise<readonly string[]> =>
      [...(await (await one.store.reader()).health()).values()].flatMap(({ troubles }) =>
        troubles.map(({ explorer, text }) => `${explorer}: ${text}`),
      );
    expect((await shown()).toSorted()).toEqual(['a: refuses the key', 'b: is busy']);
    await other.cluster.leave();
    expect(await shown()).toEqual(['a: refuses the key']);
  });
});
