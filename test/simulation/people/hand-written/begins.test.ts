import { describe, expect, it } from '@jest/globals';
import { HOUR, MINUTE, SECOND, TO_OPS, begin, config, end, ends, fires, found, route, rule } from './logs.ts';

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
});
