// The chain of the sandbox in few lines: where each item stands after each command. Plain enough to be believed, and
// compared with the sandbox itself by `chain-log.test.ts`.
import { BLOCK_MS, isPlace, type Change, type Command, type Place, type PlaceTransfer } from '../commands.ts';
import { contractOf } from './chain.ts';
import type { Facts, Instant, Row, Span } from '../model.ts';

const GENESIS = Date.UTC(2026, 0, 1);

/** The newest block at that moment: it stands still while the chain is frozen. */
export function headAt(at: Instant, freezes: readonly Span[]): number {
  const frozen = freezes.find(({ from, to }) => from <= at && at < to);
  return Math.floor(((frozen?.from ?? at) - GENESIS) / BLOCK_MS);
}

/** When that block appears. */
export function appearsAt(height: number, freezes: readonly Span[]): Instant {
  const due = GENESIS + height * BLOCK_MS;
  return freezes.find(({ from, to }) => from < due && due < to)?.to ?? due;
}

interface Item {
  readonly place: Place;
  /** The head when it was placed. */
  readonly placedAt: number;
  /** `Infinity` while it waits without end; null when it is in no block any more. */
  readonly height: number | null;
  readonly facts: Facts;
}

/** One branch of the chain. */
export interface ChainModel {
  /** `head` is that of the moment of the command. */
  readonly apply: (command: Command, head: number) => void;
  /** How the chain shows a placed item while its head is there; null = not at all. A row without a block waits. */
  readonly rowOf: (id: string, head: number) => Row | null;
  readonly copy: () => ChainModel;
}

/** `names`: what placed items are called on the chain, by the id of their command. Without name: not placed at all. */
export function createChainModel(names: ReadonlyMap<string, string>): ChainModel {
  return modelOf(names, new Map(), new Set());
}

function modelOf(names: ReadonlyMap<string, string>, items: Map<string, Item>, hidden: Set<number>): ChainModel {
  function place(command: Place, head: number): void {
    if (!names.has(command.id)) return;
    items.set(command.id, { place: command, placedAt: head, height: heightOf(command, head), facts: factsOf(command) });
    if (command.do === 'call' && command.isHidden) hidden.add(head);
  }

  function change(command: Change, head: number): void {
    switch (command.do) {
      case 'reorganise':
        for (const [id, item] of items)
          items.set(id, reorganised(item, head - command.blocks + 1, head, command.isRemined));
        return;
      case 'reveal':
        hidden.delete(items.get(command.id)?.placedAt ?? -1);
        return;
      case 'drop':
        edit(command.id, (item) => ((item.height ?? 0) > head ? { ...item, height: null } : item));
        return;
      case 'end-otherwise':
        edit(command.id, (item) => ({ ...item, facts: callFacts(command.reason) }));
    }
  }

  function edit(id: string, to: (item: Item) => Item): void {
    const item = items.get(id);
    if (item !== undefined) items.set(id, to(item));
  }

  return {
    apply(command, head) {
      if (isPlace(command)) place(command, head);
      else change(command, head);
    },
    rowOf(id, head) {
      const item = items.get(id);
      const name = names.get(id);
      if (item === undefined || name === undefined || item.height === null) return null;
      if (item.height > head) return { id: name, block: null, facts: { ...item.facts, status: null } };
      if (item.place.do === 'call' && hidden.has(item.height)) return null;
      return { id: name, block: item.height, facts: item.facts };
    },
    copy: () => modelOf(names, new Map(items), new Set(hidden)),
  };
}

function heightOf(place: Place, head: number): number {
  if (place.do !== 'transaction' || place.waits === null) return head;
  return place.waits === 'for ever' ? Infinity : head + place.waits;
}

/** What is mined again stands in mirrored order; what is dropped, in no block. */
function reorganised(item: Item, from: number, to: number, isRemined: boolean): Item {
  const { height } = item;
  if (height === null || height < from || height > to) return item;
  return { ...item, height: isRemined ? from + to - height : null };
}

const WEI = '000000000000000000';

function factsOf(place: Place): Facts {
  if (place.do === 'call') return callFacts(place.reason);
  if (place.do === 'event') return eventFacts(place.event, place.args);
  if (place.do === 'transfer') return transferFacts(place);
  return { status: place.isFailed ? 'error' : 'ok', value: place.value === 0 ? '0' : `${place.value}${WEI}` };
}

function transferFacts({ token, from, to, value }: PlaceTransfer): Facts {
  const [moved, sender, receiver] = [token, from, to].map((name) => contractOf(name).toLowerCase());
  return { token: moved ?? null, from: sender ?? null, to: receiver ?? null, raw: String(value) };
}

/** The values of its arguments, by their places; an address in lower case. */
export function eventFacts(event: string, args: readonly string[]): Facts {
  return { event, ...Object.fromEntries(args.map((value, n) => [`arg${n}`, value.toLowerCase()])) };
}

function callFacts(reason: string | null): Facts {
  return { success: String(reason === null), error: reason };
}
