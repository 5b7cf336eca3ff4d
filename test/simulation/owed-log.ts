// Writes down what is owed to whom, worked out from what was decided, and what each message tells of it. The dispatcher
// decides in between when, together with what, and what is overtaken: that is for the oracle to judge.
import type { Delivery, Fact, Message } from '../../src/core/model/delivery.ts';
import { deliveryId, idOf } from '../../src/core/model/watch/identity.ts';
import type { Recipient, RecipientsOf, WatchId } from '../../src/core/model/ids.ts';
import { isBegin, nameOfTransition, type Transition } from '../../src/core/model/transition.ts';
import type { DeliveryBatch, RoundResult, Withdrawal } from '../../src/dispatch/model.ts';
import { rawText } from '../../src/lib/untrusted.ts';
import type { ChainLog, Facts, Instant, Owed, Taken, Telling } from './model.ts';

/** Transitions of one alert that the dispatcher had still to tell: `from` < seq <= `to`. */
export interface Waiting {
  readonly key: string;
  readonly from: number;
  readonly to: number;
  /** Null: nobody was chosen for them. */
  readonly target: Recipient | null;
}

export interface OwedLog {
  readonly decided: (watch: WatchId, transitions: readonly Transition[], at: Instant) => void;
  /** A message lists only some of what it is about, and counts the rest. */
  readonly made: (result: Pick<RoundResult, 'batches' | 'withdrawn'>) => void;
  readonly toldBy: (delivery: Delivery) => Pick<Taken, 'recipient' | 'says' | 'tells'>;
  /** Ids of what is owed. */
  readonly among: (waiting: readonly Waiting[]) => readonly string[];
  readonly all: (chain: ChainLog) => Owed[];
}

export function createOwedLog(recipientsOf: RecipientsOf): OwedLog {
  const committed: Committed[] = [];
  const idByPlace = new Map<string, string>();
  const batchById = new Map<string, DeliveryBatch>();
  const hearers = createHearers(recipientsOf);

  const idAt = (key: string, seq: number, to: Recipient): string =>
    idByPlace.get(placeOf(key, seq, to)) ?? `${key} ${seq} was never owed`;

  return {
    decided(watchId, transitions, at) {
      for (const transition of transitions)
        for (const { channel, recipient } of hearers.of(transition)) {
          const { message } = transition;
          const to = { channel, recipient };
          const id = deliveryId(message.key, message, to);
          idByPlace.set(placeOf(message.key, message.seq, to), id);
          committed.push({ at, watchId, id, to, message });
        }
    },
    made({ batches, withdrawn }) {
      for (const one of withdrawn)
        for (const [id, batch] of batchById)
          if (isSame(batch.target, one.target)) batchById.set(id, withoutWithdrawn(batch, one));
      for (const batch of batches) batchById.set(batch.id, batch);
    },
    toldBy(delivery) {
      const { id, members, more } = delivery;
      const listed = members.map(({ message, as }): Telling => ({
        owed: idAt(message.key, message.seq, delivery),
        as,
      }));
      const all = batchById
        .get(id)
        ?.members.map(({ key, seq, as }): Telling => ({ owed: idAt(key, seq, delivery), as }));
      const tells = new Map([...(all ?? []), ...listed].map((one) => [one.owed, one]));
      const counted = more.reduce((sum, { count }) => sum + count, 0);
      return { recipient: nameOf(delivery), says: listed.length + counted, tells: [...tells.values()] };
    },
    among(waiting) {
      const byKey = Map.groupBy(waiting, ({ key }) => key);
      return committed.flatMap(({ id, to, message: { key, seq } }) =>
        (byKey.get(key) ?? []).some((one) => isFor(one, to) && one.from < seq && seq <= one.to) ? [id] : [],
      );
    },
    all(chain) {
      const itemByKey = createItemByKey(chain);
      return committed.flatMap((one) => owedOf(one, itemByKey));
    },
  };
}

interface Committed {
  readonly at: Instant;
  readonly watchId: WatchId;
  /** As that of a message about nothing else. */
  readonly id: string;
  readonly to: Recipient;
  readonly message: Message;
}

function placeOf(key: string, seq: number, { channel, recipient }: Recipient): string {
  return JSON.stringify([key, seq, channel, recipient]);
}

function isFor({ target }: Waiting, to: Recipient): boolean {
  return target === null || isSame(target, to);
}

function isSame(one: Recipient, other: Recipient): boolean {
  return one.channel === other.channel && one.recipient === other.recipient;
}

/** Of what was never tried. What was is not withdrawn. */
function withoutWithdrawn(batch: DeliveryBatch, { key, from }: Withdrawal): DeliveryBatch {
  const isLeft = (member: DeliveryBatch['members'][number]): boolean => member.key !== key || member.seq < from;
  return batch.members.every(isLeft) ? batch : { ...batch, members: batch.members.filter(isLeft) };
}

function nameOf({ channel, recipient }: Recipient): string {
  return `${channel}/${recipient}`;
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

type ItemByKey = (of: Committed, key: string) => string | null;

/** What the key of an event stands for. Only its hash is in a summary, so all that is on the chain is tried. */
function createItemByKey({ items }: ChainLog): ItemByKey {
  const byAlert = new Map<string, ReadonlyMap<string, string>>();
  return ({ watchId, message }, key) => {
    const { alert, explorer } = message;
    const name = JSON.stringify([watchId, alert, explorer]);
    const keys = byAlert.get(name) ?? new Map(items.map(({ id }) => [idOf(watchId, alert, explorer, id), id]));
    byAlert.set(name, keys);
    return keys.get(key) ?? null;
  };
}

/** One for each member of a summary: it is told to them as much as a message of their own. */
function owedOf(committed: Committed, itemByKey: ItemByKey): Owed[] {
  const { at, id, to, message } = committed;
  const common = {
    at,
    clockAt: message.at,
    id,
    recipient: nameOf(to),
    watch: message.watch,
    alert: message.alert,
    reason: message.reason,
    facts: factsOf(message),
    isOfSummary: message.summary !== null,
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
