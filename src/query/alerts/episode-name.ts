import type { EpisodeName } from '../../store/contract/alerts.ts';

/** The key of an episode in maps. */
export function episodeName({ key, episode }: EpisodeName): string {
  return `${key} ${episode}`;
}
