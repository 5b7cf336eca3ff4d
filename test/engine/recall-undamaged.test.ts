// Memories that only one loop uses: a damaged one is removed, one of a newer release is left as it is.
import { expect, test } from '@jest/globals';
import { createRecallUndamaged } from '../../src/engine/recall-undamaged.ts';
import { createSelfAlerts } from '../../src/engine/self/self-alerts.ts';
import { NOBODY_TOLD } from '../../src/engine/sending/unrecorded.ts';
import { createMemoryDatabase } from '../../src/store/sqlite/driver.ts';
import { aDecision, NOON } from '../store/builders.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { fenceOf, ownershipOf } from '../support/store/fences.ts';
import { createMemoryStore } from '../support/store/memory-store.ts';

function aState() {
  const database = createMemoryDatabase();
  const store = createMemoryStore(database);
  const log = createRecordingLog();
  return {
    store,
    log,
    recall: createRecallUndamaged({ store, log }),
    change: (sets: string, watch: string) =>
      database.write('commit', (sql) => sql.run(`UPDATE memory SET ${sets} WHERE watch = $1`, [watch])),
    commit: (watch: string, expects: number) =>
      store.commit([aDecision(watch, { expects })], NOON, fenceOf(store, 'service:dispatch')),
    events: () => log.lines.map((line, n) => [line, log.fields[n]?.['watch']]),
  };
}

test('a damaged memory is removed, and its loop begins anew', async () => {
  const { commit, change, recall, store, events } = aState();
  for (const watch of ['a', 'b']) expect(await commit(watch, 0)).toEqual(['kept']);
  await change("alerts = '{'", 'a');
  expect([...(await recall(['a', 'b'])).keys()]).toEqual(['b']);
  expect(await store.remembered()).toEqual(['b']);
  expect(events()).toEqual([['warn watch:memory-damaged', 'a']]);
  expect(await commit('a', 0)).toEqual(['kept']);
  expect([...(await recall(['a', 'b'])).keys()]).toEqual(['a', 'b']);
});

test('a memory of a newer release is neither removed nor overwritten, is logged once, and goes on when it can be read', async () => {
  const { commit, change, recall, store, events } = aState();
  expect(await commit('a', 0)).toEqual(['kept']);
  await change('format = 99', 'a');
  for (let reading = 0; reading < 3; reading += 1) {
    expect([...(await recall(['a'])).keys()]).toEqual([]);
    expect(await commit('a', 0)).toEqual(['superseded']);
  }
  expect(await store.remembered()).toEqual(['a']);
  expect(events()).toEqual([['error watch:memory-newer', 'a']]);
  await change('format = 1', 'a');
  expect((await recall(['a'])).get('a')?.version).toBe(1);
  expect(events()).toHaveLength(1);
});

test('an alert about the daemon that a newer release remembers is left to it, and another one is told', async () => {
  const { store, log, change } = aState();
  const clock = createFakeClock();
  const causeOf = (subject: string) => ({
    alert: 'blind' as const,
    subject,
    severity: 'critical' as const,
    since: 0,
    watches: 2,
    title: `${subject} does not answer`,
    text: [],
    isExplained: false,
  });
  const causes = [causeOf('one/no-answer')];
  const find = () => Promise.resolve({ causes, isUndecided: () => false });
  const run = async (): Promise<void> => {
    const stop = new AbortController();
    const self = createSelfAlerts({
      store,
      ownership: ownershipOf(store),
      shardOf: () => 'explorer:one',
      clock,
      log,
      find,
      notify: () => ['ops'],
      timeZone: () => 'UTC',
      onTransitions: () => undefined,
      unrecorded: NOBODY_TOLD,
    });
    const running = self.run(stop.signal);
    await clock.advance(60_000);
    stop.abort();
    await running;
  };
  await run();
  const [id = ''] = await store.remembered();
  expect(id).toContain('one/no-answer');
  await change('format = 99', id);
  causes.push(causeOf('two/no-answer'));
  await run();
  const ids = (await store.remembered()).toSorted();
  expect(ids).toEqual([id, expect.stringContaining('two/no-answer')]);
  expect([...(await store.recall(ids, () => undefined)).keys()]).toEqual(ids.slice(1));
  expect(log.lines.filter((line) => line === 'error watch:memory-newer')).toHaveLength(1);
});
