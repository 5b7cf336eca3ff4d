import { expect, describe, test } from '@jest/globals';
import { RecordType } from '../../../src/core/values/record-type.ts';
import { int } from '../../../src/core/values/field-declarations.ts';
import { createAnswerCache, type AnswerCache } from '../../../src/explorer/http/answer-cache.ts';
import type { SentRequest } from '../../../src/explorer/http/http-transport.ts';
import { addressInternalTransactions } from '../../../src/explorer/operations.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { aToken, blockRows, missOf, openExplorer, someBlocks, VAULT } from '../support/open.ts';
import { inTurn, sendJson, startServer } from '../support/server.ts';

const PAGE = { items: blockRows(100, 5), next_page_params: { block_number: 96 } };

describe('equal questions are asked once', () => {
  test('in one tick, at once or one after the other; the next tick asks anew', async () => {
    await using server = await startServer((_request, response) => {
      sendJson(response, PAGE);
    });
    await using opened = openExplorer(server.url);
    const round = opened.explorer.tickReader();
    const [a, b] = await Promise.all([round.page(someBlocks, null), round.page(someBlocks, null)]);
    const c = await round.page(someBlocks, null);
    expect([b, c]).toEqual([a, a]);
    expect(server.requests).toHaveLength(1);
    await opened.explorer.tickReader().page(someBlocks, null);
    expect(server.requests).toHaveLength(2);
  });

  test('pages are told apart by their cursor', async () => {
    await using server = await startServer((_request, response) => {
      sendJson(response, PAGE);
    });
    await using opened = openExplorer(server.url);
    const round = opened.explorer.tickReader();
    await Promise.all([
      round.page(someBlocks, null),
      round.page(someBlocks, { block_number: '96' }),
      round.page(someBlocks, { block_number: '96' }),
    ]);
    expect(server.requests.map(({ query }) => query)).toEqual([{}, { block_number: '96' }]);
  });

  test('a tick that begins while the same request is under way shares it', async () => {
    let answer = (): void => undefined;
    await using server = await startServer((_request, response) => {
      answer = () => {
        sendJson(response, PAGE);
      };
    });
    await using opened = openExplorer(server.url);
    const first = opened.explorer.tickReader().page(someBlocks, null);
    await server.whenAsked(1);
    const second = opened.explorer.tickReader().page(someBlocks, null);
    answer();
    expect(await second).toBe(await first);
    expect(server.requests).toHaveLength(1);
  });

  test('a failure is shared in its tick too', async () => {
    await using server = await startServer((_request, response) => {
      sendJson(response, { message: 'Not found' }, { status: 404 });
    });
    await using opened = openExplorer(server.url);
    const round = opened.explorer.tickReader();
    await missOf(round.one(aToken));
    await missOf(round.one(aToken));
    expect(server.requests).toHaveLength(1);
  });

  test('a second reading is a request of its own, shared by those who take it together', async () => {
    await using server = await startServer((_request, response) => {
      sendJson(response, PAGE);
    });
    await using opened = openExplorer(server.url);
    const round = opened.explorer.tickReader();
    await round.page(someBlocks, null);
    await Promise.all([round.pageAgain(someBlocks, null), round.pageAgain(someBlocks, null)]);
    expect(server.requests).toHaveLength(2);
    await round.pageAgain(someBlocks, null);
    expect(server.requests).toHaveLength(3);
  });
});

describe('bytes that came before', () => {
  /** A record that counts how many rows are decoded. */
  class CountedType extends RecordType<{ height: ReturnType<typeof int> }> {
    rows = 0;
    override read(...args: Parameters<RecordType<{ height: ReturnType<typeof int> }>['read']>) {
      this.rows += 1;
      return super.read(...args);
    }
  }

  test('are not decoded again: the very same page comes back, and the head is read anew', async () => {
    await using server = await startServer(
      inTurn(
        (response) => {
          sendJson(response, PAGE);
        },
        (response) => {
          sendJson(response, PAGE);
        },
        (response) => {
          sendJson(response, { ...PAGE, items: blockRows(101, 5) });
        },
      ),
    );
    const clock = createFakeClock();
    await using opened = openExplorer(server.url, { clock });
    const record = new CountedType('Counted', { height: int('height') });
    const question = { ...someBlocks, record };
    const first = await opened.explorer.tickReader().page(question, null);
    await clock.advance(1000);
    const second = await opened.explorer.tickReader().page(question, null);
    expect(second).toBe(first);
    expect(record.rows).toBe(5);
    const third = await opened.explorer.tickReader().page(question, null);
    expect(third).not.toBe(first);
    expect(record.rows).toBe(10);
    expect(opened.outcomes()).toEqual(['ok', 'ok', 'ok']);
  });

  const body = Buffer.alloc(100);
  const keep = (memory: AnswerCache, request: string, content: object | null): void => {
    memory.put(request, [body], { decoded: { of: request }, bytes: 100, content });
  };

  test('are kept whole within bounds: what is in use stays, of what is beyond them a digest does', () => {
    const memory = createAnswerCache({ clock: createFakeClock(0), maxBytes: 1000 });
    const content = {};
    for (const request of ['a', 'b', 'c']) keep(memory, request, content);
    keep(memory, 'd', null);
    expect(memory.get('a', [body])).toEqual({ type: 'decoded', decoded: { of: 'a' } });
    expect(memory.get('b', [body.subarray(0, 60), body.subarray(60)])).toMatchObject({ decoded: { of: 'b' } });
    expect(memory.get('c', [body.subarray(0, 60), body.subarray(60)])).toEqual({ type: 'same', content });
    expect(memory.get('d', [body])).toBeNull();
    for (const request of ['a', 'b', 'c'])
      for (const other of [body.subarray(1), Buffer.alloc(101), Buffer.alloc(100, 1)])
        expect(memory.get(request, [other])).toBeNull();
  });

  test('a large page is known by its digest alone, however much room there is', () => {
    const memory = createAnswerCache({ clock: createFakeClock(0) });
    const [small, large] = [Buffer.alloc(100, 'small'), Buffer.alloc(60_000, 'large')];
    const content = {};
    const decoded = { rows: 'many' };
    memory.put('a', [small], { decoded, bytes: small.length, content });
    memory.put('b', [large], { decoded, bytes: large.length, content });
    memory.put('c', [large], { decoded, bytes: large.length, content: null });
    expect(memory.get('a', [small])).toEqual({ type: 'decoded', decoded });
    expect(memory.get('b', [large])).toEqual({ type: 'same', content });
    expect(memory.get('c', [large])).toEqual({ type: 'decoded', decoded });
    memory.put('a', [large], { decoded, bytes: large.length, content });
    expect(memory.get('a', [small])).toBeNull();
    expect(memory.get('a', [large])).toEqual({ type: 'same', content });
  });

  test('an idle entry gives its place to a new one', async () => {
    const clock = createFakeClock(0);
    const memory = createAnswerCache({ clock, maxBytes: 1000 });
    keep(memory, 'a', null);
    keep(memory, 'b', null);
    await clock.advance(600_000);
    memory.get('a', [body]);
    keep(memory, 'c', null);
    expect(memory.get('a', [body])).toMatchObject({ decoded: { of: 'a' } });
    expect(memory.get('b', [body])).toBeNull();
    expect(memory.get('c', [body])).toMatchObject({ decoded: { of: 'c' } });
  });
});

describe('a filter that a newer release refuses', () => {
  const question = addressInternalTransactions('ethereum', VAULT, 'to');

  test('is left out, once with a second request and a line in the log, then always', async () => {
    await using server = await startServer((request, response) => {
      const errors = [
        { title: 'Unexpected field', source: { pointer: '/filter' }, detail: 'Unexpected field: filter' },
      ];
      if (request.query['filter'] !== undefined) sendJson(response, { errors }, { status: 422 });
      else sendJson(response, { items: [], next_page_params: null });
    });
    await using opened = openExplorer(server.url);
    for (let i = 0; i < 3; i++) await opened.explorer.tickReader().page(question, null);
    await opened.explorer.tickReader().page(question, { block_number: '9', filter: 'to' });
    expect(server.requests.map(({ query }) => query)).toEqual([{ filter: 'to' }, {}, {}, {}, { block_number: '9' }]);
    expect(opened.outcomes()).toEqual(['unprocessable', 'ok', 'ok', 'ok', 'ok']);
    expect(opened.logged).toHaveLength(1);
    expect(opened.logged[0]).toContain('explorer:filter-refused');
  });

  test('is kept when the question itself is refused', async () => {
    await using server = await startServer((_request, response) => {
      sendJson(response, { message: 'Invalid hash' }, { status: 422 });
    });
    await using opened = openExplorer(server.url);
    for (let i = 0; i < 2; i++)
      expect((await missOf(opened.explorer.tickReader().page(question, null))).reason).toBe('unprocessable');
    expect(server.requests.map(({ query }) => query)).toEqual([{ filter: 'to' }, {}, { filter: 'to' }, {}]);
    expect(opened.logged).toEqual([]);
  });

  test('is sent under the cursor, which may echo it', async () => {
    await using server = await startServer((_request, response) => {
      sendJson(response, { items: [], next_page_params: null });
    });
    await using opened = openExplorer(server.url);
    await opened.explorer.tickReader().page(question, { filter: 'to', block_number: '9' });
    expect(server.requests[0]?.url.split('?')[1]).toBe('filter=to&block_number=9');
  });
});

test('requests go through the transport that is given, which is closed with the explorer', async () => {
  const sent: string[] = [];
  let isClosed = false;
  const transport = {
    async send({ target }: SentRequest) {
      sent.push(target);
      return { status: 200, headers: {}, wire: [Buffer.from(JSON.stringify(PAGE))], free: () => undefined };
    },
    close() {
      isClosed = true;
    },
  };
  const { explorer } = openExplorer('https://explorer.example/1', { transport });
  const { rows } = await explorer.tickReader().page(someBlocks, null);
  expect(rows).toHaveLength(5);
  expect(sent).toEqual(['https://explorer.example/1/api/v2/blocks']);
  await explorer[Symbol.asyncDispose]();
  expect(isClosed).toBe(true);
});
