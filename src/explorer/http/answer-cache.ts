// The last answer to each request. Most polls get the same bytes again, and these are not decoded again. For a page
// only a digest is kept: making the digest of 60 kB takes a fifth of the time of parsing, and unchanged rows are not
// read. A few hundred whole pages would be most of the work of the garbage collector. Small answers, and answers
// without a content object, are kept whole while there is room.
import { createHash } from 'node:crypto';
import type { Clock, Instant } from '../../lib/clock.ts';

const MOST_BYTES = 32 * 1024 * 1024;
/** The largest answer, in bytes, that is kept whole although a digest would be enough. */
const LARGEST_WHOLE = 4096;
/** The weight of a decoded answer, in multiples of its bytes; measured on pages of blocks. */
const DECODED_WEIGHT = 4;
/** The highest number of digests. Each takes half a kilobyte. */
const MOST_DIGESTS = 100_000;

export interface AnswerCache {
  /** The kept entry if the last answer to this request had the same bytes; null if they differ. */
  get(request: string, wire: readonly Buffer[]): CacheHit | null;
  put(request: string, wire: readonly Buffer[], answer: CachedAnswer): void;
}

export interface CachedAnswer {
  readonly decoded: object;
  /** The size of the decompressed body. */
  readonly bytes: number;
  /** Identifies the bytes if only their digest is kept; null = the answer is kept whole or not at all. */
  readonly content: object | null;
}

export type CacheHit =
  { readonly type: 'decoded'; readonly decoded: object } | { readonly type: 'same'; readonly content: object };

/** Explorers may share a cache: a request is identified by its whole address, without the key. */
export function createAnswerCache({ clock, maxBytes = MOST_BYTES }: { clock: Clock; maxBytes?: number }): AnswerCache {
  const answers = createBoundedCache<{ readonly wire: Buffer; readonly decoded: object }>(clock, maxBytes);
  const digests = createBoundedCache<{ readonly digest: string; readonly content: object }>(clock, MOST_DIGESTS);

  // A changed page needs its digest twice, to compare and to store it. It is computed once, which saves 2 % of such a
  // poll.
  const digestByWire = new WeakMap<readonly Buffer[], string>();

  function digestFor(wire: readonly Buffer[]): string {
    const digest = digestByWire.get(wire) ?? digestOf(wire);
    digestByWire.set(wire, digest);
    return digest;
  }

  function putWhole(request: string, wire: readonly Buffer[], { decoded, bytes }: CachedAnswer): boolean {
    const weight = wire.reduce((sum, { length }) => sum + length, DECODED_WEIGHT * bytes);
    return answers.put(request, () => ({ wire: Buffer.concat(wire), decoded }), weight);
  }

  return {
    get(request, wire) {
      const answer = answers.get(request, ({ wire: known }) => isMadeOf(known, wire));
      if (answer !== undefined) return { type: 'decoded', decoded: answer.decoded };
      const same = digests.get(request, ({ digest }) => digest === digestFor(wire));
      return same === undefined ? null : { type: 'same', content: same.content };
    },
    put(request, wire, answer) {
      const { content } = answer;
      const isWhole = isKeptWhole(answer) && putWhole(request, wire, answer);
      if (!isWhole) answers.drop(request);
      if (isWhole || content === null) digests.drop(request);
      else digests.put(request, () => ({ digest: digestFor(wire), content }), 1);
    },
  };
}

function isKeptWhole({ content, bytes }: CachedAnswer): boolean {
  return content === null || bytes <= LARGEST_WHOLE;
}

/**
 * Compares piece by piece. Joining the bytes only to compare them would give the garbage collector as much work as all
 * other code.
 */
function isMadeOf(whole: Buffer, pieces: readonly Buffer[]): boolean {
  let at = 0;
  for (const piece of pieces) {
    if (!whole.subarray(at, at + piece.length).equals(piece)) return false;
    at += piece.length;
  }
  return at === whole.length;
}

/**
 * Answers contain untrusted text, so a strong digest is needed: an answer with the digest of the one before counts as
 * unchanged.
 */
function digestOf(wire: readonly Buffer[]): string {
  const hash = createHash('sha256');
  for (const piece of wire) hash.update(piece);
  return hash.digest('base64');
}

/**
 * Requests repeat in the same order, so the least recently used entry is the one that is needed next. A plain LRU cache
 * would never hit. Therefore a new entry replaces only entries that were not used for this long.
 */
const IDLE_AFTER_MS = 600_000;

/** Remembers values by request, within bounds. */
interface BoundedCache<Value> {
  /** The value of that request if `isWanted` accepts it. A value that is not accepted does not count as used. */
  get(request: string, isWanted: (value: Value) => boolean): Value | undefined;
  /** Replaces the previous value. False if there is no room: then nothing is made or stored. */
  put(request: string, make: () => Value, weight: number): boolean;
  drop(request: string): void;
}

interface Entry<Value> {
  /**
   * Null after the entry was dropped. An old hash table of the map may keep the entry in memory until the next full
   * garbage collection. The value is then free already.
   */
  value: Value | null;
  readonly weight: number;
  usedAt: Instant;
}

function createBoundedCache<Value>(clock: Clock, most: number): BoundedCache<Value> {
  // The entries are in the order of their last use.
  const entries = new Map<string, Entry<Value>>();
  let total = 0;

  function drop(request: string): void {
    const entry = entries.get(request);
    if (entry === undefined) return;
    total -= entry.weight;
    entry.value = null;
    entries.delete(request);
  }

  function makeRoom(weight: number, now: Instant): boolean {
    for (const [request, { usedAt }] of entries) {
      if (total + weight <= most) return true;
      if (now - usedAt < IDLE_AFTER_MS) return false;
      drop(request);
    }
    return total + weight <= most;
  }

  return {
    get(request, isWanted) {
      const entry = entries.get(request);
      const value = entry?.value ?? null;
      if (entry === undefined || value === null || !isWanted(value)) return undefined;
      entries.delete(request);
      entries.set(request, entry);
      entry.usedAt = clock.now();
      return value;
    },
    put(request, make, weight) {
      drop(request);
      const now = clock.now();
      if (!makeRoom(weight, now)) return false;
      entries.set(request, { value: make(), weight, usedAt: now });
      total += weight;
      return true;
    },
    drop,
  };
}
