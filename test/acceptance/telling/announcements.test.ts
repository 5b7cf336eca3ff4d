// People are told what operators did: on the channels of `self`, once, and whatever is silenced.
import { expect, test } from '@jest/globals';
import { callApi, type ApiAnswer, type Call } from '../../support/web/api-calls.ts';
import {
  anOperatedDaemon,
  configOf,
  fallLow,
  RULES,
  storedBy,
  WATCHES,
  type OperatedDaemon,
} from '../../support/web/operated-daemon.ts';

const HOUR = 3_600_000;
const after = (hours: number): string => new Date(Date.UTC(2026, 0, 1) + hours * HOUR).toISOString();

function ask({ running }: OperatedDaemon, path: string, body: object, key: string): Promise<ApiAnswer> {
  return callApi(running, { path, body, key } satisfies Call);
}

const silence = (daemon: OperatedDaemon, more: object = {}, key = 's1'): Promise<ApiAnswer> =>
  ask(
    daemon,
    '/silences',
    { matchers: { watch: 'coins' }, until: after(2), comment: 'the vault is moved', ...more },
    key,
  );

/** What was told of operators until then: subject and comment, without the time. */
async function newsOf({ running, told }: OperatedDaemon, ms = 0): Promise<readonly string[]> {
  running.clock.stall(ms);
  await running.clock.advance(10_000);
  const own = told.filter((line) => /chainwarden\/(silence|pause|ack) /.test(line));
  return own.map((line) => line.replace(/^\S+ /, ''));
}

test('announces once that a silence is made, extended or ended', async () => {
  await using daemon = await anOperatedDaemon();
  await silence(daemon);
  await silence(daemon);
  await ask(daemon, '/silences/s1/extend', { until: after(3) }, 'k2');
  await ask(daemon, '/silences/s1/end', {}, 'k3');
  await ask(daemon, '/silences/s1/end', {}, 'k4');
  expect(await newsOf(daemon)).toEqual([
    'INFO chainwarden/silence EVENT alice silenced watch=coins until 02:00 UTC - the vault is moved',
    'INFO chainwarden/silence EVENT alice extended the silence of watch=coins until 03:00 UTC - the vault is moved',
    'INFO chainwarden/silence EVENT alice ended the silence of watch=coins - the vault is moved',
  ]);
});

test('a silence of everything swallowed the news of itself', async () => {
  await using daemon = await anOperatedDaemon();
  await silence(daemon, { matchers: {}, confirm: true }, 'all');
  await silence(daemon, { matchers: { watch: 'chainwarden' } }, 'self');
  expect(await newsOf(daemon)).toEqual([
    expect.stringContaining('alice silenced all alerts until 02:00 UTC'),
    expect.stringContaining('alice silenced watch=chainwarden until 02:00 UTC'),
  ]);
});

test('announces start and end of a planned silence once, also after a restart', async () => {
  await using place = await anOperatedDaemon();
  await silence(place, { from: after(1) });
  expect(await newsOf(place, HOUR)).toEqual([
    expect.stringContaining('alice silenced watch=coins from 01:00 UTC until 02:00 UTC'),
    expect.stringContaining('the silence of watch=coins by alice begins, until 02:00 UTC - the vault is moved'),
  ]);
  await place.running[Symbol.asyncDispose]();
  const { clock } = place.running;
  clock.stall(2 * HOUR);
  await using next = await anOperatedDaemon({ ...place, clock });
  expect(await newsOf(next)).toEqual([
    expect.stringContaining('the silence of watch=coins by alice is over - the vault is moved'),
  ]);
  await next.running[Symbol.asyncDispose]();
  await using third = await anOperatedDaemon({ ...place, clock });
  expect(await newsOf(third, HOUR)).toEqual([]);
});

test('a silence until it is resolved lasted on, and the next firing was not told', async () => {
  await using daemon = await anOperatedDaemon();
  await fallLow(daemon);
  await silence(daemon, { until_resolved: true, until: after(5) });
  await silence(daemon, { matchers: { watch: 'other' }, until_resolved: true, until: after(5) }, 's2');
  await newsOf(daemon, HOUR);
  expect((await storedBy(daemon)).silences).toHaveLength(2);
  // More than 0.5, so that `other` is over, and `coins` is not.
  daemon.explorer.balance = '700000000000000000';
  const { length } = daemon.running.polls.all;
  await daemon.running.clock.advance(60_000);
  await daemon.running.polls.reached(length + WATCHES);
  expect((await newsOf(daemon)).slice(2)).toEqual([
    'INFO chainwarden/silence EVENT the silence of watch=other by alice is over: nothing of it fires any more - the vault is moved',
  ]);
  expect((await storedBy(daemon)).silences).toMatchObject([{ id: 's1' }]);
});

test('reminds people of a pause every day, and announces its end', async () => {
  await using daemon = await anOperatedDaemon();
  const pauses = '/watches/coins/pauses';
  await ask(daemon, pauses, { until: after(1), comment: 'moved' }, 'p1');
  await ask(daemon, `${pauses}/end`, {}, 'p2');
  await ask(daemon, '/watches/all%5Bvault%5D/pauses', { until: after(49), comment: 'moved' }, 'p3');
  await newsOf(daemon, 24 * HOUR);
  await newsOf(daemon, 24 * HOUR);
  expect(await newsOf(daemon, HOUR)).toEqual([
    'INFO chainwarden/pause EVENT alice paused coins until 01:00 UTC - moved',
    'INFO chainwarden/pause EVENT alice resumed coins',
    'INFO chainwarden/pause EVENT alice paused all[vault] until 2026-01-03 01:00 UTC - moved',
    'INFO chainwarden/pause EVENT still paused: all[vault] by alice, until 2026-01-03 01:00 UTC - moved',
    'INFO chainwarden/pause EVENT still paused: all[vault] by alice, until 01:00 UTC - moved',
    'INFO chainwarden/pause EVENT the pause of all[vault] by alice is over - moved',
  ]);
});

test('an acknowledgement ends, with an announcement, when its warning becomes critical', async () => {
  await using daemon = await anOperatedDaemon();
  await fallLow(daemon);
  const named = async (name: string): Promise<string> => {
    const { open } = await storedBy(daemon);
    const alert = open.find((one) => one.name === name && one.alert === 'low');
    return `/alerts/${alert?.key ?? ''}/1/acks`;
  };
  await ask(daemon, await named('coins'), { seq: 1 }, 'a1');
  await ask(daemon, await named('other'), { seq: 1, until: after(1), comment: 'on it' }, 'a2');
  await ask(daemon, `${await named('coins')}/end`, {}, 'a3');
  await ask(daemon, await named('coins'), { seq: 1 }, 'a4');
  daemon.folder.write('rules.yaml', RULES.replace('balance < 0.5', 'balance < 0.5, severity: critical'));
  expect(await daemon.running.reload()).toBe('config:reloaded');
  expect(await newsOf(daemon)).toEqual([
    'INFO chainwarden/ack EVENT alice acknowledged coins/low until 2026-01-02 00:01 UTC',
    'INFO chainwarden/ack EVENT alice acknowledged other/low until 01:00 UTC - on it',
    'INFO chainwarden/ack EVENT alice took the acknowledgement of coins/low back',
    'INFO chainwarden/ack EVENT alice acknowledged coins/low until 2026-01-02 00:01 UTC',
    'INFO chainwarden/ack EVENT the acknowledgement of other/low by alice is over: it is more severe now',
  ]);
  expect((await storedBy(daemon)).acks).toMatchObject([{ id: 'a4' }]);
  // It can be acknowledged as what it is now.
  expect(await ask(daemon, await named('other'), { seq: 2 }, 'a5')).toMatchObject({ status: 201 });
  await newsOf(daemon, 60_000);
  expect((await storedBy(daemon)).acks).toHaveLength(2);
});

test('where nobody is told of the daemon itself, nothing is kept for later', async () => {
  await using place = await anOperatedDaemon();
  const all = configOf(place.explorer);
  place.folder.write('config.yaml', `${all}self: none\n`);
  await place.running.reload();
  await silence(place, { until: after(0.5) });
  expect(await newsOf(place, HOUR)).toEqual([]);
  place.folder.write('config.yaml', all);
  await place.running.reload();
  expect(await newsOf(place, HOUR)).toEqual([]);
});
