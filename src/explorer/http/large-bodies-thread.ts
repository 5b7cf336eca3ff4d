// The thread of large-bodies.ts: one message for each body, one reply to each message.
import { parentPort } from 'node:worker_threads';
import type { MissReason } from '../../core/model/observation.ts';
import { createRedactor } from '../../lib/redact.ts';
import { decompress, type Encoding, jsonFault } from './body.ts';
import { RequestFault } from './fault.ts';
import { boundJson } from './json-bounds.ts';

export interface Job {
  /** The received bytes; they move to the thread. */
  readonly wire: Uint8Array<ArrayBuffer>;
  readonly encoding: Encoding;
  readonly maxBytes: number;
  readonly where: string;
  /** Texts that are redacted in the body. */
  readonly secrets: readonly string[];
}

/** `bytes` is moved back, not copied. An error is passed on only as its text. */
export type ThreadReply =
  | {
      readonly type: 'bounded';
      readonly bytes: Uint8Array<ArrayBuffer>;
      readonly lists: readonly (readonly number[])[];
      readonly separators: number;
    }
  | { readonly type: 'refused'; readonly reason: MissReason; readonly detail: string };

parentPort?.on('message', (job: Job) => {
  const reply = replyTo(job);
  parentPort?.postMessage(reply, reply.type === 'bounded' ? [reply.bytes.buffer] : []);
});

function replyTo({ wire, encoding, maxBytes, where, secrets }: Job): ThreadReply {
  try {
    const body = decompress(Buffer.from(wire.buffer), encoding, maxBytes, where);
    const { bytes, lists, separators } = boundJson(createRedactor(secrets).redactJson(body));
    const { buffer, byteOffset, length } = bytes as Buffer<ArrayBuffer>;
    return { type: 'bounded', bytes: new Uint8Array(buffer, byteOffset, length), lists, separators };
  } catch (error) {
    const { reason, message } = error instanceof RequestFault ? error : jsonFault(error, where);
    return { type: 'refused', reason, detail: message };
  }
}
