import { expect, test } from '@jest/globals';
import type { JournalAnchor } from '../../../src/core/journal/chain.ts';
import { createClockJumps } from '../../../src/engine/upkeep/clock-jumps.ts';
import { runJournal } from '../../../src/engine/upkeep/journal.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { createMemoryStore } from '../../support/store/memory-store.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import { ownershipOf } from '../../support/store/fences.ts';

const LINE = { at: 0, kind: 'config', subject: 'daemon', actor: 'daemon', data: null } as const;

function prepare() {
  const clock = createFakeClock();
  const log = createRecordingLog();
  const inner = createMemoryStore();
  const disk = { isFull: false };
  const store: Store = {
    ...inner,
    chainJournal: (limit, fence) =>
      disk.isFull ? Promise.reject(new Error('the disk is full')) : inner.chainJournal(limit, fence),
    record: (lines) => (disk.isFull ? Promise.reject(new Error('the disk is full')) : inner.record(lines)),
  };
  const outside: { anchor: JournalAnchor | null } = { anchor: null };
  const kept = {
    read: () => outside.anchor,
    write: (anchor: JournalAnchor | null) => {
      outside.anchor = anchor;
    },
  };
  const stop = new AbortController();
  const running = runJournal(
    { store, kept, ownership: ownershipOf(store), jumps: createClockJumps(clock), clock, log },
    stop.signal,
  );
  return {
    clock,
    log,
    disk,
    outside,
    store,
    append: (count: number) => inner.record(Array.from({ length: count }, () => LINE)),
    chained: async () => (await inner.journalHead())?.position ?? 0,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

test('a line has its hash within a second, however many come at once', async () => {
  await using daemon = prepare();
  await daemon.append(1200);
  await daemon.clock.advance(1000);
  expect(await daemon.chained()).toBe(1200);
});

test('what could not be chained is said once, and chained when the storage works again', async () => {
  await using daemon = prepare();
  daemon.disk.isFull = true;
  await daemon.append(2);
  await daemon.clock.advance(5000);
  expect(daemon.log.lines).toEqual(['warn journal:not-chained']);
  daemon.disk.isFull = false;
  await daemon.clock.advance(1000);
  expect(await daemon.chained()).toBe(2);
});

test('what was appended last is chained when the daemon stops', async () => {
  const daemon = prepare();
  await daemon.clock.advance(1000);
  await daemon.append(3);
  await daemon[Symbol.asyncDispose]();
  expect(await daemon.chained()).toBe(3);
});

test('a clock that is set by more than a minute is a line; one that is corrected by seconds is none', async () => {
  await using daemon = prepare();
  await daemon.clock.advance(10_000);
  await daemon.clock.setTo(daemon.clock.now() + 30_000);
  await daemon.clock.advance(1000);
  expect(await daemon.store.history({ limit: 9 })).toEqual([]);
  for (const by of [3_600_000, -7_200_000]) {
    await daemon.clock.setTo(daemon.clock.now() + by);
    await daemon.clock.advance(2000);
  }
  expect((await daemon.store.history({ limit: 9 })).map(({ kind, data }) => [kind, data])).toEqual([
    ['clock', { set_by_ms: -7_200_000 }],
    ['clock', { set_by_ms: 3_600_000 }],
  ]);
  expect(daemon.log.lines).toEqual(['warn clock:set', 'warn clock:set']);
});

test('clocks that were set while the disk was full are lines once there is room', async () => {
  await using daemon = prepare();
  daemon.disk.isFull = true;
  for (const by of [3_600_000, -7_200_000]) {
    await daemon.clock.setTo(daemon.clock.now() + by);
    await daemon.clock.advance(2000);
  }
  expect(await daemon.store.history({ limit: 9 })).toEqual([]);
  daemon.disk.isFull = false;
  await daemon.clock.advance(1000);
  expect((await daemon.store.history({ limit: 9 })).map(({ data }) => data)).toEqual([
    { set_by_ms: -7_200_000 },
    { set_by_ms: 3_600_000 },
  ]);
});

test('the newest line is kept outside every ten seconds and at the end', async () => {
  const daemon = prepare();
  await daemon.append(3);
  await daemon.clock.advance(10_000);
  expect(daemon.outside.anchor).toEqual(await daemon.store.journalHead());
  expect(daemon.outside.anchor?.position).toBe(3);
  await daemon.append(2);
  await daemon[Symbol.asyncDispose]();
  expect(daemon.outside.anchor?.position).toBe(5);
  expect(daemon.log.lines).toEqual([]);
});

test.each([
  ['cut', { position: 9, hash: 'ab'.repeat(32) }, 'the journal ends at 3'],
  ['written anew', { position: 2, hash: 'ab'.repeat(32) }, 'its hash is another than the one that was kept'],
])('a journal that was %s is warned of once, with a line of its own, and kept anew', async (_how, anchor, why) => {
  await using daemon = prepare();
  await daemon.append(3);
  await daemon.clock.advance(1000);
  daemon.outside.anchor = anchor;
  await daemon.clock.advance(30_000);
  expect(daemon.log.lines).toEqual(['warn journal:not-as-kept']);
  const [line] = await daemon.store.history({ limit: 1 });
  expect(line).toMatchObject({ kind: 'not-as-kept', data: { kept: `${anchor.position}:${anchor.hash}`, why } });
  expect(daemon.outside.anchor).toEqual(await daemon.store.journalHead());
});
