// The history of a seed over what is watched. Over contracts the chain has another life, and there are the faults of the seed
// as far as they concern it.
import type { FaultKind } from './faults/kinds.ts';
import type { History, PlannedFault, Watched } from './model.ts';
import { PATHS } from './rules.ts';

/** What they do on the chain is nothing that a rule about contracts could see. */
const OF_ACCOUNTS: ReadonlySet<FaultKind> = new Set([
  'late-call',
  'dropped-pending',
  'replaced-pending',
  'changed-row',
  'burst',
  'storm',
  'flap',
  'slow-sink',
  'sink-5xx',
  'sink-4xx',
  'sink-unknown',
  'receiver-fails',
  'receiver-slow',
  'body-refused',
]);

export const WATCHED = ['accounts', 'contracts'] as const satisfies readonly Watched[];

export const OVER: Readonly<Record<Watched, (history: History) => History>> = {
  accounts: (history) => history,
  contracts: overContracts,
};

function overContracts(history: History): History {
  const faults = history.faults.filter(({ kind }) => !OF_ACCOUNTS.has(kind)).map(moved);
  return { ...history, watched: 'contracts', faults };
}

/** What strikes a list there strikes one here. */
const PATH_HERE: ReadonlyMap<string, string> = new Map([
  [PATHS.vault, PATHS.admin],
  [PATHS.newcomer, PATHS.approvals],
  [PATHS.busy, PATHS.moves],
  [PATHS.large, PATHS.moves],
  [PATHS.wallet, PATHS.usdc],
  [PATHS.tokens, PATHS.usdc],
  [PATHS.coin, PATHS.code],
  [PATHS.acme, PATHS.code],
]);

function moved(fault: PlannedFault): PlannedFault {
  return fault.path === null ? fault : { ...fault, path: PATH_HERE.get(fault.path) ?? fault.path };
}
