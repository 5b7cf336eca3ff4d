// Who looks again only at what has changed must never miss a change.
import { expect, test } from '@jest/globals';
import { createChangedWatches } from '../../../src/engine/polling/state.ts';

test('names the watches that changed since a mark', () => {
  const changed = createChangedWatches();
  expect(changed.since(0).ids).toBeNull();
  const { mark } = changed.since(0);
  changed.note('a');
  changed.note('b');
  const next = changed.since(mark);
  expect(next.ids).toEqual(['a', 'b']);
  changed.note('a');
  expect(changed.since(next.mark).ids).toEqual(['a']);
  expect(changed.since(mark).ids).toEqual(['a', 'b', 'a']);
});

test('who has not looked for long, or since other watches are in force, looks at all of them', () => {
  const changed = createChangedWatches();
  const { mark } = changed.since(0);
  changed.noteAll();
  const reloaded = changed.since(mark);
  expect(reloaded.ids).toBeNull();
  expect(changed.since(reloaded.mark).ids).toEqual([]);
  for (let i = 0; i < 4000; i += 1) changed.note(`w${i}`);
  expect(changed.since(reloaded.mark).ids).toBeNull();
  expect(changed.since(0).ids).toBeNull();
});

test('of a busy daemon the last two thousand changes are always known', () => {
  const changed = createChangedWatches();
  for (let i = 0; i < 10_000; i += 1) {
    const { mark } = changed.since(0);
    changed.note(`w${i}`);
    expect(changed.since(mark).ids).toEqual([`w${i}`]);
  }
});
