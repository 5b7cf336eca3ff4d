// Query parameters: the names that each operation takes, and their legal values. Cursors come back as parameters.
import type { Invalid } from './answer.ts';
import { TOKEN_TYPES } from './chain/catalogue.ts';
import type { SandboxOperation } from './operations.ts';
import type { Dialect } from './releases/dialect.ts';

/** The mistake in a value; undefined = none. */
type Check = (text: string) => string | undefined;

/** The checks of parameters, by name. */
type Declared = Readonly<Record<string, Check>>;
export type Params = ReadonlyMap<string, string>;

const anything: Check = () => undefined;
const integer: Check = (text) => (/^\d{1,15}$/.test(text) ? undefined : 'Invalid integer. Got: string');
const amount: Check = (text) => (/^\d{1,100}$/.test(text) ? undefined : 'Invalid integer. Got: string');
const price: Check = (text) =>
  /^(null|\d{1,100}(\.\d{1,100})?)?$/.test(text) ? undefined : 'Invalid number. Got: string';
const pageSize: Check = (text) => (/^[1-9]\d{0,14}$/.test(text) ? undefined : 'Value must be at least 1');
const rowsOfPage: Check = (text) => (/^([1-9]|[1-4]\d|50)$/.test(text) ? undefined : 'Value must be between 1 and 50');
const nullable =
  (check: Check): Check =>
  (text) =>
    text === 'null' ? undefined : check(text);
const oneOf =
  (...legal: string[]): Check =>
  (text) =>
    legal.includes(text) ? undefined : 'Invalid value for enum';
const hash: Check = (text) => (/^0x[0-9a-f]{64}$/i.test(text) ? undefined : 'Invalid format. Expected a hash');
const time: Check = (text) => (Number.isNaN(Date.parse(text)) ? 'Invalid format. Expected :"date-time"' : undefined);

function listOf(legal: readonly string[]): Check {
  const isLegal = (word: string): boolean => legal.includes(word);
  return (text) => someOf(text) ?? (splitList(text).every(isLegal) ? undefined : 'Invalid value for enum');
}

/** A list without a value would filter nothing. */
function someOf(text: string): string | undefined {
  return splitList(text).length === 0 ? 'Invalid value: an empty list' : undefined;
}

/** Values of a comma-separated list; brackets around it are ignored. */
export function splitList(text: string): string[] {
  return text
    .replace(/[[\]\s]/g, '')
    .split(',')
    .filter((word) => word !== '');
}

const TRANSACTION_TYPES = ['token_transfer', 'contract_creation', 'contract_call', 'coin_transfer', 'token_creation'];
const BLOBS = 'blob_transaction';

const ITEMS_COUNT: Readonly<Record<Dialect['itemsCount'], Check>> = {
  total: anything,
  page: rowsOfPage,
  none: pageSize,
};

/** Parameters of every operation. `apikey` and `key` are accepted everywhere. */
function declaredBy(dialect: Dialect): Readonly<Record<SandboxOperation, Declared>> {
  const isSpecified = dialect.release === null;
  const items_count = ITEMS_COUNT[dialect.itemsCount];
  const side = oneOf('to', 'from');
  const place = { block_number: integer, index: integer, items_count };
  const waitingPlace = { inserted_at: time, hash };
  const tokenTypes = listOf(isSpecified || dialect.isSince('11') ? TOKEN_TYPES : WITHOUT_CONFIDENTIAL);
  const type: Check = (text) => tokenTypes(text.toUpperCase());
  const byKind = dialect.transactionFilters === 'types-and-methods';
  return {
    token: {},
    address: {},
    'smart-contract': {},
    'address-tokens': isSpecified
      ? { type, value: nullable(amount), items_count: integer, token_name: anything, token_type: nullable(type) }
      : { type, value: nullable(amount), items_count, fiat_value: price, id: integer },
    'address-internal-transactions': {
      ...place,
      filter: side,
      transaction_index: integer,
      ...(dialect.marksUntraced ? { include_zero_value: oneOf('true', 'false') } : {}),
    },
    'address-token-transfers': { ...place, filter: side, type, token: anything },
    'token-transfers': place,
    'address-logs': { ...place, topic: hash },
    'address-transactions': {
      filter: side,
      block_number: nullable(integer),
      index: nullable(integer),
      value: amount,
      fee: amount,
      items_count,
      ...waitingPlace,
    },
    transactions: {
      filter: oneOf('validated', 'pending'),
      ...place,
      ...(isSpecified ? {} : waitingPlace),
      ...(byKind
        ? { type: listOf(isSpecified ? TRANSACTION_TYPES : [...TRANSACTION_TYPES, BLOBS]), method: someOf }
        : {}),
      ...(byKind ? {} : { type: oneOf(BLOBS) }),
    },
    blocks: { type: oneOf('block', 'uncle', 'reorg'), block_number: integer, items_count },
    // They read their parameters themselves.
    'get-logs': {},
    'tx-list-internal': {},
    'eth-rpc': {},
    transaction: {},
    'state-changes': { items_count: anything },
  };
}

const WITHOUT_CONFIDENTIAL = TOKEN_TYPES.filter((type) => type !== 'ERC-7984');
const EVERYWHERE: Declared = { apikey: anything, key: anything };

export interface ReadParams {
  /** Only parameters with a meaning for the operation. */
  readonly params: Params;
  readonly problems: readonly Invalid[];
}

/** Reads the parameters as a release does: wrong ones are problems, or left out. */
export function createParamsReader(dialect: Dialect): (operation: SandboxOperation, params: Params) => ReadParams {
  const declared = declaredBy(dialect);
  return (operation, params) => {
    const checks = new Map(Object.entries<Check>({ ...EVERYWHERE, ...declared[operation] }));
    return dialect.isStrict(operation) ? refuseWrong(checks, params) : leaveOutWrong(checks, params);
  };
}

function refuseWrong(checks: ReadonlyMap<string, Check>, params: Params): ReadParams {
  const problems = [...params].flatMap(([parameter, text]) => {
    const check = checks.get(parameter);
    const detail = check === undefined ? `Unexpected field: ${parameter}` : check(text);
    return detail === undefined ? [] : [{ parameter, detail }];
  });
  return { params, problems };
}

/** Leaves out wrong parameters. A list keeps its legal words; without a legal word it filters nothing. */
function leaveOutWrong(checks: ReadonlyMap<string, Check>, params: Params): ReadParams {
  const kept = [...params].flatMap(([parameter, text]): [string, string][] => {
    const check = checks.get(parameter);
    if (check === undefined) return [];
    if (check(text) === undefined) return [[parameter, text]];
    const legal = splitList(text).filter((word) => check(word) === undefined);
    return legal.length === 0 ? [] : [[parameter, legal.join(',')]];
  });
  return { params: new Map(kept), problems: [] };
}

/** A whole number of a cursor; undefined when it is missing or null. */
export function numberOf(params: Params, name: string): number | undefined {
  const text = params.get(name);
  return text === undefined || text === 'null' ? undefined : Number(text);
}
