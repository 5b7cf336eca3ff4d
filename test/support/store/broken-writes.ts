// A state that another program has locked: what it holds can be read, and nothing is written.
import { openStore } from '../../../src/store/open.ts';
import { StorageError, type Store } from '../../../src/store/contract/store.ts';

const WRITES: readonly (string | symbol)[] = [
  'commit',
  'cover',
  'claim',
  'settle',
  'record',
  'probe',
  'keepHealth',
  'commitRouting',
  'commitDue',
  'operate',
] satisfies readonly (keyof Store)[];

/** Opens one whose writes fail while the disk is locked. */
export function lockable(disk: { readonly isLocked: boolean }): typeof openStore {
  return async (settings, options) => {
    const store = await openStore(settings, options);
    return new Proxy(store, {
      get(whole, name) {
        const value: unknown = Reflect.get(whole, name);
        if (typeof value !== 'function' || !WRITES.includes(name)) return value;
        return (...given: readonly unknown[]): unknown =>
          disk.isLocked
            ? Promise.reject(new StorageError('another program holds the state'))
            : Reflect.apply(value, whole, given);
      },
    });
  };
}

/** Opens one that takes no decision about the watch, or the report, of that id. */
export function refusing(disk: { readonly refused: string | null }): typeof openStore {
  return async (settings, options) => {
    const store = await openStore(settings, options);
    const commit: Store['commit'] = (decisions, ...more) =>
      decisions.some(({ watchId }) => watchId === disk.refused)
        ? Promise.reject(new StorageError('the disk is full'))
        : store.commit(decisions, ...more);
    return new Proxy(store, {
      get(whole, name) {
        if (name === 'commit') return commit;
        const value: unknown = Reflect.get(whole, name);
        return typeof value !== 'function'
          ? value
          : (...given: readonly unknown[]): unknown => Reflect.apply(value, whole, given);
      },
    });
  };
}
