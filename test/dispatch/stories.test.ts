// What people and machines hear, one story for each row of the order of decisions, of the timers, and of what comes together.
import { describe, expect, test } from '@jest/globals';
import type { MuteWindow, Routing, Silence } from '../../src/dispatch/model.ts';
import { HOUR, MINUTE, SECOND } from './histories.ts';
import { InMemoryDispatch, MACHINE, NO_OPTIONS, PEOPLE, type Alert, type Channel, type Sent } from './in-memory.ts';

const at = (time: string): number => Date.parse(`2026-01-01T${time}Z`);
const alert = (key: string, watch: string, severity: string, more: Record<string, string> = {}): Alert => ({
  key,
  labels: { watch, severity, explorer: 'ethereum', ...more },
});

const LOW = alert('low', 'coins', 'warning');
const DRAINED = alert('drained', 'coins', 'critical');
const MOVED = alert('moved', 'coins', 'info');
const CALL = alert('call', 'vault', 'warning');
const STALLED = alert('stalled', 'head', 'critical');
const NOON: MuteWindow = { days: ['thu'], from: '12:00', to: '13:00', zone: 'UTC' };

interface Options {
  readonly channel?: Channel;
  readonly options?: Partial<Routing['options']>;
  readonly events?: 'summary' | 'drop';
}

/** One address, `mail`, at 12:00. */
function morning({ channel = PEOPLE, options = {}, events }: Options = {}): InMemoryDispatch {
  const day = new InMemoryDispatch(
    {
      channels: { mail: channel },
      routing: () => ({ channels: ['mail'], options: { ...NO_OPTIONS, ...options } }),
      inhibit:
        events === undefined
          ? []
          : [{ when: { watch: 'head' }, mute: { severity: '!critical' }, equal: ['explorer'], events }],
    },
    at('12:00:00'),
  );
  for (const { labels } of [LOW, CALL, STALLED]) day.poll(labels['watch'] ?? '');
  return day;
}

function happens(day: InMemoryDispatch, one: Alert, transition: Parameters<InMemoryDispatch['happens']>[1]): void {
  day.happens(one, transition);
  day.work();
}

function silence(day: InMemoryDispatch, until: string, more: Partial<Silence> = {}): void {
  day.silences.push({
    id: 'maintenance',
    kind: 'silence',
    matchers: { watch: '*' },
    untilResolved: false,
    version: 1,
    from: day.now,
    until: at(until),
    actor: 'ada',
    comment: '',
    ...more,
  });
  day.policyChanged();
  day.work();
}

function ack(day: InMemoryDispatch, { key }: Alert): void {
  day.acks.push({
    key,
    episode: 1,
    seq: 1,
    severity: 'critical',
    actor: 'ada',
    comment: null,
    at: 0,
    until: day.now + 24 * HOUR,
  });
}

/** What was sent, or lies there to be sent. */
function heard({ messages }: InMemoryDispatch): string[] {
  return messages.filter(({ state }) => state !== 'merged' && state !== 'cancelled').map(show);
}

function show({ createdAt, kind, lines }: Sent): string {
  const what = lines.map(({ key, seq, as }) => `${key}/${seq}${as === 'fired-and-resolved' ? ' over' : ''}`);
  return `${new Date(createdAt).toISOString().slice(11, 19)} ${kind} ${what.join(', ')}`;
}

function stateOf({ messages }: InMemoryDispatch): string[] {
  return messages.map(({ state }) => state);
}

describe('the first that is so decides:', () => {
  test('1: an alert that still fires is not told again an hour later', () => {
    const day = morning();
    happens(day, LOW, 'firing');
    day.runUntil(at('13:00:00'));
    expect(heard(day)).toEqual(['12:00:00 news low/1']);
    expect(day.verdicts.get('mail low')).toEqual({ type: 'suppress', why: 'nothing-new' });
  });

  test('2: what is taken back while the mail server is busy is never sent', () => {
    const day = morning();
    day.wire = () => 'busy';
    happens(day, CALL, 'event');
    day.runUntil(at('12:03:00'));
    happens(day, CALL, 'retracted');
    expect(stateOf(day)).toEqual(['cancelled']);
    day.wire = () => 'sent';
    day.runUntil(at('20:00:00'));
    expect(heard(day)).toEqual([]);
  });

  test('3: what fired and was over while the mail server was busy is one message', () => {
    const day = morning();
    day.wire = () => 'busy';
    happens(day, LOW, 'firing');
    day.runUntil(at('12:06:00'));
    happens(day, LOW, 'resolved');
    day.wire = () => 'sent';
    day.runUntil(at('20:00:00'));
    expect(stateOf(day)).toEqual(['merged', 'sent']);
    expect(heard(day)).toEqual(['12:06:00 news low/2 over']);
  });

  test('3: a begin that every try refused told nobody, so it is told with its end', () => {
    const day = morning();
    day.wire = () => 'again';
    happens(day, LOW, 'firing');
    day.runUntil(at('12:06:00'));
    happens(day, LOW, 'resolved');
    day.wire = () => 'sent';
    day.runUntil(at('12:07:00'));
    expect(heard(day)).toEqual(['12:06:00 news low/2 over']);
    expect(day.messages.map(({ state }) => state)).toEqual(['merged', 'sent']);
  });

  test('4: the end of what was told passes a silence', () => {
    const day = morning();
    happens(day, LOW, 'firing');
    silence(day, '18:00:00');
    day.runUntil(at('12:10:00'));
    happens(day, LOW, 'resolved');
    expect(heard(day).at(-1)).toBe('12:10:00 news low/2');
  });

  test('4: an end that nothing held back was said to be held since a repeat was', () => {
    const day = morning();
    happens(day, LOW, 'firing');
    silence(day, '23:00:00');
    day.runUntil(at('17:00:00'));
    happens(day, LOW, 'resolved');
    expect(heard(day)).toEqual(['12:00:00 news low/1', '17:00:00 news low/2']);
    expect(day.messages[1]?.members[0]).toMatchObject({ heldAt: null, heldBy: null });
  });

  test('4: only the end passes: what fires again meanwhile is held', () => {
    const day = morning();
    happens(day, LOW, 'firing');
    silence(day, '12:30:00');
    happens(day, LOW, 'resolved');
    happens(day, LOW, 'firing');
    day.runUntil(at('12:29:00'));
    expect(heard(day)).toEqual(['12:00:00 news low/1', '12:01:00 news low/2']);
    day.runUntil(at('12:30:00'));
    expect(heard(day).at(-1)).toBe('12:30:00 news low/3');
  });

  test('5: while the chain stands still, a low balance is not told', () => {
    const day = morning({ events: 'summary' });
    happens(day, STALLED, 'firing');
    happens(day, LOW, 'firing');
    day.runUntil(at('12:20:00'));
    expect(heard(day)).toEqual(['12:00:00 news stalled/1']);
    expect(day.verdicts.get('mail low')).toEqual({
      type: 'hold',
      until: 'change',
      why: { why: 'inhibited', by: 'stalled' },
    });
    happens(day, STALLED, 'resolved');
    expect(heard(day).slice(1)).toEqual(['12:20:00 news stalled/2', '12:20:00 news low/1']);
  });

  test('5: alerts of another explorer, and those without the label, are told', () => {
    const day = morning({ events: 'summary' });
    happens(day, STALLED, 'firing');
    const elsewhere = alert('elsewhere', 'coins', 'warning', { explorer: 'gnosis' });
    const nowhere: Alert = { key: 'nowhere', labels: { watch: 'coins', severity: 'warning' } };
    happens(day, elsewhere, 'firing');
    happens(day, nowhere, 'firing');
    expect(heard(day)).toHaveLength(3);
  });

  test('5: a source that nobody looked at for an hour mutes nothing any more', () => {
    const day = morning({ events: 'summary' });
    happens(day, STALLED, 'firing');
    happens(day, LOW, 'firing');
    day.runUntil(at('13:00:00'));
    expect(heard(day)).toHaveLength(1);
    day.runUntil(at('13:01:00'));
    expect(heard(day).at(-1)).toBe('13:01:00 news low/1');
  });

  test('5: nor does a start make a source believed that was looked at before it', () => {
    const day = morning({ events: 'summary' });
    happens(day, STALLED, 'firing');
    happens(day, LOW, 'firing');
    day.runUntil(at('12:50:00'));
    day.restart();
    day.runUntil(at('13:00:00'));
    expect(heard(day)).toHaveLength(1);
    day.runUntil(at('13:01:00'));
    expect(heard(day).at(-1)).toBe('13:01:00 news low/1');
  });

  test('5: after a long stop a source mutes until its first poll, but no longer than five minutes', () => {
    const day = morning({ events: 'summary' });
    happens(day, STALLED, 'firing');
    happens(day, LOW, 'firing');
    day.now = at('15:00:00');
    day.restart();
    day.runUntil(at('15:04:00'));
    expect(heard(day)).toHaveLength(1);
    day.poll('head');
    day.runUntil(at('16:04:00'));
    expect(heard(day)).toEqual(['12:00:00 news stalled/1', '16:00:00 repeat stalled/1']);
    day.now = at('18:00:00');
    day.restart();
    day.runUntil(at('18:05:00'));
    expect(heard(day).at(-1)).toBe('18:05:00 news low/1');
  });

  test('6: in a silence nothing is told, and what still fires afterwards is told once', () => {
    const day = morning();
    silence(day, '12:30:00');
    happens(day, LOW, 'firing');
    day.runUntil(at('12:29:59'));
    expect(heard(day)).toEqual([]);
    day.runUntil(at('14:00:00'));
    expect(heard(day)).toEqual(['12:30:00 news low/1']);
    expect(day.messages[0]?.members[0]).toMatchObject({ heldAt: at('12:00:00'), heldBy: 'maintenance' });
  });

  test('7: what somebody has acknowledged is not repeated, and its end is told', () => {
    const day = morning();
    happens(day, LOW, 'firing');
    ack(day, LOW);
    day.runUntil(at('20:00:00'));
    expect(day.verdicts.get('mail low')).toMatchObject({ type: 'hold', why: { why: 'acked' } });
    happens(day, LOW, 'resolved');
    expect(heard(day)).toEqual(['12:00:00 news low/1', '20:00:00 news low/2']);
  });

  test('7: after a start a repeat waits for the first poll, but no longer than five minutes', () => {
    const day = morning();
    happens(day, LOW, 'firing');
    day.now = at('16:00:00');
    day.restart();
    day.work();
    expect(day.verdicts.get('mail low')).toMatchObject({ type: 'hold', why: { why: 'unpolled' } });
    day.runUntil(at('17:00:00'));
    expect(heard(day).slice(1)).toEqual(['16:05:00 repeat low/1']);
  });

  test('8: on a quiet evening a warning waits for the morning', () => {
    const days = ['thu', 'fri'] as const;
    const day = morning({ options: { mute: [{ days, from: '12:00', to: '18:00', zone: 'UTC' }] } });
    happens(day, LOW, 'firing');
    day.runUntil(at('17:59:59'));
    expect(heard(day)).toEqual([]);
    day.runUntil(at('18:00:00'));
    expect(heard(day)).toEqual(['18:00:00 news low/1']);
  });

  test('9: of many groups at once the critical one and ten others are told singly, and the rest in one summary', () => {
    const day = morning();
    const many = Array.from({ length: 30 }, (_, n) => alert(`a${n}`, `watch-${n}`, n === 29 ? 'critical' : 'warning'));
    for (const one of many) day.happens(one, 'firing');
    day.work();
    expect(heard(day)).toHaveLength(11);
    expect(day.messages[0]?.lines[0]?.key).toBe('a29');
    day.runUntil(at('12:09:59'));
    expect(heard(day)).toHaveLength(11);
    day.runUntil(at('12:10:00'));
    expect(day.messages.at(-1)).toMatchObject({ kind: 'overflow_summary', groupId: null });
    expect(day.messages.at(-1)?.lines).toHaveLength(19);
    const told = day.messages.flatMap(({ lines }) => lines.map(({ key }) => key));
    expect(told.toSorted()).toEqual(many.map(({ key }) => key).toSorted());
  });

  test.each(['warning', 'critical'] as const)(
    '9: in a storm of %s events another critical alert is told at once',
    (severity) => {
      const day = morning();
      for (let n = 0; n < 500; n += 1) {
        day.happens(alert(`event-${n}`, 'vault', severity), 'event');
        day.runUntil(day.now + 120);
      }
      happens(day, DRAINED, 'firing');
      expect(heard(day).at(-1)).toBe('12:01:00 news drained/1');
      // One rule takes a quarter of what critical messages may take.
      if (severity === 'critical') expect(heard(day)).toHaveLength(6);
      day.runUntil(at('12:10:00'));
      const told = day.messages.flatMap(({ lines }) => lines.map(({ key }) => key));
      expect(told.toSorted()).toEqual([...Array.from({ length: 500 }, (_, n) => `event-${n}`), 'drained'].toSorted());
    },
  );

  test('9: who was told by a summary is told of the end', () => {
    const day = morning({ channel: { unit: 'group', cap: { burst: 1, perHour: 9 } } });
    happens(day, CALL, 'event');
    happens(day, LOW, 'firing');
    day.runUntil(at('12:20:00'));
    expect(heard(day)).toEqual(['12:00:00 news call/1', '12:10:00 overflow_summary low/1']);
    happens(day, LOW, 'resolved');
    expect(heard(day).at(-1)).toBe('12:20:00 news low/2');
  });

  test('9: a machine with a cap is still told of ends', () => {
    const day = morning({ channel: { unit: 'alert', cap: { burst: 1, perHour: 7 } } });
    happens(day, LOW, 'firing');
    happens(day, CALL, 'event');
    happens(day, LOW, 'resolved');
    expect(heard(day)).toEqual(['12:00:00 news low/1', '12:00:00 news low/2']);
    expect(day.verdicts.get('mail call')).toMatchObject({ type: 'hold', why: { why: 'cap' } });
    day.runUntil(at('12:20:00'));
    expect(heard(day).slice(2)).toEqual(['12:10:00 overflow_summary call/1']);
  });

  test('9: the end of an alert whose repeat a cap holds back goes to a machine alone, and to people in the summary', () => {
    for (const [unit, expected] of [
      ['alert', ['13:02:00 news low/2', '13:10:00 overflow_summary call/1']],
      ['group', ['13:10:00 overflow_summary call/1, low/2']],
    ] as const) {
      const day = morning({ channel: { unit, cap: { burst: 1, perHour: 7 } }, options: { repeatMs: HOUR } });
      happens(day, LOW, 'firing');
      day.runUntil(at('12:59:59'));
      happens(day, { ...CALL, key: 'first' }, 'event');
      day.runUntil(at('13:01:00'));
      happens(day, CALL, 'event');
      day.runUntil(at('13:02:00'));
      happens(day, LOW, 'resolved');
      day.runUntil(at('13:20:00'));
      expect(heard(day).slice(2).toSorted()).toEqual([...expected].toSorted());
    }
  });

  test('10: a second alert of a group waits until a minute after the first message', () => {
    const day = morning();
    happens(day, LOW, 'firing');
    day.runUntil(at('12:00:20'));
    happens(day, MOVED, 'firing');
    expect(day.verdicts.get('mail moved')).toEqual({ type: 'wait', until: at('12:01:00') });
    day.runUntil(at('12:05:00'));
    expect(heard(day)).toEqual(['12:00:00 news low/1', '12:01:00 news moved/1']);
  });
});

describe('timers:', () => {
  test('a lone alert goes out at once, with the id that it has without groups', () => {
    const [day, alone] = [morning(), morning({ channel: MACHINE })];
    happens(day, LOW, 'firing');
    happens(alone, LOW, 'firing');
    expect(day.messages.map(({ id }) => id)).toEqual(alone.messages.map(({ id }) => id));
    expect(day.messages[0]).toMatchObject({ createdAt: day.now, dueAt: day.now });
  });

  test('a group waits for its first message where a route says so, from the first of its news on', () => {
    const day = morning({ options: { groupWaitMs: 30 * SECOND } });
    happens(day, LOW, 'firing');
    day.runUntil(at('12:00:20'));
    happens(day, MOVED, 'firing');
    day.runUntil(at('12:05:00'));
    expect(heard(day)).toEqual(['12:00:30 news low/1, moved/1']);
  });

  test('a critical alert goes now, with all that waits', () => {
    const day = morning();
    happens(day, LOW, 'firing');
    day.runUntil(at('12:00:20'));
    happens(day, MOVED, 'firing');
    happens(day, DRAINED, 'firing');
    expect(heard(day)).toEqual(['12:00:00 news low/1', '12:00:20 news drained/1, moved/1']);
  });

  test('the interval of a group counts from a message that no receiver took before its alert was over', () => {
    const day = morning({ options: { groupIntervalMs: HOUR } });
    day.wire = () => 'busy';
    happens(day, LOW, 'firing');
    day.runUntil(at('12:06:00'));
    happens(day, LOW, 'resolved');
    day.wire = () => 'sent';
    day.runUntil(at('12:59:00'));
    expect(heard(day)).toEqual([]);
    day.runUntil(at('13:01:00'));
    expect(heard(day)).toEqual(['13:00:00 news low/2 over']);
  });

  test('the interval of a group counts from a message that was given up', () => {
    const day = morning({ options: { groupIntervalMs: HOUR } });
    day.wire = () => 'dead';
    happens(day, LOW, 'firing');
    day.runUntil(at('12:06:00'));
    day.wire = () => 'sent';
    happens(day, MOVED, 'firing');
    day.runUntil(at('12:59:00'));
    expect(heard(day)).toEqual(['12:00:00 news low/1']);
    day.runUntil(at('13:01:00'));
    expect(heard(day)).toEqual(['12:00:00 news low/1', '13:00:00 news moved/1']);
  });

  test('a machine hears each alert singly and at once, whatever its route says of groups', () => {
    const day = morning({ channel: MACHINE, options: { groupWaitMs: HOUR, groupIntervalMs: HOUR } });
    happens(day, LOW, 'firing');
    happens(day, MOVED, 'firing');
    happens(day, LOW, 'resolved');
    day.runUntil(at('23:00:00'));
    expect(heard(day)).toEqual(['12:00:00 news low/1', '12:00:00 news moved/1', '12:00:00 news low/2']);
  });

  test('all that is open in a group is repeated together, info never', () => {
    const day = morning();
    happens(day, LOW, 'firing');
    day.runUntil(at('12:30:00'));
    happens(day, DRAINED, 'firing');
    happens(day, MOVED, 'firing');
    day.runUntil(at('16:05:00'));
    expect(heard(day).at(-1)).toBe('16:00:00 repeat drained/1, low/1');
  });

  test('what is over the cap when another one is repeated waits for its own repeat', () => {
    const day = morning({ channel: { unit: 'group', cap: { burst: 2, perHour: 7 } } });
    happens(day, LOW, 'firing');
    day.runUntil(at('15:55:00'));
    happens(day, DRAINED, 'firing');
    day.runUntil(at('19:54:00'));
    expect(heard(day)).toEqual(['12:00:00 news low/1', '15:55:00 news drained/1', '16:00:00 repeat low/1']);
    day.runUntil(at('19:56:00'));
    expect(heard(day).slice(3)).toEqual(['19:55:00 repeat drained/1, low/1']);
  });

  test('events are repeated only where a route asks for an acknowledgement', () => {
    const [plain, asks] = [morning(), morning({ options: { requireAck: true, repeatMs: HOUR } })];
    for (const day of [plain, asks]) {
      happens(day, CALL, 'event');
      day.runUntil(at('14:30:00'));
    }
    expect(heard(plain)).toHaveLength(1);
    expect(heard(asks)).toEqual(['12:00:00 news call/1', '13:00:00 repeat call/1', '14:00:00 repeat call/1']);
    ack(asks, CALL);
    asks.runUntil(at('18:00:00'));
    expect(heard(asks)).toHaveLength(3);
  });

  test('a message lists the alert that it is sent for, also below many that are more severe', () => {
    const day = morning({ options: { repeatMs: 4 * HOUR } });
    const many = Array.from({ length: 60 }, (_, n) => alert(`many-${n}`, 'coins', 'critical'));
    for (const one of [...many, LOW]) day.happens(one, 'firing');
    day.work();
    ack(day, LOW);
    day.work();
    day.acks.splice(0);
    day.runUntil(at('12:30:00'));
    const [first, again] = day.messages;
    expect([first?.lines[0]?.key, first?.lines.at(-1)?.key]).toEqual(['many-0', 'low']);
    expect([again?.kind, again?.lines.length, again?.severity]).toEqual(['repeat', 61, 'critical']);
    expect([again?.lines[0]?.key, again?.lines[49]?.key]).toEqual(['many-0', 'low']);
  });

  test('a repeat counts from what was accepted, and none is sent while one is on its way', () => {
    const day = morning({ options: { repeatMs: HOUR } });
    day.wire = () => 'again';
    happens(day, LOW, 'firing');
    day.runUntil(at('15:30:00'));
    expect(heard(day)).toHaveLength(1);
    day.wire = () => 'sent';
    day.work();
    day.runUntil(at('16:45:00'));
    expect(heard(day)).toEqual(['12:00:00 news low/1', '16:30:00 repeat low/1']);
  });

  test.each(['warning', 'info'] as const)(
    'a begin that was given up is tried again with the repeats: %s',
    (severity) => {
      const day = morning({ channel: MACHINE, options: severity === 'info' ? {} : { repeatMs: 30 * MINUTE } });
      day.wire = () => 'dead';
      happens(day, alert('spent', 'bridge', severity), 'firing');
      day.wire = () => 'sent';
      const next = severity === 'info' ? '16:00:00' : '12:30:00';
      day.runUntil(at(next) - 1);
      expect(heard(day)).toEqual(['12:00:00 news spent/1']);
      day.runUntil(at(next));
      expect(heard(day).slice(1)).toEqual([`${next} repeat spent/1`]);
      day.runUntil(at('23:00:00'));
      if (severity === 'info') expect(heard(day)).toHaveLength(2);
      happens(day, alert('spent', 'bridge', severity), 'resolved');
      expect(heard(day).at(-1)).toBe('23:00:00 news spent/2');
    },
  );

  test('a raised severity that each try refused is told with the next repeat', () => {
    const day = morning({ options: { repeatMs: HOUR } });
    happens(day, LOW, 'firing');
    day.runUntil(at('12:30:00'));
    day.wire = () => 'dead';
    happens(day, LOW, 'firing');
    day.wire = () => 'sent';
    day.runUntil(at('14:00:00'));
    expect(heard(day)).toEqual(['12:00:00 news low/1', '12:30:00 news low/2', '13:30:00 repeat low/2']);
  });

  test('an end behind a begin that each try refused says that it fired, too', () => {
    const day = morning();
    day.wire = () => 'dead';
    happens(day, LOW, 'firing');
    day.wire = () => 'sent';
    day.runUntil(at('13:00:00'));
    happens(day, LOW, 'resolved');
    expect(heard(day)).toEqual(['12:00:00 news low/1', '13:00:00 news low/2 over']);
    day.runUntil(at('23:00:00'));
    expect(heard(day)).toHaveLength(2);
  });

  test('an event whose begin each try refused is retracted without a word', () => {
    const day = morning();
    day.wire = () => 'dead';
    happens(day, CALL, 'event');
    day.wire = () => 'sent';
    day.runUntil(at('13:00:00'));
    happens(day, CALL, 'retracted');
    day.runUntil(at('23:00:00'));
    expect(heard(day)).toEqual(['12:00:00 news call/1']);
  });

  test('no repeats where a route turns them off', () => {
    const day = morning({ options: { repeatMs: 'off' } });
    happens(day, LOW, 'firing');
    day.runUntil(at('23:00:00'));
    expect(heard(day)).toHaveLength(1);
  });
});

describe('together:', () => {
  test('events of a silence, and what was over inside, are counted in its summary', () => {
    const day = morning();
    silence(day, '12:30:00');
    happens(day, CALL, 'event');
    happens(day, LOW, 'firing');
    happens(day, LOW, 'resolved');
    day.runUntil(at('13:00:00'));
    expect(heard(day)).toEqual(['12:30:00 silence_summary call/1, low/2 over']);
  });

  test('a machine hears nothing of what was over in a silence', () => {
    const day = morning({ channel: MACHINE });
    silence(day, '12:30:00');
    happens(day, CALL, 'event');
    happens(day, LOW, 'firing');
    happens(day, LOW, 'resolved');
    day.runUntil(at('13:00:00'));
    expect(heard(day)).toEqual([]);
  });

  test('a machine hears of what fires again in a silence, and nothing of the episode before', () => {
    const day = morning({ channel: MACHINE });
    silence(day, '12:30:00');
    happens(day, LOW, 'firing');
    day.runUntil(at('12:10:00'));
    happens(day, LOW, 'resolved');
    day.runUntil(at('12:20:00'));
    happens(day, LOW, 'firing');
    day.runUntil(at('13:00:00'));
    expect(heard(day)).toEqual(['12:30:00 news low/3']);
    happens(day, LOW, 'resolved');
    expect(heard(day).at(-1)).toBe('13:00:00 news low/4');
  });

  test('a machine hears of what began and ended in a mute window, after the silence that was inside it', () => {
    const day = morning({ channel: MACHINE, options: { mute: [NOON] } });
    silence(day, '12:20:00');
    happens(day, LOW, 'firing');
    happens(day, LOW, 'resolved');
    day.runUntil(at('12:30:00'));
    happens(day, LOW, 'firing');
    happens(day, LOW, 'resolved');
    day.runUntil(at('14:00:00'));
    expect(heard(day)).toEqual(['13:00:00 news low/4 over']);
  });

  test('of two silences the later end counts, and the first is named', () => {
    const day = morning();
    silence(day, '12:30:00');
    happens(day, CALL, 'event');
    silence(day, '12:45:00', { id: 'another' });
    day.runUntil(at('12:44:59'));
    expect(heard(day)).toEqual([]);
    day.runUntil(at('13:00:00'));
    expect(heard(day)).toEqual(['12:45:00 silence_summary call/1']);
    expect(day.messages[0]?.members[0]?.heldBy).toBe('maintenance');
  });

  test('what somebody acknowledges in a silence is only counted, and its end is told', () => {
    const day = morning();
    silence(day, '12:30:00');
    happens(day, LOW, 'firing');
    ack(day, LOW);
    day.runUntil(at('20:00:00'));
    expect(heard(day)).toEqual(['12:30:00 silence_summary low/1']);
    happens(day, LOW, 'resolved');
    expect(heard(day).at(-1)).toBe('20:00:00 news low/2');
  });

  test.each<[string, Partial<Options>, (day: InMemoryDispatch) => void]>([
    ['a mute window', { options: { mute: [NOON] } }, () => undefined],
    [
      'a silence',
      {},
      (day) => {
        silence(day, '13:00:00');
      },
    ],
    [
      'an open alert',
      { events: 'summary' },
      (day) => {
        happens(day, STALLED, 'firing');
      },
    ],
  ])('a pager is not called for what somebody answered while %s held it back', (_, options, holdBack) => {
    const day = morning({ channel: MACHINE, ...options });
    holdBack(day);
    happens(day, LOW, 'firing');
    happens(day, CALL, 'event');
    ack(day, LOW);
    ack(day, CALL);
    day.runUntil(at('12:50:00'));
    happens(day, STALLED, 'resolved');
    day.runUntil(at('20:00:00'));
    expect(heard(day).filter((message) => !message.includes('stalled'))).toEqual([]);
  });

  test('a pager is called for what is still so when the acknowledgement ends', () => {
    const day = morning({ channel: MACHINE, options: { mute: [NOON] } });
    happens(day, LOW, 'firing');
    ack(day, LOW);
    day.runUntil(at('12:00:00') + 25 * HOUR);
    expect(day.messages).toHaveLength(1);
    expect(day.messages[0]).toMatchObject({ createdAt: at('12:00:00') + 24 * HOUR });
    expect(heard(day)).toEqual(['12:00:00 news low/1']);
  });

  test('a machine hears of an event that somebody acknowledged in a mute window, once that is over', () => {
    const day = morning({ channel: MACHINE, options: { mute: [NOON] } });
    happens(day, CALL, 'event');
    ack(day, CALL);
    day.runUntil(at('12:00:00') + 25 * HOUR);
    expect(day.messages.map(({ createdAt }) => createdAt)).toEqual([at('12:00:00') + 24 * HOUR]);
    expect(heard(day)).toEqual(['12:00:00 news call/1']);
  });

  test('a machine hears what somebody answered in a mute window once it is over', () => {
    const day = morning({ channel: MACHINE, options: { mute: [NOON] } });
    happens(day, LOW, 'firing');
    ack(day, LOW);
    day.runUntil(at('14:00:00'));
    happens(day, LOW, 'resolved');
    expect(heard(day)).toEqual(['14:00:00 news low/2 over']);
  });

  test('people hear in the morning what somebody answered at night', () => {
    const day = morning({ options: { mute: [NOON] } });
    happens(day, LOW, 'firing');
    ack(day, LOW);
    day.runUntil(at('14:00:00'));
    expect(heard(day)).toEqual(['13:00:00 news low/1']);
  });

  test('what becomes of an event that the summary of a silence told of is told', () => {
    const day = morning();
    silence(day, '12:30:00');
    happens(day, CALL, 'event');
    day.runUntil(at('12:35:00'));
    expect(heard(day)).toEqual(['12:30:00 silence_summary call/1']);
    happens(day, CALL, 'retracted');
    expect(heard(day).at(-1)).toBe('12:35:00 news call/2');
  });

  test('what is taken back in a silence is not counted', () => {
    const day = morning();
    silence(day, '12:30:00');
    happens(day, CALL, 'event');
    happens(day, CALL, 'retracted');
    day.runUntil(at('20:00:00'));
    expect(heard(day)).toEqual([]);
  });

  test('what is taken back before its summary goes out leaves it', () => {
    const day = morning({ channel: { unit: 'group', cap: { burst: 1, perHour: 7 } } });
    happens(day, alert('spent', 'bridge', 'warning'), 'firing');
    happens(day, CALL, 'event');
    happens(day, LOW, 'firing');
    day.wire = () => 'busy';
    day.runUntil(at('12:10:00'));
    expect(heard(day).at(-1)).toBe('12:10:00 overflow_summary call/1, low/1');
    happens(day, CALL, 'retracted');
    expect(heard(day).at(-1)).toBe('12:10:00 overflow_summary low/1');
  });

  test('what was told, then inhibited, and is over, is told', () => {
    const day = morning({ events: 'summary' });
    happens(day, LOW, 'firing');
    happens(day, STALLED, 'firing');
    day.runUntil(at('12:10:00'));
    happens(day, LOW, 'resolved');
    expect(heard(day).at(-1)).toBe('12:10:00 news low/2');
  });

  test.each([
    ['summary', ['12:10:30 inhibition_summary call/1, low/2 over']],
    ['drop', ['12:10:30 inhibition_summary low/2 over']],
  ] as const)('an inhibition whose events are for: %s', (events, expected) => {
    const day = morning({ events });
    happens(day, STALLED, 'firing');
    happens(day, CALL, 'event');
    happens(day, LOW, 'firing');
    happens(day, LOW, 'resolved');
    day.runUntil(at('12:10:30'));
    happens(day, STALLED, 'resolved');
    day.runUntil(at('13:00:00'));
    expect(heard(day).filter((one) => !one.includes('stalled'))).toEqual(expected);
  });

  test('an event that waited for its group when an inhibition began is counted after it, and the next one is dropped', () => {
    const day = morning({ events: 'drop', options: { groupWaitMs: 5 * MINUTE } });
    happens(day, CALL, 'event');
    day.runUntil(at('12:01:00'));
    happens(day, STALLED, 'firing');
    happens(day, alert('next', 'vault', 'warning'), 'event');
    day.runUntil(at('12:10:30'));
    happens(day, STALLED, 'resolved');
    day.runUntil(at('13:00:00'));
    expect(heard(day).filter((one) => !one.includes('stalled'))).toEqual(['12:10:30 inhibition_summary call/1']);
  });

  test('an inhibition by severity leaves out what the daemon tells of itself', () => {
    const day = morning({ events: 'drop' });
    happens(day, STALLED, 'firing');
    happens(day, alert('blind', 'chainwarden', 'warning'), 'firing');
    expect(heard(day)).toEqual(['12:00:00 news stalled/1', '12:00:00 news blind/1']);
  });

  test('an alert does not wait for a message about another one that is refused', () => {
    const day = morning();
    day.wire = ({ lines }) => (lines.some(({ key }) => key === 'call') ? 'again' : 'sent');
    happens(day, CALL, 'event');
    day.runUntil(at('12:05:00'));
    day.happens(CALL, 'corrected');
    happens(day, alert('other', 'vault', 'warning'), 'event');
    const [, other, corrected] = day.messages;
    expect([other, corrected]).toMatchObject([{ state: 'sent' }, { state: 'due' }]);
    expect(heard(day).slice(1)).toEqual(['12:05:00 news other/1', '12:05:00 news call/2']);
  });

  test('a target that a reload no longer names hears the end of what it was told, and no new begin', () => {
    const day = morning();
    happens(day, LOW, 'firing');
    day.runUntil(at('12:10:00'));
    day.reload({ ...day.setup, routing: () => ({ channels: [], options: NO_OPTIONS }) });
    happens(day, LOW, 'resolved');
    happens(day, LOW, 'firing');
    day.runUntil(at('23:00:00'));
    expect(heard(day)).toEqual(['12:00:00 news low/1', '12:10:00 news low/2']);
  });

  test('a target that a reload names is owed what is open, and what ended before it was told', () => {
    const day = morning();
    const named = day.setup;
    day.reload({ ...named, routing: () => ({ channels: [], options: NO_OPTIONS }) });
    happens(day, LOW, 'firing');
    day.reload(named);
    happens(day, LOW, 'resolved');
    expect(heard(day)).toEqual(['12:00:00 news low/2 over']);
    day.reload({ ...named, routing: () => ({ channels: [], options: NO_OPTIONS }) });
    day.runUntil(at('12:10:00'));
    happens(day, LOW, 'firing');
    day.runUntil(at('12:20:00'));
    day.reload(named);
    day.work();
    expect(heard(day).slice(1)).toEqual(['12:20:00 news low/3']);
  });
});

test('a repeat above the cap that then waited for a poll is in a summary as soon as it may be told', () => {
  const cap = { burst: 1, perHour: 60 };
  const day = morning({ channel: { unit: 'group', cap }, options: { repeatMs: 30 * MINUTE, groupBy: ['alert'] } });
  happens(day, LOW, 'firing');
  day.runUntil(at('12:25:00'));
  happens(day, alert('before', 'chain', 'warning'), 'event');
  day.runUntil(at('12:38:00'));
  day.restart();
  day.runUntil(at('12:41:00'));
  happens(day, alert('after', 'chain', 'warning'), 'event');
  day.runUntil(at('12:42:00'));
  day.poll('coins');
  day.policyChanged();
  day.runUntil(at('12:55:00'));
  expect(heard(day)).toEqual([
    '12:00:00 news low/1',
    '12:25:00 news before/1',
    '12:41:00 news after/1',
    '12:42:00 overflow_summary low/1',
  ]);
});

describe('a clock that is set', () => {
  test('forward brings no repeat early', () => {
    const day = morning();
    happens(day, LOW, 'firing');
    day.runUntil(at('13:00:00'));
    day.jump(5 * HOUR);
    day.work();
    expect(heard(day)).toHaveLength(1);
    day.runUntil(at('21:00:00'));
    expect(heard(day).slice(1)).toEqual(['21:00:00 repeat low/1']);
  });

  test('back makes no wait longer than its timer', () => {
    const day = morning();
    happens(day, LOW, 'firing');
    day.runUntil(at('12:00:30'));
    happens(day, MOVED, 'firing');
    day.jump(-5 * HOUR);
    day.runUntil(at('07:01:30'));
    expect(heard(day).slice(1)).toEqual(['07:01:30 news moved/1']);
  });

  test('back by five hours brings the repeat after its time, not after nine hours', () => {
    const day = morning();
    happens(day, LOW, 'firing');
    day.runUntil(at('12:00:30'));
    day.jump(-5 * HOUR);
    day.runUntil(at('11:00:29'));
    expect(heard(day)).toHaveLength(1);
    day.runUntil(at('11:00:30'));
    expect(heard(day)).toHaveLength(2);
  });
});

test('a stop over many repeats is made up for by one', () => {
  const day = morning();
  happens(day, LOW, 'firing');
  day.now = at('12:00:00') + 30 * HOUR;
  day.restart();
  day.poll('coins');
  day.work();
  expect(heard(day)).toHaveLength(2);
  day.runUntil(day.now + 10 * MINUTE);
  expect(heard(day)).toHaveLength(2);
});
