import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { encodeView } from '../../../src/core/values/encoded.ts';
import type { AnyView } from '../../../src/core/values/fields.ts';
import type { Page } from '../../../src/core/model/watch/question.ts';
import { decodeAnswer } from '../../../src/explorer/reading/decode.ts';
import { RequestFault } from '../../../src/explorer/http/fault.ts';
import { boundJson, HARMLESS_BYTES, MOST_ROWS } from '../../../src/explorer/http/json-bounds.ts';
import { parseInSteps, parseJson } from '../../../src/explorer/http/body.ts';
import { createPageSizes } from '../../../src/explorer/reading/page-sizes.ts';
import { effort, NO_HANG } from '../../support/effort.ts';
import { blockRows, someBlocks, someTokens } from '../support/open.ts';

const CONTEXT = { units: { coin: 18 }, where: 'explorer.example', pageSizes: createPageSizes() };
const BIG = '12345678901234567890';

/** All three ways to read a text: as it comes, looked through although it is small, and in steps. */
async function readings(json: string): Promise<readonly unknown[]> {
  const body = Buffer.from(json);
  const lookedThrough: unknown = JSON.parse(boundJson(body).bytes.toString('utf8'));
  return [parseJson(body), lookedThrough, await parseInSteps(boundJson(body))];
}

async function expectReadings(json: string, value: unknown): Promise<void> {
  for (const reading of await readings(json)) expect(reading).toEqual(value);
}

describe('a number that loses digits as a number', () => {
  test.each([
    [`{"a":${BIG}}`, { a: BIG }],
    [`{"a":-${BIG},"b":[${BIG}]}`, { a: `-${BIG}`, b: [BIG] }],
    [`{"a": ${BIG}}`, { a: BIG }],
    [`{"a":\t-${BIG}\n, "b":[ ${BIG} , ${BIG}]}`, { a: `-${BIG}`, b: [BIG, BIG] }],
    [`{"a":9007199254740991,"b":9007199254740993}`, { a: 9007199254740991, b: '9007199254740993' }],
    [`[9007199254740992,-9007199254740992,1.${BIG},${BIG}.5,${BIG}e0]`, undefined],
    [`{"a":":${BIG},","b":${BIG}}`, { a: `:${BIG},`, b: BIG }],
    [`{"a":"\\":${BIG},","b":${BIG}}`, { a: `":${BIG},`, b: BIG }],
    [`{"a\\\\":${BIG}}`, { 'a\\': BIG }],
    [`[":${BIG}]"]`, [`:${BIG}]`]],
    [BIG, BIG],
    [` -${BIG} `, `-${BIG}`],
    ['null', null],
  ])('is exact text, and texts stay as they are: %s', async (json, value) => {
    await expectReadings(json, value ?? meantBy(json));
  });

  test.each([
    `{"a":0${BIG}}`,
    `{"a":${BIG}`,
    `{"a":":${BIG},}`,
    `{${BIG}:1}`,
    `{"a":1,${BIG}:1}`,
    `{"a":- ${BIG}}`,
    `[1 ${BIG}]`,
    `[--${BIG}]`,
    `["x"${BIG}]`,
    `[${BIG}"x"]`,
    `[,${BIG}]`,
    `{"items":[{"a":1},]}`,
    `{"items":[1]]`,
    `{"items":[1}]`,
    `{"items":[[1,2}]]}`,
    `{"items" [1]}`,
    `{"x":1}}`,
  ])('does not make JSON of what is none: %s', async (json) => {
    expect(() => parseJson(Buffer.from(json))).toThrow(SyntaxError);
    await expect(readings(json)).rejects.toThrow(SyntaxError);
  });
});

/** What a text means: that of JSON, but for integers beyond 2^53. */
function meantBy(json: string): unknown {
  return JSON.parse(json, (_key, value: unknown, context?: { readonly source?: string }) => {
    const source = context?.source ?? '';
    return typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? source : value;
  });
}

const blank = fc.constantFrom('', '', ' ', '\n', '\t \r');
const integer = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }).map(String);
const nearTheLimit = fc.bigInt({ min: 2n ** 53n - 3n, max: 2n ** 53n + 3n }).map(String);
const decimal = fc
  .tuple(integer, fc.nat(), fc.constantFrom('', 'e5', 'E-20', 'e+3'))
  .map(([a, b, e]) => `${a}.${b}${e}`);
const hostile = fc
  .array(fc.constantFrom('"', '\\', ':', ',', '}', ']', '[', '{', ' ', BIG, '-', 'a', 'é', '☃', '\n'), { maxLength: 8 })
  .map((pieces) => pieces.join(''));
const name = fc.oneof(hostile, fc.constantFrom('items', 'a', '__proto__', '0'));

/** JSON as servers may write it: any blanks, any numbers, the same key twice. */
const { json } = fc.letrec<{ json: string }>((tie) => {
  const spaced = fc.tuple(blank, tie('json'), blank).map((parts) => parts.join(''));
  const pair = fc
    .tuple(blank, name, blank, spaced)
    .map(([a, key, b, value]) => `${a}${JSON.stringify(key)}${b}:${value}`);
  return {
    json: fc.oneof(
      { maxDepth: 6, depthSize: 'small' },
      fc.oneof(
        integer,
        nearTheLimit,
        decimal,
        hostile.map((text) => JSON.stringify(text)),
        fc.constantFrom('null', 'true'),
      ),
      fc.array(spaced, { maxLength: 5 }).map((items) => `[${items.join(',')}]`),
      fc.array(pair, { maxLength: 5 }).map((pairs) => `{${pairs.join(',')}}`),
      blank.map((inside) => `[${inside}]`),
    ),
  };
});

test('every valid text means what it meant before anything was looked through', async () => {
  await fc.assert(
    fc.asyncProperty(json, async (text) => {
      const meant = meantBy(text);
      for (const reading of await readings(text)) expect(reading).toEqual(meant);
    }),
    { numRuns: 500 },
  );
});

const INVALID = Symbol('invalid');

async function outcomeOf(read: () => unknown): Promise<unknown> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RequestFault) return INVALID;
    throw error;
  }
}

test('whatever bytes of an answer are changed, it is read as JSON reads it, or refused', async () => {
  const rows = JSON.stringify(blockRows(9, 3)).replace('"height":8', `"height":${BIG}`);
  const page = Buffer.from(`{"items":${rows},"next_page_params":{"block_number":6}}`);
  const change = fc.record({ at: fc.nat(page.length - 1), cut: fc.nat(3), put: fc.oneof(hostile, fc.constant('')) });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
      const body = changes.reduce(
        (bytes, { at, cut, put }) => Buffer.concat([bytes.subarray(0, at), Buffer.from(put), bytes.subarray(at + cut)]),
        page,
      );
      const meant = await outcomeOf(() => meantBy(body.toString('utf8')));
      expect(await outcomeOf(() => parseJson(body))).toEqual(meant);
      expect(await outcomeOf(async () => parseInSteps(boundJson(body)))).toEqual(meant);
      const decoded = await outcomeOf(() => decodeAnswer(body, someBlocks, CONTEXT));
      if (meant === INVALID) expect(decoded).toBe(INVALID);
    }),
    { numRuns: 1000 },
  );
});

const HOLDER = '0x00000000000000000000000000000000000000cc';

function tokenRow(n: number, metadata: string): string {
  const token = `{"address_hash":"${HOLDER}","symbol":"T${n}","decimals":"0","type":"ERC-721"}`;
  return `{"token":${token},"token_id":"${n}","value":"1","token_instance":{"id":"${n}","metadata":${metadata}}}`;
}

function tokensWith(metadata: readonly string[]): Page {
  const rows = metadata.map((text, n) => tokenRow(n, text)).join(',');
  const body = Buffer.from(`{"items":[${rows}],"next_page_params":null}`);
  return decodeAnswer(body, someTokens, CONTEXT).value as Page;
}

const shown = (rows: readonly AnyView[]): unknown[] => rows.map((row) => encodeView(row));
const ones = (count: number): string => `[${'1,'.repeat(count - 1)}1]`;

describe('what a stranger sends to an address', () => {
  test.each([
    ['a million values in one token', [ones(1_000_000), '{}']],
    ['twenty thousand in each of a hundred', Array.from({ length: 100 }, () => ones(20_000))],
    ['a thousand objects in each of a hundred', Array.from({ length: 100 }, () => `[${'{},'.repeat(1_100)}{}]`)],
    ['a million lists', [`[${'[],'.repeat(1_000_000)}[]]`, '{}']],
  ])('hides no token, but is unknown itself: %s', (_name, metadata) => {
    const { rows } = tokensWith(metadata);
    expect(rows).toHaveLength(metadata.length);
    const [row] = shown(rows);
    expect(row).toMatchObject({ token_id: '0', balance: '1', token: { symbol: 'T0' }, token_instance: { id: '0' } });
    expect(row).not.toHaveProperty('token_instance.metadata');
  });

  test('is known where it is not much, also on a page of many', () => {
    const { rows } = tokensWith([ones(60_000), ...Array.from({ length: 99 }, () => ones(1_900))]);
    const [large, usual] = shown(rows);
    expect(large).toHaveProperty('token_instance.metadata', Array<number>(60_000).fill(1));
    expect(usual).toHaveProperty('token_instance.metadata', Array<number>(1_900).fill(1));
  });

  test.each([10, 30, 31, 100_000])(
    'is unknown where it is deep, on a small page as on a large one (%i lists)',
    (depth) => {
      const deep = `${'['.repeat(depth)}1${']'.repeat(depth)}`;
      for (const other of ['{}', `"${'x'.repeat(HARMLESS_BYTES)}"`]) {
        const { rows } = tokensWith([deep, other]);
        const [row] = shown(rows);
        expect(row).toMatchObject({ token_id: '0', balance: '1' });
        if (depth > 20) expect(row).not.toHaveProperty('token_instance.metadata');
        else expect(JSON.stringify(row)).toContain(deep);
      }
    },
  );
});

describe('an answer is refused', () => {
  const flat = (fields: number): string => `{${Array.from({ length: fields }, (_, n) => `"f${n}":1`).join(',')}}`;
  test.each([
    ['for more items than a page can have', `{"items":[${'{},'.repeat(MOST_ROWS)}{}]}`, `more than ${MOST_ROWS} items`],
    ['for an item without end', `{"items":[${flat(40_000)}]}`, 'an item of more than 65536 values'],
    ['for what is beside its items', `{"items":[],"more":${flat(40_000)}}`, 'values outside of its items'],
    ['for too many values in all', `{"items":[${`${flat(30)},`.repeat(9_000)}{}]}`, 'more than 500000 values'],
    [
      'for too many objects in all',
      `{"items":[${`{"a":[${'{},'.repeat(299)}{}]},`.repeat(333)}{}]}`,
      'more than 100000 objects',
    ],
    [
      'for depths beside its items',
      `{"items":[],"more":{"a":${'['.repeat(70_000)}${']'.repeat(70_000)}}}`,
      'in each other',
    ],
    ['for depths instead of items', `${'['.repeat(70_000)}${']'.repeat(70_000)}`, 'in each other'],
  ])('%s', (_name, text, reason) => {
    const body = Buffer.from(text);
    const refused = orMissing(() => decodeAnswer(body, someBlocks, CONTEXT));
    expect(refused).toMatchObject({ reason: 'too-large' });
    expect(refused?.message).toContain(reason);
  });
});

describe('a large answer', () => {
  // Two megabytes: beside items of one value, some that fill a piece each.
  const fat = JSON.stringify({ a: Array<string>(5_000).fill(`é${'x'.repeat(20)}`), b: 0 }).replace(/0\}$/, `${BIG}}`);
  const text = `{ "items" : [ ${`{"a":1} , ${fat},`.repeat(16)}[2]],"other":[${BIG}],"none":[ ],"next_page_params":{"a":${BIG}}}`;

  test('is parsed in many pieces and means the same as in one', async () => {
    const bounded = boundJson(Buffer.from(text));
    expect(bounded.lists.map((list) => list.length / 2)).toEqual([9, 1, 1]);
    expect(await parseInSteps(bounded)).toEqual(meantBy(text));
    expect(parseJson(Buffer.from(text))).toEqual(meantBy(text));
  });

  test('is JSON only if every piece is', async () => {
    const fatRows = `${fat},`.repeat(16);
    for (const items of [fatRows, `${fatRows},1`, `,${fatRows}1`, `${fatRows}1]],"x":[[1`]) {
      const body = Buffer.from(`{"items":[${items}]}`);
      const isValid = (await outcomeOf(() => meantBy(body.toString()))) !== INVALID;
      expect((await outcomeOf(() => parseInSteps(boundJson(body)))) !== INVALID).toBe(isValid);
    }
  });

  test('gives every piece a turn of its own, and none is large', () => {
    const rows = Array.from({ length: 9_000 }, (_, n) => `{"a":[${n},[],{}],"b":${'"b",'.repeat(20)}"c"}`).join(',');
    const { bytes, lists } = boundJson(Buffer.from(`{"items":[${rows}]}`));
    const list = lists[0] ?? [];
    expect(list.length / 2).toBeGreaterThan(10);
    for (let i = 0; i < list.length; i += 2) {
      const piece = bytes.toString('utf8', list[i], list[i + 1]);
      expect(piece.length).toBeLessThan(140_000);
      expect(piece.match(/[,:[{]/g)?.length).toBeLessThan(17_000);
    }
  });

  test.each([
    ['blanks before numbers', (n: number) => `[${`${' '.repeat(50)}${BIG},`.repeat(n)}1]`],
    ['quotes that begin nothing', (n: number) => `["${'\\"'.repeat(30 * n)}`],
    ['brackets that never close', (n: number) => '[{"a":'.repeat(10 * n)],
    [
      'values to be forgotten in each other',
      (n: number) => `{"items":[[${'['.repeat(20)}${`${ones(2_500)},`.repeat(n / 100)}`,
    ],
  ])('is looked through in one go, whatever is in it: %s', (_name, make) => {
    // Enough that quadratic work takes minutes; on a busy machine code runs long before it is compiled.
    const body = Buffer.from(make(20_000));
    expect(effort(() => orMissing(() => boundJson(body)))).toBeLessThan(NO_HANG);
  });
});

/** The error where there is no value. */
function orMissing(read: () => unknown): Error | null {
  try {
    read();
    return null;
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
}
