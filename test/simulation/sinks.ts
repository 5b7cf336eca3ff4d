// Those who are told: they take a message over, now or after a while, or they do not, or nobody knows.
import type { Delivery, Outcome } from '../../src/core/model/delivery.ts';
import type { OpenNotifier } from '../../src/notifiers/notifier.ts';
import type { VirtualTime } from './clock.ts';
import type { FaultField } from './faults/field.ts';
import type { LifeLine } from './life-line.ts';
import type { FaultKind, Taken } from './model.ts';

const SLOW: ReadonlySet<FaultKind> = new Set(['slow-sink']);
const REFUSING: ReadonlySet<FaultKind> = new Set(['sink-5xx', 'sink-4xx']);
const UNKNOWN: ReadonlySet<FaultKind> = new Set(['sink-unknown']);

export interface SinkOptions {
  readonly line: LifeLine;
  readonly time: VirtualTime;
  readonly field: FaultField;
  readonly onTaken: (taken: Taken) => void;
}

export function createSink({ line, time, field, onTaken }: SinkOptions): Pick<OpenNotifier, 'send'> {
  async function send({ id }: Delivery): Promise<Outcome> {
    const slow = field.lasting(SLOW, time.now());
    if (slow !== null) await time.sleep(slow.amount);
    const refusing = field.lasting(REFUSING, time.now());
    if (refusing !== null) return { type: 'again', why: refusing.kind === 'sink-5xx' ? '503' : '410' };
    onTaken({ at: time.now(), id, knownAt: null });
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
  };
}
