// What is drawn from a seed.
import { expect, test } from '@jest/globals';
import { drawRounds, EVERY_FAULT, faultOf } from './catalogue.ts';

const rounds = drawRounds(7, 300, EVERY_FAULT, 3);
const two = rounds.filter((round) => round.length === 2);

test('every kind comes once before any comes again, and a seed draws the same', () => {
  const firsts = rounds.slice(0, EVERY_FAULT.length).map(([{ name }]) => name);
  expect(firsts.toSorted()).toEqual([...EVERY_FAULT].toSorted());
  expect(drawRounds(7, 300, EVERY_FAULT, 3)).toEqual(rounds);
});

test('in a third of the rounds two faults of different rooms are struck over each other', () => {
  expect(two.length / rounds.length).toBeGreaterThan(0.25);
  expect(two.length / rounds.length).toBeLessThan(0.4);
  expect(two.filter((round) => new Set(round.map(({ name }) => faultOf(name).room)).size < 2)).toEqual([]);
});

test('a replica that is down while configs differ would let the others retire: those are never struck together', () => {
  const rooms = two.map((round) => round.map(({ name }) => faultOf(name).room));
  expect(
    rooms.filter((some) => some.includes('config') && (some.includes('replica') || some.includes('database'))),
  ).toEqual([]);
});
