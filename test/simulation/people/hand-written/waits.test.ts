import { describe, expect, it } from '@jest/globals';
import type { CommittedTransition, PeopleLog, Try, TryMember } from '../log.ts';
import {
  begin,
  config,
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

describe('the oracle for people, of what waits or was never kept,', () => {
  it('passes what waits in a message behind another that waits for its own next try', () => {
    const event = (key: string, at: number): CommittedTransition => transition({ at, key, type: 'event' });
    const about = (key: string, seq = 1): TryMember => member({ key, seq, type: seq === 1 ? 'event' : 'corrected' });
    const change = transition({ at: HOUR + 20 * SECOND, key: 'b', seq: 2, type: 'corrected' });
    const transitions = [event('a', HOUR), event('b', HOUR + 10 * SECOND), change, event('c', HOUR + 20 * SECOND)];
    const busy = { outcome: { type: 'refused', why: 'busy', retryAfterMs: HOUR } } as const;
    const last = HOUR + 50 * MINUTE;
    const told = (first: Partial<Try>): Try[] => [
      sent(HOUR, 'ops', [about('a')], { id: 'one', ...first }),
      sent(last, 'ops', [about('a')], { id: 'one', attempt: 2 }),
      sent(last, 'ops', [about('a', 2), about('b')], { id: 'two', closedClock: HOUR + 10 * SECOND }),
      sent(last, 'ops', [about('b', 2), about('c')], { id: 'three', closedClock: HOUR + 20 * SECOND }),
    ];
    const all = [...transitions, transition({ at: HOUR + 10 * SECOND, key: 'a', seq: 2, type: 'corrected' })];
    const configs = [{ from: 0, config: config('first', [route({ notify: ['ops'], groupIntervalMs: 0 })]) }];
    expect(found({ configs, transitions: all, tries: told(busy) })).toEqual([]);
    const soon = { outcome: { type: 'refused', why: 'busy', retryAfterMs: MINUTE } } as const;
    expect(found({ configs, transitions: all, tries: told(soon) })).toContain('unsent event');
  });

  it('finds that what is critical is not told from memory, and passes other news that no poll decided again', () => {
    const unkept = transition({ at: HOUR, type: 'event', severity: 'critical' });
    expect(found({ transitions: [{ ...unkept, at: null, fromMemoryAt: HOUR }] })).toEqual(['unsent event']);
    const warning = transition({ at: HOUR, type: 'event' });
    expect(found({ transitions: [{ ...warning, at: null, fromMemoryAt: HOUR }] })).toEqual([]);
  });

  it('passes an event that an inhibition drops, though a silence holds it too', () => {
    const big = { ...rule('critical'), watch: 'big', labels: { watch: 'big', alert: 'low', severity: 'critical' } };
    const version = config(
      'first',
      [route({ match: { watch: 'coin' }, notify: ['ops'] })],
      [rule('warning', 'event'), big],
    );
    const inhibiting = (events: 'drop' | 'summary'): PeopleLog['configs'] => [
      {
        from: 0,
        config: { ...version, inhibit: [{ when: { watch: 'big' }, mute: { watch: 'coin' }, equal: [], events }] },
      },
    ];
    const labels = { watch: 'big', alert: 'low' };
    const source = [
      transition({ at: HOUR - MINUTE, watch: 'big', key: 'big', labels }),
      transition({ at: HOUR + MINUTE, watch: 'big', key: 'big', labels, seq: 2, type: 'resolved' }),
    ];
    const polls = [{ at: HOUR - MINUTE, watch: 'big', isComplete: true }];
    const actions = [silence(HOUR - 2 * MINUTE, HOUR + 10 * MINUTE)];
    const told = { actions, polls, transitions: [...source, transition({ at: HOUR, type: 'event' })] };
    expect(found({ ...told, configs: inhibiting('drop') })).toEqual([]);
    expect(found({ ...told, configs: inhibiting('summary') })).toEqual(['unsent event']);
  });

  it('passes a step that is due at the moment of the end', () => {
    const escalate = [{ afterMs: HOUR, notify: ['team'] }];
    const configs = [{ from: 0, config: config('first', [route({ notify: ['ops'], escalate })]) }];
    const told = [begin(HOUR), begin(2 * HOUR, 'team'), end(2 * HOUR), end(2 * HOUR, 'team')];
    const apart = told.map((one, n) => ({ ...one, id: `m${n}` }));
    expect(found({ configs, transitions: [fires, ends], tries: apart })).toEqual([]);
  });
});
