// Each cause that the daemon knows, from the moment that it begins to its end: what a person reads, and when nothing.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { aStory, lines, rule, RULES, type Story } from '../../support/self-story.ts';
import { createWebhookSink, status } from '../../support/sinks.ts';
import { onFileAlone } from '../../support/store/on-file-alone.ts';
import { isOnPostgres } from '../../support/store/story-state.ts';

const fileTest = onFileAlone('the state file is deleted, damaged and backed up');
const clockTest = onFileAlone('replicas go by the clock of the database, not by that of the machine');
const dayTest = onFileAlone('days of looks every second take minutes on a database');

/** Reads what is printed, line by line. */
function readerOf(story: Story) {
  let read = 0;
  return {
    /** The next line, which comes within so many minutes. */
    async next(minutes: number): Promise<string> {
      for (let left = minutes; left > 0 && story.printed.all.length === read; left -= 1) await story.minutes(1);
      await story.printed.reached(read + 1);
      read += 1;
      return lines(story)[read - 1] ?? '';
    },
    /** Nothing is said for so many minutes, nor was before. */
    async silence(minutes: number): Promise<void> {
      await story.minutes(minutes);
      expect(lines(story).slice(read)).toEqual([]);
    },
  };
}

test('a plan without credits is told at once, in place of its blind watches, until it has some again', async () => {
  await using story = await aStory();
  const told = readerOf(story);
  await told.silence(1);
  Object.assign(story.explorer, { isDown: true, failure: 402 });
  expect(await told.next(2)).toBe(
    'CRITICAL chainwarden/credits FIRING credits: chain has no credits left, 3 watches - ' +
      'Since 00:02 UTC: no credits are left (402). It is asked again now and then.',
  );
  await told.silence(20);
  story.explorer.isDown = false;
  expect(await told.next(120)).toMatch(/^CRITICAL chainwarden\/credits RESOLVED .* - The explorer answers again\./);
});

test('an explorer that refuses the key is told at once, in place of its blind watches, until it takes the key', async () => {
  await using story = await aStory({ explorer: { isDown: true, failure: 401 } });
  const told = readerOf(story);
  expect(await told.next(1)).toBe(
    'CRITICAL chainwarden/explorer-down FIRING explorer-down: chain refuses the key, 3 watches - ' +
      'Since 00:00 UTC: the API key is rejected (401). Look at api_key in the config.',
  );
  await told.silence(20);
  story.explorer.isDown = false;
  expect(await told.next(120)).toMatch(
    /^CRITICAL chainwarden\/explorer-down RESOLVED .* - The explorer answers again\./,
  );
});

test('a field that an upgraded explorer no longer sends is told once, and that it is back', async () => {
  await using story = await aStory();
  const told = readerOf(story);
  await told.silence(1);
  story.explorer.isUpgraded = true;
  await told.silence(5);
  expect(await told.next(5)).toMatch(
    /^CRITICAL chainwarden\/blind-field FIRING blind-field: chain does not send .*, 3 watches - Since 00:0\d UTC: /,
  );
  await told.silence(20);
  story.explorer.isUpgraded = false;
  expect(await told.next(3)).toMatch(
    /^CRITICAL chainwarden\/blind-field RESOLVED .* - The field is in the answers again\./,
  );
});

test('a message that is given up is told, and for a day nothing more of it', async () => {
  await using post = await createWebhookSink(status(422));
  const each = rule('coins', 'critical').replace('every: 1m', 'notify: post, every: 10m');
  await using story = await aStory({
    channels: `channels: { screen: { type: log }, post: { type: webhook, url: '${post.origin}', allow: [127.0.0.1] } }\nself: screen`,
    rules: `watches:\n${each}`,
    polls: 1,
  });
  story.explorer.balance = '0';
  const { running } = story;
  /** So much time, and the poll that is due then. */
  const pass = async (ms: number): Promise<void> => {
    const { length } = running.polls.all;
    running.clock.stall(ms - 10_000);
    await running.clock.advance(10_000);
    await running.polls.reached(length + 1);
  };
  await pass(600_000);
  for (let tries = 1; tries <= 3; tries += 1) {
    await post.calls.reached(tries);
    await running.says(tries < 3 ? 'delivery:rejected' : 'delivery:dead');
    await pass(1_800_000);
  }
  const dead = (): string[] => lines(story).filter((line) => line.includes('dead-letter'));
  expect(dead()).toEqual([
    expect.stringMatching(
      /^CRITICAL chainwarden\/dead-letter FIRING dead-letter: 1 message to post given up - Since 01:\d\d UTC\. chainwarden status lists them\./,
    ),
  ]);
  await pass(22 * 3_600_000);
  expect(dead()).toHaveLength(1);
  await pass(2 * 3_600_000);
  await pass(600_000);
  expect(dead()[1]).toMatch(/^CRITICAL chainwarden\/dead-letter RESOLVED .* - No message was given up for 24 hours\./);
});

fileTest('a state file that somebody deletes is told when it was put back, and over after an hour', async () => {
  await using story = await aStory();
  const told = readerOf(story);
  await told.silence(1);
  rmSync(join(story.folder.path, 'data/state.db'));
  await story.running.clock.advance(1000);
  await story.running.says('storage:restored');
  expect(await told.next(1)).toBe(
    'CRITICAL chainwarden/storage FIRING storage: the state file was deleted or replaced, and was put back - ' +
      'At 00:01 UTC. Nothing is lost. Files found in its place are kept as *.found.',
  );
  await told.silence(58);
  expect(await told.next(2)).toMatch(/^CRITICAL chainwarden\/storage RESOLVED .* - The state can be written again\./);
});

fileTest(
  'a state file that was damaged while the daemon was down is told after the start, with what took its place',
  async () => {
    await using story = await aStory();
    const told = readerOf(story);
    const file = join(story.folder.path, 'data/state.db');
    const overwrite = (): void => {
      writeFileSync(file, 'overwritten by mistake\n'.repeat(1000));
    };
    await told.silence(10);
    await story.running.says('storage:backed-up');
    await story.restart(overwrite);
    expect(await told.next(2)).toMatch(
      /^CRITICAL chainwarden\/storage FIRING storage: the state file was damaged, and a backup took its place - At 00:11 UTC\. Later events are found again/,
    );
    await told.silence(57);
    expect(await told.next(4)).toMatch(/^CRITICAL chainwarden\/storage RESOLVED /);
    await story.restart();
    await told.silence(3);
  },
);

fileTest('a daily backup that fails is told with its reason, and after a restart that one was made again', async () => {
  await using story = await aStory({
    channels: 'state: { backup: { directory: taken } }\nchannels: { screen: { type: log } }',
  });
  const told = readerOf(story);
  const { folder } = story;
  folder.write('taken', 'a file, where a directory should be');
  await told.silence(9);
  await story.minutes(1);
  await story.running.says('storage:backup-failed');
  expect(await told.next(1)).toMatch(
    /^WARNING chainwarden\/backup FIRING backup: the daily backup of the state file failed - Since 00:10 UTC: .*\/taken/,
  );
  rmSync(join(folder.path, 'taken'));
  await story.restart();
  await told.silence(9);
  await story.minutes(1);
  await story.running.says('storage:backed-up');
  expect(await told.next(2)).toMatch(/^WARNING chainwarden\/backup RESOLVED .* - Backups are made again/);
  await told.silence(30);
});

clockTest('a clock that jumps is told with size and direction, one that is corrected by seconds is not', async () => {
  await using story = await aStory();
  const told = readerOf(story);
  const { printed, running } = story;
  const { clock } = running;
  await told.silence(1);
  for (const byMs of [45_000, -40_000]) {
    await clock.setTo(clock.now() + byMs);
    await clock.advance(20_000);
  }
  expect(lines(story)).toEqual([]);
  for (const [jumps, byMs] of [7_200_000, -7_200_000].entries()) {
    const { length } = running.polls.all;
    await clock.setTo(clock.now() + byMs);
    // What was due in between is polled before the clock goes on.
    if (byMs > 0) await running.polls.reached(length + 3);
    await clock.advance(20_000);
    await printed.reached(jumps + 1);
  }
  expect(lines(story)).toEqual([
    'WARNING chainwarden/clock-jump FIRING clock-jump: the clock jumped forward by 2h - ' +
      "At 02:01 UTC the machine's clock was set forward, or the machine slept. Polls and messages that were due in between are due now.",
    'WARNING chainwarden/clock-jump FIRING clock-jump: the clock jumped back by 2h - ' +
      "At 00:02 UTC the machine's clock was set back. Pauses, silences and acknowledgements end by the new time.",
  ]);
  // The due times are set anew. Then minute by minute: a poll that takes an hour would be told too.
  await clock.advance(60_000);
  await story.minutes(57);
  expect(printed.all).toHaveLength(2);
  await story.minutes(3);
  await printed.reached(4);
  for (const line of lines(story).slice(2))
    expect(line).toMatch(
      /^WARNING chainwarden\/clock-jump RESOLVED .* - The clock has not jumped in that direction for an hour\./,
    );
});

if (isOnPostgres)
  test('the clock of the machine is set by hours: a replica polls on by the clock of the database, and tells nothing', async () => {
    await using story = await aStory();
    const told = readerOf(story);
    const { clock } = story.running;
    for (const byMs of [7_200_000, -7_200_000]) {
      await told.silence(2);
      await clock.setTo(clock.now() + byMs);
    }
    await told.silence(2);
  });

test('a part of the daemon that fails again and again is told, and ten minutes after it last failed it is over', async () => {
  let isBroken = true;
  const current = () => (isBroken ? Promise.reject(new Error('a defect')) : Promise.resolve(''));
  await using story = await aStory({ sources: { begin: () => undefined, loaded: () => '', current } });
  const told = readerOf(story);
  expect(await told.next(1)).toMatch(
    /^CRITICAL chainwarden\/loop-failing FIRING loop-failing: loop reloader fails again and again - Since 00:00 UTC: [3-9] times in a row\. The log says why\./,
  );
  await told.silence(5);
  isBroken = false;
  expect(await told.next(13)).toMatch(/^CRITICAL chainwarden\/loop-failing RESOLVED .* not failed for ten minutes/);
});

dayTest('nothing is told of two days on which all is well', async () => {
  await using story = await aStory({ rules: RULES.replaceAll('every: 1m', 'every: 1h') });
  for (let hour = 0; hour < 50; hour += 1) {
    const { length } = story.running.polls.all;
    story.running.clock.stall(3_590_000);
    await story.running.clock.advance(10_000);
    await story.running.polls.reached(length + 3);
    if (hour % 24 === 0) await story.running.says('storage:backed-up');
  }
  expect(lines(story)).toEqual([]);
});
