// A day of one mail address, told in the order in which it happened.
import { expect, test } from '@jest/globals';
import { InMemoryDispatch, NO_OPTIONS, PEOPLE, type Alert, type Sent } from './in-memory.ts';

const at = (time: string): number => Date.parse(`2026-01-01T${time}Z`);
const coin = (key: string): Alert => ({
  key,
  labels: { watch: 'coins', alert: 'low', severity: 'warning', explorer: 'ethereum', of: key },
});
const TREASURY = coin('treasury');
const HOT_WALLET = coin('hot_wallet');

test('a day of the watch coins: twelve things happen, and six mails go out', () => {
  const day = new InMemoryDispatch(
    { channels: { mail: PEOPLE }, routing: () => ({ channels: ['mail'], options: NO_OPTIONS }) },
    at('12:00:00'),
  );
  day.poll('coins');

  day.happens(TREASURY, 'firing');
  const accepted = (): void => {
    day.now += 1000;
    day.send();
  };
  day.decide();
  accepted();
  expect(mails(day)).toEqual(['12:00:00 news treasury/1']);

  day.runUntil(at('16:00:00'));
  expect(mails(day)).toHaveLength(1);
  day.now = at('16:00:01');
  day.decide();
  accepted();
  expect(mails(day).at(-1)).toBe('16:00:01 repeat treasury/1');

  day.runUntil(at('16:05:00'));
  day.acks.push({
    key: 'treasury',
    episode: 1,
    seq: 1,
    severity: 'critical',
    actor: 'ada',
    comment: null,
    at: 0,
    until: at('16:05:00') + 86_400_000,
  });

  day.runUntil(at('16:10:00'));
  day.happens(HOT_WALLET, 'firing');
  day.decide();
  day.wire = () => 'again';
  day.send();
  day.now = at('16:10:20');
  day.restart();
  day.poll('coins');
  day.wire = () => 'sent';
  day.now = at('16:10:20');
  day.decide();
  accepted();
  expect(mails(day).at(-1)).toBe('16:10:00 news hot_wallet/1');
  expect(day.messages.at(-1)?.attempt).toBe(2);

  day.runUntil(at('16:10:40'));
  day.happens(TREASURY, 'resolved');
  day.runUntil(at('16:10:59'));
  expect(mails(day)).toHaveLength(3);
  day.runUntil(at('16:11:00'));
  expect(mails(day).at(-1)).toBe('16:11:00 news treasury/2');

  day.runUntil(at('20:00:00'));
  day.silences.push({
    id: 'maintenance',
    kind: 'silence',
    matchers: { watch: 'coins' },
    untilResolved: false,
    version: 1,
    from: at('20:00:00'),
    until: at('21:00:00'),
    actor: 'ada',
    comment: 'maintenance',
  });
  day.runUntil(at('20:20:00'));
  expect(day.verdicts.get('mail hot_wallet')).toMatchObject({
    type: 'hold',
    why: { why: 'silenced', by: 'maintenance' },
  });
  day.happens(TREASURY, 'firing');
  day.runUntil(at('20:40:00'));
  day.happens(TREASURY, 'resolved');
  day.runUntil(at('20:59:59'));
  expect(mails(day)).toHaveLength(4);

  day.runUntil(at('21:00:00'));
  expect(mails(day).slice(4)).toEqual(['21:00:00 repeat hot_wallet/1', '21:00:00 silence_summary treasury/4']);
  expect(day.messages.at(-2)?.members[0]?.heldAt).toBe(at('20:10:21'));
  expect(day.messages.at(-1)?.members[0]?.as).toBe('fired-and-resolved');

  day.runUntil(at('23:59:59'));
  expect(mails(day)).toHaveLength(6);
});

function mails({ messages }: InMemoryDispatch): string[] {
  return messages.map(show);
}

function show({ createdAt, kind, members }: Sent): string {
  const time = new Date(createdAt).toISOString().slice(11, 19);
  return `${time} ${kind} ${members.map(({ key, seq }) => `${key}/${seq}`).join(' ')}`;
}
