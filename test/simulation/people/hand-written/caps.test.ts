import { describe, expect, it } from '@jest/globals';
import type { Try, TryMember } from '../log.ts';
import {
  HOUR,
  MINUTE,
  SECOND,
  begin,
  config,
  end,
  ends,
  fires,
  found,
  member,
  route,
  sent,
  transition,
} from './logs.ts';

describe('the oracle for people, of caps and summaries,', () => {
  it('finds more messages than a recipient may be sent', () => {
    const many = Array.from({ length: 11 }, (_, n) =>
      transition({ at: HOUR + n * 2 * SECOND, key: `e${n}`, type: 'event' }),
    );
    const tries = many.map(({ key, at }) => sent(at ?? 0, 'ops', [member({ key, type: 'event' })]));
    expect(found({ transitions: many.slice(0, 10), tries: tries.slice(0, 10) })).toEqual([]);
    expect(found({ transitions: many, tries })).toEqual(['over-the-cap burst']);
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
});
