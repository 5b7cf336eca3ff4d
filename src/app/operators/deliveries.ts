// Deliveries that were given up, and channels that rest, as operators have them tried again.
import { hintFor } from '../../config/nearest.ts';
import { quote } from '../../config/scalars.ts';
import type { Changed } from '../../store/interventions.ts';
import type { DeliveryAnswer, Interventions, Result } from '../../web/api/operation.ts';
import type { Once, OnceOptions } from './once.ts';

export interface DeliveryCallsOptions extends OnceOptions {
  /** Those of the config in force, by name. */
  readonly channels: () => readonly string[];
  /** Something is due on it. It is tried even where the receiver had said that it is gone. */
  readonly onRetry: (channel: string) => void;
}

type Calls = Pick<Interventions, 'retryDelivery' | 'dismissDelivery' | 'retryChannel'>;

export function createDeliveryCalls(once: Once, { log, channels, onRetry }: DeliveryCallsOptions): Calls {
  const noSuchDelivery = (id: string): string =>
    `There is no delivery ${quote(id)}: \`chainwarden deliveries list\` shows those that are kept.`;

  return {
    retryDelivery: (delivery, operation) =>
      once(operation, {
        changes: 'delivery',
        check: () => ({ change: { type: 'retry', delivery } }),
        missing: noSuchDelivery(delivery),
        act({ channel }) {
          log.info('delivery:retried', { delivery, channel, by: operation.actor });
          onRetry(channel);
        },
      }).then(deliveryOf),
    dismissDelivery: (delivery, operation) =>
      once(operation, {
        changes: 'delivery',
        check: () => ({ change: { type: 'dismiss', delivery } }),
        missing: noSuchDelivery(delivery),
        act({ channel }) {
          log.info('delivery:dismissed', { delivery, channel, by: operation.actor });
        },
      }).then(deliveryOf),
    async retryChannel(channel, operation) {
      const hint = hintFor(channel, channels());
      const result = await once(operation, {
        changes: 'channel',
        check: () => (channels().includes(channel) ? { change: { type: 'retry-channel', channel } } : null),
        missing: [`There is no channel ${quote(channel)}.`, hint].filter(Boolean).join(' '),
        act({ deliveries }) {
          log.info('channel:retried', { channel, deliveries, by: operation.actor });
          onRetry(channel);
        },
      });
      return result.type === 'refused'
        ? result
        : { type: 'done', value: { channel, deliveries: result.value.deliveries } };
    },
  };
}

function deliveryOf(result: Result<Extract<Changed, { type: 'delivery' }>>): Result<DeliveryAnswer> {
  if (result.type === 'refused') return result;
  const { id, channel, recipient, state } = result.value;
  return { type: 'done', value: { id, channel, recipient, state } };
}
