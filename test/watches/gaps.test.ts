// What an explorer shows late, or what a poll could not read, is read afterwards; what is still unread is named.
import { describe, expect, test } from '@jest/globals';
import { createWorld, loadWatches, polls, type World } from '../support/world.ts';
import { afterReadings, afterSweep, type Gap, type Gaps, showHeights, withGap } from '../../src/watches/lists/gaps.ts';
import { aDecision } from '../store/builders.ts';
import { commit } from '../support/store/store-calls.ts';
import { internalTransactions } from '../../src/watches/internal-transactions.ts';
import { coverageOf } from '../../src/watches/lists/coverage.ts';
import { ListState } from '../../src/watches/list-state.ts';

const rules = (maxPages: number): string => `
watches:
  - id: vault-calls
    kind: internal-transactions
    of: vault
    every: 1m
    max_pages: ${maxPages}
    alerts:
      - { id: failed, on: new, if: success == false, text: '{{ error }}' }
`;

function calls(world: World, count: number, reason = 'news'): void {
  for (let i = 0; i < count; i += 1) {
    world.sandbox.mine();
    world.sandbox.failCall({ to: 'vault', reason });
  }
}

async function coverage(world: World) {
  const [watch] = loadWatches(rules(20));
  const id = watch?.id ?? '';
  const memory = (await world.store.recall([id])).get(id);
  return coverageOf(ListState.parse(memory?.state));
}

/** Another process commits what is stored once more: a poll that began before is superseded. */
async function writeAgain({ store, clock }: World): Promise<void> {
  const [{ id } = missing()] = loadWatches(rules(4));
  const memory = (await store.recall([id])).get(id) ?? missing();
  const ends = await commit(store, [aDecision(id, { memory, expects: memory.version })], clock.now());
  expect(ends).toEqual(['kept']);
}

function missing(): never {
  throw new Error('it is not there');
}

test('a failed call in a gap is told, though the newest page lacks the field that shows it', async () => {
  await using world = await createWorld(rules(1));
  await world.poll();
  calls(world, 60);
  expect(await world.poll()).toHaveLength(50);
  world.replicas.use({ without: 'success' }, 1);
  expect(await world.poll()).toEqual(Array.from({ length: 10 }, () => 'failed event'));
});

/** Partial readings that the log tells of. */
const partials = (world: World): unknown[] =>
  world.decisions.flatMap(({ reasons }) => reasons).filter(({ type }) => type === 'note');

describe('a failed call that is shown late, two pages below known ones', () => {
  async function lateBelow(world: World): Promise<void> {
    await world.poll();
    world.sandbox.mine();
    const late = world.sandbox.head() + 1;
    world.sandbox.hideTraces({ block: late });
    calls(world, 1, 'late');
    for (let i = 0; i < 13; i += 1) {
      calls(world, 10);
      await world.poll();
    }
    world.sandbox.hideTraces({ block: late, hidden: false });
    calls(world, 4);
    expect(await world.poll()).toHaveLength(4);
  }

  test('is told within the hour, once, and marked late', async () => {
    await using world = await createWorld(rules(20));
    await lateBelow(world);
    const texts: unknown[] = [];
    for (let poll = 0; poll < 130; poll += 1) {
      await world.poll();
      texts.push(...world.messages.map(({ text, late }) => [text, late]));
    }
    expect(texts).toEqual([[[{ untrusted: 'late' }], true]]);
    expect((await coverage(world)).sweptAt).not.toBeNull();
  });

  test('is told with hundreds of others as fast as other news, however few pages the rereading has', async () => {
    await using world = await createWorld(rules(20));
    await world.poll();
    world.sandbox.mine();
    const late = world.sandbox.head() + 1;
    world.sandbox.hideTraces({ block: late });
    world.sandbox.mine();
    for (let i = 0; i < 300; i += 1) world.sandbox.failCall({ to: 'vault', reason: 'late' });
    calls(world, 130);
    await polls(world, 2);
    world.sandbox.hideTraces({ block: late, hidden: false });
    const told: number[] = [];
    for (let poll = 0; poll < 130; poll += 1) told.push((await world.poll()).length);
    // Five pages, the first of which has known rows too; then what is left.
    expect(told.filter((count) => count > 0)).toEqual([220, 80]);
  });

  test('also where the daemon is started again in the middle of reading the list again', async () => {
    await using world = await createWorld(rules(4));
    await lateBelow(world);
    const said: string[] = [];
    for (let poll = 0; poll < 130; poll += 1) {
      if (poll % 25 === 24) await world.restart();
      said.push(...(await world.poll()));
    }
    expect(said).toEqual(['failed event']);
  });
});

describe('what lies below the most pages of a poll', () => {
  test('is read in the polls that follow, after the newest rows, and named until then', async () => {
    await using world = await createWorld(rules(4));
    await world.poll();
    calls(world, 420);
    const first = await world.poll();
    expect(first).toHaveLength(200);
    const { unread } = await coverage(world);
    expect(unread).toMatchObject([{ reason: '4 pages read', isReadLater: true }]);
    calls(world, 3);
    expect(await world.poll()).toHaveLength(53);
    await world.restart();
    expect(await polls(world, 4)).toHaveLength(170);
    expect((await coverage(world)).unread).toEqual([]);
    expect(await polls(world, 3)).toEqual([]);
  });

  test('is not read again where another process wrote the memory meanwhile', async () => {
    const spent = async (isSuperseded: boolean): Promise<number[]> => {
      await using world = await createWorld(rules(4));
      await world.poll();
      calls(world, 420);
      await world.poll();
      const told: number[] = [];
      for (let poll = 0; poll < 6; poll += 1) {
        if (isSuperseded) await writeAgain(world);
        told.push((await world.poll()).length);
      }
      expect((await coverage(world)).unread).toEqual([]);
      return told;
    };
    expect(await spent(true)).toEqual(await spent(false));
  });

  test('costs the newest rows no more than a quarter of the pages', async () => {
    await using world = await createWorld(`${rules(4)}      - { id: newest, on: new, if: error == "newest" }\n`);
    await world.poll();
    calls(world, 1000);
    await world.poll();
    for (let poll = 0; poll < 3; poll += 1) {
      calls(world, 140, 'newest');
      const said = await world.poll();
      expect(said.filter((one) => one === 'newest event')).toHaveLength(140);
      // And a page of what was not read.
      expect(said.filter((one) => one === 'failed event')).toHaveLength(190);
    }
  });

  test('is read to its end also where all of it stands in one block', async () => {
    await using world = await createWorld(rules(1));
    await world.poll();
    world.sandbox.mine();
    for (let i = 0; i < 170; i += 1) world.sandbox.failCall({ to: 'vault', reason: 'news' });
    expect(await polls(world, 4)).toHaveLength(170);
    expect((await coverage(world)).unread).toEqual([]);
  });

  test('is not begun anew by a burst whose last page reaches what is known: nothing is unread between them', async () => {
    await using world = await createWorld(rules(4));
    await world.poll();
    calls(world, 3);
    await world.poll();
    // The fourth and last page holds ten new rows, then known ones.
    calls(world, 190);
    world.sandbox.mine();
    expect(await world.poll()).toHaveLength(190);
    expect((await coverage(world)).unread).toEqual([]);
    expect(partials(world)).toEqual([]);
  });

  test('is read also where the explorer refuses the position that was kept', async () => {
    await using world = await createWorld(rules(8));
    await world.poll();
    calls(world, 420);
    const said = await world.poll();
    world.sandbox.fail({ fault: 'unprocessable', operation: 'address-internal-transactions', times: 2 });
    said.push(...(await polls(world, 6)));
    expect(said).toHaveLength(420);
    expect(partials(world)).toEqual([]);
  });
});

test('a list is read again through its last seven hours, and no further', async () => {
  await using world = await createWorld(rules(20));
  await world.poll();
  calls(world, 90, 'of yesterday');
  await polls(world, 2);
  await world.clock.advance(24 * 3_600_000);
  calls(world, 60);
  await polls(world, 2);
  const before = world.replicas.asked.length;
  expect(await polls(world, 60)).toEqual([]);
  // Of 150 remembered rows the newest 60 stand on two pages; page one is read at each poll anyway.
  expect(world.replicas.asked.length - before).toBe(61);
  expect((await coverage(world)).sweptAt).not.toBeNull();
});

test('rows from before the baseline that are shown after it are no gap', async () => {
  await using world = await createWorld(rules(20));
  calls(world, 3, 'old');
  world.sandbox.mine();
  world.sandbox.fail({ fault: 'empty-list', times: 1, operation: 'address-internal-transactions' });
  // For long enough that the list is read again from its first page.
  expect(await polls(world, 65)).toEqual([]);
  expect((await coverage(world)).unread).toEqual([]);
  calls(world, 1);
  expect(await world.poll()).toEqual(['failed event']);
  expect((await coverage(world)).unread).toEqual([]);
});

test('a state of the former version goes on, with its gap', () => {
  const former = { floor: 90, seen: { blocks: '130:abcdefghijkl 120:bcdefghijklm', pending: '' }, gapAbove: 101 };
  const state = internalTransactions.state.parse(former);
  expect(state.gaps).toEqual([{ from: 102, to: 130, resume: null, reason: 'a page did not come', since: 0 }]);
  expect(internalTransactions.state.parse({ ...former, gapAbove: null }).gaps).toEqual([]);
  expect(internalTransactions.state.parse(JSON.parse(JSON.stringify(state)))).toEqual(state);
});

describe('gaps', () => {
  const gap = (from: number, to: number): Gap => ({ from, to, resume: { at: `${to}` }, reason: 'why', since: from });
  const all = (...ranges: [number, number][]): Gaps =>
    ranges.reduce<Gaps>((gaps, [from, to]) => withGap(gaps, gap(from, to)), []);

  test('stay disjoint, the highest first: those that overlap become one, read on from the higher position', () => {
    expect(all([10, 20], [40, 50], [15, 30]).map(showHeights)).toEqual(['blocks 40-50', 'blocks 10-30']);
    expect(all([10, 20], [15, 30])).toEqual([{ ...gap(15, 30), from: 10, since: 10 }]);
  });

  test('are sixteen at most: one more joins the two that are closest, so that no block is left out', () => {
    const many = Array.from({ length: 16 }, (_, i): [number, number] => [i * 100 + 1, i * 100 + 50]);
    const gaps = all(...many, [1560, 1580]);
    expect(gaps).toHaveLength(16);
    expect(gaps[0]).toEqual({ ...gap(1560, 1580), from: 1501, since: 1501 });
  });

  test('shrink to the lowest block that was read, of which a part may be missing', () => {
    const gaps = all([10, 20], [40, 50]);
    const [upper = gap(0, 0)] = gaps;
    const reading = { gap: upper, lowest: 44, resume: { at: '44' }, isClosed: false };
    expect(afterReadings(gaps, [reading]).map(showHeights)).toEqual(['blocks 40-44', 'blocks 10-20']);
    expect(afterReadings(gaps, [{ ...reading, isClosed: true }]).map(showHeights)).toEqual(['blocks 10-20']);
  });

  test('that became another one meanwhile stays as it is', () => {
    const gaps = all([10, 20], [40, 50]);
    const [upper = gap(0, 0)] = gaps;
    const reading = { gap: { ...upper }, lowest: 44, resume: { at: '44' }, isClosed: false };
    expect(afterReadings(gaps, [reading]).map(showHeights)).toEqual(['blocks 40-44', 'blocks 10-20']);
    const further = gaps.map((one) => ({ ...one, resume: { at: '42' } }));
    expect(afterReadings(further, [reading])).toEqual(further);
  });

  test('lose what the sweep read of them, and are read on below it', () => {
    const gaps = all([10, 20], [40, 50]);
    const swept = (from: number, to: number): Gaps =>
      afterSweep(gaps, { heights: [{ from, to }], resume: { at: 'below' } });
    expect(swept(15, 60).map(showHeights)).toEqual(['blocks 10-14']);
    expect(swept(15, 60)).toMatchObject([{ resume: { at: 'below' } }]);
    expect(swept(44, 46).map(showHeights)).toEqual(['blocks 47-50', 'blocks 40-43', 'blocks 10-20']);
    expect(swept(5, 60)).toEqual([]);
    expect(swept(21, 39)).toBe(gaps);
    expect(afterSweep(gaps, null)).toBe(gaps);
  });

  test('without a height reach to the head', () => {
    expect(showHeights(gap(7, Number.MAX_SAFE_INTEGER))).toBe('blocks from 7 on');
  });
});
