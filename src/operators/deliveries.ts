// Actions on given up deliveries: one makes them due again, the other stops counting them.
import { z } from 'zod';
import { quote } from '../config/values/scalars.ts';
import type { ChangedDelivery } from '../store/contract/operators.ts';
import { dismiss, retry } from '../store/tables/deliveries/dead-deliveries.ts';
import { action, type ActionCall, type LineData } from './action.ts';
import { NoBody } from './shapes.ts';

const DeliveryAnswer = z
  .strictObject({
    id: z.string(),
    channel: z.string(),
    recipient: z.string(),
    state: z.enum(['owed', 'dismissed']),
  })
  .meta({ id: 'ChangedDelivery', description: 'A delivery that had been given up.' });

export const retryDelivery = action({
  name: 'retry',
  summary: 'Has a delivery tried again that was given up, under its id.',
  path: '/deliveries/:id/retry',
  tag: 'deliveries',
  status: 200,
  problems: ['not-found', 'not-given-up', 'later-sent', 'is-over', 'not-named'],
  body: NoBody,
  answer: DeliveryAnswer,
  answerOf: deliveryJson,
  check: (_body, { parameter }) => ({ change: { id: parameter('id') } }),
  addsRow: false,
  changesPolicy: false,
  apply: (sql, { id }, { at }) => retry(sql, id, at),
  announce: () => null,
  line: { kind: 'retried', words: 'tried again', about: 'delivery' },
  journal: deliveryLine,
  log: ({ id, channel }, { request }) => ['delivery:retried', { delivery: id, channel, by: request.actor }],
  after({ channel }, effects) {
    effects.retryChannel(channel);
  },
  notFound: noSuchDelivery,
});

export const dismissDelivery = action({
  name: 'dismiss',
  summary: 'Counts a delivery that was given up no more among those.',
  path: '/deliveries/:id/dismiss',
  tag: 'deliveries',
  status: 200,
  problems: ['not-found', 'not-given-up'],
  body: NoBody,
  answer: DeliveryAnswer,
  answerOf: deliveryJson,
  check: (_body, { parameter }) => ({ change: { id: parameter('id') } }),
  addsRow: false,
  changesPolicy: false,
  apply: (sql, { id }, { at }) => dismiss(sql, id, at),
  announce: () => null,
  line: { kind: 'dismissed', words: 'dismissed', about: 'delivery' },
  journal: deliveryLine,
  log: ({ id, channel }, { request }) => ['delivery:dismissed', { delivery: id, channel, by: request.actor }],
  notFound: noSuchDelivery,
});

function deliveryJson({ id, channel, recipient, state }: ChangedDelivery) {
  return { id, channel, recipient, state };
}

function deliveryLine({ id, channel, recipient }: ChangedDelivery): LineData {
  return { subject: id, data: { channel, recipient } };
}

function noSuchDelivery({ parameter }: ActionCall): string {
  return `There is no delivery ${quote(parameter('id'))}: \`chainwarden deliveries list\` shows the stored deliveries.`;
}
