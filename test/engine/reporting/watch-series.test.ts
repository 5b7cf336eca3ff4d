import { describe, expect, test } from '@jest/globals';
import { createWatchSeries, type WatchSeries } from '../../../src/engine/reporting/watch-series.ts';
import { adopt } from '../../support/engine/adopt.ts';
import { aPoller } from '../../support/engine/poller.ts';
import { loadWatches } from '../../support/world.ts';

const rule = (id: string, condition = 'balance < 1'): string =>
  `  - { id: ${id}, kind: balance, of: treasury, every: 1m, alerts: [{ id: low, while: ${condition} }] }\n`;
const one = loadWatches(`watches:\n${rule('one')}`);
const two = loadWatches(`watches:\n${rule('one')}${rule('two')}`);

/** The series that are read after each event, beside those of a reader that has read nothing before. */
async function aStory(watches = one) {
  let current = watches;
  const made = aPoller();
  const { clock, poller, seen } = made;
  let memories = 0;
  const memoryOf = (id: string) => {
    memories += 1;
    return poller.readings.memoryOf(id);
  };
  const reader = (): WatchSeries =>
    createWatchSeries({
      watches: () => current,
      readings: { ...poller.readings, memoryOf },
      clock,
    });
  const kept = reader();
  await adopt(poller, watches);
  const signal = new AbortController().signal;
  return {
    ...made,
    kept,
    load: async (next: typeof watches): Promise<void> => {
      current = next;
      await adopt(poller, next);
    },
    poll: async (wei: string, polled = current): Promise<void> => {
      seen.wei = wei;
      await clock.advance(60_000);
      await poller.poll(polled, signal);
    },
    series: (): string[] => {
      const found = shown(kept);
      expect(found).toEqual(shown(reader()));
      return found;
    },
    /** How many memories the reader looks at. */
    read: (): number => {
      memories = 0;
      shown(kept);
      return memories;
    },
  };
}

function shown(series: WatchSeries): string[] {
  const alerts = [...series.alerts()].flatMap((one) => (one === null ? [] : `${one.watch} ${one.alert} ${one.state}`));
  const health = [...series.health()].flatMap((one) => (one === null ? [] : `${one.watch} ${one.health}`));
  const data = [...series.data()].flatMap((one) => (one === null ? [] : `${one.watch} ${one.of} ${one.state}`));
  return [...alerts, ...health, ...data];
}

const ETHER = '1000000000000000000';

describe('the series of watches', () => {
  test('follow each poll, also one without an answer', async () => {
    const { poll, series } = await aStory();
    expect(series()).toEqual([]);
    await poll('5');
    expect(series()).toEqual(['one low firing', 'one treasury ok']);
    await poll('');
    expect(series()).toEqual(['one low firing', 'one treasury error']);
    await poll(`5${ETHER.slice(1)}`);
    expect(series()).toEqual(['one low inactive', 'one treasury ok']);
  });

  test('follow a reload: a rule that is added, one that is changed, and one that is taken out', async () => {
    const { load, poll, series } = await aStory();
    await poll('5');
    expect(series()).toEqual(['one low firing', 'one treasury ok']);
    await load(two);
    expect(series()).toEqual(['one low firing', 'one treasury ok']);
    await poll('5');
    expect(series()).toEqual(['one low firing', 'two low firing', 'one treasury ok', 'two treasury ok']);
    await load(loadWatches(`watches:\n${rule('two', 'balance > 1')}`));
    await poll('5');
    expect(series()).toEqual(['two low inactive', 'two treasury ok']);
  });

  test('follow the time: without a poll, a condition that was never true is shown after a day', async () => {
    const { clock, poll, series } = await aStory();
    for (let n = 0; n < 25; n += 1) await poll(ETHER);
    expect(series()).toEqual(['one low inactive', 'one treasury ok']);
    const readAt = clock.now();
    await clock.advance(86_400_000);
    expect(series()).toEqual(['one low inactive', 'one never-true', 'one treasury ok']);
    await clock.setTo(readAt);
    expect(series()).toEqual(['one low inactive', 'one treasury ok']);
  });

  test('of a watch that is polled while they are being read are read at the next scrape', async () => {
    const { kept, poll, series } = await aStory(two);
    await poll('5');
    const reading = kept.alerts()[Symbol.iterator]();
    expect(reading.next().value).toMatchObject({ watch: 'one', state: 'firing' });
    await poll(ETHER);
    expect(reading.next().value).toMatchObject({ watch: 'two', state: 'inactive' });
    expect(series().slice(0, 2)).toEqual(['one low inactive', 'two low inactive']);
  });

  test('are read again only of watches that were polled', async () => {
    const { clock, poll, read } = await aStory(two);
    await poll('5');
    expect(read()).toBe(2);
    expect(read()).toBe(0);
    await clock.advance(60_000);
    expect(read()).toBe(0);
    await poll('5', one);
    expect(read()).toBe(1);
  });

  test('take a step for each watch that is read, also for one that has none of them', async () => {
    const { clock, poller } = await aStory(two);
    const series = createWatchSeries({ watches: () => two, readings: poller.readings, clock });
    expect([...series.alerts()]).toEqual([null, null]);
    expect([...series.alerts()]).toEqual([]);
  });
});
