// Small kinds with a field of every type, so that these tests stand on nothing but the contracts.
import { z } from 'zod';
import { Address } from '../../../src/core/values/address.ts';
import {
  address,
  amount,
  bool,
  double,
  duration,
  hash,
  int,
  json,
  list,
  record,
  text,
  time,
  word,
} from '../../../src/core/values/field-declarations.ts';
import { RecordType } from '../../../src/core/values/record-type.ts';
import type { AnyView } from '../../../src/core/values/fields.ts';
import { NEW_ROW } from '../../../src/watches/list-events.ts';
import { CHANGED } from '../../../src/watches/one-change.ts';
import { plainWording } from '../../../src/core/wording/values.ts';
import type { AnyKind, Kind } from '../../../src/core/model/watch/kind.ts';

const Ref = new RecordType('Ref', {
  hash: address('the address'),
  name: text('its name'),
  is_contract: bool('whether the address has code'),
});

const Coin = new RecordType('Coin', {
  address_hash: address('contract'),
  symbol: text('ticker'),
  reputation: word('what the explorer thinks of it', ['ok', 'scam']),
  decimals: int('decimals'),
});

const Transfer = new RecordType('Transfer', {
  from: record(Ref, 'sender'),
  token: record(Coin, 'what was moved'),
  amount: amount('plain', 'how much'),
});

const Head = new RecordType('Head', { height: int('its number'), timestamp: time('when it was made') });

export const Item = new RecordType('Item', {
  hash: hash('the item'),
  height: int('its block'),
  type: int('envelope type'),
  status: word('how it ended', ['ok', 'error']),
  success: bool('whether it went through'),
  method: text('method called'),
  value: amount('plain', 'coins sent'),
  raw: int('in the smallest unit'),
  share: double('a part of the whole'),
  from: record(Ref, 'sender'),
  to: record(Ref, 'receiver'),
  owner: address('whose it is'),
  token: record(Coin, 'what it is about'),
  timestamp: time('when'),
  age: duration('how old it is', { ofHead: true }),
  head: record(Head, 'the newest block', { ofHead: true }),
  transfers: list(record(Transfer, 'a transfer'), 'transfers in it'),
  tags: list(word('a tag', []), 'what it is'),
  notes: list(text('a note'), 'notes of strangers'),
  meta: json('free form'),
});

const common: Omit<AnyKind, 'name' | 'noun' | 'fields' | 'events' | 'while' | 'of' | 'token' | 'options'> = {
  summary: 'A kind for tests.',
  state: z.unknown(),
  comparedByDefault: ['value', 'status'],
  shown: [],
  fleeting: [],
  history: null,
  examples: {},
  wording: plainWording({ noun: 'item' }),
  question: ({ explorer, address: of }) => ({
    explorer,
    operation: 'address-transactions',
    path: `addresses/${of?.key ?? '-'}/transactions`,
    params: {},
    credits: 20,
    shape: 'list',
    record: Item,
  }),
  head: () => null,
  page: () => null,
  rowsOf: () => ({ rows: [] }),
  sourceOf: (path) => path,
  observe: () => Promise.reject(new Error('not in these tests')),
  detect: () => {
    throw new Error('not in these tests');
  },
  script: {
    rows: null,
    record: Item,
    synthesize: () => {
      throw new Error('not in these tests');
    },
  },
};

/** Everything is possible, and `direction` is its own key. */
export const items: AnyKind = {
  ...common,
  name: 'items',
  noun: 'item',
  fields: Item,
  events: { new: NEW_ROW, changed: CHANGED, mined: { doc: 'it is in a block', inBlocks: true, needs: 'of' } },
  while: { measured: 'value', exported: [] },
  of: 'optional',
  token: 'optional',
  options: z.strictObject({ direction: z.enum(['from', 'to']).optional() }),
} satisfies Kind<unknown, unknown, unknown>;

/** Needs an address, takes no token, knows no condition. */
const calls: AnyKind = {
  ...common,
  name: 'calls',
  noun: 'call',
  fields: new RecordType('CallItem', { success: bool('whether it went through'), value: amount('plain', 'coins') }),
  events: { new: NEW_ROW },
  while: null,
  of: 'required',
  token: 'none',
  options: z.strictObject({}),
};

/** Takes no address, needs a token. */
const details: AnyKind = {
  ...common,
  name: 'details',
  noun: 'coin',
  fields: Coin,
  events: { changed: CHANGED },
  while: { measured: 'value', exported: [] },
  of: 'none',
  token: 'required',
  comparedByDefault: ['reputation'],
  options: z.strictObject({}),
};

export const testKinds: readonly AnyKind[] = [items, calls, details];

/** An item of the kind `items`, from a row as the explorer writes it. */
export function viewOf(row: Readonly<Record<string, unknown>>): AnyView {
  const view = Item.read(row, { coin: 18 });
  if (view === undefined) throw new Error('no view');
  return view;
}

export function addressOf(text: string): Address {
  const address = Address.parse(text);
  if (address === undefined) throw new Error(`no address: ${text}`);
  return address;
}
