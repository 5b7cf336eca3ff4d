// The Etherscan-style API and the JSON-RPC are no part of the explorer's specification, so a host may refuse them. A kind
// that can read in another way does so at once, and asks in the first way again at the next poll:
//
//   answers                     the first way is used
//   server error                the other way is used; after three in a row the first counts as refused
//   refused                     the other way is used for a day, then the first is asked again
import { z } from 'zod';
import type { DatedRemark } from '../../core/model/watch/kind.ts';
import type { MissReason } from '../../core/model/observation.ts';
import { API_REFUSALS, Missed } from '../../core/model/watch/question.ts';
import type { Instant } from '../../lib/clock.ts';

/** Plain JSON. */
export type WayTrouble =
  | { readonly state: 'failing'; readonly polls: number }
  | { readonly state: 'refused'; readonly since: Instant; readonly why: string };

export const WayTrouble: z.ZodType<WayTrouble> = z.union([
  z.object({ state: z.literal('failing'), polls: z.number() }),
  z.object({ state: z.literal('refused'), since: z.number(), why: z.string() }),
]);

/**
 * The way in which a poll was read: the first; the other, like the polls before; or the other because the first failed in
 * this poll.
 */
export type WayOfReading = 'first' | 'as-before' | { readonly failed: MissReason };

/** A host that does not have the function, or asks for a key, may answer in its own words. */
const REFUSALS: readonly MissReason[] = [...API_REFUSALS, 'unprocessable', 'unauthorized', 'http', 'shape'];

export function isRefused(error: unknown): error is Missed {
  return error instanceof Missed && REFUSALS.includes(error.reason);
}

const REFUSED_AFTER = 3;
const TRIED_AGAIN_MS = 86_400_000;

/** Returns the same object if nothing changes. */
export function troubleAfter(before: WayTrouble | undefined, way: WayOfReading, at: Instant): WayTrouble | undefined {
  if (way === 'first') return undefined;
  if (way === 'as-before') return before?.state === 'refused' && isRecent(before.since, at) ? before : undefined;
  if (way.failed !== 'server-error') return { state: 'refused', since: at, why: way.failed };
  const polls = before?.state === 'failing' ? before.polls + 1 : 1;
  return polls < REFUSED_AFTER ? { state: 'failing', polls } : { state: 'refused', since: at, why: way.failed };
}

function isRecent(since: Instant, at: Instant): boolean {
  return since <= at && at - since < TRIED_AGAIN_MS;
}

/** Reads in the first way, or in the other if the first is refused. An outage of both is that of the first. */
export async function readByEither<O>(
  trouble: WayTrouble | undefined,
  { first, other }: { readonly first: () => Promise<O>; readonly other: () => Promise<O> },
): Promise<{ readonly reading: O; readonly way: WayOfReading }> {
  const viaFirst = async () => ({ reading: await first(), way: 'first' as const });
  if (trouble?.state === 'refused') {
    try {
      return { reading: await other(), way: 'as-before' };
    } catch (error) {
      if (!isRefused(error)) throw error;
      return viaFirst();
    }
  }
  try {
    return await viaFirst();
  } catch (error) {
    if (!isRefused(error) && !isServerError(error)) throw error;
    const reading = await other().catch((later: unknown) => {
      throw later instanceof Missed ? error : later;
    });
    return { reading, way: { failed: error.reason } };
  }
}

function isServerError(error: unknown): error is Missed {
  return error instanceof Missed && error.reason === 'server-error';
}

/** `read by addresses/{address}/logs: the explorer refuses api?module=logs (forbidden)` */
export function troubleWords(
  trouble: WayTrouble | undefined,
  { first, other }: { readonly first: string; readonly other: string },
): DatedRemark | null {
  if (trouble?.state !== 'refused') return null;
  return { what: `read by ${other}: the explorer refuses ${first} (${trouble.why})`, since: trouble.since };
}
