// The chain as it stands now: what follows from the seed, seen through what the control API has changed.
import { originOf, timesReplaced, type Overlay } from '../overlay.ts';
import type { Calendar } from './calendar.ts';
import { LONGEST_LEAD, type Compose } from './compose.ts';
import { drawHex, PURPOSE } from './draw.ts';
import { keyOf, type AddressKey } from './keys.ts';
import { latestAt, SLOTS, type Timetable } from './timetable.ts';
import type { Call, Mined, Transaction, Waiting } from './transaction.ts';

export interface Chain {
  blockHash(height: number, replaced?: number): string;
  stateRoot(height: number): string;
  transactionsOf(height: number): Mined[];
  /** Not yet mined, newest first. */
  waiting(): Waiting[];
  /** Blocks at or below `height` in which the address may take part, going down. Ends at genesis. */
  heightsOf(key: AddressKey, height: number): Iterable<number>;
  /** Whether the internal transactions of a block can be seen. */
  isTraced(height: number): boolean;
}

export interface ChainParts {
  readonly seed: number;
  readonly isLively: boolean;
  readonly calendar: Calendar;
  readonly overlay: Overlay;
  readonly compose: Compose;
  readonly timetable: Timetable;
}

export function createChain(given: ChainParts): Chain {
  const parts = { ...given, naturalOf: remember(given) };
  const { seed, overlay, calendar } = parts;
  return {
    blockHash: (height, replaced = timesReplaced(overlay.reorgs, height)) =>
      `0x${drawHex(seed, PURPOSE.blockHash, height, replaced, 8)}`,
    stateRoot: (height) => `0x${drawHex(seed, PURPOSE.stateRoot, height, timesReplaced(overlay.reorgs, height), 8)}`,
    transactionsOf(height) {
      const origin = originOf(overlay.reorgs, height);
      const transactions = origin === undefined ? [] : contentOf(parts, origin);
      return transactions.map((transaction, position) => ({ transaction, height, position }));
    },
    waiting: () => listWaiting(parts, calendar.head()),
    heightsOf: (key, height) => heightsOf(parts, key, height),
    isTraced: (height) => isTraced(overlay, height, calendar.head()),
  };
}

interface Parts extends ChainParts {
  readonly naturalOf: (origin: number) => readonly Transaction[];
}

function contentOf({ overlay, naturalOf }: Parts, origin: number): readonly Transaction[] {
  const placed = overlay.placedByHeight.get(origin);
  return placed === undefined ? naturalOf(origin) : [...naturalOf(origin), ...placed.map((each) => each.transaction)];
}

const MOST_REMEMBERED = 2048;

/** What follows from the seed never changes: the blocks that are asked for again and again are played once. */
function remember({ isLively, compose }: ChainParts): (origin: number) => readonly Transaction[] {
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

function listWaiting({ overlay, naturalOf }: Parts, head: number): Waiting[] {
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

function* heightsOf(parts: ChainParts, key: AddressKey, height: number): Iterable<number> {
  const recurrences = parts.isLively ? (parts.timetable.appearancesOf(key) ?? []) : [];
  const touched = touchedHeights(parts.overlay, key);
  let top = height;
  while (top > 0) {
    // Straight to the next block that counts: an old contract appears once in ten million.
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

/** Blocks whose content is not what the timetable says: every one that was replaced, and those with additions. */
function touchedHeights({ reorgs, placedByHeight }: Overlay, key: AddressKey): number[] {
  const heights = [...placedByHeight.entries()]
    .filter(([, placed]) => placed.some(({ transaction }) => takesPart(transaction, key)))
    .map(([height]) => height);
  for (const { from, to } of reorgs) for (let height = from; height <= to; height++) heights.push(height);
  return heights;
}

/** Whether the address stands anywhere in the transaction or in the calls inside it. */
function takesPart(transaction: Transaction, key: AddressKey): boolean {
  return isParty(transaction, key) || transaction.calls.some((call) => isParty(call, key));
}

export function isParty(row: Transaction | Call, key: AddressKey): boolean {
  return isFrom(row, key) || isTo(row, key);
}

export function isFrom({ from }: Transaction | Call, key: AddressKey): boolean {
  return keyOf(from) === key;
}

/** Created by it counts as sent to it, as explorers have it. */
export function isTo({ to, created }: Transaction | Call, key: AddressKey): boolean {
  return (to !== null && keyOf(to) === key) || (created !== null && keyOf(created) === key);
}

function isTraced({ delays, hiddenTraces }: Overlay, height: number, head: number): boolean {
  if (hiddenTraces.has(height)) return false;
  const delay = delays.find(({ after, until }) => after < height && height <= until);
  return delay === undefined || (delay.blocks !== null && height + delay.blocks <= head);
}
