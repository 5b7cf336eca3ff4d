// What a report says over time: the sum, its change, and what is not known.
import { expect, test } from '@jest/globals';
import { load, run, type Files } from './support/trials.ts';

const REPORT =
  "{ id: weekly, cron: '0 8 * * 1', zone: Europe/Berlin, watches: [coins, usdc], values: [balance, balance_usd, change_7d | percent], total: balance_usd }";

const filesOf = (report = REPORT, more = ''): Files => ({
  'treasury.yaml': `defaults: { explorer: ethereum, notify: [ops], every: 5m }
watches:
  - { id: coins, kind: balance, of: treasury }
  - { id: usdc, kind: balance, of: treasury, token: USDC }
${more}reports: [${report}]
`,
});

const MONDAY = '2026-01-05T07:00:00Z';

function storyOf(saw: readonly string[], start = MONDAY): string {
  const rows = saw.map((row) => `\n      - ${row}`).join('');
  return `rules: treasury.yaml\ntests:\n  - name: a story\n    report: weekly\n    start: ${start}\n    expect: []\n    saw:${rows}\n`;
}

/** All that the report said: when, the title, and the lines below it. */
async function saidIn(saw: readonly string[], files = filesOf(), start?: string): Promise<string[]> {
  const { runs } = await run(storyOf(saw, start), files);
  return runs.flatMap(({ sent, broken }) => [
    ...(broken === null ? [] : [broken]),
    ...sent.flatMap(({ poll, message: { title, lines } }) => [
      `${poll.offset}: ${title}`,
      ...lines.map((line) => `  ${line.map((segment) => ('text' in segment ? segment.text : '?')).join('')}`),
    ]),
  ]);
}

const coins = (balance: number, price = 3000): string => `coins: { balance: ${balance}, exchange_rate: ${price} }`;
const usdc = (balance: number): string => `usdc: { balance: ${balance}, exchange_rate: 1 }`;

test('the sum of a week is compared with that of the week before', async () => {
  const both = (offset: string, usd: number): string => `{ at: ${offset}, ${coins(100)}, ${usdc(usd)} }`;
  expect(await saidIn([both('0m', 700_000), both('1h', 700_000), both('7d', 800_000), both('14d', 700_000)])).toEqual([
    '7d: report weekly: $1,100,000 in 2 balances, rose 10 % in 7 d',
    '14d: report weekly: $1,000,000 in 2 balances, fell 9.1 % in 7 d',
  ]);
});

test('the table has a row for each balance, and the sum below', async () => {
  const { runs } = await run(
    storyOf([`{ at: 0m, ${coins(100)}, ${usdc(700_000)} }`, `{ at: 7d, ${coins(50)}, ${usdc(800_000)} }`]),
    filesOf(),
  );
  const [message] = runs.flatMap(({ sent }) => sent.map((one) => one.message));
  expect(message?.table).toEqual([
    ['', 'balance', 'balance USD', 'change 7 d'],
    ['coins', '50 coin', '$150,000', '-50 %'],
    ['usdc', '800,000 USDC', '$800,000', '+14.3 %'],
    ['total', '', '$950,000', '-5 %'],
  ]);
  expect(message?.fields).toMatchObject({
    rows: {
      list: [
        { record: { watch: { text: 'coins' }, balance_usd: { text: '150000' }, change_7d: { text: '-0.5' } } },
        {},
      ],
    },
    total: { text: '950000' },
    change_7d: { text: '-0.05' },
    known: 2,
    unknown: 0,
  });
});

test('a balance that is not known is waited for five minutes, and then named', async () => {
  const begin = [`{ at: 0m, ${coins(100)}, ${usdc(700_000)} }`, `{ at: 6d, ${coins(100)}, ${usdc(700_000)} }`];
  const down = 'usdc: { missed: error }';
  expect(
    await saidIn([...begin, `{ at: 7d, ${coins(200)}, ${down} }`, `{ at: 7d4m, ${coins(200)}, ${down} }`]),
  ).toEqual([]);
  expect(
    await saidIn([
      ...begin,
      `{ at: 7d, ${coins(200)}, ${down} }`,
      `{ at: 7d5m, ${coins(200)}, ${down} }`,
      `{ at: 8d, ${coins(1)}, ${usdc(5)} }`,
    ]),
  ).toEqual([
    '7d5m: report weekly: $600,000 in 1 of 2 balances, rose 100 % in 7 d',
    '  usdc: not known since 2026-01-11 07:00 UTC.',
  ]);
  expect(
    await saidIn([...begin, `{ at: 7d, ${coins(200)}, ${down} }`, `{ at: 7d1m, ${coins(200)}, ${usdc(700_000)} }`]),
  ).toEqual(['7d1m: report weekly: $1,300,000 in 2 balances, rose 30 % in 7 d']);
});

test('only those known at both ends are in the change, and the others are named', async () => {
  const begin = [`{ at: 0m, ${coins(100)}, usdc: { missed: error } }`];
  expect(await saidIn([...begin, `{ at: 7d, ${coins(110)}, ${usdc(700_000)} }`])).toEqual([
    '7d: report weekly: $1,030,000 in 2 balances, rose 10 % in 7 d',
    '  Not in the change of 7 d, since not known then: usdc.',
  ]);
  expect(await saidIn([`{ at: 0m }`, `{ at: 7d, ${coins(110)}, ${usdc(700_000)} }`])).toEqual([
    '7d: report weekly: $1,030,000 in 2 balances',
    '  No value of 7 d ago is known, so the change is not.',
  ]);
});

test('a balance without a price is in no sum, and waited for by nobody', async () => {
  expect(
    await saidIn([`{ at: 0m, ${coins(100)} }`, `{ at: 7d, ${coins(100)}, usdc: { balance: 5, exchange_rate: null } }`]),
  ).toEqual(['7d: report weekly: $300,000 in 1 of 2 balances, unchanged in 7 d', '  Without a price: usdc.']);
});

test('a sum that was nothing at the begin has no percentage, and what it was is told', async () => {
  const none = `{ at: 0m, ${coins(0)}, ${usdc(0)} }`;
  expect(await saidIn([none, `{ at: 7d, ${coins(100)}, ${usdc(0)} }`, `{ at: 14d, ${coins(0)}, ${usdc(0)} }`])).toEqual(
    [
      '7d: report weekly: $300,000 in 2 balances, was $0 7 d ago',
      '14d: report weekly: $0 in 2 balances, fell 100 % in 7 d',
    ],
  );
  expect(await saidIn([none, `{ at: 7d, ${coins(0)}, ${usdc(0)} }`])).toEqual([
    '7d: report weekly: $0 in 2 balances, unchanged in 7 d',
  ]);
  const { runs } = await run(storyOf([none, `{ at: 7d, ${coins(100)}, ${usdc(0)} }`]), filesOf());
  expect(runs.flatMap(({ sent }) => sent.map(({ message }) => message.table))).toEqual([
    [
      ['', 'balance', 'balance USD', 'change 7 d'],
      ['coins', '100 coin', '$300,000', 'from 0'],
      ['usdc', '0 USDC', '$0', '0 %'],
      ['total', '', '$300,000', 'from 0'],
    ],
  ]);
});

test('a watch that is asked at the time of the report is waited for, and its old value is named', async () => {
  const files = filesOf(
    "{ id: weekly, cron: '0 8 * * *', watches: [coins, nightly], values: [balance], total: balance }",
    "  - { id: nightly, kind: balance, of: cold, cron: '0 8 * * *' }\n",
  );
  const day = `{ at: 0m, ${coins(1)}, nightly: { balance: 1 } }`;
  const late = [day, `{ at: 24h, ${coins(2)} }`];
  const start = '2026-01-05T08:00:00Z';
  expect(await saidIn([...late, `{ at: 24h1m, ${coins(2)}, nightly: { balance: 5 } }`], files, start)).toEqual([
    '24h1m: report weekly: 7 coin in 2 balances',
  ]);
  expect(await saidIn([...late, `{ at: 24h5m, ${coins(2)}, nightly: { missed: error } }`], files, start)).toEqual([
    '24h5m: report weekly: 3 coin in 2 balances',
    '  nightly: not read since 2026-01-05 08:00 UTC.',
  ]);
});

test('a report of which nothing is known says so', async () => {
  expect(await saidIn(['{ at: 0m }', '{ at: 7d }', '{ at: 7d5m }'])).toEqual([
    '7d5m: report weekly: none of 2 balances is known',
    '  coins: not known yet.',
    '  usdc: not known yet.',
  ]);
});

test('two watches of one balance count once', async () => {
  const again = '  - { id: again, kind: balance, of: treasury, every: 1m }\n';
  const report =
    "{ id: weekly, cron: '0 8 * * 1', zone: Europe/Berlin, watches: [coins, again], values: [balance], total: balance }";
  expect(
    await saidIn(['{ at: 0m }', '{ at: 7d, coins: { balance: 5 }, again: { balance: 5 } }'], filesOf(report, again)),
  ).toEqual(['7d: report weekly: 5 coin in 1 balance', '  coins is the same balance as again, and counts once.']);
});

test('of several times that were missed the newest is told, and when it was due', async () => {
  expect(
    await saidIn(['{ at: 0m }', `{ at: 15d, ${coins(1)}, ${usdc(1)} }`, `{ at: 15d1m, ${coins(1)}, ${usdc(1)} }`]),
  ).toEqual([
    '15d: report weekly: $3,001 in 2 balances',
    '  Due at 2026-01-19 07:00 UTC.',
    '  No value of 7 d ago is known, so the change is not.',
  ]);
});

test('it is told at eight by the clocks of its zone, also after these were put forward', async () => {
  const rows = ['{ at: 0m }', '{ at: 6d22h59m }', `{ at: 6d23h, ${coins(1)}, ${usdc(1)} }`];
  expect(await saidIn(rows, filesOf(), '2026-03-23T07:00:00Z')).toEqual([
    '6d23h: report weekly: $3,001 in 2 balances',
    '  No value of 7 d ago is known, so the change is not.',
  ]);
});

test('a time that clocks skip is left out, and one that they show twice is told once', async () => {
  const nightly = filesOf(
    "{ id: weekly, cron: '30 2 * * *', zone: Europe/Berlin, watches: [coins], values: [balance] }",
  );
  const hours = (count: number): string[] =>
    Array.from({ length: count }, (_, hour) => `{ at: ${hour}h, coins: { balance: 1 } }`);
  expect(await saidIn(hours(24), nightly, '2026-03-29T00:00:00Z')).toEqual([]);
  expect(await saidIn(hours(24), nightly, '2026-10-24T23:00:00Z')).toEqual([
    '3h: report weekly: 1 balance',
    '  Due at 01:30 UTC.',
  ]);
});

test('what lists of tokens are worth is added up too', async () => {
  const safes = '  - { id: safes, kind: holdings, of: [vault, cold], tokens: all }\n';
  const report =
    "{ id: weekly, cron: '0 8 * * 1', zone: Europe/Berlin, watches: [safes], values: [total_usd, unpriced], total: total_usd }";
  const items = (usd: number): string =>
    `{ holdings: [{ balance: ${usd}, token: { symbol: A, decimals: 0, exchange_rate: 1, type: ERC-20 } }] }`;
  const row = (offset: string): string =>
    `{ at: ${offset}, 'safes[vault]': ${items(5000)}, 'safes[cold]': ${items(7000)} }`;
  expect(await saidIn([row('0m'), row('7d')], filesOf(report, safes))).toEqual([
    '7d: report weekly: $12,000 in 2 watches',
  ]);
});

test('a test of a report says what is wrong with it', () => {
  const problemsOf = (text: string): string[] =>
    load(text, filesOf()).problems.map(({ path, message, hint = '' }) => `${path}: ${message}. ${hint}`);
  expect(problemsOf(storyOf([`{ at: 0m, coin: { balance: 1 } }`, `{ at: 0m, coins: { balanse: 1 } }`]))).toEqual([
    'tests[0].saw[0].coin: weekly has no watch "coin". Did you mean coins?',
    'tests[0].saw[1].coins.balanse: Balance has no field "balanse". Did you mean balance?',
  ]);
  expect(problemsOf(storyOf(['{ at: 0m }']).replace('report: weekly', 'report: weekley'))).toEqual([
    'tests[0].report: no report "weekley". Did you mean weekly?',
  ]);
});
