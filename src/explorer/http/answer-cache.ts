// The last answer to each request. Bytes that came before are not decoded again, for most polls learn nothing. Of a page
// a digest stays: making one of 60 kB costs a fifth of parsing them, and nobody looks at rows that came before. Kept as
// a whole, a few hundred pages would be most of what the collector goes through. Small answers are kept whole, and such
// as have no content to be known by, as far as there is room.
import { createHash } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import { createBoundedCache } from './bounded-cache.ts';

const MOST_BYTES = 32 * 1024 * 1024;
/** Of an answer that a digest could stand for. */
const LARGEST_WHOLE = 4096;
/** What a decoded answer weighs beside its bytes, measured on pages of blocks. */
const DECODED_WEIGHT = 4;
/** Each half a kilobyte. */
const MOST_DIGESTS = 100_000;

export interface AnswerCache {
  /** What these very bytes are known to be from when they last came for this request; null when others came. */
  get(request: string, wire: readonly Buffer[]): CacheHit | null;
  put(request: string, wire: readonly Buffer[], answer: CachedAnswer): void;
}

export interface CachedAnswer {
  readonly decoded: object;
  /** Of the decompressed body. */
  readonly bytes: number;
  /** Stands for these very bytes, where they are not remembered as a whole; null = then they are forgotten. */
  readonly content: object | null;
}

export type CacheHit =
  { readonly type: 'decoded'; readonly decoded: object } | { readonly type: 'same'; readonly content: object };

/** May be shared by explorers: requests are named by their whole address, without the key. */
export function createAnswerCache({ clock, maxBytes = MOST_BYTES }: { clock: Clock; maxBytes?: number }): AnswerCache {
  const answers = createBoundedCache<{ readonly wire: Buffer; readonly decoded: object }>(clock, maxBytes);
  const digests = createBoundedCache<{ readonly digest: string; readonly content: object }>(clock, MOST_DIGESTS);

  // A page that changed is compared and then put in. Its digest is made once: a second one took 2 % of such a poll.
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

/** Piece by piece: bytes that are put together only to be compared keep the collector as busy as all the rest. */
function isMadeOf(whole: Buffer, pieces: readonly Buffer[]): boolean {
  let at = 0;
  for (const piece of pieces) {
    if (!whole.subarray(at, at + piece.length).equals(piece)) return false;
    at += piece.length;
  }
  return at === whole.length;
}

/** Strangers write much of an answer, so nothing less will do: two with one digest would hide the second. */
function digestOf(wire: readonly Buffer[]): string {
  const hash = createHash('sha256');
  for (const piece of wire) hash.update(piece);
  return hash.digest('base64');
}
