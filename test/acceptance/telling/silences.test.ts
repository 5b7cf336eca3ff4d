// Silences and acknowledgements on a daemon that runs: over its real API, with its real state file.
import { expect, test } from '@jest/globals';
import { isSilencedBy } from '../../../src/dispatch/policy/match.ts';
import type { Matcher } from '../../../src/dispatch/model.ts';
import { callApi, type ApiAnswer, type Call } from '../../support/web/api-calls.ts';
import {
  anOperatedDaemon as aDaemon,
  fallLow,
  storedBy as stored,
  WATCHES,
  type OperatedDaemon as Daemon,
} from '../../support/web/operated-daemon.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 0, 1);
const after = (hours: number): string => new Date(NOW + hours * HOUR).toISOString();

const silence = (matchers: Matcher, more: object = {}, key = 's1'): Call => ({
  path: '/silences',
  body: { matchers, until: after(2), comment: 'the vault is moved', ...more },
  key,
});

function ask({ running }: Daemon, call: Call): Promise<ApiAnswer> {
  return callApi(running, call);
}

/** `/until is over; /comment is missing` */
function mistakesOf({ status, body }: ApiAnswer): string {
  const problems = body['problems'] as readonly { readonly pointer: string; readonly detail: string }[] | undefined;
  return `${status} ${(problems ?? []).map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ')}`;
}

test('a silence and its preview match the same alerts', async () => {
  await using daemon = await aDaemon();
  await fallLow(daemon);
  for (const [i, matchers] of [
    { watch: 'coins' },
    { team: 'payments', severity: '!info' },
    { watch: ['all', 'other'], of: 'vault' },
    { watch: '!coins', alert: 'l*' },
  ].entries()) {
    const { status, body } = await ask(daemon, { path: '/silences/preview', body: { matchers } });
    expect(status).toBe(200);
    const alerts = body['alerts'] as readonly {
      watch: string;
      alert: string;
      open: number;
      notifications_24h: number;
    }[];
    expect(await ask(daemon, silence(matchers, { confirm: true }, `s${i}`))).toMatchObject({ status: 201 });
    const { silences, open: all } = await stored(daemon);
    const made = silences.find(({ id }) => id === `s${i}`)?.matchers ?? {};
    const held = all.filter(({ labels }) => isSilencedBy(made, labels));
    expect(held.length).toBeGreaterThan(0);
    expect([body['open'], body['notifications_24h']]).toEqual([held.length, held.length]);
    for (const { watch, alert, ...counts } of alerts) {
      const own = held.filter(({ labels }) => labels['watch'] === watch && labels['alert'] === alert).length;
      expect(counts).toMatchObject({ open: own, notifications_24h: own });
    }
  }
});

test('a preview says how much a silence is about, and changes nothing', async () => {
  await using daemon = await aDaemon();
  await fallLow(daemon);
  const before = await stored(daemon);
  expect(before.silences).toEqual([]);
  const path = '/silences/preview';
  expect((await ask(daemon, { path, body: { matchers: { team: 'payments' } } })).body).toMatchObject({
    rules: 1,
    of_rules: 3,
    watches: 2,
    share: 0.5,
    all: 4,
    open: 4,
    needs_confirm: false,
    left_out: 0,
    notifications_24h: 4,
    critical_24h: 0,
    recipients_24h: 1,
    alerts: [
      { watch: 'all', alert: 'low', severity: 'warning', watches: 2, open: 2, notifications_24h: 2, to: ['screen'] },
      { watch: 'all', alert: 'moved', severity: 'info', watches: 2, open: 2, notifications_24h: 2, to: ['screen'] },
    ],
  });
  const { body } = await ask(daemon, { path, body: { matchers: { watch: 'coins' } } });
  expect(body).toMatchObject({ critical_24h: 1, alerts: [{ watch: 'coins', severity: 'critical', open: 1 }] });
  expect((await ask(daemon, { path, body: { matchers: { alert: 'low' } } })).body).toMatchObject({
    rules: 3,
    needs_confirm: true,
  });
  expect(await stored(daemon)).toEqual(before);
});

test('a silence is stored before it is answered, once per key; it is extended, and ended', async () => {
  await using daemon = await aDaemon();
  const made = await ask(daemon, silence({ watch: 'coins' }));
  expect(made).toEqual({
    status: 201,
    location: '/api/v1/silences/s1',
    body: {
      id: 's1',
      matchers: { watch: 'coins' },
      actor: 'alice',
      comment: 'the vault is moved',
      from: '2026-01-01T00:00:00Z',
      until: '2026-01-01T02:00:00Z',
      until_resolved: false,
      version: 1,
    },
  });
  expect(await ask(daemon, silence({ watch: 'coins' }))).toEqual(made);
  expect(await ask(daemon, silence({ watch: 'other' }))).toMatchObject({ status: 409 });
  const longer = { path: '/silences/s1/extend', body: { until: after(3) }, key: 'k2' };
  expect(await ask(daemon, longer)).toMatchObject({ status: 200, body: { until: '2026-01-01T03:00:00Z', version: 2 } });
  expect((await stored(daemon)).silences).toMatchObject([{ id: 's1', until: NOW + 3 * HOUR }]);
  expect(await ask(daemon, { path: '/silences/s1/end', key: 'k3' })).toMatchObject({ status: 200 });
  expect((await stored(daemon)).silences).toEqual([]);
  expect(await ask(daemon, { path: '/silences/s1/end', key: 'k4' })).toMatchObject({
    status: 409,
    body: { type: '/about#is-over' },
  });
  expect(await ask(daemon, { path: '/silences/s2/end', key: 'k5' })).toMatchObject({ status: 404 });
});

test('starts a silence at the given time, or now if that time is over', async () => {
  await using daemon = await aDaemon();
  await ask(daemon, silence({ watch: 'coins' }, { from: after(1) }, 'later'));
  await ask(daemon, silence({ watch: 'coins' }, { from: after(-1) }, 'sooner'));
  expect((await stored(daemon)).silences).toMatchObject([
    { id: 'sooner', from: NOW },
    { id: 'later', from: NOW + HOUR },
  ]);
});

test.each<[object, string]>([
  [{ matchers: { watch: 'coinz' } }, '400 /matchers/watch no alert has watch "coinz". Did you mean coins?'],
  [{ matchers: { watch: '!coinz' } }, '400 /matchers/watch no alert has watch "coinz". Did you mean coins?'],
  [
    { matchers: { watch: ['coins', 'al'] } },
    '400 /matchers/watch/1 no alert has watch "al". Possible: coins, all, other.',
  ],
  [{ matchers: { teem: 'x' } }, '400 /matchers/teem no alert has the label "teem". Did you mean team?'],
  [
    { matchers: { watch: 'coins', team: 'payments' } },
    '400 /matchers match no alert: none has all of these labels at once',
  ],
  [
    { matchers: { watch: ['coins', '!all'] } },
    '400 /matchers/watch some values of the list have a leading ! and some have none: a list is negated as a whole',
  ],
  [
    { matchers: { watch: 'chain*' } },
    '400 /matchers/watch no alert has watch "chain*". Alerts about the daemon itself are silenced as watch=chainwarden, written in full.',
  ],
  [{ until: after(30 * 24 + 1) }, '400 /until is more than 30 days away'],
  [{ until: after(0) }, '400 /until has passed: it is 2026-01-01T00:00:00Z now'],
  [{ from: after(3) }, '400 /from is not before until'],
  [{ until_resolved: true }, '400 /until_resolved nothing that matches fires now'],
  [{ matchers: { watch: 'chainwarden' }, until: after(25) }, '400 /until is more than 24 hours away'],
])('refuses a silence with a mistake, and says which: %j', async (more, mistake) => {
  await using daemon = await aDaemon();
  expect(mistakesOf(await ask(daemon, silence({ watch: 'coins' }, more)))).toBe(mistake);
  expect((await stored(daemon)).silences).toEqual([]);
});

test('a pattern that was too wide silenced most rules: that has to be confirmed', async () => {
  await using daemon = await aDaemon();
  const refused = await ask(daemon, silence({ alert: 'low' }));
  expect(refused).toMatchObject({
    status: 409,
    body: { type: '/about#confirm-needed', detail: expect.stringContaining('It is about 3 of 3 rules.') },
  });
  expect(await ask(daemon, silence({}))).toMatchObject({ status: 409 });
  // What was refused was not done: the key is free.
  expect(await ask(daemon, silence({ alert: 'low' }, { confirm: true }))).toMatchObject({ status: 201 });
});

test("the daemon's own alerts are silenced by name only, for a day at most", async () => {
  await using daemon = await aDaemon();
  await ask(daemon, silence({ severity: '!info' }, { confirm: true }, 'all'));
  const own = silence({ watch: 'chainwarden', alert: ['blind', 'credits'] }, { until: after(24) }, 'self');
  expect(await ask(daemon, own)).toMatchObject({ status: 201 });
  const { silences } = await stored(daemon);
  const blind = { watch: 'chainwarden', alert: 'blind', severity: 'critical' };
  const about = (labels: Readonly<Record<string, string>>): readonly string[] =>
    silences.filter(({ matchers }) => isSilencedBy(matchers, labels)).map(({ id }) => id);
  expect(about(blind)).toEqual(['self']);
  expect(about({ ...blind, alert: 'storage' })).toEqual([]);
  const longer = { path: '/silences/self/extend', body: { until: after(25) }, key: 'k3' };
  expect(mistakesOf(await ask(daemon, longer))).toBe('400 /until is more than 24 hours away');
  const shorter = { path: '/silences/self/extend', body: { until: after(1) }, key: 'k4' };
  expect(mistakesOf(await ask(daemon, shorter))).toBe('400 /until is not later than its end, 2026-01-02T00:00:00Z');
});

test('an acknowledgement is of what the operator saw, for a day at most', async () => {
  await using daemon = await aDaemon();
  await fallLow(daemon);
  const { open } = await stored(daemon);
  const low = open.find(({ labels }) => labels['watch'] === 'coins');
  const path = `/alerts/${low?.key ?? ''}/1/acks`;
  const ack = (body: object, key: string): Promise<ApiAnswer> => ask(daemon, { path, body, key });
  expect(mistakesOf(await ack({ seq: 1, until: after(25) }, 'a0'))).toBe('400 /until is more than 24 hours away');
  expect(await ack({ seq: 1, comment: 'on it' }, 'a1')).toMatchObject({
    status: 201,
    body: { id: 'a1', episode: 1, seq: 1, actor: 'alice', comment: 'on it', until: '2026-01-02T00:01:00Z' },
  });
  expect((await stored(daemon)).acks).toMatchObject([{ id: 'a1', severity: 'critical' }]);
  expect(await ask(daemon, { path: `${path}/end`, key: 'a2' })).toMatchObject({ status: 200 });
  expect(await ask(daemon, { path: `${path}/end`, key: 'a3' })).toMatchObject({ status: 409 });
  daemon.explorer.balance = '5000000000000000000';
  const { length } = daemon.running.polls.all;
  await daemon.running.clock.advance(60_000);
  await daemon.running.polls.reached(length + WATCHES);
  expect(await ack({ seq: 1 }, 'a4')).toMatchObject({ status: 409, body: { type: '/about#stale-seq' } });
  expect(await ack({ seq: 2 }, 'a5')).toMatchObject({ status: 409, body: { type: '/about#is-over' } });
  expect(await ask(daemon, { path: '/alerts/none/1/acks', body: { seq: 1 }, key: 'a6' })).toMatchObject({
    status: 404,
  });
});
