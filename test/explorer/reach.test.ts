// Whether anything answers at the host of an explorer, as its requests show it.
import { expect, test } from '@jest/globals';
import { isCutOff } from '../../src/core/model/quality/reachability.ts';
import { aToken, impatient, missOf, openExplorer } from './support/open.ts';
import { sendJson, startServer } from './support/server.ts';

test('an answer of any kind reaches the host, one that closes without a word does not, and a probe costs no credits', async () => {
  let isBarred = false;
  await using server = await startServer(({ path }, response) => {
    if (isBarred) response.destroy();
    else sendJson(response, { message: 'Not found' }, { status: path === '/' ? 200 : 404 });
  });
  const clock = impatient();
  await using opened = openExplorer(`${server.url}/eth/mainnet`, { clock });
  const { explorer } = opened;
  const ask = () => missOf(explorer.tickReader().one(aToken));
  expect(explorer.reachability()).toEqual({ type: 'unknown' });
  expect((await ask()).reason).toBe('not-found');
  expect(explorer.reachability()).toEqual({ type: 'reached', at: clock.monotonic() });

  isBarred = true;
  expect((await ask()).reason).toBe('network');
  const since = clock.monotonic();
  expect(explorer.reachability()).toMatchObject({ type: 'unreached', at: since });
  expect(isCutOff(explorer.reachability())).toBe(false);
  const { length } = opened.counted;
  await clock.sleep(30_000);
  await explorer.probe();
  expect(isCutOff(explorer.reachability())).toBe(true);

  isBarred = false;
  await explorer.probe();
  expect(explorer.reachability()).toEqual({ type: 'reached', at: clock.monotonic() });
  expect(server.requests.at(-1)).toMatchObject({ path: '/' });
  // No budget was asked, and no credits were counted.
  expect(opened.counted).toHaveLength(length);
});

test('a host that took the request and is late shows neither', async () => {
  await using server = await startServer(() => undefined);
  await using opened = openExplorer(server.url, { limits: { headersMs: 50 }, clock: impatient() });
  expect((await missOf(opened.explorer.tickReader().one(aToken))).reason).toBe('timeout');
  expect(opened.explorer.reachability()).toEqual({ type: 'unknown' });
});

test('a port at which nobody listens, and a name that does not resolve, are not reached', async () => {
  for (const url of ['http://127.0.0.1:9', 'http://nowhere.invalid']) {
    await using opened = openExplorer(url, { clock: impatient() });
    await missOf(opened.explorer.tickReader().one(aToken));
    expect(opened.explorer.reachability()).toMatchObject({ type: 'unreached' });
  }
});
