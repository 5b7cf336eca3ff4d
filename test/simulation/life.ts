// What happens on the chain on a day without faults: about 150 things that rules ask about.
import { BLOCK_MS, inBlock, type Command } from './commands.ts';
import { createDraw, type Draw } from './draw.ts';
import type { Instant } from './model.ts';

export const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** `start`: of the history, on which the daemon first looks. */
export function lifeOf(seed: number, start: Instant, days: number): Command[] {
  return [
    ...before(start),
    ...Array.from({ length: days }, (_, day) => dayOf(createDraw(seed, 'day', day), start + day * DAY_MS, day)).flat(),
  ];
}

/** What was there already, and is no news. */
function before(start: Instant): Command[] {
  const at = inBlock(start - 2 * HOUR_MS, 10_000);
  const calls = [0, 1, 2].map((n): Command[] => [
    // Nothing of them can be seen at first: an empty list is no reason to tell of what is old.
    { do: 'call', at: at + n * BLOCK_MS, id: `old-${n}`, to: 'bridge', reason: 'old', isHidden: true },
    { do: 'reveal', at: inBlock(start + (1 + n) * HOUR_MS, 10_000), id: `old-${n}` },
    { do: 'call', at: at - (20 + n) * BLOCK_MS, id: `known-${n}`, to: 'vault', reason: 'known', isHidden: false },
  ]);
  return [
    ...calls.flat(),
    { do: 'coin', at, value: 150 },
    { do: 'token', at, token: 'USDC', value: 2_000_000_000_000 },
    { do: 'token', at, token: 'SPAM', value: 0 },
    { do: 'token', at, token: 'BADGE', value: 0 },
    { do: 'token', at, token: 'ITEMS', value: 0 },
    { do: 'flag', at, reputation: 'ok' },
  ];
}

function dayOf(draw: Draw, day: Instant, number: number): Command[] {
  const when = (offsetMs: number): Instant => inBlock(day + draw.below(DAY_MS), offsetMs);
  const times = (count: number, make: (n: number) => Command): Command[] =>
    Array.from({ length: count }, (_, n) => make(n));
  const call =
    (to: 'vault' | 'bridge' | 'factory') =>
    (n: number): Command => ({
      do: 'call',
      at: when(10_000 + draw.below(20_000)),
      id: `${number}-${to}-${n}`,
      to,
      reason: draw.chance(0.6) ? 'failed' : null,
      isHidden: false,
    });
  return [
    ...times(40, call('vault')),
    ...times(10, call('bridge')).filter(({ at }) => number > 0 || at > day + 6 * HOUR_MS),
    ...times(12, call('factory')),
    ...times(40, (n) => sent(draw, when(15_000), `${number}-sent-${n}`)),
    ...times(5, (n) => ({
      ...sent(draw, when(17_000), `${number}-large-${n}`),
      from: draw.pick(['router', 'market'] as const),
      value: draw.pick([10, 999, 1000, 1001, 5000]),
    })),
    ...coins(draw, day),
    ...dollars(draw, day),
    ...times(8, () => ({
      do: 'token',
      at: when(30_000),
      token: draw.pick(['SPAM', 'BADGE', 'ITEMS'] as const),
      value: draw.pick([0, 0, 5, 6]),
    })),
    ...times(5, () => ({ do: 'flag', at: when(35_000), reputation: draw.pick(['ok', 'scam'] as const) })),
  ];
}

function sent(draw: Draw, at: Instant, id: string): Extract<Command, { do: 'transaction' }> {
  const isFailed = draw.chance(0.25);
  const waits = draw.chance(0.3) ? draw.between(5, 40) : null;
  return { do: 'transaction', at, id, from: 'hot_wallet', value: draw.between(0, 9), isFailed, waits, nonce: null };
}

/** Half an hour apart, so that no condition flaps; now and then it dips for less than `for`. */
function coins(draw: Draw, day: Instant): Command[] {
  const scene = day + draw.between(3, 20) * HOUR_MS;
  const commands: Command[] = twoEqualLows(scene);
  for (let at = day; at < day + DAY_MS; at += draw.between(30, 90) * 60_000) {
    if (at > scene - HOUR_MS && at < scene + 4 * HOUR_MS) continue;
    const value = draw.pick([150, 125, 121, 118, 110, 105, 99, 95, 80]);
    if (draw.chance(0.3)) commands.push({ do: 'coin', at: inBlock(at, 25_000), value: 95 });
    commands.push({ do: 'coin', at: inBlock(at + 7 * 60_000, 25_000), value });
  }
  return commands;
}

/** The second one is still within the window of two hours when the first one has left it: 110 is no new low. */
function twoEqualLows(from: Instant): Command[] {
  const steps = [
    [0, 95],
    [20, 150],
    [60, 95],
    [80, 150],
    [150, 110],
  ] as const;
  return steps.map(([minutes, value]) => ({ do: 'coin', at: inBlock(from + minutes * 60_000, 25_000), value }));
}

function dollars(draw: Draw, day: Instant): Command[] {
  const commands: Command[] = [];
  for (let at = day; at < day + DAY_MS; at += draw.between(60, 180) * 60_000)
    commands.push({ do: 'token', at: inBlock(at, 26_000), token: 'USDC', value: draw.pick(DOLLARS) });
  return commands;
}

/** With six decimals; 0 takes it out of the list. */
const DOLLARS = [2_000_000_000_000, 1_000_000_000_000, 999_999_999_999, 500_000_000_000, 0] as const;
