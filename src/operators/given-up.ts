// Actions on all given up deliveries, or on those of one channel: one makes them due again, the other stops counting
// them.
import { z } from 'zod';
import { Count } from '../core/values/answer-shapes.ts';
import type { ChangedDeliveries } from '../store/contract/operators.ts';
import { dismissAll, retryAll } from '../store/tables/deliveries/dead-deliveries.ts';
import { action, type LineData } from './action.ts';

const GivenUpBody = z
  .strictObject({ channel: z.string('is not the name of a channel').min(1, 'is empty').optional() })
  .transform(({ channel = null }) => ({ channel }));

const GivenUpAnswer = z
  .strictObject({
    channels: z.array(z.strictObject({ channel: z.string(), deliveries: Count })),
    left: Count.describe(
      'The number of deliveries that stay given up: a later message about the same arrived, or they are too many at once.',
    ),
  })
  .meta({ id: 'ChangedDeliveries', description: 'Deliveries that had been given up, by channel.' });

const COMMON = {
  tag: 'deliveries',
  status: 200,
  problems: ['not-found'],
  body: GivenUpBody,
  answer: GivenUpAnswer,
  answerOf: ({ channels, left }: ChangedDeliveries) => ({ channels: channels.map((one) => ({ ...one })), left }),
  check: ({ channel }: z.output<typeof GivenUpBody>) => ({ change: { channel } }),
  addsRow: false,
  changesPolicy: false,
  announce: () => null,
  journal: linesOf,
  notFound: () =>
    'No delivery was given up there that could be: `chainwarden deliveries list` shows the stored deliveries.',
} as const;

export const retryGivenUp = action({
  ...COMMON,
  name: 'retry-given-up',
  summary: 'Has all deliveries tried again that were given up and not dismissed, or those of one channel.',
  path: '/deliveries/retry',
  apply: (sql, { channel }, { at }) => retryAll(sql, channel, at),
  line: { kind: 'retried', words: 'tried again', about: 'delivery' },
  log: (done, { request }) => ['deliveries:retried', { ...countsOf(done), by: request.actor }],
  after({ channels }, effects) {
    for (const { channel } of channels) effects.retryChannel(channel);
  },
});

export const dismissGivenUp = action({
  ...COMMON,
  name: 'dismiss-given-up',
  summary: 'Counts all deliveries no more that were given up, or those of one channel.',
  path: '/deliveries/dismiss',
  apply: (sql, { channel }, { at }) => dismissAll(sql, channel, at),
  line: { kind: 'dismissed', words: 'dismissed', about: 'delivery' },
  log: (done, { request }) => ['deliveries:dismissed', { ...countsOf(done), by: request.actor }],
});

function linesOf({ channels }: ChangedDeliveries): LineData[] {
  return channels.map(({ channel, deliveries }) => ({ subject: `channel:${channel}`, data: { deliveries } }));
}

function countsOf({ channels, left }: ChangedDeliveries): Readonly<Record<string, unknown>> {
  return { deliveries: channels.reduce((sum, { deliveries }) => sum + deliveries, 0), left };
}
