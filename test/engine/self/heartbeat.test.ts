import { expect, test } from '@jest/globals';
import type { JournalAnchor } from '../../../src/core/journal/chain.ts';
import type { Outcome } from '../../../src/core/model/delivery.ts';
import { failUrl, runHeartbeat, type HeartbeatTarget } from '../../../src/engine/self/heartbeat.ts';
import { undeliverableSince } from '../../../src/engine/self/undeliverable.ts';
import { UNTRIED } from '../../../src/engine/sending/channel-health.ts';
import { StorageError } from '../../../src/store/contract/store.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const MINUTE = 60_000;
const URL = 'https://beats.example/abc';

/** A daemon in health whose parts can be broken, and what arrives at the service. */
async function aHeartbeat() {
  const clock = createFakeClock();
  const log = createRecordingLog();
  const parts = {
    settings: { url: URL, everyMs: MINUTE, allow: [] } as HeartbeatTarget | null,
    isDead: false,
    turns: 0,
    delayMs: 12,
    disk: null as Error | null,
    undeliverable: null as number | null,
    anchor: null as JournalAnchor | null,
    areAllHeld: true,
    answer: { type: 'sent', answer: 'OK' } as Outcome,
  };
  const arrived: string[] = [];
  const outcomes: string[] = [];
  const stop = new AbortController();
  const running = runHeartbeat(
    {
      settings: () => parts.settings,
      vitals: {
        turns: () => parts.turns,
        turn: () => {
          if (!parts.isDead) parts.turns += 1;
        },
        probe: () => (parts.disk === null ? Promise.resolve() : Promise.reject(parts.disk)),
        loopDelayMs: () => parts.delayMs,
        undeliverableSince: () => Promise.resolve(parts.undeliverable),
        anchor: () => Promise.resolve(parts.anchor),
        allHeld: () => Promise.resolve(parts.areAllHeld),
      },
      post: (_settings, { url, body }) => {
        const { why, journal } = JSON.parse(body) as { why?: string; journal?: string | null };
        arrived.push([url.replace(URL, ''), why ?? journal ?? ''].join(' ').trim());
        return Promise.resolve(parts.answer);
      },
      onBeat: (outcome) => outcomes.push(outcome),
      clock,
      log,
    },
    stop.signal,
  );
  parts.turns += 1;
  await clock.whenSleeping(1);
  return {
    clock,
    log,
    parts,
    outcomes,
    /** What arrives while so many periods pass; an empty text is a beat. */
    async periods(count: number): Promise<string[]> {
      arrived.length = 0;
      await clock.advance(count * MINUTE);
      return [...arrived];
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

test('a daemon in health beats once in each period', async () => {
  await using story = await aHeartbeat();
  expect(await story.periods(60)).toEqual(Array.from({ length: 60 }, () => ''));
  expect(new Set(story.outcomes)).toEqual(new Set(['sent']));
  expect(story.log.lines).toEqual([]);
});

test('a beat carries the anchor of the journal, which is kept outside; what is told at /fail does not', async () => {
  await using story = await aHeartbeat();
  expect(await story.periods(1)).toEqual(['']);
  story.parts.anchor = { position: 48211, hash: '9f3a00c1' };
  expect(await story.periods(2)).toEqual(['48211:9f3a00c1', '48211:9f3a00c1']);
  story.parts.isDead = true;
  expect((await story.periods(3)).at(-1)).toBe('/fail the scheduler does not check for due polls');
});

test('a scheduler that died is silent within two periods, with its reason at /fail, until it turns again', async () => {
  await using story = await aHeartbeat();
  await story.periods(3);
  story.parts.isDead = true;
  const dead = await story.periods(2);
  expect(dead.at(-1)).toBe('/fail the scheduler does not check for due polls');
  expect(await story.periods(10)).toEqual(
    Array.from({ length: 10 }, () => '/fail the scheduler does not check for due polls'),
  );
  story.parts.isDead = false;
  expect((await story.periods(2)).at(-1)).toBe('');
  expect(story.log.lines).toEqual(['error heartbeat:withheld', 'info heartbeat:beats-again']);
});

test.each([
  [
    'a state that cannot be written',
    { disk: new StorageError('/secret/path is full') },
    '/fail the state cannot be written (StorageError)',
  ],
  ['a process that stood still for six seconds', { delayMs: 6000 }, '/fail the daemon stood still for 6s'],
  [
    'a replica beside work that none does',
    { areAllHeld: false },
    '/fail no replica works on some of the explorers, channels or services',
  ],
])('%s is silent at once', async (_name, broken, reason) => {
  await using story = await aHeartbeat();
  const health = { ...story.parts };
  await story.periods(2);
  Object.assign(story.parts, broken);
  expect(await story.periods(1)).toEqual([reason]);
  Object.assign(story.parts, { disk: health.disk, delayMs: health.delayMs, areAllHeld: true });
  expect(await story.periods(1)).toEqual(['']);
});

test('self-alerts that cannot be delivered are silent from ten minutes on, and beat as soon as one was taken', async () => {
  await using story = await aHeartbeat();
  story.parts.undeliverable = story.clock.now();
  expect(await story.periods(9)).toEqual(Array.from({ length: 9 }, () => ''));
  const late = await story.periods(2);
  expect(late.at(-1)).toMatch(/^\/fail alerts about the daemon itself cannot be delivered for 1[01]m/);
  story.parts.undeliverable = null;
  expect(await story.periods(1)).toEqual(['']);
});

test('several reasons are told together', async () => {
  await using story = await aHeartbeat();
  Object.assign(story.parts, { delayMs: 5000, disk: new StorageError('full') });
  expect(await story.periods(1)).toEqual([
    '/fail the daemon stood still for 5s; the state cannot be written (StorageError)',
  ]);
});

test('a service that does not take a beat is said once in the log, and counted', async () => {
  await using story = await aHeartbeat();
  story.parts.answer = { type: 'again', why: 'beats.example: 404' };
  await story.periods(5);
  story.parts.answer = { type: 'sent', answer: 'OK' };
  await story.periods(1);
  expect(story.outcomes).toEqual([...Array.from({ length: 5 }, () => 'not-taken'), 'sent']);
  expect(story.log.lines).toEqual(['error heartbeat:not-taken', 'info heartbeat:beats-again']);
});

test('a heartbeat that a reload adds begins within its period; one that it takes out ends', async () => {
  await using story = await aHeartbeat();
  const wanted = story.parts.settings;
  story.parts.settings = null;
  expect(await story.periods(30)).toEqual([]);
  story.parts.settings = wanted;
  expect(await story.periods(1)).toEqual(['']);
  story.parts.settings = null;
  expect(await story.periods(5)).toEqual([]);
});

test('a clock that is set back by a day delays no beat', async () => {
  await using story = await aHeartbeat();
  await story.periods(1);
  await story.clock.setTo(story.clock.now() - 86_400_000);
  expect(await story.periods(3)).toEqual(['', '', '']);
});

test('the address for failures keeps what stands behind its path', () => {
  expect(['https://a.example/x?y=1', 'https://a.example/x/', 'https://a.example'].map(failUrl)).toEqual([
    'https://a.example/x/fail?y=1',
    'https://a.example/x/fail',
    'https://a.example/fail',
  ]);
});

const row = (channel: string, oldest: number) => ({ channel, rows: 1, oldest });

test.each([
  ['nothing is owed', {}, null],
  ['one of two channels takes messages', { owed: [row('ops', 50)] }, null],
  ['both owe, since the second one does', { owed: [row('ops', 50), row('mail', 70)] }, 70],
  ['nobody is to be told', { self: [], owed: [row('ops', 50)] }, null],
  [
    'one works off a long queue',
    { self: ['ops'], owed: [row('ops', 50)], health: new Map([['ops', { ...UNTRIED, lastSentAt: 90 }]]) },
    90,
  ],
  [
    'what was owed was given up, and nothing was taken since',
    { self: ['ops'], health: new Map([['ops', { ...UNTRIED, failingSince: 40 }]]) },
    40,
  ],
  ['what was owed before the start counts from the start', { self: ['ops'], owed: [row('ops', 5)], startedAt: 30 }, 30],
])('undeliverable: %s', (_name, changes, since) => {
  const reach = { self: ['ops', 'mail'], health: new Map(), owed: [], startedAt: 0 };
  expect(undeliverableSince({ ...reach, ...changes })).toBe(since);
});
