// The progress of the explorer: the newest block that it had read when it answered a poll.
//
// Replicas of one explorer answer in turn, and some are behind: they leave out items that another one has shown. So a
// missing item, or an end, counts only up to the newest block that the same explorer shows in the same tick. If the
// answer does not show that block, reading it costs a request. So the block is read only if a decision depends on it:
// `step` asks for it in `needs`, and decides again with the result.
import { valueAt, type AnyView } from '../values/fields.ts';
import type { BlockRange } from '../model/detection.ts';
import type { HeadNeed, ChainReading, Observation, TickChain } from '../model/observation.ts';
import type { Decision } from '../model/decision.ts';

/** The reading of a first page of blocks alone, in any order; `unknown` if no row has a height. */
export function readChain(blocks: readonly AnyView[]): ChainReading | 'unknown' {
  const heights = blocks.map((block) => valueAt(block, 'height')).filter((height) => typeof height === 'bigint');
  return heights.length === 0 ? 'unknown' : upToHead(Math.max(...heights.map(Number)));
}

/** A reading with the head only. */
export function upToHead(head: number): ChainReading {
  return { head, isBehind: false, replaced: [] };
}

/**
 * The explorer has read the chain up to this height at least, by the answers of this tick; null when no answer shows a
 * height.
 */
export function reachOf(chain: TickChain, range: BlockRange | null): number | null {
  const asked = typeof chain === 'object' ? chain.head : null;
  const own = range?.head ?? null;
  return asked === null || own === null ? (asked ?? own) : Math.max(asked, own);
}

/** The need for this head; null if the chain was asked for already. */
export function needOf(chain: TickChain, head: number): HeadNeed | null {
  return chain === 'not-asked' ? { head } : null;
}

/** The highest need, which satisfies all; null: there is none. */
export function greatestNeed(needs: readonly (HeadNeed | null)[]): HeadNeed | null {
  return needs.reduce((most, need) => (need !== null && need.head > (most?.head ?? -1) ? need : most), null);
}

export interface JudgedPoll {
  readonly observation: Observation;
  readonly decision: Decision;
}

/** Decides. If the decision needs the chain, reads it and decides again. */
export async function judge(
  observation: Observation,
  decide: (observation: Observation) => Decision | Promise<Decision>,
  ask: (need: HeadNeed) => Promise<TickChain>,
): Promise<JudgedPoll> {
  const decision = await decide(observation);
  if (decision.needs === null || observation.type === 'missed') return { observation, decision };
  const whole = { ...observation, chain: await ask(decision.needs) };
  return { observation: whole, decision: await decide(whole) };
}
