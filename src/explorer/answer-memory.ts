// The last answer to each request, as bytes and as what they were decoded to. Bytes that came before are not decoded
// again: comparing 60 kB costs a tenth of parsing them, and most polls learn nothing.
import type { Clock, Instant } from '../lib/clock.ts';

const MOST_BYTES = 64 * 1024 * 1024;
/** What a decoded answer weighs beside its bytes, measured on pages of blocks. */
const DECODED_WEIGHT = 4;
/**
 * Requests come round in turn, so throwing out the one asked longest ago would throw out the very next one, and none
 * would ever be found. Entries in use stay; a newcomer gets the place of one that was not asked for this long.
 */
const IDLE_AFTER_MS = 600_000;

export interface AnswerMemory {
  /** What these very bytes were decoded to when they last came for this request. */
  recall(request: string, wire: readonly Buffer[]): unknown;
  keep(request: string, wire: Buffer, decodedBytes: number, decoded: object): void;
}

interface Entry {
  readonly wire: Buffer;
  readonly decoded: object;
  readonly weight: number;
  usedAt: Instant;
}

/** Piece by piece: bytes that are put together only to be compared keep the collector as busy as all the rest. */
function isMadeOf(whole: Buffer, pieces: readonly Buffer[]): boolean {
  let at = 0;
  for (const piece of pieces) {
    if (!whole.subarray(at, at + piece.length).equals(piece)) return false;
    at += piece.length;
  }
  return at === whole.length;
}

/** May be shared by explorers: requests are named by their whole address, without the key. */
export function createAnswerMemory({
  clock,
  maxBytes = MOST_BYTES,
}: {
  clock: Clock;
  maxBytes?: number;
}): AnswerMemory {
  // In the order of their last use.
  const entries = new Map<string, Entry>();
  let total = 0;

  function forget(request: string): void {
    total -= entries.get(request)?.weight ?? 0;
    entries.delete(request);
  }

  function makeRoom(weight: number, now: Instant): boolean {
    for (const [request, { usedAt }] of entries) {
      if (total + weight <= maxBytes) return true;
      if (now - usedAt < IDLE_AFTER_MS) return false;
      forget(request);
    }
    return total + weight <= maxBytes;
  }

  return {
    recall(request, wire) {
      const entry = entries.get(request);
      if (entry === undefined || !isMadeOf(entry.wire, wire)) return undefined;
      entries.delete(request);
      entries.set(request, entry);
      entry.usedAt = clock.now();
      return entry.decoded;
    },
    keep(request, wire, decodedBytes, decoded) {
      forget(request);
      const weight = wire.length + DECODED_WEIGHT * decodedBytes;
      const now = clock.now();
      if (!makeRoom(weight, now)) return;
      entries.set(request, { wire, decoded, weight, usedAt: now });
      total += weight;
    },
  };
}
