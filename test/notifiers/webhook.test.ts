import net, { type AddressInfo } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { untrusted } from '../../src/lib/untrusted.ts';
import type { Attempt, Delivery, Outcome } from '../../src/core/model/delivery.ts';
import { webhook, webhookWith } from '../../src/notifiers/webhook.ts';
import { freePort } from '../support/free-port.ts';
import { createWebhookSink, status, type Answer } from '../support/sinks.ts';
import {
  aDelivery,
  aMessage,
  aResolvedMessage,
  LOOPBACK,
  aTry,
  holdTimeouts,
  never,
  PATIENT_MS,
  someTools,
} from './samples.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');
const SECRET = `whsec_${KEY}`;

interface Sent {
  readonly url: string;
  readonly secret?: string;
  readonly delivery?: Delivery;
  readonly attempt?: Attempt;
  readonly signal?: AbortSignal;
  readonly totalMs?: number;
}

async function send({ url, secret, delivery = aDelivery(), attempt = aTry(), ...rest }: Sent): Promise<Outcome> {
  const { signal = never, totalMs = PATIENT_MS } = rest;
  await using sender = webhookWith({ totalMs }).open(
    { url, allow: LOOPBACK, ...(secret === undefined ? {} : { secret }) },
    someTools(),
  );
  return await sender.send(delivery, attempt, signal);
}

async function answered(answer: Answer, path = '/'): Promise<Outcome> {
  await using sink = await createWebhookSink();
  sink.answerNext(answer);
  return await send({ url: sink.origin + path });
}

/** A client in this process has read by then: each turn of the event loop looks at its sockets. */
function afterTurns(turns: number, then: () => void): void {
  if (turns === 0) then();
  else setImmediate(afterTurns, turns - 1, then);
}

describe('what a webhook carries', () => {
  test('the whole alert as JSON', async () => {
    await using sink = await createWebhookSink();
    await send({ url: `${sink.origin}/alerts?team=a` });
    const [call] = sink.calls.all;
    expect(call?.path).toBe('/alerts?team=a');
    expect(call?.headers['content-type']).toBe('application/json');
    expect(call?.headers['user-agent']).toBe('chainwarden/0.1.0');
    expect(JSON.parse(call?.body ?? '')).toEqual({
      type: 'alert.firing',
      timestamp: '2026-01-01T00:03:00Z',
      data: {
        id: 'd4gq6yhz7krmtabcxw2ns5v3f1',
        key: 'k7xq2mfd3p5rnabcwz4ty6v1e2',
        episode: 3,
        seq: 5,
        watch: 'treasury-usdc',
        alert: 'low',
        kind: 'balance',
        severity: 'critical',
        explorer: 'ethereum',
        chain_id: '1',
        of: { name: 'treasury', address: '0x47ac0Fb4F2D84898e4D9E7b4DaB3C24507a6D503' },
        token: { address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', symbol: 'USDC', decimals: 6 },
        subject: '[CRITICAL] Treasury USDC is low: 940,000, below 1,000,000',
        title: 'Treasury USDC is low',
        lines: ['Fell 1,060,000.5 since the last poll. Clears above 1,050,000. ethereum, 00:03 UTC.'],
        text: '940000 USDC left at 0x47ac0Fb4F2D84898e4D9E7b4DaB3C24507a6D503',
        condition: 'balance < 1000000',
        rule: 'rules/treasury.yaml:17',
        observed_at: '2026-01-01T00:03:00Z',
        since: '2026-01-01T00:01:00Z',
        fired_at: null,
        resolved_at: null,
        reason: null,
        late: false,
        fields: {
          balance: '940000',
          raw: '940000000000',
          token: { symbol: 'USDC', decimals: 6, reputation: 'ok' },
        },
        before: { balance: '2000000.5' },
        page: null,
        links: ['https://explorer.example/address/0x47ac0Fb4F2D84898e4D9E7b4DaB3C24507a6D503'],
        runbook: null,
      },
    });
  });

  test('nulls where there is nothing to say, and the end of what resolved', async () => {
    await using sink = await createWebhookSink();
    const nothing = { chainId: null, of: null, token: null, links: [], before: {} };
    await send({ url: sink.origin, delivery: aDelivery({ message: aResolvedMessage(nothing) }) });
    const body = JSON.parse(sink.calls.all[0]?.body ?? '') as { type: string; data: Record<string, unknown> };
    expect(body.type).toBe('alert.resolved');
    expect(body.data).toMatchObject({ chain_id: null, of: null, token: null, before: null, links: [] });
    expect(body.data.resolved_at).toBe('2026-01-01T00:13:05Z');
  });

  test('lists and exact numbers as they are', async () => {
    await using sink = await createWebhookSink();
    const fields = {
      token_id: { text: (2n ** 256n - 1n).toString() },
      to: { list: [{ text: '0x01' }, { untrusted: untrusted('a\nb') }, { record: { value: 1.5 } }] },
      success: false,
    };
    await send({ url: sink.origin, delivery: aDelivery({ message: aMessage({ fields }) }) });
    const body = JSON.parse(sink.calls.all[0]?.body ?? '') as { data: { fields: unknown } };
    expect(body.data.fields).toEqual({
      token_id: '115792089237316195423570985008687907853269984665640564039457584007913129639935',
      to: ['0x01', 'a b', { value: 1.5 }],
      success: false,
    });
  });

  test('the same bytes on every try; only the headers say which try it is', async () => {
    await using sink = await createWebhookSink();
    sink.answerNext(status(500));
    await send({ url: sink.origin, secret: SECRET });
    await send({ url: sink.origin, secret: SECRET, attempt: aTry(2, { maybeCopy: true }) });
    const [first, second] = sink.calls.all;
    expect(second?.body).toBe(first?.body);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(sink.calls.all.map(({ headers }) => headers['chainwarden-attempt'])).toEqual(['1', '2; may be a copy']);
  });
});

describe('the signature', () => {
  async function signedCall() {
    await using sink = await createWebhookSink();
    // The reference library compares with the machine's own clock, and refuses what is older than five minutes.
    const clock = { now: () => new Date().getTime(), monotonic: () => 0, sleep: () => Promise.resolve() };
    await using sender = webhook.open({ url: sink.origin, secret: SECRET, allow: LOOPBACK }, { ...someTools(), clock });
    await sender.send(aDelivery(), aTry(), never);
    const call = sink.calls.all[0];
    return { body: call?.body ?? '', headers: call?.headers as Record<string, string> };
  }

  test('is what the reference library of Standard Webhooks accepts', async () => {
    const { body, headers } = await signedCall();
    expect(new Webhook(SECRET).verify(body, headers)).toEqual(JSON.parse(body));
  });

  test('covers id, time and body', async () => {
    const { body, headers } = await signedCall();
    const verify =
      (changed: string, with_: Record<string, string> = {}) =>
      () =>
        new Webhook(SECRET).verify(changed, { ...headers, ...with_ });
    expect(verify(body.replace('critical', 'info'))).toThrow();
    expect(verify(body, { 'webhook-id': 'another' })).toThrow();
    expect(verify(body, { 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 1) })).toThrow();
    expect(() => new Webhook(`whsec_${Buffer.alloc(32, 8).toString('base64')}`).verify(body, headers)).toThrow();
  });

  test('carries the time of this try in seconds', async () => {
    await using sink = await createWebhookSink();
    await send({ url: sink.origin, secret: SECRET });
    expect(sink.calls.all[0]?.headers['webhook-timestamp']).toBe(String(Date.UTC(2026, 0, 1, 0, 5) / 1000));
  });

  test('is left out without a secret, with a warning at load', async () => {
    await using sink = await createWebhookSink();
    await send({ url: sink.origin });
    expect(sink.calls.all[0]?.headers).not.toHaveProperty('webhook-signature');
    expect(webhook.warnings({ url: sink.origin, allow: LOOPBACK })).toEqual([expect.stringContaining('not signed')]);
    const secret = 'whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0';
    expect(webhook.warnings({ url: sink.origin, secret, allow: LOOPBACK })).toEqual([]);
    expect(webhook.warnings({ url: 'http://hooks.example.com/', secret, allow: [] })).toEqual([
      'calls cross the network without encryption: use https:',
    ]);
    expect(webhook.warnings({ url: sink.origin, secret: SECRET, allow: LOOPBACK })).toEqual([]);
  });
});

describe('the answer decides', () => {
  test.each([200, 201, 202, 204, 299])('%i: sent', async (code) => {
    expect(await answered(status(code, {}, code === 204 ? '' : 'thanks'))).toMatchObject({
      type: 'sent',
      answer: expect.stringContaining(String(code)),
    });
  });

  const QUARTER_HOUR = 900_000;

  test.each([
    [400, { type: 'rejected' }],
    [401, { type: 'again', auth: true, atLeastMs: QUARTER_HOUR }],
    [403, { type: 'again', auth: true, atLeastMs: QUARTER_HOUR }],
    [404, { type: 'again', auth: true, atLeastMs: QUARTER_HOUR }],
    [405, { type: 'rejected' }],
    [408, { type: 'again' }],
    [410, { type: 'again', auth: true, atLeastMs: QUARTER_HOUR }],
    [413, { type: 'rejected' }],
    [422, { type: 'rejected' }],
    [425, { type: 'again' }],
    [429, { type: 'again' }],
    [500, { type: 'again' }],
    [503, { type: 'again' }],
    [599, { type: 'again' }],
  ])('%i: %j', async (code, expected) => {
    expect(await answered(status(code, {}, 'no'))).toEqual({
      ...expected,
      why: expect.stringMatching(new RegExp(`^127.0.0.1:\\d+ answered ${code} no$`)),
    });
  });

  test('a wait that a refusal names shortens nothing', async () => {
    expect(await answered(status(403, { 'retry-after': '1' }))).not.toHaveProperty('afterMs');
  });

  test.each([
    ['30', 30_000],
    ['0', 1000],
    ['86400', 3_600_000],
    ['Thu, 01 Jan 2026 00:06:30 GMT', 90_000],
    ['Thu, 01 Jan 2025 00:00:00 GMT', 1000],
    ['soon', undefined],
  ])('Retry-After: %s waits %p ms', async (header, afterMs) => {
    const outcome = await answered(status(429, { 'retry-after': header }));
    expect(outcome).toEqual({ type: 'again', why: expect.any(String), ...(afterMs === undefined ? {} : { afterMs }) });
  });

  test.each([301, 302, 303, 307, 308])('%i is not followed, and says where it points', async (code) => {
    await using elsewhere = await createWebhookSink();
    const outcome = await answered(status(code, { location: `${elsewhere.origin}/inside?token=abc` }));
    const { host } = new URL(elsewhere.origin);
    expect(outcome).toEqual({ type: 'again', why: expect.stringContaining(`points to ${host};`) });
    expect(JSON.stringify(outcome)).not.toContain('token=abc');
    expect(elsewhere.calls.all).toEqual([]);
  });

  test('a redirect that names no target says so', async () => {
    for (const headers of [{}, { location: 'javascript:alert(1)' }])
      expect(await answered(status(302, headers))).toMatchObject({
        why: expect.stringContaining('without a valid location'),
      });
  });

  test('of endless length is read to 4 KiB and then closed', async () => {
    let written = 0;
    const closed = Promise.withResolvers<undefined>();
    const outcome = await answered((response) => {
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(1024))) written += 1024;
      };
      response.on('drain', more).on('close', () => {
        closed.resolve(undefined);
      });
      more();
    });
    await closed.promise;
    expect(outcome).toMatchObject({ type: 'sent' });
    expect(JSON.stringify(outcome).length).toBeLessThan(300);
    expect(written).toBeLessThan(16 * 1024 * 1024);
  });

  test('that stops after a good status was taken over all the same', async () => {
    await using sink = await createWebhookSink();
    using timeouts = holdTimeouts();
    sink.answerNext((response) => {
      response.writeHead(200).write('so far', () => {
        afterTurns(20, () => {
          timeouts.pass(PATIENT_MS);
        });
      });
    });
    expect(await send({ url: sink.origin })).toEqual({ type: 'sent', answer: '200 so far' });
  });

  test('is shown on one line without control characters', async () => {
    const outcome = await answered(status(500, {}, 'oh\r\n\u001b[31mno\u202e'));
    expect(outcome).toMatchObject({ why: expect.stringMatching(/500 oh ‹U\+001B›\[31mno‹U\+202E›$/) });
  });
});

describe('when no answer comes', () => {
  test('a refused connection is tried again', async () => {
    const port = await freePort();
    expect(await send({ url: `http://127.0.0.1:${port}/s3cret-path` })).toEqual({
      type: 'again',
      why: `127.0.0.1:${port}: ECONNREFUSED`,
    });
  });

  test('a connection reset after the body went is unknown: the alert may have been taken', async () => {
    expect(await answered((response) => void response.socket?.resetAndDestroy())).toEqual({
      type: 'unknown',
      why: expect.stringMatching(/^127.0.0.1:\d+: ECONNRESET$/),
    });
  });

  test('a timeout after the body went is unknown', async () => {
    await using sink = await createWebhookSink();
    using timeouts = holdTimeouts();
    sink.answerNext(() => {
      timeouts.pass(PATIENT_MS);
    });
    expect(await send({ url: sink.origin })).toMatchObject({
      type: 'unknown',
      why: expect.stringMatching(/ETIMEDOUT/),
    });
  });

  test('a server that never speaks TLS got nothing, so it is tried again', async () => {
    const server = net.createServer(() => undefined).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const sockets: net.Socket[] = [];
    server.on('connection', (socket) => sockets.push(socket));
    const { port } = server.address() as AddressInfo;
    expect(await send({ url: `https://127.0.0.1:${port}`, totalMs: 1000 })).toMatchObject({ type: 'again' });
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  test('stopping the daemon before the call leaves it for later', async () => {
    await using sink = await createWebhookSink();
    const stopped = AbortSignal.abort();
    expect(await send({ url: sink.origin, signal: stopped })).toMatchObject({ type: 'again' });
    expect(sink.calls.all).toEqual([]);
  });

  test('stopping the daemon in the middle leaves it unknown', async () => {
    await using sink = await createWebhookSink();
    const stop = new AbortController();
    sink.answerNext(() => {
      stop.abort();
    });
    expect(await send({ url: sink.origin, signal: stop.signal })).toMatchObject({ type: 'unknown' });
  });
});

describe('secrets', () => {
  const PATH = '/services/T0SECRET99/x';

  test.each([
    ['repeats the path', (path: string) => `Cannot POST ${path}`],
    ['repeats a part of it', () => 'unknown hook T0SECRET99'],
    ['repeats a parameter', () => 'bad key pa%2Fss-word, bad key pa/ss-word'],
    ['repeats the signing secret', () => `is it ${SECRET} or ${KEY}?`],
    ['repeats what it got as login', (_path: string, login = '') => `nobody is ${login}, ${atob(login.slice(6))}`],
  ])('stay inside when the answer %s', async (_what, body) => {
    await using sink = await createWebhookSink();
    sink.answerNext((response, call) => response.writeHead(404).end(body(call.path, call.headers.authorization)));
    const origin = sink.origin.replace('//', '//watch:l0ginsecret@');
    const outcome = await send({ url: `${origin}${PATH}?key=pa%2Fss-word`, secret: SECRET });
    expect(outcome.type).toBe('again');
    expect(JSON.stringify(outcome)).not.toMatch(/T0SECRET99|ss-word|l0ginsecret/);
    expect(JSON.stringify(outcome)).not.toContain(btoa('watch:l0ginsecret'));
    expect(JSON.stringify(outcome)).not.toContain(KEY);
  });
});

describe('the config', () => {
  const url = 'https://hooks.example.com/a';

  test.each([24, 64])('takes a secret of %i bytes', (size) => {
    const secret = `whsec_${Buffer.alloc(size, 1).toString('base64')}`;
    expect(webhook.config.parse({ url, secret })).toEqual({ url, secret, allow: [] });
  });

  test.each([
    ['too short', `whsec_${Buffer.alloc(23).toString('base64')}`],
    ['too long', `whsec_${Buffer.alloc(65).toString('base64')}`],
    ['without its prefix', KEY],
    ['not base64', 'whsec_!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!'],
    ['empty', ''],
  ])('refuses a secret that is %s, without repeating it', (_what, secret) => {
    const { error } = webhook.config.safeParse({ url, secret });
    expect(error?.issues).toHaveLength(1);
    expect(error?.issues[0]?.message).toMatch(/whsec_ and 24 to 64 bytes/);
    if (secret !== '') expect(error?.message).not.toContain(secret);
  });

  test.each(['hooks.example.com', 'ftp://example.com', 'javascript:alert(1)', 'https://', 'http://a b', 'http://a\nb'])(
    'refuses the address %j',
    (bad) => {
      expect(webhook.config.safeParse({ url: bad }).error?.issues[0]?.message).toMatch(/must be an http/);
    },
  );

  test('knows no other key, and is its own only recipient', () => {
    expect(webhook.config.safeParse({ url, retries: '3' }).success).toBe(false);
    expect(webhook.recipients({ url, allow: [] }, 'ops')).toEqual(['ops']);
    expect(webhook.giveUpAfterMs).toBe(3 * 24 * 3_600_000);
  });
});
