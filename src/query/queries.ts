// All queries over a view that is made anew for each call: what pages, the API and the CLI print.
import { trust } from './trust.ts';
import type { Trust } from './shapes/overview.ts';
import type { View } from './view.ts';

export interface Queries {
  trust(): Promise<Trust>;
}

/** `look`: makes the view of now. Each query rejects with a `StorageError` when the state does not answer. */
export function createQueries(look: () => Promise<View>): Queries {
  return {
    trust: async () => trust(await look()),
  };
}
