import { describe, expect, it } from '@jest/globals';
import type { Try, TryMember } from '../log.ts';
import { HOUR, MINUTE, begin, config, fires, found, member, repeat, route, rule, sent, transition } from './logs.ts';

describe('the oracle for people, of what waits behind another message,', () => {
  it('passes what follows a message about its alert that is itself late', () => {
    const over = transition({ at: HOUR + MINUTE, seq: 2, type: 'resolved' });
    const again = transition({ at: HOUR + 2 * MINUTE, episode: 2, seq: 3 });
    const first = { ...begin(HOUR + 20 * MINUTE), closedClock: HOUR };
    const then = (at: number): Try =>
      sent(at, 'ops', [member({ episode: 2, seq: 3 })], { id: 'then', closedClock: HOUR + 2 * MINUTE });
    const ended = sent(HOUR + 20 * MINUTE, 'ops', [member({ seq: 2, type: 'resolved' })], { id: 'end' });
    const transitions = [fires, over, again];
    expect(found({ transitions, tries: [first, ended, then(HOUR + 20 * MINUTE)] })).toEqual(['stale begin']);
    expect(found({ transitions, tries: [first, ended, then(HOUR + 30 * MINUTE)] })).toContain('unsent begin');
  });

  describe('where its receiver does not take the end of the episode before,', () => {
    const [endAt, againAt] = [HOUR + 10 * MINUTE, HOUR + 20 * MINUTE];
    const over = transition({ at: endAt, seq: 2, type: 'resolved' });
    const again = transition({ at: againAt, episode: 2, seq: 3 });
    const foundWith = (outcome: Try['outcome'], minutes: readonly number[]): string[] => {
      const ends = minutes.map((minute, n) =>
        sent(endAt + minute * MINUTE, 'ops', [member({ seq: 2, type: 'resolved' })], {
          id: 'end',
          attempt: n + 1,
          closedClock: endAt,
          ...(n < minutes.length - 1 && { outcome }),
        }),
      );
      const last = ends.at(-1)?.begunAt ?? 0;
      const begun = sent(last, 'ops', [member({ episode: 2, seq: 3 })], { id: 'then', closedClock: againAt });
      const span = { from: 0, to: HOUR + 100 * MINUTE };
      const tries = [begin(HOUR), ...ends, begun];
      return found({ span, transitions: [fires, over, again], tries });
    };

    it('passes that the next begin waits for five minutes, and finds that it waits for longer', () => {
      const body = { type: 'refused', why: 'body', retryAfterMs: null } as const;
      expect(foundWith(body, [0, 5, 16])).toEqual([]);
      expect(foundWith(body, [0, 5, 27])).toEqual(['unsent begin']);
    });

    it('passes that it waits for longer while the receiver fails, and where that named a time', () => {
      const busy = { type: 'refused', why: 'busy', retryAfterMs: null } as const;
      expect(foundWith(busy, [0, 0.1, 0.6, 2.6, 7.6, 21])).toEqual([]);
      expect(foundWith({ ...busy, retryAfterMs: 30 * MINUTE }, [0, 30])).toEqual([]);
    });
  });

  it('passes that a new process knows of a failing receiver only by what still waits', () => {
    const busy = { outcome: { type: 'refused', why: 'busy', retryAfterMs: null } } as const;
    const body = { outcome: { type: 'refused', why: 'body', retryAfterMs: null } } as const;
    const endAt = HOUR + 10 * MINUTE;
    const over = transition({ at: endAt, seq: 2, type: 'resolved' });
    const other = transition({ at: HOUR + 30 * MINUTE, key: 'other' });
    const outcomes = [busy, busy, busy, busy, body, busy, {}];
    const ends = [0, 0.1, 0.6, 2.6, 7.6, 13, 42].map((minute, n) =>
      sent(endAt + minute * MINUTE, 'ops', [member({ seq: 2, type: 'resolved' })], {
        id: 'end',
        attempt: n + 1,
        closedClock: endAt,
        ...outcomes[n],
      }),
    );
    const told = sent(HOUR + 30 * MINUTE, 'ops', [member({ key: 'other' })], { id: 'other' });
    const tries = [begin(HOUR), ...ends, told].toSorted((a, b) => a.begunAt - b.begunAt);
    const span = { from: 0, to: HOUR + 90 * MINUTE };
    const given = { span, transitions: [fires, over, other], tries };
    expect(found(given)).toEqual(['end-unsent end']);
    const restarted = HOUR + 20 * MINUTE;
    const lives = [
      { from: 0, to: restarted, end: 'stopped' as const },
      { from: restarted + 1, to: span.to, end: 'stopped' as const },
    ];
    expect(found({ ...given, lives })).toEqual([]);
  });

  it('passes news of a group that was told something else while it waited', () => {
    const options = { groupWaitMs: 30_000, groupIntervalMs: 5 * MINUTE, repeatMs: 10 * MINUTE };
    const configs = [{ from: 0, config: config('first', [route({ notify: ['ops'], ...options })]) }];
    const span = { from: 0, to: HOUR + 16 * MINUTE };
    const transitions = [fires, transition({ at: HOUR + 10 * MINUTE, key: 'other' })];
    const again = { ...repeat(HOUR + 10 * MINUTE + 1000), id: 'again' };
    const told = [{ ...begin(HOUR + 30_000), closedClock: HOUR + 30_000 }];
    const other = (at: number): Try => sent(at, 'ops', [member({ key: 'other' })], { id: 'other' });
    const late = other(HOUR + 15 * MINUTE + 1000);
    expect(found({ span, configs, transitions, tries: [...told, again, late] })).toEqual([]);
    expect(found({ span, configs, transitions, tries: [...told, late] })).toContain('unsent begin');
  });

  it('counts the timer of a group from a summary that an alert of it left before the first try', () => {
    const high = { ...rule('warning', 'event'), alert: 'high', labels: { watch: 'coin', alert: 'high' } };
    const options = { groupBy: ['alert'], groupIntervalMs: HOUR };
    const first = config('first', [route({ notify: ['ops'], ...options })], [rule('warning'), high]);
    const channels = first.channels.map((to) => ({ ...to, cap: { burst: 1, perHour: 30 } }));
    const event = { alert: 'high', type: 'event' } as const;
    const [slow, counted] = [member({ ...event, key: 'slow' }), member({ ...event, key: 'counted' })];
    const ended = { seq: 2, type: 'resolved' } as const;
    const free = HOUR + 30 * MINUTE;
    const told = (at: number, closedMembers: Try['closedMembers']): string[] =>
      found({
        span: { from: 0, to: at + MINUTE },
        configs: [{ from: 0, config: { ...first, channels } }],
        transitions: [
          transition({ ...event, at: HOUR - MINUTE, key: 'slow' }),
          transition({ ...event, at: HOUR, key: 'counted' }),
          fires,
          transition({ ...ended, at: HOUR + 20 * MINUTE }),
        ],
        tries: [
          sent(HOUR - MINUTE, 'ops', [slow], { endedAt: free, knownAt: free }),
          sent(free, 'ops', [counted], {
            kind: 'overflow_summary',
            closedClock: HOUR + 10 * MINUTE,
            closedMembers: [{ key: 'counted', seq: 1 }, ...closedMembers],
          }),
          sent(at, 'ops', [member({ ...ended, as: 'fired-and-resolved' })]),
        ],
      });
    const left = [{ key: 'k', seq: 1 }];
    expect(told(2 * HOUR + 10 * MINUTE, left)).toEqual([]);
    expect(told(2 * HOUR + 30 * MINUTE, left)).toEqual(['unsent short']);
    expect(told(2 * HOUR + 10 * MINUTE, [])).toEqual(['unsent short']);
  });

  it('passes a repeat that goes on without what was over meanwhile', () => {
    const [k, other] = [member({ as: 'repeat' }), member({ key: 'other', as: 'repeat' })];
    const transitions = [
      fires,
      transition({ at: HOUR, key: 'other' }),
      transition({ at: HOUR + MINUTE, seq: 2, type: 'resolved' }),
    ];
    const refused = { outcome: { type: 'refused', why: 'busy', retryAfterMs: null } } as const;
    const tries = (members: readonly TryMember[]): Try[] => [
      sent(HOUR, 'ops', [member({}), member({ key: 'other' })]),
      sent(HOUR + 30_000, 'ops', [k, other], { id: 'again', kind: 'repeat', ...refused }),
      sent(HOUR + MINUTE, 'ops', [member({ seq: 2, type: 'resolved' })]),
      sent(HOUR + 61_000, 'ops', members, { id: 'again', kind: 'repeat', attempt: 2, closedClock: HOUR + 30_000 }),
    ];
    const span = { from: 0, to: HOUR + 10 * MINUTE };
    expect(found({ span, transitions, tries: tries([other]) })).not.toContain('stale overtaken');
    expect(found({ span, transitions, tries: tries([k, other]) })).toContain('stale overtaken');
  });

  it('passes one line of what is over that was given up, and finds it where it was not', () => {
    const body = { outcome: { type: 'refused', why: 'body', retryAfterMs: null } } as const;
    const over = transition({ at: HOUR + 10_000, seq: 2, type: 'resolved' });
    const line = [member({ seq: 2, type: 'resolved', as: 'fired-and-resolved' })];
    const tries = [1, 5, 30].map((minute, n) =>
      sent(HOUR + minute * MINUTE, 'ops', line, { id: 'line', attempt: n + 1, closedClock: HOUR + MINUTE, ...body }),
    );
    const configs = [{ from: 0, config: config('first', [route({ notify: ['ops'], groupWaitMs: 60_000 })]) }];
    expect(found({ configs, transitions: [fires, over], tries })).toEqual([]);
    expect(found({ configs, transitions: [fires, over], tries: tries.slice(0, 2) })).toEqual(['unsent short']);
  });

  it('gives a message up when it was owed for long enough while the daemon ran', () => {
    const configs = [{ from: 0, config: config('first', [route({ notify: ['ops'] })], [rule('info', 'event')]) }];
    const busy = { outcome: { type: 'refused', why: 'busy', retryAfterMs: HOUR } } as const;
    const [span, line] = [{ from: 0, to: 40 * HOUR }, member({ type: 'event', severity: 'info' })];
    // Closed at one, and first tried at three.
    const tries = Array.from({ length: 23 }, (_, n) =>
      sent((3 + n) * HOUR, 'ops', [line], { id: 'event', attempt: n + 1, closedClock: HOUR, ...busy }),
    );
    const told = { span, configs, transitions: [transition({ at: HOUR, type: 'event', severity: 'info' })], tries };
    expect(found({ ...told, refusals: [{ from: HOUR, to: 3 * HOUR }] })).toEqual([]);
    const stopped = [
      { from: 0, to: HOUR, end: 'stopped' as const },
      { from: 3 * HOUR, to: span.to, end: 'stopped' as const },
    ];
    expect(found({ ...told, lives: stopped })).toEqual(['unsent event']);
  });

  it('counts the age of a summary of the cap from up to ten minutes before it was closed', () => {
    const configs = [{ from: 0, config: config('first', [route({ notify: ['ops'] })], [rule('info', 'event')]) }];
    const busy = { outcome: { type: 'refused', why: 'busy', retryAfterMs: HOUR } } as const;
    const [span, line] = [{ from: 0, to: 40 * HOUR }, member({ type: 'event', severity: 'info' })];
    const tried = (kind: Try['kind'], last: number): Try[] =>
      Array.from({ length: 25 }, (_, n) =>
        sent(n === 24 ? last : (1 + n) * HOUR, 'ops', [line], {
          id: 'event',
          attempt: n + 1,
          closedClock: HOUR,
          kind,
          ...busy,
        }),
      );
    const transitions = [transition({ at: HOUR, type: 'event', severity: 'info' })];
    const told = (tries: Try[]): string[] => found({ span, configs, transitions, tries });
    expect(told(tried('overflow_summary', 25 * HOUR - 8 * MINUTE))).not.toContain('unsent event');
    expect(told(tried('overflow_summary', 25 * HOUR - 15 * MINUTE))).toContain('unsent event');
    expect(told(tried('news', 25 * HOUR - 8 * MINUTE))).toContain('unsent event');
  });

  it('passes a line about many ends to who was told of one of them', () => {
    const configs = [{ from: 0, config: config('first', [route({ notify: ['ops'] })], [rule('warning', 'event')]) }];
    const [one, other] = ['one', 'other'].map((key) => transition({ at: HOUR, key, type: 'event' }));
    const gone = transition({ at: 2 * HOUR, key: 'all', type: 'retracted', foldedKeys: ['one', 'other'] });
    const transitions = [one, other, gone].flatMap((each) => each ?? []);
    const told = sent(HOUR, 'ops', [member({ key: 'one', type: 'event' })]);
    const ended = sent(2 * HOUR, 'ops', [member({ key: 'all', type: 'retracted', count: 2 })]);
    expect(found({ configs, transitions, tries: [told, ended] })).toEqual(['unsent event']);
    expect(found({ configs, transitions, tries: [ended] })).toContain('invented end-without-begin');
  });

  it('passes a line about many ends that waits for its next try', () => {
    const configs = [{ from: 0, config: config('first', [route({ notify: ['ops'] })], [rule('warning', 'event')]) }];
    const keys = ['one', 'other'];
    const gone = transition({ at: 2 * HOUR, key: 'all', type: 'retracted', foldedKeys: keys });
    const transitions = [...keys.map((key) => transition({ at: HOUR, key, type: 'event' })), gone];
    const told = keys.map((key) => sent(HOUR, 'ops', [member({ key, type: 'event' })], { id: key }));
    const ended = (at: number, given: Partial<Try>): Try =>
      sent(at, 'ops', [member({ key: 'all', type: 'retracted', count: 2 })], { id: 'ended', ...given });
    const refused = (retryAfterMs: number): Try[] => [
      ended(2 * HOUR, { outcome: { type: 'refused', why: 'busy', retryAfterMs } }),
      ended(2 * HOUR + 30 * MINUTE, { attempt: 2, closedClock: 2 * HOUR }),
    ];
    expect(found({ configs, transitions, tries: [...told, ...refused(30 * MINUTE)] })).toEqual([]);
    expect(found({ configs, transitions, tries: [...told, ...refused(MINUTE)] })).toEqual(
      keys.map(() => 'end-unsent end'),
    );
  });
});
