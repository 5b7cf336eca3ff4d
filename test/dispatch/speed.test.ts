// Storms: what a decision costs grows with what it decides, and with nothing else.
import { expect, test } from '@jest/globals';
import { decideRound } from '../../src/dispatch/rounds/due-round.ts';
import { UNTOLD } from '../../src/dispatch/owed.ts';
import { CAP_OF_PEOPLE, NOTHING_SENT } from '../../src/dispatch/batches.ts';
import type { DispatchGroup, DispatchRound, GroupMember, MuteWindow } from '../../src/dispatch/model.ts';
import { effort, NO_HANG } from '../support/effort.ts';
import { NO_OPTIONS } from './in-memory.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const NIGHT: MuteWindow = { days: ['thu', 'fri'], from: '22:00', to: '06:00', zone: 'Europe/Berlin' };

function member(n: number): GroupMember {
  return {
    key: `key-${n}`,
    watch: 'vault',
    episode: 1,
    isOpen: true,
    isEvent: true,
    needsAck: false,
    severity: 'warning',
    labels: { watch: 'vault', severity: 'warning', explorer: 'ethereum', of: `0x${n}` },
    routing: { options: { ...NO_OPTIONS, mute: [NIGHT] } },
    news: [{ seq: 1, episode: 1, transition: 'event', at: NOW }],
  };
}

function group(id: string, members: readonly GroupMember[]): DispatchGroup {
  return {
    id,
    target: { channel: 'mail', recipient: 'ops' },
    unit: 'group',
    cap: CAP_OF_PEOPLE,
    version: 1,
    closedAt: null,
    members,
  };
}

/** With a thousand open alerts that inhibit others, and a hundred silences, none of which is about these members. */
function round(groups: readonly DispatchGroup[]): DispatchRound {
  return {
    groups,
    states: new Map(
      groups.map(({ id, members }) => [id, new Map(members.map(({ key }) => [key, { ...UNTOLD, wanted: 1 }]))]),
    ),
    world: {
      startedAt: NOW,
      silences: Array.from({ length: 100 }, (_, n) => ({
        id: `s${n}`,
        kind: 'silence',
        matchers: { of: `*treasury-${n}*` },
        untilResolved: false,
        version: 1,
        from: NOW - 1,
        until: NOW + 1,
        actor: 'ada',
        comment: '',
      })),
      acks: [],
      inhibit: [{ when: { watch: 'head' }, mute: { severity: '!critical' }, equal: ['of'], events: 'summary' }],
      sources: Array.from({ length: 1000 }, (_, n) => ({
        key: `h${n}`,
        watch: 'head',
        labels: { watch: 'head', of: `h${n}` },
        openedAt: NOW,
      })),
      sentBefore: () => NOTHING_SENT,
      presentOf: () => null,
      lookedAt: () => NOW,
      coveredUntil: () => NOW,
    },
  };
}

const many = (count: number): GroupMember[] => Array.from({ length: count }, (_, n) => member(n));

test('twenty thousand events in one group are one message, decided at once', () => {
  const storm = round([group('one', many(20_000))]);
  const cost = effort(() => {
    expect(decideRound(storm, NOW).batches.map(({ members }) => members.length)).toEqual([20_000]);
  });
  expect(cost).toBeLessThan(NO_HANG);
});

test('twenty thousand groups of one address at once are ten messages and one summary', () => {
  const groups = many(20_000).map((one) => group(`group-${one.key}`, [one]));
  const storm = round(groups);
  const cost = effort(() => {
    expect(decideRound(storm, NOW).batches).toHaveLength(10);
  });
  expect(cost).toBeLessThan(NO_HANG);
});
