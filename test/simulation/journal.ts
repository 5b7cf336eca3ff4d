// Writes down what happens in a run, in the words of the oracle.
import type { SingleDelivery } from '../../src/core/alerts/overflow.ts';
import type { Fact, Message } from '../../src/core/model/delivery.ts';
import type { Decision } from '../../src/core/model/decision.ts';
import { deliveryId, idOf } from '../../src/core/model/identity.ts';
import type { Recipient, RecipientsOf, WatchId } from '../../src/core/model/ids.ts';
import type { AnyKind } from '../../src/core/model/kind.ts';
import type { Memory } from '../../src/core/model/memory.ts';
import { isBegin, nameOfTransition, type Transition } from '../../src/core/model/transition.ts';
import type { DueRound } from '../../src/dispatch/due-round.ts';
import type { RoundResult } from '../../src/dispatch/model.ts';
import type { PollHook } from '../../src/engine/polling/poll.ts';
import { rawText } from '../../src/lib/untrusted.ts';
import type { VirtualTime } from './clock.ts';
import type { ChainLog, Disturbance, Facts, Gap, Instant, Logs, Owed, Poll, Served, Span, Taken } from './model.ts';

export interface Journal {
  readonly served: (served: Served) => void;
  readonly disturbed: (disturbance: Disturbance) => void;
  /** Writes down when polls begin and end. */
  readonly hook: PollHook;
  readonly kept: (decisions: readonly Decision[]) => void;
  readonly dispatched: (round: DueRound, result: RoundResult) => void;
  readonly taken: (taken: Taken) => void;
  /** It is on disk that the message was taken over. */
  readonly sent: (id: string) => void;
  readonly lived: (life: Span) => void;
  readonly end: (chain: ChainLog, span: Span, stillOwed: ReadonlySet<string>) => Logs;
}

export function createJournal(time: VirtualTime, recipientsOf: RecipientsOf): Journal {
  const served: Served[] = [];
  const polls: Poll[] = [];
  const deliveries: Committed[] = [];
  const hearers = createHearers(recipientsOf);
  const made = new Set<string>();
  const cancelled = new Set<string>();
  const ofAlert = ({ channel, recipient }: Recipient, key: string): SingleDelivery[] =>
    deliveries
      .map(({ delivery }) => delivery)
      .filter((one) => one.channel === channel && one.recipient === recipient && one.message.key === key);
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
        for (const transition of transitions) {
          const { message } = transition;
          for (const to of hearers.of(transition))
            deliveries.push({ at, watchId, delivery: { id: deliveryId(message.key, message, to), ...to, message } });
        }
      }
    },
    dispatched({ groups }, { batches, states, withdrawn }) {
      for (const { id } of batches) made.add(id);
      for (const { target, key, from } of withdrawn)
        for (const delivery of ofAlert(target, key)) if (delivery.message.seq >= from) cancelled.add(delivery.id);
      for (const { id, target } of groups)
        for (const [key, { closed }] of states.get(id) ?? [])
          for (const delivery of ofAlert(target, key))
            if (delivery.message.seq <= closed && !made.has(delivery.id)) cancelled.add(delivery.id);
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
    end(chain, span, stillOwed) {
      const itemOf = createItemByKey(chain);
      const owed = deliveries.flatMap((one) => owedOf(one, itemOf));
      return { span, chain, served, polls, owed, taken, stillOwed, cancelled, disturbances, lives };
    },
  };
}

/** Who is to hear of a transition: those of its rule's channels, then those who heard the begin. */
function createHearers(recipientsOf: RecipientsOf): { of(transition: Transition): readonly Recipient[] } {
  const byKey = new Map<string, { readonly all: readonly Recipient[]; readonly isOpen: boolean }>();
  return {
    of({ message, notify }) {
      const name = nameOfTransition(message);
      const keys = message.summary?.keys ?? [message.key];
      const known = distinct(keys.flatMap((key) => byKey.get(key)?.all ?? []));
      if (!isBegin(name)) {
        if (name === 'resolved') for (const key of keys) byKey.set(key, { all: known, isOpen: false });
        return known;
      }
      const told = notify.flatMap((channel) => recipientsOf(channel) ?? []);
      for (const key of keys) {
        const goesOn = byKey.get(key)?.isOpen === true;
        byKey.set(key, { all: goesOn ? distinct([...known, ...told]) : told, isOpen: name === 'firing' });
      }
      return told;
    },
  };
}

function distinct(recipients: readonly Recipient[]): Recipient[] {
  return [...new Map(recipients.map((one) => [`${one.channel} ${one.recipient}`, one])).values()];
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

interface Committed {
  readonly at: Instant;
  readonly watchId: WatchId;
  readonly delivery: SingleDelivery;
}

type ItemByKey = (of: Committed, key: string) => string | null;

/** What the key of an event stands for. Only its hash is in a summary, so all that is on the chain is tried. */
function createItemByKey({ items }: ChainLog): ItemByKey {
  const byAlert = new Map<string, ReadonlyMap<string, string>>();
  return ({ watchId, delivery: { message } }, key) => {
    const { alert, explorer } = message;
    const name = JSON.stringify([watchId, alert, explorer]);
    const keys = byAlert.get(name) ?? new Map(items.map(({ id }) => [idOf(watchId, alert, explorer, id), id]));
    byAlert.set(name, keys);
    return keys.get(key) ?? null;
  };
}

/** One for each member of a summary: it is told to them as much as a message of their own. */
function owedOf(committed: Committed, itemByKey: ItemByKey): Owed[] {
  const { at, delivery } = committed;
  const { id, channel, recipient, message } = delivery;
  const common = {
    at,
    clockAt: message.at,
    id,
    recipient: `${channel}/${recipient}`,
    watch: message.watch,
    alert: message.alert,
    reason: message.reason,
    facts: factsOf(message),
  };
  const { summary } = message;
  if (summary === null) return [{ ...common, type: message.type, key: message.key, item: itemOf(message) }];
  return summary.keys.map((key) => ({ ...common, type: summary.of, key, item: itemByKey(committed, key) }));
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
