import { describe } from '@jest/globals';
import { hasPostgres, startPostgres } from '../support/store/postgres.ts';
import { keepsThePromise } from './contracts/contract.ts';
import { keepsAJournal } from './contracts/journal-contract.ts';
import { keepsItsPromiseAboutWhatWasGivenUp, keepsItsPromiseToOperators } from './contracts/operators-contract.ts';
import { keepsItsPromiseAboutWhoIsTold } from './contracts/policy-contract.ts';
import { placeOn } from './postgres-place.ts';

const server = hasPostgres ? await startPostgres() : null;

(server === null ? describe.skip : describe)('the store in PostgreSQL', () => {
  const place = placeOn(server);
  keepsThePromise(place);
  keepsAJournal(place);
  keepsItsPromiseToOperators(place);
  keepsItsPromiseAboutWhatWasGivenUp(place);
  keepsItsPromiseAboutWhoIsTold(place);
});
