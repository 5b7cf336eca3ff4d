import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { Hono } from 'hono';
import { onePerTurn } from '../../src/web/app.ts';

test('what is due runs between requests that come together, and the first of them is answered first', async () => {
  const done: string[] = [];
  const app = new Hono();
  app.use(onePerTurn());
  app.get('/:name', (c) => {
    done.push(c.req.param('name'));
    return c.text('answered');
  });
  const answers = ['/a', '/b', '/c'].map(async (path) => app.request(path));
  for (let turn = 1; turn <= 3; turn += 1) {
    await nextTurn();
    done.push(`turn ${turn}`);
  }
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(done.filter((one) => !one.startsWith('turn'))).toEqual(['a', 'b', 'c']);
  const places = ['a', 'b', 'c'].map(
    (one) => done.slice(0, done.indexOf(one)).filter((it) => it.startsWith('turn')).length,
  );
  expect(new Set(places).size).toBe(3);
});

test('a request that comes alone is answered at once, also after others', async () => {
  const app = new Hono();
  app.use(onePerTurn());
  app.get('/', (c) => c.text('answered'));
  for (let i = 0; i < 3; i += 1) expect(await (await app.request('/')).text()).toBe('answered');
});
