// Writes down what was decided about alerts, as far as the oracle looks at it. Who is told of it is another oracle's.
import type { Fact, Message } from '../../src/core/model/delivery.ts';
import { idOf } from '../../src/core/model/watch/identity.ts';
import type { WatchId } from '../../src/core/model/ids.ts';
import type { Transition } from '../../src/core/model/transition.ts';
import { rawText } from '../../src/lib/untrusted.ts';
import type { ChainLog, Facts, Instant, Owed } from './model.ts';

export interface OwedLog {
  readonly decided: (watch: WatchId, transitions: readonly Transition[], at: Instant) => void;
  readonly all: (chain: ChainLog) => Owed[];
}

export function createOwedLog(): OwedLog {
  const committed: Committed[] = [];
  return {
    decided(watchId, transitions, at) {
      for (const { message } of transitions) {
        const { key, episode, seq } = message;
        committed.push({ at, watchId, id: idOf(key, episode, seq), message });
      }
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
  readonly id: string;
  readonly message: Message;
}

/** Whoever is told of it. */
export const EVERYBODY = 'all';

type ItemByKey = (of: Committed, key: string) => string | null;

/** What the key of an event stands for. Only its hash is in a summary, so all that is on the chain is tried. */
function createItemByKey({ items }: ChainLog): ItemByKey {
  const byAlert = new Map<string, ReadonlyMap<string, string>>();
  return ({ watchId, message }, key) => {
    const { alert, explorer } = message;
    const name = JSON.stringify([watchId, alert, explorer]);
    const keys =
      byAlert.get(name) ?? new Map(items.map(({ id, key = id }) => [idOf(watchId, alert, explorer, key), id]));
    byAlert.set(name, keys);
    return keys.get(key) ?? null;
  };
}

/** One for each member of a summary: it is told to them as much as a message of their own. */
function owedOf(committed: Committed, itemByKey: ItemByKey): Owed[] {
  const { at, id, message } = committed;
  const common = {
    at,
    clockAt: message.at,
    id,
    recipient: EVERYBODY,
    watch: message.watch,
    alert: message.alert,
    severity: message.severity,
    reason: message.reason,
    facts: factsOf(message),
    isOfSummary: message.summary !== null,
  };
  const { summary } = message;
  if (summary === null) {
    const item = itemOf(message) ?? itemByKey(committed, message.key);
    return [{ ...common, type: message.type, key: message.key, item }];
  }
  return summary.keys.map((key) => ({ ...common, type: summary.of, key, item: itemByKey(committed, key) }));
}

/** As in `Row`: a call, a transaction or block, a token. Null also of what its key alone tells from others. */
function itemOf({ fields }: Message): string | null {
  const { transaction_hash: carrier, index, hash, token, token_id: piece } = fields;
  if (carrier !== undefined) return index === undefined ? null : `${textOf(carrier)}:${textOf(index)}`;
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
