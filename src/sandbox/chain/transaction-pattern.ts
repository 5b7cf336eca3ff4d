// A pattern is one sort of transaction; built for a block and a slot it becomes a particular one.
import { callData } from '../render/call-data.ts';
import type { ContractAction, InternalCall, CallType, Method, Transfer } from './transaction.ts';

export interface BuildContext {
  readonly height: number;
  readonly slot: number;
  readonly sender: string;
  readonly peer: string;
  /** The address of the contract that the transaction creates. */
  readonly created: string;
  /** Numbers of 32 bits that belong to this place. */
  draw(number: number): number;
}

export interface TransactionPattern {
  /** All accounts that may take part, except sender, peer and created. By this list their transactions are found. */
  readonly participants: readonly string[];
  readonly makesToken?: boolean;
  build(context: BuildContext): TransactionDraft;
}

export type CallSketch = Omit<InternalCall, 'index'>;

/** The fields that a pattern sets; the others are empty or drawn. */
export interface TransactionDraft {
  readonly from?: string;
  readonly to: string | null;
  readonly created?: string;
  readonly value?: bigint;
  readonly failure?: { readonly result: string; readonly reason: string | null };
  readonly method?: Method;
  readonly parameters?: readonly string[];
  readonly types: readonly string[];
  readonly envelope?: number;
  readonly transfers?: readonly Transfer[];
  readonly calls?: readonly CallSketch[];
  readonly action?: ContractAction;
}

interface CallExtra {
  readonly value?: bigint;
  readonly error?: string;
  readonly method?: Method;
  readonly parameters?: readonly string[];
}

export function call(type: CallType, from: string, to: string, extra: CallExtra = {}): CallSketch {
  const { value = 0n, error = null, method, parameters = [] } = extra;
  const data = method === undefined ? {} : { input: callData(method, parameters) };
  return { type, from, to, created: null, value, gas: 60_000, error, ...data };
}

export function creation(type: 'create' | 'create2', from: string, created: string): CallSketch {
  return { type, from, to: null, created, value: 0n, gas: 900_000, error: null };
}

export function moved(token: string, from: string, to: string, value: bigint): Transfer {
  return { token, from, to, value, tokenId: null, type: 'token_transfer' };
}

export const WEI_PER_MILLI_COIN = 10n ** 15n;
