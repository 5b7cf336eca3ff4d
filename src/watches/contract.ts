import { z } from 'zod';
import type { Address } from '../core/values/address.ts';
import type { Kind } from '../core/model/watch/kind.ts';
import type { Target } from '../core/model/watch/target.ts';
import { inOneStep } from '../lib/steps.ts';
import { addressDetails, blocks } from '../explorer/operations.ts';
import { Contract, ContractDetails, type ContractDetailsView } from './contract/reading.ts';
import { ContractState, detectContract, expectedSet, lostIn } from './contract/detection.ts';
import { CHANGED } from './one-change.ts';
import { contractWording } from './wording/contract.ts';

interface ContractOptions {
  /** Addresses in lower case. */
  readonly expected?: readonly string[] | undefined;
}

export const contract: Kind<ContractOptions, ContractState, ContractDetailsView> = {
  name: 'contract',
  summary: 'The code of one contract: what is behind a proxy, and whether its source is verified.',
  noun: 'contract',
  fields: Contract,
  fieldOptions: ['expected'],
  addressOptions: ['expected'],
  advice: {
    fields: {},
    doubts: [],
    needs: {
      is_expected: { key: 'expected', hint: 'Name the contracts that may be behind it: expected: [vault_v2].' },
    },
  },
  events: { changed: CHANGED },
  while: { measured: null, exported: [] },
  of: 'required',
  token: 'none',
  options: z.strictObject({
    expected: z
      .union([z.string().transform((one) => [one]), z.array(z.string()).min(1, 'the list is empty')])
      .optional()
      .describe('The contracts that may be behind it: names of the config, or addresses; for `is_expected`.'),
  }),
  state: ContractState,
  comparedByDefault: ['implementations', 'proxy_type', 'is_verified', 'creation_status'],
  shown: ['implementation', 'proxy_type', 'is_verified'],
  fleeting: [],
  wording: contractWording,
  question,
  head: ({ explorer }) => blocks(explorer),
  page: ({ address }) => (address === null ? null : `/address/${address.text}`),
  async observe(target, _state, read) {
    return { seen: ContractDetails.over(await read.one(question(target)), {}), partial: null };
  },
  detect: ({ options }, state, seen, scope) =>
    inOneStep(detectContract(state, seen, { expected: expectedSet(options.expected), scope })),
  lost: lostIn,
  history: null,
  examples: {},
  rowsOf: (seen) => ({ rows: [seen] }),
  sourceOf: (path) => (path === 'implementation' || path === 'is_expected' ? 'implementations' : path),
  script: {
    rows: null,
    record: ContractDetails,
    synthesize: (_target, { rows: [row] }) => (row?.view ?? ContractDetails.make({})) as ContractDetailsView,
  },
};

function question(target: Target) {
  return addressDetails(target.explorer, contractOf(target));
}

function contractOf({ address }: Target): Address {
  if (address === null) throw new TypeError('contract needs an address');
  return address;
}
