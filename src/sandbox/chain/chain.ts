// The present chain: the part that follows from the seed, with the changes of the control API.
import { originOf, timesReplaced as timesReorganised, type Overlay } from '../overlay.ts';
import { LONGEST_LEAD, type Compose } from './compose.ts';
import { draw, drawHex, PURPOSE } from './draw.ts';
import type { Forks } from './forks.ts';
import { downFrom } from './heights.ts';
import { keyOf, type AddressKey } from './keys.ts';
import { latestAt, SLOTS, type Timetable } from './timetable.ts';
import type { InternalCall, Mined, Transaction, Waiting } from './transaction.ts';

export interface Chain {
  /** `replaced`: how often the block of that height had been replaced; left out = up to now. */
  blockHash(height: number, replaced?: number): string;
  /** The hash of another block that was made at this height and did not become part of the chain. */
  uncleHash(height: number): string;
  stateRoot(height: number): string;
  /** The number of times the block of a height was replaced. */
  timesReplaced(height: number): number;
  /** Heights at or below `height` whose blocks may have been replaced, in falling order. */
  replacedHeights(height: number): Iterable<number>;
  transactionsOf(height: number): Mined[];
  /** Transactions that are not mined yet, newest first. */
  waiting(): Waiting[];
  /** Blocks at or below `height` in which the address may take part, in falling order. Ends at genesis. */
  heightsOf(key: AddressKey, height: number): Iterable<number>;
  /** True if the internal transactions of a block are visible. */
  isTraced(height: number): boolean;
}

export interface ChainParts {
  readonly seed: number;
  readonly isLively: boolean;
  /** True if the internal transactions of a block appear later than the block. */
  readonly tracesLate: boolean;
  readonly overlay: Overlay;
  readonly forks: Forks;
  readonly timetable: Timetable;
  readonly naturalOf: NaturalContent;
}

/** The content of a block as it follows from the seed. */
export type NaturalContent = (origin: number) => readonly Transaction[];

/** `headOf`: the highest block that is visible. */
export function createChain(parts: ChainParts, headOf: () => number): Chain {
  const { seed, overlay, forks } = parts;
  const timesReplaced = (height: number): number =>
    timesReorganised(overlay.reorgs, height) + forks.timesReplaced(height, headOf());
  const hash = (purpose: number, height: number, version: number): string =>
    `0x${drawHex(seed, purpose, height, version, 8)}`;
  const touchedBy = rememberTouched(overlay);
  return {
    timesReplaced,
    blockHash: (height, replaced = timesReplaced(height)) => hash(PURPOSE.blockHash, height, replaced),
    uncleHash: (height) => hash(PURPOSE.uncle, height, 0),
    stateRoot: (height) => hash(PURPOSE.stateRoot, height, timesReplaced(height)),
    replacedHeights: (height) => (forks.happen ? downFrom(height) : reorganisedHeights(overlay, height)),
    transactionsOf(height) {
      const origin = originOf(overlay.reorgs, height);
      const transactions = origin === undefined ? [] : contentOf(parts, origin);
      return transactions.map((transaction, position) => ({ transaction, height, position }));
    },
    waiting: () => listWaiting(parts, headOf()),
    heightsOf: (key, height) => heightsOf(parts, key, touchedBy(key), height),
    isTraced: (height) => isTraced(parts, height, headOf()),
  };
}

function reorganisedHeights({ reorgs }: Overlay, top: number): number[] {
  const heights = new Set<number>();
  for (const { from, to } of reorgs) for (let height = from; height <= Math.min(to, top); height++) heights.add(height);
  return [...heights].sort((a, b) => b - a);
}

function contentOf({ overlay, naturalOf }: ChainParts, origin: number): readonly Transaction[] {
  const placed = overlay.placedByHeight.get(origin);
  return placed === undefined ? naturalOf(origin) : [...naturalOf(origin), ...placed.map((each) => each.transaction)];
}

const MOST_REMEMBERED = 2048;

/** Content that follows from the seed never changes, so each block is composed once and remembered. */
export function rememberBlocks(compose: Compose, isLively: boolean): NaturalContent {
  const played = new Map<number, readonly Transaction[]>();
  return (origin) => {
    if (!isLively) return [];
    const known = played.get(origin);
    if (known !== undefined) return known;
    if (played.size >= MOST_REMEMBERED) played.clear();
    const transactions = SLOT_NUMBERS.flatMap((slot) => compose(origin, slot) ?? []);
    played.set(origin, transactions);
    return transactions;
  };
}

const SLOT_NUMBERS = Array.from({ length: SLOTS }, (_, slot) => slot);

function listWaiting({ overlay, naturalOf }: ChainParts, head: number): Waiting[] {
  const waiting: Waiting[] = [];
  for (let height = head + 1; height <= head + LONGEST_LEAD; height++)
    for (const transaction of naturalOf(height)) {
      const seenAt = height - transaction.lead;
      if (seenAt <= head) waiting.push({ transaction, seenAt });
    }
  for (const { transaction, height, seenAt } of overlay.placed)
    if (height > head) waiting.push({ transaction, seenAt });
  return waiting.sort((a, b) => b.seenAt - a.seenAt || (a.transaction.hash < b.transaction.hash ? 1 : -1));
}

// Recurrences are merged window by window: a window is short enough to be sorted, and long enough to hold a page.
const WINDOW = 512;

/** `touched`: see `touchedHeights`. */
function* heightsOf(parts: ChainParts, key: AddressKey, touched: readonly number[], height: number): Iterable<number> {
  const recurrences = parts.isLively ? (parts.timetable.appearancesOf(key) ?? []) : [];
  if (recurrences.length === 0) {
    yield* touched.filter((each) => each > 0 && each <= height);
    return;
  }
  let top = height;
  while (top > 0) {
    // Jumps to the next block with the address: an old contract appears in one of ten million blocks.
    const next = recurrences
      .map((recurrence) => latestAt(recurrence, top))
      .concat(touched.filter((each) => each <= top));
    top = next.reduce((a, b) => Math.max(a, b), 0);
    const bottom = Math.max(0, top - WINDOW);
    const heights = new Set(touched.filter((each) => each <= top && each > bottom));
    for (const recurrence of recurrences)
      for (let each = latestAt(recurrence, top); each > bottom; each -= recurrence.every) heights.add(each);
    yield* [...heights].sort((a, b) => b - a);
    top = bottom;
  }
}

/**
 * Remembers `touchedHeights`, which each page of an address needs. They change only with the data of the control API.
 */
function rememberTouched(overlay: Overlay): (key: AddressKey) => readonly number[] {
  const heightsByKey = new Map<AddressKey, readonly number[]>();
  let version = overlay.version;
  return (key) => {
    if (version !== overlay.version || heightsByKey.size >= MOST_REMEMBERED) heightsByKey.clear();
    version = overlay.version;
    const found = heightsByKey.get(key) ?? touchedHeights(overlay, key);
    heightsByKey.set(key, found);
    return found;
  };
}

/** Blocks whose content differs from the timetable, the highest first: replaced ones, and those with additions. */
function touchedHeights({ reorgs, placedByParty }: Overlay, key: AddressKey): number[] {
  const heights = new Set(placedByParty.get(key)?.map(({ height }) => height));
  for (const { from, to } of reorgs) for (let height = from; height <= to; height++) heights.add(height);
  return [...heights].sort((a, b) => b - a);
}

/** The accounts that take part in the transaction, in calls inside it or in transfers, moved tokens and emitters of events. */
export function partiesOf(transaction: Transaction): ReadonlySet<AddressKey> {
  const rows = [transaction, ...transaction.calls];
  const ends = rows.flatMap(({ from, to, created }) => [from, to, created].filter((one) => one !== null));
  const moved = transaction.transfers.flatMap(({ from, to, token }) => [from, to, token]);
  return new Set([...ends, ...moved, ...(transaction.logs ?? []).map(({ address }) => address)].map(keyOf));
}

export function isParty(row: Transaction | InternalCall, key: AddressKey): boolean {
  return isFrom(row, key) || isTo(row, key);
}

export function isFrom({ from }: Transaction | InternalCall, key: AddressKey): boolean {
  return keyOf(from) === key;
}

/** A creation counts as sent to the contract, as at explorers. */
export function isTo({ to, created }: Transaction | InternalCall, key: AddressKey): boolean {
  return (to !== null && keyOf(to) === key) || (created !== null && keyOf(created) === key);
}

/** Traces come one to three blocks after their block, and in no order. */
function isTraced({ seed, tracesLate, overlay }: ChainParts, height: number, head: number): boolean {
  const { delays, hiddenTraces } = overlay;
  if (hiddenTraces.has(height)) return false;
  const delay = delays.find(({ after, until }) => after < height && height <= until);
  if (delay !== undefined) return delay.blocks !== null && height + delay.blocks <= head;
  return !tracesLate || height + 1 + (draw(seed, PURPOSE.trace, height) % SLOWEST_TRACE) <= head;
}

const SLOWEST_TRACE = 3;
