import type { SandboxPage, JsonRow } from '../answer.ts';
import { keyOf, type AddressKey } from '../chain/keys.ts';
import type { Mined, Transfer } from '../chain/transaction.ts';
import { numberOf, splitList, type Params } from '../params.ts';
import { logIndexOf, renderTransfer } from '../render/transaction.ts';
import type { World } from '../world.ts';
import { takePage, visitSome, type ListRequest, type PausedBelow } from './page.ts';
import { firstHeight } from './transactions.ts';

interface LoggedTransfer {
  readonly mined: Mined;
  readonly transfer: Transfer;
  /** The number of transfers before it in its transaction. */
  readonly place: number;
}

type Matches = (transfer: Transfer) => boolean;

/** `addresses/{hash}/token-transfers`: from and to the address, newest first. */
export function listAddressTransfers(world: World, address: string, request: ListRequest): SandboxPage {
  const { params } = request;
  const key = keyOf(address);
  const side = params.get('filter');
  const token = params.get('token');
  const types = splitList((params.get('type') ?? '').toUpperCase());
  const isOfType: Matches = ({ token }) =>
    types.length === 0 || types.includes(String(world.dialect.tokenType(world.tokens.find(token)?.type ?? '')));
  return listTransfers(world, key, request, (transfer) => {
    if (token !== undefined && keyOf(transfer.token) !== keyOf(token)) return false;
    const isFrom = side !== 'to' && keyOf(transfer.from) === key;
    const isTo = side !== 'from' && keyOf(transfer.to) === key;
    return (isFrom || isTo) && isOfType(transfer);
  });
}

/** `tokens/{hash}/transfers`: newest first. */
export function listTokenTransfers(world: World, token: string, request: ListRequest): SandboxPage {
  const key = keyOf(token);
  return listTransfers(world, key, request, (transfer) => keyOf(transfer.token) === key);
}

function listTransfers(world: World, key: AddressKey, request: ListRequest, matches: Matches): SandboxPage {
  const below = placeOf(request.params);
  const rows = visitSome(world.chain.heightsOf(key, firstHeight(world, below)), (height) =>
    transfersOf(world, height).filter((row) => matches(row.transfer) && isBelow(row, below)),
  );
  return takePage<LoggedTransfer>(rows, request, { item: (row) => renderRow(world, row), cursor });
}

/** The transfers of a block, the last one first. */
function transfersOf(world: World, height: number): LoggedTransfer[] {
  return world.chain
    .transactionsOf(height)
    .flatMap((mined) => mined.transaction.transfers.map((transfer, place) => ({ mined, transfer, place })))
    .reverse();
}

/**
 * The specification describes transfers only inside of transactions. A row of a list is such a transfer with the number
 * of its block.
 */
function renderRow(world: World, { mined, transfer, place }: LoggedTransfer): JsonRow {
  const type = world.tokens.find(transfer.token)?.type ?? null;
  const listed = renderTransfer(world, mined, transfer, place);
  const total = totalOf(world, type, transfer, listed['total']);
  const row = { ...listed, total, block_number: mined.height };
  return world.dialect.write('token-transfer', row, () => ({ token_type: type }));
}

/**
 * The field `total`: without a value for a single piece (ERC-721), and null for a confidential token (ERC-7984), since
 * its amounts are secret.
 */
function totalOf({ dialect }: World, type: string | null, { tokenId }: Transfer, total: unknown): unknown {
  if (type === 'ERC-7984' && dialect.isSince('11')) return null;
  if (type === 'ERC-721') return { token_id: tokenId, token_instance: null };
  return tokenId === null ? total : { ...(total as JsonRow), token_id: tokenId, token_instance: null };
}

interface LogPlace {
  readonly height: number;
  readonly index: number;
}

function placeOf(params: Params): LogPlace | undefined {
  const height = numberOf(params, 'block_number');
  return height === undefined ? undefined : { height, index: numberOf(params, 'index') ?? 0 };
}

function isBelow({ mined, place }: LoggedTransfer, below: LogPlace | undefined): boolean {
  if (below === undefined || mined.height < below.height) return true;
  return mined.height === below.height && logIndexOf(mined, place) < below.index;
}

function cursor(last: LoggedTransfer | PausedBelow): JsonRow {
  if ('pausedBelow' in last) return { block_number: last.pausedBelow, index: 0 };
  return { block_number: last.mined.height, index: logIndexOf(last.mined, last.place) };
}
