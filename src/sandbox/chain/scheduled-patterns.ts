// Transactions of the timetable: the calls to the vault, and all that move the treasury's balances.
import { ADDRESSES, CONTRACTS, TOKENS } from '../names.ts';
import type { TokenBase } from './catalogue.ts';
import {
  call,
  moved,
  WEI_PER_MILLI_COIN,
  type TransactionDraft,
  type TransactionPattern,
  type BuildContext,
} from './transaction-pattern.ts';
import { METHODS, type Transfer } from './transaction.ts';

const { treasury, vault, hot_wallet: hotWallet } = ADDRESSES;
const { router, implementation } = CONTRACTS;

/** Messages of nodes and contracts about a failed call. */
const ERRORS = [
  'execution reverted',
  'execution reverted: insufficient liquidity',
  'out of gas',
  'execution reverted: Pausable: paused',
  'stack underflow (0 <=> 6)',
  'execution reverted: <script>alert(1)</script>',
] as const;

const VAULT_PARTICIPANTS = [vault, router, implementation, hotWallet, TOKENS.USDC];

function errorOf({ height }: BuildContext): string {
  return ERRORS[Math.floor(height / 4) % ERRORS.length] ?? ERRORS[0];
}

function depositOf(context: BuildContext) {
  return { method: METHODS.deposit, parameters: [String(1 + (context.draw(1) % 5000))] };
}

const REBALANCE = { method: METHODS.rebalance, parameters: ['1'] };

const deposit: TransactionPattern = {
  participants: VAULT_PARTICIPANTS,
  build: (context) => ({
    to: router,
    value: BigInt(1 + (context.draw(1) % 5000)) * WEI_PER_MILLI_COIN,
    method: METHODS.deposit,
    parameters: [String(1 + (context.draw(1) % 5000))],
    types: ['contract_call', 'coin_transfer'],
    calls: [
      call('call', router, vault, {
        value: BigInt(1 + (context.draw(1) % 5000)) * WEI_PER_MILLI_COIN,
        ...depositOf(context),
      }),
      call('delegatecall', vault, implementation, depositOf(context)),
      call('staticcall', vault, TOKENS.USDC),
    ],
  }),
};

/** The router catches the error: the transaction goes through, the call inside does not. */
const caughtFailure: TransactionPattern = {
  participants: VAULT_PARTICIPANTS,
  build: (context) => ({
    from: hotWallet,
    to: router,
    method: METHODS.execute,
    parameters: ['0x00'],
    types: ['contract_call'],
    calls: [
      call('call', router, vault, { error: errorOf(context), ...REBALANCE }),
      call('delegatecall', vault, implementation, { error: errorOf(context), ...REBALANCE }),
    ],
  }),
};

/** The whole transaction is reverted, but the calls before the failure still report success. */
const revertedParent: TransactionPattern = {
  participants: VAULT_PARTICIPANTS,
  build: (context) => ({
    to: router,
    method: METHODS.redeem,
    parameters: [String(context.draw(1))],
    types: ['contract_call'],
    failure: { result: 'execution reverted', reason: 'vault is paused' },
    calls: [
      call('call', router, vault, {
        value: BigInt(context.draw(2) % 900) * WEI_PER_MILLI_COIN,
        ...depositOf(context),
      }),
      call('call', router, vault, { error: 'execution reverted: vault is paused', ...REBALANCE }),
    ],
  }),
};

/** Slot 0, in every second block. Among six transactions, two have a call that fails, and one fails as a whole. */
export const VAULT_PATTERNS = [deposit, caughtFailure, deposit, caughtFailure, deposit, revertedParent] as const;

/** Slot 1: `change` is the block's change of the treasury's USDC. */
export function usdcPattern(change: (height: number) => bigint): TransactionPattern {
  return {
    participants: [treasury, TOKENS.USDC],
    build: (context) => {
      const difference = change(context.height);
      const [from, to] = difference < 0n ? [treasury, context.peer] : [context.sender, treasury];
      return tokenTransfer(from, moved(TOKENS.USDC, from, to, difference < 0n ? -difference : difference));
    },
  };
}

function tokenTransfer(from: string, transfer: Transfer): TransactionDraft {
  return {
    from,
    to: transfer.token,
    method: METHODS.transfer,
    parameters: [transfer.to, String(transfer.value)],
    types: ['contract_call', 'token_transfer'],
    transfers: [transfer],
  };
}

/** Slot 2: coins reach the treasury through the vault, and leave it directly. */
export function coinPattern(change: (height: number) => bigint): TransactionPattern {
  return {
    participants: [treasury, vault, implementation],
    build: (context) => {
      const difference = change(context.height);
      if (difference < 0n) return { from: treasury, to: context.peer, value: -difference, types: ['coin_transfer'] };
      return {
        to: vault,
        method: METHODS.withdraw,
        parameters: [String(difference)],
        types: ['contract_call'],
        calls: [call('delegatecall', vault, implementation), call('call', vault, treasury, { value: difference })],
      };
    },
  };
}

/** Slot 3: spam is dropped on the treasury. */
export function spamPattern(
  spam: readonly TokenBase[],
  arriving: (height: number) => Arrival | undefined,
): TransactionPattern {
  return {
    participants: [treasury, ...spam.map(({ address }) => address)],
    build: (context) => {
      const arrival = arriving(context.height);
      if (arrival === undefined) return { to: context.peer, types: [] };
      return {
        to: arrival.token.address,
        method: METHODS.airdrop,
        parameters: [`["${treasury}"]`, String(arrival.value)],
        types: ['contract_call', 'token_transfer'],
        transfers: [moved(arrival.token.address, arrival.token.address, treasury, arrival.value)],
      };
    },
  };
}

export interface Arrival {
  readonly token: TokenBase;
  readonly value: bigint;
}
