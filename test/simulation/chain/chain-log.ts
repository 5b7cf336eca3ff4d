// What was true on the chain and when, worked out from the commands: neither from what a replica answered, nor from
// what the daemon made of it.
import { addressOf, contractOf, createReplica } from './chain.ts';
import { eventsOf } from '../rules.ts';
import { keyOfEvent, keyOfTransfer } from './daemon-keys.ts';
import { createChainModel, headAt, type ChainModel } from './chain-model.ts';
import { BLOCK_MS, inOrder, isPlace, type Change, type Command, type Place } from '../commands.ts';
import { commandsAt, momentsOf, type Fork, type Moment, type Script } from './script.ts';
import type { ChainItem, ChainLog, Facts, Instant, Reorganisation, Row, Span, Stay, Step } from '../model.ts';
import { TOKENS } from '../../../src/sandbox/names.ts';
import { valueLogOf } from './value-log.ts';

export function chainLogOf(script: Script, until: Instant): ChainLog {
  const replica = createReplica(script.seed, commandsAt(script, until), script.start);
  replica.advance(until);
  const names = new Map(
    [...replica.placedById].map(([id, { hash, index }]) => [id, index === null ? hash : `${hash}:${index}`]),
  );
  const freezes = freezesOf(script.commands, until);
  const { stays, reorganisations } = follow(script, until, createChainModel(names), freezes);
  const placed = script.commands.filter(isPlace);
  return {
    items: placed.flatMap((place) => {
      const name = names.get(place.id);
      return name === undefined ? [] : itemsOf(place, name, stays.get(place.id) ?? []);
    }),
    reorganisations,
    freezes,
    ...valuesOf(script.commands),
    values: valueLogOf(script, until, freezes),
  };
}

/** Lives through everything in order, and notes after each moment what the chain shows. */
function follow(script: Script, until: Instant, start: ChainModel, freezes: readonly Span[]) {
  const ids = script.commands.filter(isPlace).map(({ id }) => id);
  const stays = createStays(ids);
  const reorganisations: Reorganisation[] = [];
  let chain = start;
  let branch: ChainModel | null = null;
  for (const moment of momentsOf(script, until, freezes)) {
    const head = headAt(moment.at, freezes);
    switch (moment.type) {
      case 'command':
        chain.apply(moment.command, head);
        branch?.apply(moment.command, head);
        if (moment.command.do === 'reorganise') reorganisations.push(replacedBy(moment.command, moment.at, head));
        break;
      case 'fork-begins':
        branch = chain.copy();
        break;
      case 'fork-command':
        branch?.apply(moment.command, head);
        break;
      case 'fork-ends':
        if (moment.fork.wins && branch !== null) {
          chain = branch;
          reorganisations.push({ at: moment.at, from: forkedAt(moment.fork, freezes), to: head });
        }
        branch = null;
        break;
      case 'look':
    }
    for (const id of concernedBy(moment, ids)) stays.note(id, moment.at, chain.rowOf(id, head));
  }
  return { stays: stays.byId, reorganisations };
}

function replacedBy({ blocks }: Extract<Change, { do: 'reorganise' }>, at: Instant, head: number): Reorganisation {
  return { at, from: head - blocks + 1, to: head };
}

/** The first block in which it differs. */
function forkedAt({ commands: [first] }: Fork, freezes: readonly Span[]): number {
  if (first?.do !== 'reorganise') throw new Error('a fork begins by replacing blocks');
  return headAt(first.at, freezes) - first.blocks + 1;
}

function createStays(ids: readonly string[]) {
  const byId = new Map<string, Stay[]>(ids.map((id) => [id, []]));
  return {
    byId,
    note(id: string, at: Instant, row: Row | null): void {
      const stays = byId.get(id) ?? [];
      const last = stays.at(-1);
      const before = last === undefined || last.to !== null ? null : last.row;
      if (isSameRow(before, row)) return;
      if (last !== undefined && before !== null) stays[stays.length - 1] = { ...last, to: at };
      if (row !== null) stays.push({ from: at, to: null, row });
    },
  };
}

/** Which placed items may be shown otherwise after that moment. */
function concernedBy(moment: Moment, all: readonly string[]): readonly string[] {
  if (moment.type === 'look') return [moment.id];
  if (moment.type === 'fork-ends') return all;
  if (moment.type !== 'command') return [];
  const { command } = moment;
  switch (command.do) {
    case 'call':
      // What stands beside it in its block is hidden with it.
      return command.isHidden ? all : [command.id];
    case 'transaction':
    case 'event':
    case 'transfer':
    case 'drop':
    case 'end-otherwise':
      return [command.id];
    case 'reorganise':
    case 'reveal':
      return all;
    default:
      return [];
  }
}

function isSameRow(a: Row | null, b: Row | null): boolean {
  if (a === null || b === null) return a === b;
  return a.block === b.block && isSameFacts(a.facts, b.facts);
}

function isSameFacts(a: Facts, b: Facts): boolean {
  return Object.keys(a).every((name) => a[name] === b[name]);
}

function itemsOf(place: Place, name: string, stays: readonly Stay[]): ChainItem[] {
  const lists = listsOf(place);
  if (place.do === 'transfer') return [{ ...named(`${name}:0`, stays), ...lists, key: keyOfTransfer(place, name) }];
  if (place.do !== 'event') return [{ id: name, ...lists, stays }];
  return Array.from({ length: place.times }, (_, n): ChainItem => {
    return { ...named(`${name}:${n}`, stays), ...lists, key: keyOfEvent(place, name, n) };
  });
}

function named(id: string, stays: readonly Stay[]): Pick<ChainItem, 'id' | 'stays'> {
  return { id, stays: stays.map((stay) => ({ ...stay, row: { ...stay.row, id } })) };
}

function listsOf(place: Place): Pick<ChainItem, 'paths' | 'waitsIn'> {
  if (place.do === 'call') return { paths: [pathOf('internal-transactions', place.to)], waitsIn: [] };
  if (place.do === 'event') return { paths: [eventsOf(contractOf(place.of))], waitsIn: [] };
  if (place.do === 'transfer') {
    const { token, from, to } = place;
    const ends = new Set([from, to].map((party) => pathOf('token-transfers', party)));
    return { paths: [...ends, `tokens/${contractOf(token).toLowerCase()}/transfers`], waitsIn: [] };
  }
  const own = pathOf('transactions', place.from);
  return { paths: [own, 'transactions'], waitsIn: [own] };
}

function pathOf(list: string, party: Parameters<typeof addressOf>[0]): string {
  return `addresses/${addressOf(party).toLowerCase()}/${list}`;
}

function freezesOf(commands: readonly Command[], until: Instant): Span[] {
  const ordered = inOrder(commands);
  return ordered.flatMap(({ do: what, at }) => {
    if (what !== 'freeze') return [];
    const end = ordered.find((later) => later.do === 'unfreeze' && later.at > at);
    return [{ from: at, to: end?.at ?? until + BLOCK_MS }];
  });
}

function valuesOf(commands: readonly Command[]): Pick<ChainLog, 'coin' | 'reputation' | 'tokens' | 'code'> {
  const ordered = inOrder(commands);
  const tokens = new Map<string, Step[]>();
  for (const command of ordered)
    if (command.do === 'token') {
      const key = TOKENS[command.token].toLowerCase();
      tokens.set(key, [...(tokens.get(key) ?? []), { at: command.at, value: String(command.value) }]);
    }
  return {
    coin: ordered.flatMap((one) => (one.do === 'coin' ? [{ at: one.at, value: `${one.value}${'0'.repeat(18)}` }] : [])),
    reputation: ordered.flatMap((one) => (one.do === 'flag' ? [{ at: one.at, value: one.reputation }] : [])),
    tokens,
    code: ordered.flatMap((one) =>
      one.do === 'upgrade' ? [{ at: one.at, value: addressOf(one.to).toLowerCase() }] : [],
    ),
  };
}
