// What happens on the chain on a day in the life of contracts, without faults.
import { contractOf } from './chain/chain.ts';
import { inBlock, type Code, type Command, type EventName, type Party, type TokenName } from './commands.ts';
import { createDraw, type Draw } from './draw.ts';
import type { ValueName } from './chain/values.ts';
import { DAY_MS } from './life.ts';
import type { Instant } from './model.ts';

/** `start`: of the history, on which the daemon first looks. */
export function contractLifeOf(seed: number, start: Instant, days: number): Command[] {
  const before: Command[] = [
    { do: 'upgrade', at: inBlock(start - HOUR_MS, 10_000), to: 'implementation' },
    ...firstValues(start),
  ];
  const life = Array.from({ length: days }, (_, day) => {
    const from = start + day * DAY_MS;
    const drawn = (of: string): Draw => createDraw(seed, of, day);
    return [
      ...admin(drawn('admin'), from, day),
      ...approvals(drawn('approvals'), from, day),
      ...upgrades(drawn('code'), from),
      ...transfers(drawn('transfers'), from, day),
      ...rows(drawn('rows'), from, day),
      ...values(drawn('values'), from),
    ];
  });
  return [...before, ...life.flat()];
}

const MINUTE = 60_000;
const HOUR_MS = 60 * MINUTE;
/** Not before the daemon has seen where everything begins. */
const CALM_MS = 600_000;

function moment(draw: Draw, day: Instant): Instant {
  return inBlock(day + CALM_MS + draw.below(DAY_MS - CALM_MS), 10_000 + draw.below(28_000));
}

const PARTIES = ['treasury', 'treasury', 'hot_wallet', 'router', 'market'] as const;
type AdminEvent = 'Paused' | 'OwnershipTransferred' | 'RoleGranted';
const ROLE = `0x${'0'.repeat(63)}7`;
const ADMIN_EVENTS = 45;
const APPROVALS = 60;

/** Of the vault, and the same ones of a stranger. */
function admin(draw: Draw, from: Instant, day: number): Command[] {
  return Array.from({ length: ADMIN_EVENTS }, (_, n) => {
    const at = moment(draw, from);
    const event = draw.pick<AdminEvent>(['Paused', 'OwnershipTransferred', 'OwnershipTransferred', 'RoleGranted']);
    const [first, second] = [addressOf(draw), addressOf(draw)];
    const args = { Paused: [first], OwnershipTransferred: [first, second], RoleGranted: [ROLE, first, second] }[event];
    const of = draw.pick<Emitted['of']>(['vault', 'vault', 'vault', 'collector']);
    return emitted(draw, { at, id: `${day}-admin-${n}`, of, event, args });
  });
}

/** Blocks in a row that have something in them; now and then one of them is empty. */
function rows(draw: Draw, from: Instant, day: number): Command[] {
  const commands: Command[] = [];
  for (let at = from + CALM_MS; at < from + DAY_MS - HOUR_MS; at += draw.pick([25, 30, 40, 110]) * MINUTE) {
    const length = draw.pick([2, 3, 3, 4, 5, 9]);
    const left = draw.chance(0.2) ? draw.below(length) : -1;
    for (let n = 0; n < length; n += 1) {
      const place = { at: inBlock(at + n * MINUTE, 12_000), id: `${day}-row-${at}-${n}` };
      const sent = { do: 'transaction', from: 'market', value: 1, isFailed: false, waits: null, nonce: null } as const;
      if (n !== left) commands.push({ ...sent, ...place });
    }
  }
  return commands;
}

const TRANSFERS = 70;

/** Of tokens that the config names, and of one that it does not name; now and then of nothing, and many in one block. */
function transfers(draw: Draw, from: Instant, day: number): Command[] {
  const together = moment(draw, from);
  return Array.from({ length: TRANSFERS }, (_, n): Command => {
    const at = draw.chance(0.1) ? together : moment(draw, from);
    const [token, value] = [draw.pick<TokenName>(['USDC', 'USDC', 'ACME', 'SPAM']), draw.pick([0, 7, 5_000_000_000])];
    const [sender, receiver] = draw.pick<readonly [Party, Party]>([
      ['treasury', 'market'],
      ['treasury', 'hot_wallet'],
      ['router', 'treasury'],
      ['hot_wallet', 'market'],
    ]);
    return { do: 'transfer', at, id: `${day}-transfer-${n}`, token, from: sender, to: receiver, value };
  });
}

/** Now and then one is undone before long, and now and then nobody could see it. */
function upgrades(draw: Draw, from: Instant): Command[] {
  const commands: Command[] = [];
  for (let at = from + CALM_MS; at < from + DAY_MS - HOUR_MS; at += draw.between(20, 70) * MINUTE) {
    const to = draw.pick<Code>(['implementation', 'implementation', 'safe_singleton', 'factory', 'bridge']);
    commands.push({ do: 'upgrade', at: inBlock(at, 30_000), to });
    const minutes = draw.pick([0, 0, 0, 3, 17, 32]);
    at += minutes * MINUTE;
    if (minutes > 0) commands.push({ do: 'upgrade', at: inBlock(at, 30_000), to: 'implementation' });
  }
  return commands;
}

const FIRST_VALUES: Readonly<Record<ValueName, string>> = {
  owner: contractOf('treasury').toLowerCase(),
  paused: '0',
  assets: dollars(2000),
  limit: '1',
  other_limit: '100',
  guardian: contractOf('router').toLowerCase(),
};

/** So long ago that no reorganisation reaches them. */
function firstValues(start: Instant): Command[] {
  const at = inBlock(start - 3 * HOUR_MS, 10_000);
  const set = Object.entries(FIRST_VALUES) as [ValueName, string][];
  return [...set.map(([of, to]): Command => ({ do: 'value', at, of, to })), { do: 'coin', at, value: 150 }];
}

const addressText = (draw: Draw): string => addressOf(draw).toLowerCase();

/** Each value with the minutes between two changes, and with the next value. */
const CHANGING: readonly (readonly [ValueName, readonly [number, number], (draw: Draw) => string])[] = [
  ['owner', [15, 50], addressText],
  ['guardian', [15, 50], addressText],
  ['limit', [15, 55], (draw) => String(draw.below(9))],
  ['other_limit', [15, 55], (draw) => String(100 + draw.below(9))],
  ['assets', [20, 60], (draw) => dollars(draw.pick([500, 800, 999, 1000, 1200, 2000]))],
];

/** The values of contracts change. At times the call for the assets reverts. */
function values(draw: Draw, from: Instant): Command[] {
  const changes = CHANGING.flatMap(([of, minutes, to]) =>
    spread(draw, from, minutes, (at): Command[] => [{ do: 'value', at, of, to: to(draw) }]),
  );
  const paused = spread(draw, from, [50, 120], (at): Command[] => [
    { do: 'value', at, of: 'paused', to: '1' },
    { do: 'value', at: later(at, draw.pick([5, 17, 33, 40])), of: 'paused', to: '0' },
  ]);
  const coins = spread(draw, from, [20, 60], (at): Command[] => [
    { do: 'coin', at, value: draw.pick([80, 95, 120, 150, 200]) },
  ]);
  const reverts = spread(draw, from, [90, 240], (at): Command[] => [
    { do: 'reverts', at, of: 'assets', isSo: true },
    { do: 'reverts', at: later(at, draw.pick([3, 20, 45, 80])), of: 'assets', isSo: false },
  ]);
  return [...changes, ...paused, ...coins, ...reverts];
}

function later(at: Instant, minutes: number): Instant {
  return inBlock(at + minutes * MINUTE, 30_000);
}

/** `minutes`: from one to the next. */
function spread(
  draw: Draw,
  from: Instant,
  [least, most]: readonly [number, number],
  make: (at: Instant) => Command[],
): Command[] {
  const commands: Command[] = [];
  for (let at = from + CALM_MS; at < from + DAY_MS - HOUR_MS; at += draw.between(least, most) * MINUTE)
    commands.push(...make(inBlock(at, 10_000 + draw.below(28_000))));
  return commands;
}

/** With six decimals. */
function dollars(amount: number): string {
  return `${amount}000000`;
}

const UNLIMITED = String(2n ** 256n - 1n);

/** Of a token that the config names, and of one that it does not name. */
function approvals(draw: Draw, from: Instant, day: number): Command[] {
  return Array.from({ length: APPROVALS }, (_, n) => {
    const at = moment(draw, from);
    const args = [addressOf(draw), addressOf(draw), draw.pick(['0', '5000000', UNLIMITED])];
    const of = draw.pick<Emitted['of']>(['USDC', 'USDC', 'USDC', 'SPAM']);
    return emitted(draw, { at, id: `${day}-approval-${n}`, of, event: 'Approval', args });
  });
}

interface Emitted {
  readonly at: Instant;
  readonly id: string;
  readonly of: Party | TokenName;
  readonly event: EventName;
  readonly args: readonly string[];
}

function emitted(draw: Draw, event: Emitted): Command {
  return { ...event, do: 'event', times: draw.chance(0.2) ? 2 : 1 };
}

function addressOf(draw: Draw): string {
  return contractOf(draw.pick(PARTIES));
}
