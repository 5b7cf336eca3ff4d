import { describe } from '@jest/globals';
import { createMemoryStore, nothingKept } from '../support/memory-store.ts';
import { keepsThePromise } from './contract.ts';

describe('the store in plain maps', () => {
  keepsThePromise(() => {
    const kept = nothingKept();
    return async () => createMemoryStore(kept);
  });
});
