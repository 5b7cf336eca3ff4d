import { describe } from '@jest/globals';
import { createMemoryStore } from '../support/memory-store.ts';
import { keepsThePromise } from './contract.ts';

describe('the store in plain maps', () => {
  keepsThePromise(async () => createMemoryStore());
});
