import type { EpisodeName } from '../../store/contract/alerts.ts';

/** As a key of maps. */
export function episodeName({ key, episode }: EpisodeName): string {
  return `${key} ${episode}`;
}
