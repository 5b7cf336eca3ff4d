// Reports of replicas: each time of a report is told by one of them, whichever polls its watches.
import { expect } from '@jest/globals';
import { openReplicaScene, RULES } from '../../support/cluster/replica-scene.ts';
import { postgresTest } from '../../support/store/postgres.ts';

const TENS =
  "reports: [{ id: tens, cron: '*/10 * * * * *', watches: [coins-0, coins-1, coins-2], values: [balance], total: balance, notify: [hook] }]\n";

interface Told {
  readonly data: { readonly id: string; readonly since: string; readonly subject: string };
}

postgresTest('a report is told once for each of its times, also after the replica that told it is killed', async () => {
  await using scene = await openReplicaScene();
  const rules = `${RULES}${TENS}`;
  const first = await scene.replica({ rules });
  const second = await scene.replica({ rules });
  await scene.told.reached(1);
  first.kill('SIGKILL');
  await first.ended;
  const { length } = scene.told.all;
  await scene.told.reached(length + 2);
  await second.stop();
  const told = scene.calls.all
    .filter(({ path }) => path === '/hook')
    .map(({ body }) => (JSON.parse(body) as Told).data);
  expect(new Set(told.map(({ subject }) => subject))).toEqual(
    new Set([expect.stringMatching(/^\[INFO\] report tens: 15 \w+ in 3 balances$/)]),
  );
  // The message that was under way when the replica was killed may come again, under its id.
  const times = new Map(told.map(({ id, since }) => [id, since]));
  expect(new Set(times.values()).size).toBe(times.size);
});
