// Rules that are not those of the recording: new ones, changed ones, and those that ask what nobody asked.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import type { Watch } from '../../src/core/model/watch/watch.ts';
import { openRecording } from '../../src/recording/reader.ts';
import { recordedPolls } from '../../src/replay/recorded.ts';
import { replay } from '../../src/replay/run.ts';
import { createFolder } from '../support/daemon.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { createWorld, loadWatches } from '../support/world.ts';

const LOW = (limit: string): string =>
  `{ id: usdc, kind: balance, of: treasury, token: USDC, every: 1m, alerts: [{ id: low, while: balance < ${limit}, for: 2m }] }`;
const CALLS =
  '{ id: calls, kind: internal-transactions, of: vault, every: 1m, alerts: [{ id: failed, on: new, if: success == false }] }';

/** Ten minutes: a balance that falls to 400,000 after the third and comes back after the eighth; a call fails. */
async function record(file: string): Promise<string[]> {
  const said: string[] = [];
  await using world = await createWorld(`watches: [${LOW('100000')}, ${CALLS}]`, { recordTo: file });
  const { sandbox } = world;
  sandbox.setBalance({ address: 'treasury', token: 'USDC', value: '900000000000' });
  for (let minute = 1; minute <= 10; minute += 1) {
    if (minute === 4) sandbox.setBalance({ address: 'treasury', token: 'USDC', value: '400000000000' });
    if (minute === 6) sandbox.mine();
    if (minute === 6) sandbox.failCall({ to: 'vault' });
    if (minute === 9) sandbox.setBalance({ address: 'treasury', token: 'USDC', value: '900000000000' });
    said.push(...(await world.poll()).map((what) => `${minute} ${what}`));
  }
  return said;
}

interface Told {
  /** `3 low firing`: the minute of the recording, and what would have been said. */
  readonly said: string[];
  readonly missing: string[];
}

async function told(file: string, rules: string): Promise<Told> {
  using recording = openRecording(file);
  const start = Date.UTC(2026, 0, 1);
  const said: string[] = [];
  const missing = new Set<string>();
  const onNotRecorded = ({ name }: Watch, path: string): void => void missing.add(`${name}: ${path}`);
  for (const watch of loadWatches(rules)) {
    const polls = recordedPolls(watch, { recording, onNotRecorded });
    for await (const { decision } of replay(watch, polls, createRecordingLog()))
      for (const { message } of decision.transitions)
        said.push(`${Math.floor((message.at - start) / 60_000)} ${message.alert} ${message.type.slice(6)}`);
  }
  return { said, missing: [...missing] };
}

test('an edited rule is tried on what its watch saw', async () => {
  using folder = createFolder();
  const file = join(folder.path, 'recording.db');
  expect(await record(file)).toEqual(['6 failed event']);
  expect((await told(file, `watches: [${LOW('500000')}]`)).said).toEqual(['6 low firing', '9 low resolved']);
  expect((await told(file, `watches: [${LOW('500000').replace('2m', '1h')}]`)).said).toEqual([]);
});

test('an interval that a plan had stretched counts in a replay as it did then', async () => {
  using folder = createFolder();
  const file = join(folder.path, 'recording.db');
  const rules = `watches: [${LOW('500000').replace('for: 2m', 'for: 8m')}]`;
  const begun: string[] = [];
  {
    // Four minutes from poll to poll: more than three intervals of the rule, and one that is in force.
    await using world = await createWorld(rules, { recordTo: file, paceMs: 240_000 });
    world.sandbox.setBalance({ address: 'treasury', token: 'USDC', value: '900000000000' });
    for (let minute = 4; minute <= 24; minute += 4) {
      await world.clock.advance(180_000);
      if (minute === 8) world.sandbox.setBalance({ address: 'treasury', token: 'USDC', value: '400000000000' });
      begun.push(...(await world.poll()).map((what) => `${minute} ${what}`));
    }
  }
  expect(begun).toEqual(['16 low firing']);
  expect((await told(file, rules)).said).toEqual(begun);
  {
    using db = new DatabaseSync(file);
    db.exec('UPDATE polls SET pace_ms = NULL');
  }
  expect((await told(file, rules)).said).not.toEqual(begun);
});

test('a new watch is polled whenever somebody asked its question, and sees what was seen then', async () => {
  using folder = createFolder();
  const file = join(folder.path, 'recording.db');
  await record(file);
  const holdings =
    'watches: [{ id: other, kind: holdings, of: treasury, every: 10s, alerts: [{ id: moved, on: changed }] }]';
  expect(await told(file, holdings)).toEqual({ said: ['4 moved event', '9 moved event'], missing: [] });
});

test('watches of both directions share a question, and each is replayed by itself', async () => {
  using folder = createFolder();
  const file = join(folder.path, 'recording.db');
  const [to, from] = [CALLS, CALLS.replace('id: calls', 'id: given')].map((rule, i) =>
    rule.replace('every:', `direction: ${i === 0 ? 'to' : 'from'}, every:`),
  );
  const said: string[] = [];
  {
    await using world = await createWorld(`watches: [${to}, ${from}]`, { recordTo: file });
    for (let minute = 1; minute <= 6; minute += 1) {
      world.sandbox.mine();
      if (minute === 3) world.sandbox.failCall({ to: 'vault' });
      if (minute === 5) world.sandbox.failCall({ from: 'vault', to: 'treasury' });
      said.push(...(await world.poll()).map((what) => `${minute} ${what}`));
    }
  }
  expect(said).toEqual(['3 failed event', '5 failed event']);
  expect(await told(file, `watches: [${to}, ${from}]`)).toEqual({ said, missing: [] });
  expect((await told(file, `watches: [${from}]`)).said).toEqual(['5 failed event']);
});

test('a question that nobody asked is said, and nothing is guessed', async () => {
  using folder = createFolder();
  const file = join(folder.path, 'recording.db');
  await record(file);
  const rules =
    'watches: [{ id: acme, kind: token, token: ACME, every: 1m, alerts: [{ id: any, on: changed }] }, ' +
    '{ id: chain, kind: transactions, every: 1m, alerts: [{ id: any, on: new }] }]';
  const { said, missing } = await told(file, rules);
  expect(said).toEqual([]);
  expect(missing).toEqual([expect.stringMatching(/^acme: tokens\/0x/), 'chain: transactions']);
});

test('a recording that lost its oldest polls starts quietly', async () => {
  using folder = createFolder();
  const file = join(folder.path, 'recording.db');
  await record(file);
  const db = new DatabaseSync(file);
  db.exec(`DELETE FROM polls WHERE id <= (SELECT count(*) FROM polls) - 10`);
  db.close();
  // From the sixth minute on: low since its first poll, two of which are needed before it may fire.
  const rules = `watches: [${LOW('500000')}, ${CALLS}]`;
  expect((await told(file, rules)).said).toEqual(['8 low firing', '9 low resolved']);
});

test('a damaged recording is said to be one', async () => {
  using folder = createFolder();
  const file = join(folder.path, 'recording.db');
  await record(file);
  const db = new DatabaseSync(file);
  db.exec('PRAGMA foreign_keys = OFF; DELETE FROM bodies');
  db.close();
  await expect(told(file, `watches: [${CALLS}]`)).rejects.toThrow(/recording\.db is damaged: body \d+ is missing/);
});
