// Documentation of functions, methods and filters. A test compares the names with those of the language. Examples come
// from the kinds, since a condition reads the fields of one kind.

export interface FunctionDoc {
  readonly signature: string;
  readonly doc: string;
}

const of = (signature: string, doc: string): FunctionDoc => ({ signature, doc });

export const FUNCTION_DOCS: Readonly<Record<string, FunctionDoc>> = {
  has: of('has(field): bool', 'whether the field is known'),
  size: of('size(list or text): number', 'how many items or characters'),
  amount: of('amount("text"): number', 'an exact number of any length'),
  percent: of('percent("text"): number', 'an exact part of one: percent("5") is 0.05'),
  duration: of('duration("text"): duration', 'h, m, s and ms; days are hours'),
  timestamp: of('timestamp("text"): time', 'a moment, with its zone'),
  hour: of(
    'hour("zone"): number',
    'from 0 to 23, as clocks in the zone show it at the time of the item, or of the poll where it has none',
  ),
  weekday: of('weekday("zone"): text', 'mon, tue, wed, thu, fri, sat or sun, as hour("zone")'),
  unlimited: of(
    'unlimited(number): bool',
    'whether it is an approval without limit: 2^96 - 1, 2^128 - 1, 2^160 - 1, or at least 2^255, before units',
  ),
  resembles: of(
    'resembles(address, list): bool',
    'whether it shows the same first four and last four digits as an address of the list, and is another one',
  ),
  re: of('re(text, "pattern"): bool', 'whether a part of the text fits the regular expression, in linear time'),
  glob: of('glob(text, "pattern"): bool', 'whether the whole text fits; * is any text, ? one character'),
};

export interface WindowDoc extends FunctionDoc {
  /** A condition with a window over the path. `named`: `price, ` where a window must name it, else empty. */
  readonly example: (path: string, named: string) => string;
}

const ofWindow = (measure: string, what: string, example: WindowDoc['example']): WindowDoc => ({
  signature: `${measure}("1h"): number, or ${measure}(field, "1h")`,
  doc: `${what}; of while and until, unknown until the watch has looked for that long`,
  example,
});

export const WINDOW_DOCS: Readonly<Record<string, WindowDoc>> = {
  change: ofWindow(
    'change',
    'the change as a part of the value before',
    (_path, named) => `change(${named}"1h") < percent("-10")`,
  ),
  delta: ofWindow('delta', 'how much it changed', (_path, named) => `delta(${named}"1h") < -1000`),
  min: ofWindow('min', 'the least value that was seen before now', (path, named) => `${path} < min(${named}"24h")`),
  max: ofWindow(
    'max',
    'the greatest value that was seen before now',
    (path, named) => `${path} < max(${named}"24h") * 0.5`,
  ),
  avg: ofWindow(
    'avg',
    'the mean, each value weighed by how long it stood',
    (path, named) => `${path} < avg(${named}"7d") * 0.8`,
  ),
};

export const METHOD_DOCS: Readonly<Record<string, FunctionDoc>> = {
  exists: of('list.exists(t, condition): bool', 'whether it is true of an item'),
  all: of('list.all(t, condition): bool', 'whether it is true of every item'),
  exists_one: of('list.exists_one(t, condition): bool', 'whether it is true of exactly one item'),
  filter: of('list.filter(t, condition): list', 'the items of which it is true'),
  map: of('list.map(t, expression): list', 'something of every item'),
  contains: of('text.contains(text): bool', 'whether the text is in it'),
  startsWith: of('text.startsWith(text): bool', 'whether it begins so'),
  endsWith: of('text.endsWith(text): bool', 'whether it ends so'),
  lowerAscii: of('text.lowerAscii(): text', 'in lower case'),
  upperAscii: of('text.upperAscii(): text', 'in upper case'),
  trim: of('text.trim(): text', 'without white space at its ends'),
  size: of('list.size(), text.size(): number', 'how many items or characters'),
  getFullYear: of('time.getFullYear(): number', 'the year, in UTC'),
  getMonth: of('time.getMonth(): number', 'from 0, January, to 11'),
  getDayOfMonth: of('time.getDayOfMonth(): number', 'from 0 to 30'),
  getDayOfWeek: of('time.getDayOfWeek(): number', 'from 0, Sunday, to 6'),
  getDayOfYear: of('time.getDayOfYear(): number', 'from 0 to 365'),
  getHours: of('time.getHours(): number', 'from 0 to 23, in UTC'),
  getMinutes: of('time.getMinutes(): number', 'from 0 to 59'),
  getSeconds: of('time.getSeconds(): number', 'from 0 to 59'),
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
