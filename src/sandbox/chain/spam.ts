// Spam arrives at the treasury every eight blocks, stays for a while and vanishes. Two of three tokens are known as
// scam on arrival, the third is marked three blocks later. The tokens rotate, so the treasury holds only a few at a
// time, and an arriving token was not held in the recent past.
import { ROTATING } from './catalogue.ts';

export const SPAM_EVERY = 8;
const SPAM_STAYS = 48;
const FOUND_OUT_AFTER = 3;
const FLIPS_EVERY = 20;

/** Numbers of the rotating spam tokens that are held at a height. */
export function spamHeldAt(height: number, phase: number): number[] {
  const latest = Math.floor((height + phase) / SPAM_EVERY);
  const oldest = Math.ceil((height + phase - SPAM_STAYS + 1) / SPAM_EVERY);
  const numbers: number[] = [];
  for (let arrival = Math.max(0, oldest); arrival <= latest; arrival++) numbers.push(arrival % ROTATING);
  return numbers;
}

/** The number of the spam token that arrives in this block; undefined if none does. */
export function spamArrivingAt(height: number, phase: number): number | undefined {
  const place = height + phase;
  return place % SPAM_EVERY === 0 ? (place / SPAM_EVERY) % ROTATING : undefined;
}

/** True if a rotating token counts as scam: from its arrival, or soon after, until its next arrival. */
export function isRotatingScam(number: number, height: number, phase: number): boolean {
  const rounds = ROTATING * SPAM_EVERY;
  const age = (height + phase + rounds - number * SPAM_EVERY) % rounds;
  return number % 3 !== 1 || age >= FOUND_OUT_AFTER;
}

/** True if the well-known SPAM token counts as scam. */
export function isFlippingScam(height: number, phase: number): boolean {
  return Math.floor((height + phase) / FLIPS_EVERY) % 2 === 1;
}
