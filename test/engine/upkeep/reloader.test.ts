import { expect, test } from '@jest/globals';
import { createReloader, type ReloadEnd } from '../../../src/engine/upkeep/reloader.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

/** A reloader over one file whose content is a text, and when it reloaded which content, in seconds. */
function aReloader(end: (content: string) => ReloadEnd = () => 'done') {
  const clock = createFakeClock();
  const startedAt = clock.now();
  const file = { content: 'first', loaded: 'first' };
  const reloads: string[] = [];
  const reloader = createReloader({
    clock,
    files: { loaded: () => file.loaded, current: () => Promise.resolve(file.content) },
    async reload() {
      reloads.push(`${(clock.now() - startedAt) / 1000} ${file.content}`);
      file.loaded = file.content;
      return end(file.content);
    },
  });
  const stop = new AbortController();
  const running = reloader.run(stop.signal);
  return {
    clock,
    file,
    reloads,
    reloader,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

test('files that nobody touches are not loaded again', async () => {
  await using world = aReloader();
  await world.clock.advance(3_600_000);
  expect(world.reloads).toEqual([]);
});

test('an edit is loaded once, after two looks that agree', async () => {
  await using world = aReloader();
  const { clock, file, reloads } = world;
  await clock.advance(10_200);
  file.content = 'half';
  await clock.advance(1000);
  file.content = 'whole';
  await clock.advance(60_000);
  expect(reloads).toEqual(['12 whole']);
});

test('a storm of changes is loaded at the latest five seconds after the first, and its end too', async () => {
  await using world = aReloader();
  const { clock, file, reloads } = world;
  await clock.advance(10_000);
  for (let i = 1; i <= 120; i += 1) {
    file.content = `${i}`;
    await clock.advance(100);
  }
  await clock.advance(10_000);
  const at = reloads.map((line) => Number(line.split(' ')[0]));
  expect(at[0]).toBeLessThanOrEqual(15);
  expect(at.every((one, i) => one - (at[i - 1] ?? 10) <= 5)).toBe(true);
  expect(reloads.at(-1)).toMatch(/ 120$/);
  expect(reloads.length).toBeLessThan(6);
});

test('whoever asks is heard once, however often, even where no file changed, and during a reload', async () => {
  await using world = aReloader();
  const { clock, reloads, reloader } = world;
  for (let i = 0; i < 100; i += 1) reloader.request();
  await clock.advance(10_000);
  expect(reloads).toEqual(['0.5 first']);
  reloader.request();
  await clock.advance(10_000);
  expect(reloads).toHaveLength(2);
});

test('what is rejected waits for an edit; what failed for a reason that may pass is tried again', async () => {
  let end: ReloadEnd = 'done';
  await using world = aReloader(() => end);
  const { clock, file, reloads } = world;
  file.content = 'rejected';
  await clock.advance(600_000);
  expect(reloads).toHaveLength(1);
  end = 'again';
  file.content = 'refused';
  await clock.advance(100_000);
  expect(reloads.length).toBeGreaterThanOrEqual(3);
  end = 'done';
  await clock.advance(100_000);
  const { length } = reloads;
  await clock.advance(600_000);
  expect(reloads).toHaveLength(length);
});
