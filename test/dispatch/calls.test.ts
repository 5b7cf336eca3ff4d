// Who is called in, and what is said when an acknowledgement ends, over the daemon's own store.
import { describe, expect, test } from '@jest/globals';
import type { Routing } from '../../src/dispatch/model.ts';
import { HOUR, MINUTE, START } from './histories.ts';
import { NO_OPTIONS, PEOPLE, type Alert, type Setup } from './in-memory.ts';
import { StoredDispatch } from './stored.ts';

const DRAINED: Alert = { key: 'drained', labels: { watch: 'coins', severity: 'critical', explorer: 'ethereum' } };
const LOW: Alert = { key: 'low', labels: { watch: 'coins', severity: 'warning', explorer: 'ethereum' } };
const LOWER: Alert = { key: 'lower', labels: { watch: 'coins', severity: 'warning', explorer: 'ethereum' } };

/** `mail` is told, and `push` is called where nobody answers. */
function callingPush(...minutes: readonly number[]): Setup {
  const escalate = minutes.map((after) => ({ afterMs: after * MINUTE, notify: ['push'] }));
  const options: Routing['options'] = { ...NO_OPTIONS, repeatMs: 'off', escalate };
  return { channels: { mail: PEOPLE, push: PEOPLE }, routing: () => ({ channels: ['mail'], options }) };
}

/** `25h15m`, since the start. */
function told(dispatch: StoredDispatch, channel: string): string[] {
  return dispatch.messages
    .filter(({ target }) => target.channel === channel)
    .map(({ createdAt, members }) => {
      const minutes = (createdAt - START) / MINUTE;
      return `${Math.floor(minutes / 60)}h${minutes % 60}m ${members.map(({ key }) => key).join(', ')}`;
    });
}

test('the time to the steps counts from the end of an acknowledgement, though no process ran then', async () => {
  await using dispatch = new StoredDispatch(callingPush(15), START);
  await dispatch.happens(DRAINED, 'firing');
  await dispatch.runUntil(START + MINUTE);
  await dispatch.ack('drained');
  await dispatch.runUntil(START + HOUR);
  dispatch.now = START + 24 * HOUR + 6 * MINUTE;
  await dispatch.restart();
  dispatch.poll('coins');
  await dispatch.runUntil(START + 25 * HOUR);
  expect(told(dispatch, 'mail')).toEqual(['0h0m drained', '24h6m drained']);
  expect(told(dispatch, 'push')).toEqual(['24h16m drained']);
});

test('an acknowledgement that no round saw, since no process ran from its begin to its end, ends as any other', async () => {
  await using dispatch = new StoredDispatch(callingPush(15), START);
  await dispatch.happens(DRAINED, 'firing');
  await dispatch.runUntil(START + MINUTE);
  await dispatch.ack('drained', HOUR);
  dispatch.now = START + HOUR + 6 * MINUTE;
  await dispatch.restart();
  dispatch.poll('coins');
  await dispatch.runUntil(START + 6 * HOUR);
  expect(told(dispatch, 'mail')).toEqual(['0h0m drained', '1h6m drained']);
  expect(told(dispatch, 'push')).toEqual(['1h16m drained']);
});

test('a target that takes nothing is called by its second step once it has taken the first call', async () => {
  await using dispatch = new StoredDispatch(callingPush(15, 30), START);
  dispatch.wires.set('push', 'busy');
  await dispatch.happens(DRAINED, 'firing');
  await dispatch.runUntil(START + 45 * MINUTE);
  expect(told(dispatch, 'push')).toEqual(['0h15m drained']);
  dispatch.wires.delete('push');
  await dispatch.runUntil(START + 3 * HOUR);
  expect(told(dispatch, 'push')).toEqual(['0h15m drained', '0h46m drained']);
});

test('the message about an acknowledgement that has ended is about all that is open in its group', async () => {
  await using dispatch = new StoredDispatch(
    { ...callingPush(), routing: () => ({ channels: ['mail'], options: { ...NO_OPTIONS, repeatMs: 48 * HOUR } }) },
    START,
  );
  await dispatch.happens(LOW, 'firing');
  await dispatch.runUntil(START + MINUTE);
  await dispatch.ack('low');
  await dispatch.runUntil(START + HOUR);
  await dispatch.happens(LOWER, 'firing');
  await dispatch.runUntil(START + 25 * HOUR);
  expect(told(dispatch, 'mail')).toEqual(['0h0m low', '1h0m lower', '24h1m low, lower']);
});

test('a failover that a mute window holds back is not told once another channel took the alert', async () => {
  const options: Routing['options'] = {
    ...NO_OPTIONS,
    failover: ['push'],
    mute: [{ days: ['thu'], from: '11:04', to: '12:00', zone: 'UTC' }],
  };
  await using dispatch = new StoredDispatch(
    { channels: { mail: PEOPLE, push: PEOPLE }, routing: () => ({ channels: ['mail'], options }) },
    START,
  );
  dispatch.wires.set('mail', 'busy');
  await dispatch.happens(DRAINED, 'firing');
  await dispatch.runUntil(START + 20 * MINUTE);
  dispatch.wires.delete('mail');
  await dispatch.runUntil(START + 90 * MINUTE);
  expect(told(dispatch, 'mail')).toEqual(['0h0m drained']);
  expect(told(dispatch, 'push')).toEqual([]);
  await dispatch.happens(DRAINED, 'resolved');
  dispatch.wires.set('mail', 'busy');
  await dispatch.happens(DRAINED, 'firing');
  await dispatch.runUntil(START + 2 * HOUR);
  expect(told(dispatch, 'push')).toEqual(['1h35m drained']);
});

test('a failover that its channel does not take goes to whom a reload names instead, once', async () => {
  const failingOver = (...failover: readonly string[]): Setup => ({
    channels: { mail: PEOPLE, push: PEOPLE, phone: PEOPLE },
    routing: () => ({ channels: ['mail'], options: { ...NO_OPTIONS, repeatMs: 'off', failover } }),
  });
  await using dispatch = new StoredDispatch(failingOver('push'), START);
  for (const channel of ['mail', 'push', 'phone']) dispatch.wires.set(channel, 'busy');
  await dispatch.happens(DRAINED, 'firing');
  await dispatch.runUntil(START + 30 * MINUTE);
  await dispatch.reload(failingOver('push', 'phone'));
  await dispatch.runUntil(START + HOUR);
  await dispatch.reload(failingOver('phone'));
  await dispatch.restart();
  await dispatch.runUntil(START + 2 * HOUR);
  expect(told(dispatch, 'push')).toEqual(['0h5m drained']);
  expect(told(dispatch, 'phone')).toEqual(['0h30m drained']);
});

test('what a poll decided before a restart goes to the channels of the config that is read then', async () => {
  const leadingTo = (...channels: readonly string[]): Setup => ({
    channels: Object.fromEntries(channels.map((channel) => [channel, PEOPLE])),
    routing: () => ({ channels: [...channels], options: { ...NO_OPTIONS, repeatMs: 'off' } }),
  });
  await using dispatch = new StoredDispatch(leadingTo('mail', 'push'), START);
  await dispatch.happens(DRAINED, 'firing');
  await dispatch.happens(LOW, 'event');
  await dispatch.reload(leadingTo('mail', 'phone'));
  await dispatch.restart();
  await dispatch.runUntil(START + MINUTE);
  for (const channel of ['mail', 'phone']) expect(told(dispatch, channel)).toEqual(['0h0m drained, low']);
  expect(told(dispatch, 'push')).toEqual([]);
  await dispatch.happens(LOWER, 'event');
  await dispatch.reload(leadingTo('mail', 'phone', 'push'));
  await dispatch.runUntil(START + 2 * MINUTE);
  expect(told(dispatch, 'phone').at(-1)).toBe('0h1m lower');
  expect(told(dispatch, 'push')).not.toContain('0h1m lower');
});

test('a critical begin that passes the cap takes along the end that waits there', async () => {
  const capped: Setup = {
    channels: { mail: { ...PEOPLE, cap: { burst: 1, perHour: 30 } } },
    routing: () => ({ channels: ['mail'], options: { ...NO_OPTIONS, repeatMs: 'off' } }),
  };
  const at = async (minute: number): Promise<void> => dispatch.runUntil(START + minute * MINUTE);
  await using dispatch = new StoredDispatch(capped, START);
  await at(5);
  await dispatch.happens(DRAINED, 'firing');
  await at(11);
  await dispatch.happens(DRAINED, 'resolved');
  await at(14);
  await dispatch.happens(DRAINED, 'firing');
  await at(15);
  await dispatch.happens(DRAINED, 'resolved');
  await at(16);
  await dispatch.happens(DRAINED, 'firing');
  await at(30);
  expect(told(dispatch, 'mail')).toEqual(['0h5m drained', '0h16m drained, drained, drained']);
});

test('what is sent after the clock was set forward, and before that is noticed, is repeated in its time', async () => {
  await using dispatch = new StoredDispatch(
    { ...callingPush(), routing: () => ({ channels: ['mail'], options: { ...NO_OPTIONS, repeatMs: 30 * MINUTE } }) },
    START,
  );
  dispatch.now += 2 * HOUR;
  await dispatch.happens(DRAINED, 'firing');
  await dispatch.work();
  await dispatch.noticeJump(2 * HOUR);
  await dispatch.runUntil(START + 2 * HOUR + 40 * MINUTE);
  expect(told(dispatch, 'mail')).toEqual(['2h0m drained', '2h30m drained']);
});

test('a snooze is not longer than its length after the clock was set back', async () => {
  await using dispatch = new StoredDispatch(callingPush(), START);
  await dispatch.happens(DRAINED, 'firing');
  await dispatch.runUntil(START + MINUTE);
  await dispatch.ack('drained', 35 * MINUTE);
  await dispatch.runUntil(START + 12 * MINUTE);
  await dispatch.jump(-HOUR);
  const from = dispatch.now;
  await dispatch.runUntil(from + 34 * MINUTE);
  expect(told(dispatch, 'mail')).toHaveLength(1);
  await dispatch.runUntil(from + 36 * MINUTE);
  expect(told(dispatch, 'mail')).toHaveLength(2);
});

test('a step that a silence holds back leaves out who is not named any more, and calls who is named again', async () => {
  const calling = (channel: string): Setup => {
    const options: Routing['options'] = {
      ...NO_OPTIONS,
      repeatMs: 'off',
      escalate: [{ afterMs: MINUTE, notify: [channel] }],
    };
    const channels = { mail: PEOPLE, push: PEOPLE, phone: PEOPLE };
    return { channels, routing: () => ({ channels: ['mail'], options }) };
  };
  await using dispatch = new StoredDispatch(calling('push'), START);
  await dispatch.happens(DRAINED, 'firing');
  await dispatch.work();
  await dispatch.silence('coins', HOUR);
  await dispatch.runUntil(START + 30 * MINUTE);
  await dispatch.reload(calling('phone'));
  await dispatch.runUntil(START + 61 * MINUTE);
  expect(told(dispatch, 'push')).toEqual([]);
  expect(told(dispatch, 'phone')).toEqual(['1h0m drained']);
  await dispatch.reload(calling('push'));
  await dispatch.runUntil(START + 2 * HOUR);
  expect(told(dispatch, 'push')).toEqual(['1h1m drained']);
});

describe('a target that waits to be called in a silence, and that a reload names itself', () => {
  async function called(): Promise<StoredDispatch> {
    const dispatch = new StoredDispatch(callingPush(15), START);
    await dispatch.happens(DRAINED, 'firing');
    await dispatch.runUntil(START + MINUTE);
    await dispatch.silence('coins', HOUR);
    await dispatch.runUntil(START + 20 * MINUTE);
    return dispatch;
  }

  const named = (escalate: Routing['options']['escalate']): Setup => {
    const options = { ...NO_OPTIONS, repeatMs: 'off' as const, escalate };
    return { channels: { mail: PEOPLE, push: PEOPLE }, routing: () => ({ channels: ['mail', 'push'], options }) };
  };

  test.each([
    ['without the step', null],
    ['with a step for another', [{ afterMs: MINUTE, notify: ['mail'] }]],
  ])('is told when it ends: %s', async (_, escalate) => {
    await using dispatch = await called();
    await dispatch.reload(named(escalate));
    await dispatch.runUntil(START + 2 * HOUR);
    expect(told(dispatch, 'push')).toEqual(['1h1m drained']);
  });

  test('is told at once, as all who are named, where an acknowledgement made its call needless', async () => {
    await using dispatch = await called();
    await dispatch.ack('drained', 90 * MINUTE);
    await dispatch.runUntil(START + 80 * MINUTE);
    expect(told(dispatch, 'push')).toEqual([]);
    await dispatch.reload(named(null));
    await dispatch.runUntil(START + 3 * HOUR);
    expect(told(dispatch, 'push')).toEqual(['1h20m drained', '1h50m drained']);
  });
});

test('an acknowledgement that has ended is not in force again when the clock is set back', async () => {
  await using dispatch = new StoredDispatch(callingPush(15), START);
  await dispatch.happens(DRAINED, 'firing');
  await dispatch.runUntil(START + MINUTE);
  await dispatch.ack('drained');
  await dispatch.runUntil(START + 24 * HOUR + 5 * MINUTE);
  await dispatch.jump(-2 * HOUR);
  await dispatch.runUntil(START + 23 * HOUR);
  expect(told(dispatch, 'mail')).toEqual(['0h0m drained', '24h1m drained']);
  expect(told(dispatch, 'push')).toEqual(['22h20m drained']);
});

test('whoever a reload names hears of an event that is back, though it was acknowledged before it was retracted', async () => {
  const telling = (...channels: readonly string[]): Setup => {
    const options: Routing['options'] = { ...NO_OPTIONS, requireAck: true };
    return { channels: { mail: PEOPLE, chat: PEOPLE }, routing: () => ({ channels, options }) };
  };
  await using dispatch = new StoredDispatch(telling('mail'), START);
  await dispatch.happens(DRAINED, 'event');
  await dispatch.runUntil(START + MINUTE);
  await dispatch.ack('drained');
  await dispatch.happens(DRAINED, 'retracted');
  await dispatch.happens(DRAINED, 'reinstated');
  await dispatch.runUntil(START + HOUR);
  await dispatch.reload(telling('mail', 'chat'));
  await dispatch.runUntil(START + HOUR + MINUTE);
  expect(told(dispatch, 'chat')).toEqual(['1h0m drained']);
});

test('whoever a reload names while an event is snoozed hears of it when the snooze ends', async () => {
  const telling = (...channels: readonly string[]): Setup => {
    const escalate = [{ afterMs: 15 * MINUTE, notify: ['push'] }];
    const options: Routing['options'] = { ...NO_OPTIONS, escalate };
    return { channels: { mail: PEOPLE, chat: PEOPLE, push: PEOPLE }, routing: () => ({ channels, options }) };
  };
  await using dispatch = new StoredDispatch(telling('mail'), START);
  await dispatch.happens(DRAINED, 'event');
  await dispatch.runUntil(START + MINUTE);
  await dispatch.ack('drained', HOUR);
  await dispatch.reload(telling('mail', 'chat'));
  await dispatch.runUntil(START + HOUR);
  expect(told(dispatch, 'chat')).toEqual([]);
  await dispatch.runUntil(START + 2 * HOUR);
  expect(told(dispatch, 'chat')).toEqual(['1h1m drained']);
  expect(told(dispatch, 'push')).toEqual(['1h16m drained']);
  expect(told(dispatch, 'mail')).toEqual(['0h0m drained']);
});

test('the end of what was critical takes a share of critical messages, though its rule is a warning by now', async () => {
  const setup = { channels: { mail: { ...PEOPLE, cap: { burst: 3, perHour: 10 } } } };
  await using dispatch = new StoredDispatch(
    { ...setup, routing: () => ({ channels: ['mail'], options: { ...NO_OPTIONS, groupBy: ['alert'] } }) },
    START,
  );
  await dispatch.happens(DRAINED, 'firing');
  await dispatch.runUntil(START + MINUTE);
  await dispatch.happens({ ...DRAINED, labels: { ...DRAINED.labels, severity: 'warning' } }, 'resolved', 'critical');
  await dispatch.runUntil(START + 2 * MINUTE);
  for (const alert of ['low', 'lower', 'lowest'])
    await dispatch.happens({ key: alert, labels: { ...LOW.labels, alert } }, 'firing');
  await dispatch.runUntil(START + 3 * MINUTE);
  const warnings = ['0h2m low', '0h2m lower', '0h2m lowest'];
  expect(told(dispatch, 'mail').toSorted()).toEqual(['0h0m drained', '0h1m drained', ...warnings]);
});

test('a message that a reload takes back before it arrives takes no place under the cap', async () => {
  const capped = (channelOf: (watch: string | undefined) => string): Setup => ({
    channels: { mail: { ...PEOPLE, cap: { burst: 1, perHour: 30 } }, push: PEOPLE },
    routing: ({ watch }) => ({ channels: [channelOf(watch)], options: NO_OPTIONS }),
  });
  await using dispatch = new StoredDispatch(
    capped(() => 'mail'),
    START,
  );
  const of = (key: string): Alert => ({ key, labels: { ...LOW.labels, watch: key } });
  dispatch.wires.set('mail', 'again');
  await dispatch.happens(of('first'), 'event');
  await dispatch.runUntil(START + MINUTE);
  await dispatch.reload(capped((watch) => (watch === 'first' ? 'push' : 'mail')));
  dispatch.wires.clear();
  await dispatch.happens(of('second'), 'event');
  await dispatch.runUntil(START + 2 * MINUTE);
  await dispatch.happens(of('third'), 'event');
  await dispatch.runUntil(START + 3 * MINUTE);
  expect(told(dispatch, 'push')).toEqual(['0h1m first']);
  expect(told(dispatch, 'mail')).toEqual(['0h0m first', '0h1m second']);
});

test('news of a group go out together, also if its rules have different intervals', async () => {
  const options = (watch: string | undefined): Routing['options'] => ({
    ...NO_OPTIONS,
    repeatMs: 'off',
    groupBy: [],
    groupIntervalMs: watch === 'coins' ? HOUR : MINUTE,
  });
  const setup: Setup = {
    channels: { mail: PEOPLE },
    routing: ({ watch }) => ({ channels: ['mail'], options: options(watch) }),
  };
  await using dispatch = new StoredDispatch(setup, START);
  await dispatch.happens(LOW, 'firing');
  await dispatch.runUntil(START + MINUTE);
  await dispatch.happens(LOW, 'resolved');
  await dispatch.runUntil(START + 58 * MINUTE);
  await dispatch.happens({ key: 'head', labels: { ...LOW.labels, watch: 'head' } }, 'event');
  await dispatch.runUntil(START + 5 * HOUR);
  expect(told(dispatch, 'mail')).toEqual(['0h0m low', '0h58m low, head']);
});
