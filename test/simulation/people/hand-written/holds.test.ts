import { describe, expect, it } from '@jest/globals';
import type { Try } from '../log.ts';
import {
  acknowledged,
  begin,
  config,
  end,
  ends,
  fires,
  found,
  HOUR,
  member,
  MINUTE,
  REFUSED_FOR_AN_HOUR,
  route,
  rule,
  SECOND,
  sent,
  silence,
  transition,
} from './logs.ts';

describe('the oracle for people, of what is held,', () => {
  it('finds what is told in a silence, and passes it behind', () => {
    const actions = [silence(HOUR - MINUTE, HOUR + 10 * MINUTE)];
    const transitions = [fires, ends];
    expect(found({ actions, transitions, tries: [begin(HOUR), end(2 * HOUR)] })).toEqual(['against-a-hold begin']);
    expect(found({ actions, transitions, tries: [begin(HOUR + 10 * MINUTE), end(2 * HOUR)] })).toEqual([]);
  });

  it('finds what is told though another alert inhibits it, and passes it once the clock says that its watch was not polled', () => {
    const big = { ...rule('critical'), watch: 'big', labels: { watch: 'big', alert: 'low', severity: 'critical' } };
    const inhibit = [{ when: { watch: 'big' }, mute: { watch: 'coin' }, equal: [], events: 'summary' as const }];
    const version = config('first', [route({ match: { watch: 'coin' }, notify: ['ops'] })], [rule('warning'), big]);
    const configs = [{ from: 0, config: { ...version, inhibit } }];
    const labels = { watch: 'big', alert: 'low' };
    const transitions = [transition({ at: HOUR - MINUTE, watch: 'big', key: 'big', labels }), fires];
    const polls = [{ at: HOUR, watch: 'big', isComplete: true }];
    const span = { from: 0, to: HOUR + 30 * MINUTE };
    const at = HOUR + 20 * MINUTE + 20 * SECOND;
    expect(found({ span, configs, transitions, polls, tries: [begin(at)] })).toEqual(['against-a-hold begin']);
    const jumps = [{ at: HOUR + 20 * MINUTE, ms: 2 * HOUR }];
    const tries = [{ ...begin(at), closedClock: at + 2 * HOUR }];
    expect(found({ span, configs, transitions, polls, jumps, tries })).toEqual([]);
  });

  it('passes an inhibition for an hour after its watch was polled, and for five minutes after a start', () => {
    const big = { ...rule('critical'), watch: 'big', labels: { watch: 'big', alert: 'low', severity: 'critical' } };
    const inhibit = [{ when: { watch: 'big' }, mute: { watch: 'coin' }, equal: [], events: 'summary' as const }];
    const version = config('first', [route({ match: { watch: 'coin' }, notify: ['ops'] })], [rule('warning'), big]);
    const labels = { watch: 'big', alert: 'low' };
    const given = {
      configs: [{ from: 0, config: { ...version, inhibit } }],
      transitions: [transition({ at: HOUR - MINUTE, watch: 'big', key: 'big', labels }), fires],
      polls: [{ at: HOUR, watch: 'big', isComplete: true }],
    };
    const startedAt = (from: number) =>
      [
        { from: 0, to: from - MINUTE, end: 'stopped' },
        { from, to: 3 * HOUR, end: 'stopped' },
      ] as const;
    const tries = [begin(2 * HOUR + 4 * MINUTE)];
    expect(found({ ...given, tries })).toEqual(['unsent begin']);
    expect(found({ ...given, tries, lives: startedAt(HOUR + 50 * MINUTE) })).toEqual(['unsent begin']);
    expect(found({ ...given, tries, lives: startedAt(2 * HOUR) })).toEqual([]);
  });

  it('passes an event that waited for its turn, and that a silence took out of its message meanwhile', () => {
    const configs = [{ from: 0, config: config('first', [route({ notify: ['hook'] })], [rule('warning', 'event')]) }];
    const transitions = [transition({ at: HOUR, type: 'event' })];
    const busy = { endedAt: HOUR + 10 * MINUTE, knownAt: HOUR + 10 * MINUTE };
    const tries = [sent(HOUR - MINUTE, 'hook', [], busy)];
    expect(found({ configs, transitions, tries })).toEqual(['unsent event']);
    const actions = [silence(HOUR + 3 * MINUTE, HOUR + 5 * MINUTE)];
    expect(found({ configs, transitions, tries, actions })).toEqual([]);
  });

  it('finds that nobody is told when an acknowledgement has ended', () => {
    const actions = [acknowledged(HOUR + MINUTE, HOUR + 30 * MINUTE)];
    const transitions = [fires, ends];
    expect(found({ actions, transitions, tries: [begin(HOUR), end(2 * HOUR)] })).toEqual(['unsent ack-ended']);
    const owing = sent(HOUR + 30 * MINUTE, 'ops', [member({ as: 'repeat', reason: 'ack-ended' })], { kind: 'repeat' });
    expect(found({ actions, transitions, tries: [begin(HOUR), owing, end(2 * HOUR)] })).toEqual([]);
  });

  it('passes that nothing more is told when an acknowledgement has ended, if the begin is accepted only then', () => {
    const actions = [acknowledged(HOUR + MINUTE, HOUR + 30 * MINUTE)];
    const transitions = [fires, ends];
    const acceptedAt = (at: number): Try[] => [
      sent(HOUR, 'ops', [member({})], { outcome: REFUSED_FOR_AN_HOUR }),
      { ...begin(at), id: `ops ${HOUR}`, attempt: 2, closedClock: HOUR },
    ];
    expect(found({ actions, transitions, tries: [...acceptedAt(HOUR + 40 * MINUTE), end(2 * HOUR)] })).toEqual([]);
    const before = [...acceptedAt(HOUR + 20 * MINUTE), end(2 * HOUR)];
    expect(found({ actions, transitions, tries: before })).toEqual(['unsent ack-ended']);
  });

  it('finds what is told in a mute window, and passes it behind', () => {
    const mute = [{ days: [], from: 50, to: 75 }];
    const configs = [{ from: 0, config: config('first', [route({ notify: ['ops'], mute })]) }];
    const transitions = [fires, ends];
    expect(found({ configs, transitions, tries: [begin(HOUR), end(2 * HOUR)] })).toEqual(['against-a-hold begin']);
    expect(found({ configs, transitions, tries: [begin(HOUR + 15 * MINUTE), end(2 * HOUR)] })).toEqual([]);
  });

  it('finds an event that is told in a silence, and passes it in the summary of that', () => {
    const actions = [silence(HOUR - MINUTE, HOUR + 10 * MINUTE)];
    const transitions = [transition({ at: HOUR, type: 'event' })];
    const told = (at: number, kind: Try['kind']): Try => sent(at, 'ops', [member({ type: 'event' })], { kind });
    expect(found({ actions, transitions, tries: [told(HOUR, 'news')] })).toEqual(['against-a-hold event']);
    expect(found({ actions, transitions, tries: [told(HOUR + 10 * MINUTE, 'silence_summary')] })).toEqual([]);
  });

  it('reads what is over with the labels that its rule had then, though a reload has changed them', () => {
    const mute = [{ days: [], from: 150, to: 170 }];
    const routes = [route({ match: { severity: 'critical' }, mute }), route({ notify: ['ops'] })];
    const severity = 'critical';
    const over = { seq: 2, type: 'resolved', severity } as const;
    const foundIf = (reloadedAt: number): string[] =>
      found({
        configs: [
          { from: 0, config: config('first', routes, [rule('critical')]) },
          { from: reloadedAt, config: config('second', routes, [rule('warning')]) },
        ],
        actions: [silence(HOUR - MINUTE, 155 * MINUTE)],
        transitions: [transition({ at: HOUR, severity }), transition({ at: 2 * HOUR, ...over })],
        tries: [
          sent(170 * MINUTE, 'ops', [member({ ...over, as: 'fired-and-resolved' })], { kind: 'silence_summary' }),
        ],
      });
    expect(foundIf(130 * MINUTE)).toEqual([]);
    expect(foundIf(110 * MINUTE)).toContain('unsent short');
  });
});
