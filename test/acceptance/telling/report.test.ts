// Reports of several watches by a daemon that runs, on its state: restarts, reloads, outages and silences.
import { expect, test } from '@jest/globals';
import { refusing } from '../../support/store/broken-writes.ts';
import { onFileAlone } from '../../support/store/on-file-alone.ts';
import { callApi, readApi } from '../../support/web/api-calls.ts';
import { anOperatedDaemon, RULES as OPERATED_RULES, WATCHES } from '../../support/web/operated-daemon.ts';
import { aStory, RULES, type Story } from '../../support/self-story.ts';

const clockTest = onFileAlone('replicas go by the clock of the database, not by that of the machine');

const CHANNELS = `channels: { screen: { type: log, format: json }, other: { type: log, format: json } }
self: none`;

const rulesOf = (cron: string, more = '', watches = '[coins, gold]'): string =>
  `defaults: { notify: [screen] }
${RULES}reports:
  - { id: fives, cron: '${cron}', watches: ${watches}, values: [balance, change_2m | percent], total: balance${more} }
`;
const AT_FIVE = rulesOf('5 0 * * *');

interface Event {
  readonly watch: string;
  readonly title: string;
  readonly key: string;
}

interface Said {
  readonly data: {
    readonly alert: string;
    readonly title: string;
    readonly lines: readonly string[];
    readonly id: string;
  };
}

function reports({ printed }: Story): Said['data'][] {
  return printed.all.map((line) => (JSON.parse(line) as Said).data).filter(({ alert }) => alert === 'report');
}

const titles = (story: Story): string[] => reports(story).map(({ title }) => title);

test('a report is told at its time, once, and never again after a restart', async () => {
  await using story = await aStory({ channels: CHANNELS, rules: AT_FIVE });
  const { explorer, printed } = story;
  await story.minutes(4);
  expect(titles(story)).toEqual([]);
  explorer.balance = '10000000000000000000';
  await story.minutes(1);
  await printed.reached(1);
  expect(titles(story)).toEqual(['report fives: 10 coin in 1 balance, rose 100 % in 2 min']);
  expect(reports(story)[0]?.lines).toEqual([
    '       balance  change 2 min',
    'gold   10 coin        +100 %',
    'total  10 coin        +100 %',
    'coins is the same balance as gold, and counts once.',
  ]);
  await story.restart();
  await story.minutes(3);
  expect(printed.all).toHaveLength(1);
});

test('a report that was due while the daemon did not run is told after the start, once', async () => {
  await using story = await aStory({ channels: CHANNELS, rules: AT_FIVE });
  await story.minutes(4);
  await story.restart(() => {
    story.running.clock.stall(20 * 60_000);
  });
  await story.minutes(2);
  await story.printed.reached(1);
  expect(reports(story).map(({ title, lines }) => [title, lines.find((line) => line.startsWith('Due'))])).toEqual([
    ['report fives: 5 coin in 1 balance', 'Due at 00:05 UTC.'],
  ]);
  await story.restart();
  await story.minutes(2);
  expect(titles(story)).toHaveLength(1);
});

test('an explorer that is down delays a report by five minutes, and the balances are named', async () => {
  await using story = await aStory({ channels: CHANNELS, rules: AT_FIVE });
  const { explorer, printed } = story;
  explorer.isDown = true;
  await story.minutes(9);
  expect(titles(story)).toEqual([]);
  await story.minutes(2);
  await printed.reached(1);
  expect(reports(story).map(({ title, lines }) => [title, lines.at(-1)])).toEqual([
    [
      'report fives: none of 1 balance is known',
      expect.stringMatching(/^(coins|gold): not known since 00:00 UTC\.$|counts once/),
    ],
  ]);
});

test('a reload that moves the time into the past tells nothing, and one that takes the report away ends it', async () => {
  await using story = await aStory({ channels: CHANNELS, rules: AT_FIVE });
  const { folder, printed, running } = story;
  const reload = async (rules: string): Promise<void> => {
    folder.write('rules.yaml', rules);
    expect(await running.reload()).toBe('config:reloaded');
  };
  await story.minutes(3);
  await reload(rulesOf('2 0 * * *'));
  await story.minutes(4);
  expect(titles(story)).toEqual([]);
  await reload(rulesOf('12 0 * * *', ', notify: [other]'));
  await story.minutes(2);
  await reload(`defaults: { notify: [screen] }\n${RULES}`);
  await story.minutes(6);
  expect(printed.all).toEqual([]);
  await reload(rulesOf('0 0 * * *'));
  await story.minutes(2);
  expect(printed.all).toEqual([]);
  await reload(rulesOf('*/5 * * * *'));
  await story.minutes(5);
  await printed.reached(1);
  expect(titles(story)).toEqual(['report fives: 5 coin in 1 balance, unchanged in 2 min']);
});

clockTest('a clock that is set by years, and back, stops nothing: each later time is told once', async () => {
  await using story = await aStory({ channels: CHANNELS, rules: rulesOf('*/5 * * * *') });
  const { clock, polls } = story.running;
  const years = 4 * 365 * 86_400_000;
  // After a jump fewer polls end in a minute.
  const minutes = async (count: number): Promise<void> => {
    for (; count > 0; count -= 1) await clock.advance(60_000);
  };
  await minutes(2);
  await clock.setTo(clock.now() + years);
  await minutes(6);
  await clock.setTo(clock.now() - years);
  await minutes(8);
  await clock.setTo(clock.now() - 10 * 60_000);
  const { length } = polls.all;
  await minutes(15);
  expect(polls.all.length - length).toBeGreaterThanOrEqual(3 * 14);
  const times = story.printed.all.map((line) => (JSON.parse(line) as { data: { since: string } }).data.since);
  expect(times).toEqual([
    '2029-12-31T00:00:00Z',
    '2029-12-31T00:05:00Z',
    '2026-01-01T00:10:00Z',
    '2026-01-01T00:15:00Z',
    '2026-01-01T00:20:00Z',
  ]);
});

test('what no poll has read for a new report yet is not without a price', async () => {
  const hourly = `defaults: { notify: [screen] }
watches: [{ id: hourly, kind: balance, of: treasury, every: 1h }]
`;
  await using story = await aStory({ channels: CHANNELS, rules: hourly, polls: 1 });
  const { folder, running, printed } = story;
  await running.clock.advance(20 * 60_000);
  folder.write(
    'rules.yaml',
    `${hourly}reports: [{ id: usd, cron: '25 * * * *', watches: [hourly], values: [balance_usd], total: balance_usd }]\n`,
  );
  expect(await running.reload()).toBe('config:reloaded');
  await running.clock.advance(9 * 60_000);
  expect(titles(story)).toEqual([]);
  await running.clock.advance(2 * 60_000);
  await printed.reached(1);
  await running.clock.advance(60 * 60_000);
  await printed.reached(2);
  expect(reports(story).map(({ title, lines }) => [title, lines.at(-1)])).toEqual([
    ['report usd: none of 1 balance is known', 'hourly: read for this report at its next poll.'],
    ['report usd: none of 1 balance is known', 'Without a price: hourly.'],
  ]);
});

test('a report that the store refuses stops no other one, and is told once when it is taken', async () => {
  const disk: { refused: string | null } = { refused: null };
  const fives = AT_FIVE.slice(AT_FIVE.indexOf('  - { id: fives'));
  const rules = `${AT_FIVE}${fives.replace('fives', 'others')}`;
  await using story = await aStory({ channels: CHANNELS, rules, openStore: refusing(disk) });
  await story.minutes(4);
  disk.refused = 'report/fives';
  await story.minutes(3);
  expect(titles(story)).toEqual(['report others: 5 coin in 1 balance, unchanged in 2 min']);
  expect(await story.running.says('report:failed')).toMatchObject({ report: 'report/fives' });
  disk.refused = null;
  await story.minutes(3);
  expect(titles(story).toSorted()).toEqual([
    'report fives: 5 coin in 1 balance, unchanged in 2 min',
    'report others: 5 coin in 1 balance, unchanged in 2 min',
  ]);
});

test('a silence of the report holds it, and one of its watches does not', async () => {
  await using daemon = await anOperatedDaemon();
  const { folder, running, told } = daemon;
  const minutes = async (count: number): Promise<void> => {
    for (; count > 0; count -= 1) {
      const { length } = running.polls.all;
      await running.clock.advance(60_000);
      await running.polls.reached(length + WATCHES);
    }
  };
  const silence = async (watch: string, minute: number): Promise<void> => {
    const until = new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
    const body = { matchers: { watch }, until, comment: 'moved' };
    expect((await callApi(running, { path: '/silences', body, key: watch })).status).toBe(201);
  };
  const saidOf = (watch: string): readonly string[] => told.filter((line) => line.includes(` ${watch}/report EVENT `));
  const fives = "  - { id: fives, cron: '*/5 * * * *', watches: [coins], values: [balance], total: balance }\n";
  folder.write('rules.yaml', `${OPERATED_RULES}reports:\n${fives}${fives.replace('fives', 'others')}`);
  expect(await running.reload()).toBe('config:reloaded');
  await silence('fives', 8);
  await silence('coins', 20);
  await minutes(7);
  expect(saidOf('fives')).toEqual([]);
  expect(saidOf('others')).toEqual([
    expect.stringContaining('report others: 5 coin in 1 balance - coins: balance 5 coin.'),
  ]);
  await minutes(5);
  expect(saidOf('fives')).toHaveLength(1);
  const { events } = (await readApi(running, '/overview')).body as { readonly events: readonly Event[] };
  const shown = events.map(({ watch, title, key }) => ({ watch, title, key }));
  expect(new Set(shown.map(({ watch, title }) => `${watch}: ${title}`))).toEqual(
    new Set(['fives: report fives: 5 coin in 1 balance', 'others: report others: 5 coin in 1 balance']),
  );
  for (const { key } of shown) expect((await readApi(running, `/alerts/${key}/1`)).status).toBe(200);
});
