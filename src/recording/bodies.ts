// Bodies for the recording: each is compressed once, stored apart from polls, and identified by its hash.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflate, inflateSync } from 'node:zlib';

const deflated = promisify(deflate);

export interface Packed {
  readonly hash: Buffer;
  readonly bytes: Buffer;
}

/** A body that a poll may need. It is compressed when the first poll needs it; then its own bytes are released. */
export interface Body {
  packed(): Promise<Packed>;
}

/** The body is packed on the first request for it. */
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

/** Throws if the bytes are not a packed body. */
export function unpack(bytes: Uint8Array): Buffer {
  return inflateSync(bytes);
}

/** Compression runs on another thread. Hashing does not, since 60 kB take only a tenth of a millisecond. */
async function pack(plain: Buffer): Promise<Packed> {
  return { hash: createHash('sha256').update(plain).digest(), bytes: await deflated(plain) };
}
