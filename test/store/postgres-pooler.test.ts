// The store behind a pooler that hands out transactions: no statement may rest on what an earlier one left in its session.
import { afterAll, describe } from '@jest/globals';
import { hasPooler, openPooler } from '../support/store/pooler.ts';
import { hasPostgres, startPostgres } from '../support/store/postgres.ts';
import { keepsThePromise } from './contracts/contract.ts';
import { keepsAJournal } from './contracts/journal-contract.ts';
import { keepsItsPromiseAboutWhatWasGivenUp, keepsItsPromiseToOperators } from './contracts/operators-contract.ts';
import { keepsItsPromiseAboutWhoIsTold } from './contracts/policy-contract.ts';
import { placeOn } from './postgres-place.ts';

if (!hasPooler)
  process.stderr.write(
    '\n!!! PGBOUNCER IS NOT HERE: that the store works behind a pooler is NOT TESTED in this run. ' +
      'It is a program of its own, `apt-get install pgbouncer`.\n\n',
  );

const server = hasPostgres && hasPooler ? await startPostgres() : null;
const pooler = server === null ? null : await openPooler(server);

afterAll(async () => pooler?.[Symbol.asyncDispose]());

(pooler === null ? describe.skip : describe)('the store in PostgreSQL behind a pooler', () => {
  const place = placeOn(server, (url) => pooler?.through(url) ?? url);
  keepsThePromise(place);
  keepsAJournal(place);
  keepsItsPromiseToOperators(place);
  keepsItsPromiseAboutWhatWasGivenUp(place);
  keepsItsPromiseAboutWhoIsTold(place);
});
