// The promise: what is decided arrives, whenever the process dies, and what comes twice says so. The daemon is a process
// of its own, with receivers over HTTP and SMTP; it is killed at every failpoint of the list, twice, and at random.
import { expect, test } from '@jest/globals';
import { systemClock } from '../../src/lib/clock.ts';
import { MOMENTS, STEPS, type Failpoint, type Step } from '../../src/lib/failpoint.ts';
import { damage, endedSilences, oldJournal } from '../support/crash/preparations.ts';
import { createScene, type Act, type Kill, type Scene } from '../support/crash/scene.ts';
import { createDraw } from '../simulation/draw.ts';

const TIMEOUT_MS = 1_800_000;

interface Story {
  readonly name: string;
  readonly acts?: readonly Act[];
  /** The first life ends well, unless what it finds is the point. */
  readonly beginsAnew?: boolean;
  readonly kills: readonly Kill[];
}

/** Before a commit and after it, the first time in one life and the second time in another. */
const each = (...steps: readonly Step[]): Kill[] => steps.flatMap((step) => twice(`${step}.before`, `${step}.after`));

const twice = (...points: readonly Failpoint[]): Kill[] =>
  points.flatMap((at): Kill[] => [
    { at, hit: 1 },
    { at, hit: 2 },
  ]);

/** A life does it once: it is killed there in two lives. */
const onceALife = (points: readonly Failpoint[], more: Omit<Kill, 'at'> = {}): Kill[] =>
  points.flatMap((at) => [
    { at, ...more },
    { at, ...more },
  ]);

const STORIES: readonly Story[] = [
  {
    name: 'while polls are decided and messages are put together',
    kills: each('commit', 'commit-routing', 'commit-due'),
  },
  { name: 'while details are added to messages', acts: ['details'], kills: each('add-details') },
  { name: 'while messages are handed out and their outcomes recorded', kills: each('claim', 'settle', 'expire') },
  {
    name: 'while messages leave',
    kills: twice('send.begun', 'send.posted', 'send.mailed', 'send.ended', 'chat.edited'),
  },
  {
    name: 'while a mirror is shown what is open, and a beat leaves',
    kills: [...twice('mirror.shown', 'heartbeat.probed', 'heartbeat.sent'), ...each('keep-mirrored', 'probe')],
  },
  {
    name: 'while an operator is answered',
    acts: ['silences'],
    kills: [
      ...each('intervene'),
      ...twice('operator.kept'),
      ...each('announce').map((kill) => ({ ...kill, before: endedSilences })),
    ],
  },
  {
    name: 'while it starts',
    kills: [
      ...onceALife(['take-over.before', 'take-over.after'], { isAtStart: true }),
      ...onceALife(['keep-health.before', 'keep-health.after']),
      ...onceALife(['prune.before', 'prune.after'], { before: oldJournal }),
    ],
  },
  {
    name: 'while it writes its journal',
    kills: each('record', 'chain-journal'),
  },
  {
    name: 'while it stops',
    kills: onceALife(['cover.before', 'cover.after', 'keep-chain-blocks.before', 'keep-chain-blocks.after']),
  },
  {
    name: 'while another config is put in force',
    acts: ['reload'],
    kills: [
      ...twice('reload.swapped'),
      ...each('commit-reroute', 'keep-gone', 'keep-running', 'forget', 'keep-recipients'),
    ],
  },
  {
    name: 'while time passes, and others are called in',
    acts: ['time passes'],
    kills: each('ran', 'commit-calls'),
  },
  { name: 'while the clock is set', acts: ['clock is set'], kills: each('move-clock') },
  {
    name: 'while it makes the tables of a new state file',
    beginsAnew: true,
    kills: [
      ...onceALife(['migrate.before'], { isAtStart: true }),
      // Once it is committed, it is never done again.
      { at: 'migrate.after', isAtStart: true },
    ],
  },
  {
    name: 'while a damaged state file is replaced by its backup',
    kills: [...onceALife(['state.set-aside', 'state.replaced'], { before: damage, isAtStart: true })],
  },
];

test('every failpoint is one of those at which the daemon is killed below', () => {
  const all: Failpoint[] = [
    ...(Object.keys(STEPS) as Step[]).flatMap((step): Failpoint[] => [`${step}.before`, `${step}.after`]),
    ...(Object.keys(MOMENTS) as (keyof typeof MOMENTS)[]),
  ];
  expect(new Set(STORIES.flatMap(({ kills }) => kills.map(({ at }) => at)))).toEqual(new Set(all));
});

test.concurrent.each(STORIES)(
  'killed $name: nothing is lost, and a copy says that it may be one',
  async (story) => {
    await using scene = await createScene(story.acts);
    if (story.beginsAnew !== true) await scene.runs();
    for (const kill of story.kills) await scene.dies(kill);
    await scene.runs();
    expect(scene.faults()).toEqual([]);
  },
  TIMEOUT_MS,
);

const KILLS = 20;
/** A message lists fifty alerts and counts the rest, which other tests are about. */
const MOST_BEHIND = 40;

test.concurrent.each([1, 2, 3])(
  'killed 20 times at random under ten events a second (%i): nothing is lost, and a copy says that it may be one',
  async (seed) => {
    await using scene = await createScene();
    await scene.runs();
    const draw = createDraw('crash', seed);
    const stop = new AbortController();
    const happening = happen(scene, stop.signal);
    for (let kill = 0; kill < KILLS; kill += 1) {
      // By time alone, a slow machine would be killed before its daemon tells anything.
      if (draw.chance(0.4)) await scene.diesAtMessage(1 + draw.below(20));
      else await scene.diesAfter(draw.below(2000), draw.chance(0.3) ? 'spawn' : 'started');
    }
    stop.abort();
    await happening;
    await scene.runs();
    expect(scene.faults()).toEqual([]);
    expect(scene.copies()).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);

async function happen(scene: Scene, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    if (scene.lag() < MOST_BEHIND) scene.mine();
    await systemClock.sleep(100, signal);
  }
}
