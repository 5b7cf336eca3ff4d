// What else happens: every sort of transaction that an explorer shows, played by the crowd.
import { ADDRESSES, CONTRACTS, TOKENS } from '../names.ts';
import { contractCreation, deployment, tokenCreation } from './creation-scenes.ts';
import { call, moved, WEI_PER_MILLI_COIN, type Scene, type Stage } from './stage.ts';
import { METHODS, ZERO_ADDRESS } from './transaction.ts';

const { vault, hot_wallet: hotWallet, collector } = ADDRESSES;
const { router, implementation, market, bridge } = CONTRACTS;

const coins = (stage: Stage, most: number): bigint => BigInt(1 + (stage.draw(1) % most)) * WEI_PER_MILLI_COIN;

const coinTransfer: Scene = {
  cast: [hotWallet],
  play: (stage) => ({
    to: stage.draw(2) % 4 === 0 ? hotWallet : stage.peer,
    value: coins(stage, 200_000),
    types: ['coin_transfer'],
  }),
};

const usdcTransfer: Scene = {
  cast: [TOKENS.USDC],
  play: (stage) => {
    const amount = BigInt(stage.draw(1)) * 100n;
    return {
      to: TOKENS.USDC,
      method: METHODS.transfer,
      parameters: [stage.peer, String(amount)],
      types: ['contract_call', 'token_transfer'],
      transfers: [moved(TOKENS.USDC, stage.sender, stage.peer, amount)],
    };
  },
};

const approval: Scene = {
  cast: [TOKENS.ACME, router],
  play: () => ({
    to: TOKENS.ACME,
    method: METHODS.approve,
    parameters: [router, String(2n ** 256n - 1n)],
    types: ['contract_call'],
    envelope: 1,
  }),
};

const swap: Scene = {
  cast: [router, market, TOKENS.USDC, TOKENS.ACME],
  play: (stage) => {
    const [usdc, acme] = [BigInt(stage.draw(1)), BigInt(stage.draw(2)) * 10n ** 9n];
    return {
      to: router,
      method: METHODS.swap,
      parameters: [TOKENS.USDC, TOKENS.ACME, String(usdc)],
      types: ['contract_call', 'token_transfer'],
      transfers: [moved(TOKENS.USDC, stage.sender, market, usdc), moved(TOKENS.ACME, market, stage.sender, acme)],
      calls: [call('call', router, market), call('staticcall', market, TOKENS.USDC), call('callcode', market, router)],
      action: liquidation(stage, usdc, acme),
    };
  },
};

function liquidation(stage: Stage, debt: bigint, collateral: bigint) {
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
      block_number: stage.height,
    },
  };
}

const badgeMint: Scene = {
  cast: [market, collector, TOKENS.BADGE],
  play: (stage) => {
    const id = String(1 + (stage.draw(1) % 75));
    return {
      to: market,
      value: coins(stage, 300),
      method: METHODS.mint,
      parameters: [collector, id],
      types: ['contract_call', 'token_transfer', 'coin_transfer'],
      transfers: [
        { token: TOKENS.BADGE, from: ZERO_ADDRESS, to: collector, value: null, tokenId: id, type: 'token_minting' },
      ],
      calls: [call('call', market, TOKENS.BADGE), call('call', market, collector, { value: coins(stage, 3) })],
    };
  },
};

const pausedWithdrawal: Scene = {
  cast: [vault, implementation],
  play: (stage) => ({
    to: vault,
    method: METHODS.withdraw,
    parameters: [String(stage.draw(1))],
    types: ['contract_call'],
    failure: { result: 'execution reverted', reason: 'Pausable: paused' },
    calls: [call('delegatecall', vault, implementation, { error: 'execution reverted: Pausable: paused' })],
  }),
};

const outOfGas: Scene = {
  cast: [router],
  play: (stage) => ({
    to: router,
    method: METHODS.multicall,
    parameters: [`["0x${stage.draw(1).toString(16).padStart(8, '0')}"]`],
    types: ['contract_call'],
    failure: { result: 'out of gas', reason: null },
  }),
};

const itemTransfer: Scene = {
  cast: [collector, TOKENS.ITEMS],
  play: (stage) => ({
    from: collector,
    to: TOKENS.ITEMS,
    method: METHODS.multicall,
    parameters: ['[]'],
    types: ['contract_call', 'token_transfer'],
    transfers: [{ ...moved(TOKENS.ITEMS, collector, stage.peer, 2n), tokenId: String(1 + (stage.draw(1) % 60)) }],
  }),
};

const blobCommit: Scene = {
  cast: [bridge],
  play: (stage) => ({
    to: bridge,
    method: METHODS.commit,
    parameters: [`0x${stage.draw(1).toString(16).padStart(64, '0')}`],
    types: ['contract_call'],
    envelope: 3,
  }),
};

const selfSend: Scene = {
  cast: [],
  play: (stage) => ({ to: stage.sender, types: [], envelope: 0 }),
};

const burn: Scene = {
  cast: [TOKENS.ACME],
  play: (stage) => ({
    to: TOKENS.ACME,
    method: METHODS.burn,
    parameters: [String(stage.draw(1))],
    types: ['contract_call', 'token_transfer'],
    transfers: [{ ...moved(TOKENS.ACME, stage.sender, ZERO_ADDRESS, BigInt(stage.draw(1))), type: 'token_burning' }],
  }),
};

const delegated: Scene = {
  cast: [],
  play: (stage) => ({
    to: stage.peer,
    method: METHODS.execute,
    parameters: ['0x'],
    types: ['contract_call'],
    envelope: 4,
    calls: [call('stop', stage.peer, stage.sender)],
  }),
};

const withdrawal: Scene = {
  cast: [vault, implementation, hotWallet],
  play: (stage) => {
    const amount = coins(stage, 300_000);
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

/** Played in turn in the slots that the timetable leaves. */
export const FILLER_SCENES: readonly Scene[] = [
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
