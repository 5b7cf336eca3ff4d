import { expect, test } from '@jest/globals';
import {
  neverHolding,
  neverWords,
  NO_SENDERS,
  type SenderSightings,
  sightSenders,
  type WantedSender,
} from '../../../src/core/model/quality/sightings.ts';
import { Transaction } from '../../../src/explorer/reading/resources/transaction.ts';
import { anAddress } from '../../support/engine/watch.ts';

const TREASURY = anAddress(1);
const OTHER = anAddress(2);

function wanting(...members: readonly string[]): readonly WantedSender[] {
  const written = { text: 'from.hash in ours', written: 'ours', isGroup: true, hint: 'Look elsewhere.' };
  return [{ alert: 'out', ...written, members }];
}

const ofBoth = wanting(TREASURY.key, OTHER.key);
const UNITS = { coin: 18, own: null };

function sighted(before: SenderSightings, ...rows: readonly Readonly<Record<string, unknown>>[]): SenderSightings {
  const views = rows.map((row) => Transaction.read(row, UNITS));
  const known = views.filter((view) => view !== undefined);
  return sightSenders(before, ofBoth, { record: Transaction, source: { rows: known } });
}

const contract = (hash: string, more = {}) => ({ hash, is_contract: true, ...more });

test('an address that a row shows as a contract is known as one from then on', () => {
  const seen = sighted(NO_SENDERS, { to: contract(TREASURY.text) });
  expect(seen).toEqual({ [TREASURY.key]: 'contract' });
  expect(sighted(seen)).toBe(seen);
  expect(sighted(seen, { to: { hash: TREASURY.text, is_contract: false } })).toBe(seen);
});

test('an account whose code is that of a contract signs: by its proxy type, and by what it has sent', () => {
  const delegated = contract(TREASURY.text, { proxy_type: 'eip7702' });
  expect(sighted(NO_SENDERS, { to: delegated })).toEqual({ [TREASURY.key]: 'signs' });
  // Explorers show the code at once, and find out later how it delegates.
  const early = sighted(NO_SENDERS, { to: contract(TREASURY.text) });
  expect(sighted(early, { to: delegated })).toEqual({ [TREASURY.key]: 'signs' });
  const sent = sighted({ [TREASURY.key]: 'contract' }, { from: contract(TREASURY.text) });
  expect(sent).toEqual({ [TREASURY.key]: 'signs' });
  expect(sighted(sent, { to: contract(TREASURY.text) })).toBe(sent);
});

test('a comparison with a group never holds as soon as all of its addresses are known as contracts', () => {
  const one = sighted(NO_SENDERS, { to: contract(TREASURY.text) });
  expect(neverHolding(ofBoth, one)).toEqual([]);
  const both = sighted(one, { to: contract(OTHER.text) });
  expect(neverHolding(ofBoth, both).map(neverWords)).toEqual([
    'ours are contracts: they sign no transactions, so "from.hash in ours" is never true',
  ]);
});

test('an address that no rule wants any more is forgotten', () => {
  const known: SenderSightings = { [TREASURY.key]: 'contract', [OTHER.key]: 'contract' };
  const nothing = { record: Transaction, source: null };
  expect(sightSenders(known, wanting(OTHER.key), nothing)).toEqual({ [OTHER.key]: 'contract' });
  expect(sightSenders(known, [], nothing)).toBe(NO_SENDERS);
});
