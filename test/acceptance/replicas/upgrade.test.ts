// Replicas of two releases on one database: the sources as they are, and a copy of them that stands for the next release.
import { join } from 'node:path';
import { expect, jest } from '@jest/globals';
import { copyEdited, type Copy } from '../../simulation/bugs/copies.ts';
import { SCHEMA_STEPS } from '../../../src/store/sql/schema.ts';
import { openReplicaScene, type Replica, type ReplicaScene } from '../../support/cluster/replica-scene.ts';
import { concurrentPostgresTest } from '../../support/store/postgres.ts';

jest.setTimeout(240_000);

const LAST_STEP = '  ({ int }) => [`ALTER TABLE notifications ADD COLUMN details_until ${int}`],\n';

/** The next release has a further column. */
function withColumn(): Copy {
  const step = '  ({ int }) => [`ALTER TABLE memory ADD COLUMN quorum ${int}`],\n';
  return copyEdited('a further column', [
    { file: 'src/store/sql/schema.ts', find: LAST_STEP, replace: `${LAST_STEP}${step}` },
  ]);
}

/** The next release has another format of memories. */
function withFormat(): Copy {
  const [find, replace] = ['MEMORY_FORMAT = 1;', 'MEMORY_FORMAT = 2;'];
  return copyEdited('a newer format', [{ file: 'src/store/tables/memory/stored-memory.ts', find, replace }]);
}

const mainOf = ({ folder }: Copy): string => join(folder, 'src/main.ts');

async function begun(scene: ReplicaScene): Promise<Replica> {
  const replica = await scene.replica();
  await scene.begun();
  return replica;
}

async function memoriesOf({ sql }: ReplicaScene): Promise<{ format: number; version: number }[]> {
  const rows = await sql(`SELECT format, version FROM memory WHERE watch LIKE 'coins-%' ORDER BY watch`);
  return rows.map(({ format, version }) => ({ format: Number(format), version: Number(version) }));
}

concurrentPostgresTest(
  'a replica of an older release ends where a newer one has changed the tables, and a copy from before leads back',
  async () => {
    using next = withColumn();
    await using scene = await openReplicaScene();
    const { told } = scene;
    const former = await begun(scene);
    expect(await former.command(['state', 'copy', '--to', 'before-upgrade.db'])).toContain('copied into');

    const newer = await scene.replica({ main: mainOf(next) });
    expect(await former.ended).toEqual({ code: 74, signal: null });
    const known = SCHEMA_STEPS.length;
    expect(former.err()).toContain(
      `was written by a newer release (schema ${known + 1}, this one knows up to ${known}). Install that release`,
    );
    await scene.fill(0, 0);
    await told.reached(1);
    const again = await scene.replica();
    expect(await again.ended).toEqual({ code: 74, signal: null });
    await newer.stop();

    // What has happened since is found and told again, under the same ids.
    const url = await scene.postgres.database();
    const copy = ['state', 'copy', '--from', 'before-upgrade.db'];
    expect(await former.command(copy, { DATABASE_URL: url })).toContain('copied into');
    const last = await scene.replica({ url });
    expect(await told.reached(2)).toEqual([
      expect.stringMatching(/^\[CRITICAL\] purse_0 /),
      expect.stringMatching(/^\[CRITICAL\] purse_0 /),
    ]);
    expect(last.err()).not.toContain('watch:baseline');
    await last.stop();
  },
);

concurrentPostgresTest(
  'memories of a newer format are written once all replicas read it, and an older release leaves them as they are',
  async () => {
    using next = withFormat();
    await using scene = await openReplicaScene();
    const { told } = scene;
    const former = await begun(scene);
    const newer = await scene.replica({ main: mainOf(next) });
    await scene.fill(0, 0);
    await told.reached(1);
    expect((await memoriesOf(scene)).map(({ format }) => format)).toEqual([1, 1, 1]);
    await former.stop();
    await newer.says('"shard":"explorer:chain"');
    await renewed(scene);
    await scene.fill(1, 0);
    await told.reached(2);
    expect((await memoriesOf(scene))[1]?.format).toBe(2);

    await newer.stop();
    // It may have written another one besides.
    await scene.sql(`UPDATE memory SET format = 1 WHERE watch NOT LIKE 'coins-1%'`);

    const back = await scene.replica();
    expect(await back.says('watch:memory-newer')).toContain('format 2, this one reads up to 1');
    const [, before] = await memoriesOf(scene);
    await scene.fill(1, 5);
    // The other watches of the explorer go on.
    await scene.fill(2, 0);
    expect((await told.reached(3)).at(-1)).toMatch(/^\[CRITICAL\] purse_2 /);
    expect((await memoriesOf(scene))[1]).toEqual(before);

    const second = await scene.replica({ main: mainOf(next) });
    await second.says('"shard":"explorer:chain"');
    expect((await told.reached(4)).at(-1)).toMatch(/^\[RESOLVED.*purse_1 /);
    await second.stop();
    expect(told.all).toHaveLength(4);

    // The newer release is gone for good.
    await scene.sql(`UPDATE memory SET format = 2 WHERE watch LIKE 'coins-1%'`);
    await back.stop();
    const alone = await scene.replica();
    await alone.says('watch:memory-newer');
    expect(await alone.command(['state', 'forget', 'coins-1'])).toContain('its memory is removed');
    await scene.fill(1, 0);
    expect((await told.reached(5)).at(-1)).toMatch(/^\[CRITICAL\] purse_1 /);
    expect((await memoriesOf(scene)).map(({ format }) => format)).toEqual([1, 1, 1]);
    await alone.stop();
  },
);

/** The one replica that is there has renewed its leases since it is alone. */
async function renewed({ sql, until }: ReplicaScene): Promise<void> {
  const live = () => sql('SELECT until::text FROM replicas');
  await until(async () => (await live()).length === 1);
  const [before] = await live();
  await until(async () => (await live())[0]?.['until'] !== before?.['until']);
}
