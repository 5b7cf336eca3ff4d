// One POST per delivery, as Standard Webhooks has it.
import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../lib/clock.ts';
import type { Delivery } from '../core/model/delivery.ts';
import type { Notifier } from './notifier.ts';
import { toBody } from './rendering/body.ts';
import { Allow, mustBeAllowed } from './wire/egress.ts';
import { createPoster, TOTAL_MS, type JsonCall } from './wire/post-json.ts';
import { addressWarnings, hostOf, isWebAddress, secretsOf, WEB_ADDRESS } from './wire/web-address.ts';

const DAY_MS = 24 * 3_600_000;

const config = z
  .strictObject({
    url: z
      .string()
      .refine(isWebAddress, WEB_ADDRESS)
      .describe('Where alerts are posted to. May hold a secret, and is never shown: messages name the host only.'),
    secret: z
      .string()
      .refine((text) => keyOf(text) !== undefined, 'must be whsec_ and 24 to 64 bytes in base64')
      .optional()
      .describe(
        'Signs every call as in Standard Webhooks: `whsec_` and 24 to 64 random bytes in base64, for instance from ' +
          '`openssl rand -base64 32`. Without it calls are not signed.',
      ),
    allow: Allow,
  })
  .superRefine(mustBeAllowed('url', ({ url }) => hostOf(url)));

type WebhookConfig = z.infer<typeof config>;

export const webhook = webhookWith({ totalMs: TOTAL_MS });

/** `totalMs`: one try, from the first packet to the last byte of the answer. */
export function webhookWith({ totalMs }: { readonly totalMs: number }): Notifier<WebhookConfig> {
  return {
    type: 'webhook',
    summary: 'Posts each alert as JSON, signed as in Standard Webhooks.',
    config,
    secrets: ['url', 'secret'],
    giveUpAfterMs: 3 * DAY_MS,
    recipients: (_to, channel) => [channel],
    warnings: warningsOf,
    open(to, tools) {
      const poster = createPoster({ tools, totalMs, allow: to.allow, secrets: [...secretsOf(to.url), ...keysIn(to)] });
      return {
        send: (delivery, attempt, signal) => poster.postJson(callOf(to, delivery, attempt, tools.clock), signal),
        [Symbol.asyncDispose]: () => poster[Symbol.asyncDispose](),
      };
    },
  };
}

function warningsOf({ url, secret }: WebhookConfig): string[] {
  return [
    ...(secret === undefined
      ? ['calls are not signed: set `secret` so that the receiver can tell them from others']
      : []),
    ...addressWarnings(url),
  ];
}

/** The body is the same on every try; what differs between tries is in the headers. */
function callOf({ url, secret }: WebhookConfig, delivery: Delivery, attempt: number, clock: Clock): JsonCall {
  const body = toBody(delivery);
  const timestamp = String(Math.floor(clock.now() / 1000));
  const key = secret === undefined ? undefined : keyOf(secret);
  const headers = {
    'webhook-id': delivery.id,
    'webhook-timestamp': timestamp,
    'chainwarden-attempt': String(attempt),
  };
  if (key === undefined) return { url, body, headers };
  const signature = createHmac('sha256', key).update(`${delivery.id}.${timestamp}.${body}`).digest('base64');
  return { url, body, headers: { ...headers, 'webhook-signature': `v1,${signature}` } };
}

function keyOf(secret: string): Buffer | undefined {
  const [, base64] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  if (base64 === undefined) return undefined;
  const key = Buffer.from(base64, 'base64');
  const isExact = key.toString('base64').replace(/=+$/, '') === base64.replace(/=+$/, '');
  return isExact && key.length >= 24 && key.length <= 64 ? key : undefined;
}

function keysIn({ secret }: WebhookConfig): string[] {
  return secret === undefined ? [] : [secret, secret.replace(/^whsec_/, '')];
}
