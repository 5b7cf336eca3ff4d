import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { createSupervisor, showFailing, type Loop } from '../../../src/engine/upkeep/supervisor.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

function supervised(run: Loop['run']) {
  const clock = createFakeClock();
  const log = createRecordingLog();
  const began = clock.now();
  const starts: number[] = [];
  const restarts: string[] = [];
  const stop = new AbortController();
  const { supervise, failing } = createSupervisor({ clock, log, onRestart: (loop) => restarts.push(loop) });
  const loop: Loop = {
    name: 'sender',
    about: { channel: 'ops' },
    run(signal) {
      starts.push((clock.now() - began) / SECOND);
      return run(signal);
    },
  };
  return { clock, log, starts, restarts, stop, failing, ended: supervise(loop, stop.signal) };
}

test('a sender that fails again and again is started again, later each time but within a minute', async () => {
  const { clock, log, starts, restarts, stop, ended } = supervised(() => Promise.reject(new Error('a bug')));
  await clock.advance(3 * MINUTE);
  expect(starts).toEqual([0, 1, 3, 7, 15, 31, 63, 123]);
  expect(restarts).toEqual(starts.slice(1).map(() => 'sender'));
  expect(new Set(log.lines)).toEqual(new Set(['error loop:failed']));
  expect(log.fields[0]).toMatchObject({ loop: 'sender', channel: 'ops', error: new Error('a bug') });
  stop.abort();
  await ended;
  expect(clock.sleepers).toBe(0);
});

test('a loop that threw before it began to wait is no exception', async () => {
  const { clock, starts, stop, ended } = supervised(() => {
    throw new Error('a bug');
  });
  await clock.advance(SECOND);
  expect(starts).toEqual([0, 1]);
  stop.abort();
  await ended;
});

test('a loop that just ends would be missed as much, so it is started again', async () => {
  const { clock, log, starts, stop, ended } = supervised(() => Promise.resolve());
  await clock.advance(SECOND);
  expect(starts).toEqual([0, 1]);
  expect(log.fields[0]).toMatchObject({ error: new Error('it ended by itself') });
  stop.abort();
  await ended;
});

test('after ten good minutes a failure is a first failure again', async () => {
  let failAt = 0;
  const { clock, starts, stop, ended } = supervised(async (signal) => {
    await clock.sleep(failAt, signal);
    throw new Error('a bug');
  });
  await clock.advance(7 * SECOND);
  expect(starts).toEqual([0, 1, 3, 7]);
  failAt = 10 * MINUTE;
  await clock.advance(8 * SECOND + 10 * MINUTE + SECOND);
  expect(starts).toEqual([0, 1, 3, 7, 15, 616]);
  stop.abort();
  await ended;
});

test('a loop that runs until it is told to stop is left alone, and nothing is said', async () => {
  const { clock, log, starts, restarts, stop, ended } = supervised(async (signal) => {
    await once(signal, 'abort');
  });
  await clock.advance(60 * MINUTE);
  stop.abort();
  await ended;
  expect([starts, restarts, log.lines]).toEqual([[0], [], []]);
});

test('a failure while stopping is said, and keeps nothing from ending', async () => {
  const { log, starts, restarts, stop, ended } = supervised(async (signal) => {
    await once(signal, 'abort');
    throw new Error('a bug');
  });
  stop.abort();
  await ended;
  expect([starts, restarts, log.lines]).toEqual([[0], [], ['error loop:failed']]);
});

test('a loop that fails again and again is named, from its third failure until it has run for ten minutes', async () => {
  const part = { isBroken: true };
  const { clock, stop, failing, ended } = supervised(async (signal) => {
    if (part.isBroken) throw new Error('a bug');
    await once(signal, 'abort');
  });
  await clock.advance(SECOND);
  expect(failing()).toEqual([]);
  const third = clock.now() + 2 * SECOND;
  await clock.advance(2 * SECOND);
  expect(failing()).toMatchObject([{ name: 'sender', failures: 3, since: third - 3 * SECOND }]);
  expect(failing().map(showFailing)).toEqual([
    'loop sender (channel ops): failed 3 times in a row since 2026-01-01T00:00:00Z; the log says why',
  ]);
  part.isBroken = false;
  await clock.advance(10 * MINUTE - SECOND);
  expect(failing()).toHaveLength(1);
  await clock.advance(SECOND);
  expect(failing()).toEqual([]);
  stop.abort();
  await ended;
});
