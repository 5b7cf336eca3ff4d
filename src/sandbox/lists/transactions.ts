import type { SandboxPage, JsonRow } from '../answer.ts';
import { isFrom, isParty, isTo } from '../chain/chain.ts';
import { downFrom } from '../chain/heights.ts';
import { keyOf, showTime } from '../chain/keys.ts';
import { METHODS, type Mined, type Transaction, type Waiting } from '../chain/transaction.ts';
import { numberOf, splitList, type Params } from '../params.ts';
import { baseFeeOf, renderMined, renderWaiting } from '../render/transaction.ts';
import type { World } from '../world.ts';
import { takePage, visitSome, type ListRequest, type PausedBelow, type ChainPosition } from './page.ts';

type Matches = (transaction: Transaction) => boolean;

/** Specification 4.4: newest first. */
export function listTransactions(world: World, request: ListRequest): SandboxPage {
  const { params } = request;
  const matches = filterOf(params);
  if (params.get('filter') === 'pending') return listPending(world, request, matches);
  const below = placeOf(params);
  const rows = isHopeless(world, params) ? [] : minedBelow(world, downFrom(firstHeight(world, below)), below, matches);
  return takePage(rows, request, { item: (mined) => renderMined(world, mined), cursor: minedCursor });
}

/** `addresses/{hash}/transactions`: pending ones first, then mined ones, newest first. */
export function listAddressTransactions(world: World, address: string, request: ListRequest): SandboxPage {
  const { params } = request;
  const key = keyOf(address);
  const isOnSide = sideOf(params);
  const matches: Matches = (transaction) => isOnSide(transaction, key);
  const below = placeOf(params);
  const heights = world.chain.heightsOf(key, firstHeight(world, below));
  const waiting = below === undefined ? waitingBelow(world, params, matches) : [];
  return takePage<Mined | Waiting>(
    chained<Mined | Waiting | PausedBelow>(waiting, minedBelow(world, heights, below, matches)),
    request,
    {
      item: (row) => ('seenAt' in row ? renderWaiting(world, row) : renderMined(world, row)),
      cursor: (last) => addressCursor(world, last),
    },
  );
}

/** The specification has one cursor for all transactions, so pending ones have a position among blocks there too. */
function listPending(world: World, request: ListRequest, matches: Matches): SandboxPage {
  const isSpecified = world.dialect.release === null;
  const below = placeOf(request.params);
  const waiting = isSpecified
    ? world.chain.waiting().filter((row) => matches(row.transaction) && isBelow(waitingPlace(row), below))
    : waitingBelow(world, request.params, matches);
  const cursorOf = (last: Waiting): JsonRow =>
    isSpecified ? cursorBelow(waitingPlace(last)) : waitingCursor(world, last);
  return takePage<Waiting>(waiting, request, {
    item: (row) => renderWaiting(world, row),
    cursor: (last) => ('pausedBelow' in last ? {} : cursorOf(last)),
  });
}

function* chained<T>(...parts: Iterable<T>[]): Iterable<T> {
  for (const part of parts) yield* part;
}

function filterOf(params: Params): Matches {
  const types = splitList(params.get('type') ?? '');
  const methods = splitList(params.get('method') ?? '');
  return (transaction) =>
    (types.length === 0 || transaction.types.some((type) => types.includes(type))) &&
    (methods.length === 0 || isOneOf(transaction, methods));
}

function isOneOf({ method }: Transaction, methods: readonly string[]): boolean {
  return method !== null && (methods.includes(method.name) || methods.includes(method.id));
}

/** True for a filter by methods that no transaction calls: searching down to genesis would find nothing. */
function isHopeless({ overlay }: World, params: Params): boolean {
  const methods = splitList(params.get('method') ?? '');
  if (methods.length === 0) return false;
  const isKnown = Object.values(METHODS).some(({ name, id }) => methods.includes(name) || methods.includes(id));
  return !isKnown && !overlay.placed.some(({ transaction }) => isOneOf(transaction, methods));
}

/** The position of the last row of the previous page; undefined for page one. */
function placeOf(params: Params): ChainPosition | undefined {
  const height = numberOf(params, 'block_number');
  return height === undefined ? undefined : { height, position: numberOf(params, 'index') ?? 0 };
}

/** The side on which an address must be, by `filter`. */
export function sideOf(params: Params, name = 'filter'): typeof isParty {
  return { to: isTo, from: isFrom }[params.get(name) ?? ''] ?? isParty;
}

export function firstHeight(world: World, below: { readonly height: number } | undefined): number {
  return below === undefined ? world.head() : Math.min(world.head(), below.height);
}

function minedBelow(
  world: World,
  heights: Iterable<number>,
  below: ChainPosition | undefined,
  matches: Matches,
): Iterable<Mined | PausedBelow> {
  return visitSome(heights, (height) =>
    world.chain
      .transactionsOf(height)
      .filter(({ transaction, position }) => isBelow({ height, position }, below) && matches(transaction))
      .reverse(),
  );
}

function isBelow({ height, position }: ChainPosition, below: ChainPosition | undefined): boolean {
  return below === undefined || height < below.height || (height === below.height && position < below.position);
}

function waitingBelow(world: World, params: Params, matches: Matches): Waiting[] {
  const [insertedAt, hash] = [params.get('inserted_at'), params.get('hash')];
  const waiting = world.chain.waiting().filter(({ transaction }) => matches(transaction));
  if (insertedAt === undefined || hash === undefined) return waiting;
  const at = Date.parse(insertedAt);
  return waiting.filter((row) => {
    const seenAt = world.timeOf(row.seenAt);
    return seenAt < at || (seenAt === at && row.transaction.hash < hash);
  });
}

function minedCursor(last: Mined | PausedBelow): JsonRow {
  return cursorBelow('pausedBelow' in last ? { height: last.pausedBelow, position: 0 } : last);
}

function cursorBelow({ height, position }: ChainPosition): JsonRow {
  return { block_number: height, index: position };
}

const DIGITS_OF_PLACE = 12;

/** The position of a pending transaction: the head when it was first seen, and the start of its hash as a number. */
function waitingPlace({ seenAt, transaction: { hash } }: Waiting): ChainPosition {
  return { height: seenAt, position: Number.parseInt(hash.slice(2, 2 + DIGITS_OF_PLACE), 16) };
}

function waitingCursor(world: World, { seenAt, transaction }: Waiting): JsonRow {
  return { inserted_at: showTime(world.timeOf(seenAt)), hash: transaction.hash };
}

const NO_HASH = `0x${'0'.repeat(64)}`;

function addressCursor(world: World, last: Mined | Waiting | PausedBelow): JsonRow {
  if ('pausedBelow' in last) {
    const insertedAt = showTime(world.timeOf(last.pausedBelow));
    return { ...minedCursor(last), value: '0', hash: NO_HASH, fee: '0', inserted_at: insertedAt };
  }
  const { transaction } = last;
  const fixed = { value: String(transaction.value), hash: transaction.hash };
  if ('seenAt' in last) return { block_number: null, index: null, fee: '0', ...fixed, ...waitingCursor(world, last) };
  const fee = BigInt(transaction.gasUsed) * (baseFeeOf(last.height) + transaction.tip);
  return { ...minedCursor(last), ...fixed, fee: String(fee), inserted_at: showTime(world.timeOf(last.height)) };
}
