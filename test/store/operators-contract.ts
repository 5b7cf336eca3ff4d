import { expect } from '@jest/globals';
import type { Intervened, Intervention, OperatorRequest, Store } from '../../src/store/store.ts';
import { NOON } from './builders.ts';
import { storiesAt, type Place } from './story.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const request = (key: string, change: Partial<OperatorRequest> = {}): OperatorRequest => ({
  key,
  asked: `digest of ${key}`,
  actor: 'alice',
  ...change,
});
const pause = (watch: string, until = NOON + HOUR): Intervention => ({ type: 'pause', watch, until, comment: 'moved' });
const end = (watch: string): Intervention => ({ type: 'end-pause', watch });

/** The promise of `Store` to operators, as tests. Every engine keeps it. */
export function keepsItsPromiseToOperators(place: Place): void {
  const story = storiesAt(place);
  const intervene = (store: Store, change: Intervention, asked: OperatorRequest, at = NOON): Promise<Intervened> =>
    store.intervene(change, asked, at, store.fenceOf('service:operators'));

  story('a pause outlives the process, until it is ended', async (store, takeOver) => {
    expect(await store.pauses()).toEqual([]);
    const row = { id: 'k1', watch: 'coins', from: NOON, until: NOON + HOUR, actor: 'alice', comment: 'moved' };
    const kept = { type: 'kept', changed: { type: 'pause', pause: row } };
    expect(await intervene(store, pause('coins'), request('k1'))).toEqual(kept);
    const next = await takeOver();
    expect(await next.pauses()).toEqual([row]);
    const ended = { ...row, until: NOON + 1000 };
    expect(await intervene(next, end('coins'), request('k2'), NOON + 1000)).toEqual({
      type: 'kept',
      changed: { type: 'pause', pause: ended },
    });
    expect(await next.pauses()).toEqual([ended]);
  });

  story('an operator who lost the answer made a second pause: the same key gives the same answer', async (store) => {
    const first = await intervene(store, pause('coins'), request('k1'));
    await intervene(store, end('coins'), request('k2'), NOON + 1);
    expect(await intervene(store, pause('coins', NOON + 2 * HOUR), request('k1'), NOON + 5)).toEqual(first);
    expect(await store.answerTo(request('k1'))).toEqual(first);
    expect(await store.answerTo(request('k3'))).toBeNull();
    expect(await store.pauses()).toHaveLength(1);
    expect(await store.pauses()).toMatchObject([{ until: NOON + 1 }]);
  });

  story('another request under a key that was used changes nothing', async (store) => {
    await intervene(store, pause('coins'), request('k1'));
    const other = request('k1', { asked: 'digest of something else' });
    const refused = { type: 'refused', why: 'key-taken' };
    expect(await store.answerTo(other)).toEqual(refused);
    expect(await intervene(store, pause('vault'), other)).toEqual(refused);
    expect(await intervene(store, end('coins'), other)).toEqual(refused);
    expect(await store.pauses()).toMatchObject([{ watch: 'coins', until: NOON + HOUR }]);
  });

  story('answers are kept for a day, and the id of a pause is its own for as long as it is kept', async (store) => {
    await intervene(store, pause('coins', NOON + 3 * DAY), request('k1'));
    await intervene(store, end('other'), request('k2'));
    await intervene(store, pause('vault'), request('k3'), NOON + 2 * DAY);
    expect(await store.answerTo(request('k1'))).toBeNull();
    const again = await intervene(store, pause('coins'), request('k1'), NOON + 2 * DAY);
    expect(again).toEqual({ type: 'refused', why: 'key-taken' });
  });

  story('a second pause of the same name takes the place of the first', async (store) => {
    await intervene(store, pause('coins', NOON + 9 * HOUR), request('k1'));
    await intervene(store, pause('vault'), request('k2'));
    await intervene(store, pause('coins'), request('k3'), NOON + 60_000);
    const rows = (await store.pauses()).map(({ id, until }) => [id, until]);
    expect(new Map(rows as [string, number][])).toEqual(
      new Map([
        ['k1', NOON + 60_000],
        ['k2', NOON + HOUR],
        ['k3', NOON + HOUR],
      ]),
    );
  });

  story('what is not paused, or no longer, cannot be ended', async (store) => {
    const missing = { type: 'refused', why: 'not-found' };
    expect(await intervene(store, end('coins'), request('k1'))).toEqual(missing);
    await intervene(store, pause('coins'), request('k2'));
    expect(await intervene(store, end('coin'), request('k3'))).toEqual(missing);
    expect(await intervene(store, end('coins'), request('k4'), NOON + HOUR)).toEqual(missing);
    // Nothing was done, so nothing is answered from memory: it may be there at the next try.
    expect(await store.answerTo(request('k1'))).toBeNull();
  });

  story('a daemon that was taken over from changes nothing any more', async (store, takeOver) => {
    const fence = store.fenceOf('service:operators');
    const next = await takeOver();
    const refused = { type: 'refused', why: 'fenced' };
    expect(await store.intervene(pause('coins'), request('k1'), NOON, fence)).toEqual(refused);
    expect(await next.pauses()).toEqual([]);
  });

  story('pauses are forgotten two months after the deliveries of their time', async (store) => {
    await intervene(store, pause('coins'), request('k1'));
    await store.prune({ settled: NOON + 60 * DAY, alerts: NOON, journal: NOON }, NOON);
    expect(await store.pauses()).toHaveLength(1);
    await store.prune({ settled: NOON + 61 * DAY, alerts: NOON, journal: NOON }, NOON);
    expect(await store.pauses()).toEqual([]);
  });
}
