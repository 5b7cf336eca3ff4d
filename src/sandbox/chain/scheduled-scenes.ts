// What happens by the timetable: the calls to the vault and everything that moves the treasury.
import { ADDRESSES, CONTRACTS, TOKENS } from '../names.ts';
import type { TokenBase } from './catalogue.ts';
import { call, moved, WEI_PER_MILLI_COIN, type Play, type Scene, type Stage } from './stage.ts';
import { METHODS, type Transfer } from './transaction.ts';

const { treasury, vault, hot_wallet: hotWallet } = ADDRESSES;
const { router, implementation } = CONTRACTS;

/** What nodes and contracts say when a call fails. */
const ERRORS = [
  'execution reverted',
  'execution reverted: insufficient liquidity',
  'out of gas',
  'execution reverted: Pausable: paused',
  'stack underflow (0 <=> 6)',
  'execution reverted: <script>alert(1)</script>',
] as const;

const VAULT_CAST = [vault, router, implementation, hotWallet, TOKENS.USDC];

function errorOf({ height }: Stage): string {
  return ERRORS[Math.floor(height / 4) % ERRORS.length] ?? ERRORS[0];
}

const deposit: Scene = {
  cast: VAULT_CAST,
  play: (stage) => ({
    to: router,
    value: BigInt(1 + (stage.draw(1) % 5000)) * WEI_PER_MILLI_COIN,
    method: METHODS.deposit,
    parameters: [String(1 + (stage.draw(1) % 5000))],
    types: ['contract_call', 'coin_transfer'],
    calls: [
      call('call', router, vault, { value: BigInt(1 + (stage.draw(1) % 5000)) * WEI_PER_MILLI_COIN }),
      call('delegatecall', vault, implementation),
      call('staticcall', vault, TOKENS.USDC),
    ],
  }),
};

/** The router catches the error: the transaction goes through, the call inside does not. */
const caughtFailure: Scene = {
  cast: VAULT_CAST,
  play: (stage) => ({
    from: hotWallet,
    to: router,
    method: METHODS.execute,
    parameters: ['0x00'],
    types: ['contract_call'],
    calls: [
      call('call', router, vault, { error: errorOf(stage) }),
      call('delegatecall', vault, implementation, { error: errorOf(stage) }),
    ],
  }),
};

/** Everything is undone, yet the calls before the failure still say success. */
const revertedParent: Scene = {
  cast: VAULT_CAST,
  play: (stage) => ({
    to: router,
    method: METHODS.redeem,
    parameters: [String(stage.draw(1))],
    types: ['contract_call'],
    failure: { result: 'execution reverted', reason: 'vault is paused' },
    calls: [
      call('call', router, vault, { value: BigInt(stage.draw(2) % 900) * WEI_PER_MILLI_COIN }),
      call('call', router, vault, { error: 'execution reverted: vault is paused' }),
    ],
  }),
};

/** Slot 0, every second block: every second of them fails inside, every sixth as a whole. */
export const VAULT_SCENES = [deposit, caughtFailure, deposit, caughtFailure, deposit, revertedParent] as const;

/** Slot 1: `change` is what the block does to the treasury's USDC. */
export function usdcScene(change: (height: number) => bigint): Scene {
  return {
    cast: [treasury, TOKENS.USDC],
    play: (stage) => {
      const difference = change(stage.height);
      const [from, to] = difference < 0n ? [treasury, stage.peer] : [stage.sender, treasury];
      return tokenTransfer(from, moved(TOKENS.USDC, from, to, difference < 0n ? -difference : difference));
    },
  };
}

function tokenTransfer(from: string, transfer: Transfer): Play {
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
export function coinScene(change: (height: number) => bigint): Scene {
  return {
    cast: [treasury, vault, implementation],
    play: (stage) => {
      const difference = change(stage.height);
      if (difference < 0n) return { from: treasury, to: stage.peer, value: -difference, types: ['coin_transfer'] };
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
export function spamScene(spam: readonly TokenBase[], arriving: (height: number) => Arrival | undefined): Scene {
  return {
    cast: [treasury, ...spam.map(({ address }) => address)],
    play: (stage) => {
      const arrival = arriving(stage.height);
      if (arrival === undefined) return { to: stage.peer, types: [] };
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
