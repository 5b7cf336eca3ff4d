// One POST per delivery, as Standard Webhooks has it. No redirects, no tries of its own: the outbox tries again.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import got, { RequestError, type Got, type PlainResponse, type Request } from 'got';
import { z } from 'zod';
import { isLoopback, isPrivate } from '../lib/loopback.ts';
import { createDeadline, type Clock } from '../lib/clock.ts';
import { createRedactor } from '../lib/redact.ts';
import { absorbErrors } from '../lib/request-errors.ts';
import { singleLine } from '../lib/untrusted.ts';
import type { Delivery, Outcome } from '../core/model/delivery.ts';
import type { Notifier, NotifierTools, OpenNotifier } from './notifier.ts';
import { toBody } from './rendering/body.ts';

const DAY_MS = 24 * 3_600_000;
const TOTAL_MS = 15_000;
const MOST_ANSWER_BYTES = 4096;
const MOST_ANSWER_SHOWN = 200;

const config = z.strictObject({
  url: z
    .string()
    .refine(isWebAddress, 'must be an http: or https: address such as https://hooks.example.com/alerts')
    .describe('Where alerts are posted to. May hold a secret, and is never shown: messages name the host only.'),
  secret: z
    .string()
    .refine((text) => keyOf(text) !== undefined, 'must be whsec_ and 24 to 64 bytes in base64')
    .optional()
    .describe(
      'Signs every call as in Standard Webhooks: `whsec_` and 24 to 64 random bytes in base64, for instance from ' +
        '`openssl rand -base64 32`. Without it calls are not signed.',
    ),
});

type WebhookConfig = z.infer<typeof config>;

export const webhook = webhookWith({ totalMs: TOTAL_MS });

/** `totalMs`: one try, from the first packet to the last byte of the answer. */
export function webhookWith(limits: { readonly totalMs: number }): Notifier<WebhookConfig> {
  return {
    type: 'webhook',
    summary: 'Posts each alert as JSON, signed as in Standard Webhooks.',
    config,
    secrets: ['url', 'secret'],
    giveUpAfterMs: 3 * DAY_MS,
    recipients: (_to, channel) => [channel],
    warnings: warningsOf,
    open: (to, tools) => openWebhook(to, tools, limits.totalMs),
  };
}

function warningsOf({ url, secret }: WebhookConfig): string[] {
  const { protocol, hostname } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const isPlain = protocol === 'http:' && !isLoopback(host);
  return [
    ...(secret === undefined
      ? ['calls are not signed: set `secret` so that the receiver can tell them from others']
      : []),
    ...(isPlain ? ['calls cross the network without encryption: use https:'] : []),
    ...(isPrivate(host) ? [`calls go to ${host}, an address of a private or link-local network`] : []),
  ];
}

function openWebhook(to: WebhookConfig, tools: NotifierTools, totalMs: number): OpenNotifier {
  const { host } = new URL(to.url);
  const { redact } = createRedactor(secretsOf(to));
  // A connection per call: one kept open may be closed by the other side just as the next call leaves, and then
  // nobody knows whether that call arrived.
  const agents = { http: new http.Agent({ keepAlive: false }), https: new https.Agent({ keepAlive: false }) };
  const client = got.extend({
    agent: agents,
    followRedirect: false,
    throwHttpErrors: false,
    decompress: false,
    retry: { limit: 0 },
    headers: { 'user-agent': `chainwarden/${tools.version}`, 'content-type': 'application/json' },
  });
  return {
    async send(delivery, attempt, signal) {
      const deadline = createDeadline(signal, totalMs);
      try {
        const answer = await post(client, to, headed(to, delivery, attempt, tools.clock), deadline.signal);
        return outcomeOf(answer, { host, redact, clock: tools.clock });
      } catch (error) {
        return outcomeOfError(error, host);
      } finally {
        deadline.done();
      }
    },
    async [Symbol.asyncDispose]() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

interface Call {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The body is the same on every try; what differs between tries is in the headers. */
function headed(to: WebhookConfig, delivery: Delivery, attempt: number, clock: Clock): Call {
  const body = toBody(delivery);
  const timestamp = String(Math.floor(clock.now() / 1000));
  const key = to.secret === undefined ? undefined : keyOf(to.secret);
  const headers = {
    'webhook-id': delivery.id,
    'webhook-timestamp': timestamp,
    'chainwarden-attempt': String(attempt),
  };
  if (key === undefined) return { body, headers };
  const signature = createHmac('sha256', key).update(`${delivery.id}.${timestamp}.${body}`).digest('base64');
  return { body, headers: { ...headers, 'webhook-signature': `v1,${signature}` } };
}

interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
}

async function post(client: Got, to: WebhookConfig, call: Call, signal: AbortSignal): Promise<Answer> {
  const request = client.stream.post(to.url, { ...call, signal });
  absorbErrors(request);
  const [response] = (await once(request, 'response')) as [PlainResponse];
  return { status: response.statusCode, headers: response.headers, text: await firstBytes(request) };
}

// The status has decided by now. The rest is for people, so an answer that breaks off is what came of it.
async function firstBytes(request: Request): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= MOST_ANSWER_BYTES) break;
    }
  } catch {
    // Shown as far as it came.
  }
  request.destroy();
  return Buffer.concat(chunks).subarray(0, MOST_ANSWER_BYTES).toString();
}

interface ReceiverContext {
  readonly host: string;
  readonly redact: (text: string) => string;
  readonly clock: Clock;
}

function outcomeOf({ status, headers, text }: Answer, { host, redact, clock }: ReceiverContext): Outcome {
  const shown = singleLine(redact(text), MOST_ANSWER_SHOWN);
  const answer = shown === '' ? String(status) : `${status} ${shown}`;
  if (status >= 200 && status < 300) return { type: 'sent', answer };
  if (status >= 300 && status < 400) return { type: 'again', why: movedTo(host, status, headers.location) };
  const afterMs = waitAsked(headers['retry-after'], clock);
  return { type: 'again', why: `${host} answered ${answer}`, ...(afterMs === undefined ? {} : { afterMs }) };
}

// Redirects are not followed: whoever answers at the old address could send the alerts anywhere, inside included.
function movedTo(host: string, status: number, location: string | undefined): string {
  const target = (location === undefined ? '' : URL.parse(location, `https://${host}`)?.host) || 'nowhere';
  return `moved: ${host} answered ${status} and points to ${target}; if that is right, set it as the channel's url`;
}

const SHORTEST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 3_600_000;

/** Retry-After in seconds or as a date (RFC 9110 10.2.3), kept between a second and an hour. */
function waitAsked(header: string | undefined, clock: Clock): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - clock.now();
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, SHORTEST_WAIT_MS), LONGEST_WAIT_MS);
}

// Only codes are shown: the words of an error may quote the address.
function outcomeOfError(error: unknown, host: string): Outcome {
  if (!(error instanceof RequestError)) return { type: 'again', why: `${host}: the call could not be made` };
  const why = `${host}: ${error.code === 'ERR_ABORTED' ? 'stopped before an answer came' : error.code}`;
  return { type: error.timings?.upload === undefined ? 'again' : 'unknown', why };
}

function isWebAddress(text: string): boolean {
  const url = /^https?:\/\/[\u0021-\u007e]+$/i.test(text) ? URL.parse(text) : null;
  return url !== null && url.hostname !== '';
}

function keyOf(secret: string): Buffer | undefined {
  const [, base64] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  if (base64 === undefined) return undefined;
  const key = Buffer.from(base64, 'base64');
  const isExact = key.toString('base64').replace(/=+$/, '') === base64.replace(/=+$/, '');
  return isExact && key.length >= 24 && key.length <= 64 ? key : undefined;
}

// Shorter ones would blacken ordinary words, and guard nothing.
const SHORTEST_SECRET = 4;

/** What of the config may be secret: the key, and every part of the address but the host. */
function secretsOf({ url: text, secret = '' }: WebhookConfig): string[] {
  const url = new URL(text);
  const path = url.pathname.length > 1 ? [url.pathname, url.pathname + url.search] : [];
  const segments = url.pathname.split('/').filter((segment) => segment.length >= 8);
  const login = [url.username, url.password];
  const key = [secret, secret.replace(/^whsec_/, '')];
  const all = [text, url.href, ...path, ...segments, url.search, ...url.searchParams.values(), ...login, ...key];
  return all.filter((secret) => secret.length >= SHORTEST_SECRET);
}
