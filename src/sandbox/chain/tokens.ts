import { type AddressKey, keyOf } from './keys.ts';
import { createCatalogue, type TokenBase } from './catalogue.ts';
import { draw, PURPOSE } from './draw.ts';
import { phaseOf, type Accounts } from './accounts.ts';
import { isFlippingScam, isRotatingScam } from './spam.ts';
import { TOKENS } from '../names.ts';

/** Specification 2.2: these properties and no others. */
interface TokenView {
  readonly address_hash: string;
  readonly symbol: string | null;
  readonly name: string | null;
  readonly decimals: string | null;
  readonly type: string | null;
  readonly holders_count: string | null;
  readonly exchange_rate: string | null;
  readonly volume_24h: string | null;
  readonly total_supply: string | null;
  readonly icon_url: string | null;
  readonly circulating_market_cap: string | null;
  readonly circulating_supply: string | null;
  readonly reputation: Reputation | null;
  readonly bridge_type?: string;
  readonly foreign_address?: string;
  readonly origin_chain_id?: string;
}

export type Reputation = 'ok' | 'scam';

/** Changes of tokens by the control API. */
interface TokenChanges {
  readonly reputations: ReadonlyMap<AddressKey, Reputation>;
  readonly made: ReadonlyMap<AddressKey, TokenBase>;
  /** By how much minting and burning changed the supply. */
  readonly minted: ReadonlyMap<AddressKey, bigint>;
}

export interface TokenBook {
  readonly spam: readonly TokenBase[];
  readonly others: readonly TokenBase[];
  find(address: string): TokenBase | undefined;
  /** `height`: the block whose state is shown. */
  view(token: TokenBase, height: number): TokenView;
  reputation(token: TokenBase, height: number): Reputation;
  readonly spamPhase: number;
}

export interface TokenBookOptions {
  readonly seed: number;
  /** False: nothing changes without the control API. */
  readonly isLively: boolean;
  readonly changes: TokenChanges;
  readonly accounts: Accounts;
  /** Whether the transaction at this place made a token. */
  readonly makesToken: (height: number, slot: number) => boolean;
}

export function createTokenBook(options: TokenBookOptions): TokenBook {
  const { seed, isLively, changes } = options;
  const { named, spam, others } = createCatalogue(seed);
  const byKey = new Map([...named, ...spam, ...others].map((token) => [keyOf(token.address), token]));
  const spamPhase = phaseOf(seed, PURPOSE.token, 512);

  function reputation(token: TokenBase, height: number): Reputation {
    const said = changes.reputations.get(keyOf(token.address));
    if (said !== undefined) return said;
    if (token.spam !== undefined) return !isLively || isRotatingScam(token.spam, height, spamPhase) ? 'scam' : 'ok';
    if (token.address !== TOKENS.SPAM || !isLively) return 'ok';
    return isFlippingScam(height, spamPhase) ? 'scam' : 'ok';
  }

  return {
    spam,
    others,
    spamPhase,
    reputation,
    find: (address) => byKey.get(keyOf(address)) ?? changes.made.get(keyOf(address)) ?? createdToken(options, address),
    view(token, height) {
      const supply = token.supply + (changes.minted.get(keyOf(token.address)) ?? 0n);
      return viewOf({ ...token, supply }, seed, isLively ? height : 0, reputation(token, height));
    },
  };
}

/** Tokens that transactions of the chain created, found by the place of their creation. */
function createdToken({ accounts, makesToken }: TokenBookOptions, address: string): TokenBase | undefined {
  const creationSite = accounts.creationSiteOf(keyOf(address));
  if (creationSite === undefined || !makesToken(creationSite.height, creationSite.slot)) return undefined;
  const name = `Made in block ${creationSite.height}`;
  const rank = 100_000 + creationSite.height;
  return { address, name, symbol: 'NEW', decimals: 18, type: 'ERC-20', rate: null, supply: 10n ** 24n, rank };
}

const SUPPLY_CHANGES_EVERY = 30;
const HOLDERS_CHANGE_EVERY = 10;

function viewOf(token: TokenBase, seed: number, height: number, reputation: Reputation): TokenView {
  const holders = 50 + (token.rank % 900) + (draw(seed, PURPOSE.token, Math.floor(height / HOLDERS_CHANGE_EVERY)) % 50);
  const supply = supplyAt(token, height);
  const whole = supply / 10n ** BigInt(token.decimals ?? 0);
  return {
    address_hash: token.address,
    symbol: token.symbol,
    name: token.name,
    decimals: token.decimals === null ? null : String(token.decimals),
    type: token.type,
    holders_count: String(holders),
    exchange_rate: token.rate === null ? null : showRate(token.rate),
    volume_24h: token.rate === null ? null : showRate(token.rate * BigInt(1000 + (holders % 100))),
    total_supply: String(supply),
    icon_url: token.rate === null ? null : `https://icons.example/${token.symbol ?? 'none'}.png`,
    circulating_market_cap: token.rate === null ? null : showRate(token.rate * whole),
    circulating_supply: token.rate === null ? null : String(whole),
    reputation,
    ...token.bridged,
  };
}

/** Only the supply of ACME moves: up a little, and down again. */
function supplyAt(token: TokenBase, height: number): bigint {
  if (token.address !== TOKENS.ACME) return token.supply;
  const steps = Math.floor(height / SUPPLY_CHANGES_EVERY) % 6;
  return token.supply + BigInt(Math.min(steps, 6 - steps)) * 10n ** 21n;
}

/** Millionths as a decimal: `showRate(2_345_678n) // '2.345678'`, without trailing zeros. */
export function showRate(millionths: bigint): string {
  const text = millionths.toString().padStart(7, '0');
  return `${text.slice(0, -6)}.${text.slice(-6)}`.replace(/\.?0+$/, '');
}
