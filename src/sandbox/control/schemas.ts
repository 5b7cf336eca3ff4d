// The arguments of the control calls, the same in process and over HTTP.
import * as z from 'zod';
import { TOKEN_TYPES } from '../chain/catalogue.ts';
import { isAddress } from '../chain/keys.ts';
import { ZERO_ADDRESS } from '../chain/transaction.ts';
import { ADDRESSES, CONTRACTS, TOKENS } from '../names.ts';
import { OPERATIONS } from '../operations.ts';
import { TRANSFERS_PER_TRANSACTION } from '../render/transaction.ts';

const Account = addressOrOneOf(ADDRESSES);
const TokenName = addressOrOneOf(TOKENS);

/** 0x and 40 digits, or one of the well-known names. */
function addressOrOneOf(names: Readonly<Record<string, string>>) {
  const addressByName = new Map(Object.entries(names));
  const message = `expected 0x and 40 digits, or ${Object.keys(names).join(', ')}`;
  return z
    .string()
    .transform((text) => addressByName.get(text) ?? text)
    .refine(isAddress, message);
}

/** In the smallest unit. Values above 2^53 are text. */
const Raw = z
  .union([z.bigint().min(0n), z.number().int().min(0).max(Number.MAX_SAFE_INTEGER), z.string().regex(/^\d{1,78}$/)])
  .transform((value) => BigInt(value));

const TokenId = z.string().regex(/^\d{1,78}$/);
const Text = z.string().max(10_000);

const MOST_BLOCKS = 100_000;
const DEEPEST_REORG = 256;

export const Mine = z.strictObject({ blocks: z.number().int().min(1).max(MOST_BLOCKS).default(1) });

/** Without `token`: the native coin. */
export const SetBalance = z.strictObject({
  address: Account,
  token: TokenName.optional(),
  tokenId: TokenId.optional(),
  value: Raw,
});

export const MoveBalance = z.strictObject({
  from: Account,
  to: Account,
  token: TokenName.optional(),
  tokenId: TokenId.optional(),
  value: Raw,
});

const Plain = z.union([z.string().max(10_000), z.number(), z.boolean()]).transform(String);

/** For bytes that are the data of a call, the function and its arguments may be written in place of the bytes. */
const Argument = z.union([
  Plain,
  z.strictObject({ function: z.string().max(1000), args: z.array(Plain).max(64).default([]) }),
]);
export type WrittenArgument = z.output<typeof Argument>;

/** The function that a call calls, with its arguments: `transferOwnership(address newOwner)`; null: no call data. */
const CALLED = { function: z.string().max(1000).nullable().default(null), args: z.array(Argument).max(64).default([]) };

export const FailCall = z.strictObject({
  to: Account,
  from: Account.optional(),
  reason: Text.default('execution reverted'),
  type: z.enum(['call', 'callcode', 'delegatecall', 'staticcall', 'create', 'create2', 'selfdestruct']).default('call'),
  value: Raw.default(0n),
  ...CALLED,
});

/** A call inside a transaction that goes through. */
export const CallContract = z.strictObject({
  to: Account,
  from: Account.optional(),
  type: z.enum(['call', 'delegatecall']).default('call'),
  value: Raw.default(0n),
  ...CALLED,
});

export const AddTransaction = z.strictObject({
  from: Account.default(ADDRESSES.hot_wallet),
  to: Account.nullable().default(ADDRESSES.vault),
  value: Raw.default(0n),
  method: z.string().max(100).nullable().default(null),
  /** Call data that replaces the method's own. */
  input: z
    .string()
    .regex(/^0x(?:[0-9a-fA-F]{2}){0,65536}$/, 'expected 0x and an even number of hexadecimal digits')
    .nullable()
    .default(null),
  ...CALLED,
  types: z.array(z.string().max(100)).max(20).optional(),
  status: z.enum(['ok', 'error', 'pending']).default('ok'),
  /** For `error`: the message of the contract. */
  reason: Text.nullable().default(null),
  /** For `pending`: the number of blocks after which it is mined; null = never. */
  minedAfter: z.number().int().min(1).max(MOST_BLOCKS).nullable().default(1),
  /**
   * Left out: the next nonce. On a real chain two transactions of one sender with one nonce exclude each other, but not
   * here.
   */
  nonce: z.number().int().min(0).optional(),
});

/** An event of a contract: by its signature and its arguments, or by topics and data. */
export const Emit = z.strictObject({
  address: addressOrOneOf({ ...ADDRESSES, ...TOKENS }).default(ADDRESSES.vault),
  /** `Paused(address account)` */
  event: z.string().max(1000).default('Paused(address account)'),
  args: z.array(Argument).max(64).default([]),
  /** Topics and data that replace those of the event. */
  topics: z
    .array(z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'expected 0x and 64 digits'))
    .min(1)
    .max(4)
    .optional(),
  data: z
    .string()
    .regex(/^0x(?:[0-9a-fA-F]{2}){0,65536}$/, 'expected 0x and an even number of hexadecimal digits')
    .optional(),
  /** The number of equal events in one transaction. */
  times: z.number().int().min(1).max(5000).default(1),
  from: Account.default(ADDRESSES.hot_wallet),
});

/**
 * A transaction that moves tokens; `from` left out: they are minted. Without `moves` the contract only emits the event,
 * and no balance changes: any contract can do that.
 */
export const TransferToken = z.strictObject({
  token: TokenName,
  from: Account.default(ZERO_ADDRESS),
  to: Account.default(ZERO_ADDRESS),
  value: Raw,
  tokenId: TokenId.optional(),
  method: z.string().max(100).default('transfer'),
  /** The number of equal transfers in one transaction. */
  times: z.number().int().min(1).max(TRANSFERS_PER_TRANSACTION).default(1),
  moves: z.boolean().default(true),
});

const Hash = z.string().regex(/^0x[0-9a-f]{64}$/, 'expected 0x and 64 digits');

export const DropTransaction = z.strictObject({ hash: Hash });

/** `reason` null: the transaction goes through. */
export const ChangeTransaction = z.strictObject({ hash: Hash, reason: Text.nullable() });

export const FlagToken = z.strictObject({ token: TokenName, reputation: z.enum(['ok', 'scam']).default('scam') });

/** Without `token`: the native coin. Null: the explorer has no price. */
export const SetPrice = z.strictObject({
  token: TokenName.optional(),
  price: z
    .string()
    .regex(/^\d{1,20}(?:\.\d{1,20})?$/, 'expected a decimal such as 0.9996')
    .nullable(),
});

/** Without `token`: a new token is made, with the given name and type. */
export const GiveToken = z.strictObject({
  address: Account,
  token: TokenName.optional(),
  tokenId: TokenId.optional(),
  value: Raw.default(10n ** 18n),
  name: Text.nullable().default('New Token'),
  symbol: Text.nullable().default('NEW'),
  type: z.enum(TOKEN_TYPES).default('ERC-20'),
  decimals: z.number().int().min(0).max(255).nullable().default(18),
  reputation: z.enum(['ok', 'scam']).default('ok'),
});

export const Upgrade = z.strictObject({
  address: Account.default(ADDRESSES.vault),
  implementation: addressOrOneOf(CONTRACTS),
  name: z.string().min(1).max(100).default('VaultV2'),
  conflicting: z.boolean().default(false),
});

const Contract = addressOrOneOf({ ...ADDRESSES, ...TOKENS });

/** A function of a contract that reverts from now on, or no longer. */
export const RevertCall = z.strictObject({
  address: Contract.default(ADDRESSES.vault),
  /** `totalAssets()` */
  call: z.string().max(1000).default('totalAssets()'),
  reverts: z.boolean().default(true),
});

const Word = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/, 'expected 0x and at most 64 digits')
  .transform((text) => `0x${text.slice(2).toLowerCase().padStart(64, '0')}`);

export const SetSlot = z.strictObject({ address: Contract.default(ADDRESSES.vault), slot: Word, value: Word });

/** A function of a contract returns this word from now on. */
export const SetResult = z.strictObject({
  address: Contract.default(ADDRESSES.vault),
  call: z.string().max(1000).default('totalAssets()'),
  value: Word,
});

export const Reorganise = z.strictObject({
  blocks: z.number().int().min(1).max(DEEPEST_REORG).default(1),
  transactions: z.enum(['remined', 'dropped']).default('remined'),
});

/**
 * Internal transactions of future blocks appear this many blocks late. Without `blocks` they appear when they are
 * released.
 */
export const DelayInternals = z.strictObject({ blocks: z.number().int().min(1).max(MOST_BLOCKS).optional() });

const MOST_BEHIND = 1000;

/** 0 ends the lag. Values that the control API sets are shown at once, in spite of a lag. */
export const Lag = z.strictObject({
  operation: z.enum(OPERATIONS),
  blocks: z.number().int().min(0).max(MOST_BEHIND).default(1),
});

export const HideTraces = z.strictObject({ block: z.number().int().min(0), hidden: z.boolean().default(true) });

export const Spend = z.strictObject({ credits: z.number().int().min(1).max(1_000_000_000_000) });
