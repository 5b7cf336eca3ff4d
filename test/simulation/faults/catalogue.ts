// Every kind of fault, and what its numbers are drawn from. What a kind does stands in the file of its group.
import type { Draw } from '../draw.ts';
import type { PlannedFault } from '../model.ts';
import { PATHS } from '../rules.ts';
import type { FaultKind } from './kinds.ts';

/** What a kind draws; what it leaves out is 0, and null for the path. */
type Drawn = Partial<Pick<PlannedFault, 'ms' | 'times' | 'path' | 'amount'>>;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const LISTS = [PATHS.vault, PATHS.newcomer, PATHS.busy, PATHS.wallet, PATHS.large, PATHS.tokens] as const;
const ALL = [...LISTS, PATHS.blocks, PATHS.coin, PATHS.acme] as const;

/** Strikes answers to one path, or to all of them, within some polls. */
function answers(times: number): (draw: Draw) => Drawn {
  return (draw) => ({
    ms: draw.between(2, 40) * MINUTE,
    times: draw.between(1, times),
    path: draw.chance(0.3) ? null : draw.pick(ALL),
  });
}

/** Strikes every answer to one path, or to all of them, for hours at most. */
function outage(draw: Draw): Drawn {
  return {
    ms: draw.between(10, 180) * MINUTE,
    times: Number.MAX_SAFE_INTEGER,
    path: draw.chance(0.3) ? null : draw.pick(ALL),
  };
}

/** Strikes one list, within an hour. */
function lists(times: number): (draw: Draw) => Drawn {
  return (draw) => ({ ms: HOUR, times: draw.between(1, times), path: draw.pick(LISTS) });
}

/** Strikes answers to calls of contracts, within some polls. */
function calls(times: number): (draw: Draw) => Drawn {
  return (draw) => ({
    ms: draw.between(10, 60) * MINUTE,
    times: draw.between(1, times),
    path: PATHS.rpc,
    amount: draw.below(20),
  });
}

function lasting(least: number, most: number): (draw: Draw) => Drawn {
  return (draw) => ({ ms: draw.between(least, most) });
}

/** Channels of the first config, whatever they are called later. */
const RECEIVERS = ['hook', 'hook', 'post', 'post', 'team', 'team', 'pager', 'pager', 'phone', 'spare'] as const;

const any = (draw: Draw): Drawn => ({ amount: draw.below(2 ** 31) });

const once = (): Drawn => ({ ms: HOUR, times: 1 });

export const CATALOGUE: Readonly<Record<FaultKind, (draw: Draw) => Drawn>> = {
  // `amount`: after so many ms the limiter lets requests pass again.
  'rate-limited': (draw) => ({ ...answers(2)(draw), amount: draw.between(300, 4000) }),
  'server-error': answers(6),
  'bad-gateway': answers(6),
  unavailable: outage,
  unauthorized: (draw) => ({ ms: HOUR, times: draw.between(2, 4) }),
  blocked: answers(4),
  'out-of-credits': (draw) => ({ ms: draw.between(10, 40) * MINUTE, times: Number.MAX_SAFE_INTEGER }),
  'not-found': answers(2),
  unprocessable: answers(2),
  html: answers(3),
  redirect: answers(3),

  truncated: answers(6),
  cut: answers(6),
  oversized: answers(2),
  'slow-headers': answers(3),
  'slow-body': answers(3),
  dns: outage,
  tls: answers(3),
  refused: answers(6),

  array: lists(3),
  null: answers(3),
  'no-items': lists(3),
  'duplicate-cursor-keys': lists(4),
  'repeated-page': lists(2),
  'stuck-cursor': lists(2),
  'numbers-as-strings': lists(4),
  'old-names': lists(4),
  nulls: lists(2),
  'lost-implementations': answers(4),
  'no-calls': answers(4),
  // Three in a row would be believed, and rightly so.
  'empty-list': lists(2),
  'unknown-limits': answers(4),
  'empty-cursor': lists(2),
  'missing-field': (draw) => ({ ms: HOUR, times: draw.between(1, 2), path: draw.pick([...LISTS, PATHS.coin]) }),

  // `amount`: so many blocks; `times` 1: what was in them is mined again, 0: it is dropped.
  reorg: (draw) => ({ times: draw.below(2), amount: depth(draw) }),
  // `ms`: so long after its block the call is traced, some pages below the newest ones.
  'late-call': lasting(20 * MINUTE, 6 * HOUR),
  // `ms`: so long it waited.
  'dropped-pending': lasting(10 * MINUTE, 2 * HOUR),
  'replaced-pending': lasting(10 * MINUTE, 2 * HOUR),
  // `amount`: it is that deep when its block is replaced and it ends otherwise.
  'changed-row': (draw) => ({ amount: draw.between(10, 50) }),
  // `amount`: so many calls in a quarter of an hour.
  burst: (draw) => ({ amount: draw.between(70, 300) }),
  stalled: lasting(20 * MINUTE, 2 * HOUR),
  'other-chain': lasting(5 * MINUTE, HOUR),

  // `amount`: so many blocks behind; `times` 1: every request goes there, 0: half of them.
  'lagging-replica': (draw) => ({
    ms: draw.between(5, 100) * MINUTE,
    amount: draw.between(1, 40),
    times: draw.below(2),
  }),
  // `amount`: so deep the other head leaves the chain; `times` 1: it becomes the chain.
  'forked-replicas': (draw) => ({
    ms: draw.between(15, 80) * MINUTE,
    amount: draw.between(1, 12),
    times: draw.below(2),
  }),

  'spurious-402': once,
  'spurious-401': once,
  // `amount`: ms to the reset that the limiter announces.
  drained: (draw) => ({ ...answers(3)(draw), amount: draw.between(500, 8000) }),
  // `amount`: ms to the reset, which is written as another server would write it.
  'reset-dialect': (draw) => ({ ...answers(2)(draw), amount: draw.between(1, 8) * SECOND }),

  // `amount`: another program takes so many credits.
  foreign: (draw) => ({ ms: draw.between(1, 180) * MINUTE, amount: draw.between(1, 60) * 500 }),
  // `ms`: so long after midnight the next refill comes.
  'late-reset': lasting(5 * SECOND, 4 * MINUTE),
  // `amount`: percent of the right price.
  'wrong-price': (draw) => ({ ms: draw.between(1, 12) * HOUR, amount: draw.pick([50, 150, 200, 300]) }),
  // `amount`: one header says so much.
  'wrong-header': (draw) => ({ ...once(), amount: draw.pick([0, -1, 20, 50_000, 100_000, 1_000_000]) }),

  // `amount`: the call that is meant, of those in a request.
  'call-reverts': calls(4),
  'call-refused': calls(4),
  'odd-length': calls(4),
  'nothing-returned': calls(4),
  'node-fails': calls(6),
  'no-block': calls(5),
  'too-many-calls': calls(3),

  // `amount`: it dies at its so-many-th deed after that moment; `ms`: so long it is down.
  kill: (draw) => ({ amount: draw.between(1, 40), ms: draw.between(1, 300) * SECOND }),
  downtime: (draw) => ({ ms: draw.chance(0.7) ? draw.between(5, 60) * MINUTE : draw.between(1, 9) * HOUR }),
  // `amount`: so many ms it is wrong.
  'clock-forward': (draw) => ({ ms: draw.between(5, 60) * MINUTE, amount: draw.between(1, 7200) * SECOND }),
  'clock-back': (draw) => ({ ms: draw.between(5, 60) * MINUTE, amount: draw.between(1, 7200) * SECOND }),
  reload: () => ({}),

  'commit-refused': lasting(10 * SECOND, 15 * MINUTE),
  'commit-kept-but-error': (draw) => ({ ms: HOUR, times: draw.between(1, 2) }),
  'commit-superseded': (draw) => ({ ms: HOUR, times: draw.between(1, 6) }),

  // `amount`: ms until a message is accepted.
  'slow-sink': (draw) => ({ ms: draw.between(10, 60) * MINUTE, amount: draw.between(5, 120) * SECOND }),
  'sink-5xx': lasting(5 * MINUTE, 3 * HOUR),
  'sink-4xx': lasting(5 * MINUTE, 3 * HOUR),
  'sink-unknown': (draw) => ({ ms: HOUR, times: draw.between(1, 3) }),

  // `amount`: of scenes, what they draw from when they happen.
  'channel-renamed': any,
  'channel-renamed-back': any,
  'channel-replaced': any,
  'channel-removed': any,
  'channel-returned': any,
  'recipients-changed': any,
  'route-added': any,
  'routes-reordered': any,
  'severity-raised': any,
  'severity-lowered': any,
  'escalation-edited': any,
  'mutes-changed': any,
  'groups-changed': any,
  'cap-changed': any,
  'rule-edited': any,
  'muted-now': any,
  'cap-tightened': any,
  'inhibition-changed': any,
  'self-changed': any,
  // `path`: the rule.
  'rule-turned': any,
  'rule-turned-back': any,
  // `ms`: so long it holds. `path`: the alert that is meant, where there is one; null: any.
  ack: (draw) => ({ ...any(draw), ms: 24 * HOUR }),
  snooze: (draw) => ({ ...any(draw), ms: draw.between(2, 36) * 5 * MINUTE }),
  'ack-all': (draw) => ({ ...any(draw), ms: 24 * HOUR }),
  'ack-withdrawn': any,
  'ack-replaced': (draw) => ({ ...any(draw), ms: draw.between(2, 240) * 5 * MINUTE }),
  silence: (draw) => ({ ...any(draw), ms: draw.between(2, 48) * 5 * MINUTE }),
  'silence-extended': (draw) => ({ ...any(draw), ms: draw.between(2, 24) * 5 * MINUTE }),
  'silence-ended': any,
  pause: (draw) => ({ ...any(draw), ms: draw.between(4, 48) * 5 * MINUTE }),
  'pause-ended': any,
  // `amount`: so many calls in as many blocks as `times` says.
  storm: (draw) => ({ amount: draw.between(50, 500), times: draw.between(1, 4) }),
  // `path`: the value that falls. `times`: so often it comes and goes, once in `ms`; the first time lasts longer by `amount`.
  flap: (draw) => ({
    times: draw.between(3, 6),
    ms: draw.between(19, 22) * MINUTE,
    path: draw.pick(['USDC', 'USDC', 'coin']),
    amount: draw.chance(0.5) ? 0 : draw.between(10, 60) * MINUTE,
  }),
  // `path`: the name of the channel at first. `times`: what it answers; `amount`: how long it asks to wait.
  'receiver-fails': (draw) => ({
    ms: draw.chance(0.6) ? draw.between(3, 90) * MINUTE : draw.between(2, 12) * HOUR,
    path: draw.pick(RECEIVERS),
    times: draw.pick([0, 0, 0, 1, 1, 2, 3, 3, 3, 4]),
    amount: draw.between(20, 900) * SECOND,
  }),
  // `amount`: ms until a message is accepted.
  'receiver-slow': (draw) => ({
    ms: draw.between(10, 300) * MINUTE,
    path: draw.pick(RECEIVERS),
    amount: draw.between(3, 90) * SECOND,
  }),
  // The first message within the time is refused until it is over.
  'body-refused': (draw) => ({ ms: draw.between(40, 400) * MINUTE, times: 1, path: draw.pick(RECEIVERS) }),
};

/** 1 to 64, small ones more often. */
function depth(draw: Draw): number {
  return draw.between(1, 2 ** draw.between(0, 6));
}

export function planFault(kind: FaultKind, at: number, id: string, draw: Draw): PlannedFault {
  return { id, kind, at, ms: 0, times: 0, path: null, amount: 0, ...CATALOGUE[kind](draw) };
}
