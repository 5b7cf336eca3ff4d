import { rawInteger, type SandboxPage, type JsonRow } from '../answer.ts';
import type { Holding } from '../chain/ledger.ts';
import { showRate } from '../chain/tokens.ts';
import { numberOf, splitList, type Params } from '../params.ts';
import { renderHolding } from '../render/rows.ts';
import type { World } from '../world.ts';
import { takePage, type ListRequest } from './page.ts';

interface Ranked {
  readonly holding: Holding;
  /** Worth in millionths of a dollar; null = no price is known. */
  readonly fiat: bigint | null;
  readonly value: bigint;
  readonly id: number;
}

/** Specification 4.2: the most valuable first, those without a price last. Scam is hidden unless asked for. */
export function listAddressTokens(world: World, address: string, request: ListRequest, showScam: boolean): SandboxPage {
  const types = splitList((request.params.get('type') ?? '').toUpperCase());
  const ranked = world
    .holdings(address)
    .filter(({ token }) => types.length === 0 || types.includes(String(world.dialect.tokenType(token.type))))
    .filter(({ token }) => showScam || world.tokens.reputation(token, world.head()) !== 'scam')
    .map(rank)
    .sort(compareRanks);
  const item = ({ holding }: Ranked): JsonRow => renderHolding(world, address, holding);
  return world.dialect.release === null ? pageByCount(ranked, request, item) : pageByRank(ranked, request, item);
}

type Item = (row: Ranked) => JsonRow;

/**
 * Among the cursor's specified keys, only `items_count` distinguishes pieces with equal values, since it counts the
 * rows that were read.
 */
function pageByCount(ranked: readonly Ranked[], request: ListRequest, item: Item): SandboxPage {
  const before = numberOf(request.params, 'items_count') ?? 0;
  const counted = { ...request, count: { items_count: before + request.size } };
  return takePage<Ranked>(ranked.slice(before), counted, {
    item,
    cursor: (last) => ('pausedBelow' in last ? {} : specifiedCursor(last.holding)),
  });
}

function specifiedCursor({ token, value }: Holding): JsonRow {
  return { token_name: token.name, token_type: token.type, value: rawInteger(value) };
}

function pageByRank(ranked: readonly Ranked[], request: ListRequest, item: Item): SandboxPage {
  const after = placeOf(request.params);
  const rows = ranked.filter((row) => after === undefined || compareRanks(row, after) > 0);
  return takePage<Ranked>(rows, request, { item, cursor: (last) => ('pausedBelow' in last ? {} : rankCursor(last)) });
}

function rankCursor({ fiat, value, id }: Ranked): JsonRow {
  return { fiat_value: fiat === null ? null : showRate(fiat), value: rawInteger(value), id };
}

const PIECES_PER_TOKEN = 1_000_000;

function rank(holding: Holding): Ranked {
  const { token, tokenId, value } = holding;
  const fiat = token.rate === null ? null : (value * token.rate) / 10n ** BigInt(token.decimals ?? 0);
  const piece = tokenId === null ? 0 : Number(BigInt(tokenId) % BigInt(PIECES_PER_TOKEN));
  return { holding, fiat, value, id: token.rank * PIECES_PER_TOKEN + piece };
}

type Rank = Omit<Ranked, 'holding'>;

function compareRanks(a: Rank, b: Rank): number {
  if (a.fiat !== b.fiat) return a.fiat === null ? 1 : b.fiat === null ? -1 : a.fiat > b.fiat ? -1 : 1;
  if (a.value !== b.value) return a.value > b.value ? -1 : 1;
  return b.id - a.id;
}

function placeOf(params: Params): Rank | undefined {
  const [value, id] = [params.get('value'), numberOf(params, 'id')];
  if (value === undefined || value === 'null' || id === undefined) return undefined;
  return { fiat: readRate(params.get('fiat_value') ?? ''), value: BigInt(value), id };
}

/** The reverse of showRate; null for a missing rate. */
function readRate(text: string): bigint | null {
  if (text === '' || text === 'null') return null;
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.slice(0, 6).padEnd(6, '0'));
}
