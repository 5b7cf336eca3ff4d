// The promise of `Store` over databases that run each list of rows from its end.
import { describe } from '@jest/globals';
import { createMemoryDatabase } from '../../src/store/sqlite/driver.ts';
import { createMemoryStore } from '../support/store/memory-store.ts';
import { withReversedLists } from '../support/store/reversed-lists.ts';
import { keepsThePromise } from './contracts/contract.ts';
import { keepsAJournal } from './contracts/journal-contract.ts';
import { keepsItsPromiseAboutWhatWasGivenUp, keepsItsPromiseToOperators } from './contracts/operators-contract.ts';
import { keepsItsPromiseAboutWhoIsTold } from './contracts/policy-contract.ts';
import type { Place } from './story.ts';

describe('the store whose lists run from their end', () => {
  const place: Place = () => {
    const database = withReversedLists(createMemoryDatabase());
    return () => Promise.resolve(createMemoryStore(database));
  };
  keepsThePromise(place);
  keepsAJournal(place);
  keepsItsPromiseToOperators(place);
  keepsItsPromiseAboutWhatWasGivenUp(place);
  keepsItsPromiseAboutWhoIsTold(place);
});
