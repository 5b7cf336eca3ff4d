import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { ADDRESSES } from '../../src/sandbox/names.ts';
import { FAULTS, type FaultOptions } from '../../src/sandbox/faults/fault.ts';
import { serveSandbox } from '../../src/sandbox/server.ts';
import { cursorOf, join, runSandbox, type Json, type Running } from './support.ts';

let running: Running;

beforeEach(async () => {
  running = await runSandbox({ blockTimeMs: 'manual' });
});
afterEach(() => running.close());

const fail = (options: FaultOptions): void => void running.sandbox.fail(options);

describe('an answer that says no', () => {
  const HTML = /text\/html/;
  const JSON_TYPE = /application\/json/;

  test.each([
    ['rate-limited', 429, JSON_TYPE, '{"error":"Too many requests"}'],
    ['server-error', 500, JSON_TYPE, '"Internal server error"'],
    ['bad-gateway', 502, JSON_TYPE, '{"error":"Bad gateway","source":"upstream"}'],
    ['unavailable', 503, HTML, /^<!DOCTYPE html>/],
    ['unauthorized', 401, JSON_TYPE, '{"error":"Unauthorized"}'],
    ['blocked', 403, HTML, /^<!DOCTYPE html>/],
    ['out-of-credits', 402, JSON_TYPE, '{"error":"Out of credits"}'],
    ['not-found', 404, JSON_TYPE, '{"message":"Not found"}'],
    ['unprocessable', 422, JSON_TYPE, /^\{"errors":\[\{"title"/],
    ['html', 200, HTML, /^<!DOCTYPE html>/],
  ] as const)('%s, once', async (fault, status, type, text) => {
    fail({ fault });
    const got = await running.get('blocks', { form: 'multichain' });
    expect(got.status).toBe(status);
    expect(got.headers.get('content-type')).toMatch(type);
    if (typeof text === 'string') expect(got.text).toBe(text);
    else expect(got.text).toMatch(text);
    expect((await running.get('blocks')).status).toBe(200);
  });

  test('429 with a Retry-After and a reset, when they are asked for', async () => {
    fail({ fault: 'rate-limited', retryAfter: 7, resetMs: 1500 });
    const { headers } = await running.get('blocks');
    expect([headers.get('retry-after'), headers.get('x-ratelimit-reset')]).toEqual(['7', '1500']);
    fail({ fault: 'rate-limited' });
    expect((await running.get('blocks')).headers.get('retry-after')).toBeNull();
  });

  test('a redirect to wherever', async () => {
    fail({ fault: 'redirect', location: 'http://127.0.0.1:1/elsewhere' });
    const got = await running.get('blocks');
    expect([got.status, got.headers.get('location')]).toEqual([302, 'http://127.0.0.1:1/elsewhere']);
  });
});

describe('which answers are struck', () => {
  test('so many, of one operation, of one path', async () => {
    const { vault, treasury } = running.sandbox.addresses;
    fail({ fault: 'server-error', times: 2, operation: 'address-tokens', path: vault.toLowerCase() });
    const ask = async (path: string): Promise<number> => (await running.get(path)).status;
    expect(await ask('blocks')).toBe(200);
    expect(await ask(`addresses/${treasury}/tokens`)).toBe(200);
    expect(await ask(`addresses/${vault}/transactions`)).toBe(200);
    for (const status of [500, 500, 200]) expect(await ask(`addresses/${vault}/tokens`)).toBe(status);
  });

  test('none any more once they are cleared', async () => {
    fail({ fault: 'server-error', times: 9 });
    running.sandbox.clearFaults();
    expect((await running.get('blocks')).status).toBe(200);
  });
});

/** Reads what comes until the end, whatever the end. */
function readRaw(path: string): Promise<{ response: IncomingMessage | null; bytes: Buffer; broken: boolean }> {
  return new Promise((resolve) => {
    const request = httpGet(running.url + path, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', () => undefined);
      response.on('close', () => {
        resolve({ response, bytes: Buffer.concat(chunks), broken: !response.complete });
      });
    });
    request.on('error', () => {
      resolve({ response: null, bytes: Buffer.alloc(0), broken: true });
    });
  });
}

describe('bytes that fail', () => {
  const PATH = '/api/v2/blocks';

  test('truncated: half of what was announced', async () => {
    fail({ fault: 'truncated' });
    const { response, bytes, broken } = await readRaw(PATH);
    expect(broken).toBe(true);
    expect(bytes.length).toBe(Math.floor(Number(response?.headers['content-length']) / 2));
  });

  test('cut: not one byte', async () => {
    fail({ fault: 'cut' });
    expect(await readRaw(PATH)).toEqual({ response: null, bytes: Buffer.alloc(0), broken: true });
  });

  test('oversized: JSON without end', async () => {
    fail({ fault: 'oversized', bytes: 3 * 2 ** 20 });
    const { bytes } = await readRaw(PATH);
    expect(bytes.length).toBeGreaterThan(3 * 2 ** 20);
    expect(JSON.parse(bytes.toString())).toMatchObject({ items: [] });
  });

  test('gzip-bomb: small on the wire, large when unpacked, and still the right answer', async () => {
    fail({ fault: 'gzip-bomb', bytes: 5 * 2 ** 20 });
    const { response, bytes } = await readRaw(PATH);
    expect(response?.headers['content-encoding']).toBe('gzip');
    expect(bytes.length).toBeLessThan(2 ** 17);
    const unpacked = gunzipSync(bytes);
    expect(unpacked.length).toBeGreaterThan(5 * 2 ** 20);
    expect(JSON.parse(unpacked.toString())).toHaveProperty('items');
  });

  test('slow-headers: nothing until the time has come', async () => {
    fail({ fault: 'slow-headers', ms: 5000 });
    const answer = running.get('blocks');
    await running.clock.whenSleeping(1);
    await running.clock.advance(5000);
    expect((await answer).status).toBe(200);
  });

  test('slow-body: a byte at a time', async () => {
    fail({ fault: 'slow-body', ms: 1000 });
    const first = await new Promise<number>((resolve) => {
      const request = httpGet(running.url + PATH, (response) => {
        response.on('error', () => undefined);
        response.once('data', (chunk: Buffer) => {
          request.destroy();
          resolve(chunk.length);
        });
      });
      request.on('error', () => undefined);
    });
    expect(first).toBe(1);
  });

  test('closing does not wait for the slow', async () => {
    fail({ fault: 'slow-headers' });
    const answer = readRaw(PATH);
    await running.clock.whenSleeping(1);
    await running.close();
    expect((await answer).broken).toBe(true);
  });
});

describe('right answers, spoilt', () => {
  const itemsOf = (body: Json): Json[] => body['items'] as Json[];

  async function spoilt(
    fault: FaultOptions['fault'],
    path = 'blocks',
  ): Promise<{ right: Json; wrong: Json; text: string }> {
    const { body: right } = await running.get(path);
    fail({ fault });
    const { body: wrong, text, status } = await running.get(path);
    expect(status).toBe(200);
    return { right, wrong, text };
  }

  test('array, null, no-items: another shape', async () => {
    const { right, wrong } = await spoilt('array');
    expect(wrong).toEqual(right['items']);
    expect((await spoilt('null')).text).toBe('null');
    expect(Object.keys((await spoilt('no-items')).wrong)).toEqual(['next_page_params']);
  });

  test('empty-list', async () => {
    expect((await spoilt('empty-list')).wrong).toEqual({ items: [], next_page_params: null });
  });

  test('nulls everywhere', async () => {
    const { wrong } = await spoilt('nulls');
    expect(new Set(itemsOf(wrong).flatMap((row) => Object.values(row)))).toEqual(new Set([null]));
  });

  test('numbers-as-strings, in items only', async () => {
    const { right, wrong } = await spoilt('numbers-as-strings');
    expect(itemsOf(wrong)[0]?.['height']).toBe(String(itemsOf(right)[0]?.['height']));
    expect(wrong['next_page_params']).toEqual(right['next_page_params']);
  });

  test('old-names: those of releases before 6.9 and 9.0', async () => {
    const token = (await spoilt('old-names', `tokens/${running.sandbox.tokens.USDC}`)).wrong;
    expect(Object.keys(token)).toEqual(expect.arrayContaining(['address', 'holders']));
    const [block] = itemsOf((await spoilt('old-names')).wrong);
    expect(block).toHaveProperty('tx_count');
    expect(block).not.toHaveProperty('transactions_count');
    const { wrong } = await spoilt('old-names', 'transactions?type=token_transfer');
    const [transaction] = itemsOf(wrong);
    for (const name of ['block', 'tx_types', 'tx_tag', 'tx_burnt_fee', 'has_error_in_internal_txs'])
      expect(transaction).toHaveProperty(name);
    expect((transaction?.['token_transfers'] as Json[])[0]).toHaveProperty('tx_hash');
    expect(wrong['next_page_params']).toHaveProperty('block_number');
  });

  test('duplicate-cursor-keys: each key twice, the old value last', async () => {
    const path = join('blocks', cursorOf(await running.get('blocks')) ?? '');
    const { right, text } = await spoilt('duplicate-cursor-keys', path);
    const fresh = (right['next_page_params'] as Json)['block_number'];
    expect(text).toContain(`"block_number":${String(fresh)},"items_count":50,"block_number":"51"`);
  });

  test('repeated-page: the first rows again, though the cursor goes on', async () => {
    const first = await running.get('blocks');
    const { right, wrong } = await spoilt('repeated-page', join('blocks', cursorOf(first) ?? ''));
    expect(wrong['items']).toEqual(first.body['items']);
    expect(wrong['next_page_params']).toEqual(right['next_page_params']);
  });

  test('ignored-cursor: the first page again, but only of a list that is narrowed to a topic', async () => {
    const { vault } = running.sandbox.addresses;
    const list = `addresses/${vault}/logs`;
    const first = await running.get(list);
    const [row] = itemsOf(first.body);
    const topic = `topic=${String((row?.['topics'] as string[])[0])}`;
    const narrow = await running.get(join(list, topic));
    const cursor = cursorOf(narrow) ?? '';
    const { wrong } = await spoilt('ignored-cursor', join(list, `${topic}&${cursor}`));
    expect(wrong['items']).toEqual(narrow.body['items']);
    const whole = await spoilt('ignored-cursor', join(list, cursorOf(first) ?? ''));
    expect(whole.wrong['items']).toEqual(whole.right['items']);
  });

  test('repeated-rows: every third row twice, none too few', async () => {
    const { right, wrong } = await spoilt('repeated-rows');
    expect(itemsOf(wrong)).toHaveLength(67);
    expect(itemsOf(wrong).slice(0, 3)).toEqual([itemsOf(right)[0], itemsOf(right)[0], itemsOf(right)[1]]);
    expect(new Set(itemsOf(wrong).map(({ hash }) => hash))).toEqual(new Set(itemsOf(right).map(({ hash }) => hash)));
  });

  test('shuffled-rows: the same rows in another order, with the same cursor', async () => {
    const { right, wrong } = await spoilt('shuffled-rows');
    const byHeight = (rows: Json[]): Json[] => rows.toSorted((a, b) => Number(b['height']) - Number(a['height']));
    expect(itemsOf(wrong)).not.toEqual(itemsOf(right));
    expect(byHeight(itemsOf(wrong))).toEqual(itemsOf(right));
    expect(wrong['next_page_params']).toEqual(right['next_page_params']);
  });

  test('stuck-cursor: the one that was sent', async () => {
    const query = cursorOf(await running.get('blocks')) ?? '';
    fail({ fault: 'stuck-cursor' });
    expect(cursorOf(await running.get(join('blocks', query)))).toBe(query);
  });

  test('lost-implementations: a proxy without a list, and everything else of it', async () => {
    const path = `addresses/${ADDRESSES.vault}`;
    const right = (await running.get(path)).body;
    fail({ fault: 'lost-implementations' });
    const wrong = (await running.get(path)).body;
    expect(wrong).toEqual({ ...right, implementations: [], implementation_name: null, proxy_type: null });
    expect((await running.get(path)).body).toEqual(right);
  });

  test('unknown-limits: -1 in every header of the limiter', async () => {
    fail({ fault: 'unknown-limits' });
    const { headers } = await running.get('blocks', { form: 'multichain' });
    for (const name of ['limit', 'remaining', 'reset']) expect(headers.get(`x-ratelimit-${name}`)).toBe('-1');
  });
});

describe('a hostile client', () => {
  const TARGETS = [
    '/api/v2/addresses/%zz/tokens',
    '/api/v2/addresses/__proto__/tokens',
    '/__proto__/api/v2/blocks?apikey=sandbox',
    '/api/v2/tokens/constructor',
    '/api/v2/blocks?__proto__=1',
    '/api/v2/blocks?block_number=99999999999999999999',
    '/api/v2/blocks?block_number=999999999999999',
    '/api/v2/blocks?block_number=-1',
    '/api/v2/transactions?block_number=0&index=0',
    `/api/v2/transactions?method=${'a,'.repeat(2000)}`,
    `/api/v2/addresses/0x${'f'.repeat(40)}/transactions?block_number=999999999999999&index=999999999999999`,
    `/api/v2/${'addresses/'.repeat(25)}`,
    '/api/v2/../../etc/passwd',
    '//api/v2/blocks',
    '/%00',
    '*',
  ];

  /** Writes bytes as they are and reads the first line of the answer. */
  function talk(bytes: string): Promise<string> {
    return new Promise((resolve) => {
      const socket = connect(Number(new URL(running.url).port), '127.0.0.1', () => socket.write(bytes));
      let said = '';
      socket.on('data', (chunk) => {
        said += chunk.toString('latin1');
        socket.destroy();
      });
      socket.on('error', () => undefined);
      socket.on('close', () => {
        resolve(said.split('\r\n')[0] ?? '');
      });
    });
  }

  test.each(TARGETS)('%s gets an answer', async (target) => {
    expect(await talk(`GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)).toMatch(
      /^HTTP\/1.1 [234]\d\d /,
    );
  });

  test.each(['\0\0\0\0\r\n\r\n', 'GET\r\n\r\n', `GET / HTTP/1.1\r\nx: ${'a'.repeat(100_000)}\r\n\r\n`])(
    'nonsense ends the connection, and the next one is served',
    async (bytes) => {
      await talk(bytes);
      expect((await running.get('blocks')).status).toBe(200);
    },
  );

  test('a taken port is refused, and closing twice is fine', async () => {
    const port = Number(new URL(running.url).port);
    await expect(serveSandbox(running.sandbox, port)).rejects.toThrow('EADDRINUSE');
    await running.close();
  });
});

test('whatever the fault, the answer after it is right', async () => {
  for (const fault of FAULTS.filter((name) => name !== 'slow-headers' && name !== 'slow-body')) {
    fail({ fault, bytes: 10 });
    await readRaw('/api/v2/blocks');
    expect((await running.get('blocks')).status).toBe(200);
  }
});
