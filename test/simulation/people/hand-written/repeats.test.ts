import { describe, expect, it } from '@jest/globals';
import type { ConfigVersion, PeopleLog, Try, TryMember } from '../log.ts';
import {
  acknowledged,
  begin,
  config,
  DAY,
  end,
  ends,
  fires,
  found,
  HOUR,
  member,
  MINUTE,
  repeat,
  route,
  rule,
  sent,
  silence,
  transition,
} from './logs.ts';

describe('the oracle for people, of repeats,', () => {
  it('finds a repeat that is missed, and one that is early', () => {
    const configs = [{ from: 0, config: config('first', [route({ notify: ['ops'], repeatMs: 30 * MINUTE })]) }];
    const transitions = [fires, ends];
    const told = [begin(HOUR), end(2 * HOUR)];
    expect(found({ configs, transitions, tries: told })).toEqual(['repeat-wrong repeat']);
    expect(found({ configs, transitions, tries: [...told, repeat(HOUR + 30 * MINUTE)] })).toEqual([]);
    const early = [...told, repeat(HOUR + 10 * MINUTE), repeat(HOUR + 40 * MINUTE)];
    expect(found({ configs, transitions, tries: early })).toEqual(['repeat-wrong early']);
  });

  it('finds a repeat that leaves out what is open, and one of what is acknowledged', () => {
    const configs = [{ from: 0, config: config('first', [route({ notify: ['ops'], repeatMs: 30 * MINUTE })]) }];
    const transitions = [fires, transition({ at: HOUR, key: 'other' }), ends];
    const [one, other] = [member({}), member({ key: 'other' })];
    const again = [one, other].map((about) => member({ ...about, as: 'repeat' }));
    const repeated = (members: readonly TryMember[]): Try[] => [
      sent(HOUR, 'ops', [one, other]),
      sent(HOUR + 30 * MINUTE, 'ops', members, { kind: 'repeat' }),
      end(2 * HOUR),
    ];
    const span = { from: 0, to: HOUR + 31 * MINUTE };
    expect(found({ span, configs, transitions: transitions.slice(0, 2), tries: repeated(again).slice(0, 2) })).toEqual(
      [],
    );
    expect(found({ span, configs, transitions, tries: repeated(again.slice(0, 1)) })).toContain(
      'repeat-wrong member-missing',
    );
    const actions = [acknowledged(HOUR + MINUTE, DAY)];
    expect(found({ span, configs, actions, transitions, tries: repeated(again) })).toContain('repeat-wrong repeat');
  });

  it('passes a repeat without what is over the cap then', () => {
    const urgent = { ...rule('critical'), alert: 'lower', labels: { ...rule('critical').labels, alert: 'lower' } };
    const first = config('first', [route({ notify: ['ops'], repeatMs: 30 * MINUTE })], [rule('warning'), urgent]);
    const one = member({ key: 'other', alert: 'lower', severity: 'critical' });
    const { key, alert, severity } = one;
    const labels = urgent.labels;
    const transitions = [fires, transition({ at: HOUR + 25 * MINUTE, key, alert, severity, labels }), ends];
    const tries = [begin(HOUR), sent(HOUR + 25 * MINUTE, 'ops', [one]), repeat(HOUR + 30 * MINUTE)];
    const span = { from: 0, to: HOUR + 31 * MINUTE };
    const under = (burst: number): Pick<PeopleLog, 'configs'> => ({
      configs: [
        {
          from: 0,
          config: {
            ...first,
            channels: first.channels.map((to) => ({ ...to, cap: { burst, perHour: 30 } })),
          },
        },
      ],
    });
    expect(found({ span, transitions, tries, ...under(2) })).toEqual([]);
    expect(found({ span, transitions, tries, ...under(10) })).toEqual(['repeat-wrong member-missing']);
  });

  it('passes a repeat without what waits for the summary of the cap, and finds it where that lacks it too', () => {
    const urgent = { ...rule('critical'), alert: 'lower', labels: { ...rule('critical').labels, alert: 'lower' } };
    const first = config('first', [route({ notify: ['ops'], repeatMs: 30 * MINUTE })], [rule('warning'), urgent]);
    const channels = first.channels.map((to) => ({ ...to, cap: { burst: 1, perHour: 30 } }));
    const [other, third] = [member({ key: 'other', alert: 'lower', severity: 'critical' }), member({ key: 'third' })];
    const transitions = [
      fires,
      transition({ ...other, at: HOUR + 5 * MINUTE, type: 'firing', labels: urgent.labels }),
      transition({ at: HOUR + 21 * MINUTE, key: 'third' }),
    ];
    const again = [other, third].map((one) => member({ ...one, as: 'repeat' }));
    const tries = [
      begin(HOUR),
      sent(HOUR + 5 * MINUTE, 'ops', [other]),
      sent(HOUR + 21 * MINUTE, 'ops', [third]),
      sent(HOUR + 35 * MINUTE, 'ops', again, { kind: 'repeat' }),
    ];
    const summary = sent(HOUR + 40 * MINUTE, 'ops', [member({ as: 'repeat' })], { kind: 'overflow_summary' });
    const given = { span: { from: 0, to: HOUR + 41 * MINUTE }, configs: [{ from: 0, config: { ...first, channels } }] };
    expect(found({ ...given, transitions, tries: [...tries, summary] })).toEqual([]);
    expect(found({ ...given, transitions, tries })).toContain('repeat-wrong member-missing');
  });

  it('finds a repeat in the summary of the cap that was not due, where the summary lists it with its reason', () => {
    const configs = [{ from: 0, config: config('first', [route({ notify: ['ops'], repeatMs: 30 * MINUTE })]) }];
    const repeatedAt = (at: number, isListed = true): string[] =>
      found({
        span: { from: 0, to: at + MINUTE },
        configs,
        transitions: [fires],
        tries: [begin(HOUR), sent(at, 'ops', [member({ as: 'repeat', isListed })], { kind: 'overflow_summary' })],
      });
    expect(repeatedAt(HOUR + 20 * MINUTE)).toEqual(['repeat-wrong early']);
    expect(repeatedAt(HOUR + 20 * MINUTE, false)).not.toContain('repeat-wrong early');
    expect(repeatedAt(HOUR + 30 * MINUTE)).toEqual([]);
  });

  it('passes that nothing is repeated while it is acknowledged', () => {
    const configs = [{ from: 0, config: config('first', [route({ notify: ['ops'], repeatMs: 30 * MINUTE })]) }];
    const told = { configs, transitions: [fires, ends], tries: [begin(HOUR), end(2 * HOUR)] };
    expect(found(told)).toEqual(['repeat-wrong repeat']);
    expect(found({ ...told, actions: [acknowledged(HOUR + MINUTE, DAY)] })).toEqual([]);
  });

  it('ends an acknowledgement with its episode', () => {
    const configs = [{ from: 0, config: config('first', [route({ notify: ['ops'], repeatMs: 30 * MINUTE })]) }];
    const actions = [acknowledged(HOUR + MINUTE, DAY)];
    const steady = transition({ at: HOUR + 10 * MINUTE, seq: 2, episode: 3 });
    const over = { seq: 3, episode: 3 };
    const transitions = [fires, steady, transition({ ...over, at: 2 * HOUR, type: 'resolved' })];
    const again = member({ seq: 2, episode: 3 });
    const told = [begin(HOUR), sent(HOUR + 10 * MINUTE, 'ops', [again])];
    const ended = sent(2 * HOUR, 'ops', [member({ ...over, type: 'resolved' })]);
    expect(found({ configs, actions, transitions, tries: [...told, ended] })).toEqual(['repeat-wrong repeat']);
    const repeated = sent(HOUR + 40 * MINUTE, 'ops', [member({ ...again, as: 'repeat' })], { kind: 'repeat' });
    expect(found({ configs, actions, transitions, tries: [...told, repeated, ended] })).toEqual([]);
  });

  it('lets a wait last by the clock where it was set while no process ran', () => {
    const configs = [{ from: 0, config: config('first', [route({ notify: ['ops'], repeatMs: HOUR })]) }];
    const jumps = [{ at: HOUR + 20 * MINUTE, ms: 30 * MINUTE }];
    const lives = [
      { from: 0, to: HOUR + 10 * MINUTE, end: 'stopped' as const },
      { from: HOUR + 25 * MINUTE, to: 3 * HOUR, end: 'stopped' as const },
    ];
    const repeated = sent(HOUR + 31 * MINUTE, 'ops', [member({ as: 'repeat' })], { kind: 'repeat' });
    const tries = [begin(HOUR), { ...repeated, closedClock: 2 * HOUR + MINUTE }];
    const span = { from: 0, to: 2 * HOUR };
    expect(found({ span, configs, jumps, lives, transitions: [fires], tries })).toEqual([]);
    expect(found({ span, configs, jumps, transitions: [fires], tries })).toEqual(['repeat-wrong early']);
  });

  it('passes a repeat that is held when the clock is set back, and waits for its time from then on', () => {
    const configs = [{ from: 0, config: config('first', [route({ notify: ['hook'], repeatMs: 30 * MINUTE })]) }];
    const jumps = [{ at: HOUR + 40 * MINUTE, ms: -100 * MINUTE }];
    const actions = [silence(HOUR + 20 * MINUTE, HOUR + 50 * MINUTE)];
    const repeated = (at: number): string[] => {
      const again = { ...repeat(at, 'hook'), closedClock: at - 100 * MINUTE };
      const span = { from: 0, to: 2 * HOUR + 25 * MINUTE };
      return found({ span, configs, jumps, actions, transitions: [fires], tries: [begin(HOUR, 'hook'), again] });
    };
    expect(repeated(2 * HOUR + 11 * MINUTE)).toEqual([]);
    expect(repeated(2 * HOUR + 20 * MINUTE)).toEqual(['repeat-wrong repeat']);
  });

  it('passes a begin that was given up and is tried again later, since a reload has turned repeats off', () => {
    const outcome = { type: 'refused', why: 'body', retryAfterMs: null } as const;
    const tries = [HOUR, HOUR + 5 * MINUTE, HOUR + 30 * MINUTE].map((at, n) => {
      return { ...begin(at), id: 'given up', attempt: n + 1, outcome };
    });
    const configs = (later: number | 'off'): PeopleLog['configs'] => [
      { from: 0, config: config('first', [route({ notify: ['ops'], repeatMs: 2 * HOUR })]) },
      { from: 2 * HOUR, config: config('later', [route({ notify: ['ops'], repeatMs: later })]) },
    ];
    const given = { span: { from: 0, to: 6 * HOUR }, transitions: [fires], tries: [...tries, repeat(5.5 * HOUR)] };
    expect(found({ ...given, configs: configs('off') })).toEqual([]);
    expect(found({ ...given, configs: configs(2 * HOUR) })).toEqual(['unsent begin']);
  });

  it('passes that nothing is repeated where one reload makes the time longer and the next one turns repeats off', () => {
    const every = (from: number, repeatMs: number | 'off'): PeopleLog['configs'][number] => ({
      from,
      config: config(`from ${from}`, [route({ notify: ['ops'], repeatMs })]),
    });
    const foundIf = (last: number | 'off'): string[] =>
      found({
        configs: [every(0, 30 * MINUTE), every(HOUR + 20 * MINUTE, HOUR), every(HOUR + 45 * MINUTE, last)],
        transitions: [fires],
        tries: [begin(HOUR)],
      });
    expect(foundIf(HOUR)).toEqual(['repeat-wrong repeat']);
    expect(foundIf(2 * HOUR)).toEqual([]);
    expect(foundIf('off')).toEqual([]);
    const tries = [HOUR, HOUR + 5 * MINUTE, HOUR + 30 * MINUTE].map((at, n) => {
      const outcome = { type: 'refused', why: 'body', retryAfterMs: null } as const;
      return { ...begin(at), id: 'given up', attempt: n + 1, outcome };
    });
    const againIf = (last: number | 'off'): string[] =>
      found({
        span: { from: 0, to: 6 * HOUR },
        configs: [every(0, HOUR), every(2 * HOUR, 2 * HOUR), every(3 * HOUR, last)],
        transitions: [fires],
        tries: [...tries, repeat(5.5 * HOUR)],
      });
    expect(againIf(2 * HOUR)).toEqual(['unsent begin']);
    expect(againIf('off')).toEqual([]);
  });

  it('looks at the time of a repeat when the clock shows it', () => {
    const at = HOUR + 30 * MINUTE;
    const every = (repeatMs: number | 'off'): ConfigVersion =>
      config(`every ${repeatMs}`, [route({ notify: ['ops'], repeatMs })]);
    const foundIf = (last: number | 'off'): string[] =>
      found({
        span: { from: 0, to: 4 * HOUR },
        jumps: [{ at: HOUR + 15 * MINUTE, ms: -10 * MINUTE }],
        configs: [
          { from: 0, config: every(30 * MINUTE) },
          { from: at + 5 * MINUTE, config: every(last) },
        ],
        transitions: [fires],
        tries: [begin(HOUR)],
      });
    expect(foundIf(30 * MINUTE)).toEqual(['repeat-wrong repeat']);
    expect(foundIf('off')).toEqual([]);
  });

  it('passes that an event is not repeated where a reload says that it needs no acknowledgement', () => {
    const version = (id: string, requireAck: boolean): PeopleLog['configs'][number]['config'] =>
      config(id, [route({ notify: ['ops'], repeatMs: HOUR, requireAck })], [rule('warning', 'event')]);
    const foundIf = (isNeeded: boolean): string[] =>
      found({
        span: { from: 0, to: 2.5 * HOUR },
        configs: [
          { from: 0, config: version('first', true) },
          { from: HOUR + 30 * MINUTE, config: version('second', isNeeded) },
        ],
        transitions: [transition({ at: HOUR, type: 'event' })],
        tries: [sent(HOUR, 'ops', [member({ type: 'event' })])],
      });
    expect(foundIf(true)).toEqual(['repeat-wrong repeat']);
    expect(foundIf(false)).toEqual([]);
  });

  it('passes that nothing follows where the end of an acknowledgement was given up, and the begin had been taken', () => {
    const configs = [{ from: 0, config: config('first', [route({ notify: ['ops'], repeatMs: 'off' })]) }];
    const actions = [acknowledged(HOUR + 10 * MINUTE, HOUR + 20 * MINUTE)];
    const outcome = { type: 'refused', why: 'body', retryAfterMs: null } as const;
    const again = [20, 25, 50].map((minute, n) => {
      const line = member({ as: 'repeat', reason: 'ack-ended' });
      const given = { id: 'again', kind: 'repeat', attempt: n + 1, closedClock: HOUR + 20 * MINUTE, outcome } as const;
      return sent(HOUR + minute * MINUTE, 'ops', [line], given);
    });
    const given = { span: { from: 0, to: 7 * HOUR }, configs, actions, transitions: [fires] };
    expect(found({ ...given, tries: [begin(HOUR), ...again] })).toEqual([]);
    expect(found({ ...given, tries: [begin(HOUR), ...again.slice(0, 2)] })).toEqual(['unsent ack-ended']);
  });

  it('counts the time to the next one from the copy that was recorded, where a kill left the first try unknown', () => {
    const configs = [{ from: 0, config: config('first', [route({ notify: ['ops'], repeatMs: 30 * MINUTE })]) }];
    const [killedAt, startedAt] = [HOUR + 30 * MINUTE, HOUR + 40 * MINUTE];
    const lives = [
      { from: 0, to: killedAt + 1, end: 'killed' },
      { from: startedAt, to: 3 * HOUR, end: 'stopped' },
    ] as const;
    const first = { ...repeat(killedAt), id: 'repeated', knownAt: null };
    const marks = { maybeCopy: true, fromMemory: false };
    const copy = { ...repeat(startedAt), id: 'repeated', attempt: 2, closedClock: killedAt, marks };
    const story = (nextAt: number): readonly string[] => {
      const span = { from: 0, to: nextAt + MINUTE };
      const tries = [begin(HOUR), first, copy, repeat(nextAt)];
      return found({ span, configs, lives, transitions: [fires], tries });
    };
    expect(story(startedAt + 30 * MINUTE)).toEqual([]);
    expect(story(startedAt + 40 * MINUTE)).toEqual(['repeat-wrong repeat']);
  });

  it('passes that an event is not repeated after a snooze in which a reload has turned repeats off', () => {
    const version = (id: string, repeatMs: number | 'off'): PeopleLog['configs'][number]['config'] =>
      config(id, [route({ notify: ['ops'], repeatMs, requireAck: true })], [rule('warning', 'event')]);
    const foundIf = (repeatMs: number | 'off'): string[] =>
      found({
        configs: [
          { from: 0, config: version('first', 30 * MINUTE) },
          { from: HOUR + 50 * MINUTE, config: version('second', repeatMs) },
        ],
        actions: [acknowledged(HOUR + 10 * MINUTE, 2 * HOUR)],
        transitions: [transition({ at: HOUR, type: 'event' })],
        tries: [sent(HOUR, 'ops', [member({ type: 'event' })])],
      });
    expect(foundIf(30 * MINUTE)).toEqual(['repeat-wrong repeat']);
    expect(foundIf(2 * HOUR)).toEqual([]);
    expect(foundIf('off')).toEqual([]);
  });
});
