// Writes down what receivers were sent, in the words of the oracle for people.
import type { Attempt, Delivery, Message } from '../../../src/core/model/delivery.ts';
import { isBegin, nameOfTransition } from '../../../src/core/model/transition.ts';
import type { BatchMember, DeliveryBatch, Overtaken, RoundResult, Withdrawal } from '../../../src/dispatch/model.ts';
import type { HeldMember } from '../../../src/dispatch/first-try.ts';
import type { Instant } from '../model.ts';
import type {
  Channel,
  CommittedTransition,
  Incident,
  Try,
  TryMember,
  TryOutcome,
  UntriedMessage,
} from '../people/log.ts';

/** A try that has begun. */
export interface BegunTry {
  /** The receiver has it. */
  readonly took: () => void;
  readonly ended: (outcome: TryOutcome) => void;
}

export interface TryLog {
  /** Messages were made, and lines were taken out of others. The members of a large one come in several commits. */
  readonly made: (result: Pick<RoundResult, 'batches' | 'withdrawn' | 'overtaken'>) => void;
  readonly begun: (delivery: Delivery, attempt: Attempt, kind: Channel['kind']) => BegunTry;
  /** Before its first try lines were taken out of it, and are owed again. */
  readonly putBack: (id: string, held: readonly HeldMember[]) => void;
  /** It is in the store how the try ended: gives the keys of what it told of. */
  readonly settled: (id: string, attempt: number) => readonly string[];
  readonly all: () => readonly Try[];
  readonly untried: () => readonly UntriedMessage[];
}

interface Closing {
  readonly at: Instant;
  readonly batch: DeliveryBatch;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Of = Pick<CommittedTransition, 'key' | 'seq'>;

export function createTryLog(now: () => Instant, transitionOf: (of: Of) => CommittedTransition | undefined): TryLog {
  const tries: Mutable<Try>[] = [];
  const lastById = new Map<string, Mutable<Try>>();
  /** Never tried so far. */
  const untried = new Map<string, DeliveryBatch>();
  const tried = new Map<string, DeliveryBatch>();
  /** As they were closed. */
  const closed = new Map<string, Closing>();
  const putBack: Closing[] = [];

  function membersOf({ id, members }: Delivery): TryMember[] {
    const listed = members.map(({ message, ...how }) =>
      memberOf({ ...message, type: nameOfTransition(message), count: message.summary?.count ?? 1 }, how),
    );
    const names = new Set(listed.map(nameOf));
    const counted = (tried.get(id)?.members ?? []).filter((one) => !names.has(nameOf(one)));
    return [...listed, ...counted.flatMap((one) => countedMember(one, transitionOf(one)))];
  }

  function untriedOf({ at, batch: { target, kind, members } }: Closing): Omit<UntriedMessage, 'isPutBack'> {
    return { target, kind, closedAt: at, members: members.flatMap((one) => countedMember(one, transitionOf(one))) };
  }

  return {
    made({ batches, withdrawn, overtaken }) {
      for (const one of [untried, tried]) {
        for (const withdrawal of withdrawn) withdraw(one, withdrawal);
        for (const alert of overtaken) withdrawRepeats(one, alert);
      }
      for (const { target, key } of overtaken)
        leave(untried, target, (one) => one.key === key && WITHIN.has(transitionOf(one)?.type ?? 'event'));
      for (const share of batches) {
        const batch = { ...share, members: [...(untried.get(share.id)?.members ?? []), ...share.members] };
        untried.set(batch.id, batch);
        closed.set(batch.id, { at: now(), batch });
      }
    },
    putBack(id, held) {
      const before = untried.get(id);
      const closing = closed.get(id);
      if (before === undefined || closing === undefined) return;
      for (const { key, seq: from } of held) withdraw(untried, { target: before.target, key, from, as: 'cancelled' });
      const left = new Set((untried.get(id)?.members ?? []).map(nameOf));
      const members = before.members.filter((member) => !left.has(nameOf(member)));
      putBack.push({ at: closing.at, batch: { ...before, members } });
      if (left.size === 0) closed.delete(id);
    },
    begun(delivery, attempt, kind) {
      const { id, channel, recipient, more } = delivery;
      const batch = untried.get(id);
      if (batch !== undefined) tried.set(id, batch);
      const closing = closed.get(id);
      const before = lastById.get(id);
      const closedMembers = closing?.batch.members.map(({ key, seq }) => ({ key, seq })) ?? before?.closedMembers ?? [];
      untried.delete(id);
      closed.delete(id);
      const one: Mutable<Try> = {
        id,
        target: { channel, recipient },
        attempt: attempt.number,
        kind: delivery.kind,
        closedClock: delivery.at,
        closedAt: closing?.at ?? before?.closedAt ?? null,
        closedMembers,
        members: membersOf(delivery),
        more: more.map((line) => ({ ...line, type: typeOf(line.type) })),
        marks: { maybeCopy: attempt.maybeCopy, fromMemory: attempt.unrecorded === true },
        incident: kind === 'pager' ? incidentOf(delivery.members[0].message) : null,
        begunAt: now(),
        endedAt: null,
        outcome: { type: 'unknown', took: false },
        knownAt: null,
      };
      tries.push(one);
      lastById.set(id, one);
      return {
        took() {
          one.outcome = { type: 'unknown', took: true };
        },
        ended(outcome) {
          one.endedAt = now();
          one.outcome = outcome;
        },
      };
    },
    settled(id, attempt) {
      const last = lastById.get(id);
      if (last?.attempt === attempt && last.endedAt !== null) last.knownAt ??= now();
      return last?.members.map(({ key }) => key) ?? [];
    },
    untried: () => [
      ...putBack.map((one) => ({ ...untriedOf(one), isPutBack: true })),
      ...[...closed.values()].map((one) => ({ ...untriedOf(one), isPutBack: false })),
    ],
    // Two receivers that are told at one moment are told in no order.
    all: () => tries.toSorted((a, b) => a.begunAt - b.begunAt || orderOf(a, b)),
  };
}

function orderOf({ target: one }: Try, { target: other }: Try): number {
  const [a, b] = [`${one.channel}/${one.recipient}`, `${other.channel}/${other.recipient}`];
  return a < b ? -1 : a > b ? 1 : 0;
}

function nameOf({ key, seq }: Of): string {
  return `${key} ${seq}`;
}

function withdraw(batches: Map<string, DeliveryBatch>, { target, key, from }: Withdrawal): void {
  leave(batches, target, (member) => member.key === key && member.seq >= from);
}

/** Between the begin and the end of an alert. */
const WITHIN: ReadonlySet<CommittedTransition['type']> = new Set(['firing', 'corrected']);

/** Its end is told: what was tried and not taken over need not be repeated any more. */
function withdrawRepeats(batches: Map<string, DeliveryBatch>, { target, key }: Overtaken): void {
  leave(batches, target, (member) => member.key === key && member.as === 'repeat');
}

function leave(
  batches: Map<string, DeliveryBatch>,
  target: DeliveryBatch['target'],
  isOut: (member: BatchMember) => boolean,
): void {
  for (const [id, batch] of batches) {
    const isTarget = batch.target.channel === target.channel && batch.target.recipient === target.recipient;
    if (isTarget && batch.members.some(isOut))
      batches.set(id, { ...batch, members: batch.members.filter((member) => !isOut(member)) });
  }
}

/** What was never decided is in no list. */
function countedMember({ as, heldAt }: BatchMember, transition: CommittedTransition | undefined): readonly TryMember[] {
  if (transition === undefined) return [];
  const told = { ...transition, reason: null, count: transition.foldedKeys?.length ?? 1 };
  return [{ ...memberOf(told, { as, heldAt, renewed: null }), isListed: false }];
}

interface InMessage extends Pick<TryMember, 'as'> {
  readonly heldAt: Instant | null;
  /** Why it is told once more; null: it is not. */
  readonly renewed: { readonly why: string } | null;
}

/** A line of a message that lists it. */
export function memberOf(
  told: Omit<TryMember, 'as' | 'isListed' | 'heldSinceClock'>,
  { as, heldAt, renewed }: InMessage,
): TryMember {
  const { key, episode, seq, watch, alert, type, severity, reason, count } = told;
  return {
    key,
    episode,
    seq,
    watch,
    alert,
    type,
    severity,
    as,
    isListed: true,
    heldSinceClock: heldAt,
    reason: as === 'repeat' || renewed?.why !== 'called' ? (renewed?.why ?? reason) : reason,
    count,
  };
}

function typeOf(type: Message['type']): TryMember['type'] {
  return nameOfTransition({ type, summary: null });
}

/** A message that is no end triggers: a second trigger of an incident that is open changes nothing. */
function incidentOf(message: Message): Incident {
  const name = nameOfTransition(message);
  const isEnd = !isBegin(name) && (name === 'resolved' || name === 'retracted');
  return { action: isEnd ? 'resolve' : 'trigger', key: message.key };
}
