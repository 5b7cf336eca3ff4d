import { describe, expect, it } from '@jest/globals';
import type { PeopleLog } from '../log.ts';
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
  REFUSED_FOR_AN_HOUR,
  repeat,
  route,
  SECOND,
  sent,
  TO_OPS,
  transition,
} from './logs.ts';

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

  it('passes what was told from memory while the store refused it', () => {
    const refused = { ...fires, at: null, fromMemoryAt: HOUR };
    const told = { ...begin(HOUR), marks: { maybeCopy: false, fromMemory: true } };
    expect(found({ transitions: [refused, ends], tries: [told, end(2 * HOUR)] })).toEqual([]);
  });

  it('passes whom a reload of a moment before no longer names', () => {
    const transitions = [fires, ends];
    const reloaded = (at: number): PeopleLog['configs'] => [
      { from: 0, config: config('first', [route({ notify: ['ops', 'team'] })]) },
      { from: at, config: TO_OPS },
    ];
    const tries = [begin(HOUR), begin(HOUR + 10 * SECOND, 'team'), end(2 * HOUR), end(2 * HOUR, 'team')];
    expect(found({ configs: reloaded(HOUR - 10 * SECOND), transitions, tries })).toEqual([]);
    expect(found({ configs: reloaded(HOUR - MINUTE), transitions, tries })).toEqual(['invented not-named']);
  });

  it('finds a begin that is told a minute after its end, and passes one of a moment after', () => {
    const over = transition({ at: HOUR + 20 * SECOND, seq: 2, type: 'resolved' });
    const told = (at: number): string[] =>
      found({ transitions: [fires, over], tries: [begin(at), { ...end(at), id: 'end' }] });
    expect(told(HOUR + 40 * SECOND)).toEqual([]);
    expect(told(HOUR + 85 * SECOND)).toEqual(['stale begin']);
  });

  it('finds an end that is told as if nobody knew of the begin, and passes it where the begin was refused', () => {
    const short = sent(2 * HOUR, 'ops', [member({ seq: 2, type: 'resolved', as: 'fired-and-resolved' })]);
    const refused = sent(HOUR, 'ops', [member({})], { outcome: REFUSED_FOR_AN_HOUR });
    const transitions = [fires, ends];
    expect(found({ transitions, tries: [begin(HOUR), short] })).toEqual(['invented told-as-untold']);
    expect(found({ transitions, tries: [refused, short] })).toEqual([]);
  });

  it('finds what is sent again under its id after it was taken over', () => {
    const again = { ...begin(HOUR + MINUTE), id: `ops ${HOUR}`, attempt: 2 };
    expect(found({ transitions: [fires, ends], tries: [begin(HOUR), again, end(2 * HOUR)] })).toEqual(['twice known']);
  });

  it('finds what is told behind what came after it, and passes it before', () => {
    const first = sent(HOUR, 'ops', [member({})], { outcome: REFUSED_FOR_AN_HOUR });
    const told = (at: number): string[] =>
      found({ transitions: [fires, ends], tries: [first, { ...begin(at), id: first.id, attempt: 2 }, end(2 * HOUR)] });
    expect(told(2 * HOUR - MINUTE)).toEqual([]);
    expect(told(2 * HOUR + MINUTE)).toEqual(['stale overtaken']);
  });
});
