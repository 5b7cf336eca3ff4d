// Transactions of the crowd, of every sort that an explorer shows.
import { ADDRESSES, CONTRACTS, TOKENS } from '../names.ts';
import { contractCreation, deployment, tokenCreation } from './creation-patterns.ts';
import { call, moved, WEI_PER_MILLI_COIN, type TransactionPattern, type BuildContext } from './transaction-pattern.ts';
import { METHODS, ZERO_ADDRESS } from './transaction.ts';

const { vault, hot_wallet: hotWallet, collector } = ADDRESSES;
const { router, implementation, market, bridge } = CONTRACTS;

const coins = (context: BuildContext, most: number): bigint =>
  BigInt(1 + (context.draw(1) % most)) * WEI_PER_MILLI_COIN;

const coinTransfer: TransactionPattern = {
  participants: [hotWallet],
  build: (context) => ({
    to: context.draw(2) % 4 === 0 ? hotWallet : context.peer,
    value: coins(context, 200_000),
    types: ['coin_transfer'],
  }),
};

const usdcTransfer: TransactionPattern = {
  participants: [TOKENS.USDC],
  build: (context) => {
    const amount = BigInt(context.draw(1)) * 100n;
    return {
      to: TOKENS.USDC,
      method: METHODS.transfer,
      parameters: [context.peer, String(amount)],
      types: ['contract_call', 'token_transfer'],
      transfers: [moved(TOKENS.USDC, context.sender, context.peer, amount)],
    };
  },
};

const approval: TransactionPattern = {
  participants: [TOKENS.ACME, router],
  build: () => ({
    to: TOKENS.ACME,
    method: METHODS.approve,
    parameters: [router, String(2n ** 256n - 1n)],
    types: ['contract_call'],
    envelope: 1,
  }),
};

const swap: TransactionPattern = {
  participants: [router, market, TOKENS.USDC, TOKENS.ACME],
  build: (context) => {
    const [usdc, acme] = [BigInt(context.draw(1)), BigInt(context.draw(2)) * 10n ** 9n];
    return {
      to: router,
      method: METHODS.swap,
      parameters: [TOKENS.USDC, TOKENS.ACME, String(usdc)],
      types: ['contract_call', 'token_transfer'],
      transfers: [moved(TOKENS.USDC, context.sender, market, usdc), moved(TOKENS.ACME, market, context.sender, acme)],
      calls: [call('call', router, market), call('staticcall', market, TOKENS.USDC), call('callcode', market, router)],
      action: liquidation(context, usdc, acme),
    };
  },
};

function liquidation(context: BuildContext, debt: bigint, collateral: bigint) {
  return {
    protocol: 'aave_v3',
    type: 'liquidation_call',
    data: {
      debt_amount: String(debt),
      debt_symbol: 'USDC',
      debt_address: TOKENS.USDC,
      collateral_amount: String(collateral),
      collateral_symbol: 'ACME',
      collateral_address: TOKENS.ACME,
      block_number: context.height,
    },
  };
}

const badgeMint: TransactionPattern = {
  participants: [market, collector, TOKENS.BADGE],
  build: (context) => {
    const id = String(1 + (context.draw(1) % 75));
    return {
      to: market,
      value: coins(context, 300),
      method: METHODS.mint,
      parameters: [collector, id],
      types: ['contract_call', 'token_transfer', 'coin_transfer'],
      transfers: [
        { token: TOKENS.BADGE, from: ZERO_ADDRESS, to: collector, value: null, tokenId: id, type: 'token_minting' },
      ],
      calls: [call('call', market, TOKENS.BADGE), call('call', market, collector, { value: coins(context, 3) })],
    };
  },
};

const pausedWithdrawal: TransactionPattern = {
  participants: [vault, implementation],
  build: (context) => ({
    to: vault,
    method: METHODS.withdraw,
    parameters: [String(context.draw(1))],
    types: ['contract_call'],
    failure: { result: 'execution reverted', reason: 'Pausable: paused' },
    calls: [call('delegatecall', vault, implementation, { error: 'execution reverted: Pausable: paused' })],
  }),
};

const outOfGas: TransactionPattern = {
  participants: [router],
  build: (context) => ({
    to: router,
    method: METHODS.multicall,
    parameters: [`["0x${context.draw(1).toString(16).padStart(8, '0')}"]`],
    types: ['contract_call'],
    failure: { result: 'out of gas', reason: null },
  }),
};

/** More transfers than an explorer shows inside a transaction. */
const ITEMS_IN_BATCH = 14;

const itemTransfer: TransactionPattern = {
  participants: [collector, TOKENS.ITEMS],
  build: (context) => ({
    from: collector,
    to: TOKENS.ITEMS,
    method: METHODS.multicall,
    parameters: ['[]'],
    types: ['contract_call', 'token_transfer'],
    transfers: Array.from({ length: context.draw(2) % 3 === 0 ? 1 : ITEMS_IN_BATCH }, (_, place) => ({
      ...moved(TOKENS.ITEMS, collector, context.peer, 2n),
      tokenId: String(1 + ((context.draw(1) + place) % 60)),
    })),
  }),
};

const blobCommit: TransactionPattern = {
  participants: [bridge],
  build: (context) => ({
    to: bridge,
    method: METHODS.commit,
    parameters: [`0x${context.draw(1).toString(16).padStart(64, '0')}`],
    types: ['contract_call'],
    envelope: 3,
  }),
};

const selfSend: TransactionPattern = {
  participants: [],
  build: (context) => ({ to: context.sender, types: [], envelope: 0 }),
};

const burn: TransactionPattern = {
  participants: [TOKENS.ACME],
  build: (context) => ({
    to: TOKENS.ACME,
    method: METHODS.burn,
    parameters: [String(context.draw(1))],
    types: ['contract_call', 'token_transfer'],
    transfers: [
      { ...moved(TOKENS.ACME, context.sender, ZERO_ADDRESS, BigInt(context.draw(1))), type: 'token_burning' },
    ],
  }),
};

const delegated: TransactionPattern = {
  participants: [],
  build: (context) => ({
    to: context.peer,
    method: METHODS.execute,
    parameters: ['0x'],
    types: ['contract_call'],
    envelope: 4,
    calls: [call('stop', context.peer, context.sender)],
  }),
};

const withdrawal: TransactionPattern = {
  participants: [vault, implementation, hotWallet],
  build: (context) => {
    const amount = coins(context, 300_000);
    return {
      from: hotWallet,
      to: vault,
      method: METHODS.withdraw,
      parameters: [String(amount)],
      types: ['contract_call'],
      calls: [call('delegatecall', vault, implementation), call('call', vault, hotWallet, { value: amount })],
    };
  },
};

/** The patterns that take turns in the slots that the timetable leaves free. */
export const FILLER_PATTERNS: readonly TransactionPattern[] = [
  coinTransfer,
  usdcTransfer,
  approval,
  swap,
  withdrawal,
  contractCreation,
  badgeMint,
  pausedWithdrawal,
  tokenCreation,
  outOfGas,
  itemTransfer,
  blobCommit,
  selfSend,
  deployment,
  burn,
  delegated,
];
