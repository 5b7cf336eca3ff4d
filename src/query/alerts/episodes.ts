// Earlier firings of alerts.
import { z } from 'zod';
import type { WatchId } from '../../core/model/ids.ts';
import { showInstant } from '../../lib/clock.ts';
import type { EpisodeName, FiringSpan } from '../../store/contract/alerts.ts';
import type { Episode } from '../shapes/alerts.ts';
import { timeOf } from '../times.ts';
import type { QueryContext } from '../view.ts';

const EPISODES_MS = 90 * 86_400_000;
const MOST_EPISODES = 20;

/** At most 20 firings of the conditions of a watch within the last 90 days, newest first. */
export async function episodesOf(view: QueryContext, watch: WatchId): Promise<Episode[]> {
  const firings = await view.store.firings(view.now - EPISODES_MS, watch);
  return namedEpisodes(
    view,
    firings
      .filter(({ isEvent }) => !isEvent)
      .toReversed()
      .slice(0, MOST_EPISODES),
  );
}

/** Earlier firings of the same alert, newest first. */
export async function earlierEpisodes(view: QueryContext, watch: WatchId, of: EpisodeName): Promise<Episode[]> {
  const firings = await view.store.firings(view.now - EPISODES_MS, watch);
  const earlier = firings.filter(({ key, episode }) => key === of.key && episode < of.episode);
  return namedEpisodes(view, earlier.toReversed().slice(0, MOST_EPISODES));
}

/** Converts firings to episodes, with the person who acknowledged each of them. */
export async function namedEpisodes({ store }: QueryContext, firings: readonly FiringSpan[]): Promise<Episode[]> {
  const keys = [...new Set(firings.map(({ key }) => key))];
  const lines = keys.length === 0 ? [] : await store.history({ subjects: keys, limit: 1000 });
  const acks = lines.filter(({ kind }) => kind === 'ack');
  return firings.map(({ key, episode, alert, from, until }) => {
    const ack = acks.find((line) => line.subject === key && episodeIn(line.data) === episode);
    return { key, episode, alert, since: showInstant(from), until: timeOf(until), acknowledged_by: ack?.actor ?? null };
  });
}

/** The episode number in the data of a journal line; null if there is none. */
export function episodeIn(data: unknown): number | null {
  return Named.safeParse(data).data?.episode ?? null;
}

const Named = z.object({ episode: z.number() });
