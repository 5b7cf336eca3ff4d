import { describe, expect, it } from '@jest/globals';
import type { CommittedTransition, ConfigVersion, PeopleLog, Try, TryMember } from '../log.ts';
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
  it('passes what waits with others that wait, and finds what could have gone without them', () => {
    const event = (key: string, at: number): CommittedTransition => transition({ at, key, type: 'event' });
    const corrected = (key: string): CommittedTransition =>
      transition({ at: HOUR + 10 * SECOND, key, seq: 2, type: 'corrected' });
    const about = (key: string, seq = 1): TryMember => member({ key, seq, type: seq === 1 ? 'event' : 'corrected' });
    const last = HOUR + 50 * MINUTE;
    const twice = (key: string, retryAfterMs: number): Try[] => [
      sent(HOUR, 'ops', [about(key)], { id: key, outcome: { type: 'refused', why: 'busy', retryAfterMs } }),
      sent(last, 'ops', [about(key)], { id: key, attempt: 2 }),
    ];
    const then = (members: readonly TryMember[]): Try =>
      sent(last, 'ops', members, { id: 'then', closedClock: HOUR + 10 * SECOND });
    const configs = [{ from: 0, config: config('first', [route({ notify: ['ops'], groupIntervalMs: 0 })]) }];
    const happened = [event('a', HOUR), event('b', HOUR), corrected('a')];
    const both = [about('a', 2), about('b', 2)];
    const all = { configs, transitions: [...happened, corrected('b')] };
    expect(found({ ...all, tries: [...twice('a', HOUR), ...twice('b', HOUR), then(both)] })).toEqual([]);
    expect(found({ ...all, tries: [...twice('a', MINUTE), ...twice('b', HOUR), then(both)] })).toContain(
      'unsent event',
    );
    const alone = { configs, transitions: [event('a', HOUR), corrected('a'), event('b', HOUR + 10 * SECOND)] };
    const together = [about('a', 2), about('b')];
    expect(found({ ...alone, tries: [...twice('a', HOUR), then(together)] })).toEqual(['unsent event']);
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

  it('passes that a program which a reload names hears nothing of an event, if it is inhibited then and muted for longer', () => {
    const big = { ...rule('critical'), watch: 'big', labels: { watch: 'big', alert: 'low', severity: 'critical' } };
    const coin = { match: { watch: 'coin' }, requireAck: true };
    const version = (id: string, notify: string[], isMuted: boolean): ConfigVersion =>
      config(
        id,
        [route({ ...coin, notify, mute: isMuted ? [{ days: [], from: 70, to: 120 }] : [] })],
        [rule('warning', 'event'), big],
      );
    const inhibit = [{ when: { watch: 'big' }, mute: { watch: 'coin' }, equal: [], events: 'summary' as const }];
    const labels = { watch: 'big', alert: 'low' };
    const given = {
      polls: [{ at: HOUR + 10 * MINUTE, watch: 'big', isComplete: true }],
      transitions: [
        transition({ at: HOUR, type: 'event' }),
        transition({ at: HOUR + 10 * MINUTE, watch: 'big', key: 'big', labels }),
        transition({ at: HOUR + 30 * MINUTE, watch: 'big', key: 'big', labels, seq: 2, type: 'resolved' }),
      ],
      tries: [sent(HOUR, 'ops', [member({ type: 'event' })])],
    };
    const renamed = (rules: Partial<ConfigVersion>): PeopleLog['configs'] => [
      { from: 0, config: { ...version('first', ['ops'], false), ...rules } },
      { from: HOUR + 20 * MINUTE, config: { ...version('second', ['ops', 'hook'], true), ...rules } },
    ];
    expect(found({ ...given, configs: renamed({ inhibit }) })).toEqual([]);
    expect(found({ ...given, configs: renamed({}) })).toEqual(['unsent reload']);
  });

  it('passes a step that is due at the moment of the end', () => {
    const escalate = [{ afterMs: HOUR, notify: ['team'] }];
    const configs = [{ from: 0, config: config('first', [route({ notify: ['ops'], escalate })]) }];
    const told = [begin(HOUR), begin(2 * HOUR, 'team'), end(2 * HOUR), end(2 * HOUR, 'team')];
    const apart = told.map((one, n) => ({ ...one, id: `m${n}` }));
    expect(found({ configs, transitions: [fires, ends], tries: apart })).toEqual([]);
  });
});
