import { describe } from '@jest/globals';
import { createMemoryStore, nothingKept } from '../support/memory-store.ts';
import { keepsThePromise } from './contract.ts';
import { keepsAJournal } from './journal-contract.ts';
import { keepsItsPromiseAboutWhatWasGivenUp, keepsItsPromiseToOperators } from './operators-contract.ts';

describe('the store in plain maps', () => {
  const place = () => {
    const kept = nothingKept();
    return async () => createMemoryStore(kept);
  };
  keepsThePromise(place);
  keepsAJournal(place);
  keepsItsPromiseToOperators(place);
  keepsItsPromiseAboutWhatWasGivenUp(place);
});
