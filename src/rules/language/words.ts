import { MEASURES } from '../../core/model/watch/condition.ts';

/** Functions that a condition may call; any other is refused. */
export const FUNCTIONS: readonly string[] = [
  'has',
  'size',
  'amount',
  'percent',
  'duration',
  'timestamp',
  're',
  'glob',
  'hour',
  'weekday',
  'unlimited',
  'resembles',
  ...MEASURES,
];
/** Functions that read the time of the item, or of the poll, in a time zone. */
export type ClockFunction = 'hour' | 'weekday';
/** Functions over the watch's own history. */
export const WINDOWS: readonly string[] = MEASURES;
/** The names of windows in titles and texts: `change_1h`. */
export const WINDOW_NAME = new RegExp(`^(${MEASURES.join('|')})_(\\d+(?:ms|[smhd]))$`);
export const COMPREHENSIONS: readonly string[] = ['all', 'exists', 'exists_one', 'filter', 'map'];
/** Methods of a time; each takes a time zone, UTC by default. */
export const TIME_GETTERS: readonly string[] = [
  'getFullYear',
  'getMonth',
  'getDayOfMonth',
  'getDayOfWeek',
  'getDayOfYear',
  'getHours',
  'getMinutes',
  'getSeconds',
];
export const METHODS: readonly string[] = [
  ...COMPREHENSIONS,
  'contains',
  'startsWith',
  'endsWith',
  'lowerAscii',
  'upperAscii',
  'trim',
  'size',
  ...TIME_GETTERS,
];
/** Names reserved by CEL: a field with such a name is written after the noun. */
export const RESERVED_NAMES: readonly string[] = [
  'bool',
  'bytes',
  'double',
  'dyn',
  'int',
  'list',
  'map',
  'null_type',
  'string',
  'type',
  'uint',
  'cel',
  'google',
  'optional',
  'true',
  'false',
  'null',
  'in',
  'as',
  'break',
  'const',
  'continue',
  'else',
  'for',
  'function',
  'if',
  'import',
  'let',
  'loop',
  'package',
  'namespace',
  'return',
  'var',
  'void',
  'while',
  'prototype',
];

/** The group of all tokens of the config on an explorer, unless the config has this name. */
export const ALL_TOKENS = 'tokens';
/** The name of the record with its values before the change. */
export const BEFORE = 'before';

/** Key of the history in the evaluation context: a name that no rule can write. */
export const HISTORY = '#history';
/** Key of the time that `hour` and `weekday` read; no rule can write it either. */
export const MOMENT = '#moment';
/** Key of the whole record; no rule can write it either. */
export const SELF = '#self';
