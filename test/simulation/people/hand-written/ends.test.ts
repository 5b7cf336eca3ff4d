import { describe, expect, it } from '@jest/globals';
import type { CommittedTransition, PeopleLog, Try } from '../log.ts';
import {
  begin,
  channel,
  config,
  DAY,
  end,
  ends,
  fires,
  found,
  HOUR,
  member,
  MINUTE,
  route,
  rule,
  SECOND,
  sent,
  silence,
  transition,
} from './logs.ts';

describe('the oracle for people, of what is over,', () => {
  it('finds an end that is not sent, and passes it where the receiver refuses', () => {
    const refused = { outcome: { type: 'refused', why: 'busy', retryAfterMs: 3_600_000 } } as const;
    expect(found({ transitions: [fires, ends], tries: [begin(HOUR)] })).toEqual(['end-unsent end']);
    const tries = [begin(HOUR), { ...end(2 * HOUR), ...refused, knownAt: 2 * HOUR }];
    expect(found({ transitions: [fires, ends], tries })).toEqual([]);
  });

  it('lets an end wait with its group since it ended, as a begin waits since it began', () => {
    const to = route({ notify: ['ops'], groupWaitMs: 10 * MINUTE });
    const configs = [{ from: 0, config: config('first', [to], [rule('warning')]) }];
    const told = (at: number): string[] =>
      found({ configs, transitions: [fires, ends], tries: [begin(HOUR + 10 * MINUTE), end(at)] });
    expect(told(2 * HOUR + 10 * MINUTE)).toEqual([]);
    expect(told(2 * HOUR + 20 * MINUTE)).toEqual(['end-unsent end']);
  });

  it('passes what was taken out of a message, since it was over, before a receiver took the rest', () => {
    const refused = { outcome: { type: 'refused', why: 'busy', retryAfterMs: null }, id: 'both' } as const;
    const others = [member({ key: 'other' })];
    const tries = (rest: Try['members']): Try[] => [
      sent(HOUR, 'ops', [member({}), ...others], refused),
      sent(HOUR + 5 * SECOND, 'ops', rest, { id: 'both', attempt: 2 }),
      sent(2 * HOUR, 'ops', [member({ key: 'other', seq: 2, type: 'resolved' })]),
    ];
    const over = transition({ at: HOUR + 3 * SECOND, seq: 2, type: 'resolved' });
    const other = [transition({ at: HOUR, key: 'other' }), { ...ends, key: 'other' }];
    const transitions = [fires, over, ...other];
    expect(found({ transitions, tries: tries([member({}), ...others]) })).toContain('end-unsent end');
    expect(found({ transitions, tries: tries(others) })).not.toContain('end-unsent end');
  });

  it('finds a correction that is not sent, and passes it where the channel was gone meanwhile', () => {
    const event = transition({ at: HOUR, type: 'event' });
    const corrected = transition({ at: HOUR + 2 * MINUTE, seq: 2, type: 'corrected' });
    const told = [sent(HOUR, 'ops', [member({ type: 'event' })])];
    const events = config('first', [route({ notify: ['ops'] })], [rule('warning', 'event')]);
    const without = { ...events, id: 'without', channels: [channel('team', 'people')] };
    const silenced = [silence(HOUR + MINUTE, HOUR + 20 * MINUTE)];
    const gone = (ms: number) => [
      { from: 0, config: events },
      { from: HOUR + 10 * MINUTE, config: without },
      { from: HOUR + 10 * MINUTE + ms, config: events },
    ];
    const given = { transitions: [event, corrected], tries: told, actions: silenced };
    expect(found({ ...given, configs: gone(20 * SECOND) })).toContain('unsent change');
    expect(found({ ...given, configs: gone(5 * MINUTE) })).not.toContain('unsent change');
  });

  it('finds an end to who was never sent the begin', () => {
    const tries = [begin(HOUR), end(2 * HOUR), end(2 * HOUR, 'team')];
    expect(found({ transitions: [fires, ends], tries })).toEqual(['invented end-without-begin']);
    const refused = { ...begin(HOUR), outcome: { type: 'refused', why: 'busy', retryAfterMs: null } } as const;
    const transitions = [fires, { ...ends, at: HOUR + MINUTE }];
    expect(found({ transitions, tries: [refused, end(HOUR + MINUTE)] })).toEqual(['invented end-without-begin']);
    const one = member({ seq: 2, type: 'resolved', as: 'fired-and-resolved' });
    expect(found({ transitions, tries: [refused, sent(HOUR + MINUTE, 'ops', [one])] })).toEqual([]);
  });

  it('passes an end that is sent at the moment of its begin', () => {
    const late = [begin(2 * HOUR), { ...end(2 * HOUR), id: 'end' }];
    expect(found({ transitions: [fires, ends], tries: late })).toEqual(['unsent begin']);
  });

  it('passes what was over in a silence in the next slot, where its summary has gone out', () => {
    const actions = [silence(HOUR - MINUTE, HOUR + 2 * MINUTE)];
    const over = (key: string, at: number): CommittedTransition[] => [
      transition({ at: HOUR, key }),
      transition({ at, key, seq: 2, type: 'resolved' }),
    ];
    const counted = (key: string, at: number): Try =>
      sent(at, 'ops', [member({ key, seq: 2, type: 'resolved', as: 'fired-and-resolved' })], {
        kind: 'silence_summary',
      });
    const transitions = [...over('k', HOUR + MINUTE), ...over('other', HOUR + 3 * MINUTE)];
    const first = counted('k', HOUR + 2 * MINUTE);
    expect(found({ actions, transitions, tries: [first, counted('other', HOUR + 10 * MINUTE)] })).toEqual([]);
    expect(found({ actions, transitions, tries: [first, counted('other', HOUR + 15 * MINUTE)] })).toEqual([
      'unsent short',
    ]);
  });

  it('finds a correction that is not sent, and passes it where nobody was told of what it corrects', () => {
    const transitions = [
      transition({ at: HOUR, type: 'event' }),
      transition({ at: HOUR + 30 * MINUTE, type: 'corrected', seq: 2 }),
    ];
    const told = sent(HOUR, 'ops', [member({ type: 'event' })]);
    const corrected = sent(HOUR + 30 * MINUTE, 'ops', [member({ type: 'corrected', seq: 2 })]);
    expect(found({ transitions, tries: [told] })).toEqual(['unsent change']);
    expect(found({ transitions, tries: [told, corrected] })).toEqual([]);
    expect(found({ transitions })).toEqual(['unsent event']);
  });

  it('finds that a retraction is not sent', () => {
    const transitions = [
      transition({ at: HOUR, type: 'event' }),
      transition({ at: HOUR + 30 * MINUTE, type: 'retracted', seq: 2 }),
    ];
    const told = sent(HOUR, 'ops', [member({ type: 'event' })]);
    const retracted = sent(HOUR + 30 * MINUTE, 'ops', [member({ type: 'retracted', seq: 2 })]);
    expect(found({ transitions, tries: [told] })).toEqual(['end-unsent end']);
    expect(found({ transitions, tries: [told, retracted] })).toEqual([]);
  });

  it('finds that what was over in a mute window is told to nobody', () => {
    const mute = [{ days: [], from: 60, to: 75 }];
    const configs = [{ from: 0, config: config('first', [route({ notify: ['ops'], mute })]) }];
    const transitions = [fires, transition({ at: HOUR + 5 * MINUTE, seq: 2, type: 'resolved' })];
    const short = sent(HOUR + 15 * MINUTE, 'ops', [member({ seq: 2, type: 'resolved', as: 'fired-and-resolved' })]);
    expect(found({ configs, transitions })).toEqual(['unsent short']);
    expect(found({ configs, transitions, tries: [short] })).toEqual([]);
    // It fires once more, untold in its cooldown, before the next message.
    const again = transition({ at: HOUR + 10 * MINUTE, seq: 5 });
    const news = sent(HOUR + 15 * MINUTE, 'ops', [member({ seq: 5 })]);
    expect(found({ configs, transitions: [...transitions, again], tries: [news] })).toEqual([]);
  });

  it('passes that what was over in a mute window is told to nobody, where its channel left in that window', () => {
    const mute = [{ days: [], from: 60, to: 75 }];
    const muted = [route({ notify: ['ops'], mute })];
    const transitions = [fires, transition({ at: HOUR + 5 * MINUTE, seq: 2, type: 'resolved' })];
    const goneFor = (ms: number): PeopleLog['configs'] => [
      { from: 0, config: config('first', muted) },
      { from: HOUR + 8 * MINUTE, config: { ...config('second', [route({ notify: [] })]), channels: [] } },
      { from: HOUR + 8 * MINUTE + ms, config: config('third', muted) },
    ];
    expect(found({ configs: goneFor(40 * SECOND), transitions })).toEqual([]);
    expect(found({ configs: goneFor(20 * SECOND), transitions })).toEqual(['unsent short']);
  });

  it('finds an end that its recipient is not sent when it returns, and passes it after thirty days', () => {
    const goneFor = (ms: number) => ({
      span: { from: 0, to: 3 * HOUR + ms },
      configs: [
        { from: 0, config: config('first', [route({ notify: ['ops'] })]) },
        { from: HOUR + MINUTE, config: { ...config('second', [route({ notify: [] })]), channels: [] } },
        { from: 2 * HOUR + ms, config: config('third', [route({ notify: ['ops'] })]) },
      ],
    });
    const log = { transitions: [fires, ends], tries: [begin(HOUR)] };
    expect(found({ ...log, ...goneFor(29 * DAY) })).toEqual(['end-unsent end']);
    expect(found({ ...log, ...goneFor(31 * DAY) })).toEqual([]);
  });

  it('passes the end of a begin of which nobody knows whether it came', () => {
    const unknown = { ...begin(HOUR), outcome: { type: 'unknown', took: true } as const };
    expect(found({ transitions: [fires, ends], tries: [unknown, end(2 * HOUR)] })).toEqual([]);
  });
});
