// Records of the API (specification, section 2), as tables. `was`: the names in older releases. `from` converts the
// shapes that servers really send to the specified one.
import {
  address,
  amount,
  bool,
  int,
  json,
  list,
  natural,
  oneOf,
  quantity,
  record,
  text,
  word,
} from '../../../core/values/field-declarations.ts';
import { isRow, type RawRow } from '../../../core/values/fields.ts';
import { RecordType } from '../../../core/values/record-type.ts';
import { IGNORED_KEYS } from '../../ignored-keys.ts';

const TAG = { address_hash: address('the tagged address'), display_name: text('shown'), label: text('short name') };
const Tag = new RecordType('Tag', TAG);
const WatchlistName = new RecordType('WatchlistName', { display_name: text('shown'), label: text('short name') });

/** 2.3 `metadata`: a flat object by the specification; servers send `{ tags: [...] }`. */
export const Metadata = new RecordType('Metadata', {
  slug: text('short name'),
  name: text('shown'),
  tagType: text('the sort of tag'),
  ordinal: int('order among the tags'),
  meta: json('free form'),
});

function firstTag(raw: unknown): unknown {
  return isRow(raw) && Array.isArray(raw['tags']) ? (raw['tags'] as unknown[])[0] : raw;
}

/** Releases from 6.8 on send a list of implementations. Earlier releases name one. */
const Implementation = new RecordType('Implementation', {
  address_hash: address('the address of the code', { was: ['address'] }),
  name: text('name of the contract'),
});

const PROXY_TYPE = word('the way in which the contract delegates', [
  'eip1167',
  'eip1822',
  'eip1967',
  'eip1967_oz',
  'eip1967_beacon',
  'eip2535',
  'eip7702',
  'eip930',
  'erc7760',
  'master_copy',
  'basic_implementation',
  'basic_get_implementation',
  'comptroller',
  'minimal_proxy',
  'clone_with_immutable_arguments',
  'resolved_delegate_proxy',
  'unknown',
]);

const IMPLEMENTATIONS = list(record(Implementation, 'one implementation'), 'contracts behind a proxy');

const REPUTATION = oneOf('the rating by the explorer', ['ok', 'scam'], { was: ['is_scam'], from: reputationOf });

const CREATION_STATUSES = ['success', 'failed', 'selfdestructed'];

/** 2.3 */
export const AddressRef = new RecordType('AddressRef', {
  hash: address('the address'),
  name: text('name of the contract or account', { fleeting: true }),
  implementation_name: text('name of the contract behind a proxy', {
    fleeting: true,
    seldom:
      'Releases from 6.8 on list implementations of an address instead: to.implementations.exists(i, i.name == "Vault").',
  }),
  implementations: { ...IMPLEMENTATIONS, fleeting: true },
  is_contract: bool('whether the address has code', { fleeting: true }),
  is_verified: bool('whether its source is verified', { fleeting: true }),
  ens_domain_name: text('ENS name', { fleeting: true }),
  private_tags: list(record(Tag, 'a tag'), 'tags of the key holder', { fleeting: true }),
  public_tags: list(record(Tag, 'a tag'), 'tags that everyone sees', { fleeting: true }),
  watchlist_names: list(record(WatchlistName, 'a name'), 'names on the watch list of the key holder', {
    fleeting: true,
  }),
  metadata: record(Metadata, 'first tag of the metadata service', { from: firstTag, fleeting: true }),
  proxy_type: { ...PROXY_TYPE, fleeting: true },
  reputation: REPUTATION,
});

/** Releases 6.9 to 9.0 send a boolean: whether the address is scam. Later releases send the reputation. */
function reputationOf(raw: unknown): unknown {
  return typeof raw === 'boolean' ? (raw ? 'scam' : 'ok') : raw;
}

/** `addresses/{hash}` */
export const AddressDetails = new RecordType(
  'AddressDetails',
  {
    hash: address('the address'),
    coin_balance: quantity('coin', 'coins held'),
    raw: natural('coins held, in the smallest unit', { was: ['coin_balance'] }),
    is_contract: bool('whether the address has code'),
    name: text('name of the contract or account'),
    block_number_balance_updated_at: natural('block as of which the balance is known'),
    exchange_rate: amount('plain', 'price of one coin in US dollars'),
    is_verified: bool('whether its source is verified'),
    proxy_type: PROXY_TYPE,
    // Releases up to 6.7 name one implementation.
    implementations: { ...IMPLEMENTATIONS, was: ['implementation_address'], fromRow: implementationsOf },
    creator_address_hash: address('the creator of the contract'),
    creation_status: word('the result of its creation, and whether it destroyed itself', CREATION_STATUSES),
    reputation: REPUTATION,
  },
  { ignored: IGNORED_KEYS.AddressDetails },
);

function implementationsOf({
  implementations,
  implementation_address: address_hash,
  implementation_name: name,
}: RawRow): unknown {
  if (implementations !== undefined || address_hash === undefined) return implementations;
  return address_hash === null ? [] : [{ address_hash, name }];
}
