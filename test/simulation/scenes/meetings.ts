// Counts how often two things meet at one alert, and which never can.
import type { Sighting } from '../model.ts';
import { pairCounts, PAIRS, type PairCounts } from './sightings.ts';

const OF_CONDITIONS = 'only conditions cool down and flap, and only events are retracted';
const NO_WAIT = 'what is critical waits for no group, and nothing else fails over';

/** Why these never meet at one alert. */
export const NEVER_MEET: Readonly<Record<string, string>> = {
  'cooldown + retraction': OF_CONDITIONS,
  'retraction + flapping': OF_CONDITIONS,
  'group wait + failover': NO_WAIT,
};

/** In 200 days. */
export const FEWEST_MEETINGS = 20;

export function addMeetings(before: PairCounts, sightings: readonly Sighting[]): PairCounts {
  const more = pairCounts(sightings);
  return new Map(PAIRS.map((pair) => [pair, (before.get(pair) ?? 0) + (more.get(pair) ?? 0)]));
}

/** `met: ack + reload 35`, one line for each pair that can meet. */
export function showMeetings(counts: PairCounts): readonly string[] {
  return PAIRS.filter((pair) => !(pair in NEVER_MEET)).map((pair) => `met: ${pair} ${counts.get(pair) ?? 0}`);
}

/** The lines of several runs, added up. */
export function readMeetings(text: string): PairCounts {
  const counts = new Map<string, number>();
  for (const [, pair = '', count] of text.matchAll(/^met: (.+) (\d+)$/gm))
    counts.set(pair, (counts.get(pair) ?? 0) + Number(count));
  return counts;
}
