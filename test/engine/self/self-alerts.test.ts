import { expect, test } from '@jest/globals';
import type { Severity } from '../../../src/core/model/ids.ts';
import type { Cause, SelfFindings } from '../../../src/engine/self/cause.ts';
import { createSelfAlerts, type SelfAlertsOptions } from '../../../src/engine/self/self-alerts.ts';
import { isSelfWatch, parseSelfWatchId, selfWatchId } from '../../../src/engine/self/self-watch.ts';
import { NOBODY_TOLD } from '../../../src/engine/sending/unrecorded.ts';
import { StorageError, type Store } from '../../../src/store/contract/store.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { createShards } from '../../support/engine/moving-ownership.ts';
import { createMemoryStore } from '../../support/store/memory-store.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { claim, dispatch, settle } from '../../support/store/store-calls.ts';
import { ownershipOf } from '../../support/store/fences.ts';

function aCause(severity: Severity, changes: Partial<Cause> = {}): Cause {
  return {
    alert: 'blind',
    subject: 'ethereum/no-answer',
    severity,
    since: 0,
    watches: 2,
    title: 'ethereum does not answer, 2 watches',
    text: [{ text: 'Since 21:12 UTC: timeout.' }],
    isExplained: false,
    ...changes,
  };
}

/** Self-alerts over a store that outlives them; `said` takes what is due. */
function aStory(store: Store = createMemoryStore(), change: Partial<Pick<SelfAlertsOptions, 'ownership'>> = {}) {
  const clock = createFakeClock();
  const log = createRecordingLog();
  const found = { causes: [] as Cause[], isUndecided: false, notify: ['ops'] };
  const find = (): Promise<SelfFindings> =>
    Promise.resolve({ causes: found.causes, isUndecided: () => found.isUndecided });
  let stop = new AbortController();
  const begin = () => {
    const self = createSelfAlerts({
      store,
      ownership: ownershipOf(store),
      shardOf: ({ subject }) => `explorer:${subject.split('/')[0] ?? ''}`,
      clock,
      log,
      find,
      notify: () => found.notify,
      timeZone: () => 'UTC',
      onTransitions: () => undefined,
      unrecorded: NOBODY_TOLD,
      ...change,
    });
    return { self, running: self.run(stop.signal) };
  };
  let present = begin();
  return {
    clock,
    log,
    store,
    found,
    get self() {
      return present.self;
    },
    async restart() {
      stop.abort();
      await present.running;
      stop = new AbortController();
      present = begin();
    },
    async said(ms = 10_000): Promise<string[]> {
      await clock.advance(ms);
      await dispatch(store, clock.now());
      const all = await claim(store, 'ops', 100, clock.now());
      for (const { delivery, attempt } of all)
        await settle(
          store,
          delivery.id,
          { state: 'sent', outcome: { type: 'sent', answer: '' } },
          clock.now(),
          attempt,
        );
      return all.map(
        ({
          delivery: {
            members: [{ message }],
          },
        }) => `${message.severity} ${message.type} ${message.title}`,
      );
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await present.running;
    },
  };
}

const TITLE = 'blind: ethereum does not answer, 2 watches';

test('a cause is told when it was seen twice, once, and when it is over; an hour later nothing is remembered', async () => {
  await using story = aStory();
  story.found.causes = [aCause('warning')];
  expect(await story.said(0)).toEqual([]);
  expect(await story.said()).toEqual([`warning alert.firing ${TITLE}`]);
  expect(await story.said(3_600_000)).toEqual([]);
  expect(story.self.watches().map(({ rule, alerts }) => [rule, alerts[0]?.id])).toEqual([['chainwarden', 'blind']]);
  story.found.causes = [];
  expect(await story.said()).toEqual([`warning alert.resolved no longer: ${TITLE}`]);
  expect(await story.said(7_200_000)).toEqual([]);
  expect(await story.store.remembered()).toEqual([]);
});

test('each replica reports its own explorers, and continues the reports of the replica before it', async () => {
  const store = createMemoryStore();
  const shards = createShards();
  const [one, other] = [shards.replica('one'), shards.replica('other')];
  await using first = aStory(shards.guard(store), { ownership: one });
  await using second = aStory(shards.guard(store), { ownership: other });
  for (const [ownership, story] of [
    [one, first],
    [other, second],
  ] as const) {
    const moved = (): Promise<void> => {
      story.self.shardsMoved();
      return Promise.resolve();
    };
    ownership.follow({ claimed: moved, releasing: moved, lost: () => undefined });
  }
  await one.claim('explorer:ethereum');
  await other.claim('explorer:gnosis');
  for (const { found } of [first, second]) found.causes = [aCause('warning')];
  expect(await second.said(60_000)).toEqual([]);
  expect(await first.said(60_000)).toEqual([`warning alert.firing ${TITLE}`]);

  await one.release('explorer:ethereum');
  await other.claim('explorer:ethereum');
  expect(await first.said(60_000)).toEqual([]);
  expect(await second.said(60_000)).toEqual([]);
  second.found.causes = [];
  expect(await first.said(60_000)).toEqual([]);
  expect(await second.said(60_000)).toEqual([`warning alert.resolved no longer: ${TITLE}`]);
});

test('reads the reports of another replica again after a failure of the storage, and sends their end', async () => {
  const store = createMemoryStore();
  const shards = createShards();
  const [one, other] = [shards.replica('one'), shards.replica('other')];
  let failures = 0;
  const failing: Store = {
    ...shards.guard(store),
    remembered() {
      failures -= 1;
      return failures >= 0 ? Promise.reject(new StorageError('gone')) : store.remembered();
    },
  };
  await using first = aStory(shards.guard(store), { ownership: one });
  await using second = aStory(failing, { ownership: other });
  await one.claim('explorer:ethereum');
  first.found.causes = [aCause('warning')];
  expect(await second.said(60_000)).toEqual([]);
  expect(await first.said(60_000)).toEqual([`warning alert.firing ${TITLE}`]);

  await one.release('explorer:ethereum');
  await other.claim('explorer:ethereum');
  failures = 1;
  second.self.shardsMoved();
  expect(await second.said(60_000)).toEqual([`warning alert.resolved no longer: ${TITLE}`]);
  expect(second.log.lines).toEqual(['warn self:failed', 'info self:resolved', 'info self:looks-again']);
});

test('what was seen once only, as after a machine slept, is not told', async () => {
  await using story = aStory();
  story.found.causes = [aCause('warning')];
  await story.said(0);
  story.found.causes = [];
  expect(await story.said(60_000)).toEqual([]);
});

test('a cause that becomes worse is told again at its new severity, and one that becomes milder is not', async () => {
  await using story = aStory();
  story.found.causes = [aCause('warning')];
  await story.said(20_000);
  story.found.causes = [aCause('critical')];
  expect(await story.said(20_000)).toEqual([`critical alert.firing ${TITLE}`]);
  story.found.causes = [aCause('info')];
  expect(await story.said(600_000)).toEqual([]);
  story.found.causes = [];
  expect((await story.said()).toSorted()).toEqual([
    `critical alert.resolved no longer: ${TITLE}`,
    `warning alert.resolved no longer: ${TITLE}`,
  ]);
});

test('a restart repeats nothing, and resolves nothing before it is known whether the cause lasts', async () => {
  await using story = aStory();
  story.found.causes = [aCause('critical')];
  await story.said(20_000);
  await story.restart();
  Object.assign(story.found, { causes: [], isUndecided: true });
  expect(await story.said(300_000)).toEqual([]);
  story.found.isUndecided = false;
  expect(await story.said()).toEqual([`critical alert.resolved no longer: ${TITLE}`]);
});

test('what another cause explains does not begin, and what fires is not taken back by the explanation', async () => {
  await using story = aStory();
  story.found.causes = [aCause('critical', { isExplained: true })];
  expect(await story.said(60_000)).toEqual([]);
  story.found.causes = [aCause('critical')];
  expect(await story.said(20_000)).toEqual([`critical alert.firing ${TITLE}`]);
  story.found.causes = [aCause('critical', { isExplained: true })];
  expect(await story.said(600_000)).toEqual([]);
});

test('three outages within an hour are flapping: told once as such, and once how it ended', async () => {
  await using story = aStory();
  const said: string[] = [];
  for (let outages = 0; outages < 6; outages += 1) {
    story.found.causes = [aCause('warning')];
    said.push(...(await story.said(60_000)));
    story.found.causes = [];
    said.push(...(await story.said(60_000)));
  }
  expect(said.map((line) => line.split(' ')[1])).toEqual([
    'alert.firing',
    'alert.resolved',
    'alert.firing',
    'alert.resolved',
    'alert.firing',
  ]);
  expect(await story.said(2_000_000)).toEqual([`warning alert.resolved no longer: ${TITLE}`]);
});

test('a clock that is set back by a day delays neither the telling nor the end', async () => {
  await using story = aStory();
  story.found.causes = [aCause('warning')];
  await story.said(20_000);
  await story.clock.setTo(story.clock.now() - 86_400_000);
  await story.said();
  story.found.causes = [aCause('critical')];
  expect(await story.said(20_000)).toEqual([`critical alert.firing ${TITLE}`]);
  story.found.causes = [];
  expect(await story.said()).toHaveLength(2);
});

test('a storage that fails is said once in the log, and what it did not keep is told once when it works again', async () => {
  const disk = { isFull: false };
  const store = createMemoryStore();
  await using story = aStory({
    ...store,
    commit: (...args) => (disk.isFull ? Promise.reject(new StorageError('disk full')) : store.commit(...args)),
  });
  disk.isFull = true;
  story.found.causes = [aCause('critical')];
  expect(await story.said(120_000)).toEqual([]);
  expect(story.log.lines.filter((line) => line.includes('self:'))).toEqual(['warn self:failed']);
  disk.isFull = false;
  expect(await story.said(20_000)).toEqual([`critical alert.firing ${TITLE}`]);
  expect(story.log.lines).toContain('info self:looks-again');
});

test('a commit that the store kept although it answered with an error is not repeated', async () => {
  const store = createMemoryStore();
  let isLost = true;
  await using story = aStory({
    ...store,
    async commit(...args) {
      const ends = await store.commit(...args);
      if (!isLost) return ends;
      throw new StorageError('no answer');
    },
  });
  story.found.causes = [aCause('critical', { alert: 'reload', subject: 'config' })];
  expect(await story.said(0)).toHaveLength(1);
  isLost = false;
  expect(await story.said(60_000)).toEqual([]);
});

test('nobody is told once nobody is named', async () => {
  await using story = aStory();
  story.found.notify = [];
  await story.said();
  story.found.causes = [aCause('critical')];
  expect(await story.said(60_000)).toEqual([]);
  expect(await story.store.remembered()).toEqual([]);
});

test('an id says what it is of, and ids of other watches are none', () => {
  const of = { alert: 'blind', severity: 'critical', subject: 'ethereum/no-answer' } as const;
  expect(selfWatchId(of)).toBe('chainwarden/blind/critical/ethereum/no-answer');
  expect(parseSelfWatchId(selfWatchId(of))).toEqual(of);
  expect(
    ['chainwarden/unheard-of/critical/x', 'chainwarden', 'abcdefghijklmnopqrstuvwxyz'].filter(isSelfWatch),
  ).toEqual([]);
});
