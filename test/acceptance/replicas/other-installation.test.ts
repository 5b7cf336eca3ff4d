// Daemons that come to the database of another installation by mistake.
import { expect } from '@jest/globals';
import { openReplicaScene, PURSES, type Replica, type ReplicaScene } from '../../support/cluster/replica-scene.ts';
import { concurrentPostgresTest } from '../../support/store/postgres.ts';

const FOREIGN = `
watches:
  - { id: theirs, explorer: chain, kind: balance, of: purse_2, every: 1s, notify: [hook], alerts: [{ id: low, while: balance < 1 }] }
`;

async function begun(scene: ReplicaScene): Promise<Replica> {
  const own = await scene.replica({ self: '[hook]' });
  await scene.begun();
  return own;
}

concurrentPostgresTest(
  'another installation is refused where it comes to a database by mistake, and one that finds it there ends',
  async () => {
    await using scene = await openReplicaScene();
    const own = await begun(scene);
    const foreign = await scene.replica({ installation: 'staging' });
    expect(await foreign.ended).toEqual({ code: 78, signal: null });
    expect(foreign.err()).toContain('is the state of the installation "stories", and this config is of "staging"');
    expect(await foreign.command(['status'])).toContain('is the state of the installation "stories"');
    expect(await foreign.command(['state', 'check'])).toContain('write name: stories');
    expect(await own.command(['state', 'check'])).toContain('installation stories');
    expect(await scene.sql('SELECT name FROM replicas')).toHaveLength(1);

    // A database that was put in the place of this one, under a replica that works.
    await scene.sql(`UPDATE cluster SET installation = 'staging'`);
    expect(await own.ended).toEqual({ code: 78, signal: null });
    expect(await scene.sql('SELECT FROM shards WHERE owner IS NOT NULL')).toEqual([]);
    expect(own.err()).toContain('is the state of the installation "staging"');
  },
);

concurrentPostgresTest(
  'two replicas that know nothing of what a database remembers take nothing over, and end nothing that is open',
  async () => {
    await using scene = await openReplicaScene();
    const { told, fails } = scene;
    const own = await begun(scene);
    await scene.fill(2, 0);
    await told.reached(1);

    // With the name of the installation, as after a copied file.
    const foreign = [await scene.replica({ rules: FOREIGN }), await scene.replica({ rules: FOREIGN })];
    for (const one of foreign) await one.says('cluster:not-counted');
    for (const one of foreign)
      expect(await one.page('/readyz')).toMatchObject({
        status: 503,
        body: expect.stringContaining('chainwarden state accept'),
      });
    await scene.fill(0, 0);
    expect(await told.reached(2)).toContainEqual(expect.stringMatching(/^\[CRITICAL\] purse_0 /));

    expect(await own.page('/readyz')).toMatchObject({ status: 200, body: expect.stringContaining('works on 4 of 4') });
    await own.stop();

    // After a minute. All live replicas have agreed on one config for longer than half of it by then.
    expect(await fails.reached(1)).toContainEqual(
      expect.stringContaining('names no watch that the database remembers'),
    );
    expect(told.all.filter((subject) => subject.startsWith('[RESOLVED'))).toEqual([]);
    expect(await scene.sql(`SELECT FROM memory WHERE watch LIKE 'coins-%'`)).toHaveLength(PURSES.length);
    expect(await scene.sql('SELECT FROM shards WHERE owner IS NOT NULL')).toEqual([]);

    // An operator says that they are meant to.
    expect(await foreign[0]?.command(['state', 'accept'])).toMatch(/^accepted: config [0-9a-f]{32}\. It is run by /);
    await foreign[0]?.says('cluster:claimed');
    await scene.until(async () => (await scene.sql(`SELECT FROM memory WHERE watch LIKE 'theirs%'`)).length > 0);
    for (const one of foreign) await one.stop();
  },
);
