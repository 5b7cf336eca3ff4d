// The watches of contracts as data; see watches.ts.
import { CONTRACTS } from '../../../src/sandbox/names.ts';
import type { WatchSource } from './watches.ts';

/** Seldom: so a day over contracts costs a quarter of one over accounts. */
const EVERY = 'every: 15m';

export const CONTRACT_WATCHES: readonly WatchSource[] = [
  {
    id: 'admin',
    kind: 'logs',
    every: EVERY,
    of: 'vault',
    keys: ['events: [Paused, OwnershipTransferred, RoleGranted]'],
    labels: { team: 'treasury' },
    alerts: [
      {
        id: 'paused',
        form: 'event',
        severity: 'critical',
        severities: ['warning', 'critical'],
        texts: { 'admin/paused': `on: new, if: 'event == "Paused"'` },
      },
      {
        id: 'owner',
        form: 'event',
        severity: 'warning',
        severities: ['info', 'warning', 'critical'],
        texts: { 'admin/owner': `on: new, if: 'event == "OwnershipTransferred" && args.newOwner != treasury'` },
      },
      {
        id: 'role',
        form: 'event',
        severity: 'info',
        texts: { 'admin/role': `on: new, if: 'event == "RoleGranted"', confirmations: 12` },
      },
    ],
  },
  {
    id: 'approvals',
    kind: 'logs',
    every: EVERY,
    of: 'USDC',
    keys: [
      `events: 'Approval(address indexed owner, address indexed spender, uint256 value)'`,
      'where: { owner: treasury }',
    ],
    labels: { team: 'payments' },
    alerts: [
      {
        id: 'unlimited',
        form: 'event',
        severity: 'critical',
        texts: { 'approvals/unlimited': `on: new, if: 'unlimited(args.value)'` },
      },
      {
        id: 'some',
        form: 'event',
        severity: 'info',
        severities: ['info', 'warning'],
        texts: { 'approvals/some': `on: new, if: 'args.value > 0 && !unlimited(args.value)'` },
      },
    ],
  },
  {
    id: 'code',
    kind: 'contract',
    every: EVERY,
    of: 'vault',
    keys: [`expected: [${CONTRACTS.implementation}, ${CONTRACTS.safe_singleton}]`],
    labels: { team: 'treasury' },
    alerts: [
      {
        id: 'upgraded',
        form: 'event',
        severity: 'warning',
        severities: ['warning', 'critical'],
        texts: { 'code/upgraded': 'on: changed, if: implementations != before.implementations' },
      },
      {
        id: 'foreign',
        form: 'condition',
        severity: 'critical',
        severities: ['info', 'warning', 'critical'],
        texts: { 'code/foreign': 'while: is_expected == false' },
      },
    ],
  },
  {
    id: 'moves',
    kind: 'transfers',
    every: EVERY,
    of: 'treasury',
    labels: { team: 'treasury' },
    alerts: [
      {
        id: 'out',
        form: 'event',
        severity: 'warning',
        severities: ['info', 'warning'],
        texts: { 'moves/out': `on: new, if: 'direction == "out"'` },
      },
      {
        id: 'named',
        form: 'event',
        severity: 'critical',
        texts: { 'moves/named': `on: new, if: 'direction == "out" && raw > 0 && token.address_hash in tokens'` },
      },
      {
        id: 'in',
        form: 'event',
        severity: 'info',
        severities: ['info', 'warning'],
        texts: {
          'moves/in': `on: new, if: 'direction == "in" && raw > 0 && token.address_hash in tokens', confirmations: 12`,
        },
      },
    ],
  },
  {
    id: 'usdc-moves',
    kind: 'transfers',
    every: EVERY,
    token: 'USDC',
    labels: { team: 'payments' },
    alerts: [
      {
        id: 'large',
        form: 'event',
        severity: 'warning',
        severities: ['info', 'warning'],
        texts: { 'usdc-moves/large': 'on: new, if: amount >= 5000' },
      },
    ],
  },
  {
    id: 'chain',
    kind: 'blocks',
    every: EVERY,
    labels: { team: 'chain' },
    alerts: [
      { id: 'reorg', form: 'event', severity: 'warning', texts: { 'chain/reorg': 'on: reorg' } },
      {
        id: 'full',
        form: 'condition',
        severity: 'warning',
        severities: ['info', 'warning'],
        texts: {
          'chain/full': 'on: new, if: transactions_count > 0, at_least: { in_a_row: 3 }',
          'chain/full of four': 'on: new, if: transactions_count > 0, at_least: { in_a_row: 4 }',
        },
      },
    ],
  },
];
