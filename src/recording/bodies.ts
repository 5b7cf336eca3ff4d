// Bodies on their way into the file: compressed once, apart from polls, and known by their hash.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflate, inflateSync } from 'node:zlib';

const deflated = promisify(deflate);

export interface Packed {
  readonly hash: Buffer;
  readonly bytes: Buffer;
}

/** A body that a poll may need. Packed when the first one does; its own bytes are let go then. */
export interface Body {
  packed(): Promise<Packed>;
}

/** Nothing is packed until it is asked for. */
export function createBody(bytes: Buffer): Body {
  let plain: Buffer | null = bytes;
  let packed: Promise<Packed> | null = null;
  return {
    packed() {
      packed ??= pack(plain ?? Buffer.alloc(0));
      plain = null;
      return packed;
    },
  };
}

/** Throws when the bytes are not those of a packed body. */
export function unpack(bytes: Uint8Array): Buffer {
  return inflateSync(bytes);
}

/** Compressing runs on a thread of its own; hashing 60 kB takes a tenth of a millisecond. */
async function pack(plain: Buffer): Promise<Packed> {
  return { hash: createHash('sha256').update(plain).digest(), bytes: await deflated(plain) };
}
