import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type http from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { expect, describe, test } from '@jest/globals';
import { Missed } from '../../../src/core/model/watch/question.ts';
import { isStop } from '../../../src/engine/polling/observe.ts';
import { aToken, blockRows, impatient, missOf, openExplorer, someBlocks } from '../support/open.ts';
import { inTurn, sendJson, sendText, startServer, type Handler } from '../support/server.ts';

const HTML = { headers: { 'content-type': 'text/html' } };
const CHALLENGE = '<!DOCTYPE html><title>Just a moment...</title><script src="/cdn-cgi/challenge-platform/x"></script>';

/** Status, body, headers and the reason it becomes. None of them is asked for twice. */
const ANSWERS: [string, number, unknown, http.OutgoingHttpHeaders, string][] = [
  ['an unknown token', 404, { message: 'Not found' }, {}, 'not-found'],
  ['a chain the proxy does not serve', 404, { error: 'Network not supported', source: 'internal' }, {}, 'wrong-path'],
  ['an explorer without this API', 404, { message: 'API V2 is disabled' }, {}, 'wrong-path'],
  ['a page for people instead of the API', 404, '<html>404</html>', { 'content-type': 'text/html' }, 'wrong-path'],
  ['an older release without the path', 400, { message: 'Unknown API v2 action' }, {}, 'wrong-path'],
  ['a question that is refused', 400, { message: 'Bad' }, {}, 'unprocessable'],
  [
    'a 422 of the specification',
    422,
    { errors: [{ title: 'Invalid value', source: { pointer: '/x' }, detail: 'no' }] },
    {},
    'unprocessable',
  ],
  ['a 422 of an old release', 422, { message: 'Invalid parameter(s)' }, {}, 'unprocessable'],
  ['a chain that is being indexed', 422, { message: 'Chain is indexing now, try again later' }, {}, 'server-error'],
  ['a wrong key', 401, { error: 'Unauthorized' }, {}, 'unauthorized'],
  ['a plan without credits', 402, { error: 'Out of credits' }, {}, 'out-of-credits'],
  [
    'a key that did not arrive',
    402,
    { error: 'Proceed with API key or make a X402 payment to continue' },
    {},
    'no-key',
  ],
  ['a path that is not allowed', 403, { message: 'Restricted access' }, {}, 'forbidden'],
  ['a wall that shows a page', 403, '<html>denied</html>', { 'content-type': 'text/html' }, 'blocked'],
  ['a wall that dislikes the user agent', 403, 'error code: 1010', { 'content-type': 'text/plain' }, 'blocked'],
  ['a challenge beside JSON', 403, { message: 'x' }, { 'cf-mitigated': 'challenge' }, 'blocked'],
  ['a challenge with status 503', 503, CHALLENGE, { 'content-type': 'text/html' }, 'blocked'],
  ['a challenge with status 200', 200, CHALLENGE, { 'content-type': 'text/html' }, 'blocked'],
  ['maintenance', 503, '<html>back soon</html>', { 'content-type': 'text/html', 'retry-after': '120' }, 'server-error'],
  ['a service that is switched off', 501, { message: 'Service is disabled' }, {}, 'server-error'],
  ['a teapot', 418, { message: 'x' }, {}, 'http'],
  ['no content', 204, '', {}, 'http'],
  ['a portal with status 200', 200, '<html>log in</html>', { 'content-type': 'text/html' }, 'not-json'],
  ['half a JSON, cleanly ended', 200, '{"items":[{"height":1},', {}, 'not-json'],
  ['an empty body', 200, '', {}, 'not-json'],
];

describe('every answer that is not the one hoped for has its reason', () => {
  test.each(ANSWERS)('%s (%i)', async (_name, status, body, headers, reason) => {
    await using server = await startServer((_request, response) => {
      if (typeof body === 'string') sendText(response, body, { status, headers });
      else sendJson(response, body, { status, headers });
    });
    await using opened = openExplorer(server.url);
    const missed = await missOf(opened.explorer.tickReader().one(aToken));
    expect(missed.reason).toBe(reason);
    expect(missed.message).toContain(`${server.host}/api/v2/tokens/{address}`);
    expect(opened.outcomes()).toEqual([reason]);
    expect(server.requests).toHaveLength(1);
  });

  test('what the server says is shown on one safe line', async () => {
    const errors = [{ title: 'Invalid value', source: { pointer: '/filter' }, detail: 'see https://evil.example\n' }];
    await using server = await startServer((_request, response) => {
      sendJson(response, { errors }, { status: 422 });
    });
    await using opened = openExplorer(server.url);
    const { message } = await missOf(opened.explorer.tickReader().one(aToken));
    expect(message).toContain('Invalid value /filter see hxxps[:]//evil[.]example');
  });
});

describe('lists of odd shapes are not taken for empty ones', () => {
  test.each([
    ['a bare list', []],
    ['null', null],
    ['a message', { message: 'x' }],
    ['items missing', { next_page_params: null }],
    ['items null', { items: null, next_page_params: null }],
    ['items an object', { items: {} }],
    ['rows that are no objects', { items: ['x', 1] }],
    ['a row that is a list', { items: [[]] }],
    ['a row that is null', { items: [null] }],
    ['a cursor that is a list', { items: [], next_page_params: [1] }],
    ['a cursor with an object in it', { items: [], next_page_params: { block_number: {} } }],
  ])('%s', async (_name, body) => {
    await using server = await startServer((_request, response) => {
      sendJson(response, body);
    });
    await using opened = openExplorer(server.url);
    const missed = await missOf(opened.explorer.tickReader().page(someBlocks, null));
    expect(missed.reason).toBe('shape');
    expect(opened.outcomes()).toEqual(['shape']);
  });

  test('of a row that is no object among others nothing is known, and the others are read', async () => {
    await using server = await startServer((_request, response) => {
      sendJson(response, { items: [{ height: 2 }, null, 'x', { height: 1 }], next_page_params: null });
    });
    await using opened = openExplorer(server.url);
    const { rows } = await opened.explorer.tickReader().page(someBlocks, null);
    expect(rows.map(({ height }) => height)).toEqual([2n, undefined, undefined, 1n]);
  });

  test.each([
    ['a list', []],
    ['a text', 'x'],
    ['an error object', { message: 'x' }],
    ['nothing', {}],
  ])('nor is %s taken for a token', async (_name, body) => {
    await using server = await startServer((_request, response) => {
      sendJson(response, body);
    });
    await using opened = openExplorer(server.url);
    expect((await missOf(opened.explorer.tickReader().one(aToken))).reason).toBe('shape');
  });
});

const SMALL = { limits: { maxBytes: 100_000 } };
const PAGE = JSON.stringify({ items: blockRows(100, 50), next_page_params: null });

describe('bodies that never should have been sent', () => {
  test('one that is announced too large is not read', async () => {
    await using server = await startServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 2_000_000_000 });
      response.flushHeaders();
    });
    await using opened = openExplorer(server.url, SMALL);
    expect((await missOf(opened.explorer.tickReader().one(aToken))).reason).toBe('too-large');
    await server.whenClosed();
  });

  test('one that grows without end is cut off at the cap', async () => {
    let sent = 0;
    await using server = await startServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = (error?: Error | null): void => {
        if (error || response.destroyed) return;
        sent += 16_384;
        response.write(' '.repeat(16_384), more);
      };
      more();
    });
    await using opened = openExplorer(server.url, SMALL);
    expect((await missOf(opened.explorer.tickReader().one(aToken))).reason).toBe('too-large');
    await server.whenClosed();
    expect(sent).toBeLessThan(20_000_000);
  });

  test('a page of a million empty items is none', async () => {
    await using server = await startServer((_request, response) => {
      sendText(response, `{"items":[${'{},'.repeat(1_000_000)}{}],"next_page_params":null}`);
    });
    await using opened = openExplorer(server.url);
    expect((await missOf(opened.explorer.tickReader().page(someBlocks, null))).reason).toBe('too-large');
  });

  test.each(['gzip', 'br'])('a %s bomb is stopped at the cap', async (encoding) => {
    const zeros = Buffer.alloc(4_000_000);
    const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
    const bomb = encoding === 'gzip' ? gzipSync(zeros) : brotliCompressSync(zeros, quick);
    expect(bomb.length).toBeLessThan(SMALL.limits.maxBytes);
    await using server = await startServer((_request, response) => {
      sendText(response, bomb, { headers: { 'content-encoding': encoding } });
    });
    await using opened = openExplorer(server.url, SMALL);
    expect((await missOf(opened.explorer.tickReader().one(aToken))).reason).toBe('too-large');
  });

  test.each([
    ['gzip', gzipSync(PAGE)],
    ['br', brotliCompressSync(PAGE)],
    ['identity', Buffer.from(PAGE)],
  ])('%s is read', async (encoding, body) => {
    await using server = await startServer((_request, response) => {
      sendText(response, body, { headers: { 'content-encoding': encoding } });
    });
    await using opened = openExplorer(server.url);
    expect((await opened.explorer.tickReader().page(someBlocks, null)).rows).toHaveLength(50);
  });

  test.each([
    ['a chain of encodings', 'gzip, gzip', gzipSync(gzipSync(PAGE)), 'encoding'],
    ['an unknown encoding', 'zap', Buffer.from(PAGE), 'encoding'],
    ['what claims to be gzip', 'gzip', Buffer.from(PAGE), 'encoding'],
    ['half a gzip', 'gzip', gzipSync(createHash('sha512').update(PAGE).digest('hex')).subarray(0, 60), 'truncated'],
  ])('%s', async (_name, encoding, body, reason) => {
    await using server = await startServer((_request, response) => {
      sendText(response, body, { headers: { 'content-encoding': encoding } });
    });
    await using opened = openExplorer(server.url);
    expect((await missOf(opened.explorer.tickReader().one(aToken))).reason).toBe(reason);
  });
});

describe('connections that fail', () => {
  const cutAt =
    (bytes: number, framing: http.OutgoingHttpHeaders): Handler =>
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', ...framing });
      response.write(PAGE.slice(0, bytes), () => response.socket?.destroy());
    };

  test.each([
    ['with a length', { 'content-length': PAGE.length }],
    ['in chunks', {}],
  ])('an answer that breaks off is never read in part (%s)', async (_name, framing) => {
    await using server = await startServer(cutAt(1000, framing));
    await using opened = openExplorer(server.url, { clock: impatient() });
    expect((await missOf(opened.explorer.tickReader().page(someBlocks, null))).reason).toBe('truncated');
    expect(opened.outcomes()).toEqual(['truncated', 'truncated', 'truncated']);
  });

  test('a body that drips is cut off by the one deadline, and its connection closed', async () => {
    await using server = await startServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const drip = setInterval(() => response.write(' '), 5);
      response.once('close', () => {
        clearInterval(drip);
      });
    });
    // Long enough for the headers to come before it on a busy machine: it is the body that must not outlast it.
    await using opened = openExplorer(server.url, { limits: { totalMs: 1000 } });
    const missed = await missOf(opened.explorer.tickReader().one(aToken));
    expect(missed.reason).toBe('timeout');
    expect(missed.message).toContain('not complete in time');
    await server.whenClosed();
  });

  test('headers that do not come in time', async () => {
    await using server = await startServer(() => undefined);
    await using opened = openExplorer(server.url, { limits: { headersMs: 40 } });
    const missed = await missOf(opened.explorer.tickReader().one(aToken));
    expect(missed).toMatchObject({ reason: 'timeout' });
    expect(missed.message).toContain('no answer in time');
    // On a busy machine the time is up before the server looked.
    await server.whenAsked(1);
    expect(server.requests).toHaveLength(1);
  });

  test('a host that takes the connection and never answers the handshake', async () => {
    const silent = createServer((socket) => socket.resume()).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    await using opened = openExplorer(`https://127.0.0.1:${port}`, { limits: { connectMs: 40 } });
    const missed = await missOf(opened.explorer.tickReader().one(aToken));
    expect(missed).toMatchObject({ reason: 'timeout' });
    expect(missed.message).toContain('no connection in time');
    silent.close();
    await once(silent, 'close');
  });

  test('nobody listens there', async () => {
    const server = await startServer(() => undefined);
    await server[Symbol.asyncDispose]();
    await using opened = openExplorer(server.url);
    expect((await missOf(opened.explorer.tickReader().one(aToken))).reason).toBe('network');
    expect(opened.outcomes()).toEqual(['network']);
  });

  test('a name that does not resolve', async () => {
    await using opened = openExplorer('http://explorer.invalid');
    expect((await missOf(opened.explorer.tickReader().one(aToken))).reason).toBe('dns');
  });

  test('encryption where there is none', async () => {
    await using server = await startServer(() => undefined);
    await using opened = openExplorer(server.url.replace('http:', 'https:'));
    expect((await missOf(opened.explorer.tickReader().one(aToken))).reason).toBe('tls');
  });

  test('a kept connection that died meanwhile is replaced at once', async () => {
    await using server = await startServer((_request, response, index) => {
      if (index === 1) response.socket?.destroy();
      else sendJson(response, { address_hash: '0x00000000000000000000000000000000000000bb' });
    });
    await using opened = openExplorer(server.url);
    await opened.explorer.tickReader().one(aToken);
    await opened.explorer.tickReader().one(aToken);
    expect(opened.outcomes()).toEqual(['ok', 'network', 'ok']);
  });

  test('a redirect is named, not followed', async () => {
    await using target = await startServer((_request, response) => {
      sendJson(response, {});
    });
    await using server = await startServer((_request, response) => {
      sendText(response, '', { status: 302, headers: { location: `${target.url}/secret-path` } });
    });
    await using opened = openExplorer(server.url);
    const missed = await missOf(opened.explorer.tickReader().one(aToken));
    expect(missed.reason).toBe('redirect');
    expect(missed.message).toContain(target.host);
    expect(missed.message).not.toContain('secret-path');
    expect(target.connections).toBe(0);
  });
});

describe('asking again within a poll', () => {
  test('a server that stumbles is asked at most twice more, with growing waits', async () => {
    const waits: number[] = [];
    const clock = impatient(waits);
    await using server = await startServer((_request, response) => {
      sendText(response, '"Internal server error"', { status: 500 });
    });
    await using opened = openExplorer(server.url, { clock });
    expect((await missOf(opened.explorer.tickReader().one(aToken))).reason).toBe('server-error');
    expect(waits).toEqual([500, 1000]);
    expect(opened.outcomes()).toEqual(['server-error', 'server-error', 'server-error']);
  });

  test('one that keeps failing is asked once per poll, until it answers again', async () => {
    const fails = (response: http.ServerResponse): void => {
      sendText(response, '', { status: 500 });
    };
    const works = (response: http.ServerResponse): void => {
      sendJson(response, { symbol: 'ACME' });
    };
    await using server = await startServer(inTurn(fails, fails, fails, fails, works, fails, works));
    await using opened = openExplorer(server.url, { clock: impatient() });
    await missOf(opened.explorer.tickReader().one(aToken));
    await missOf(opened.explorer.tickReader().one(aToken));
    await opened.explorer.tickReader().one(aToken);
    await opened.explorer.tickReader().one(aToken);
    expect(opened.outcomes().map((outcome) => outcome === 'ok')).toEqual([
      false,
      false,
      false,
      false,
      true,
      false,
      true,
    ]);
  });

  test('stopping is no failure: the reason comes through, and nothing is counted', async () => {
    await using server = await startServer(() => undefined);
    await using opened = openExplorer(server.url);
    const asked = opened.explorer
      .tickReader()
      .one(aToken)
      .catch((error: unknown) => error);
    const queued = opened.explorer
      .tickReader()
      .page(someBlocks, null)
      .catch((error: unknown) => error);
    await server.whenAsked(1);
    const reason = new Error('stopping');
    opened.stop.abort(reason);
    expect(await asked).toBe(reason);
    expect(await queued).toBe(reason);
    expect(await asked).not.toBeInstanceOf(Missed);
    expect(opened.counted).toEqual([]);
    expect(server.requests).toHaveLength(1);
  });
});

test('sends no request, not even a second try, once another replica has the explorer', async () => {
  await using server = await startServer((_request, response) => {
    sendText(response, '', { status: 500 });
  });
  let mayAsk = true;
  const clock = impatient();
  await using opened = openExplorer(server.url, {
    clock: {
      ...clock,
      sleep: async (...args) => {
        mayAsk = false;
        await clock.sleep(...args);
      },
    },
    mayAsk: () => mayAsk,
  });
  const ask = async (): Promise<unknown> =>
    opened.explorer
      .tickReader()
      .one(aToken)
      .catch((error: unknown) => error);
  expect(isStop(await ask())).toBe(true);
  expect(server.requests).toHaveLength(1);
  expect(isStop(await ask())).toBe(true);
  expect(server.requests).toHaveLength(1);

  mayAsk = true;
  await ask();
  expect(server.requests).toHaveLength(2);
});

test('a refusal whose body is a page for people keeps the meaning of its status', async () => {
  await using server = await startServer((_request, response) => {
    sendText(response, '<html>slow down</html>', { status: 429, ...HTML });
  });
  await using opened = openExplorer(server.url, { clock: impatient() });
  expect((await missOf(opened.explorer.tickReader().one(aToken))).reason).toBe('rate-limited');
});
