// Pages that end within a transaction.
import { describe, expect, test } from '@jest/globals';
import { Missed, type Cursor, type Page, type Read } from '../../src/core/model/watch/question.ts';
import { fieldOf, type AnyView, type View } from '../../src/core/values/fields.ts';
import { tokenTransfers } from '../../src/explorer/operations.ts';
import { ListedTransfer } from '../../src/explorer/reading/resources/token-transfer.ts';
import { readingWhole, type EqualRows } from '../../src/watches/lists/equal-rows.ts';
import { syntheticAddress } from '../../src/watches/synthetic.ts';

type Row = View<typeof ListedTransfer.fields>;

const question = tokenTransfers('chain', syntheticAddress('token'));
const numbers = new Map<AnyView, number>();
const blockHashes = new Map<AnyView, string>();

const EQUAL: EqualRows = {
  transactionOf: (view) => fieldOf(view, 'transaction_hash') as string,
  blockOf: (view) => fieldOf(view, 'block_number') as bigint,
  blockHashOf: (view) => blockHashes.get(view),
  placeOf: (view) => fieldOf(view, 'log_index') as bigint,
  contentOf: (view) => String(fieldOf(view, 'raw')),
  cursorFrom: (view) => ({
    block_number: String(fieldOf(view, 'block_number')),
    index: String(fieldOf(view, 'log_index')),
  }),
  numbered(view, number) {
    numbers.set(view, number);
    return view;
  },
  assertUsable: () => undefined,
};

/** `a1` is place 1 of transaction a; all are equal. */
function rowsOf(text: string, block = '0xa'): Row[] {
  return text.split(' ').map((word) => {
    const row = ListedTransfer.make({
      transaction_hash: word.slice(0, 1),
      log_index: BigInt(word.slice(1)),
      block_number: 7n,
      raw: 5n,
    });
    blockHashes.set(row, block);
    return row;
  });
}

function readerOf(pages: readonly (Page<typeof ListedTransfer.fields> | Missed)[], maxPages = 20) {
  const asked: (Cursor | null)[] = [];
  const page = async (_question: unknown, cursor: Cursor | null) => {
    asked.push(cursor);
    const next = pages[asked.length - 1];
    if (next === undefined || next instanceof Missed) throw next ?? new Missed('network', 'no such page');
    return next;
  };
  const read = { page, pageAgain: page } as unknown as Read;
  return { asked, read: readingWhole(read, EQUAL, maxPages) };
}

const shown = ({ rows }: Page<typeof ListedTransfer.fields>): string =>
  rows.map((row) => `${row.transaction_hash}${row.log_index}#${numbers.get(row)}`).join(' ');

const AT = { block_number: '7', index: '4', items_count: '50' };

describe('a page that ends within a transaction', () => {
  test('leaves that transaction to the next page, which begins with it', async () => {
    const { read } = readerOf([
      { rows: rowsOf('b9 b8 a5 a4'), next: { ...AT, index_in_batch: '2', batch_log_index: '4' } },
    ]);
    const page = await read.page(question, null);
    expect(shown(page)).toBe('b9#2 b8#1');
    expect(page.next).toEqual({ ...AT, index: '8' });
  });

  test('is read on if it has no other transaction', async () => {
    const { read, asked } = readerOf([
      { rows: rowsOf('b9 b8'), next: AT },
      { rows: rowsOf('b7 a5'), next: AT },
    ]);
    expect(shown(await read.page(question, null))).toBe('b9#3 b8#2 b7#1');
    expect(asked).toEqual([null, AT]);
  });

  test('loses the rows that its first part showed in a block which was replaced meanwhile', async () => {
    const { read } = readerOf([
      { rows: rowsOf('b9 b8', '0xa'), next: AT },
      { rows: rowsOf('b7 b6 a5', '0xb'), next: AT },
    ]);
    expect(shown(await read.page(question, null))).toBe('b7#2 b6#1');
  });

  test('does not come if the rest of its only transaction does not come', async () => {
    const { read } = readerOf([{ rows: rowsOf('b9 b8'), next: AT }, new Missed('timeout', 'late')]);
    await expect(read.page(question, null)).rejects.toThrow('late');
  });

  test('is numbered as far as it was read when the pages of the poll are used up', async () => {
    const endless = Array.from({ length: 9 }, (_, i) => ({ rows: rowsOf(`b${90 - i}`), next: AT }));
    const { read, asked } = readerOf(endless, 2);
    expect(shown(await read.page(question, null))).toBe('b90#3 b89#2 b88#1');
    expect(asked).toHaveLength(3);
  });
});

test('the last page is whole, in whatever order its rows come, and a row sent twice is one', async () => {
  const { read } = readerOf([{ rows: rowsOf('a4 b8 b9 a5 b9'), next: null }]);
  expect(shown(await read.page(question, null))).toBe('a4#1 b8#1 b9#2 a5#2 b9#2');
});
