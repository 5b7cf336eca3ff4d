// All queries over a view that is made anew for each call: what pages, the API and the CLI print.
import { overview } from './overview.ts';
import { trust } from './trust.ts';
import type { Overview, Trust } from './shapes/overview.ts';
import type { View } from './view.ts';

export interface Queries {
  overview(): Promise<Overview>;
  /** A part of the overview. */
  trust(): Promise<Trust>;
}

/** `look`: makes the view of now. Each query rejects with a `StorageError` when the state does not answer. */
export function createQueries(look: () => Promise<View>): Queries {
  return {
    overview: async () => overview(await look()),
    trust: async () => trust(await look()),
  };
}
