// The field tables of the specification's section 2, as checks. `?` after a type: null where nothing can be said.
type Json = Record<string, unknown>;
type Check = (value: unknown) => boolean;
export type Shape = Readonly<Record<string, Check>>;

const text: Check = (value) => typeof value === 'string';
const integer: Check = (value) => Number.isInteger(value) || typeof value === 'bigint';
const number: Check = (value) => typeof value === 'number' || typeof value === 'bigint';
const bool: Check = (value) => typeof value === 'boolean';
const pattern =
  (form: RegExp): Check =>
  (value) =>
    typeof value === 'string' && form.test(value);
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const has =
  (shape: Shape): Check =>
  (value) =>
    isObject(value) && deviations(value, shape).length === 0;

const address = pattern(/^0x([A-Fa-f0-9]{40})$/);
const hex = pattern(/^0x[0-9a-fA-F]+$/);
const hash = pattern(/^0x[0-9a-f]{64}$/);
const decimal = pattern(/^-?([1-9][0-9]*|0)$/);
const float = pattern(/^([1-9][0-9]*|0)(\.[0-9]+)?$/);
const time = pattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
const uri: Check = (value) => typeof value === 'string' && URL.canParse(value);
const oneOf =
  (...legal: string[]): Check =>
  (value) =>
    legal.includes(value as string);

/** What differs: `field: value` for every field that is missing or of another type. */
export function deviations(row: unknown, shape: Shape): string[] {
  if (!isObject(row)) return [`no object: ${String(row)}`];
  return Object.entries(shape)
    .filter(([field, check]) => !check(row[field]))
    .map(([field]) => `${field}: ${show(row[field])}`);
}

function show(value: unknown): string {
  if (value === undefined) return 'missing';
  return JSON.stringify(value, (_key, each: unknown) => (typeof each === 'bigint' ? String(each) : each));
}

export const TOKEN_REQUIRED: Shape = {
  address_hash: address,
  symbol: orNull(text),
  name: orNull(text),
  decimals: orNull(decimal),
  type: orNull(oneOf('ERC-20', 'ERC-721', 'ERC-1155', 'ERC-404', 'ERC-7984')),
  holders_count: orNull(decimal),
  exchange_rate: orNull(float),
  volume_24h: orNull(float),
  total_supply: orNull(decimal),
  icon_url: orNull(uri),
  circulating_market_cap: orNull(float),
  circulating_supply: orNull(float),
  reputation: orNull(oneOf('ok', 'scam')),
};
export const TOKEN_OPTIONAL: Shape = {
  bridge_type: orNull(oneOf('omni', 'amb')),
  foreign_address: orNull(address),
  origin_chain_id: orNull(decimal),
};

const tag = has({ address_hash: address, display_name: text, label: text });
export const ADDRESS_REF: Shape = {
  hash: address,
  implementation_name: orNull(text),
  name: orNull(text),
  is_contract: bool,
  is_verified: bool,
  ens_domain_name: orNull(text),
  private_tags: listOf(tag),
  public_tags: listOf(tag),
  watchlist_names: listOf(has({ display_name: text, label: text })),
  metadata: orNull(has({ slug: text, name: text, tagType: text, ordinal: integer, meta: isObject })),
};
const ref = has(ADDRESS_REF);
const token = has(TOKEN_REQUIRED);

const pieceMetadata = has({
  year: integer,
  tags: listOf(text),
  name: text,
  image_url: text,
  home_url: text,
  external_url: text,
  description: text,
  attributes: listOf(has({ value: text, trait_type: text })),
});
const instance = has({
  is_unique: bool,
  id: text,
  owner: ref,
  token,
  holder_address_hash: address,
  image_url: text,
  animation_url: text,
  external_app_url: text,
  metadata: pieceMetadata,
});
export const TOKEN_BALANCE: Shape = {
  value: decimal,
  token_id: orNull(decimal),
  token,
  token_instance: orNull(instance),
};

export const INTERNAL_TRANSACTION: Shape = {
  block_number: integer,
  created_contract: orNull(ref),
  error: orNull(text),
  from: ref,
  to: orNull(ref),
  gas_limit: decimal,
  index: integer,
  success: bool,
  timestamp: time,
  transaction_hash: hash,
  type: text,
  value: decimal,
};

const transfer = has({
  block_hash: hash,
  transaction_hash: hash,
  log_index: integer,
  from: ref,
  to: ref,
  token,
  total: has({ decimals: text, value: decimal }),
  type: text,
  method: orNull(text),
  timestamp: time,
});
const parameter = has({ name: text, type: text, value: text });
const actionData = has({
  debt_amount: text,
  debt_symbol: text,
  debt_address: address,
  collateral_amount: text,
  collateral_symbol: text,
  collateral_address: address,
  block_number: integer,
});
export const TRANSACTION: Shape = {
  hash,
  timestamp: time,
  block_number: integer,
  status: oneOf('ok', 'error'),
  method: orNull(text),
  confirmations: integer,
  confirmation_duration: (value) => listOf(number)(value) && (value as unknown[]).length === 2,
  type: integer,
  position: integer,
  nonce: integer,
  from: ref,
  to: orNull(ref),
  created_contract: orNull(ref),
  fee: has({ type: oneOf('maximum', 'actual'), value: decimal }),
  value: decimal,
  gas_limit: integer,
  gas_used: decimal,
  gas_price: decimal,
  base_fee_per_gas: decimal,
  max_fee_per_gas: decimal,
  max_priority_fee_per_gas: decimal,
  priority_fee: decimal,
  transaction_burnt_fee: decimal,
  exchange_rate: float,
  result: text,
  revert_reason: orNull(text),
  raw_input: pattern(/^0x[0-9a-f]*$/i),
  has_error_in_internal_transactions: bool,
  transaction_tag: orNull(text),
  transaction_types: listOf(
    oneOf('token_transfer', 'contract_creation', 'contract_call', 'token_creation', 'coin_transfer'),
  ),
  token_transfers: listOf(transfer),
  token_transfers_overflow: bool,
  decoded_input: orNull(has({ method_call: text, method_id: text, parameters: listOf(parameter) })),
  actions: listOf(has({ protocol: text, type: text, data: actionData })),
};

const none: Check = (value) => value === null;
/** A transaction that is in no block yet. */
export const PENDING: Shape = {
  ...TRANSACTION,
  timestamp: none,
  block_number: none,
  status: none,
  confirmation_duration: (value) => Array.isArray(value) && value.length === 0,
  type: none,
  position: none,
  gas_used: none,
  base_fee_per_gas: none,
  priority_fee: none,
  transaction_burnt_fee: none,
  has_error_in_internal_transactions: none,
};

export const BLOCK: Shape = {
  hash,
  parent_hash: hash,
  height: integer,
  type: text,
  timestamp: time,
  miner: ref,
  nonce: hex,
  difficulty: decimal,
  total_difficulty: decimal,
  size: integer,
  extra_data: text,
  state_root: hash,
  gas_limit: decimal,
  gas_used: decimal,
  gas_used_percentage: number,
  gas_target_percentage: number,
  base_fee_per_gas: decimal,
  burnt_fees: decimal,
  burnt_fees_percentage: number,
  priority_fee: decimal,
  transaction_fees: decimal,
  transactions_count: integer,
  withdrawals_count: integer,
  uncles_hashes: listOf(hash),
  rewards: listOf(
    has({ reward: number, type: oneOf('Miner Reward', 'Emission Reward', 'Chore Reward', 'Uncle Reward') }),
  ),
};
