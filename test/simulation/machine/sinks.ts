// Those who are told: they take a message over, now or after a while, or they do not, or nobody knows.
import { z } from 'zod';
import type { Delivery, Outcome } from '../../../src/core/model/delivery.ts';
import type { AnyNotifier, Notifier, OpenNotifier } from '../../../src/notifiers/notifier.ts';
import type { Clock, Instant } from '../../../src/lib/clock.ts';
import type { VirtualTime } from './clock.ts';
import type { FaultField } from '../faults/field.ts';
import type { LifeLine } from '../life-line.ts';
import type { FaultKind } from '../faults/kinds.ts';

const SLOW: ReadonlySet<FaultKind> = new Set(['slow-sink']);
const REFUSING: ReadonlySet<FaultKind> = new Set(['sink-5xx', 'sink-4xx']);
const UNKNOWN: ReadonlySet<FaultKind> = new Set(['sink-unknown']);
const GIVE_UP_AFTER_MS = 3 * 86_400_000;

export interface SinkOptions {
  /** Of the process that runs. */
  readonly line: () => LifeLine;
  readonly time: VirtualTime;
  readonly field: FaultField;
  readonly onTaken: (delivery: Delivery, clockAt: Instant) => void;
}

const SinkConfig = z.object({ to: z.array(z.string()).optional() });
type SinkConfig = z.output<typeof SinkConfig>;

/** The channel types `program` and `people`: one receiver, or those under `to:`. */
export function sinkNotifiers(options: SinkOptions): readonly AnyNotifier[] {
  return [
    sinkOf(options, { type: 'program', unit: 'alert', readBy: 'machines' }),
    sinkOf(options, { type: 'people', unit: 'group', readBy: 'people' }),
  ];
}

function sinkOf(options: SinkOptions, traits: Pick<AnyNotifier, 'type' | 'unit' | 'readBy'>): AnyNotifier {
  const sink: Notifier<SinkConfig> = {
    ...traits,
    summary: 'Receivers of the simulation.',
    idempotent: true,
    config: SinkConfig,
    secrets: [],
    giveUpAfterMs: GIVE_UP_AFTER_MS,
    recipients: ({ to }, channel) => to ?? [channel],
    warnings: () => [],
    open: (_to, { clock }) => openSink(options, clock),
  };
  return sink;
}

function openSink({ line: lineNow, time, field, onTaken }: SinkOptions, clock: Clock): OpenNotifier {
  const line = lineNow();

  async function send(delivery: Delivery): Promise<Outcome> {
    const slow = field.lasting(SLOW, time.now());
    if (slow !== null) await time.sleep(slow.amount);
    const refusing = field.lasting(REFUSING, time.now());
    if (refusing !== null) return { type: 'again', why: refusing.kind === 'sink-5xx' ? '503' : '410' };
    onTaken(delivery, clock.now());
    const isUnknown = field.strike(UNKNOWN, time.now(), null) !== null;
    return isUnknown ? { type: 'unknown', why: 'cut after the send' } : { type: 'sent', answer: '200' };
  }

  return {
    async send(delivery) {
      time.stir();
      await line.deed();
      const outcome = await send(delivery);
      await line.deed();
      return outcome;
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
