import { getEventListeners } from 'node:events';
import { expect, describe, test } from '@jest/globals';
import { encodeView } from '../../../src/core/values/encoded.ts';
import { valueAt } from '../../../src/core/values/fields.ts';
import { addressInternalTransactions } from '../../../src/explorer/operations.ts';
import type { Auth } from '../../../src/explorer/http/http-transport.ts';
import { aToken, blockRows, impatient, missOf, openExplorer, someBlocks, someTokens, VAULT } from '../support/open.ts';
import { inTurn, sendJson, sendText, startServer } from '../support/server.ts';

const KEY = 'proapi_s3cret/+key';
const bearer: Auth = { type: 'bearer', key: () => KEY };
const query: Auth = { type: 'query', key: () => KEY };

describe('what is sent', () => {
  test('our own name, what we accept, and both ways of asking for scam tokens', async () => {
    await using server = await startServer((_request, response) => {
      sendJson(response, { symbol: 'ACME' });
    });
    await using opened = openExplorer(`${server.url}/1/`);
    await opened.explorer.tickReader().one(aToken);
    expect(server.requests[0]?.url).toBe('/1/api/v2/tokens/0x00000000000000000000000000000000000000bb');
    expect(server.requests[0]?.headers).toMatchObject({
      'user-agent': 'chainwarden/0.0.0',
      accept: 'application/json',
      'accept-encoding': 'gzip, br',
      'show-scam-tokens': 'true',
      cookie: 'show_scam_tokens=true',
    });
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
  });

  test('headers of the config, beside a cookie of its own', async () => {
    await using server = await startServer((_request, response) => {
      sendJson(response, { symbol: 'ACME' });
    });
    const headers = { Referer: 'https://explorer.example.com/', Cookie: 'cf=1' };
    await using opened = openExplorer(server.url, { headers });
    await opened.explorer.tickReader().one(aToken);
    expect(server.requests[0]?.headers.referer).toBe('https://explorer.example.com/');
    expect(server.requests[0]?.headers.cookie).toBe('cf=1; show_scam_tokens=true');
  });

  test('a header with a line break in it is refused before anything is asked', () => {
    expect(() => openExplorer('http://127.0.0.1:1', { headers: { referer: 'a\r\nx-evil: 1' } })).toThrow();
  });

  test('the key as a bearer token, and nowhere else', async () => {
    await using server = await startServer((_request, response) => {
      sendJson(response, { items: [], next_page_params: null });
    });
    await using opened = openExplorer(server.url, { auth: bearer });
    await opened.explorer.tickReader().page(someBlocks, null);
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(server.requests[0]?.url).toBe('/api/v2/blocks');
  });

  test('the key as the last parameter where that is asked for', async () => {
    await using server = await startServer((_request, response) => {
      sendJson(response, { items: [], next_page_params: null });
    });
    await using opened = openExplorer(server.url, { auth: query });
    await opened.explorer.tickReader().page(someBlocks, { block_number: '5', items_count: '50' });
    expect(server.requests[0]?.url).toBe(
      `/api/v2/blocks?block_number=5&items_count=50&apikey=${encodeURIComponent(KEY)}`,
    );
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
  });

  test('a key that no header can carry is not sent', async () => {
    await using server = await startServer(() => undefined);
    await using opened = openExplorer(server.url, { auth: { type: 'bearer', key: () => 'a\nb' } });
    const missed = await missOf(opened.explorer.tickReader().one(aToken));
    expect(missed.reason).toBe('unauthorized');
    expect(server.requests).toEqual([]);
  });

  test('requests leave nothing on the signal for stopping, nor does the explorer once it is closed', async () => {
    await using server = await startServer((_request, response, index) => {
      if (index % 3 === 2) sendText(response, '', { status: 418 });
      else sendJson(response, { symbol: 'ACME' });
    });
    const opened = openExplorer(server.url);
    const listeners = (): number => getEventListeners(opened.stop.signal, 'abort').length;
    const before = listeners();
    for (let i = 0; i < 12; i++)
      await opened.explorer
        .tickReader()
        .one(aToken)
        .catch(() => undefined);
    expect(server.connections).toBe(1);
    expect(listeners()).toBe(before);
    await opened[Symbol.asyncDispose]();
    expect(listeners()).toBe(0);
  });

  test('proxies of the environment are not used', async () => {
    await using trap = await startServer(() => undefined);
    await using server = await startServer((_request, response) => {
      sendJson(response, { symbol: 'ACME' });
    });
    const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'];
    for (const name of names) process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : trap.url;
    try {
      await using opened = openExplorer(server.url);
      await opened.explorer.tickReader().one(aToken);
    } finally {
      for (const name of names) Reflect.deleteProperty(process.env, name);
    }
    expect(trap.connections).toBe(0);
  });
});

describe('the key shows nowhere', () => {
  test.each([bearer, query])('with $type, whatever the server does', async (auth) => {
    const echo = `${KEY} ${encodeURIComponent(KEY)}`;
    await using server = await startServer(
      inTurn(
        (response) => {
          sendJson(response, { errors: [{ title: echo, source: { pointer: echo }, detail: echo }] }, { status: 422 });
        },
        (response) => {
          sendJson(response, { message: echo }, { status: 400 });
        },
        (response) => {
          sendText(response, echo, { status: 500 });
        },
        (response) => {
          sendText(response, '', { status: 302, headers: { location: `http://x.example/?apikey=${KEY}` } });
        },
        (response) => {
          sendText(response, `{"${echo}`);
        },
        (response) => response.socket?.destroy(),
        (response) => {
          sendJson(response, { error: echo }, { status: 401 });
        },
      ),
    );
    await using opened = openExplorer(server.url, { auth, clock: impatient() });
    const question = addressInternalTransactions('ethereum', VAULT, 'to');
    const ends: string[] = [];
    for (let i = 0; i < 8; i++) {
      const missed = await missOf(opened.explorer.tickReader().page(question, null));
      ends.push(missed.reason, missed.message, missed.stack ?? '', JSON.stringify(missed), String(missed.cause));
    }
    const said = [...ends, ...opened.logged, JSON.stringify([opened.counted, opened.headers])].join('\n');
    expect(ends).toContain('unauthorized');
    expect(said).not.toContain(KEY);
    expect(said).not.toContain(encodeURIComponent(KEY));
    expect(said).not.toContain(VAULT.key);
  });
});

describe('a secret that the explorer echoes reaches nobody', () => {
  const HEADER = 'header-secret-0815';
  const echo = Array.from(HEADER, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join('');
  const headed = { auth: bearer, headers: { 'x-token': HEADER }, secrets: [HEADER] };

  test.each([
    ['an ordinary answer', ''],
    ['a large one, which a thread reads', `,"x":"${'x'.repeat(300_000)}"`],
  ])('in the data of %s: neither watches, nor the state file, nor a recording', async (_name, more) => {
    await using server = await startServer((_request, response) => {
      sendText(response, `{"symbol":"${KEY}","name":"${HEADER} ${echo}"${more}}`);
    });
    const bodies: string[] = [];
    await using opened = openExplorer(server.url, {
      ...headed,
      onAnswer: (_answer, body) => bodies.push(String(body)),
    });
    const token = await opened.explorer.tickReader().one(aToken);
    expect([token.symbol, token.name]).toEqual(['***', '*** ***']);
    expect(bodies).toHaveLength(1);
    for (const spelling of [KEY, HEADER, echo]) expect(bodies.join('')).not.toContain(spelling);
  });

  test('in a message, or as the host that it points to', async () => {
    await using server = await startServer(
      inTurn(
        (response) => {
          sendText(response, `{"message":"no ${HEADER} ${echo}"}`, { status: 400 });
        },
        (response) => {
          sendText(response, '', { status: 302, headers: { location: `https://${HEADER}.example` } });
        },
      ),
    );
    await using opened = openExplorer(server.url, headed);
    const said = [];
    for (let i = 0; i < 2; i++) said.push((await missOf(opened.explorer.tickReader().one(aToken))).message);
    expect(said.join()).toContain('moved to [redacted]');
    expect(said.join()).not.toContain(HEADER);
  });
});

describe('what headers say', () => {
  test('is read from every answer, in the units of the metrics', async () => {
    await using server = await startServer((_request, response) => {
      const headers = {
        'x-credits-remaining': '99980.5',
        'x-ratelimit-limit': '5',
        'x-ratelimit-remaining': '4',
        'x-ratelimit-reset': '750',
      };
      sendJson(response, { symbol: 'ACME' }, { headers });
    });
    await using opened = openExplorer(server.url);
    await opened.explorer.tickReader().one(aToken);
    expect(opened.headers).toEqual([
      { explorer: 'ethereum', credits: 99980.5, limit: 5, remaining: 4, resetSeconds: 0.75 },
    ]);
  });

  test.each([
    ['-1', '-1', -1],
    ['', '', null],
    ['NaN', 'huge', null],
    ['1e9', '-0.5e3', null],
    ['-20', '-1', -20],
  ])('with credits of %j and limits of %j the credits are %j, and no limit is known', async (sent, limit, credits) => {
    await using server = await startServer((_request, response) => {
      const headers = {
        'x-credits-remaining': sent,
        'x-ratelimit-limit': limit,
        'x-ratelimit-remaining': limit,
        'x-ratelimit-reset': limit,
      };
      sendJson(response, { symbol: 'ACME' }, { headers });
    });
    await using opened = openExplorer(server.url);
    await opened.explorer.tickReader().one(aToken);
    const unknown = { limit: null, remaining: null, resetSeconds: null };
    expect(opened.headers).toEqual([{ explorer: 'ethereum', credits, ...unknown }]);
  });
});

describe('what is read', () => {
  test('names of older releases, where the new ones are missing', async () => {
    const row = { address: '0x00000000000000000000000000000000000000cc', holders: '12', symbol: 'OLD' };
    await using server = await startServer((_request, response) => {
      sendJson(response, row);
    });
    await using opened = openExplorer(server.url);
    const token = await opened.explorer.tickReader().one(aToken);
    expect(token.address_hash?.key).toBe('0x00000000000000000000000000000000000000cc');
    expect(valueAt(token, 'holders_count')).toBe(12n);
    expect(opened.unknown).toEqual([]);
  });

  test('unknown fields are tolerated and counted, once per page', async () => {
    const rows = blockRows(10, 3).map((row) => ({ ...row, l1_fee: '1', batch_index: 2 }));
    await using server = await startServer((_request, response) => {
      sendJson(response, { items: rows, next_page_params: null });
    });
    await using opened = openExplorer(server.url);
    await opened.explorer.tickReader().page(someBlocks, null);
    expect(opened.unknown).toEqual([{ explorer: 'ethereum', record: 'Block', count: 6 }]);
  });

  test('numbers beyond 2^53 keep every digit, in rows and in cursors', async () => {
    const body =
      '{"items":[{"token":{"decimals":0,"type":"ERC-20"},"value":115792089237316195423570985008687907853269984665640564039457584007913129639935}],' +
      '"next_page_params":{"value": 9007199254740993,"fiat_value":null,"id":12,"is_last":false,"note":""}}';
    await using server = await startServer((_request, response) => {
      sendText(response, body);
    });
    await using opened = openExplorer(server.url);
    const { rows, next } = await opened.explorer.tickReader().page(someTokens, null);
    expect(rows[0] === undefined ? undefined : String(rows[0].balance)).toBe(String(2n ** 256n - 1n));
    expect(next).toEqual({ value: '9007199254740993', fiat_value: 'null', id: '12', is_last: 'false' });
  });

  test('what cannot be is unknown: less than nothing, blocks beyond all numbers, and depths that no stack has', async () => {
    const nested = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const deep = `{"height":3,"rewards":${nested},"miner":{"hash":null,"metadata":{"tags":[{"meta":${nested}}]}}}`;
    const odd = `{"height":-5,"base_fee_per_gas":"-1","gas_used":-1,"gas_target_percentage":-5}`;
    const huge = `{"height":"${'9'.repeat(400)}"}`;
    await using server = await startServer((_request, response) => {
      sendText(response, `{"items":[${deep},${odd},${huge}],"next_page_params":null}`);
    });
    await using opened = openExplorer(server.url);
    const { rows } = await opened.explorer.tickReader().page(someBlocks, null);
    expect(rows.map((row) => encodeView(row))).toEqual([
      { height: '3', miner: { metadata: {} } },
      { gas_target_percentage: -5 },
      {},
    ]);
  });

  test('keys that mean something to JavaScript mean nothing here', async () => {
    const body =
      '{"__proto__":{"polluted":1},"items":[{"height":1,"__proto__":{"hash":"0x01"},"constructor":{"x":1}}],' +
      '"next_page_params":{"__proto__":"x","block_number":1}}';
    await using server = await startServer((_request, response) => {
      sendText(response, body);
    });
    await using opened = openExplorer(server.url);
    const { rows, next } = await opened.explorer.tickReader().page(someBlocks, null);
    expect(rows[0]?.height).toBe(1n);
    expect(rows[0]?.hash).toBeUndefined();
    expect(next).toEqual({ block_number: '1' });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('where the chain is', () => {
  test('is known once the first page of blocks was read, by whichever watch', async () => {
    await using server = await startServer((request, response) => {
      sendJson(response, { items: blockRows(request.query['block_number'] === undefined ? 500 : 100, 50) });
    });
    const clock = { ...impatient(), now: () => 77 };
    await using opened = openExplorer(server.url, { clock });
    expect(opened.explorer.head()).toBeNull();
    await opened.explorer.tickReader().page(someBlocks, { block_number: '101' });
    expect(opened.explorer.head()).toBeNull();
    await opened.explorer.tickReader().page(someBlocks, null);
    const timestamp = Date.UTC(2026, 0, 1) + 500_000;
    expect(opened.explorer.head()).toEqual({ height: 500n, timestamp, readAt: 77, staleAfterMs: 180_000 });
  });

  test('is known from rows in any order, and although some say nothing', async () => {
    const [newest, ...older] = blockRows(500, 3);
    await using server = await startServer((_request, response) => {
      sendJson(response, { items: [{ height: null, hash: null }, ...older, newest] });
    });
    await using opened = openExplorer(server.url);
    await opened.explorer.tickReader().page(someBlocks, null);
    expect(opened.explorer.head()?.height).toBe(500n);
  });

  test('a slow chain has twenty block times before it counts as standing still', async () => {
    const rows = [
      { height: 20, timestamp: '2026-01-01T01:00:00.000000Z' },
      { height: 17, timestamp: '2026-01-01T00:00:00.000000Z' },
    ];
    await using server = await startServer((_request, response) => {
      sendJson(response, { items: rows });
    });
    await using opened = openExplorer(server.url);
    await opened.explorer.tickReader().page(someBlocks, null);
    expect(opened.explorer.head()?.staleAfterMs).toBe(20 * 20 * 60_000);
  });
});
