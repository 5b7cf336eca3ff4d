// The Etherscan-style API is no part of the explorer's specification, so a host may refuse it. A kind that can read
// another list does so at once, and asks the API again at the next poll:
//
//   answers                     the API is read
//   server error                the other list is read; after three in a row the API counts as refused
//   refused                     the other list is read for a day, then the API is asked again
import { z } from 'zod';
import type { DatedRemark } from '../../core/model/watch/kind.ts';
import type { MissReason } from '../../core/model/observation.ts';
import { API_REFUSALS, Missed } from '../../core/model/watch/question.ts';
import type { Instant } from '../../lib/clock.ts';

/** Plain JSON. */
export type ApiTrouble =
  | { readonly state: 'failing'; readonly polls: number }
  | { readonly state: 'refused'; readonly since: Instant; readonly why: string };

export const ApiTrouble: z.ZodType<ApiTrouble> = z.union([
  z.object({ state: z.literal('failing'), polls: z.number() }),
  z.object({ state: z.literal('refused'), since: z.number(), why: z.string() }),
]);

/**
 * The way in which a poll was read: by the API; by the other list, like the polls before; or by the other list because
 * the API failed in this poll.
 */
export type WayOfReading = 'api' | 'as-before' | { readonly failed: MissReason };

/** A host that does not have the function of the API, or asks for a key, may answer in its own way. */
const REFUSALS: readonly MissReason[] = [...API_REFUSALS, 'unprocessable', 'unauthorized', 'http', 'shape'];

export function isRefused(error: unknown): error is Missed {
  return error instanceof Missed && REFUSALS.includes(error.reason);
}

const REFUSED_AFTER = 3;
const TRIED_AGAIN_MS = 86_400_000;

/** Returns the same object if nothing changes. */
export function troubleAfter(before: ApiTrouble | undefined, way: WayOfReading, at: Instant): ApiTrouble | undefined {
  if (way === 'api') return undefined;
  if (way === 'as-before') return before?.state === 'refused' && isRecent(before.since, at) ? before : undefined;
  if (way.failed !== 'server-error') return { state: 'refused', since: at, why: way.failed };
  const polls = before?.state === 'failing' ? before.polls + 1 : 1;
  return polls < REFUSED_AFTER ? { state: 'failing', polls } : { state: 'refused', since: at, why: way.failed };
}

function isRecent(since: Instant, at: Instant): boolean {
  return since <= at && at - since < TRIED_AGAIN_MS;
}

/** Reads by the API, or by the other list if the API is refused. An outage of both is that of the API. */
export async function readByEither<O>(
  trouble: ApiTrouble | undefined,
  { byApi, byList }: { readonly byApi: () => Promise<O>; readonly byList: () => Promise<O> },
): Promise<{ readonly reading: O; readonly way: WayOfReading }> {
  const viaApi = async () => ({ reading: await byApi(), way: 'api' as const });
  if (trouble?.state === 'refused') {
    try {
      return { reading: await byList(), way: 'as-before' };
    } catch (error) {
      if (!isRefused(error)) throw error;
      return viaApi();
    }
  }
  try {
    return await viaApi();
  } catch (error) {
    if (!isRefused(error) && !isServerError(error)) throw error;
    const reading = await byList().catch((other: unknown) => {
      throw other instanceof Missed ? error : other;
    });
    return { reading, way: { failed: error.reason } };
  }
}

function isServerError(error: unknown): error is Missed {
  return error instanceof Missed && error.reason === 'server-error';
}

/** `read by addresses/{address}/logs: the explorer refuses api?module=logs (forbidden)` */
export function troubleWords(
  trouble: ApiTrouble | undefined,
  { list, api }: { readonly list: string; readonly api: string },
): DatedRemark | null {
  if (trouble?.state !== 'refused') return null;
  return { what: `read by ${list}: the explorer refuses ${api} (${trouble.why})`, since: trouble.since };
}
