// Writes down what happens in a run, in the words of the oracle.
import type { Delivery } from '../../src/core/model/delivery.ts';
import type { Decision } from '../../src/core/model/decision.ts';
import type { RecipientsOf, WatchId } from '../../src/core/model/ids.ts';
import type { AnyKind } from '../../src/core/model/watch/kind.ts';
import type { Memory } from '../../src/core/model/memory.ts';
import type { RoundResult } from '../../src/dispatch/model.ts';
import type { PollHook } from '../../src/engine/polling/poll.ts';
import type { VirtualTime } from './machine/clock.ts';
import type { ChainLog, Disturbance, Gap, Instant, Logs, Made, Poll, Served, Span, Taken } from './model.ts';
import { createOwedLog, type Waiting } from './owed-log.ts';

export interface Journal {
  readonly served: (served: Served) => void;
  readonly disturbed: (disturbance: Disturbance) => void;
  /** Writes down when polls begin and end. */
  readonly hook: PollHook;
  readonly kept: (decisions: readonly Decision[]) => void;
  readonly dispatched: (result: RoundResult, clockAt: Instant) => void;
  readonly taken: (delivery: Delivery, clockAt: Instant) => void;
  /** It is on disk that the message was taken over. */
  readonly sent: (id: string) => void;
  readonly lived: (life: Span) => void;
  readonly end: (chain: ChainLog, span: Span, left: Left) => Logs;
}

/** What was still to be told at the end. */
export interface Left {
  readonly deliveries: readonly Delivery[];
  readonly waiting: readonly Waiting[];
}

export function createJournal(time: VirtualTime, recipientsOf: RecipientsOf): Journal {
  const served: Served[] = [];
  const polls: Poll[] = [];
  const owed = createOwedLog(recipientsOf);
  const made: Made[] = [];
  const taken: Taken[] = [];
  const disturbances: Disturbance[] = [];
  const lives: Span[] = [];
  const stateById = new Map<WatchId, Memory['state']>();
  const lastPollById = new Map<WatchId, Poll>();
  const lastTaken = new Map<string, Taken>();
  return {
    served: (one) => served.push(one),
    disturbed: (one) => disturbances.push(one),
    hook: {
      onPoll({ watch: { id, rule, kind }, memory }, read) {
        const gaps = gapsOf(kind, memory.state);
        const poll: Poll = { watch: rule, startedAt: time.now(), decided: null, isKept: false, gaps };
        polls.push(poll);
        lastPollById.set(id, poll);
        return {
          read,
          settled(observation) {
            poll.decided = { at: time.now(), clockAt: observation.at };
            poll.isKept = true;
            poll.gaps = gapsOf(kind, stateById.get(id) ?? memory.state);
          },
        };
      },
    },
    kept(decisions) {
      const at = time.now();
      for (const { watchId, memory, transitions } of decisions) {
        stateById.set(watchId, memory.state);
        const poll = lastPollById.get(watchId);
        if (poll !== undefined) poll.isKept = true;
        owed.decided(watchId, transitions, at);
      }
    },
    dispatched(result, clockAt) {
      owed.made(result);
      for (const { target, kind } of result.batches)
        made.push({ at: time.now(), clockAt, recipient: `${target.channel}/${target.recipient}`, kind });
    },
    taken(delivery, clockAt) {
      const one: Taken = { at: time.now(), clockAt, id: delivery.id, ...owed.toldBy(delivery), knownAt: null };
      taken.push(one);
      lastTaken.set(one.id, one);
    },
    sent(id) {
      const last = lastTaken.get(id);
      if (last !== undefined) last.knownAt ??= time.now();
    },
    lived: (life) => lives.push(life),
    end(chain, span, { deliveries, waiting }) {
      const inOutbox = deliveries.flatMap((delivery) => owed.toldBy(delivery).tells.map((one) => one.owed));
      const stillOwed = new Set([...inOutbox, ...owed.among(waiting)]);
      return { span, chain, served, polls, owed: owed.all(chain), made, taken, stillOwed, disturbances, lives };
    },
  };
}

const HEIGHTS = /^blocks? (?:from )?(\d+)(?:-(\d+))?( on)?$/;

/** What `status` names as unread. */
function gapsOf(kind: AnyKind, state: Memory['state']): Gap[] {
  const unread = state === null ? [] : (kind.coverage?.(state).unread ?? []);
  return unread.map(({ heights }) => {
    const [, from, to = from, on] = HEIGHTS.exec(heights) ?? [];
    if (from === undefined) throw new Error(`no range of blocks: ${heights}`);
    return { from: Number(from), to: on === undefined ? Number(to) : Infinity };
  });
}
