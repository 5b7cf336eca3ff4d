// A daemon as far as its state file is concerned: `node child.ts FILE`. It says `open`, then commits without end and
// says the version of each commit that was kept, until it is killed.
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { commit, dispatch } from '../support/store/store-calls.ts';
import { aDecision, aDelivery, NOON, transitionsOf } from './builders.ts';

const DELIVERIES = 3;

const [, , file = ''] = process.argv;
const store = await openSqliteStore({ file, owner: `pid ${process.pid}` });
process.stdout.write('open\n');
for (let version = (await store.recall(['w'])).get('w')?.version ?? 0; ; version++) {
  const deliveries = Array.from({ length: DELIVERIES }, (_, n) => aDelivery({ id: `${version + 1}-${n}` }));
  const decision = aDecision('w', { expects: version, state: version + 1, transitions: transitionsOf(deliveries) });
  await commit(store, [decision], NOON);
  await dispatch(store, NOON);
  // Written at once, also to a pipe, so that what was said was committed before.
  process.stdout.write(`${version + 1}\n`);
  // A turn of the event loop lets the line go out.
  await new Promise((resolve) => setImmediate(resolve));
}
