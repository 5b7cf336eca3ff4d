// Transactions that create contracts and tokens.
import { CONTRACTS } from '../names.ts';
import { call, creation, moved, type TransactionPattern } from './transaction-pattern.ts';
import { METHODS, ZERO_ADDRESS } from './transaction.ts';

const { factory } = CONTRACTS;

export const contractCreation: TransactionPattern = {
  participants: [],
  build: (context) => ({
    to: null,
    created: context.created,
    types: ['contract_creation'],
    calls: [creation('create', context.sender, context.created)],
  }),
};

export const tokenCreation: TransactionPattern = {
  participants: [],
  makesToken: true,
  build: (context) => ({
    to: null,
    created: context.created,
    types: ['contract_creation', 'token_creation', 'token_transfer'],
    transfers: [{ ...moved(context.created, ZERO_ADDRESS, context.sender, 10n ** 24n), type: 'token_minting' }],
    calls: [creation('create', context.sender, context.created)],
  }),
};

export const deployment: TransactionPattern = {
  participants: [factory],
  build: (context) => ({
    to: factory,
    method: METHODS.deploy,
    parameters: [`0x${context.draw(1).toString(16).padStart(64, '0')}`],
    types: ['contract_call'],
    calls: [creation('create2', factory, context.created), call('selfdestruct', context.created, factory)],
  }),
};
