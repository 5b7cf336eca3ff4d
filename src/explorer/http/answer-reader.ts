// Decodes answers, or throws the reason why that is impossible. A small answer is decoded at once, a large one in a
// thread and in steps.
import type { Units } from '../../core/values/fields.ts';
import type { Clock } from '../../lib/clock.ts';
import { decodeAnswer, decodeJson, type Decoded } from '../reading/decode.ts';
import { createRedactor } from '../../lib/redact.ts';
import { createPageSizes } from '../reading/page-sizes.ts';
import { problemOf } from './answer-problem.ts';
import { decompress, readEncoding } from './body.ts';
import type { HttpAnswer, HttpLimits } from './exchange.ts';
import { RequestFault } from './fault.ts';
import type { LargeBodies } from './large-bodies.ts';
import type { Request } from './request.ts';

export interface AnswerReaderOptions {
  readonly largeBodies: LargeBodies;
  readonly units: Units;
  readonly limits: HttpLimits;
  readonly hasKey: boolean;
  /** Removed from answers first of all, since a server may echo the request. */
  readonly secrets: () => readonly string[];
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface WholeAnswer {
  readonly decoded: Decoded;
  /** The body that was decoded. */
  readonly body: Buffer;
  /** The memory that the body takes, as the size in bytes of an ordinary body with the same need. */
  readonly weight: number;
  readonly isSmall: boolean;
}

/** Both methods throw `RequestFault` for a refusal, and for a body that cannot be read. */
export interface AnswerReader {
  read(answer: HttpAnswer, request: Request): Promise<WholeAnswer>;
  /** Null for an answer that is too large to be decoded at once. */
  readSmall(answer: HttpAnswer, request: Request): WholeAnswer | null;
}

/** In bytes after decompression: a larger body would block the event loop for too long. */
const MOST_AT_ONCE = 256 * 1024;

export function createAnswerReader(options: AnswerReaderOptions): AnswerReader {
  const { largeBodies, units, limits, hasKey, secrets, clock, signal } = options;
  const pageSizes = createPageSizes();
  const { redact, redactJson, add } = createRedactor();

  function readSmall(answer: HttpAnswer, { question, where }: Request): WholeAnswer | null {
    const whole = smallBodyOf(answer, limits.maxBytes, where);
    add(secrets());
    // A refusal that is too large to be decoded at once has no message for people, so only its status counts.
    const problem = problemOf(answer, whole ?? NOTHING, { where, hasKey, redact, now: clock.now() });
    if (problem !== null) throw problem;
    if (whole === null) return null;
    const body = redactJson(whole);
    return {
      body,
      weight: body.length,
      isSmall: true,
      decoded: decodeAnswer(body, question, { units, where, pageSizes }),
    };
  }

  async function readLarge(answer: HttpAnswer, { question, where }: Request): Promise<WholeAnswer> {
    const encoding = readEncoding(answer.headers['content-encoding'], where);
    const job = { wire: joined(answer.wire), encoding, maxBytes: limits.maxBytes, where, secrets: secrets() };
    const { raw, body, weight } = await largeBodies.read(job).finally(() => {
      signal.throwIfAborted();
    });
    return { body, weight, isSmall: false, decoded: decodeJson(raw, question, { units, where, pageSizes }) };
  }

  return {
    readSmall,
    read: async (answer, request) => readSmall(answer, request) ?? (await readLarge(answer, request)),
  };
}

const NOTHING = Buffer.alloc(0);

/** Null if the body is too large to be decoded at once but may be within the limit. */
function smallBodyOf({ status, headers, wire }: HttpAnswer, maxBytes: number, where: string): Buffer | null {
  const most = Math.min(maxBytes, MOST_AT_ONCE);
  const size = sizeOf(wire);
  try {
    const encoding = readEncoding(headers['content-encoding'], where);
    return size > most ? null : decompress(Buffer.concat(wire, size), encoding, most, where);
  } catch (error) {
    if (status !== 200) return NOTHING;
    if (error instanceof RequestFault && error.reason === 'too-large' && most < maxBytes) return null;
    throw error;
  }
}

function sizeOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

/** Copies the pieces to one new buffer, which can be moved to a thread. */
function joined(pieces: readonly Buffer[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(sizeOf(pieces));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
