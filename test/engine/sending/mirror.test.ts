// An Alertmanager that takes what its published schema allows, beside a daemon's mirror on a real state file.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import type { Message } from '../../../src/core/model/delivery.ts';
import { createMirrorLoop, type MirrorLoop } from '../../../src/engine/sending/mirror.ts';
import { alertmanagerWith } from '../../../src/notifiers/alertmanager.ts';
import { openSqliteStore } from '../../../src/store/sqlite/open.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import { aMessage, LOOPBACK } from '../../notifiers/samples.ts';
import { postableAlerts } from '../../notifiers/services.ts';
import { aDecision } from '../../store/builders.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { createWebhookSink, status, type Answer } from '../../support/sinks.ts';
import { dispatch } from '../../support/store/store-calls.ts';
import { fenceOf, ownershipOf } from '../../support/store/fences.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const CONFIG = {
  refresh: MINUTE,
  hold: HOUR,
  allow: LOOPBACK,
  token: 'a-bearer-token',
  user: undefined,
  password: undefined,
};

type Posted = z.output<typeof postableAlerts>;

async function aStory() {
  const folder = mkdtempSync(join(tmpdir(), 'chainwarden-mirror-'));
  const usual = { answer: status(200) };
  const server = await createWebhookSink((response, call) => {
    usual.answer(response, call);
  });
  const clock = createFakeClock();
  const log = createRecordingLog();
  const outcomes: string[] = [];
  let inForce: readonly string[] = [];
  let versions = new Map<string, number>();
  let life: { store: Store; loop: MirrorLoop; stop: AbortController; running: Promise<void>; close(): Promise<void> };
  let read = 0;

  async function begin(): Promise<void> {
    const store = await openSqliteStore({ file: join(folder, 'state.db') });
    const tools = { channel: 'am', clock, version: '0', print: () => Promise.resolve() };
    const { mirror } = alertmanagerWith({ totalMs: 60_000 });
    if (mirror === undefined) throw new Error('an Alertmanager is shown what is open');
    const open = mirror.open({ ...CONFIG, url: server.origin }, tools);
    const loop = createMirrorLoop({
      channel: 'am',
      mirror: open,
      refreshMs: CONFIG.refresh,
      holdMs: CONFIG.hold,
      store,
      ownership: ownershipOf(store),
      rules: () => ({ ruleOf: () => ({ type: 'fixed', channels: inForce }) }),
      onOutcome: ({ type }) => outcomes.push(type),
      clock,
      log,
    });
    const stop = new AbortController();
    const running = loop.run(stop.signal);
    const close = async (): Promise<void> => {
      stop.abort();
      await running;
      await open[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    };
    life = { store, loop, stop, running, close };
    await clock.whenSleeping(1);
  }

  await begin();
  return {
    clock,
    log,
    outcomes,
    server,
    /** From now on. */
    answers(answer: Answer): void {
      usual.answer = answer;
    },
    owed: () => life.loop.owed(),
    /** From now on every rule leads to these channels. */
    leadsTo(channels: readonly string[]): void {
      inForce = channels;
    },
    /** A poll commits these, and the loop is woken. */
    async happens(changes: Partial<Message>, notify: readonly string[] = ['am']): Promise<void> {
      const message = aMessage({ at: clock.now(), since: clock.now(), summary: null, ...changes });
      const { watch, key } = message;
      const labels = { watch, alert: message.alert, severity: message.severity, team: 'treasury' };
      const expects = versions.get(watch) ?? 0;
      const transitions = [{ message, labels: message.type === 'alert.resolved' ? { watch } : labels, notify }];
      await life.store.commit(
        [aDecision(watch, { expects, transitions })],
        clock.now(),
        fenceOf(life.store, 'service:x'),
      );
      versions = versions.set(watch, expects + 1);
      await dispatch(life.store, clock.now());
      life.loop.wake();
      expect(key).not.toBe('');
    },
    /** So much time; then the calls that were made since this was last asked, each with what it showed. */
    async calls(ms: number): Promise<string[][]> {
      const shown: string[][] = [];
      for (let left = ms; left > 0; left -= 5000) {
        await clock.advance(Math.min(left, 5000));
        await clock.whenSleeping(1);
        for (const { path, headers, body } of server.calls.all.slice(read)) {
          expect([path, headers['authorization']]).toEqual(['/api/v2/alerts', 'Bearer a-bearer-token']);
          shown.push(postableAlerts.parse(JSON.parse(body)).map(lineOf));
        }
        read = server.calls.all.length;
      }
      return shown;
    },
    async restart(): Promise<void> {
      await life.close();
      await begin();
    },
    async [Symbol.asyncDispose]() {
      await life.close();
      await server[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };

  /** `treasury/low open for 60 min`, `treasury/low over since 2 min` */
  function lineOf({ labels, endsAt = '' }: Posted[number]): string {
    const leftMin = Math.round((Date.parse(endsAt) - clock.now()) / MINUTE);
    return `${labels['chainwarden_key']} ${leftMin > 0 ? `open for ${leftMin} min` : `over since ${-leftMin} min`}`;
  }
}

const firing = (key: string): Partial<Message> => ({ type: 'alert.firing', key, watch: key, episode: 1, seq: 1 });
const resolved = (key: string): Partial<Message> => ({ type: 'alert.resolved', key, watch: key, episode: 1, seq: 2 });
const event = (key: string): Partial<Message> => ({ type: 'alert.event', key, watch: key, episode: 1, seq: 1 });
const disliked = (code: number): Answer => status(code, { 'content-type': 'application/json' }, '"labels: no"');

test('what fires is shown within seconds and at every refresh; its end for fifteen minutes, and then nothing', async () => {
  await using story = await aStory();
  expect(await story.calls(5 * MINUTE)).toEqual([]);
  await story.happens(firing('low'));
  await story.happens(firing('elsewhere'), ['ops']);
  expect(await story.calls(5000)).toEqual([['low open for 60 min']]);
  expect(await story.calls(10 * MINUTE)).toEqual(Array.from({ length: 10 }, () => ['low open for 60 min']));
  await story.happens(resolved('low'));
  const ends = await story.calls(HOUR);
  expect(ends[0]).toEqual(['low over since 0 min']);
  expect(ends).toHaveLength(15);
  expect(story.log.lines).toEqual([]);
  expect(new Set(story.outcomes)).toEqual(new Set(['sent']));
});

test('labels are those of the begin, so that the end meets the same alert', async () => {
  await using story = await aStory();
  await story.happens(firing('low'));
  await story.calls(5000);
  await story.happens(resolved('low'));
  await story.calls(5000);
  const labels = story.server.calls.all.map(({ body }) => (JSON.parse(body) as Posted)[0]?.labels);
  expect(labels).toHaveLength(2);
  expect(labels[0]).toMatchObject({ alertname: 'low/low', watch: 'low', team: 'treasury', chainwarden_key: 'low' });
  expect(labels[1]).toEqual(labels[0]);
});

test('an event is open for fifteen minutes once, also over a restart', async () => {
  await using story = await aStory();
  await story.happens(event('paid'));
  expect((await story.calls(5000))[0]).toEqual(['paid open for 15 min']);
  await story.calls(4 * MINUTE);
  await story.restart();
  expect(new Set((await story.calls(3 * MINUTE)).flat())).toEqual(
    new Set([11, 10, 9, 8].map((left) => `paid open for ${left} min`)),
  );
  await story.calls(9 * MINUTE);
  await story.restart();
  expect(await story.calls(HOUR)).toEqual([]);
});

test('while the server does not answer nothing is lost, and what is owed is known; then all is shown', async () => {
  await using story = await aStory();
  story.answers(status(503));
  await story.happens(firing('low'));
  await story.happens(event('paid'));
  await story.calls(5 * MINUTE);
  expect(story.owed()).toMatchObject({ channel: 'am', rows: 2 });
  expect(story.log.lines).toEqual(['warn mirror:failing']);
  await story.happens(resolved('low'));
  await story.calls(5 * MINUTE);
  await story.restart();
  await story.calls(5 * MINUTE);
  story.answers(status(200));
  expect((await story.calls(30_000)).at(-1)?.toSorted()).toEqual(['low open for 15 min', 'paid open for 15 min']);
  expect(story.owed()).toBeNull();
  expect(story.log.lines.at(-1)).toBe('info mirror:works-again');
  await story.calls(16 * MINUTE);
  expect(await story.calls(HOUR)).toEqual([]);
});

test.each([400, 422])('one that the server refuses with %i keeps no other back', async (code) => {
  await using story = await aStory();
  const dislike = disliked(code);
  for (const key of ['one', 'bad', 'two']) await story.happens(firing(key));
  story.server.answerNext(dislike, status(200), dislike, status(200));
  expect(await story.calls(5000)).toEqual([
    ['one open for 60 min', 'bad open for 60 min', 'two open for 60 min'],
    ['one open for 60 min'],
    ['bad open for 60 min'],
    ['two open for 60 min'],
  ]);
  expect(story.owed()).toMatchObject({ rows: 1 });
  story.server.answerNext(status(200), dislike);
  expect(await story.calls(15_000)).toEqual([['one open for 60 min', 'two open for 60 min'], ['bad open for 60 min']]);
  story.answers(status(200));
  await story.calls(15_000);
  expect(story.owed()).toBeNull();
});

test('what fires is shown once a reload leads it to the channel, and its end too when the rule is gone', async () => {
  await using story = await aStory();
  await story.happens(firing('low'), ['former']);
  await story.happens(firing('over'), ['former']);
  await story.happens(resolved('over'), ['former']);
  await story.happens(event('paid'), ['former']);
  expect(await story.calls(5 * MINUTE)).toEqual([]);
  story.leadsTo(['am']);
  expect((await story.calls(MINUTE)).at(-1)).toEqual(['low open for 60 min']);
  await story.restart();
  story.leadsTo([]);
  expect(await story.calls(5000)).toEqual([['low open for 60 min']]);
  await story.happens(resolved('low'), []);
  const ends = await story.calls(HOUR);
  expect(ends[0]).toEqual(['low over since 0 min']);
  expect(ends.flat().filter((line) => line.includes('open'))).toEqual([]);
  expect(await story.calls(HOUR)).toEqual([]);
});

test('an end before the channel of a reload accepted anything is shown as over', async () => {
  await using story = await aStory();
  await story.happens(firing('low'), ['former']);
  story.answers(status(503));
  story.leadsTo(['am']);
  await story.calls(2 * MINUTE);
  await story.happens(resolved('low'), ['am']);
  story.answers(status(200));
  expect((await story.calls(30_000)).at(-1)).toEqual([expect.stringMatching(/^low over since [01] min$/)]);
});
