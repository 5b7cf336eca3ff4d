import { expect, test } from '@jest/globals';
import { type HoldingItem, PackedItems, packItems, unpackItems } from '../../src/watches/holdings/items.ts';

const CONTRACT = '0x51BEEE539EE496D28B2BF8BED91D0B7F3A5599D8';
const KEY = CONTRACT.toLowerCase();

const COIN: HoldingItem = {
  values: { 'token.address_hash': CONTRACT, 'token.symbol': 'USD"₮', token_id: null, balance: '12345678901234567890' },
  arrival: 0,
  change: 7,
};
const PIECE: HoldingItem = { values: { ...COIN.values, token_id: '7', balance: '1' }, arrival: 8, change: 8 };

test('what is remembered of tokens comes back as it was, in its order', () => {
  const items = new Map([
    [KEY, COIN],
    [`${KEY}/7`, PIECE],
    [`${KEY}/hash`, { ...PIECE, values: { ...PIECE.values, token_id: 'not a number' } }],
  ]);
  expect([...unpackItems(packItems(items))]).toEqual([...items]);
});

test('an item that was not read since a rule compares one more path lacks that path, beside one that has it', () => {
  const items = new Map([
    [KEY, COIN],
    [`${KEY}/7`, { ...PIECE, values: { ...PIECE.values, 'token.reputation': null } }],
  ]);
  const back = unpackItems(packItems(items));
  expect([...back]).toEqual([...items]);
  expect(back.get(KEY)?.values).not.toHaveProperty('token.reputation');
});

test('an item whose contract is not remembered keeps its whole key', () => {
  const items = new Map([
    [KEY, { values: { balance: '1' }, arrival: 0, change: 0 }],
    ['0x52/3', { values: { 'token.address_hash': null, balance: '2' }, arrival: 0, change: 0 }],
  ]);
  expect([...unpackItems(packItems(items))]).toEqual([...items]);
});

test('forty tokens take less than four thousand characters', () => {
  const key = (index: number): string => `0x${index.toString(16).padStart(40, '0')}`;
  const items = Array.from({ length: 40 }, (_, index): [string, HoldingItem] => [
    key(index),
    { ...COIN, values: { ...COIN.values, 'token.address_hash': key(index) } },
  ]);
  expect(packItems(new Map(items)).length).toBeLessThan(4000);
});

test('what a former release remembered of each token is packed when it is read', () => {
  const former = { [KEY]: COIN, [`${KEY}/7`]: PIECE };
  expect([...unpackItems(PackedItems.parse(former))]).toEqual(Object.entries(former));
});

test.each([
  ['no JSON', '[['],
  ['no list', '{}'],
  ['a row that is too short', '[[["balance"]],["",0]]'],
  ['a text for a counter', '[[["balance"]],["",0,"0",0,"1"]]'],
  ['paths that are no texts', '[[[1]]]'],
  ['a row of paths that are not listed', '[[["balance"]],["",1,0,0,"1"]]'],
  ['a row with a value too few', '[[["balance"]],["",0,0,0]]'],
])('what is damaged is refused: %s', (_case, text) => {
  expect(PackedItems.safeParse(text).success).toBe(false);
});
