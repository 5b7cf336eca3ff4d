import { describe, expect, it } from '@jest/globals';
import type { CommittedTransition, Try } from '../log.ts';
import { HOUR, MINUTE, begin, end, ends, fires, found, member, sent, silence, transition } from './logs.ts';

describe('the oracle for people, of what is over,', () => {
  it('finds an end that is not sent, and passes it where the receiver refuses', () => {
    const refused = { outcome: { type: 'refused', why: 'busy', retryAfterMs: 3_600_000 } } as const;
    expect(found({ transitions: [fires, ends], tries: [begin(HOUR)] })).toEqual(['end-unsent end']);
    const tries = [begin(HOUR), { ...end(2 * HOUR), ...refused, knownAt: 2 * HOUR }];
    expect(found({ transitions: [fires, ends], tries })).toEqual([]);
  });

  it('finds an end to who was never sent the begin', () => {
    const tries = [begin(HOUR), end(2 * HOUR), end(2 * HOUR, 'team')];
    expect(found({ transitions: [fires, ends], tries })).toEqual(['invented end-without-begin']);
  });

  it('passes an end that is sent at the moment of its begin', () => {
    const late = [begin(2 * HOUR), { ...end(2 * HOUR), id: 'end' }];
    expect(found({ transitions: [fires, ends], tries: late })).toEqual(['unsent begin']);
  });

  it('passes what was over in a silence in the next slot, where its summary has gone out', () => {
    const actions = [silence(HOUR - MINUTE, HOUR + 2 * MINUTE)];
    const over = (key: string, at: number): CommittedTransition[] => [
      transition({ at: HOUR, key }),
      transition({ at, key, seq: 2, type: 'resolved' }),
    ];
    const counted = (key: string, at: number): Try =>
      sent(at, 'ops', [member({ key, seq: 2, type: 'resolved', as: 'fired-and-resolved' })], {
        kind: 'silence_summary',
      });
    const transitions = [...over('k', HOUR + MINUTE), ...over('other', HOUR + 3 * MINUTE)];
    const first = counted('k', HOUR + 2 * MINUTE);
    expect(found({ actions, transitions, tries: [first, counted('other', HOUR + 10 * MINUTE)] })).toEqual([]);
    expect(found({ actions, transitions, tries: [first, counted('other', HOUR + 15 * MINUTE)] })).toEqual([
      'unsent short',
    ]);
  });
});
