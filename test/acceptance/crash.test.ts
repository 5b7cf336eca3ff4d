// The promise: what is decided arrives, whenever the process dies, and what comes twice says so. Here the daemon is killed
// once at each step on the way of a message, and of an operator's call; `npm run test:long` kills it everywhere, twice, and
// at random.
import { expect, test } from '@jest/globals';
import type { Failpoint } from '../../src/lib/failpoint.ts';
import { createScene } from '../support/crash/scene.ts';
import { isOnPostgres } from '../support/store/story-state.ts';

// On PostgreSQL whoever follows a daemon that was killed waits for the end of its lease: test/cluster kills those.
const fileTest = isOnPostgres ? test.concurrent.skip : test.concurrent;

const FROM_DECISION_TO_DELIVERY: readonly Failpoint[] = [
  ...(['commit.before', 'commit.after', 'commit-routing.after', 'commit-due.before', 'claim.after'] as const),
  ...(['send.posted', 'send.mailed', 'send.ended', 'settle.before', 'settle.after'] as const),
];
const BESIDE_IT: readonly Failpoint[] = ['intervene.after', 'operator.kept', 'chat.edited', 'mirror.shown'];

fileTest.each([FROM_DECISION_TO_DELIVERY, BESIDE_IT])(
  'an alert was lost, or came twice without a word, because the daemon was killed at %s, %s, %s, %s or a later step',
  async (...points) => {
    await using scene = await createScene(['silences']);
    await scene.runs();
    for (const at of points) await scene.dies({ at });
    await scene.runs();
    expect(scene.faults()).toEqual([]);
    // Beside the way of a message, it is chance whether one is under way on another channel, which then comes again.
    const fewest = points.includes('send.ended') ? 1 : 0;
    expect(scene.copies()).toBeGreaterThanOrEqual(fewest);
  },
);
