import { z } from 'zod';
import type { Address } from '../core/values/address.ts';
import type { Kind } from '../core/model/watch/kind.ts';
import { Missed, type Read } from '../core/model/watch/question.ts';
import type { Target } from '../core/model/watch/target.ts';
import { inOneStep } from '../lib/steps.ts';
import { addressDetails, blocks, smartContract } from '../explorer/operations.ts';
import {
  Contract,
  ContractDetails,
  isOfSource,
  withSource,
  type ContractDetailsView,
  type ContractReading,
} from './contract/reading.ts';
import { ContractState, detectContract, expectedSet, lostIn } from './contract/detection.ts';
import { waitingIn } from './contract/acceptance.ts';
import { CHANGED } from './one-change.ts';
import { contractWording } from './wording/contract.ts';

interface ContractOptions {
  /** Addresses in lower case. */
  readonly expected?: readonly string[] | undefined;
  /** True if an alert reads fields that only the answer to the second request has. */
  readonly readsSource?: true | undefined;
}

export const contract: Kind<ContractOptions, ContractState, ContractReading> = {
  name: 'contract',
  summary: 'The code of one contract: what is behind a proxy, and whether its source is verified.',
  noun: 'contract',
  fields: Contract,
  fieldOptions: ['expected', 'readsSource'],
  addressOptions: ['expected'],
  forReads: (options, reads) => (reads.some(isOfSource) ? { ...options, readsSource: true } : options),
  describeOptions: ({ readsSource }) =>
    readsSource === true ? 'reads the code and its source with a second request: every: 10m is enough for it' : null,
  advice: {
    fields: {},
    doubts: [],
    needs: {
      is_expected: { key: 'expected', hint: 'Name the contracts that may be behind it: expected: [vault_v2].' },
    },
  },
  events: { changed: CHANGED },
  control: { names: null, seesCode: true },
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
  comparedByDefault: ['implementations', 'proxy_type', 'is_verified', 'code_hash', 'creation_status'],
  shown: ['implementation', 'proxy_type', 'is_verified'],
  fleeting: [],
  wording: contractWording,
  question,
  head: ({ explorer }) => blocks(explorer),
  page: ({ address }) => (address === null ? null : `/address/${address.text}`),
  questions: (target) => [question(target), ...(target.options.readsSource === true ? [source(target)] : [])],
  // A reading without the code counts as complete: the known fields are judged, and `lost` reports the others.
  observe: async (target, _state, read) => ({ seen: await observeContract(target, read), partial: null }),
  detect: ({ options }, state, seen, scope) =>
    inOneStep(detectContract(state, seen, { expected: expectedSet(options.expected), scope })),
  lost: lostIn,
  waits: waitingIn,
  history: null,
  examples: {},
  rowsOf: ({ rows }) => ({ rows }),
  sourceOf: (path) => (path === 'implementation' || path === 'is_expected' ? 'implementations' : path),
  script: {
    rows: null,
    record: ContractDetails,
    synthesize: (_target, { rows: [row] }) => {
      const view = (row?.view ?? ContractDetails.make({})) as ContractDetailsView;
      return { view, rows: [view], unread: null };
    },
  },
};

/** If the second request fails, its fields are unknown; those of the first request are judged. */
async function observeContract(target: Target<ContractOptions>, read: Read): Promise<ContractReading> {
  const details = await read.one(question(target));
  if (target.options.readsSource !== true) return { view: withSource(details, null), rows: [details], unread: null };
  try {
    const code = await read.one(source(target));
    return { view: withSource(details, code), rows: [details, code], unread: null };
  } catch (error) {
    if (!(error instanceof Missed)) throw error;
    const rows = [details];
    const view = withSource(details, null);
    // Explorers answer 404 for a contract whose source is not verified.
    if (error.reason !== 'not-found') return { view, rows, unread: error.message };
    const is_verified = details.is_verified ?? false;
    return { view: ContractDetails.over(view, { is_verified }), rows, unread: null };
  }
}

function source(target: Target) {
  return smartContract(target.explorer, contractOf(target));
}

function question(target: Target) {
  return addressDetails(target.explorer, contractOf(target));
}

function contractOf({ address }: Target): Address {
  if (address === null) throw new TypeError('contract needs an address');
  return address;
}
