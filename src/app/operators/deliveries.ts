// Deliveries that were given up, and channels that rest, as operators have them tried again.
import { hintFor } from '../../config/values/nearest.ts';
import { quote } from '../../config/values/scalars.ts';
import type { OperatorChange, SampleTry } from '../../store/contract/operators.ts';
import type { DeliveryAnswer, Interventions, Result } from '../../web/api/operation.ts';
import type { Once, OnceOptions } from './once.ts';

export interface DeliveryCallsOptions extends OnceOptions {
  /** Those of the config in force, by name. */
  readonly channels: () => readonly string[];
  /** Something is due on it. It is tried even where the receiver had said that it is gone. */
  readonly onRetry: (channel: string) => void;
  /** Sends a sample to each recipient of the channel; how each try ended. */
  readonly sample: (channel: string) => Promise<readonly SampleTry[]>;
}

type Calls = Pick<Interventions, 'retryDelivery' | 'dismissDelivery' | 'retryChannel' | 'sampleChannel'>;

export function createDeliveryCalls(once: Once, { log, channels, onRetry, sample }: DeliveryCallsOptions): Calls {
  const noSuchDelivery = (id: string): string =>
    `There is no delivery ${quote(id)}: \`chainwarden deliveries list\` shows those that are kept.`;

  const noSuchChannel = (channel: string): string =>
    [`There is no channel ${quote(channel)}.`, hintFor(channel, channels())].filter(Boolean).join(' ');

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
      const result = await once(operation, {
        changes: 'channel',
        check: () => (channels().includes(channel) ? { change: { type: 'retry-channel', channel } } : null),
        missing: noSuchChannel(channel),
        act({ deliveries }) {
          log.info('channel:retried', { channel, deliveries, by: operation.actor });
          onRetry(channel);
        },
      });
      return result.type === 'refused'
        ? result
        : { type: 'done', value: { channel, deliveries: result.value.deliveries } };
    },
    async sampleChannel(channel, operation) {
      const result = await once(operation, {
        changes: 'sample',
        // It is sent before it is written down: what a crash loses in between is sent again with the repeated request.
        check: async () =>
          channels().includes(channel) ? { change: { type: 'sample', channel, tries: await sample(channel) } } : null,
        missing: noSuchChannel(channel),
        act({ tries }) {
          log.info('channel:sampled', { channel, tries, by: operation.actor });
        },
      });
      return result.type === 'refused' ? result : { type: 'done', value: { channel, tries: result.value.tries } };
    },
  };
}

function deliveryOf(result: Result<Extract<OperatorChange, { type: 'delivery' }>>): Result<DeliveryAnswer> {
  if (result.type === 'refused') return result;
  const { id, channel, recipient, state } = result.value;
  return { type: 'done', value: { id, channel, recipient, state } };
}
