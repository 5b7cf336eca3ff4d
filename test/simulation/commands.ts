// What happens on the chain, as commands to the sandbox's control API. The same commands at the same times make the
// same chain on every replica that is given them.
import type { ADDRESSES, CONTRACTS, TOKENS } from '../../src/sandbox/names.ts';
import type { ValueName } from './chain/values.ts';
import type { Instant } from './model.ts';

/** Block n exists from genesis (2026-01-01T00:00:00Z) + n minutes on. */
export const BLOCK_MS = 60_000;

export type Party = keyof typeof ADDRESSES | keyof typeof CONTRACTS;
export type TokenName = keyof typeof TOKENS;

/** A call inside a transaction; `reason` null = it goes through. Hidden ones are not traced yet. */
interface PlaceCall {
  readonly do: 'call';
  readonly to: Party;
  readonly reason: string | null;
  readonly isHidden: boolean;
}

interface PlaceTransaction {
  readonly do: 'transaction';
  readonly from: Party;
  /** In whole coins. */
  readonly value: number;
  readonly isFailed: boolean;
  /** So many blocks; null = it is mined at once. */
  readonly waits: number | 'for ever' | null;
  readonly nonce: number | null;
}

/** A transaction that emits one event, or two equal ones. */
export interface PlaceEvent {
  readonly do: 'event';
  /** Who emits it. */
  readonly of: Party | TokenName;
  readonly event: EventName;
  /** Its arguments, in their order. */
  readonly args: readonly string[];
  readonly times: 1 | 2;
}

/** A transaction in which a token says that it moved; no balance changes. */
export interface PlaceTransfer {
  readonly do: 'transfer';
  readonly token: TokenName;
  readonly from: Party;
  readonly to: Party;
  /** In the smallest unit. */
  readonly value: number;
}

/** Each with its arguments, as in Solidity. */
export const EVENTS = {
  Paused: 'Paused(address account)',
  OwnershipTransferred: 'OwnershipTransferred(address indexed previousOwner, address indexed newOwner)',
  RoleGranted: 'RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)',
  Approval: 'Approval(address indexed owner, address indexed spender, uint256 value)',
} as const;
export type EventName = keyof typeof EVENTS;

/** `place` commands are known by their id: what is done to them later names it. */
export type Place = { readonly at: Instant; readonly id: string } & (
  PlaceCall | PlaceTransaction | PlaceEvent | PlaceTransfer
);

export type Change = { readonly at: Instant } & (
  | { readonly do: 'reveal'; readonly id: string }
  | { readonly do: 'drop'; readonly id: string }
  | { readonly do: 'end-otherwise'; readonly id: string; readonly reason: string | null }
  | { readonly do: 'reorganise'; readonly blocks: number; readonly isRemined: boolean }
  | { readonly do: 'freeze' | 'unfreeze' }
  /** In whole coins. */
  | { readonly do: 'coin'; readonly value: number }
  /** In the smallest unit; 0 takes it out of the list. */
  | { readonly do: 'token'; readonly token: TokenName; readonly value: number }
  | { readonly do: 'flag'; readonly reputation: 'ok' | 'scam' }
  /** Other code behind the vault. */
  | { readonly do: 'upgrade'; readonly to: Code }
  /** Sets a value of a contract, written as in chain/values.ts. */
  | { readonly do: 'value'; readonly of: ValueName; readonly to: string }
  /** The function that returns this value reverts from now on, or no longer. */
  | { readonly do: 'reverts'; readonly of: ValueName; readonly isSo: boolean }
);

/** What may be behind the vault. */
export type Code = 'implementation' | 'safe_singleton' | 'factory' | 'bridge';

export type Command = Place | Change;

const PLACES: ReadonlySet<string> = new Set(['call', 'transaction', 'event', 'transfer'] satisfies Place['do'][]);

export function isPlace(command: Command): command is Place {
  return PLACES.has(command.do);
}

/** Commands of a block stand in its first forty seconds, reorganisations behind them: an emptied block takes no more. */
export function inBlock(at: Instant, offsetMs: number): Instant {
  return Math.floor(at / BLOCK_MS) * BLOCK_MS + offsetMs;
}

/** By time; of equals the one that was named first. */
export function inOrder(commands: readonly Command[]): readonly Command[] {
  return commands.toSorted((a, b) => a.at - b.at);
}
