import { describe, expect, it } from '@jest/globals';
import type { Try, TryMember } from '../log.ts';
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
  sent,
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

  it('passes that nothing is repeated while it is acknowledged', () => {
    const configs = [{ from: 0, config: config('first', [route({ notify: ['ops'], repeatMs: 30 * MINUTE })]) }];
    const told = { configs, transitions: [fires, ends], tries: [begin(HOUR), end(2 * HOUR)] };
    expect(found(told)).toEqual(['repeat-wrong repeat']);
    expect(found({ ...told, actions: [acknowledged(HOUR + MINUTE, DAY)] })).toEqual([]);
  });
});
