// The rules about contracts once more, as plain functions over rows: see reference-rules.ts.
import { contractOf } from './chain/chain.ts';
import type { EventReference, References, Row, RowReference } from './model.ts';
import { EVERYBODY } from './owed-log.ts';
import { READ_CONDITIONS, READ_SIGHT, READS } from './read-references.ts';
import { PATHS } from './rules.ts';

const TREASURY = contractOf('treasury').toLowerCase();
const UNLIMITED = String(2n ** 256n - 1n);

/** By the config. */
const NAMED: ReadonlySet<string> = new Set(
  [contractOf('USDC'), contractOf('ACME')].map((token) => token.toLowerCase()),
);

/** Anybody can make a token say that nothing moved, and a token of his own anything. */
const isSure = ({ facts }: Row): boolean => facts['raw'] !== '0' && NAMED.has(facts['token'] ?? '');

const isEvent = ({ facts }: Row, name: string): boolean => facts['event'] === name;
/** The question asks for those of the owner alone. */
const isOurs = ({ facts }: Row): boolean => facts['arg0'] === TREASURY;

const EVENTS: readonly EventReference[] = [
  admin('paused', 0, (row) => isEvent(row, 'Paused')),
  admin('owner', 0, (row) => isEvent(row, 'OwnershipTransferred') && row.facts['arg1'] !== TREASURY),
  admin('role', 12, (row) => isEvent(row, 'RoleGranted')),
  approvals('unlimited', (row) => isOurs(row) && row.facts['arg2'] === UNLIMITED),
  {
    ...moves('out', 0, ({ facts }) => facts['from'] === TREASURY),
    isClaim: (row) => !isSure(row),
  },
  moves('named', 0, (row) => row.facts['from'] === TREASURY && isSure(row)),
  moves('in', 12, (row) => row.facts['to'] === TREASURY && isSure(row)),
  {
    watch: 'usdc-moves',
    alert: 'large',
    path: PATHS.usdc,
    on: 'new',
    confirmations: 0,
    matches: ({ facts }) => Number(facts['raw']) >= 5_000_000_000,
  },
  approvals('some', (row) => isOurs(row) && row.facts['arg2'] === '5000000'),
];

const FULL: Omit<RowReference, 'name' | 'limit'> = {
  watch: 'chain',
  alert: 'full',
  path: PATHS.blocks,
  matches: ({ facts }) => Number(facts['transactions_count']) > 0,
};

export const CONTRACT_REFERENCES: References = {
  intervalMs: 900_000,
  recipients: [EVERYBODY],
  events: EVENTS,
  conditions: READ_CONDITIONS,
  holdings: [],
  changes: [],
  reorganisations: { watch: 'chain', alert: 'reorg', path: PATHS.blocks },
  departures: [],
  reports: [],
  counts: [],
  cron: [READ_SIGHT],
  code: [
    {
      watch: 'code',
      path: PATHS.code,
      changed: 'upgraded',
      foreign: 'foreign',
      expected: [contractOf('implementation').toLowerCase(), contractOf('safe_singleton').toLowerCase()],
    },
  ],
  rows: [
    { ...FULL, name: 'chain/full', limit: 3 },
    { ...FULL, name: 'chain/full of four', limit: 4 },
  ],
  reads: READS,
};

function admin(alert: string, confirmations: number, matches: EventReference['matches']): EventReference {
  return { watch: 'admin', alert, path: PATHS.admin, on: 'new', confirmations, matches };
}

function moves(alert: string, confirmations: number, matches: EventReference['matches']): EventReference {
  return { watch: 'moves', alert, path: PATHS.moves, on: 'new', confirmations, matches };
}

function approvals(alert: string, matches: EventReference['matches']): EventReference {
  return { watch: 'approvals', alert, path: PATHS.approvals, on: 'new', confirmations: 0, matches };
}
