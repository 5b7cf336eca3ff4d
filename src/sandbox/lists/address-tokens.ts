import { rawInteger, type Page, type Row } from '../answer.ts';
import { showRate } from '../chain/tokens.ts';
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

/** Specification 4.2: the most valuable first, those without a price last. Scam is hidden unless asked for. */
export function listAddressTokens(world: World, address: string, params: Params, showScam: boolean): Page {
  const types = splitList((params.get('type') ?? '').toUpperCase());
  const after = placeOf(params);
  const ranked = world
    .holdings(address)
    .filter(({ token }) => types.length === 0 || types.includes(token.type))
    .filter(({ token }) => showScam || world.tokens.reputation(token, world.head()) !== 'scam')
    .map(rank)
    .filter((row) => after === undefined || compareRanks(row, after) > 0)
    .sort(compareRanks);
  return takePage<Ranked>(ranked, world.pageSize, {
    item: ({ holding }) => renderHolding(world, address, holding),
    cursor: (last) => ('pausedBelow' in last ? {} : cursor(last)),
  });
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

/** The way back from showRate; null for what is left out. */
function readRate(text: string): bigint | null {
  if (text === '' || text === 'null') return null;
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.slice(0, 6).padEnd(6, '0'));
}

function cursor({ holding: { token }, fiat, value, id }: Ranked): Row {
  const worth = fiat === null ? null : showRate(fiat);
  return { fiat_value: worth, value: rawInteger(value), id, token_name: token.name, token_type: token.type };
}
