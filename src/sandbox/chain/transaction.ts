// A transaction before it is written as JSON.

export type CallType =
  'call' | 'callcode' | 'delegatecall' | 'staticcall' | 'create' | 'create2' | 'selfdestruct' | 'stop';

/** An internal transaction. */
export interface InternalCall {
  /** Place in the trace; 0 is the transaction itself, which lists show only when it is a creation. */
  readonly index: number;
  readonly type: CallType;
  readonly from: string;
  readonly to: string | null;
  readonly created: string | null;
  readonly value: bigint;
  readonly gas: number;
  /** The error in the words of the node; null = the call succeeded. */
  readonly error: string | null;
  /** Call data; left out: none. */
  readonly input?: string;
}

export interface Transfer {
  readonly token: string;
  readonly from: string;
  readonly to: string;
  readonly value: bigint | null;
  readonly tokenId: string | null;
  readonly type: 'token_transfer' | 'token_minting' | 'token_burning';
}

export interface Method {
  readonly name: string;
  /** First four bytes of the hash of its signature. */
  readonly id: string;
  /** Signature with names. */
  readonly call: string;
}

export interface ContractAction {
  readonly protocol: string;
  readonly type: string;
  readonly data: Readonly<Record<string, string | number>>;
}

export interface EmittedLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

export interface Transaction {
  readonly hash: string;
  readonly from: string;
  readonly to: string | null;
  readonly created: string | null;
  readonly value: bigint;
  readonly status: 'ok' | 'error';
  /** The reason a contract gave; null when it gave none. */
  readonly reason: string | null;
  /** `success`, or the error in the words of the node. */
  readonly result: string;
  readonly method: Method | null;
  readonly parameters: readonly string[];
  /** Call data that replaces the method's; null = there is none. */
  readonly input: string | null;
  readonly types: readonly string[];
  /** Envelope: 0 legacy, 1 access list, 2 dynamic fee, 3 blob, 4 set code. */
  readonly envelope: number;
  readonly transfers: readonly Transfer[];
  readonly calls: readonly InternalCall[];
  /** Events that the control API emits with it, beside those that follow from its transfers. */
  readonly logs?: readonly EmittedLog[];
  readonly action: ContractAction | null;
  readonly gasUsed: number;
  readonly gasLimit: number;
  /** Tip in wei for each gas. */
  readonly tip: bigint;
  readonly nonce: number;
  /** The number of blocks for which it is pending; 0 = it was never seen as pending. */
  readonly lead: number;
}

/** The present place of a transaction: its block, and its position in the block. */
export interface Mined {
  readonly transaction: Transaction;
  readonly height: number;
  readonly position: number;
}

export interface Waiting {
  readonly transaction: Transaction;
  /** Height of the head when the transaction was first seen. */
  readonly seenAt: number;
}

export const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000';

/** One gwei in wei. */
export const GWEI = 10n ** 9n;

/** The chain's methods, by name. */
export const METHODS = {
  transfer: method('transfer', 'a9059cbb', 'transfer(address to, uint256 value)'),
  approve: method('approve', '095ea7b3', 'approve(address spender, uint256 value)'),
  multicall: method('multicall', 'ac9650d8', 'multicall(bytes[] data)'),
  mint: method('mint', '40c10f19', 'mint(address to, uint256 id)'),
  commit: method('commit', 'f14fcbc8', 'commit(bytes32 root)'),
  withdraw: method('withdraw', '2e1a7d4d', 'withdraw(uint256 amount)'),
  deposit: method('deposit', 'b6b55f25', 'deposit(uint256 amount)'),
  burn: method('burn', '42966c68', 'burn(uint256 amount)'),
  airdrop: method('airdrop', 'c204642c', 'airdrop(address[] to, uint256 amount)'),
  deploy: method('deploy', '2b85ba38', 'deploy(bytes32 salt)'),
  redeem: method('redeem', 'db006a75', 'redeem(uint256 shares)'),
  execute: method('execute', '09c5eabe', 'execute(bytes data)'),
  swap: method('swap', 'df791e50', 'swap(address from, address to, uint256 amount)'),
  rebalance: method('rebalance', 'f4993018', 'rebalance(uint256 amount)'),
} as const;

function method(name: string, id: string, call: string): Method {
  return { name, id: `0x${id}`, call };
}
