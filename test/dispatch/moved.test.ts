// Channels that reloads rename, remove and bring back: nothing is lost, and nobody is told twice.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { MuteWindow, PendingTransition } from '../../src/dispatch/model.ts';
import { isEnd } from '../../src/dispatch/owed.ts';
import { CONDITIONS, EVENTS, HOUR, MINUTE, SECOND, START } from './histories.ts';
import { MACHINE, NO_OPTIONS, type Channel, type Setup } from './in-memory.ts';
import { StoredDispatch } from './stored.ts';

const NOON: MuteWindow = {
  days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
  from: '11:05',
  to: '11:45',
  zone: 'UTC',
};
const UNCAPPED: Channel = { unit: 'group', cap: null };
const CAPPED: Channel = { unit: 'group', cap: { burst: 2, perHour: 6 } };
const CHANNELS = ['ada', 'bob', 'eve'] as const;
type Named = readonly (typeof CHANNELS)[number][];
type How = 'plain' | 'muted' | 'slow' | 'called';

type Step =
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'turn' | 'event' | 'ack'; readonly which: number }
  | { readonly do: 'reload'; readonly named: Named; readonly kept: Named; readonly how: How }
  | { readonly do: 'wire'; readonly channel: string; readonly outcome: 'sent' | 'again' | 'unknown' }
  | { readonly do: 'silence'; readonly ms: number }
  | { readonly do: 'restart' };

const ms = fc.oneof(
  fc.integer({ min: 1, max: 40 }).map((s) => s * SECOND),
  fc.integer({ min: 1, max: 40 }).map((m) => m * MINUTE),
);
const some = fc.subarray([...CHANNELS], { minLength: 1 });
const which = fc.nat(9);
const HISTORIES = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: fc.constant('wait' as const), ms }) },
    { weight: 5, arbitrary: fc.record({ do: fc.constant('turn' as const), which }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('event' as const), which }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('ack' as const), which }) },
    { weight: 1, arbitrary: fc.constant({ do: 'restart' } as const) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('silence' as const), ms }) },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('reload' as const),
        named: some,
        kept: some,
        how: fc.constantFrom<How>('plain', 'plain', 'muted', 'slow', 'called'),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('wire' as const),
        channel: fc.constantFrom(...CHANNELS),
        outcome: fc.constantFrom('sent' as const, 'again' as const, 'unknown' as const),
      }),
    },
  ),
  { maxLength: 25 },
);

const OPTIONS: Readonly<Record<How, Partial<typeof NO_OPTIONS>>> = {
  plain: {},
  muted: { mute: [NOON] },
  slow: { groupWaitMs: 10 * MINUTE, groupIntervalMs: 20 * MINUTE },
  called: { escalate: [{ afterMs: 5 * MINUTE, notify: ['eve'] }] },
};

interface Config {
  readonly named: Named;
  readonly kept: Named;
  readonly how: How;
}

/** By name of a channel. */
type Ways = Readonly<Record<string, Channel>>;

function setupOf({ named, kept, how }: Config, ways: Ways): Setup {
  const names = [...new Set([...named, ...kept])];
  return {
    channels: Object.fromEntries(names.map((name) => [name, ways[name] ?? UNCAPPED])),
    routing: () => ({ channels: named, options: { ...NO_OPTIONS, ...OPTIONS[how] } }),
  };
}

async function apply(dispatch: StoredDispatch, step: Step, ways: Ways): Promise<void> {
  switch (step.do) {
    case 'wait':
      return dispatch.runUntil(dispatch.now + step.ms);
    case 'turn': {
      const one = CONDITIONS[step.which % CONDITIONS.length] ?? CONDITIONS[0];
      if (one !== undefined) await dispatch.happens(one, dispatch.isOpen(one.key) ? 'resolved' : 'firing');
      return;
    }
    case 'event': {
      const one = EVENTS[step.which % EVENTS.length];
      const last = one === undefined ? undefined : dispatch.lastOf(one.key);
      if (one !== undefined && last !== 'retracted')
        await dispatch.happens(one, last === undefined ? 'event' : 'retracted');
      return;
    }
    case 'ack':
      return dispatch.ack(CONDITIONS[step.which % CONDITIONS.length]?.key ?? '', 10 * MINUTE);
    case 'reload':
      return dispatch.reload(setupOf(step, ways));
    case 'wire':
      dispatch.wires.set(step.channel, step.outcome);
      return;
    case 'silence':
      return dispatch.silence('*', step.ms);
    case 'restart':
      return dispatch.restart();
  }
}

/** A line of a message that a receiver took, or may have taken. */
interface Line {
  readonly channel: string;
  readonly key: string;
  readonly seq: number;
  readonly as: string;
  readonly isSure: boolean;
}

function linesOf({ taken }: StoredDispatch): Line[] {
  return taken.flatMap(({ channel, isSure, delivery: { members } }) =>
    members.map(({ as, message: { key, seq } }) => ({ channel, key, seq, as, isSure })),
  );
}

/** An event, or a time for which a condition fired. */
interface Episode {
  readonly key: string;
  readonly begin: PendingTransition;
  readonly end: PendingTransition | null;
  readonly lines: readonly Line[];
}

function episodesOf(dispatch: StoredDispatch): Episode[] {
  const lines = linesOf(dispatch);
  return [...CONDITIONS, ...EVENTS].flatMap(({ key }) =>
    dispatch.newsOf(key).flatMap((begin, n, news): Episode[] => {
      if (isEnd(begin.transition)) return [];
      const end = news[n + 1] ?? null;
      const isAbout = (line: Line): boolean => line.key === key && (line.seq === begin.seq || line.seq === end?.seq);
      return [{ key, begin, end, lines: lines.filter(isAbout) }];
    }),
  );
}

function faultsOf(dispatch: StoredDispatch, named: readonly string[]): string[] {
  return episodesOf(dispatch).flatMap((episode) => {
    const { end, lines } = episode;
    const isLost = end?.transition !== 'retracted' && !lines.some(({ isSure }) => isSure);
    const faults = CHANNELS.flatMap((channel) =>
      faultsAt(channel, { ...episode, lines: lines.filter((one) => one.channel === channel) }, named.includes(channel)),
    );
    return [...(isLost ? ['nobody knows'] : []), ...faults].map(
      (what) => `${episode.key}/${episode.begin.seq}: ${what}`,
    );
  });
}

function faultsAt(channel: string, { begin, end, lines }: Episode, isNamed: boolean): string[] {
  const sure = lines.filter(({ isSure }) => isSure);
  const isBegin = ({ seq, as }: Line): boolean => seq === begin.seq && as === 'news';
  const isWhole = ({ as }: Line): boolean => as === 'fired-and-resolved';
  const ends = sure.filter(({ seq, as }) => seq === end?.seq && as === 'news');
  const knows = lines.some((one) => isBegin(one) || one.as === 'repeat');
  const isOpen = end === null && begin.transition === 'firing';
  const found: Readonly<Record<string, boolean>> = {
    'is told twice': sure.filter((one) => isBegin(one) || isWhole(one)).length > 1,
    'is told the end twice': ends.length > 1,
    'is told the end alone': ends.length > 0 && !knows,
    'is not told the end': isNamed && knows && end !== null && ends.length === 0 && !sure.some(isWhole),
    'does not know it': isNamed && isOpen && sure.length === 0,
  };
  return Object.entries(found).flatMap(([fault, is]) => (is ? [`${channel} ${fault}`] : []));
}

async function faultsAfter(steps: readonly Step[], ways: Ways): Promise<string[]> {
  const first = { named: ['ada'], kept: [], how: 'plain' } as const;
  await using dispatch = new StoredDispatch(setupOf(first, ways), START);
  const poll = (): void => {
    for (const { labels } of [...CONDITIONS, ...EVENTS]) dispatch.poll(labels['watch'] ?? '');
  };
  poll();
  let last: { readonly named: Named } = first;
  for (const step of steps) {
    await apply(dispatch, step, ways);
    await dispatch.work();
    if (step.do === 'restart') poll();
    if (step.do === 'reload') last = step;
  }
  dispatch.wires.clear();
  await dispatch.endSilences();
  await dispatch.runUntil(dispatch.now + 2 * HOUR);
  return faultsOf(dispatch, last.named);
}

const SILENCED = ['silence'];

// A machine is not told of what was over in a silence.
test.each<[string, Ways, readonly string[]]>([
  ['people', {}, []],
  ['people with caps', { ada: CAPPED, bob: CAPPED, eve: CAPPED }, []],
  ['people and a machine', { bob: MACHINE }, SILENCED],
])('nothing is lost, and nobody is told twice: %s', async (_, ways, without) => {
  await fc.assert(
    fc.asyncProperty(HISTORIES, async (steps) => {
      const some = steps.filter((step) => !without.includes(step.do));
      expect(await faultsAfter(some, ways)).toEqual([]);
    }),
    { numRuns: 30 },
  );
});
