// The tables of the specification as schemas: section 2 for what is answered, 4 for cursors, 7 for errors, 8 for headers.
// No property beyond those listed is allowed. Where the specification does not say whether a field may be null, it may be
// null where nothing can be said: names that nobody gave, what only a block can tell, what is not traced yet.
import * as z from 'zod';

const Text = z.string();
/** Integers beyond 2^53 were read exactly. */
const Integer = z.union([z.int(), z.bigint()]);
const Num = z.union([z.number(), z.bigint()]);

// 2.1
const AddressHash = Text.regex(/^0x([A-Fa-f0-9]{40})$/);
const IntegerString = Text.regex(/^-?([1-9][0-9]*|0)$/);
const FloatString = Text.regex(/^([1-9][0-9]*|0)(\.[0-9]+)?$/);
const TokenType = z.enum(['ERC-20', 'ERC-721', 'ERC-1155', 'ERC-404', 'ERC-7984']);
const Timestamp = Text.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
const Hash = Text.regex(/^0x[0-9a-f]{64}$/);
const Hex = Text.regex(/^0x[0-9a-fA-F]*$/);

// 2.2
export const Token = z.strictObject({
  address_hash: AddressHash,
  symbol: Text.nullable(),
  name: Text.nullable(),
  decimals: IntegerString.nullable(),
  type: TokenType.nullable(),
  holders_count: IntegerString.nullable(),
  exchange_rate: FloatString.nullable(),
  volume_24h: FloatString.nullable(),
  total_supply: IntegerString.nullable(),
  icon_url: z.url().nullable(),
  circulating_market_cap: FloatString.nullable(),
  circulating_supply: FloatString.nullable(),
  reputation: z.enum(['ok', 'scam']).nullable(),
  bridge_type: z.enum(['omni', 'amb']).nullable().optional(),
  foreign_address: AddressHash.nullable().optional(),
  origin_chain_id: IntegerString.nullable().optional(),
});

// 2.3
const Tag = z.strictObject({ address_hash: AddressHash, display_name: Text, label: Text });
const addressFields = {
  hash: AddressHash,
  implementation_name: Text.nullable(),
  name: Text.nullable(),
  is_contract: z.boolean(),
  is_verified: z.boolean(),
  ens_domain_name: Text.nullable(),
  private_tags: z.array(Tag),
  public_tags: z.array(Tag),
  watchlist_names: z.array(z.strictObject({ display_name: Text, label: Text })),
  metadata: z
    .strictObject({ slug: Text, name: Text, tagType: Text, ordinal: Integer, meta: z.record(Text, z.unknown()) })
    .nullable(),
};
export const Address = z.strictObject(addressFields);

// 2.4
export const TokenBalance = z.strictObject({
  value: IntegerString,
  token_id: IntegerString.nullable(),
  token: Token,
  token_instance: z
    .strictObject({
      is_unique: z.boolean(),
      id: Text,
      owner: Address,
      token: Token,
      holder_address_hash: AddressHash,
      image_url: Text,
      animation_url: Text,
      external_app_url: Text,
      metadata: z.strictObject({
        year: Integer,
        tags: z.array(Text),
        name: Text,
        image_url: Text,
        home_url: Text,
        external_url: Text,
        description: Text,
        attributes: z.array(z.strictObject({ value: Text, trait_type: Text })),
      }),
    })
    .nullable(),
});

// 2.5
export const InternalTransaction = z.strictObject({
  block_number: Integer,
  created_contract: Address.nullable(),
  error: Text.nullable(),
  from: Address,
  to: Address.nullable(),
  gas_limit: IntegerString,
  index: Integer,
  success: z.boolean(),
  timestamp: Timestamp,
  transaction_hash: Hash,
  type: Text,
  value: IntegerString,
});

// 2.6
const TokenTransfer = z.strictObject({
  block_hash: Hash,
  transaction_hash: Hash,
  log_index: Integer,
  from: Address,
  to: Address,
  token: Token,
  total: z.strictObject({ decimals: IntegerString.nullable(), value: IntegerString }),
  type: Text,
  method: Text.nullable(),
  timestamp: Timestamp,
});
/** In the list of transfers, which is beyond the specification. */
const ListedTransfer = TokenTransfer.extend({
  block_number: Integer,
  total: z.union([
    TokenTransfer.shape.total.extend({ token_id: Text.optional(), token_instance: z.null().optional() }),
    z.strictObject({ token_id: Text, token_instance: z.null() }),
  ]),
});
const ActionData = z.strictObject({
  debt_amount: Text,
  debt_symbol: Text,
  debt_address: AddressHash,
  collateral_amount: Text,
  collateral_symbol: Text,
  collateral_address: AddressHash,
  block_number: Integer,
});
const Parameter = z.strictObject({ name: Text, type: Text, value: Text });
export const Transaction = z.strictObject({
  hash: Hash,
  timestamp: Timestamp.nullable(),
  block_number: Integer.nullable(),
  status: z.enum(['ok', 'error']).nullable(),
  method: Text.nullable(),
  confirmations: Integer,
  confirmation_duration: z.tuple([Num, Num]).nullable(),
  type: Integer.nullable(),
  position: Integer.nullable(),
  nonce: Integer,
  from: Address,
  to: Address.nullable(),
  created_contract: Address.nullable(),
  fee: z.strictObject({ type: z.enum(['maximum', 'actual']), value: IntegerString }),
  value: IntegerString,
  gas_limit: Integer,
  gas_used: IntegerString.nullable(),
  gas_price: IntegerString,
  base_fee_per_gas: IntegerString.nullable(),
  max_fee_per_gas: IntegerString,
  max_priority_fee_per_gas: IntegerString,
  priority_fee: IntegerString.nullable(),
  transaction_burnt_fee: IntegerString.nullable(),
  exchange_rate: FloatString,
  result: Text,
  revert_reason: Text.nullable(),
  raw_input: Hex,
  has_error_in_internal_transactions: z.boolean().nullable(),
  transaction_tag: Text.nullable(),
  transaction_types: z.array(
    z.enum(['token_transfer', 'contract_creation', 'contract_call', 'token_creation', 'coin_transfer']),
  ),
  token_transfers: z.array(TokenTransfer),
  token_transfers_overflow: z.boolean(),
  decoded_input: z.strictObject({ method_call: Text, method_id: Text, parameters: z.array(Parameter) }).nullable(),
  actions: z.array(z.strictObject({ protocol: Text, type: Text, data: ActionData })),
});

// 2.7
const RewardType = z.enum(['Miner Reward', 'Emission Reward', 'Chore Reward', 'Uncle Reward']);
export const Block = z.strictObject({
  hash: Hash,
  parent_hash: Hash,
  height: Integer,
  type: Text,
  timestamp: Timestamp,
  miner: Address,
  nonce: Hex,
  difficulty: IntegerString,
  total_difficulty: IntegerString,
  size: Integer,
  extra_data: Text,
  state_root: Hash,
  gas_limit: IntegerString,
  gas_used: IntegerString,
  gas_used_percentage: Num,
  gas_target_percentage: Num,
  base_fee_per_gas: IntegerString,
  burnt_fees: IntegerString,
  burnt_fees_percentage: Num.nullable(),
  priority_fee: IntegerString,
  transaction_fees: IntegerString,
  transactions_count: Integer,
  withdrawals_count: Integer,
  uncles_hashes: z.array(Hash),
  rewards: z.array(z.strictObject({ reward: Num, type: RewardType })),
});

// 4: items and next_page_params, whose keys depend on the operation.
function pageOf(item: z.ZodType, cursor: z.ZodRawShape) {
  return z.strictObject({ items: z.array(item).max(50), next_page_params: z.strictObject(cursor).nullable() });
}

const blockCursor = { block_number: Integer, items_count: Integer };
/** By operation, as the sandbox names them. Transfers and the last three are beyond the specification: rows and references are its own. */
export const ANSWERS = {
  token: Token,
  'address-tokens': pageOf(TokenBalance, {
    items_count: Integer,
    token_name: Text.nullable(),
    token_type: Text,
    value: Integer,
  }),
  'address-internal-transactions': pageOf(InternalTransaction, {
    ...blockCursor,
    index: Integer,
    transaction_index: Integer,
  }),
  transactions: pageOf(Transaction, { ...blockCursor, index: Integer }),
  blocks: pageOf(Block, blockCursor),
  'address-token-transfers': pageOf(ListedTransfer, { ...blockCursor, index: Integer }),
  'token-transfers': pageOf(ListedTransfer, { ...blockCursor, index: Integer }),
  'address-transactions': pageOf(Transaction, {
    block_number: Integer.nullable(),
    index: Integer.nullable(),
    value: IntegerString,
    hash: Hash,
    inserted_at: Timestamp,
    fee: IntegerString,
    items_count: Integer,
  }),
  address: z.strictObject({
    ...addressFields,
    coin_balance: IntegerString.nullable(),
    exchange_rate: FloatString,
    block_number_balance_updated_at: Integer.nullable(),
    creator_address_hash: AddressHash.nullable(),
    creation_transaction_hash: Hash.nullable(),
    creation_status: Text.nullable(),
    proxy_type: Text.nullable(),
    implementations: z.array(z.strictObject({ address_hash: AddressHash, name: Text })),
    token: Token.nullable(),
    has_tokens: z.boolean(),
    has_logs: z.boolean(),
  }),
  'smart-contract': z.strictObject({
    name: Text,
    is_verified: z.boolean(),
    is_changed_bytecode: z.boolean(),
    verified_at: Timestamp,
    compiler_version: Text,
    deployed_bytecode: Hex,
    proxy_type: Text.nullable(),
    implementations: z.array(z.strictObject({ address_hash: AddressHash, name: Text })),
    conflicting_implementations: z.array(z.unknown()).nullable(),
  }),
} as const;

// 7
export const NotFound = z.strictObject({ message: Text });
export const Unprocessable = z.strictObject({
  errors: z.array(z.strictObject({ title: Text, source: z.strictObject({ pointer: Text }), detail: Text })).min(1),
});

// 8: on every 200 of the multichain form.
const IntegerHeader = Text.regex(/^(-1|\d+)$/);
export const LimitHeaders = z.object({
  'x-ratelimit-limit': IntegerHeader,
  'x-ratelimit-remaining': IntegerHeader,
  'x-ratelimit-reset': IntegerHeader,
  'x-credits-remaining': Text.regex(/^-?\d+$/),
});

/** What differs, as `items.3.value: ...`; nothing when all is as the schema says. */
export function deviations(schema: z.ZodType, value: unknown): string[] {
  const { error } = schema.safeParse(value);
  return (error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
}
