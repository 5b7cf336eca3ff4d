// Actions on channels: one sends the waiting messages at once, the other sends a sample to show whether the channel
// works.
import { z } from 'zod';
import { hintFor } from '../config/values/nearest.ts';
import { quote } from '../config/values/scalars.ts';
import { Count } from '../core/values/answer-shapes.ts';
import { retryChannel as retryWaiting } from '../store/tables/deliveries/dead-deliveries.ts';
import { action, type ActionCall, type OperatorWorld, type SampleTry } from './action.ts';
import { NoBody } from './shapes.ts';

const ChannelAnswer = z
  .strictObject({ channel: z.string(), deliveries: Count.describe('The number of messages that are tried now.') })
  .meta({ id: 'ChangedChannel', description: 'A channel whose messages are tried now.' });

const SampleAnswer = z
  .strictObject({
    channel: z.string(),
    tries: z.array(
      z.strictObject({
        recipient: z.string(),
        outcome: z.enum(['sent', 'again', 'rejected', 'unknown']),
        answer: z.string().describe('The answer of the server, or the reason why there was none.'),
      }),
    ),
  })
  .meta({ id: 'Sample', description: 'The result of a sample, by recipient. It is not tried again.' });

interface SampledChannel {
  readonly channel: string;
  readonly tries: readonly SampleTry[];
}

export const retryChannel = action({
  name: 'retry-channel',
  summary: 'Tries the waiting messages of a channel now.',
  path: '/channels/:name/retry',
  tag: 'deliveries',
  status: 200,
  problems: ['not-found'],
  body: NoBody,
  answer: ChannelAnswer,
  answerOf: (done: z.output<typeof ChannelAnswer>) => done,
  check(_body, { parameter }, world) {
    const channel = parameter('name');
    return world.channels().includes(channel) ? { change: { channel } } : null;
  },
  addsRow: false,
  changesPolicy: false,
  apply: async (sql, { channel }, { at }) => ({ channel, deliveries: await retryWaiting(sql, channel, at) }),
  announce: () => null,
  line: { kind: 'retried', words: 'tried again', about: 'delivery' },
  journal: ({ channel, deliveries }) => ({ subject: `channel:${channel}`, data: { deliveries } }),
  log: ({ channel, deliveries }, { request }) => ['channel:retried', { channel, deliveries, by: request.actor }],
  after({ channel }, effects) {
    effects.retryChannel(channel);
  },
  notFound: noSuchChannel,
});

export const sampleChannel = action({
  name: 'sample',
  summary: 'Sends one sample to each recipient of a channel, and returns the answers.',
  path: '/channels/:name/sample',
  tag: 'deliveries',
  status: 200,
  problems: ['not-found'],
  body: NoBody,
  answer: SampleAnswer,
  answerOf: ({ channel, tries }: SampledChannel) => ({ channel, tries: [...tries] }),
  /** The sample is sent before it is stored: after a crash in between, the repeated request sends it again. */
  async check(_body, { parameter }, world) {
    const channel = parameter('name');
    if (!world.channels().includes(channel)) return null;
    return { change: { channel, tries: await world.sample(channel) } };
  },
  addsRow: false,
  changesPolicy: false,
  /** The sample was sent already: only its line and its answer are stored. */
  apply: async (_sql, change: SampledChannel) => change,
  announce: () => null,
  line: { kind: 'sampled', words: 'sample sent', about: 'delivery' },
  journal: ({ channel, tries }) => ({
    subject: `channel:${channel}`,
    data: {
      channel,
      text: tries.map(({ recipient, outcome, answer }) => `${recipient}: ${outcome}: ${answer}`).join('; '),
    },
  }),
  log: ({ channel, tries }, { request }) => ['channel:sampled', { channel, tries, by: request.actor }],
  notFound: noSuchChannel,
});

function noSuchChannel({ parameter }: ActionCall, world: OperatorWorld): string {
  const channel = parameter('name');
  return [`There is no channel ${quote(channel)}.`, hintFor(channel, world.channels())].filter(Boolean).join(' ');
}
