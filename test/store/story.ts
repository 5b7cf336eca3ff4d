import { test } from '@jest/globals';
import type { Store } from '../../src/store/contract/store.ts';

/** Where the stores that it opens keep what they keep. */
export type Place = () => () => Promise<Store>;

/** A test on a store that is opened for it, and on others that take over from it. */
export type Story = (name: string, tell: (store: Store, takeOver: () => Promise<Store>) => Promise<void>) => void;

export function storiesAt(place: Place): Story {
  return (name, tell) => {
    test(name, async () => {
      const open = place();
      await using stores = new AsyncDisposableStack();
      const takeOver = async (): Promise<Store> => stores.use(await open());
      await tell(await takeOver(), takeOver);
    });
  };
}
