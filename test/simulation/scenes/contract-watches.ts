// The watches of contracts as data; see watches.ts.
import { CONTRACTS } from '../../../src/sandbox/names.ts';
import { VALUES } from '../chain/values.ts';
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
    id: 'state',
    kind: 'read',
    every: EVERY,
    of: 'vault',
    reads: ["owner: { call: 'owner() view returns (address)' }", "paused: { call: 'paused() view returns (bool)' }"],
    labels: { team: 'treasury' },
    alerts: [
      {
        id: 'owner',
        form: 'event',
        severity: 'critical',
        severities: ['warning', 'critical'],
        texts: { 'state/owner': 'on: changed, if: owner != before.owner' },
      },
      {
        id: 'paused',
        form: 'condition',
        severity: 'warning',
        severities: ['info', 'warning', 'critical'],
        texts: { 'state/paused': 'while: paused == true' },
      },
      {
        id: 'limit',
        form: 'event',
        severity: 'info',
        texts: {
          'state/limit': 'on: changed, if: limit != before.limit',
          'state/limit of another slot': 'on: changed, if: limit != before.limit',
        },
        reads: {
          'state/limit': `limit: { slot: '${VALUES.limit.at.slot}', as: uint256 }`,
          'state/limit of another slot': `limit: { slot: '${VALUES.other_limit.at.slot}', as: uint256 }`,
        },
      },
    ],
  },
  {
    id: 'solvency',
    kind: 'read',
    every: EVERY,
    of: 'vault',
    reads: [
      "assets: { call: 'totalAssets() view returns (uint256)', units: USDC }",
      "shares: { call: 'totalSupply() view returns (uint256)', units: 18 }",
      "price: { call: 'convertToAssets(uint256 shares) view returns (uint256)', with: [1_000_000_000_000_000_000], units: USDC }",
      "held: { of: USDC, call: 'balanceOf(address account) view returns (uint256)', with: [vault], units: USDC }",
      'coins: { of: treasury, balance: true }',
      `guardian: { slot: '${VALUES.guardian.at.slot}', as: address }`,
    ],
    labels: { team: 'payments' },
    alerts: [
      {
        id: 'low',
        form: 'condition',
        severity: 'critical',
        severities: ['info', 'warning', 'critical'],
        texts: {
          'solvency/low': 'while: assets < 1000, for: 30m',
          'solvency/low at 1200': 'while: assets < 1200, until: assets > 1500, for: 30m',
        },
      },
      {
        id: 'broken',
        form: 'condition',
        severity: 'warning',
        severities: ['warning', 'critical'],
        texts: { 'solvency/broken': 'while: reverted.assets == true' },
      },
      {
        id: 'coins',
        form: 'event',
        severity: 'info',
        texts: { 'solvency/coins': 'on: changed, if: coins != before.coins' },
      },
      {
        id: 'guardian',
        form: 'event',
        severity: 'warning',
        severities: ['info', 'warning'],
        texts: { 'solvency/guardian': 'on: changed, if: guardian != before.guardian' },
      },
    ],
  },
  {
    id: 'deep',
    kind: 'read',
    every: EVERY,
    of: 'vault',
    keys: ['confirmations: 12'],
    reads: [
      "owner: { call: 'owner() view returns (address)' }",
      `guardian: { slot: '${VALUES.guardian.at.slot}', as: address }`,
    ],
    labels: { team: 'chain' },
    alerts: [
      {
        id: 'owner',
        form: 'event',
        severity: 'warning',
        severities: ['info', 'warning'],
        texts: { 'deep/owner': 'on: changed, if: owner != before.owner' },
      },
      {
        id: 'guardian',
        form: 'event',
        severity: 'info',
        texts: { 'deep/guardian': 'on: changed, if: guardian != before.guardian' },
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
