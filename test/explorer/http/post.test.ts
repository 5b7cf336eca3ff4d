// Calls of contracts: POST requests, with the key, the budget, the retries and the sharing of all others.
import { describe, expect, test } from '@jest/globals';
import { rpcCalls, rpcLogs } from '../../../src/explorer/operations.ts';
import { missOf, openExplorer, VAULT } from '../support/open.ts';
import { inTurn, sendJson, startServer } from '../support/server.ts';

const BLOCK = { method: 'eth_blockNumber', params: [] };
const asked = rpcCalls('ethereum', [BLOCK]);
const other = rpcCalls('ethereum', [BLOCK, BLOCK]);
const ANSWER = [{ jsonrpc: '2.0', id: 0, result: '0x64' }];

test('the calls are the body, the key is sent as with every request, and the answer has its rows', async () => {
  await using server = await startServer((_request, response) => {
    sendJson(response, ANSWER);
  });
  const auth = { type: 'query', key: () => 'secret' } as const;
  await using opened = openExplorer(server.url, { auth });
  const { rows } = await opened.explorer.tickReader().page(asked, null);
  expect(rows.map(({ id, result }) => [id, result])).toEqual([[0n, '0x64']]);
  const [request] = server.requests;
  expect(request).toMatchObject({
    method: 'POST',
    path: '/api/eth-rpc',
    query: { apikey: 'secret' },
    body: '[{"jsonrpc":"2.0","id":0,"method":"eth_blockNumber","params":[]}]',
  });
  expect(request?.headers['content-type']).toBe('application/json');
  expect(opened.counted).toMatchObject([{ operation: 'eth-rpc', outcome: 'ok', credits: 20 }]);
});

test('equal calls of a tick are one request, others are not', async () => {
  await using server = await startServer((_request, response) => {
    sendJson(response, ANSWER);
  });
  await using opened = openExplorer(server.url);
  const read = opened.explorer.tickReader();
  await Promise.all([read.page(asked, null), read.page(asked, null), read.page(other, null)]);
  expect(server.requests).toHaveLength(2);
});

test('a failure is tried again, as with a GET', async () => {
  await using server = await startServer(
    inTurn(
      (response) => {
        sendJson(response, { message: 'down' }, { status: 502 });
      },
      (response) => {
        sendJson(response, ANSWER);
      },
    ),
  );
  await using opened = openExplorer(server.url);
  await opened.explorer.tickReader().page(asked, null);
  expect(server.requests.map(({ body }) => body)).toEqual([server.requests[0]?.body, server.requests[0]?.body]);
  expect(opened.outcomes()).toEqual(['server-error', 'ok']);
});

test.each([
  ['a failure of the server may pass', -32603, 'database timeout', 'server-error'],
  ['a failure of its own kind may pass', -32000, 'server is busy', 'server-error'],
  ['a rate limit ends', -32005, 'rate limit exceeded', 'rate-limited'],
  ['a refused request does not', -32602, 'too many topics', 'unprocessable'],
])('%s, as an error of eth_getLogs', async (_name, code, message, reason) => {
  await using server = await startServer((_request, response) => {
    sendJson(response, { jsonrpc: '2.0', id: 0, error: { code, message } });
  });
  await using opened = openExplorer(server.url);
  const missed = await missOf(
    opened.explorer.tickReader().page(rpcLogs('ethereum', VAULT, [`0x${'1'.repeat(64)}`]), null),
  );
  expect(missed.reason).toBe(reason);
  expect(missed.message).toContain(message);
});

describe('a refusal says that there are no calls', () => {
  const NO_CALLS = 'answers no eth_call (before 6.3, or switched off)';

  test.each([
    ['one error for all calls', 200, { jsonrpc: '2.0', error: { code: -32600, message: 'no\u202e' } }],
    ['a text for all calls', 200, 'Action not found.'],
    ['a path that is not there', 404, { error: 'Not found' }],
    ['a thing that is not there', 404, { message: 'Not found' }],
    ['an action that is not known', 400, { message: 'Unknown API v2 action' }],
    ['too many calls', 413, { error: 'Payload Too Large' }],
  ])('%s', async (_name, status, body) => {
    await using server = await startServer((_request, response) => {
      sendJson(response, body, { status });
    });
    await using opened = openExplorer(server.url);
    const missed = await missOf(opened.explorer.tickReader().page(asked, null));
    expect(missed.reason).toBe('wrong-path');
    expect(missed.message).toContain(NO_CALLS);
    expect(missed.message).not.toContain('\u202e');
    expect(missed.message).toContain(`${new URL(server.url).host}/api/eth-rpc`);
    expect(server.requests).toHaveLength(1);
  });

  test('the refusal of one call is an answer: the others are answered', async () => {
    const answers = [
      { id: 0, error: 'Action not found.' },
      { id: 1, error: { code: -32601, message: 'Method not found' } },
      { id: 2, result: '0x1' },
    ];
    await using server = await startServer((_request, response) => {
      sendJson(response, answers);
    });
    await using opened = openExplorer(server.url);
    const { rows } = await opened.explorer.tickReader().page(asked, null);
    expect(rows.map(({ is_refusal }) => is_refusal)).toEqual([true, true, false]);
  });

  test('an error of the node is none', async () => {
    const errors = [
      { code: 3, message: 'execution reverted' },
      { code: -32000, message: 'header not found' },
      { code: -32603, message: 'VM Exception: reverted' },
    ];
    await using server = await startServer((_request, response) => {
      sendJson(
        response,
        errors.map((error, id) => ({ jsonrpc: '2.0', id, error })),
      );
    });
    await using opened = openExplorer(server.url);
    const { rows } = await opened.explorer.tickReader().page(asked, null);
    expect(rows.map(({ error_code }) => error_code)).toEqual([3n, -32000n, -32603n]);
    expect(rows.map(({ is_refusal }) => is_refusal)).toEqual([false, false, false]);
  });
});
