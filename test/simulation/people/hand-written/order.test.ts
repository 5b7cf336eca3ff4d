import { describe, expect, it } from '@jest/globals';
import { HOUR, MINUTE, begin, end, ends, fires, found, repeat } from './logs.ts';

describe('the oracle for people, of what must not be said,', () => {
  it('finds what never happened, and whom nothing names', () => {
    expect(found({ tries: [begin(HOUR)] })).toEqual(['invented of-nothing']);
    const tries = [begin(HOUR), begin(HOUR, 'team'), end(2 * HOUR), end(2 * HOUR, 'team')];
    expect(found({ transitions: [fires, ends], tries })).toEqual(['invented not-named']);
  });

  it('finds a begin that is told after its end', () => {
    const tries = [begin(HOUR), end(2 * HOUR), { ...repeat(2 * HOUR + 2 * MINUTE) }];
    expect(found({ transitions: [fires, ends], tries })).toContain('stale repeat');
  });

  it('finds what is told twice, and passes a copy', () => {
    const again = { ...begin(HOUR + MINUTE), id: 'other' };
    const copy = {
      ...begin(HOUR + MINUTE),
      id: `ops ${HOUR}`,
      attempt: 2,
      marks: { maybeCopy: true, fromMemory: false },
    };
    const transitions = [fires, ends];
    expect(found({ transitions, tries: [begin(HOUR), again, end(2 * HOUR)] })).toEqual(['twice known']);
    expect(found({ transitions, tries: [begin(HOUR), copy, end(2 * HOUR)] })).toEqual([]);
  });
});
