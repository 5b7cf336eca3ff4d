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
  TO_OPS,
  transition,
} from './logs.ts';

const eventsAt = (times: readonly number[]): CommittedTransition[] =>
  times.map((at, n) => transition({ at, key: `e${n}`, type: 'event' }));

const lineOf = ({ key, alert, severity }: CommittedTransition): TryMember =>
  member({ key, alert, severity, type: 'event' });

const toldAlone = (one: CommittedTransition): Try => sent(one.decidedClock, 'ops', [lineOf(one)], { id: one.key });

describe('the oracle for people, of caps and summaries,', () => {
  it('finds more messages than a recipient may be sent', () => {
    const many = Array.from({ length: 11 }, (_, n) =>
      transition({ at: HOUR + n * 2 * SECOND, key: `e${n}`, type: 'event' }),
    );
    const tries = many.map(({ key, at }) => sent(at ?? 0, 'ops', [member({ key, type: 'event' })]));
    expect(found({ transitions: many.slice(0, 10), tries: tries.slice(0, 10) })).toEqual([]);
    expect(found({ transitions: many, tries })).toEqual(['over-the-cap burst']);
  });

  it('counts what was told from memory only where the same process stored it', () => {
    const many = eventsAt(Array.from({ length: 11 }, (_, n) => HOUR + n * 2 * SECOND));
    const [first, ...others] = many.map((one, n) =>
      n === 0 ? { ...one, at: HOUR + MINUTE, decidedClock: HOUR, fromMemoryAt: HOUR } : one,
    );
    const transitions = first === undefined ? others : [first, ...others];
    const marks = { maybeCopy: false, fromMemory: true };
    const tries = transitions.map((one, n) => (n === 0 ? { ...toldAlone(one), marks } : toldAlone(one)));
    expect(found({ transitions, tries })).toEqual(['over-the-cap burst']);
    const lives = [
      { from: 0, to: HOUR + 30 * SECOND, end: 'killed' },
      { from: HOUR + 31 * SECOND, to: 3 * HOUR, end: 'stopped' },
    ] as const;
    expect(found({ transitions, tries, lives })).toEqual([]);
  });

  it('passes what is in the summary because another of its group was due while the cap was full', () => {
    const channels = TO_OPS.channels.map((one) => ({ ...one, cap: { burst: 1, perHour: 60 } }));
    const options = { groupWaitMs: 0, groupIntervalMs: 10 * MINUTE };
    const version = { ...config('first', [route({ notify: ['ops'], ...options })]), channels };
    const [first, event] = [HOUR - 2 * MINUTE, HOUR + MINUTE];
    const transitions = eventsAt([first, event]);
    const tries = (kind: Try['kind']): Try[] => {
      const last = transitions.slice(1).map(lineOf);
      return [...transitions.slice(0, 1).map(toldAlone), sent(HOUR + 10 * MINUTE, 'ops', last, { id: 'last', kind })];
    };
    const refusals = [{ from: HOUR + 7 * MINUTE, to: HOUR + 8 * MINUTE + SECOND }];
    const given = { configs: [{ from: 0, config: version }], transitions, refusals };
    expect(found({ ...given, tries: tries('overflow_summary') })).toEqual([]);
    expect(found({ ...given, tries: tries('news') })).toContain('unsent event');
  });

  it('counts what is open as its rule in force has it', () => {
    const many = eventsAt(Array.from({ length: 9 }, (_, n) => HOUR + (n + 1) * 2 * SECOND));
    const fired = transition({ at: HOUR - 10 * SECOND, severity: 'critical' });
    const late = sent(HOUR, 'ops', [member({ severity: 'critical' })], { id: 'late' });
    const last = transition({ at: HOUR + 30 * SECOND, key: 'last', type: 'event' });
    const given = {
      transitions: [fired, ...many, last],
      tries: [late, ...many.map(toldAlone), toldAlone(last)],
    };
    const configs = (severity: 'critical' | 'warning'): PeopleLog['configs'] => [
      { from: 0, config: config('first', [route({ notify: ['ops'] })], [rule('critical')]) },
      { from: HOUR - 5 * SECOND, config: config('later', [route({ notify: ['ops'] })], [rule(severity)]) },
    ];
    expect(found({ ...given, configs: configs('warning') })).toContain('over-the-cap burst');
    expect(found({ ...given, configs: configs('critical') })).not.toContain('over-the-cap burst');
  });

  it('judges no cap within an hour after the clock was set', () => {
    const late = [begin(HOUR + 10 * MINUTE), end(2 * HOUR)];
    const jumps = [{ at: 20 * MINUTE, ms: -MINUTE }];
    expect(found({ transitions: [fires, ends], tries: late })).toEqual(['unsent begin']);
    const clocked = late.map((one) => ({ ...one, closedClock: one.closedClock - MINUTE }));
    expect(found({ jumps, transitions: [fires, ends], tries: clocked })).toEqual([]);
    expect(found({ jumps: [{ at: 0, ms: -MINUTE }], transitions: [fires, ends], tries: clocked })).toEqual([
      'unsent begin',
    ]);
  });

  it('finds what is left out of the summary of the cap', () => {
    const many = Array.from({ length: 12 }, (_, n) =>
      transition({ at: HOUR + n * 2 * SECOND, key: `e${n}`, type: 'event' }),
    );
    const lines = many.map(({ key }) => member({ key, type: 'event' }));
    const alone = many.slice(0, 10).map(({ key, at }) => sent(at ?? 0, 'ops', [member({ key, type: 'event' })]));
    const summary = (members: readonly TryMember[]): Try[] => [
      ...alone,
      sent(HOUR + 10 * MINUTE, 'ops', members, { kind: 'overflow_summary' }),
    ];
    const configs = [{ from: 0, config: config('first', [route({ notify: ['ops'], groupIntervalMs: 0 })]) }];
    expect(found({ configs, transitions: many, tries: summary(lines.slice(10)) })).toEqual([]);
    expect(found({ configs, transitions: many, tries: summary(lines.slice(10, 11)) })).toEqual(['summary-wrong event']);
  });

  it('finds counts that do not add up', () => {
    const events = [0, 1].map((n) => transition({ at: HOUR, key: `e${n}`, type: 'event' }));
    const members = events.map(({ key }) => member({ key, type: 'event', isListed: key === 'e0' }));
    const counted = (count: number): Try[] => [
      sent(HOUR, 'ops', members, {
        more: [{ watch: 'coin', alert: 'low', severity: 'warning', type: 'event', count }],
      }),
    ];
    expect(found({ transitions: events, tries: counted(1) })).toEqual([]);
    expect(found({ transitions: events, tries: counted(2) })).toEqual(['summary-wrong counts']);
  });

  it('finds more messages in an hour than a recipient may be sent', () => {
    const many = eventsAt(Array.from({ length: 31 }, (_, n) => HOUR + n * 110 * SECOND));
    expect(found({ transitions: many.slice(0, 30), tries: many.slice(0, 30).map(toldAlone) })).toEqual([]);
    expect(found({ transitions: many, tries: many.map(toldAlone) })).toEqual(['over-the-cap hour']);
  });

  describe('where one message is refused and ten are sent', () => {
    const labels = { watch: 'coin', alert: 'high' };
    const rules = [rule('warning', 'event'), { ...rule('warning', 'event'), alert: 'high', labels }];
    const toOps = config('first', [route({ notify: ['ops'] })], rules);
    const moved = config('moved', [route({ match: { alert: 'low' }, notify: ['team'] }), ...toOps.routes], rules);
    const withoutOps = { ...moved, channels: moved.channels.filter(({ name }) => name !== 'ops') };
    const first = transition({ at: HOUR, key: 'first', type: 'event' });
    const others = eventsAt(Array.from({ length: 10 }, (_, n) => HOUR + 3 * MINUTE + n * 2 * SECOND));
    const outcome: Try['outcome'] = { type: 'refused', why: 'busy', retryAfterMs: null };
    const refused: Try = { ...toldAlone(first), outcome };

    const overTheCap = (reloads: PeopleLog['configs'], tries: readonly Try[] = [refused], more = [first]): string[] =>
      found({
        configs: [{ from: 0, config: toOps }, ...reloads],
        transitions: [...more, ...others.map((one) => ({ ...one, alert: 'high', labels }))],
        tries: [...tries, ...others.map((one) => toldAlone({ ...one, alert: 'high' }))],
      }).filter((one) => one.startsWith('over-the-cap'));
    const reload = [{ from: HOUR + MINUTE, config: moved }];

    it('finds one too many, and passes it where a reload moved the first to others', () => {
      expect(overTheCap([])).toEqual(['over-the-cap burst']);
      expect(overTheCap(reload)).toEqual([]);
      expect(overTheCap([{ from: HOUR + 9 * MINUTE, config: moved }])).toEqual(['over-the-cap burst']);
    });

    it('finds one too many where the first may have arrived, or was given up, before the reload', () => {
      const unknown: Try = { ...refused, outcome: { type: 'unknown', took: false } };
      const body = [1, 2, 3].map((attempt): Try => ({
        ...refused,
        attempt,
        outcome: { ...outcome, why: 'body' },
        begunAt: HOUR + attempt,
      }));
      expect(overTheCap(reload, [unknown])).toEqual(['over-the-cap burst']);
      expect(overTheCap(reload, body)).toEqual(['over-the-cap burst']);
    });

    it('finds one too many where the first corrects what was sent before: no reload takes that back', () => {
      const corrected = transition({ at: HOUR, key: 'first', seq: 2, type: 'corrected' });
      const event = { ...first, at: 10 * MINUTE, decidedClock: 10 * MINUTE };
      const correction = sent(HOUR, 'ops', [member({ key: 'first', seq: 2, type: 'corrected' })], { outcome });
      expect(overTheCap(reload, [toldAlone(event), correction], [event, corrected])).toEqual(['over-the-cap burst']);
    });

    it('passes one too many where its channel was gone for half a minute, and finds it where that was shorter', () => {
      const goneFor = (ms: number): PeopleLog['configs'] => [
        { from: HOUR + MINUTE, config: withoutOps },
        { from: HOUR + MINUTE + ms, config: toOps },
      ];
      expect(overTheCap(goneFor(40 * SECOND))).toEqual([]);
      expect(overTheCap(goneFor(20 * SECOND))).toEqual(['over-the-cap burst']);
    });
  });

  it('finds that one rule takes more than a quarter of what is there for critical messages', () => {
    const critical = [rule('critical', 'event'), { ...rule('critical', 'event'), alert: 'high' }];
    const configs = [{ from: 0, config: config('first', [route({ notify: ['ops'] })], critical) }];
    const times = Array.from({ length: 6 }, (_, n) => HOUR + n * 30 * SECOND);
    const of = (alert: string, some: readonly number[]): CommittedTransition[] =>
      eventsAt(some).map((one) => ({
        ...one,
        key: `${alert} ${one.key}`,
        severity: 'critical',
        alert,
        labels: { ...one.labels, alert },
      }));
    const two = [...of('low', times.slice(0, 3)), ...of('high', times.slice(3))];
    const one = of('low', times);
    expect(found({ configs, transitions: two, tries: two.map(toldAlone) })).toEqual([]);
    expect(found({ configs, transitions: one, tries: one.map(toldAlone) })).toEqual(['over-the-cap rule']);
  });

  it('counts a message as it was closed, with a critical line that left it before its first try', () => {
    const high = { ...rule('critical', 'event'), alert: 'high' };
    const configs = [
      { from: 0, config: config('first', [route({ notify: ['ops'] })], [rule('warning', 'event'), high]) },
    ];
    const many = eventsAt(Array.from({ length: 11 }, (_, n) => HOUR + n * 2 * SECOND));
    const of = { alert: 'high', labels: { watch: 'coin', alert: 'high' }, severity: 'critical' } as const;
    const left = transition({ at: HOUR, key: 'left', type: 'event', ...of });
    const told = (closedMembers: Try['closedMembers']): string[] =>
      found({
        configs,
        transitions: [left, ...many],
        tries: [left, ...many].map((one) => (one === many[0] ? { ...toldAlone(one), closedMembers } : toldAlone(one))),
      });
    expect(told([{ key: 'left', seq: 1 }])).toEqual([]);
    expect(told([])).toEqual(['over-the-cap burst']);
  });

  it('counts an alert that was critical, and is a warning again, as a warning where one message tells of both', () => {
    const many = eventsAt(Array.from({ length: 10 }, (_, n) => HOUR + n * SECOND));
    const over = { seq: 2, type: 'resolved' } as const;
    const again = { seq: 3, episode: 2 };
    const lines = [member({ ...over, as: 'fired-and-resolved', severity: 'critical' }), member(again)];
    const transitions = [
      ...many,
      { ...fires, severity: 'critical' as const },
      transition({ ...over, at: HOUR + 10 * SECOND }),
      transition({ ...again, at: HOUR + 20 * SECOND }),
    ];
    const tries = [...many.map(toldAlone), sent(HOUR + 30 * SECOND, 'ops', lines)];
    expect(found({ transitions, tries })).toContain('over-the-cap burst');
  });

  it('does not judge the number of messages where one is told from memory', () => {
    const many = eventsAt(Array.from({ length: 11 }, (_, n) => HOUR + n * 2 * SECOND));
    const last = HOUR + 20 * SECOND;
    const transitions = many.map((one) => (one.at === last ? { ...one, at: HOUR + MINUTE, fromMemoryAt: last } : one));
    const told = (fromMemory: boolean): Try[] =>
      many.map((one) => ({
        ...toldAlone(one),
        marks: { maybeCopy: false, fromMemory: fromMemory && one.at === last },
      }));
    expect(found({ transitions, tries: told(true) })).toEqual([]);
    expect(found({ transitions: many, tries: told(false) })).toEqual(['over-the-cap burst']);
  });

  it('passes what was decided a moment before an hour was over that filled the cap, and finds it a moment later', () => {
    const times = Array.from({ length: 30 }, (_, n) => HOUR + Math.floor(n / 10) * 11 * MINUTE + n * SECOND);
    const told = (at: number): string[] => {
      const [many, last] = [eventsAt(times), transition({ at, key: 'last', type: 'event' })];
      const summary = sent(2 * HOUR + 10 * MINUTE, 'ops', [lineOf(last)], { kind: 'overflow_summary' });
      return found({ transitions: [...many, last], tries: [...many.map(toldAlone), summary] });
    };
    expect(told(2 * HOUR + SECOND)).toEqual([]);
    expect(told(2 * HOUR + 40 * SECOND)).not.toEqual([]);
  });

  it('lets a group wait since it happened, also where quiet hours held it meanwhile', () => {
    const mute = [{ days: [], from: 60, to: 75 }];
    const to = route({ notify: ['ops'], groupWaitMs: 10 * MINUTE, mute });
    const configs = [{ from: 0, config: config('first', [to], [rule('warning', 'event')]) }];
    const transitions = eventsAt([HOUR + 9 * MINUTE]);
    const told = (at: number): string[] =>
      found({
        configs,
        transitions,
        tries: transitions.map((one) => ({ ...toldAlone(one), ...sent(at, 'ops', [lineOf(one)]) })),
      });
    expect(told(HOUR + 19 * MINUTE)).toEqual([]);
    expect(told(HOUR + 24 * MINUTE)).toEqual(['unsent event']);
  });

  it('lets a group wait by the clock of the daemon when that is set back', () => {
    const configs = [
      {
        from: 0,
        config: config('first', [route({ notify: ['ops'], groupIntervalMs: HOUR })], [rule('warning', 'event')]),
      },
    ];
    const transitions = eventsAt([HOUR, HOUR + 20 * MINUTE]);
    const jumps = [{ at: HOUR + 40 * MINUTE, ms: -30 * MINUTE }];
    const told = (closedAt: number, given: Partial<PeopleLog>): string[] => {
      const [first, last] = transitions.map(toldAlone);
      const tries =
        first === undefined || last === undefined ? [] : [first, { ...last, ...sent(closedAt, 'ops', last.members) }];
      return found({ span: { from: 0, to: 4 * HOUR }, configs, transitions, tries, ...given });
    };
    expect(told(HOUR + 90 * MINUTE, { jumps })).toEqual([]);
    expect(told(HOUR + 90 * MINUTE, {})).toEqual(['unsent event']);
    expect(told(HOUR + 150 * MINUTE, { jumps })).toEqual(['unsent event']);
  });

  it('lets an event that a reload moves to another group wait for the timer of that group', () => {
    const high = {
      ...rule('info', 'event'),
      alert: 'high',
      labels: { watch: 'coin', alert: 'high', severity: 'info' },
    };
    const to = route({ notify: ['ops'], groupBy: ['severity'], groupIntervalMs: HOUR });
    const version = (severity: 'warning' | 'info'): ConfigVersion =>
      config(severity, [to], [rule(severity, 'event'), high]);
    const events = eventsAt([HOUR, HOUR + 10 * MINUTE]);
    const other = transition({ alert: 'high', type: 'event', severity: 'info', key: 'other', at: HOUR + 5 * MINUTE });
    const told = (reload: readonly { readonly from: number; readonly config: ConfigVersion }[]): string[] =>
      found({
        span: { from: 0, to: 3 * HOUR },
        configs: [{ from: 0, config: version('warning') }, ...reload],
        transitions: [...events, other],
        tries: [
          ...[...events.slice(0, 1), other].map(toldAlone),
          ...events.slice(1).map((last) => sent(2 * HOUR + 5 * MINUTE, 'ops', toldAlone(last).members)),
        ],
      });
    expect(told([{ from: HOUR + 40 * MINUTE, config: version('info') }])).toEqual([]);
    expect(told([])).toEqual(['unsent event']);
  });

  it('lets the summary of the cap wait for as long as it had to when the clock is set back', () => {
    const many = eventsAt(Array.from({ length: 11 }, (_, n) => HOUR + n * SECOND));
    const told = (jumps: PeopleLog['jumps']): string[] => {
      const closedAt = HOUR + 11 * MINUTE + 50 * SECOND;
      const summary = sent(closedAt, 'ops', many.slice(10).map(lineOf), { kind: 'overflow_summary', closedAt });
      return found({ transitions: many, jumps, tries: [...many.slice(0, 10).map(toldAlone), summary] });
    };
    expect(told([{ at: HOUR + 2 * MINUTE, ms: -12 * MINUTE }])).toEqual([]);
    expect(told([])).not.toEqual([]);
  });

  it('finds a second summary of the cap in one slot, and passes it in the next', () => {
    const many = eventsAt(Array.from({ length: 14 }, (_, n) => HOUR + n * SECOND));
    const summary = (at: number, some: readonly CommittedTransition[]): Try =>
      sent(at, 'ops', some.map(lineOf), { kind: 'overflow_summary' });
    const alone = many.slice(0, 10).map(toldAlone);
    const told = (at: number): string[] =>
      found({
        transitions: many,
        tries: [...alone, summary(HOUR + 10 * MINUTE, many.slice(10)), summary(at, many.slice(10, 11))],
      });
    expect(told(HOUR + 15 * MINUTE)).toContain('over-the-cap slot');
    expect(told(HOUR + 20 * MINUTE)).not.toContain('over-the-cap slot');
  });

  it('finds a summary that stands for what was retracted before, and passes one that does not', () => {
    const many = eventsAt(Array.from({ length: 12 }, (_, n) => HOUR + n * 2 * SECOND));
    const [last] = many.slice(-1);
    const retracted = transition({ at: HOUR + 5 * MINUTE, key: last?.key ?? '', seq: 2, type: 'retracted' });
    const told = (some: readonly CommittedTransition[]): string[] =>
      found({
        transitions: [...many, retracted],
        tries: [
          ...many.slice(0, 10).map(toldAlone),
          sent(HOUR + 10 * MINUTE, 'ops', some.map(lineOf), { kind: 'overflow_summary' }),
        ],
      });
    expect(told(many.slice(10, 11))).toEqual([]);
    expect(told(many.slice(10))).toContain('summary-wrong of-nothing');
  });

  it('passes a begin that waits for the summary with the end before it, and finds it where that was told', () => {
    const first = config('first', [route({ notify: ['ops'] })]);
    const channels = first.channels.map((to) => ({ ...to, cap: { burst: 1, perHour: 30 } }));
    const [over, next] = [member({ seq: 2, type: 'resolved' }), member({ seq: 3, episode: 2 })];
    const transitions = [
      fires,
      transition({ at: HOUR + 25 * MINUTE, key: 'other' }),
      transition({ at: HOUR + 32 * MINUTE, seq: 2, type: 'resolved' }),
      transition({ at: HOUR + 36 * MINUTE, seq: 3, episode: 2 }),
    ];
    const told = (own: readonly Try[], members: readonly TryMember[]): string[] =>
      found({
        span: { from: 0, to: HOUR + 45 * MINUTE },
        configs: [{ from: 0, config: { ...first, channels } }],
        transitions,
        tries: [
          begin(HOUR),
          sent(HOUR + 25 * MINUTE, 'ops', [member({ key: 'other' })]),
          ...own,
          sent(HOUR + 40 * MINUTE, 'ops', members, { kind: 'overflow_summary' }),
        ],
      });
    expect(told([], [over, next])).toEqual([]);
    const summary = sent(HOUR + 32 * MINUTE, 'ops', [over], { kind: 'overflow_summary' });
    expect(told([summary], [next])).toContain('unsent begin');
  });

  it('passes what was over the cap since it was due with its group, and finds it where the summary of that slot lacks it', () => {
    const first = config('first', [route({ notify: ['ops'], groupWaitMs: 2 * MINUTE, groupIntervalMs: 8 * MINUTE })]);
    const channels = first.channels.map((to) => ({ ...to, cap: { burst: 1, perHour: 30 } }));
    const over = { seq: 2, type: 'resolved' } as const;
    const others = [transition({ at: HOUR, key: 'other' }), transition({ at: HOUR + 21 * MINUTE, key: 'third' })];
    const [began, ended] = [HOUR + 24 * MINUTE, HOUR + 35 * MINUTE];
    const told = (at: number, heldSinceClock: number | null): string[] =>
      found({
        span: { from: 0, to: at + MINUTE },
        configs: [{ from: 0, config: { ...first, channels } }],
        transitions: [...others, transition({ at: began }), transition({ at: ended, ...over })],
        tries: [
          sent(HOUR + 2 * MINUTE, 'ops', [member({ key: 'other' })]),
          sent(HOUR + 23 * MINUTE, 'ops', [member({ key: 'third' })]),
          sent(at, 'ops', [member({ ...over, as: 'fired-and-resolved', heldSinceClock })], {
            kind: 'overflow_summary',
          }),
        ],
      });
    expect(told(HOUR + 40 * MINUTE, HOUR + 31 * MINUTE)).toEqual([]);
    expect(told(HOUR + 40 * MINUTE, ended)).toContain('unsent short');
    expect(told(HOUR + 50 * MINUTE, HOUR + 31 * MINUTE)).toContain('unsent short');
  });

  it('passes what was over the cap at the end of an inhibition, though the cap is free when its group has waited', () => {
    const inhibit = [{ when: { alert: 'high' }, mute: { alert: 'low' }, equal: [], events: 'summary' as const }];
    const labels = { watch: 'coin', alert: 'high' };
    const high = { ...rule('warning'), alert: 'high', labels };
    const first = config(
      'first',
      [route({ notify: ['ops'], groupBy: ['alert'], groupWaitMs: 2 * MINUTE })],
      [rule('warning'), high],
    );
    const channels = first.channels.map((to) => ({ ...to, cap: { burst: 1, perHour: 30 } }));
    const [about, free] = [{ key: 'h', alert: 'high' }, HOUR + 31 * MINUTE];
    const lifted = { ...about, seq: 2, type: 'resolved' } as const;
    const told = (at: number): string[] =>
      found({
        span: { from: 0, to: at + MINUTE },
        configs: [{ from: 0, config: { ...first, channels, inhibit } }],
        polls: [{ watch: 'coin', at: HOUR - MINUTE, isComplete: true }],
        transitions: [
          transition({ at: HOUR, ...about, labels }),
          transition({ at: HOUR + 10 * MINUTE }),
          transition({ at: free, ...lifted, labels }),
        ],
        tries: [
          sent(HOUR + 2 * MINUTE, 'ops', [member(about)]),
          sent(HOUR + 22 * MINUTE, 'ops', [member({ ...about, as: 'repeat' })], { kind: 'repeat' }),
          sent(at, 'ops', [member({})], { kind: 'overflow_summary' }),
        ],
      }).filter((one) => one.endsWith(' begin'));
    expect(told(HOUR + 40 * MINUTE)).toEqual([]);
    expect(told(HOUR + 50 * MINUTE)).toEqual(['unsent begin']);
  });
});
