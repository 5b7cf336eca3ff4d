// The blocks that an explorer has shown to any watch: table `chain_blocks`.
//
// A new block at the height of a known one proves that the items of the known block are gone. A known block that is
// shown again proves nothing: replicas on two forks may answer in turn.
import type { Instant } from '../../lib/clock.ts';
import type { ChainReading } from '../model/observation.ts';
import { valueAt, type AnyView } from '../values/fields.ts';
import { readChain } from './tick-chain.ts';

export interface KnownBlock {
  readonly height: number;
  readonly hash: string;
  readonly firstSeen: Instant;
  readonly lastSeen: Instant;
}

/** By height. For each height, the block that was shown last comes first. */
export type ChainRecord = ReadonlyMap<number, readonly KnownBlock[]>;

/** A first page of blocks, one block a height, the lowest first. */
export type BlocksPage = readonly PageBlock[];

interface PageBlock {
  readonly height: number;
  readonly hash: string;
  /** Null: the explorer does not send it. */
  readonly parent: string | null;
}

const MOST_HEIGHTS = 128;
const MOST_HASHES = 4;

/** The record of rows in any order. */
export function chainRecord(blocks: readonly KnownBlock[]): ChainRecord {
  return trimmed(Map.groupBy(blocks, ({ height }) => height));
}

/**
 * The blocks of a page that have a height and a hash. Some explorers list uncles too: if there are several blocks at a
 * height, the parent of the next block counts, else the known block, else the first one.
 */
export function blocksPage(rows: readonly AnyView[], known: ChainRecord): BlocksPage {
  const byHeight = Map.groupBy(rows.flatMap(pageBlock), ({ height }) => height);
  const page: PageBlock[] = [];
  for (const height of [...byHeight.keys()].sort((a, b) => b - a)) {
    const rivals = byHeight.get(height) ?? [];
    const [above] = page;
    const followed = rivals.find(({ hash }) => above?.height === height + 1 && above.parent === hash);
    const usual = rivals.find(({ hash }) => known.get(height)?.[0]?.hash === hash);
    const block = followed ?? usual ?? rivals[0];
    if (block !== undefined) page.unshift(block);
  }
  return page;
}

function pageBlock(row: AnyView): PageBlock[] {
  const [height, hash, parent] = ['height', 'hash', 'parent_hash'].map((path) => valueAt(row, path));
  if (typeof height !== 'bigint' || typeof hash !== 'string') return [];
  return [{ height: Number(height), hash, parent: typeof parent === 'string' ? parent : null }];
}

export function withPage(record: ChainRecord, page: BlocksPage, at: Instant): ChainRecord {
  const byHeight = new Map(record);
  for (const { height, hash } of page) {
    const before = byHeight.get(height) ?? [];
    const known = before.find((one) => one.hash === hash);
    // If the clock was set back, the stored first sight may lie in the future.
    const firstSeen = Math.min(known?.firstSeen ?? at, at);
    const others = before.filter((one) => one.hash !== hash);
    byHeight.set(height, [{ height, hash, firstSeen, lastSeen: at }, ...others]);
  }
  return trimmed(byHeight);
}

function trimmed(byHeight: ChainRecord): ChainRecord {
  const newest = [...byHeight].sort(([a], [b]) => b - a).slice(0, MOST_HEIGHTS);
  return new Map(
    newest.map(([height, blocks]) => [
      height,
      blocks.toSorted((a, b) => b.lastSeen - a.lastSeen).slice(0, MOST_HASHES),
    ]),
  );
}

/**
 * Whether the page belongs to the known chain: the record has one of its blocks, or the parent of one. A page above all
 * known blocks counts as belonging to the chain.
 */
export function isLinked(record: ChainRecord, page: BlocksPage): boolean {
  const knows = (height: number, hash: string | null): boolean =>
    record.get(height)?.some((one) => one.hash === hash) === true;
  const isComparable = page.some(({ height }) => record.has(height) || record.has(height - 1));
  return !isComparable || page.some(({ height, hash, parent }) => knows(height, hash) || knows(height - 1, parent));
}

/** True if the page shows a block that was replaced before. */
export function isSwing(record: ChainRecord, page: BlocksPage): boolean {
  return page.some(({ height, hash }) => {
    const [last, ...others] = record.get(height) ?? [];
    return last !== undefined && last.hash !== hash && others.some((one) => one.hash === hash);
  });
}

/** Compares the page with the record. `record`: with the page included. */
export function chainReading(record: ChainRecord, page: BlocksPage): ChainReading | 'unknown' {
  const head = page.at(-1)?.height;
  if (head === undefined) return 'unknown';
  const replaced: [number, Instant][] = [];
  // If a fork is shown again, its upper blocks may be newer than the lower ones that were shown before. They replace
  // blocks since the lower ones were first seen, so the earliest time below counts.
  let since = Infinity;
  for (const { height, hash } of page) {
    const blocks = record.get(height) ?? [];
    if (blocks.length < 2) continue;
    since = Math.min(since, blocks.find((one) => one.hash === hash)?.firstSeen ?? Infinity);
    replaced.push([height, since]);
  }
  return { head, isBehind: [...record.keys()].some((height) => height > head), replaced };
}

/** A first page of blocks taken into the record. */
export interface TakenPage {
  readonly record: ChainRecord;
  /** `unknown` when the page may be of another chain. */
  readonly reading: ChainReading | 'unknown';
  /** True if the page shows a block that was replaced before. */
  readonly isSwing: boolean;
}

export function takePage(known: ChainRecord, rows: readonly AnyView[], readAt: Instant): TakenPage {
  const page = blocksPage(rows, known);
  const record = withPage(known, page, readAt);
  // An explorer that sends no hashes still shows its head.
  const shown = page.length === 0 ? readChain(rows) : chainReading(record, page);
  return { record, reading: isLinked(known, page) ? shown : 'unknown', isSwing: isSwing(known, page) };
}

/** The rows to write so that the stored record `before` becomes `after`. */
export function changedBlocks(before: ChainRecord, after: ChainRecord): KnownBlock[] {
  return [...after].flatMap(([height, blocks]) => {
    const known = before.get(height) ?? [];
    // The last sight of the only block of a height is not needed, so it is not written.
    const isAlone = blocks.length === 1 && known.length === 1 && known[0]?.hash === blocks[0]?.hash;
    return isAlone ? [] : blocks.filter((one) => !known.includes(one));
  });
}
