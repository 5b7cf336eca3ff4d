// One request of an operator, as it reaches the store, and what is stored of it.
import { z } from 'zod';
import type { JournalEntry } from '../../../src/core/journal/entry.ts';
import type { OperatorRequest, StoredAnswer } from '../../../src/store/contract/operators.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import * as calls from '../../support/store/operate.ts';
import type { Instant } from '../model.ts';
import type { OperatorChange } from '../people/log.ts';

export type OperatorAct = Extract<
  calls.Act,
  {
    readonly type: 'silence' | 'extend-silence' | 'end-silence' | 'ack' | 'ack-all' | 'end-ack' | 'pause' | 'end-pause';
  }
>;

export interface OperatorCall {
  /** The same for every try of it. */
  readonly id: string;
  readonly by: string;
  /** By the clock of the daemon. */
  readonly at: Instant;
  readonly change: OperatorAct;
}

interface Told {
  readonly store: Pick<Store, 'operate'>;
  /** The channels that are told of it. */
  readonly notify: () => readonly string[];
}

/** Rejects with a `StorageError`. */
export async function operate(
  { store, notify }: Told,
  { id, by, at, change }: OperatorCall,
): Promise<calls.OperatedEnd['type']> {
  const request: OperatorRequest = { key: id, asked: id, actor: by };
  const { type } = await calls.operate(store, change, request, { at, notify });
  return type;
}

const Time = z.string().transform((text) => Date.parse(text));

const SilenceAnswer = z.object({
  id: z.string(),
  matchers: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  from: Time,
  until: Time,
  until_resolved: z.boolean(),
});

export const PauseAnswer = z.object({ watch: z.string(), until: Time });

export const AckAnswer = z.object({ key: z.string(), episode: z.number(), seq: z.number(), at: Time, until: Time });

/** What the store kept, in the words of the oracle for people; null: nothing that it is told. */
export function keptChange({ action, answer }: StoredAnswer, replaces: boolean): OperatorChange | null {
  switch (action) {
    case 'silence':
    case 'extend-silence':
    case 'end-silence':
      return silenceChange(action, SilenceAnswer.parse(answer));
    case 'ack': {
      const { key, episode, seq, until } = AckAnswer.parse(answer);
      return { type: 'ack', key, episode, seq, untilClock: until, replaces };
    }
    case 'end-ack': {
      const { key, episode } = AckAnswer.parse(answer);
      return { type: 'ack-withdrawn', key, episode };
    }
    case 'pause': {
      const { watch, until } = PauseAnswer.parse(answer);
      return { type: 'pause', watch, untilClock: until };
    }
    case 'end-pause':
      return { type: 'pause-ended', watch: PauseAnswer.parse(answer).watch };
    default:
      return null;
  }
}

const AckLine = z.object({ episode: z.number(), seq: z.number(), until: Time });

/** All that was acknowledged at once, as the journal has it: the answer counts it only. */
export function ackedInLines(lines: readonly JournalEntry[]): OperatorChange[] {
  return lines.map(({ subject, data }) => {
    const { episode, seq, until } = AckLine.parse(data);
    return { type: 'ack', key: subject, episode, seq, untilClock: until, replaces: false };
  });
}

function silenceChange(action: string, silence: z.output<typeof SilenceAnswer>): OperatorChange {
  const { id, matchers, from, until, until_resolved: untilResolved } = silence;
  if (action === 'end-silence') return { type: 'silence-ended', id };
  if (action === 'extend-silence') return { type: 'silence-extended', id, untilClock: until };
  return { type: 'silence', id, matches: matchers, fromClock: from, untilClock: until, untilResolved };
}
