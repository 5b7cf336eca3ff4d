import { expect, describe, test } from '@jest/globals';
import type { Fields, View } from '../../../src/core/values/fields.ts';
import type { Severity } from '../../../src/core/model/ids.ts';
import {
  Missed,
  type Cursor,
  type ListQuestion,
  type Page,
  type Read,
} from '../../../src/core/model/watch/question.ts';
import { again, readAll, readNewestFirst, readUntil, type Pages } from '../../../src/explorer/reading/paging.ts';
import type { Explorer } from '../../../src/explorer/explorer.ts';
import { addressTokens } from '../../../src/explorer/operations.ts';
import { Block } from '../../../src/explorer/reading/resources/block.ts';
import type { TokenBalance } from '../../../src/explorer/reading/resources/token.ts';
import type { Spend } from '../../../src/core/spending/spend.ts';
import type { Budget } from '../../../src/explorer/spending/budget.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { rawText } from '../../../src/lib/untrusted.ts';
import { aBudget } from '../../support/spending.ts';
import { addressOf, blockRows, openExplorer, someBlocks, someTokens, VAULT } from '../support/open.ts';
import { sendJson, sendText, startServer, type Handler } from '../support/server.ts';

type BlockView = View<typeof Block.fields>;

const heightOf = (row: BlockView): bigint | undefined => row.height;
const identityOf = (row: BlockView): string | undefined => row.height?.toString();
const pieceOf = ({ token_id }: View<typeof TokenBalance.fields>): string | undefined =>
  token_id === undefined ? undefined : rawText(token_id);
const cursorFrom = (row: BlockView): Cursor | null =>
  row.height === undefined ? null : { block_number: row.height.toString() };

/** A page of blocks with these heights. */
function page(heights: readonly number[], next: Cursor | null): Page {
  return { rows: heights.map((height) => Block.make({ height: BigInt(height) })), next } as unknown as Page;
}

const at = (block: number, count = 50): Cursor => ({ block_number: String(block), items_count: String(count) });

/** Answers the n-th page that is asked for with the n-th of `pages`; keeps the cursors that were sent. */
function script(...pages: (Page | Missed)[]): Pages & { readonly sent: (Cursor | null)[] } {
  const sent: (Cursor | null)[] = [];
  return {
    sent,
    page: async <F extends Fields>(_question: ListQuestion<F>, cursor: Cursor | null) => {
      sent.push(cursor);
      const found = pages[sent.length - 1];
      if (found === undefined) throw new Error('more pages were asked for than there are');
      if (found instanceof Missed) throw found;
      return found as unknown as Page<F>;
    },
  };
}

const knownUpTo = (height: bigint) => ({
  isKnown: (row: BlockView) => (row.height ?? 0n) <= height,
  identityOf,
  blockOf: heightOf,
  examinedTo: height,
  downTo: null,
  maxPages: 20,
});

const heights = (rows: readonly BlockView[]): number[] => rows.map((row) => Number(row.height));

describe('news are read from the newest down', () => {
  test('to the first page without any; every row that was read counts', async () => {
    const read = script(page([9, 8], at(8)), page([7, 6], at(6)), page([5, 4], at(4)));
    const reading = await readNewestFirst(read, someBlocks, knownUpTo(6n));
    expect(heights(reading.rows)).toEqual([9, 8, 7, 6, 5, 4]);
    expect(reading).toMatchObject({ partial: null, pages: 3, reachedEnd: false });
    expect(read.sent).toEqual([null, at(8), at(6)]);
  });

  test('when nothing is new, one page is enough', async () => {
    const read = script(page([9, 8], at(8)));
    expect(await readNewestFirst(read, someBlocks, knownUpTo(9n))).toMatchObject({ partial: null, pages: 1 });
  });

  test('what appeared below the newest known is found in a page that was read anyway', async () => {
    const read = script(page([9, 8, 7], at(7)), page([6, 5], at(5)));
    const isKnown = (row: BlockView): boolean => row.height !== 7n;
    const reading = await readNewestFirst(read, someBlocks, { ...knownUpTo(9n), isKnown });
    expect(heights(reading.rows)).toEqual([9, 8, 7, 6, 5]);
  });

  test('to the end of the list', async () => {
    const read = script(page([2], at(2)), page([1], null));
    const reading = await readNewestFirst(read, someBlocks, knownUpTo(0n));
    expect(reading).toMatchObject({ partial: null, reachedEnd: true });
  });

  test('a row that moved to the next page meanwhile is not counted twice', async () => {
    const read = script(page([9, 8], at(8)), page([8, 7], at(7)), page([6], null));
    expect(heights((await readNewestFirst(read, someBlocks, knownUpTo(0n))).rows)).toEqual([9, 8, 7, 6]);
  });
});

describe('a reading that breaks off says what was not examined', () => {
  test('at the most pages', async () => {
    const read = script(page([90, 89], at(89)), page([88, 87], at(87)));
    const reading = await readNewestFirst(read, someBlocks, { ...knownUpTo(50n), maxPages: 2 });
    expect(reading).toMatchObject({ partial: 'blocks 51-87 not examined: 2 pages read', pages: 2 });
  });

  test('when a later page does not come: what came before is kept', async () => {
    const read = script(page([90, 89], at(89)), new Missed('timeout', 'x'));
    const reading = await readNewestFirst(read, someBlocks, { ...knownUpTo(50n), examinedTo: 90n });
    expect(heights(reading.rows)).toEqual([90, 89]);
    expect(reading.partial).toBe('blocks up to 89 not examined: page 2 did not come (timeout)');
  });

  test('a first page that does not come is no reading', async () => {
    const missed = new Missed('timeout', 'x');
    await expect(readNewestFirst(script(missed), someBlocks, knownUpTo(0n))).rejects.toBe(missed);
  });

  test('stopping is not a failure of a page', async () => {
    const stop = new Error('stopping');
    const pages: Pages = {
      page: async (_question, cursor) => {
        if (cursor !== null) throw stop;
        return page([9], at(9)) as never;
      },
    };
    await expect(readNewestFirst(pages, someBlocks, knownUpTo(0n))).rejects.toBe(stop);
  });

  test('items in no block are examined without one', async () => {
    const read = script(page([9, 8], at(8)));
    const options = { ...knownUpTo(0n), maxPages: 1, blockOf: () => undefined };
    expect((await readNewestFirst(read, someBlocks, options)).partial).toBe('older items not examined: 1 pages read');
  });
});

describe('a cursor that stands still', () => {
  test('the same page for ever ends as partial', async () => {
    const read = script(page([9, 8], at(8)), page([9, 8], at(8)));
    const reading = await readNewestFirst(read, someBlocks, knownUpTo(0n));
    expect(reading.partial).toContain("the explorer's cursor stands still");
    expect(heights(reading.rows)).toEqual([9, 8]);
  });

  test('the last row knows where to go on', async () => {
    const read = script(page([9, 8], at(8)), page([7, 6], at(8)), page([5], null));
    const reading = await readNewestFirst(read, someBlocks, { ...knownUpTo(0n), cursorFrom });
    expect(heights(reading.rows)).toEqual([9, 8, 7, 6, 5]);
    expect(read.sent).toEqual([null, at(8), at(6)]);
    expect(reading.partial).toBeNull();
  });

  test('and is tried once: when that moves nothing either, the reading ends', async () => {
    const read = script(page([9, 8], at(8)), page([9, 8], at(8)), page([9, 8], at(8)));
    const from: (row: BlockView) => Cursor = () => ({ block_number: '7' });
    const reading = await readNewestFirst(read, someBlocks, { ...knownUpTo(0n), cursorFrom: from });
    expect(read.sent).toEqual([null, at(8), at(7)]);
    expect(reading.partial).not.toBeNull();
  });

  test('an empty page with a cursor leads nowhere', async () => {
    expect((await readNewestFirst(script(page([], at(8))), someBlocks, knownUpTo(0n))).partial).not.toBeNull();
  });

  test('a running total in the cursor does not make it another place', async () => {
    const read = script(page([9, 8], at(8, 50)), page([7], at(8, 100)));
    expect((await readNewestFirst(read, someBlocks, knownUpTo(0n))).pages).toBe(2);
  });

  test('a position that only counts items moves', async () => {
    const read = script(page([9], { items_count: '50' }), page([8], { items_count: '100' }), page([7], null));
    expect((await readNewestFirst(read, someBlocks, knownUpTo(0n))).reachedEnd).toBe(true);
  });
});

describe('whole lists', () => {
  test('are complete only at their end', async () => {
    const options = { identityOf, maxPages: 2 };
    expect(await readAll(script(page([3, 2], at(2)), page([1], null)), someBlocks, options)).toMatchObject({
      partial: null,
      reachedEnd: true,
    });
    expect(await readAll(script(page([3], at(3)), page([2], at(2))), someBlocks, options)).toMatchObject({
      partial: '2 pages read',
      reachedEnd: false,
    });
  });

  test('are read until a row matches', async () => {
    const options = { identityOf, maxPages: 5, matches: (row: BlockView) => row.height === 2n };
    const reading = await readUntil(script(page([3], at(3)), page([2], at(2))), someBlocks, options);
    expect(reading).toMatchObject({ partial: null, pages: 2, reachedEnd: false });
    expect(heights(reading.rows)).toEqual([3, 2]);
    const absent = await readUntil(script(page([3], at(3)), page([1], null)), someBlocks, options);
    expect(absent).toMatchObject({ partial: null, reachedEnd: true });
  });
});

describe('cursors as servers send them', () => {
  test('keys sent twice, the old value last: the list is read to its end all the same', async () => {
    await using server = await startServer(({ query }, response) => {
      const top = Number(query['block_number'] ?? 11) - 1;
      const rows = [top, top - 1].filter((height) => height > 0).map((height) => `{"height":${height}}`);
      const old =
        query['block_number'] === undefined ? '' : `,"items_count":50,"block_number":"${query['block_number']}"`;
      const next = top <= 2 ? 'null' : `{"block_number":${top - 1},"items_count":50${old}}`;
      sendText(response, `{"items":[${rows.join(',')}],"next_page_params":${next}}`);
    });
    await using opened = openExplorer(server.url);
    const reading = await readAll(opened.explorer.tickReader(), someBlocks, { identityOf, maxPages: 20, cursorFrom });
    expect(heights(reading.rows)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    expect(reading.reachedEnd).toBe(true);
    expect(server.requests).toHaveLength(5);
  });

  test('further pages are spent on the watch that asks for them, not on a critical one that asks for the first page too', async () => {
    await using server = await startServer((request, response) => {
      const isFirst = request.query['block_number'] === undefined;
      sendJson(response, {
        items: [{ height: isFirst ? 2 : 1 }],
        next_page_params: isFirst ? { block_number: 2 } : null,
      });
    });
    const budget = aBudget({ clock: systemClock, requestsPerSecond: null });
    const spent: string[] = [];
    const pass: Budget['pass'] = (where, signal, spend) => {
      spent.push(`${spend.class}/${spend.severity}`);
      return budget.pass(where, signal, spend);
    };
    await using opened = openExplorer(server.url, { budget: { ...budget, pass } });
    const tick = opened.explorer.tickReader(() => ({ severity: 'critical', isFirst: true }));
    const of = (severity: Severity): Read => tick.forWatch?.({ watch: `vault/${severity}`, severity }) ?? tick;
    const { next } = await of('warning').page(someBlocks, null);
    await of('warning').page(someBlocks, next);
    await of('warning').pageAgain(someBlocks, null);
    await of('critical').pageAgain(someBlocks, next);
    expect(spent).toEqual(['critical/critical', 'pages/warning', 'pages/warning', 'pages/critical']);
  });

  test('a sweep waits in the turn of its watch, and those of two watches that want one page wait for it together', async () => {
    await using server = await startServer((_request, response) => {
      sendJson(response, { items: [{ height: 1 }], next_page_params: null });
    });
    const budget = aBudget({ clock: systemClock, requestsPerSecond: null });
    const turns: Spend['turn'][] = [];
    const pass: Budget['pass'] = (where, signal, spend) => {
      turns.push(spend.turn);
      return budget.pass(where, signal, { ...spend, class: 'critical' });
    };
    await using opened = openExplorer(server.url, { budget: { ...budget, pass } });
    const sweep = async (watch: string, height: string): Promise<void> => {
      const tick = opened.explorer.tickReader();
      const read = tick.forWatch?.({ watch, severity: 'warning' }) ?? tick;
      await read.sweepPage?.(someBlocks, { block_number: height });
      await read.page(someBlocks, null);
    };
    await sweep('vault', '5');
    await sweep('tally', '7');
    await sweep('tally', '5');
    expect(turns.map((turn) => turn?.watch)).toEqual(['vault', undefined, 'tally', undefined, 'tally', undefined]);
    const [ofVault, , elsewhere, , there] = turns.map((turn) => turn?.page);
    expect(there).toBe(ofVault);
    expect(elsewhere).not.toBe(ofVault);
  });

  test('a key echoed into the cursor is neither kept nor sent back', async () => {
    await using server = await startServer((request, response) => {
      const isFirst = request.query['block_number'] === undefined;
      sendJson(response, {
        items: [{ height: isFirst ? 2 : 1 }],
        next_page_params: isFirst ? { block_number: 2, apikey: 'secret', key: 'secret', API_KEY: 'secret' } : null,
      });
    });
    await using opened = openExplorer(server.url);
    await readAll(opened.explorer.tickReader(), someBlocks, { identityOf, maxPages: 5 });
    expect(server.requests[1]?.query).toEqual({ block_number: '2' });
  });

  test('null goes as the four letters, or an old server would begin again', async () => {
    await using server = await startServer((request, response) => {
      const isFirst = request.query['fiat_value'] === undefined;
      const next = {
        fiat_value: null,
        value: '115792089237316195423570985008687907853',
        id: 7,
        items_count: 50,
        empty: '',
      };
      const items = isFirst ? [{ token_id: '1' }, { token_id: '2' }] : [{ token_id: '3' }];
      sendJson(response, { items, next_page_params: isFirst ? next : {} });
    });
    await using opened = openExplorer(server.url);
    const reading = await readAll(opened.explorer.tickReader(), someTokens, {
      identityOf: pieceOf,
      maxPages: 5,
    });
    expect(reading).toMatchObject({ reachedEnd: true, pages: 2 });
    expect(server.requests[1]?.query).toEqual({
      fiat_value: 'null',
      value: '115792089237316195423570985008687907853',
      id: '7',
      items_count: '50',
    });
  });

  test.each([
    ['null', null],
    ['{}', {}],
    ['missing', undefined],
  ])('%s is the end of the list', async (_name, next) => {
    await using server = await startServer((_request, response) => {
      sendJson(response, { items: [{ height: 1 }], next_page_params: next });
    });
    await using opened = openExplorer(server.url);
    const reading = await readAll(opened.explorer.tickReader(), someBlocks, { identityOf, maxPages: 5 });
    expect(reading).toMatchObject({ reachedEnd: true, pages: 1 });
  });

  describe('an empty cursor', () => {
    /** Pages of blocks of these sizes, from 1,000 down; each with its cursor. */
    function pagesOf(pages: readonly (readonly [number, object | null])[]): Handler {
      return ({ query }, response) => {
        const at = Number(query['page'] ?? 0);
        const [size, cursor] = pages[at] ?? [0, null];
        sendJson(response, { items: blockRows(1000 - 100 * at, size), next_page_params: cursor });
      };
    }

    async function readFrom(explorer: Explorer) {
      const { partial, reachedEnd, rows } = await readAll(explorer.tickReader(), someBlocks, {
        identityOf,
        maxPages: 9,
      });
      return { partial, reachedEnd, rows: rows.length };
    }

    const cursor = (at: number): object => ({ page: at });
    const cutOff = (at: number): string =>
      `page ${at} cannot be reached, for the explorer's cursor is empty after a full page`;

    test.each([
      [
        'after a short page is the end',
        [
          [8, cursor(1)],
          [3, {}],
        ],
        null,
        11,
      ],
      [
        'after a page as full as the one before is none',
        [
          [8, cursor(1)],
          [8, {}],
        ],
        cutOff(3),
        16,
      ],
      [
        'that holds nothing but a key is an empty one',
        [
          [8, cursor(1)],
          [8, { apikey: 'k' }],
        ],
        cutOff(3),
        16,
      ],
      ['after fifty rows, which no release goes below, is no end', [[50, {}]], cutOff(2), 50],
      ['after a first page of fewer is one', [[49, {}]], null, 49],
      [
        'after more rows than ever is no end',
        [
          [8, cursor(1)],
          [9, {}],
        ],
        cutOff(3),
        17,
      ],
    ] as const)('%s', async (_name, pages, partial, rows) => {
      await using server = await startServer(pagesOf(pages));
      await using opened = openExplorer(server.url);
      expect(await readFrom(opened.explorer)).toEqual({ partial, reachedEnd: partial === null, rows });
    });

    test('in mid-list does not make what comes behind it vanish: the size of a page is known from the polls before', async () => {
      let pages: readonly (readonly [number, object | null])[] = [
        [8, cursor(1)],
        [2, null],
      ];
      await using server = await startServer((...request) => {
        pagesOf(pages)(...request);
      });
      await using opened = openExplorer(server.url);
      expect(await readFrom(opened.explorer)).toEqual({ partial: null, reachedEnd: true, rows: 10 });
      pages = [[8, {}]];
      // Once more, for the same bytes are not decoded again.
      for (let again = 0; again < 2; again += 1)
        expect(await readFrom(opened.explorer)).toEqual({ partial: cutOff(2), reachedEnd: false, rows: 8 });
      pages = [[7, {}]];
      expect(await readFrom(opened.explorer)).toEqual({ partial: null, reachedEnd: true, rows: 7 });
    });

    test('that was the end as far as anybody knew is none when another list shows how long a page is', async () => {
      await using server = await startServer(({ path, query }, response) => {
        const [isShort, isFirst] = [path.includes(VAULT.key), query['page'] === undefined];
        const items = Array.from({ length: 8 }, (_, n) => ({ token_id: isFirst ? n : n + 8 }));
        sendJson(response, { items, next_page_params: isShort ? {} : isFirst ? cursor(1) : null });
      });
      await using opened = openExplorer(server.url);
      const partialOf = async (list: ListQuestion<typeof TokenBalance.fields>): Promise<string | null> => {
        const options = { identityOf: pieceOf, maxPages: 9 };
        return (await readAll(opened.explorer.tickReader(), list, options)).partial;
      };
      expect(await partialOf(someTokens)).toBeNull();
      expect(await partialOf(addressTokens('ethereum', addressOf(`0x${'12'.repeat(20)}`)))).toBeNull();
      expect(await partialOf(someTokens)).toBe(cutOff(2));
    });
  });

  test('a second reading asks for every page anew', async () => {
    await using server = await startServer(({ query }, response) => {
      const isFirst = query['block_number'] === undefined;
      sendJson(response, {
        items: [{ height: isFirst ? 2 : 1 }],
        next_page_params: isFirst ? { block_number: 2 } : null,
      });
    });
    await using opened = openExplorer(server.url);
    const round = opened.explorer.tickReader();
    await readAll(round, someBlocks, { identityOf, maxPages: 5 });
    await readAll(again(round), someBlocks, { identityOf, maxPages: 5 });
    expect(server.requests).toHaveLength(4);
  });
});
