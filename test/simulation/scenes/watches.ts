// The watches as data. The rules file of a version is made from it, and so is what the oracle for
// people is told. The references in `reference-rules.ts` say the same in plain functions.
import type { LabelValues, SeverityName } from '../people/log.ts';
import { CONTRACT_WATCHES } from './contract-watches.ts';

export interface WatchSource {
  readonly id: string;
  readonly kind: string;
  /** Names of the config. */
  readonly of?: string;
  readonly token?: string;
  /** How often it is polled, as the rules file has it; every ten minutes where it is left out. */
  readonly every?: string;
  /** Further keys as the rules file has them. */
  readonly keys?: readonly string[];
  /** Names that are read of contracts, as the rules file has them. */
  readonly reads?: readonly string[];
  readonly labels?: LabelValues;
  readonly alerts: readonly AlertSource[];
}

export interface AlertSource {
  readonly id: string;
  readonly form: 'event' | 'condition';
  readonly severity: SeverityName;
  /** Left out: no reload makes it more or less severe, so that each severity is some alert's. */
  readonly severities?: readonly SeverityName[];
  /** By its reference, the first one first: what the rules file says of it. Others are edits under the same id. */
  readonly texts: Readonly<Record<string, string>>;
  /** The reference of those that makes it another sort of alert; left out: none does. */
  readonly turned?: string;
  /** By its reference: a name that is read for it besides. Under another reference the name may ask something else. */
  readonly reads?: Readonly<Record<string, string>>;
  readonly cooldownMs?: number;
  readonly notify?: readonly string[];
}

const BOTH: readonly SeverityName[] = ['info', 'warning', 'critical'];
const FAILED_CALLS = 'on: new, if: success == false';
const UPPER: readonly SeverityName[] = ['warning', 'critical'];

export const ACCOUNT_WATCHES: readonly WatchSource[] = [
  {
    id: 'vault',
    kind: 'internal-transactions',
    of: 'vault',
    labels: { team: 'treasury' },
    alerts: [
      {
        id: 'failed',
        form: 'event',
        severity: 'warning',
        severities: UPPER,
        texts: { 'vault/failed': 'on: new, if: success == false' },
      },
      {
        id: 'deep',
        form: 'event',
        severity: 'info',
        texts: { 'vault/deep': 'on: new, if: success == false, confirmations: 12' },
      },
    ],
  },
  {
    id: 'newcomer',
    kind: 'internal-transactions',
    of: 'newcomer',
    labels: { team: 'chain' },
    alerts: [
      { id: 'call', form: 'event', severity: 'warning', severities: BOTH, texts: { 'newcomer/call': 'on: new' } },
    ],
  },
  {
    id: 'busy',
    kind: 'internal-transactions',
    of: 'busy',
    keys: ['max_pages: 64'],
    labels: { team: 'chain' },
    alerts: [
      {
        id: 'failed',
        form: 'event',
        severity: 'info',
        severities: BOTH,
        texts: { 'busy/failed': 'on: new, if: success == false' },
      },
    ],
  },
  {
    id: 'wallet',
    kind: 'transactions',
    of: 'wallet',
    labels: { team: 'payments' },
    alerts: [
      { id: 'sent', form: 'event', severity: 'info', texts: { 'wallet/sent': 'on: new' } },
      {
        id: 'failed',
        form: 'event',
        severity: 'warning',
        severities: BOTH,
        texts: { 'wallet/failed': `on: mined, if: 'status == "error"'` },
      },
    ],
  },
  {
    id: 'large',
    kind: 'transactions',
    keys: ['max_pages: 64'],
    labels: { team: 'payments' },
    alerts: [
      {
        id: 'large',
        form: 'event',
        severity: 'critical',
        texts: { 'large/large': 'on: new, if: value >= 1000' },
      },
    ],
  },
  {
    id: 'blocks',
    kind: 'blocks',
    labels: { team: 'chain' },
    alerts: [
      { id: 'reorg', form: 'event', severity: 'warning', texts: { 'blocks/reorg': 'on: reorg' } },
      {
        id: 'stalled',
        form: 'condition',
        severity: 'critical',
        texts: { 'blocks/stalled': `while: 'age > duration("30m")'` },
      },
    ],
  },
  {
    id: 'coin',
    kind: 'balance',
    of: 'treasury',
    labels: { team: 'treasury' },
    alerts: [
      {
        id: 'low',
        form: 'condition',
        severity: 'critical',
        severities: UPPER,
        texts: {
          'coin/low': 'while: balance < 100, until: balance > 120, for: 10m',
          'coin/low at 110': 'while: balance < 110, until: balance > 130, for: 10m',
        },
      },
      {
        id: 'lowest',
        form: 'condition',
        severity: 'warning',
        severities: BOTH,
        texts: { 'coin/lowest': `while: 'balance < min("2h")'` },
      },
    ],
  },
  {
    id: 'usdc',
    kind: 'balance',
    of: 'treasury',
    token: 'USDC',
    labels: { team: 'treasury' },
    alerts: [
      {
        id: 'low',
        form: 'condition',
        severity: 'critical',
        severities: BOTH,
        // No balance changes so often: it ends what it was, and never fires.
        texts: {
          'usdc/low': 'while: balance < 1_000_000',
          'usdc/low as changes': 'on: changed, at_least: { count: 1000, within: 1h }',
        },
        turned: 'usdc/low as changes',
      },
      {
        id: 'again',
        form: 'condition',
        severity: 'warning',
        severities: UPPER,
        texts: { 'usdc/again': 'while: balance < 1_000_000' },
        cooldownMs: 50 * 60_000,
      },
    ],
  },
  {
    id: 'tokens',
    kind: 'holdings',
    of: 'treasury',
    labels: { team: 'treasury' },
    alerts: [
      { id: 'arrived', form: 'event', severity: 'info', texts: { 'tokens/arrived': 'on: added' } },
      {
        id: 'left',
        form: 'event',
        severity: 'warning',
        severities: UPPER,
        texts: { 'tokens/left': 'on: removed' },
      },
    ],
  },
  {
    id: 'acme',
    kind: 'token',
    token: 'ACME',
    labels: { team: 'chain' },
    alerts: [
      {
        id: 'scam',
        form: 'event',
        severity: 'critical',
        severities: UPPER,
        texts: { 'acme/scam': `on: changed, if: 'reputation == "scam"'` },
      },
      {
        id: 'cleared',
        form: 'event',
        severity: 'info',
        texts: { 'acme/cleared': `on: changed, if: 'reputation == "ok"'` },
      },
    ],
  },
  {
    id: 'leaving',
    kind: 'holdings',
    of: 'treasury',
    labels: { team: 'payments' },
    alerts: [
      {
        id: 'gone',
        form: 'event',
        severity: 'info',
        texts: { 'leaving/gone': `on: removed, if: 'token.type == "ERC-20"'` },
      },
    ],
  },
  {
    id: 'dip',
    kind: 'balance',
    of: 'treasury',
    labels: { team: 'payments' },
    alerts: [
      {
        id: 'low',
        form: 'condition',
        severity: 'warning',
        severities: BOTH,
        texts: { 'dip/low': 'while: balance < 100' },
        cooldownMs: 4 * 3_600_000,
      },
    ],
  },
  {
    id: 'report',
    kind: 'balance',
    of: 'treasury',
    labels: { team: 'payments' },
    alerts: [
      {
        id: 'coins',
        form: 'event',
        severity: 'info',
        texts: { 'report/coins': `on: schedule, cron: '20 */4 * * *', values: [balance]` },
      },
      {
        id: 'few',
        form: 'event',
        severity: 'info',
        texts: { 'report/few': `on: schedule, cron: '40 */4 * * *', if: balance < 120, values: [balance]` },
      },
    ],
  },
  {
    id: 'office',
    kind: 'balance',
    of: 'treasury',
    every: `cron: '*/10 8-17 * * *'`,
    labels: { team: 'payments' },
    alerts: [{ id: 'empty', form: 'condition', severity: 'warning', texts: { 'office/empty': 'while: balance < 1' } }],
  },
  {
    id: 'tally',
    kind: 'internal-transactions',
    of: 'vault',
    labels: { team: 'payments' },
    alerts: [
      {
        id: 'many',
        form: 'condition',
        severity: 'warning',
        severities: BOTH,
        texts: {
          'tally/many': `${FAILED_CALLS}, at_least: { count: 3, within: 2h }`,
          'tally/many as gas': `${FAILED_CALLS}, at_least: { sum: gas_limit, than: 180000, within: 2h }`,
          'tally/many as coins': `${FAILED_CALLS}, at_least: { sum: value, than: 1, within: 2h }`,
          'tally/many as share': `${FAILED_CALLS}, at_least: { ratio: 90%, min: 3, within: 2h }`,
          'tally/many as each': `${FAILED_CALLS}, at_least: { count: 3, within: 2h }, per: [transaction_hash]`,
          'tally/many as silence': `${FAILED_CALLS}, none_for: 3h`,
        },
      },
    ],
  },
];

const EXPLORER = 'chain';

/** `severity` and `reference`: of a version. */
export interface RuleSource {
  readonly watch: WatchSource;
  readonly alert: AlertSource;
}

/** All that any history watches. */
export const WATCHES: readonly WatchSource[] = [...ACCOUNT_WATCHES, ...CONTRACT_WATCHES];

export function rulesOf(watches: readonly WatchSource[]): readonly RuleSource[] {
  return watches.flatMap((watch) => watch.alerts.map((alert) => ({ watch, alert })));
}

const RULE_SOURCES = rulesOf(WATCHES);

export function sourceOf(watch: string, alert: string): RuleSource {
  const found = RULE_SOURCES.find((one) => one.watch.id === watch && one.alert.id === alert);
  if (found === undefined) throw new Error(`no rule ${watch}/${alert}`);
  return found;
}

/** Given and written ones. */
export function labelsOf({ watch, alert }: RuleSource, severity: SeverityName): LabelValues {
  return {
    watch: watch.id,
    alert: alert.id,
    kind: watch.kind,
    severity,
    explorer: EXPLORER,
    ...(watch.of === undefined ? {} : { of: watch.of }),
    ...(watch.token === undefined ? {} : { token: watch.token }),
    ...watch.labels,
  };
}
