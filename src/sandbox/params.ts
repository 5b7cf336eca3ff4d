// Query parameters as newer explorers take them: what an operation did not declare is refused, and so is any value
// that is not legal.
import { TOKEN_TYPES } from './chain/catalogue.ts';
import type { Invalid } from './answer.ts';

/** Says what is wrong with a value; undefined = nothing. */
type Check = (text: string) => string | undefined;

/** By name. `apikey` and `key` are taken everywhere. */
export type Declared = Readonly<Record<string, Check>>;
export type Params = ReadonlyMap<string, string>;

const anything: Check = () => undefined;
const integer: Check = (text) => (/^\d{1,15}$/.test(text) ? undefined : 'Invalid integer. Got: string');
const amount: Check = (text) => (/^\d{1,100}$/.test(text) ? undefined : 'Invalid integer. Got: string');
const itemsCount: Check = (text) => (/^([1-9]|[1-4]\d|50)$/.test(text) ? undefined : 'Value must be between 1 and 50');
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

/** A list without a value would be no filter at all. */
function someOf(text: string): string | undefined {
  return splitList(text).length === 0 ? 'Invalid value: an empty list' : undefined;
}

/** Values of a comma-separated list; brackets around it are forgiven. */
export function splitList(text: string): string[] {
  return text
    .replace(/[[\]\s]/g, '')
    .split(',')
    .filter((word) => word !== '');
}

const TRANSACTION_TYPES = ['token_transfer', 'contract_creation', 'contract_call', 'coin_transfer', 'token_creation'];

/** Parameters of every operation; keys of a cursor come back as parameters. */
export const DECLARED = {
  token: {},
  address: {},
  'address-tokens': {
    type: (text) => listOf(TOKEN_TYPES)(text.toUpperCase()),
    value: nullable(amount),
    items_count: integer,
    token_name: anything,
    token_type: nullable((text) => oneOf(...TOKEN_TYPES)(text)),
  },
  'address-internal-transactions': {
    filter: oneOf('to', 'from'),
    block_number: integer,
    transaction_index: integer,
    index: integer,
    items_count: itemsCount,
  },
  'address-transactions': {
    filter: oneOf('to', 'from'),
    block_number: nullable(integer),
    index: nullable(integer),
    value: amount,
    fee: amount,
    hash,
    inserted_at: time,
    items_count: itemsCount,
  },
  transactions: {
    filter: oneOf('validated', 'pending'),
    type: listOf(TRANSACTION_TYPES),
    method: someOf,
    block_number: integer,
    index: integer,
    items_count: itemsCount,
  },
  blocks: {
    type: oneOf('block', 'uncle', 'reorg'),
    block_number: integer,
    items_count: itemsCount,
  },
} as const satisfies Record<string, Declared>;

export type Operation = keyof typeof DECLARED;

const EVERYWHERE: Declared = { apikey: anything, key: anything };

/** Every parameter that is not declared or not legal. */
export function checkParams(operation: Operation, params: Params): Invalid[] {
  const declared = new Map<string, Check>(Object.entries<Check>({ ...EVERYWHERE, ...DECLARED[operation] }));
  return [...params].flatMap(([parameter, text]) => {
    const check = declared.get(parameter);
    const detail = check === undefined ? `Unexpected field: ${parameter}` : check(text);
    return detail === undefined ? [] : [{ parameter, detail }];
  });
}

/** A whole number of a cursor; undefined when it is missing or null. */
export function numberOf(params: Params, name: string): number | undefined {
  const text = params.get(name);
  return text === undefined || text === 'null' ? undefined : Number(text);
}
