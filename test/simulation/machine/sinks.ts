// Those who are told: they take a message over, now or after a while, or they do not, or nobody knows.
import { z } from 'zod';
import type { Attempt, Delivery, Outcome } from '../../../src/core/model/delivery.ts';
import type { AnyNotifier, Notifier, NotifierTools, OpenNotifier } from '../../../src/notifiers/notifier.ts';
import type { VirtualTime } from './clock.ts';
import type { FaultField } from '../faults/field.ts';
import type { LifeLine } from '../life-line.ts';
import type { Channel } from '../people/log.ts';
import { baseOf } from '../scenes/channel-edits.ts';
import { GIVE_UP } from '../scenes/first-version.ts';
import type { BegunTry } from '../scenes/tries.ts';
import { createReceivers, type Receivers } from './receivers.ts';

export interface SinkOptions {
  /** Of the process that runs. */
  readonly line: () => LifeLine;
  readonly time: VirtualTime;
  readonly field: FaultField;
  readonly onTry: (delivery: Delivery, attempt: Attempt, kind: Channel['kind']) => BegunTry;
}

const SinkConfig = z.object({ to: z.array(z.string()).optional() });
type SinkConfig = z.output<typeof SinkConfig>;

/** The channel types `program`, `pager` and `people`: one receiver, or those under `to:`. */
export function sinkNotifiers(options: SinkOptions): readonly AnyNotifier[] {
  const receivers = createReceivers(options.field);
  return [
    sinkOf(options, receivers, { type: 'program', unit: 'alert', readBy: 'machines' }),
    sinkOf(options, receivers, { type: 'pager', unit: 'alert', readBy: 'machines' }),
    sinkOf(options, receivers, { type: 'people', unit: 'group', readBy: 'people' }),
  ];
}

interface Traits extends Pick<AnyNotifier, 'unit' | 'readBy'> {
  readonly type: Channel['kind'];
}

function sinkOf(options: SinkOptions, receivers: Receivers, traits: Traits): AnyNotifier {
  const sink: Notifier<SinkConfig> = {
    ...traits,
    summary: 'Receivers of the simulation.',
    idempotent: true,
    config: SinkConfig,
    secrets: [],
    giveUpAfterMs: GIVE_UP.afterMs,
    recipients: ({ to }, channel) => to ?? [channel],
    warnings: () => [],
    open: (_to, tools) => openSink(options, receivers, traits.type, tools),
  };
  return sink;
}

function openSink(
  { line: lineNow, time, onTry }: SinkOptions,
  receivers: Receivers,
  kind: Channel['kind'],
  { channel }: NotifierTools,
): OpenNotifier {
  const line = lineNow();
  const receiver = baseOf(channel);

  async function send(delivery: Delivery, begun: BegunTry): Promise<Outcome> {
    const slow = receivers.slowness(receiver, time.now());
    if (slow > 0) await time.sleep(slow);
    const answer = receivers.answerTo(receiver, delivery.id, time.now());
    if (answer.took) begun.took();
    await line.deed();
    begun.ended(answer.logged);
    return answer.outcome;
  }

  const open: OpenNotifier = {
    async send(delivery, attempt) {
      time.stir();
      await line.deed();
      return send(delivery, onTry(delivery, attempt, kind));
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  if (kind !== 'pager') return open;
  return {
    ...open,
    async acknowledge() {
      time.stir();
      await line.deed();
      return receivers.answerTo(receiver, null, time.now()).outcome;
    },
  };
}
