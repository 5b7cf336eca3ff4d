import { rawInteger, type Page, type Row } from '../answer.ts';
import type { Holding } from '../chain/ledger.ts';
import { numberOf, splitList, type Params } from '../params.ts';
import { renderHolding } from '../render/rows.ts';
import type { World } from '../world.ts';
import { takePage } from './page.ts';

interface Ranked {
  readonly holding: Holding;
  /** Worth in millionths of a dollar; null = no price is known. */
  readonly fiat: bigint | null;
  readonly value: bigint;
  readonly id: number;
}

/**
 * Specification 4.2: the most valuable first, those without a price last. Scam is hidden unless asked for. Of the keys
 * of the cursor only `items_count` tells equal pieces apart: it counts the rows that were read.
 */
export function listAddressTokens(world: World, address: string, params: Params, showScam: boolean): Page {
  const types = splitList((params.get('type') ?? '').toUpperCase());
  const before = numberOf(params, 'items_count') ?? 0;
  const ranked = world
    .holdings(address)
    .filter(({ token }) => types.length === 0 || types.includes(token.type))
    .filter(({ token }) => showScam || world.tokens.reputation(token, world.head()) !== 'scam')
    .map(rank)
    .sort(compareRanks);
  return takePage<Ranked>(ranked.slice(before), world.pageSize, {
    item: ({ holding }) => renderHolding(world, address, holding),
    cursor: (last) => ('pausedBelow' in last ? {} : cursorBehind(last.holding)),
    count: before + world.pageSize,
  });
}

const PIECES_PER_TOKEN = 1_000_000;

function rank(holding: Holding): Ranked {
  const { token, tokenId, value } = holding;
  const fiat = token.rate === null ? null : (value * token.rate) / 10n ** BigInt(token.decimals ?? 0);
  const piece = tokenId === null ? 0 : Number(BigInt(tokenId) % BigInt(PIECES_PER_TOKEN));
  return { holding, fiat, value, id: token.rank * PIECES_PER_TOKEN + piece };
}

function compareRanks(a: Ranked, b: Ranked): number {
  if (a.fiat !== b.fiat) return a.fiat === null ? 1 : b.fiat === null ? -1 : a.fiat > b.fiat ? -1 : 1;
  if (a.value !== b.value) return a.value > b.value ? -1 : 1;
  return b.id - a.id;
}

function cursorBehind({ token, value }: Holding): Row {
  return { token_name: token.name, token_type: token.type, value: rawInteger(value) };
}
