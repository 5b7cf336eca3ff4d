// The fields of each record that releases write in another way than the specification: under other names, in another
// shape, or not at all. Fields that are not listed do not change.
import type { JsonRow } from '../answer.ts';
import { isWithin, type Release, type ReleaseRange } from './release.ts';

export type RecordName =
  | 'address'
  | 'address-details'
  | 'smart-contract'
  | 'token'
  | 'token-balance'
  | 'internal-transaction'
  | 'token-transfer'
  | 'log'
  | 'transaction'
  | 'block';

interface Written {
  /**
   * The names of a field with the releases that use them. A release may use two names. Left out = the field's own name.
   */
  readonly names?: Readonly<Record<string, ReleaseRange>>;
  readonly value?: (value: unknown, release: Release) => unknown;
}

type Fields = Readonly<Record<string, Written>>;

/** Named `old` until one release, and `now` since another. If both are the same release, it had both names. */
function renamed(old: string, until: Release, now: string, since: Release): Written {
  return { names: { [old]: { until }, [now]: { since } } };
}

function only(name: string, span: ReleaseRange): Written {
  return { names: { [name]: span } };
}

const never: Written = { names: {} };
const asText: Written = { value: String };

const ADDRESS: Fields = {
  implementation_name: only('implementation_name', { until: '6' }),
  implementations: { ...only('implementations', { since: '8' }), value: implementationsOf },
  proxy_type: only('proxy_type', { since: '8' }),
  is_scam: only('is_scam', { since: '8', until: '9' }),
  reputation: only('reputation', { since: '11' }),
  metadata: { value: (metadata) => (metadata === null ? null : { tags: [metadata] }) },
};

const FIELDS: Readonly<Record<RecordName, Fields>> = {
  address: ADDRESS,
  'address-details': {
    ...ADDRESS,
    creation_transaction_hash: renamed('creation_tx_hash', '6', 'creation_transaction_hash', '8'),
    creation_status: only('creation_status', { since: '11' }),
    implementation_address: only('implementation_address', { until: '6' }),
  },
  'smart-contract': {
    implementations: ADDRESS['implementations'] ?? {},
    proxy_type: only('proxy_type', { since: '8' }),
    conflicting_implementations: only('conflicting_implementations', { since: '11' }),
  },
  token: {
    address_hash: renamed('address', '8', 'address_hash', '8'),
    holders_count: renamed('holders', '8', 'holders_count', '8'),
    circulating_supply: only('circulating_supply', { since: '11' }),
    reputation: only('reputation', { since: '11' }),
    type: { value: tokenType },
  },
  'token-balance': { reputation: only('reputation', { since: '11' }) },
  'internal-transaction': {
    block_number: renamed('block', '6', 'block_number', '8'),
    transaction_index: only('transaction_index', { since: '8' }),
    block_index: only('block_index', { until: '9' }),
  },
  'token-transfer': {
    transaction_hash: renamed('tx_hash', '6', 'transaction_hash', '8'),
    block_number: only('block_number', { since: '8' }),
    token_type: only('token_type', { since: '11' }),
  },
  log: {
    transaction_hash: renamed('tx_hash', '6', 'transaction_hash', '8'),
    block_timestamp: only('block_timestamp', { since: '11' }),
  },
  transaction: {
    block_number: renamed('block', '6', 'block_number', '8'),
    transaction_types: { ...renamed('tx_types', '6', 'transaction_types', '8'), value: transactionTypes },
    transaction_tag: renamed('tx_tag', '6', 'transaction_tag', '8'),
    has_error_in_internal_transactions: renamed(
      'has_error_in_internal_txs',
      '6',
      'has_error_in_internal_transactions',
      '8',
    ),
    transaction_burnt_fee: renamed('tx_burnt_fee', '6', 'transaction_burnt_fee', '8'),
    authorization_list: { ...only('authorization_list', { since: '8' }), value: authorizationsOf },
    historic_exchange_rate: only('historic_exchange_rate', { since: '8' }),
    is_pending_update: only('is_pending_update', { since: '11' }),
    fhe_operations_count: only('fhe_operations_count', { since: '11' }),
    actions: only('actions', { until: '9' }),
    gas_limit: asText,
    confirmation_duration: { value: (duration) => duration ?? [] },
    revert_reason: { value: revertReason },
    // Lists leave out fields that need the receipts.
    token_transfers: { value: () => null },
    token_transfers_overflow: { value: () => null },
  },
  block: {
    transactions_count: {
      names: {
        tx_count: { until: '6' },
        transaction_count: { since: '8', until: '8' },
        transactions_count: { since: '8' },
      },
    },
    transaction_fees: renamed('tx_fees', '6', 'transaction_fees', '8'),
    internal_transactions_count: only('internal_transactions_count', { since: '9' }),
    is_pending_update: only('is_pending_update', { since: '11' }),
    extra_data: never,
    state_root: never,
    uncles_hashes: { value: (hashes) => (hashes as unknown[]).map((hash) => ({ hash })) },
    rewards: { value: (rewards) => (rewards as JsonRow[]).map(rewardOf) },
  },
};

/** If a release does not know the standard of a token, it shows the standard on which this one is based. */
export function tokenType(type: unknown, release: Release): unknown {
  return type === 'ERC-7984' && !isWithin(release, { since: '11' }) ? 'ERC-20' : type;
}

function transactionTypes(types: unknown, release: Release): unknown {
  const isKnown = (type: unknown): boolean => type !== 'set_code_transaction' || isWithin(release, { since: '8' });
  return (types as unknown[]).filter(isKnown);
}

function implementationsOf(implementations: unknown, release: Release): unknown {
  if (release !== '8') return implementations;
  return (implementations as JsonRow[]).map(({ address_hash: address, ...rest }) => ({ address, ...rest }));
}

function authorizationsOf(authorizations: unknown, release: Release): unknown {
  if (isWithin(release, { since: '11' })) return authorizations;
  return (authorizations as JsonRow[]).map(({ address_hash: address, status: _status, ...rest }) => ({
    address,
    ...rest,
  }));
}

/** A text from a contract is decoded as the argument of `Error`. */
function revertReason(reason: unknown): unknown {
  if (reason === null) return null;
  const parameters = [{ name: 'reason', type: 'string', value: reason }];
  return { method_call: 'Error(string reason)', method_id: '08c379a0', parameters };
}

const REWARDS = new Map<unknown, string>([
  ['Miner Reward', 'validator'],
  ['Chore Reward', 'validator'],
  ['Emission Reward', 'emission_funds'],
  ['Uncle Reward', 'uncle'],
]);

function rewardOf({ reward, type }: JsonRow): JsonRow {
  return { reward: String(BigInt(reward as number)), type: REWARDS.get(type) };
}

type Write = (row: JsonRow) => JsonRow;

/** The functions that convert rows with every field to the form of a release. */
export function createWriters(release: Release): Readonly<Record<RecordName, Write>> {
  const writers = Object.entries(FIELDS).map(([record, fields]) => [record, createWriter(fields, release)] as const);
  return Object.fromEntries(writers) as Record<RecordName, Write>;
}

function createWriter(fields: Fields, release: Release): Write {
  const namesByField = new Map(
    Object.entries(fields).map(([field, written]) => [field, namesOf(field, written, release)]),
  );
  return (row) => {
    const written: Record<string, unknown> = {};
    for (const [field, value] of Object.entries(row)) {
      const convert = fields[field]?.value;
      const shown = convert === undefined ? value : convert(value, release);
      for (const name of namesByField.get(field) ?? [field]) written[name] = shown;
    }
    return written;
  };
}

function namesOf(field: string, { names }: Written, release: Release): string[] {
  if (names === undefined) return [field];
  return Object.entries(names).flatMap(([name, span]) => (isWithin(release, span) ? [name] : []));
}
