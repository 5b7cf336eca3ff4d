// What operators do reaches the oracle for people once, and whole.
import { expect, test } from '@jest/globals';
import type { JournalEntry } from '../../../src/core/journal/entry.ts';
import type { DeliveryBatch } from '../../../src/dispatch/model.ts';
import type { CommittedTransition } from '../people/log.ts';
import { createPeopleRecorder } from './people-log.ts';
import { createTryLog } from './tries.ts';

const NOON = Date.parse('2026-01-11T12:00:00Z');
const REQUEST = { key: 'a0', actor: 'alice' };
const ALL = { action: 'ack-all', answer: { acknowledged: [], standing: [], until: '2026-01-12T12:00:00Z' } };

function line(subject: string): JournalEntry {
  const data = { id: `id-${subject}`, episode: 1, seq: 2, comment: null, until: '2026-01-12T12:00:00Z' };
  return { at: NOON, kind: 'acknowledged', actor: 'alice', subject, data };
}

const ended = { span: { from: NOON, to: NOON }, given: { jumps: [], refusals: [] } };

test('each alert of those that are acknowledged at once is one acknowledgement', () => {
  const people = createPeopleRecorder(() => NOON);
  const common = { type: 'ack', episode: 1, seq: 2, untilClock: NOON + 24 * 3_600_000, replaces: false };
  const changes = [
    { ...common, key: 'one' },
    { ...common, key: 'two' },
  ];
  expect(people.operated(ALL, REQUEST, [line('one'), line('two')])).toEqual(changes);
  // The same request again is answered as at first, and changes nothing.
  expect(people.operated(ALL, REQUEST, [])).toEqual([]);
  expect(people.end(ended.span, ended.given).actions).toEqual(
    changes.map((change) => ({ at: NOON, by: 'alice', ...change })),
  );
});

test('an acknowledgement of one of them, while it stands, takes its place', () => {
  const people = createPeopleRecorder(() => NOON);
  people.operated(ALL, REQUEST, [line('one')]);
  const answer = { key: 'one', episode: 1, seq: 2, at: '2026-01-11T13:00:00Z', until: '2026-01-11T14:00:00Z' };
  expect(people.operated({ action: 'ack', answer }, { key: 'b0', actor: 'bob' }, [])).toMatchObject([
    { type: 'ack', key: 'one', replaces: true },
  ]);
});

function share(...keys: readonly string[]): DeliveryBatch {
  return {
    id: 'large',
    kind: 'news',
    target: { channel: 'post', recipient: 'a@example.com' },
    groupId: 'group',
    severity: 'info',
    critical: null,
    dueAt: NOON,
    members: keys.map((key) => {
      return { key, seq: 1, as: 'news', renewed: null, heldAt: null, heldBy: null, present: null };
    }),
  };
}

function event({ key, seq }: Pick<CommittedTransition, 'key' | 'seq'>): CommittedTransition {
  return {
    at: NOON,
    decidedClock: NOON,
    fromMemoryAt: null,
    watch: 'busy',
    alert: 'failed',
    key,
    episode: 1,
    seq,
    type: 'event',
    severity: 'info',
    labels: {},
    reason: null,
    notify: null,
    foldedKeys: null,
  };
}

test('a large message that several commits write has the members of all', () => {
  const tries = createTryLog(() => NOON, event);
  const nothingElse = { withdrawn: [], overtaken: [] };
  tries.made({ batches: [share('one', 'two')], ...nothingElse });
  tries.made({ batches: [share('three')], ...nothingElse });
  expect(tries.untried().map(({ members }) => members.map(({ key }) => key))).toEqual([['one', 'two', 'three']]);
});
