// Contracts and tokens that come into being.
import { CONTRACTS } from '../names.ts';
import { call, creation, moved, type Scene } from './stage.ts';
import { METHODS, ZERO_ADDRESS } from './transaction.ts';

const { factory } = CONTRACTS;

export const contractCreation: Scene = {
  cast: [],
  play: (stage) => ({
    to: null,
    created: stage.created,
    types: ['contract_creation'],
    calls: [creation('create', stage.sender, stage.created)],
  }),
};

export const tokenCreation: Scene = {
  cast: [],
  makesToken: true,
  play: (stage) => ({
    to: null,
    created: stage.created,
    types: ['contract_creation', 'token_creation', 'token_transfer'],
    transfers: [{ ...moved(stage.created, ZERO_ADDRESS, stage.sender, 10n ** 24n), type: 'token_minting' }],
    calls: [creation('create', stage.sender, stage.created)],
  }),
};

export const deployment: Scene = {
  cast: [factory],
  play: (stage) => ({
    to: factory,
    method: METHODS.deploy,
    parameters: [`0x${stage.draw(1).toString(16).padStart(64, '0')}`],
    types: ['contract_call'],
    calls: [creation('create2', factory, stage.created), call('selfdestruct', stage.created, factory)],
  }),
};
