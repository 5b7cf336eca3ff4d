// The records of the API (specification, section 2), as tables. `was` holds the names of older releases; `from` brings
// shapes that differ in life (facts, section 4) into the one that is specified.
import { decode, isShallow } from '../../core/values/decoding.ts';
import {
  address,
  amount,
  bool,
  double,
  hash,
  int,
  json,
  list,
  natural,
  oneOf,
  quantity,
  record,
  text,
  time,
  word,
} from '../../core/values/field-declarations.ts';
import { isRow, type View } from '../../core/values/fields.ts';
import { RecordType } from '../../core/values/record-type.ts';
import { IGNORED_KEYS } from '../ignored-keys.ts';

/** Decimals of the token a row speaks of. ERC-721 and ERC-1155 without decimals count in whole pieces. */
function tokenDecimals(token: unknown): number | null {
  if (!isRow(token)) return null;
  const { decimals, type } = token;
  if (typeof decimals === 'number' && Number.isSafeInteger(decimals) && decimals >= 0) return bounded(decimals);
  if (typeof decimals === 'string' && /^\d{1,4}$/.test(decimals)) return bounded(Number(decimals));
  return COUNTED_IN_PIECES.has(type) ? 0 : null;
}

const COUNTED_IN_PIECES: ReadonlySet<unknown> = new Set(['ERC-721', 'ERC-1155']);

const MOST_DECIMALS = 1000;

function bounded(decimals: number): number | null {
  return decimals <= MOST_DECIMALS ? decimals : null;
}

/** Blocks are compared as numbers: what is beyond exact ones is no block, and would stand above all others for ever. */
function blockNumber(raw: unknown): unknown {
  return Number.isSafeInteger(Number(raw)) ? raw : undefined;
}

const TAG = { address_hash: address('whose tag it is'), display_name: text('shown'), label: text('short name') };
const Tag = new RecordType('Tag', TAG);
const WatchlistName = new RecordType('WatchlistName', { display_name: text('shown'), label: text('short name') });

/** 2.3 `metadata`: a flat object by the specification, `{ tags: [...] }` in life. */
export const Metadata = new RecordType('Metadata', {
  slug: text('short name'),
  name: text('shown'),
  tagType: text('what sort of tag'),
  ordinal: int('order among the tags'),
  meta: json('free form'),
});

function firstTag(raw: unknown): unknown {
  return isRow(raw) && Array.isArray(raw['tags']) ? (raw['tags'] as unknown[])[0] : raw;
}

/** Releases from 6.8 on list implementations instead of naming one. */
const Implementation = new RecordType('Implementation', {
  address_hash: address('where the code is', { was: ['address'] }),
  name: text('name of the contract'),
});

const PROXY_TYPE = word('how the contract delegates', [
  ...['eip1167', 'eip1822', 'eip1967', 'eip1967_oz', 'eip1967_beacon', 'eip2535', 'eip7702', 'eip930', 'erc7760'],
  ...['master_copy', 'basic_implementation', 'basic_get_implementation', 'comptroller', 'minimal_proxy'],
  ...['clone_with_immutable_arguments', 'resolved_delegate_proxy', 'unknown'],
]);

const IMPLEMENTATIONS = list(record(Implementation, 'one implementation'), 'contracts behind a proxy');

/** 2.3 */
export const AddressRef = new RecordType('AddressRef', {
  hash: address('the address'),
  name: text('name of the contract or account'),
  implementation_name: text('name of the contract behind a proxy'),
  implementations: IMPLEMENTATIONS,
  is_contract: bool('whether code stands there'),
  is_verified: bool('whether its source is verified'),
  ens_domain_name: text('ENS name'),
  private_tags: list(record(Tag, 'a tag'), 'tags of the key holder'),
  public_tags: list(record(Tag, 'a tag'), 'tags that everyone sees'),
  watchlist_names: list(record(WatchlistName, 'a name'), 'names on the watch list of the key holder'),
  metadata: record(Metadata, 'first tag of the metadata service', { from: firstTag }),
  proxy_type: PROXY_TYPE,
  reputation: oneOf('what the explorer thinks of it', ['ok', 'scam'], { was: ['is_scam'], from: reputationOf }),
});

/** Releases 6.9 to 9.0 say whether it is scam, later ones how they call it. */
function reputationOf(raw: unknown): unknown {
  return typeof raw === 'boolean' ? (raw ? 'scam' : 'ok') : raw;
}

/** 2.2 */
export const Token = new RecordType(
  'Token',
  {
    address_hash: address('contract address', { was: ['address'] }),
    symbol: text('ticker, chosen by its maker'),
    name: text('name, chosen by its maker'),
    decimals: natural('decimals of its amounts'),
    type: word('token standard', ['ERC-20', 'ERC-721', 'ERC-1155', 'ERC-404', 'ERC-7984']),
    holders_count: natural('number of holders', { was: ['holders'] }),
    exchange_rate: amount('plain', 'price of one token in US dollars'),
    volume_24h: amount('plain', 'trade volume of a day in US dollars'),
    total_supply: quantity('own', 'total supply in whole tokens'),
    icon_url: text('address of its picture; never fetched'),
    circulating_market_cap: amount('plain', 'market capitalisation in US dollars'),
    circulating_supply: amount('plain', 'circulating supply'),
    reputation: oneOf('what the explorer thinks of it', ['ok', 'scam']),
    bridge_type: word('bridge of a bridged token', ['omni', 'amb']),
    foreign_address: address('its address on the other chain'),
    origin_chain_id: text('the chain it came from'),
  },
  { decimals: tokenDecimals, ignored: IGNORED_KEYS.Token },
);

/** Pieces count whole; a fungible token without decimals has an unknown balance and a known raw one. */
export function decimalsOf(token: View<typeof Token.fields> | undefined): bigint | undefined {
  return token?.decimals ?? (COUNTED_IN_PIECES.has(token?.type) ? 0n : undefined);
}

const TokenInstance = new RecordType('TokenInstance', {
  id: text('number of the piece'),
  is_unique: bool('whether there is only one'),
  owner: record(AddressRef, 'who owns it'),
  token: record(Token, 'its collection'),
  holder_address_hash: address('who holds it'),
  image_url: text('address of its picture; never fetched'),
  animation_url: text('address of its animation; never fetched'),
  external_app_url: text('address of its page; never fetched'),
  metadata: json('free form, chosen by its maker'),
});

/** 2.4; its `value` is shown as `balance` in whole tokens and as `raw`. */
export const TokenBalance = new RecordType(
  'TokenBalance',
  {
    balance: quantity('own', 'how much is held, in whole tokens', { was: ['value'] }),
    raw: natural('how much is held, in the smallest unit', { was: ['value'] }),
    token_id: text('number of the piece held'),
    token: record(Token, 'what is held'),
    token_instance: record(TokenInstance, 'the piece held'),
  },
  { decimals: (row) => tokenDecimals(row['token']), ignored: IGNORED_KEYS.TokenBalance },
);

/** 2.5 */
export const InternalTransaction = new RecordType(
  'InternalTransaction',
  {
    block_number: natural('block it happened in', { was: ['block'], from: blockNumber }),
    transaction_hash: hash('transaction it belongs to'),
    index: natural('place in its transaction'),
    transaction_index: natural('place of its transaction in the block'),
    timestamp: time('time of its block'),
    type: word('kind of call', ['call', 'callcode', 'delegatecall', 'staticcall', 'create', 'create2', 'selfdestruct']),
    success: bool('whether the call itself went through; true also for a sub-call of a transaction that failed'),
    error: text('why it failed, in the words of the node'),
    from: record(AddressRef, 'caller'),
    to: record(AddressRef, 'called; unknown for creations'),
    created_contract: record(AddressRef, 'contract created'),
    value: quantity('coin', 'coins moved'),
    gas_limit: natural('gas it was given'),
  },
  { ignored: IGNORED_KEYS.InternalTransaction },
);

const Fee = new RecordType('Fee', {
  type: oneOf('whether it is final', ['maximum', 'actual']),
  value: quantity('coin', 'fee in coins'),
});

const Parameter = new RecordType('Parameter', {
  name: text('name of the parameter'),
  type: text('its type'),
  value: text('its value', { from: asText }),
});

const DecodedInput = new RecordType('DecodedInput', {
  method_call: text('signature with names'),
  method_id: text('first four bytes'),
  parameters: list(record(Parameter, 'one parameter'), 'parameters of the call'),
});

const Action = new RecordType('Action', {
  protocol: text('which protocol'),
  type: text('what was done'),
  data: json('details by protocol'),
});

function asText(raw: unknown): string | undefined {
  if (raw === null || raw === undefined) return undefined;
  if (typeof raw === 'string') return raw;
  return isShallow(raw) ? JSON.stringify(raw) : undefined;
}

const Total = new RecordType(
  'Total',
  {
    decimals: natural('decimals of the amount'),
    value: quantity('own', 'amount in whole tokens'),
    token_id: text('number of the piece'),
  },
  // Where nothing is said, the token counts: pieces have no decimals in their totals.
  {
    decimals: ({ decimals }) => (decimals === null || decimals === undefined ? undefined : tokenDecimals({ decimals })),
  },
);

/** A batch has a total for each piece. What moved is their sum, where all are counted alike. */
function sumOfTotals(raw: unknown): unknown {
  if (!Array.isArray(raw)) return raw;
  const totals = raw.filter(isRow);
  const decimals = common(totals.map((total) => total['decimals']));
  if (totals.length === 0 || totals.length < raw.length || decimals === undefined) return undefined;
  const values = totals.map((total) => decode({ type: 'int', least: 0 }, total['value'], { coin: 0 }));
  const known = values.filter((value) => typeof value === 'bigint');
  const value = known.length < values.length ? null : String(known.reduce((a, b) => a + b, 0n));
  return { decimals, value, token_id: common(totals.map((total) => total['token_id'])) };
}

/** The one value that all have, null included; undefined where they differ. */
function common(values: readonly unknown[]): unknown {
  const [first, ...others] = values.map((value) => (typeof value === 'number' ? String(value) : (value ?? null)));
  return others.every((other) => other === first) ? first : undefined;
}

/** 2.6 */
const TokenTransfer = new RecordType(
  'TokenTransfer',
  {
    block_hash: hash('block it happened in'),
    transaction_hash: hash('transaction it belongs to', { was: ['tx_hash'] }),
    log_index: int('place in the block'),
    from: record(AddressRef, 'sender'),
    to: record(AddressRef, 'receiver'),
    token: record(Token, 'what was moved'),
    total: record(Total, 'how much', { from: sumOfTotals }),
    type: word('kind of transfer', ['token_transfer', 'token_minting', 'token_burning', 'token_spawning']),
    method: text('method called'),
    timestamp: time('time of its block'),
  },
  { decimals: (row) => tokenDecimals(row['token']) },
);

/** A revert reason is text by the specification; in life also `{ raw }` or an object like `decoded_input`. */
function revertText(raw: unknown): unknown {
  if (!isRow(raw)) return raw;
  if (typeof raw['method_call'] !== 'string') return raw['raw'];
  const parameters = Array.isArray(raw['parameters']) ? (raw['parameters'] as unknown[]) : [];
  const values = parameters.map((parameter) => (isRow(parameter) ? (asText(parameter['value']) ?? '') : ''));
  return values.length === 0 ? raw['method_call'] : `${raw['method_call']}: ${values.join(', ')}`;
}

/** EIP-7702 */
const Authorization = new RecordType('Authorization', {
  address_hash: address('contract that may act', { was: ['address'] }),
  authority: address('account that lets it'),
  chain_id: natural('on which chain; 0 = on every one'),
  nonce: natural('counter of the account'),
  status: word('whether it took effect', ['ok', 'invalid_chain_id', 'invalid_signature', 'invalid_nonce']),
});

const TRANSACTION_TYPES = [
  ...['coin_transfer', 'contract_call', 'contract_creation', 'token_transfer', 'token_creation', 'blob_transaction'],
  ...['set_code_transaction', 'rootstock_remasc', 'rootstock_bridge', 'sponsored_transaction'],
];

export const Transaction = new RecordType(
  'Transaction',
  {
    hash: hash('the transaction'),
    timestamp: time('time of its block'),
    block_number: natural('block it is in; unknown while pending', { was: ['block'], from: blockNumber }),
    status: oneOf('how it ended; unknown while pending', ['ok', 'error']),
    method: text('method called'),
    confirmations: int('blocks on top of it'),
    confirmation_duration: list(double('milliseconds'), 'how long it waited'),
    type: int('envelope type'),
    position: natural('place in its block'),
    nonce: natural('counter of the sender'),
    from: record(AddressRef, 'sender'),
    to: record(AddressRef, 'receiver; unknown for creations'),
    created_contract: record(AddressRef, 'contract created'),
    fee: record(Fee, 'what it cost'),
    value: quantity('coin', 'coins sent'),
    gas_limit: natural('gas it may use'),
    gas_used: natural('gas it used'),
    gas_price: quantity('gwei', 'price of gas'),
    base_fee_per_gas: quantity('gwei', 'base fee of its block'),
    max_fee_per_gas: quantity('gwei', 'most it would pay'),
    max_priority_fee_per_gas: amount('gwei', 'highest tip it would pay'),
    priority_fee: amount('coin', 'tip paid'),
    transaction_burnt_fee: quantity('coin', 'fee burnt', { was: ['tx_burnt_fee'] }),
    exchange_rate: amount('plain', 'price of one coin in US dollars'),
    result: text('how it ended, in words'),
    revert_reason: text('why it failed', { from: revertText }),
    raw_input: text('call data'),
    has_error_in_internal_transactions: bool('whether a call inside failed; unknown until traced', {
      was: ['has_error_in_internal_txs'],
    }),
    transaction_tag: text('tag of the key holder', { was: ['tx_tag'] }),
    transaction_types: list(word('a type', TRANSACTION_TYPES), 'what it is', { was: ['tx_types'] }),
    token_transfers: list(record(TokenTransfer, 'a transfer'), 'tokens moved; often unknown in lists'),
    token_transfers_overflow: bool('whether there are more transfers than shown'),
    decoded_input: record(DecodedInput, 'the call, decoded'),
    actions: list(record(Action, 'an action'), 'what it did, by protocol'),
    authorization_list: list(record(Authorization, 'one of them'), 'accounts that let a contract act for them'),
    is_pending_update: bool('whether its block is read again, so that anything here may still change'),
    l1_fee: quantity('coin', 'fee paid on the chain below; rollups only'),
  },
  { ignored: IGNORED_KEYS.Transaction },
);

const Reward = new RecordType('Reward', {
  reward: amount('coin', 'coins paid'),
  type: text('for what'),
});

/** Uncles are hashes by the specification, `{ hash }` objects in life. */
function hashesOf(raw: unknown): unknown {
  return Array.isArray(raw) ? raw.map((item: unknown) => (isRow(item) ? item['hash'] : item)) : raw;
}

/** 2.7 */
export const Block = new RecordType(
  'Block',
  {
    hash: hash('the block'),
    parent_hash: hash('the block before'),
    height: natural('its number', { from: blockNumber }),
    type: oneOf('its standing', ['block', 'uncle', 'reorg']),
    timestamp: time('when it was made'),
    miner: record(AddressRef, 'who made it'),
    nonce: text('nonce of proof of work'),
    difficulty: natural('difficulty'),
    total_difficulty: natural('difficulty of the chain'),
    size: natural('bytes'),
    extra_data: text('free bytes of its maker'),
    state_root: hash('state after it'),
    gas_limit: natural('gas it may use'),
    gas_used: natural('gas it used'),
    gas_used_percentage: double('percent of the gas limit'),
    gas_target_percentage: double('percent above or below the gas target'),
    base_fee_per_gas: quantity('gwei', 'base fee'),
    burnt_fees: quantity('coin', 'fees burnt'),
    burnt_fees_percentage: double('percent of the fees'),
    priority_fee: amount('coin', 'tips'),
    transaction_fees: amount('coin', 'all fees', { was: ['tx_fees'] }),
    transactions_count: natural('number of transactions', { was: ['transaction_count', 'tx_count'] }),
    withdrawals_count: natural('number of withdrawals'),
    uncles_hashes: list(hash('an uncle'), 'uncles', { from: hashesOf }),
    rewards: list(record(Reward, 'a reward'), 'what its maker got'),
  },
  { ignored: IGNORED_KEYS.Block },
);

/** `addresses/{hash}`, for the native coin. */
export const AddressDetails = new RecordType(
  'AddressDetails',
  {
    hash: address('the address'),
    coin_balance: quantity('coin', 'coins held'),
    raw: natural('coins held, in the smallest unit', { was: ['coin_balance'] }),
    is_contract: bool('whether code stands there'),
    name: text('name of the contract or account'),
    block_number_balance_updated_at: natural('block as of which the balance is known'),
    exchange_rate: amount('plain', 'price of one coin in US dollars'),
    is_verified: bool('whether its source is verified'),
    proxy_type: PROXY_TYPE,
    implementations: IMPLEMENTATIONS,
    creator_address_hash: address('who created the contract'),
  },
  { ignored: IGNORED_KEYS.AddressDetails },
);
