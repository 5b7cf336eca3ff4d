// What functions, methods, filters and events are for. A test compares the names with those that the language knows,
// and compiles every example.
import type { EventName } from '../../core/model/ids.ts';

export interface FunctionDoc {
  readonly signature: string;
  readonly doc: string;
  /** A condition of a kind that has such fields. */
  readonly example: string;
  readonly exampleKind: string;
}

const inTransactions = (signature: string, doc: string, example: string): FunctionDoc => ({
  ...{ signature, doc, example },
  exampleKind: 'transactions',
});
const inBlocks = (signature: string, doc: string, example: string): FunctionDoc => ({
  ...{ signature, doc, example },
  exampleKind: 'blocks',
});

export const FUNCTION_DOCS: Readonly<Record<string, FunctionDoc>> = {
  has: inTransactions('has(field): bool', 'whether the field is known', 'has(to.name)'),
  size: inTransactions('size(list or text): number', 'how many items or characters', 'size(token_transfers) > 10'),
  amount: inTransactions('amount("text"): number', 'an exact number of any length', 'value > amount("0.5")'),
  percent: inTransactions(
    'percent("text"): number',
    'an exact part of one: percent("5") is 0.05',
    'fee.value > value * percent("5")',
  ),
  duration: inBlocks('duration("text"): duration', 'h, m, s and ms; days are hours', 'age > duration("2m")'),
  timestamp: inBlocks(
    'timestamp("text"): time',
    'a moment, with its zone',
    'head.timestamp > timestamp("2026-01-31T00:00:00Z")',
  ),
  re: inTransactions(
    're(text, "pattern"): bool',
    'whether a part of the text fits the regular expression, in linear time',
    're(method, "^(swap|exit)")',
  ),
  glob: inTransactions(
    'glob(text, "pattern"): bool',
    'whether the whole text fits; * is any text, ? one character',
    'glob(method, "swap*")',
  ),
};

const inBalances = (measure: string, what: string, example: string): FunctionDoc => ({
  signature: `${measure}("1h"): number, or ${measure}(field, "1h")`,
  doc: `${what}; of while and until, unknown until the watch has looked for that long`,
  example,
  exampleKind: 'balance',
});

export const WINDOW_DOCS: Readonly<Record<string, FunctionDoc>> = {
  change: inBalances('change', 'how much it changed, as a part of what it was', 'change("1h") < percent("-10")'),
  delta: inBalances('delta', 'how much it changed', 'delta("1h") < -1000'),
  min: inBalances('min', 'the least value that was seen before now', 'balance < min("24h")'),
  max: inBalances('max', 'the greatest value that was seen before now', 'balance < max("24h") * 0.5'),
  avg: inBalances('avg', 'the mean, each value weighed by how long it stood', 'balance < avg("7d") * 0.8'),
};

export const METHOD_DOCS: Readonly<Record<string, FunctionDoc>> = {
  exists: inTransactions(
    'list.exists(t, condition): bool',
    'whether it is true of an item',
    'token_transfers.exists(t, t.total.value > 1000)',
  ),
  all: inTransactions(
    'list.all(t, condition): bool',
    'whether it is true of every item',
    'token_transfers.all(t, t.from == from)',
  ),
  exists_one: inTransactions(
    'list.exists_one(t, condition): bool',
    'whether it is true of exactly one item',
    'token_transfers.exists_one(t, t.token.symbol == "USDC")',
  ),
  filter: inTransactions(
    'list.filter(t, condition): list',
    'the items of which it is true',
    'token_transfers.filter(t, t.total.value > 1000).size() > 2',
  ),
  map: inTransactions(
    'list.map(t, expression): list',
    'something of every item',
    '"USDC" in token_transfers.map(t, t.token.symbol)',
  ),
  contains: inTransactions(
    'text.contains(text): bool',
    'whether the text is in it',
    'revert_reason.contains("paused")',
  ),
  startsWith: inTransactions('text.startsWith(text): bool', 'whether it begins so', 'method.startsWith("with")'),
  endsWith: inTransactions('text.endsWith(text): bool', 'whether it ends so', 'method.endsWith("draw")'),
  lowerAscii: inTransactions('text.lowerAscii(): text', 'in lower case', 'method.lowerAscii() == "withdraw"'),
  upperAscii: inTransactions('text.upperAscii(): text', 'in upper case', 'method.upperAscii() == "WITHDRAW"'),
  trim: inTransactions('text.trim(): text', 'without white space at its ends', 'method.trim() == "exit"'),
  size: inTransactions('list.size(), text.size(): number', 'how many items or characters', 'method.size() > 20'),
  getFullYear: inBlocks('time.getFullYear(): number', 'the year, in UTC', 'timestamp.getFullYear() > 2026'),
  getMonth: inBlocks('time.getMonth(): number', 'from 0, January, to 11', 'timestamp.getMonth() == 0'),
  getDayOfMonth: inBlocks('time.getDayOfMonth(): number', 'from 0 to 30', 'timestamp.getDayOfMonth() == 0'),
  getDayOfWeek: inBlocks('time.getDayOfWeek(): number', 'from 0, Sunday, to 6', 'timestamp.getDayOfWeek() in [0, 6]'),
  getDayOfYear: inBlocks('time.getDayOfYear(): number', 'from 0 to 365', 'timestamp.getDayOfYear() == 0'),
  getHours: inBlocks('time.getHours(): number', 'from 0 to 23, in UTC', 'timestamp.getHours() >= 22'),
  getMinutes: inBlocks('time.getMinutes(): number', 'from 0 to 59', 'timestamp.getMinutes() < 5'),
  getSeconds: inBlocks('time.getSeconds(): number', 'from 0 to 59', 'timestamp.getSeconds() == 0'),
};

export interface FilterDoc {
  readonly doc: string;
  readonly example: string;
}

export const FILTER_DOCS: Readonly<Record<string, FilterDoc>> = {
  percent: { doc: '0.05 becomes 5%', example: '{{ share | percent }}' },
  rounded: { doc: '1234.56789 becomes 1,234.57', example: '{{ balance | rounded }}' },
  short: { doc: '0x47ac0fb4… becomes 0x47ac…f3a1', example: '{{ address | short }}' },
};

export const EVENT_DOCS: Readonly<Record<EventName, string>> = {
  new: 'an item that was not there before',
  added: 'an item that came into the list',
  removed: 'an item that is gone from the list',
  changed: 'a field that `if` reads, or that is compared by default, has another value than before',
  mined: 'a transaction that was pending is in a block',
  reorg: 'known blocks were replaced by others',
};
