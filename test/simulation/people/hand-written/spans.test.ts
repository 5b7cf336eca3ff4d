import { expect, it } from '@jest/globals';
import { gapsIn } from '../facts/spans.ts';

it('has gaps only within the stretch that it is asked for', () => {
  const spans = [
    { from: 1, to: 2 },
    { from: 4, to: 6 },
    { from: 12, to: 13 },
  ];
  expect(gapsIn(spans, { from: 5, to: 10 })).toEqual([{ from: 6, to: 10 }]);
  expect(gapsIn(spans, { from: 0, to: 5 })).toEqual([
    { from: 0, to: 1 },
    { from: 2, to: 4 },
  ]);
  expect(gapsIn(spans, { from: 7, to: 9 })).toEqual([{ from: 7, to: 9 }]);
});
