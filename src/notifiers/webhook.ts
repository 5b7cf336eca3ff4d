// One POST per delivery, as Standard Webhooks describes it.
import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type { Attempt } from '../core/model/delivery.ts';
import type { Instant } from '../lib/clock.ts';
import type { Notifier } from './notifier.ts';
import { toBody } from './rendering/body.ts';
import { bodyFault, compileBody } from './rendering/body-template.ts';
import { attemptText } from './rendering/wording.ts';
import { addressWarnings, Allow, hostOf, isWebAddress, mustBeAllowed, secretsOf, WEB_ADDRESS } from './wire/egress.ts';
import { httpNotifier } from './wire/http-notifier.ts';
import { TOTAL_MS, type JsonCall } from './wire/post-json.ts';

const config = z
  .strictObject({
    url: z
      .string()
      .refine(isWebAddress, WEB_ADDRESS)
      .describe(
        'The address to which alerts are posted. It may contain a secret and is never shown: messages name the host only.',
      ),
    secret: z
      .string()
      .refine((text) => keyOf(text) !== undefined, 'must be whsec_ and 24 to 64 bytes in base64')
      .optional()
      .describe(
        'Signs every call as in Standard Webhooks: `whsec_` and 24 to 64 random bytes in base64, for instance from ' +
          '`openssl rand -base64 32`. Without it calls are not signed.',
      ),
    body: z
      .string()
      .superRefine((source, context) => {
        const fault = bodyFault(source);
        if (fault !== null) context.addIssue(fault);
      })
      .optional()
      .meta({
        description:
          'A body of your own, in place of the usual one: JSON with fields in its texts, such as ' +
          '`{"text": "{{ title }}"}`. The fields are those of the usual body.',
        examples: ['{"text": "{{ title }}", "amount": "{{ fields.balance }}"}'],
      }),
    allow: Allow,
  })
  .superRefine(mustBeAllowed('url', ({ url }) => hostOf(url)));

type WebhookConfig = z.infer<typeof config>;

export const webhook = webhookWith({ totalMs: TOTAL_MS });

/** `totalMs`: the limit of one attempt, from the first packet to the last byte of the answer. */
export function webhookWith({ totalMs }: { readonly totalMs: number }): Notifier<WebhookConfig> {
  return httpNotifier({
    totalMs,
    type: 'webhook',
    summary: 'Posts each alert as JSON, signed as in Standard Webhooks.',
    unit: 'alert',
    idempotent: true,
    readBy: 'machines',
    config,
    secrets: ['url', 'secret'],
    warnings: warningsOf,
    secretsIn: ({ url, secret }) => [...secretsOf(url), ...(secret === undefined ? [] : keysIn(secret))],
    senderOf(to, poster, { clock }) {
      const write = to.body === undefined ? toBody : compileBody(to.body);
      return (delivery, attempt, signal) => {
        const { id } = delivery;
        return poster.postJson(callOf(to, { id, body: write(delivery, attempt), attempt, at: clock.now() }), signal);
      };
    },
  });
}

function warningsOf({ url, secret }: WebhookConfig): string[] {
  return [
    ...(secret === undefined
      ? ['calls are not signed: set `secret` so that the receiver can tell them from others']
      : []),
    ...addressWarnings(url),
  ];
}

interface Try {
  readonly id: string;
  readonly body: string;
  readonly attempt: Attempt;
  readonly at: Instant;
}

/** The body is the same for every attempt; the headers differ. */
function callOf({ url, secret }: WebhookConfig, { id, body, attempt, at }: Try): JsonCall {
  const timestamp = String(Math.floor(at / 1000));
  const key = secret === undefined ? undefined : keyOf(secret);
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'chainwarden-attempt': attemptText(attempt),
  };
  if (key === undefined) return { url, body, headers };
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { url, body, headers: { ...headers, 'webhook-signature': `v1,${signature}` } };
}

function keyOf(secret: string): Buffer | undefined {
  const [, base64] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  if (base64 === undefined) return undefined;
  const key = Buffer.from(base64, 'base64');
  const isExact = key.toString('base64').replace(/=+$/, '') === base64.replace(/=+$/, '');
  return isExact && key.length >= 24 && key.length <= 64 ? key : undefined;
}

function keysIn(secret: string): string[] {
  return [secret, secret.replace(/^whsec_/, '')];
}
