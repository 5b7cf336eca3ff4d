import { describe, expect, test } from '@jest/globals';
import {
  blocksPage,
  chainReading,
  chainRecord,
  changedBlocks,
  isLinked,
  isSwing,
  withPage,
  type ChainRecord,
} from '../../src/core/chain/chain-record.ts';
import { Block } from '../../src/explorer/reading/resources/block.ts';

type Row = ReturnType<typeof Block.make>;

const EMPTY: ChainRecord = new Map();

/** Blocks of a fork from one height to another: `b(5, 7)` is 0xb5, 0xb6, 0xb7, each naming the one below. */
function blocks(fork: string, from: number, to: number, parent = `${fork}${from - 1}`) {
  return Array.from({ length: to - from + 1 }, (_, i) => {
    const height = from + i;
    const parent_hash = `0x${i === 0 ? parent : `${fork}${height - 1}`}`;
    return Block.make({ height: BigInt(height), hash: `0x${fork}${height}`, parent_hash });
  });
}

/** The record after these pages, a second apart, the first one at 1. */
function after(...pages: readonly (readonly Row[])[]): ChainRecord {
  return pages.reduce<ChainRecord>((record, rows, i) => withPage(record, blocksPage(rows, record), i + 1), EMPTY);
}

function read(record: ChainRecord, rows: readonly Row[], at: number) {
  const page = blocksPage(rows, record);
  return chainReading(withPage(record, page, at), page);
}

describe('what a page shows beside what was known', () => {
  test('is its head alone while blocks are only added', () => {
    expect(read(after(blocks('a', 1, 5)), blocks('a', 3, 8), 2)).toEqual({ head: 8, isBehind: false, replaced: [] });
  });

  test('is a head below the highest block that was shown before, of a replica that is behind', () => {
    expect(read(after(blocks('a', 1, 5)), blocks('a', 1, 3), 2)).toMatchObject({ head: 3, isBehind: true });
  });

  test('is which heights have another block, and since when that is known', () => {
    const fork = [...blocks('a', 1, 3), ...blocks('b', 4, 6, 'a3')];
    expect(read(after(blocks('a', 1, 5)), fork, 2)).toEqual({
      head: 6,
      isBehind: false,
      replaced: [
        [4, 2],
        [5, 2],
      ],
    });
    // A page that is read again later says the same: a watch of a slower pace needs it.
    expect(read(after(blocks('a', 1, 5), fork), fork, 9)).toMatchObject({
      replaced: [
        [4, 2],
        [5, 2],
      ],
    });
  });

  test('of a fork that returns it is as old as where it began, however much it has grown', () => {
    const fork = (to: number) => [...blocks('a', 1, 3), ...blocks('b', 4, to, 'a3')];
    const record = after(blocks('a', 1, 5), fork(5), blocks('a', 1, 6));
    expect(read(record, fork(7), 9)).toEqual({
      head: 7,
      isBehind: false,
      replaced: [
        [4, 2],
        [5, 2],
        [6, 2],
      ],
    });
  });

  test('of an explorer that lists uncles it is the block that the next one follows', () => {
    const uncle = Block.make({ height: 4n, hash: '0xu4', parent_hash: '0xa3' });
    const rows = [uncle, ...blocks('a', 1, 6)];
    expect(read(after(blocks('a', 1, 5)), rows, 2)).toEqual({ head: 6, isBehind: false, replaced: [] });
    expect(blocksPage([...blocks('a', 5, 5), uncle, ...blocks('a', 4, 4)], EMPTY).map(({ hash }) => hash)).toEqual([
      '0xa4',
      '0xa5',
    ]);
  });

  test('a clock that was set back makes no block of the future', () => {
    const page = blocksPage(blocks('a', 1, 1), EMPTY);
    expect(withPage(withPage(EMPTY, page, 1000), page, 5).get(1)?.[0]).toMatchObject({ firstSeen: 5, lastSeen: 5 });
  });
});

test('a page is of the chain that is known when a block of it, or the parent of one, is known', () => {
  const record = after(blocks('a', 1, 5));
  const isOf = (rows: readonly Row[]): boolean => isLinked(record, blocksPage(rows, record));
  expect(isOf(blocks('a', 4, 9))).toBe(true);
  expect(isOf(blocks('b', 4, 9, 'a3'))).toBe(true);
  expect(isOf(blocks('x', 1, 9))).toBe(false);
  // Nothing of it can be compared: the chain has moved on since it was read.
  expect(isOf(blocks('x', 50, 59))).toBe(true);
});

test('what was replaced and is there again is a swing; another new block is none', () => {
  const [a, b] = [blocks('a', 1, 3), [...blocks('a', 1, 2), ...blocks('b', 3, 3, 'a2')]];
  const swings = (record: ChainRecord, rows: readonly Row[]): boolean => isSwing(record, blocksPage(rows, record));
  expect(swings(after(a), b)).toBe(false);
  expect(swings(after(a, b), b)).toBe(false);
  expect(swings(after(a, b), a)).toBe(true);
});

test('128 heights are kept, and four hashes of one', () => {
  expect([...after(blocks('a', 1, 200)).keys()].sort((x, y) => x - y)[0]).toBe(73);
  const forks = ['a', 'b', 'c', 'd', 'e', 'f'].map((fork) => blocks(fork, 1, 1));
  expect(
    after(...forks)
      .get(1)
      ?.map(({ hash }) => hash),
  ).toEqual(['0xf1', '0xe1', '0xd1', '0xc1']);
});

test('written down are new blocks, and of rivals the last sight: enough to have the record again', () => {
  const [a, b] = [blocks('a', 1, 3), [...blocks('a', 1, 2), ...blocks('b', 3, 3, 'a2')]];
  const next = (record: ChainRecord, rows: readonly Row[], at: number): ChainRecord =>
    withPage(record, blocksPage(rows, record), at);
  const one = next(EMPTY, a, 1);
  const two = next(one, b, 2);
  const three = next(two, a, 3);
  const sights = (before: ChainRecord, then: ChainRecord) =>
    changedBlocks(before, then).map(({ hash, lastSeen }) => `${hash} ${lastSeen}`);
  expect(sights(EMPTY, one)).toEqual(['0xa3 1', '0xa2 1', '0xa1 1']);
  expect(sights(one, next(one, a, 2))).toEqual([]);
  expect(sights(one, two)).toEqual(['0xb3 2']);
  expect(sights(two, three)).toEqual(['0xa3 3']);
  const rows = [...changedBlocks(EMPTY, two), ...changedBlocks(two, three)];
  const stored = new Map(rows.map((row) => [`${row.height} ${row.hash}`, row]));
  expect(chainRecord([...stored.values()]).get(3)).toEqual(three.get(3));
});
