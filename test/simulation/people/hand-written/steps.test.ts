import { describe, expect, it } from '@jest/globals';
import type { Try } from '../log.ts';
import {
  DAY,
  HOUR,
  MINUTE,
  acknowledged,
  begin,
  config,
  end,
  ends,
  fires,
  found,
  member,
  route,
  rule,
  sent,
  transition,
} from './logs.ts';

const REFUSED: Try['outcome'] = { type: 'refused', why: 'busy', retryAfterMs: null };

describe('the oracle for people, of steps and failover,', () => {
  it('finds a step that is missed, one that is early, and one of what is acknowledged', () => {
    const escalate = [{ afterMs: 15 * MINUTE, notify: ['team'] }];
    const configs = [{ from: 0, config: config('first', [route({ notify: ['ops'], escalate })]) }];
    const told = [begin(HOUR), end(2 * HOUR)];
    const transitions = [fires, ends];
    expect(found({ configs, transitions, tries: told })).toEqual(['step-wrong step']);
    const called = (at: number): Try[] => [...told, begin(at, 'team'), end(2 * HOUR, 'team')];
    expect(found({ configs, transitions, tries: called(HOUR + 15 * MINUTE) })).toEqual([]);
    expect(found({ configs, transitions, tries: called(HOUR + MINUTE) })).toEqual(['step-wrong early']);
    const actions = [acknowledged(HOUR + 5 * MINUTE, DAY)];
    expect(found({ configs, actions, transitions, tries: called(HOUR + 15 * MINUTE) })).toEqual([
      'step-wrong acknowledged',
    ]);
  });

  it('passes a step that is given up by who knows of the alert, and finds it by who was never told', () => {
    const escalate = [{ afterMs: 15 * MINUTE, notify: ['team'] }];
    const configs = [{ from: 0, config: config('first', [route({ notify: ['ops'], escalate, repeatMs: 'off' })]) }];
    const body = { type: 'refused', why: 'body', retryAfterMs: null } as const;
    const endedAt = HOUR + 40 * MINUTE;
    const renewed = (at: number, to = 'ops'): Try =>
      sent(at, to, [member({ as: 'repeat', reason: 'the acknowledgement ended' })], { kind: 'repeat' });
    const refused = (as: typeof begin): Try[] =>
      [0, 5, 30].map((minutes, n) => {
        const at = HOUR + (55 + minutes) * MINUTE;
        return { ...as(at, 'team'), id: 'given up', attempt: n + 1, outcome: body };
      });
    const actions = [acknowledged(HOUR + 20 * MINUTE, endedAt)];
    const given = { span: { from: 0, to: 8 * HOUR }, configs, actions, transitions: [fires] };
    const told = [begin(HOUR), renewed(endedAt)];
    const called = begin(HOUR + 15 * MINUTE, 'team');
    expect(found({ ...given, tries: [...told, called, ...refused(renewed)] })).toEqual([]);
    expect(found({ ...given, tries: [...told, ...refused(begin)] })).toContain('step-wrong step');
  });

  it('finds a missed step once, though reloads leave it as it is', () => {
    const routes = [route({ notify: ['ops'], escalate: [{ afterMs: 15 * MINUTE, notify: ['team'] }] })];
    const configs = [
      { from: 0, config: config('first', routes) },
      { from: HOUR + 20 * MINUTE, config: config('second', [...routes, route({ add: ['hook'] })]) },
      { from: HOUR + 40 * MINUTE, config: config('third', routes) },
    ];
    const tries = [begin(HOUR), sent(HOUR + 20 * MINUTE, 'hook', [member({})]), end(2 * HOUR), end(2 * HOUR, 'hook')];
    expect(found({ configs, transitions: [fires, ends], tries })).toEqual(['step-wrong step']);
  });

  it('finds a failover that skips events', () => {
    const routes = [route({ notify: ['ops'], failover: ['team'] })];
    const configs = [{ from: 0, config: config('first', routes, [rule('critical', 'event')]) }];
    const transitions = [transition({ at: HOUR, type: 'event', severity: 'critical' })];
    const about = [member({ type: 'event', severity: 'critical' })];
    const refused = { outcome: { type: 'refused', why: 'busy', retryAfterMs: HOUR } } as const;
    const tries = [sent(HOUR, 'ops', about, refused)];
    expect(found({ configs, transitions, tries })).toContain('step-wrong failover');
    const told = [...tries, sent(HOUR + 5 * MINUTE, 'team', about)];
    const all = found({ configs, transitions, tries: told });
    expect(all.filter((one) => one !== 'unsent event')).toEqual([]);
  });

  it('passes a failover that stays out where a receiver took the event from memory, and the same process stored that', () => {
    const routes = [route({ notify: ['ops'], failover: ['team'] })];
    const configs = [{ from: 0, config: config('first', routes, [rule('critical', 'event')]) }];
    const begun = { type: 'event', severity: 'critical' } as const;
    const stored = transition({ at: HOUR + 10 * MINUTE, decidedClock: HOUR, fromMemoryAt: HOUR, ...begun });
    const marks = { maybeCopy: false, fromMemory: true };
    const tries = [sent(HOUR, 'ops', [member(begun)], { marks })];
    expect(found({ configs, transitions: [stored], tries })).toEqual([]);
    const lives = [
      { from: 0, to: HOUR + MINUTE, end: 'killed' },
      { from: HOUR + 2 * MINUTE, to: 3 * HOUR, end: 'stopped' },
    ] as const;
    const again = sent(HOUR + 10 * MINUTE, 'ops', [member(begun)], { id: `ops ${HOUR}`, outcome: REFUSED });
    expect(found({ configs, lives, transitions: [stored], tries: [...tries, again] })).toContain('step-wrong failover');
  });

  it('passes a step that is taken in the moment in which the alert is over', () => {
    const escalate = [{ afterMs: HOUR, notify: ['team'] }];
    const configs = [{ from: 0, config: config('first', [route({ notify: ['ops'], escalate })]) }];
    const called = { ...begin(2 * HOUR, 'team'), id: 'called' };
    const told = [begin(HOUR), called, end(2 * HOUR), end(2 * HOUR, 'team')];
    expect(found({ configs, transitions: [fires, ends], tries: told })).toEqual([]);
  });

  it('opens an event again where its acknowledgement is withdrawn', () => {
    const escalate = [{ afterMs: 15 * MINUTE, notify: ['team'] }];
    const routes = [route({ notify: ['ops'], escalate })];
    const configs = [{ from: 0, config: config('first', routes, [rule('warning', 'event')]) }];
    const withdrawn = { at: HOUR + 5 * MINUTE, by: 'alice', type: 'ack-withdrawn', key: 'k', episode: 1 } as const;
    const actions = [acknowledged(HOUR + MINUTE, 2 * DAY), withdrawn];
    const transitions = [transition({ at: HOUR, type: 'event' })];
    const about = [member({ type: 'event' })];
    const tries = [sent(HOUR, 'ops', about)];
    expect(found({ configs, actions, transitions, tries })).toEqual(['step-wrong step']);
    const called = [...tries, sent(HOUR + 20 * MINUTE, 'team', about)];
    expect(found({ configs, actions, transitions, tries: called })).toEqual([]);
    expect(found({ configs, actions: actions.slice(0, 1), transitions, tries })).toEqual([]);
  });

  it('counts the time to a step also from a message that the alert left before its first try', () => {
    const escalate = [{ afterMs: 20 * MINUTE, notify: ['team'] }];
    const configs = [{ from: 0, config: config('first', [route({ notify: ['ops', 'post'], escalate })]) }];
    const other = { key: 'j' };
    const over = { seq: 2, type: 'resolved' } as const;
    const transitions = [fires, transition({ at: HOUR + 25 * MINUTE, ...over }), transition({ at: HOUR, ...other })];
    const closed = {
      closedAt: HOUR,
      closedMembers: [
        { key: 'k', seq: 1 },
        { key: 'j', seq: 1 },
      ],
    };
    const tries = (given: Partial<Try>): Try[] => [
      begin(HOUR + 5 * MINUTE),
      begin(HOUR + 20 * MINUTE, 'team'),
      sent(HOUR + 25 * MINUTE, 'ops', [member(over)]),
      sent(HOUR + 25 * MINUTE, 'team', [member(over)]),
      sent(HOUR + 30 * MINUTE, 'post', [member(other)], given),
    ];
    const early = 'step-wrong early';
    expect(found({ configs, transitions, tries: tries({ closedAt: HOUR }) })).toContain(early);
    expect(found({ configs, transitions, tries: tries(closed) })).not.toContain(early);
  });

  it('counts the time to a step from what is on record', () => {
    const escalate = [{ afterMs: 15 * MINUTE, notify: ['team'] }];
    const configs = [{ from: 0, config: config('first', [route({ notify: ['ops'], escalate })], [rule('critical')]) }];
    const severity = 'critical';
    const transitions = [
      transition({ at: HOUR + 5 * MINUTE, decidedClock: HOUR, fromMemoryAt: HOUR, severity }),
      transition({ at: 2 * HOUR, seq: 2, type: 'resolved', severity }),
    ];
    const about = [member({ severity })];
    const marks = { maybeCopy: false, fromMemory: true };
    const over = [member({ severity, seq: 2, type: 'resolved' })];
    const calling = (at: number): Try[] => [
      sent(at, 'team', about),
      sent(2 * HOUR, 'ops', over),
      sent(2 * HOUR, 'team', over),
    ];
    // What was refused is no more on record than what was never tried.
    const refused = sent(HOUR, 'ops', about, { id: 'told', marks, outcome: REFUSED, knownAt: null });
    const later = [refused, sent(HOUR + 5 * MINUTE, 'ops', about, { id: 'told', attempt: 2 })];
    expect(found({ configs, transitions, tries: [...later, ...calling(HOUR + 20 * MINUTE)] })).toEqual([]);
    expect(found({ configs, transitions, tries: [...later, ...calling(HOUR + 15 * MINUTE)] })).toEqual([
      'step-wrong early',
    ]);
    const taken = sent(HOUR, 'ops', about, { id: 'told', marks });
    expect(found({ configs, transitions, tries: [taken, ...calling(HOUR + 15 * MINUTE)] })).toEqual([]);
    expect(found({ configs, transitions, tries: [taken, ...calling(HOUR + 20 * MINUTE)] })).toEqual([
      'step-wrong step',
    ]);
  });

  it('passes a failover where the end of the episode before was taken meanwhile, and finds it where the begin was', () => {
    const routes = [route({ notify: ['ops'], failover: ['team'] })];
    const configs = [{ from: 0, config: config('first', routes, [rule('critical')]) }];
    const severity = 'critical';
    const over = { seq: 2, type: 'resolved', severity } as const;
    const next = { seq: 3, episode: 2, severity } as const;
    const transitions = [
      transition({ at: HOUR, severity }),
      transition({ at: HOUR + 10 * MINUTE, ...over }),
      transition({ at: HOUR + 20 * MINUTE, ...next }),
    ];
    const later = { id: 'end', attempt: 2, closedClock: HOUR + 10 * MINUTE };
    const tries = [
      sent(HOUR, 'ops', [member({ severity })]),
      sent(HOUR + 10 * MINUTE, 'ops', [member(over)], { id: 'end', outcome: REFUSED }),
      sent(HOUR + 20 * MINUTE, 'ops', [member(next)], { outcome: REFUSED }),
      sent(HOUR + 22 * MINUTE, 'ops', [member(over)], later),
      sent(HOUR + 25 * MINUTE, 'team', [member(next)]),
    ];
    const early = 'step-wrong early';
    expect(found({ configs, transitions, tries })).not.toContain(early);
    const begun = sent(HOUR + 23 * MINUTE, 'ops', [member(next)], { id: 'begun' });
    expect(found({ configs, transitions, tries: [...tries, begun] })).toContain(early);
  });
});
