// The pattern in each slot of each block, and the reverse: the blocks in which an address takes part. Both are
// arithmetic on the height: no list of past blocks is kept, however old the chain is.
import { FILLER_PATTERNS } from './filler-patterns.ts';
import { keyOf, type AddressKey } from './keys.ts';
import { CROWD, type Accounts } from './accounts.ts';
import type { TransactionPattern } from './transaction-pattern.ts';
import { draw, PURPOSE } from './draw.ts';

export const SLOTS = 7;
const FIRST_FILLER = 4;

/** Blocks that repeat every `every` blocks: those with height % every == phase. */
export interface Recurrence {
  readonly every: number;
  readonly phase: number;
}

export interface Lane {
  readonly every: number;
  /** Due if (height + phase) % every == 0. */
  readonly phase: number;
  readonly patterns: readonly TransactionPattern[];
}

export interface Timetable {
  patternAt(height: number, slot: number): TransactionPattern | undefined;
  senderAt(height: number, slot: number): string;
  peerAt(height: number, slot: number): string;
  /** The blocks in which an address takes part; undefined for an address without transactions. */
  appearancesOf(key: AddressKey): readonly Recurrence[] | undefined;
}

/** `lanes`: the slots with a timetable of their own, from slot 0 on. */
export function createTimetable(seed: number, accounts: Accounts, lanes: readonly Lane[]): Timetable {
  const recurrences = listRecurrences(lanes);

  return {
    patternAt(height, slot) {
      if (height <= 0) return undefined;
      const lane = lanes[slot];
      if (lane !== undefined) return patternOfLane(lane, height);
      if (slot < FIRST_FILLER || slot - FIRST_FILLER >= draw(seed, PURPOSE.fillers, height) % 4) return undefined;
      return FILLER_PATTERNS[(height + STRIDE.pattern * slot) % FILLER_PATTERNS.length];
    },
    senderAt: (height, slot) => accounts.account(height + STRIDE.sender * slot),
    peerAt: (height, slot) => accounts.account(height + STRIDE.peer * slot + PEER_OFFSET),
    appearancesOf(key) {
      const number = accounts.numberOf(key);
      if (number !== undefined) return crowdRecurrences(number);
      return recurrences.get(key) ?? creationRecurrence(accounts, key);
    },
  };
}

const STRIDE = { pattern: 5, sender: 37, peer: 101 };
const PEER_OFFSET = 250;
/** The period of a block that does not recur: longer than any chain, and small enough for exact sums. */
const ONCE = 2 ** 40;

function patternOfLane({ every, phase, patterns }: Lane, height: number): TransactionPattern | undefined {
  const place = height + phase;
  return place % every === 0 ? patterns[(place / every) % patterns.length] : undefined;
}

function listRecurrences(lanes: readonly Lane[]): Map<AddressKey, Recurrence[]> {
  const byKey = new Map<AddressKey, Recurrence[]>();
  const note = (pattern: TransactionPattern, recurrence: Recurrence): void => {
    for (const address of new Set(pattern.participants))
      byKey.set(keyOf(address), [...(byKey.get(keyOf(address)) ?? []), recurrence]);
  };
  for (const { every, phase, patterns } of lanes)
    for (const [turn, pattern] of patterns.entries())
      note(pattern, turnOf(every * patterns.length, every * turn - phase));
  for (let slot = FIRST_FILLER; slot < SLOTS; slot++)
    for (const [turn, pattern] of FILLER_PATTERNS.entries())
      note(pattern, turnOf(FILLER_PATTERNS.length, turn - STRIDE.pattern * slot));
  return byKey;
}

function turnOf(every: number, place: number): Recurrence {
  return { every, phase: modulo(place, every) };
}

function crowdRecurrences(number: number): Recurrence[] {
  return Array.from({ length: SLOTS }, (_, slot) => [
    turnOf(CROWD, number - STRIDE.sender * slot),
    turnOf(CROWD, number - STRIDE.peer * slot - PEER_OFFSET),
  ]).flat();
}

/** A contract that the chain created appears in the one block that created it. */
function creationRecurrence(accounts: Accounts, key: AddressKey): Recurrence[] | undefined {
  const creationSite = accounts.creationSiteOf(key);
  return creationSite === undefined ? undefined : [{ every: ONCE, phase: creationSite.height }];
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}

/** Highest height of a recurrence at or below `height`, or a negative number if there is none. */
export function latestAt({ every, phase }: Recurrence, height: number): number {
  return height - modulo(height - phase, every);
}
