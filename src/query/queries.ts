// All queries over a view that is made anew for each call: what pages, the API and the CLI print.
import { overview } from './overview.ts';
import type { ListFilter } from './shapes.ts';
import type { Overview, Trust } from './shapes/overview.ts';
import type { WatchList } from './shapes/watches.ts';
import { trust } from './trust.ts';
import type { View } from './view.ts';
import { watches } from './watches.ts';

export interface Queries {
  overview(): Promise<Overview>;
  /** A part of the overview. */
  trust(): Promise<Trust>;
  /** Rejects with a `BadCursor`. */
  watches(filter: ListFilter): Promise<WatchList>;
}

/** `look`: makes the view of now. Each query rejects with a `StorageError` when the state does not answer. */
export function createQueries(look: () => Promise<View>): Queries {
  return {
    overview: async () => overview(await look()),
    trust: async () => trust(await look()),
    watches: async (filter) => watches(await look(), filter),
  };
}
