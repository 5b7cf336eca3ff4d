// Writes down what happens in a run, in the words of the oracle.
import type { Delivery, Fact, Message } from '../../src/core/model/delivery.ts';
import type { Decision } from '../../src/core/model/decision.ts';
import type { WatchId } from '../../src/core/model/ids.ts';
import type { AnyKind } from '../../src/core/model/kind.ts';
import type { Memory } from '../../src/core/model/memory.ts';
import type { PollHook } from '../../src/engine/poll.ts';
import { rawText } from '../../src/lib/untrusted.ts';
import type { VirtualTime } from './clock.ts';
import type { ChainLog, Disturbance, Facts, Gap, Instant, Logs, Owed, Poll, Served, Span, Taken } from './model.ts';

export interface Journal {
  readonly served: (served: Served) => void;
  readonly disturbed: (disturbance: Disturbance) => void;
  /** Writes down when polls begin and end. */
  readonly hook: PollHook;
  readonly kept: (decisions: readonly Decision[]) => void;
  readonly taken: (taken: Taken) => void;
  /** It is on disk that the message was taken over. */
  readonly sent: (id: string) => void;
  readonly lived: (life: Span) => void;
  readonly end: (chain: ChainLog, span: Span, stillOwed: ReadonlySet<string>) => Logs;
}

export function createJournal(time: VirtualTime): Journal {
  const served: Served[] = [];
  const polls: Poll[] = [];
  const owed: Owed[] = [];
  const taken: Taken[] = [];
  const disturbances: Disturbance[] = [];
  const lives: Span[] = [];
  const stateById = new Map<WatchId, Memory['state']>();
  const lastTaken = new Map<string, Taken>();
  return {
    served: (one) => served.push(one),
    disturbed: (one) => disturbances.push(one),
    hook: {
      onPoll({ watch: { id, rule, kind }, memory }, read) {
        const poll: Poll = { watch: rule, startedAt: time.now(), decided: null, gaps: gapsOf(kind, memory.state) };
        polls.push(poll);
        return {
          read,
          settled(observation) {
            poll.decided = { at: time.now(), clockAt: observation.at };
            poll.gaps = gapsOf(kind, stateById.get(id) ?? memory.state);
          },
        };
      },
    },
    kept(decisions) {
      for (const { watchId, memory } of decisions) stateById.set(watchId, memory.state);
      owed.push(...decisions.flatMap(({ deliveries }) => deliveries.map(owedOf(time.now()))));
    },
    taken(one) {
      taken.push(one);
      lastTaken.set(one.id, one);
    },
    sent(id) {
      const last = lastTaken.get(id);
      if (last !== undefined) last.knownAt ??= time.now();
    },
    lived: (life) => lives.push(life),
    end: (chain, span, stillOwed) => ({ span, chain, served, polls, owed, taken, stillOwed, disturbances, lives }),
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

function owedOf(at: Instant): (delivery: Delivery) => Owed {
  return ({ id, channel, recipient, message }) => ({
    at,
    clockAt: message.at,
    id,
    recipient: `${channel}/${recipient}`,
    watch: message.watch,
    alert: message.alert,
    type: message.type,
    key: message.key,
    item: itemOf(message),
    facts: factsOf(message),
    reason: message.reason,
  });
}

/** As in `Row`: a call, a transaction or block, a token. */
function itemOf({ fields }: Message): string | null {
  const { transaction_hash: carrier, index, hash, token, token_id: piece } = fields;
  if (carrier !== undefined && index !== undefined) return `${textOf(carrier)}:${textOf(index)}`;
  if (hash !== undefined) return textOf(hash);
  const address = typeof token === 'object' && 'record' in token ? token.record['address_hash'] : undefined;
  if (address === undefined) return null;
  return (piece === undefined ? textOf(address) : `${textOf(address)}/${textOf(piece)}`).toLowerCase();
}

function factsOf({ fields }: Message): Facts {
  return Object.fromEntries(Object.entries(fields).map(([name, fact]) => [name, textOf(fact)]));
}

function textOf(fact: Fact): string {
  if (typeof fact !== 'object') return String(fact);
  if ('text' in fact) return fact.text;
  return 'untrusted' in fact ? rawText(fact.untrusted) : JSON.stringify(fact);
}
