import { describe, expect, it } from '@jest/globals';
import type { Try } from '../log.ts';
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
  TO_OPS,
  transition,
} from './logs.ts';

describe('the oracle for people, of what has begun,', () => {
  it('passes what is told in time', () => {
    expect(found({ transitions: [fires, ends], tries: [begin(HOUR), end(2 * HOUR)] })).toEqual([]);
  });

  it('finds a begin that is not sent', () => {
    expect(found({ transitions: [fires] })).toEqual(['unsent begin']);
  });

  it('finds one that comes late, and passes it where the process was down', () => {
    const tries = [begin(HOUR + 10 * MINUTE)];
    const lives = [
      { from: 0, to: HOUR + SECOND, end: 'killed' as const },
      { from: HOUR + 9 * MINUTE, to: 3 * HOUR, end: 'stopped' as const },
    ];
    expect(found({ transitions: [fires], tries })).toEqual(['unsent begin']);
    expect(found({ transitions: [fires], tries, lives })).toEqual([]);
  });

  it('passes an event that one try told to whom the reload of that moment leaves out', () => {
    const configs = [
      { from: 0, config: TO_OPS },
      { from: HOUR + 10 * MINUTE, config: config('later', [route({ notify: ['team'] })]) },
    ];
    const event = transition({ at: HOUR, type: 'event' });
    const outcome = { type: 'refused', why: 'busy', retryAfterMs: HOUR } as const;
    const refused = sent(HOUR, 'ops', [member({ type: 'event' })], { id: 'told', outcome });
    const taken = (at: number): Try => sent(at, 'ops', [member({ type: 'event' })], { id: 'told', attempt: 2 });
    const given = { configs, transitions: [event] };
    expect(found({ ...given, tries: [refused, taken(HOUR + 10 * MINUTE)] })).toEqual([]);
    expect(found({ ...given, tries: [refused, taken(HOUR + 10 * MINUTE + 1)] })).toContain('unsent reload');
  });

  it('finds that a target which a reload names is not told of what is open', () => {
    const configs = [
      { from: 0, config: TO_OPS },
      { from: HOUR + 30 * MINUTE, config: config('second', [route({ notify: ['team'] })]) },
    ];
    const told = [begin(HOUR), end(2 * HOUR)];
    expect(found({ configs, transitions: [fires, ends], tries: told })).toEqual(['unsent reload']);
    const all = [...told, begin(HOUR + 30 * MINUTE, 'team'), end(2 * HOUR, 'team')];
    expect(found({ configs, transitions: [fires, ends], tries: all })).toEqual([]);
  });

  it('passes a next try that comes later since the clock was set back', () => {
    const busy = { type: 'refused', why: 'busy', retryAfterMs: null } as const;
    const tries = Array.from({ length: 7 }, (_, n) => ({
      ...begin(HOUR + n * MINUTE),
      id: 'one',
      attempt: n + 1,
      outcome: busy,
    }));
    const last = { ...begin(HOUR + 95 * MINUTE), id: 'one', attempt: 8 };
    const told = { transitions: [fires], tries: [...tries, last] };
    expect(found(told)).toEqual(['unsent begin']);
    expect(found({ ...told, jumps: [{ at: HOUR + 30 * MINUTE, ms: -20 * MINUTE }] })).toEqual([]);
  });

  it('finds a raised severity that nobody hears of', () => {
    const routes = [route({ notify: ['ops'] })];
    const configs = [
      { from: 0, config: config('first', routes) },
      { from: HOUR + 30 * MINUTE, config: config('second', routes, [rule('critical')]) },
    ];
    const transitions = [fires, ends];
    expect(found({ configs, transitions, tries: [begin(HOUR), end(2 * HOUR)] })).toEqual(['unsent raised']);
  });

  it('finds an event that is not sent, and one that comes late', () => {
    const happens = transition({ at: HOUR, type: 'event' });
    const told = (at: number): Try => sent(at, 'ops', [member({ type: 'event' })]);
    expect(found({ transitions: [happens] })).toEqual(['unsent event']);
    expect(found({ transitions: [happens], tries: [told(HOUR + 10 * MINUTE)] })).toEqual(['unsent event']);
    expect(found({ transitions: [happens], tries: [told(HOUR + MINUTE)] })).toEqual([]);
  });

  it('passes a raised severity that all who are named hear of', () => {
    const routes = [route({ notify: ['ops'] })];
    const at = HOUR + 30 * MINUTE;
    const configs = [
      { from: 0, config: config('first', routes) },
      { from: at, config: config('second', routes, [rule('critical')]) },
    ];
    const raised = transition({ at, seq: 2, severity: 'critical', reason: 'severity-raised' });
    const transitions = [fires, raised, { ...ends, seq: 3 }];
    const heard = sent(at, 'ops', [member({ seq: 2, severity: 'critical', reason: 'severity-raised' })]);
    const over = sent(2 * HOUR, 'ops', [member({ seq: 3, type: 'resolved', severity: 'critical' })]);
    expect(found({ configs, transitions, tries: [begin(HOUR), heard, over] })).toEqual([]);
    expect(found({ configs, transitions, tries: [begin(HOUR), over] })).toEqual(['unsent raised']);
  });

  it('passes a begin that waits while the store takes nothing', () => {
    const span = { from: 0, to: HOUR + 12 * MINUTE };
    const late = { span, transitions: [fires], tries: [begin(HOUR + 10 * MINUTE + 30 * SECOND)] };
    expect(found(late)).toEqual(['unsent begin']);
    expect(found({ ...late, refusals: [{ from: HOUR - MINUTE, to: HOUR + 10 * MINUTE }] })).toEqual([]);
  });

  it('owes nobody an event once a program that was named in a silence was left out', () => {
    const events = [rule('warning', 'event')];
    const to = (name: string, given: Parameters<typeof route>[0] = {}) =>
      config(name, [route({ notify: [name], ...given })], events);
    const configs = [
      { from: 0, config: to('ops', { groupWaitMs: HOUR }) },
      { from: HOUR + 5 * MINUTE, config: to('hook') },
      { from: HOUR + 40 * MINUTE, config: to('team') },
    ];
    const transitions = [transition({ at: HOUR, type: 'event' })];
    const until = (minute: number) => ({ actions: [silence(HOUR + MINUTE, HOUR + minute * MINUTE)] });
    expect(found({ configs, transitions, ...until(20) })).toEqual([]);
    expect(found({ configs, transitions, ...until(50) })).toEqual(['unsent reload']);
  });
});
