// Replicas of which one reaches what the others need not miss: an explorer, or the database.
import { expect } from '@jest/globals';
import { openReplicaScene, type Replica, type ReplicaScene } from '../../support/cluster/replica-scene.ts';
import { openProxy } from '../../cluster/proxy.ts';
import { concurrentPostgresTest } from '../../support/store/postgres.ts';

const isLow = (purse: number): unknown => expect.stringMatching(new RegExp(`^\\[CRITICAL\\] purse_${purse} `));

async function shown({ until }: ReplicaScene, replica: Replica, line: string): Promise<void> {
  await until(async () => (await replica.page('/readyz')).body.includes(line));
}

concurrentPostgresTest(
  'a replica that reaches no explorer leaves its shard to one that does, and says nothing false',
  async () => {
    await using scene = await openReplicaScene();
    const first = await scene.replica({ address: '127.0.0.11', self: '[hook]' });
    await scene.begun();
    const second = await scene.replica({ address: '127.0.0.12', self: '[hook]' });
    await shown(scene, second, 'works on 1');
    scene.barred.add('127.0.0.11');
    await scene.fill(0, 0);
    await first.says('cluster:unreached');
    await shown(scene, second, 'explorer:chain');
    for (let count = 1; !(await scene.told.reached(count)).some((subject) => subject.includes('purse_0')); count += 1);
    expect((await first.page('/readyz')).status).toBe(200);
    expect((await first.page('/readyz')).body).not.toMatch(/shards:.*explorer:chain/);
    await second.stop();
    await first.stop();
    expect(scene.told.all.filter((subject) => subject.includes('purse_'))).toEqual([isLow(0)]);
  },
);

concurrentPostgresTest(
  'a replica that was cut off from the database, and polls nothing afterwards, is ready again',
  async () => {
    await using scene = await openReplicaScene();
    await using line = await openProxy({ target: scene.postgres.port, address: '127.0.0.13' });
    const first = await scene.replica({ databasePort: line.port });
    await scene.begun();
    const second = await scene.replica();
    await shown(scene, second, 'works on 1');
    line.set({ type: 'cut' });
    await shown(scene, second, 'explorer:chain');
    expect((await first.page('/readyz')).status).toBe(503);
    line.set({ type: 'open' });
    await scene.until(async () => (await first.page('/readyz')).status === 200);
    expect((await first.page('/readyz')).body).not.toContain('explorer:chain');
    expect((await second.page('/readyz')).status).toBe(200);
  },
);
