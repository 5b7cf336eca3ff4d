// The accounts of the chain: well-known names, contracts, an anonymous crowd, and contracts that the chain creates.
import { ADDRESSES, CONTRACTS } from '../names.ts';
import { keyOf } from './keys.ts';
import { draw, drawHex, PURPOSE } from './draw.ts';

/** An address reference (specification 2.3). */
export interface AddressRef {
  readonly hash: string;
  readonly implementation_name: string | null;
  readonly name: string | null;
  readonly is_contract: boolean;
  readonly is_verified: boolean;
  readonly ens_domain_name: string | null;
  readonly private_tags: readonly Tag[];
  readonly public_tags: readonly Tag[];
  readonly watchlist_names: readonly { readonly display_name: string; readonly label: string }[];
  readonly metadata: Metadata | null;
}

interface Tag {
  readonly address_hash: string;
  readonly display_name: string;
  readonly label: string;
}

interface Metadata {
  readonly slug: string;
  readonly name: string;
  readonly tagType: string;
  readonly ordinal: number;
  readonly meta: Readonly<Record<string, string>>;
}

/** A prime, so that an account takes part in every pattern of the chain in turn. */
export const CROWD = 509;

/** The place where a contract was created: the block and the slot of its transaction. */
interface CreationSite {
  readonly height: number;
  readonly slot: number;
}

export interface Accounts {
  /** The account of the crowd with this number. Numbers beyond the crowd start again at the first account. */
  readonly account: (number: number) => string;
  /** The number of an account of the crowd; undefined for any other address. */
  numberOf(key: string): number | undefined;
  createdAt(creationSite: CreationSite): string;
  creationSiteOf(key: string): CreationSite | undefined;
  /**
   * The reference of an address; undefined for tokens, for contracts that the chain created, and for unknown addresses.
   */
  ref(address: string): AddressRef | undefined;
}

export function createAccounts(seed: number): Accounts {
  const crowd = Array.from({ length: CROWD }, (_, number) => `0x${drawHex(seed, PURPOSE.account, number, 0, 5)}`);
  const numberByKey = new Map(crowd.map((address, number) => [address, number]));
  const known = new Map(KNOWN.map((ref) => [keyOf(ref.hash), ref]));
  for (const [number, address] of crowd.entries()) known.set(address, plainRef(address, number % 7 === 0));
  const createdAt = (creationSite: CreationSite): string => createdAddress(seed, creationSite);
  return {
    account: (number) => crowd[number % CROWD] ?? ADDRESSES.hot_wallet,
    numberOf: (key) => numberByKey.get(key),
    createdAt,
    creationSiteOf: (key) => {
      const creationSite = readCreationSite(key);
      return createdAt(creationSite) === key ? creationSite : undefined;
    },
    ref: (address) => known.get(keyOf(address)),
  };
}

// The last 14 digits are the place of creation, the others are drawn. So the place can be read from the address and
// checked, without a list of all contracts.
const CREATION_DIGITS = 14;
const SLOTS_PER_BLOCK = 8;

function createdAddress(seed: number, { height, slot }: CreationSite): string {
  const drawn = drawHex(seed, PURPOSE.created, height, slot, 4).slice(0, 40 - CREATION_DIGITS);
  return `0x${drawn}${(height * SLOTS_PER_BLOCK + slot).toString(16).padStart(CREATION_DIGITS, '0')}`;
}

function readCreationSite(key: string): CreationSite {
  const place = Number.parseInt(key.slice(-CREATION_DIGITS), 16);
  return { height: Math.floor(place / SLOTS_PER_BLOCK), slot: place % SLOTS_PER_BLOCK };
}

/** An account without code. */
export function plainRef(hash: string, hasName: boolean): AddressRef {
  const name = `user-${hash.slice(2, 8)}`;
  return { ...contractRef(hash, null), is_contract: false, ens_domain_name: hasName ? `${name}.eth` : null };
}

/** A contract, verified when it has a name. */
export function contractRef(hash: string, name: string | null): AddressRef {
  return {
    hash,
    implementation_name: null,
    name,
    is_contract: true,
    is_verified: name !== null,
    ens_domain_name: null,
    private_tags: [],
    public_tags: [],
    watchlist_names: [],
    metadata: null,
  };
}

const { treasury, vault, hot_wallet: hotWallet, collector } = ADDRESSES;

const KNOWN: readonly AddressRef[] = [
  {
    ...contractRef(treasury, 'Treasury'),
    implementation_name: 'TreasuryV2',
    ens_domain_name: 'treasury.acme.eth',
    private_tags: [{ address_hash: treasury, display_name: 'Ours', label: 'ours' }],
    public_tags: [{ address_hash: treasury, display_name: 'ACME: Treasury', label: 'acme-treasury' }],
    watchlist_names: [{ display_name: 'Treasury', label: 'treasury' }],
    metadata: { slug: 'acme', name: 'ACME', tagType: 'protocol', ordinal: 10, meta: { tooltip: 'ACME protocol' } },
  },
  { ...contractRef(vault, 'VaultProxy'), implementation_name: 'Vault' },
  { ...plainRef(hotWallet, false), name: 'Hot wallet', ens_domain_name: 'hot.acme.eth' },
  { ...plainRef(collector, false), ens_domain_name: 'collector.eth' },
  contractRef(CONTRACTS.router, 'Router'),
  contractRef(CONTRACTS.implementation, 'Vault'),
  contractRef(CONTRACTS.safe_singleton, 'TreasuryV2'),
  contractRef(CONTRACTS.factory, 'Factory'),
  contractRef(CONTRACTS.market, 'Market'),
  contractRef(CONTRACTS.bridge, 'Bridge'),
];

/** A phase below `period` that differs from seed to seed. */
export function phaseOf(seed: number, purpose: number, period: number): number {
  return draw(seed, PURPOSE.phase, purpose) % period;
}
