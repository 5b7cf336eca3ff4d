// The daemon's own store decides the same as rounds over plain maps do, whatever happens.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  CONDITIONS,
  EVENTS,
  HOUR,
  next,
  pick,
  play,
  rest,
  setupOf,
  silenced,
  calm,
  anything,
  START,
  type Play,
  type Step,
} from './histories.ts';
import type { Sent } from './in-memory.ts';
import { StoredDispatch } from './stored.ts';

async function playStored(steps: readonly Step[], options: Play): Promise<readonly string[]> {
  await using dispatch = new StoredDispatch(setupOf(options), START);
  pollAll(dispatch);
  for (const step of steps) {
    await apply(dispatch, step, options);
    await dispatch.work();
  }
  dispatch.wires.clear();
  await dispatch.endSilences();
  for (const source of CONDITIONS.slice(0, 1))
    if (dispatch.isOpen(source.key)) await dispatch.happens(source, 'resolved');
  pollAll(dispatch);
  await dispatch.runUntil(dispatch.now + 48 * HOUR);
  return shown(dispatch.messages);
}

async function apply(dispatch: StoredDispatch, step: Step, options: Play): Promise<void> {
  switch (step.do) {
    case 'wait':
      return dispatch.runUntil(dispatch.now + step.ms);
    case 'turn': {
      const one = pick(CONDITIONS, step.which);
      return dispatch.happens(one, dispatch.isOpen(one.key) ? 'resolved' : 'firing');
    }
    case 'event': {
      const one = pick(EVENTS, step.which);
      return dispatch.happens(one, next(dispatch.lastOf(one.key), step.correct));
    }
    case 'silence':
      return dispatch.silence(step.about, step.ms);
    case 'end-silences':
      return dispatch.endSilences();
    case 'ack':
      return dispatch.ack(pick(CONDITIONS, step.which).key);
    case 'wire':
      dispatch.wires.set(step.channel, step.outcome);
      return;
    case 'poll':
      pollAll(dispatch);
      return;
    case 'restart':
      return dispatch.restart();
    case 'jump':
      return dispatch.jump(step.ms);
    case 'reload':
      return dispatch.reload(setupOf({ ...options, routes: step.routes }));
  }
}

function pollAll(dispatch: StoredDispatch): void {
  for (const { labels } of [...CONDITIONS, ...EVENTS]) dispatch.poll(labels['watch'] ?? '');
}

function shown(messages: readonly Sent[]): string[] {
  return messages
    .map(({ createdAt, target, kind, state, lines }) => {
      const what = lines.map(({ key, seq, as }) => `${key}/${seq} ${as}`).join(', ');
      return `${new Date(createdAt).toISOString()} ${target.channel} ${kind} ${state}: ${what}`;
    })
    .toSorted();
}

/** Who is not named any more is not told again what it knows, and events of before need no answer: the maps know neither. */
const namingAll = anything.map((steps) =>
  steps.filter((step) => step.do !== 'reload' || step.routes === 'both' || step.routes === 'slow'),
);

const CAP = { burst: 4, perHour: 12 };

test.each<[string, fc.Arbitrary<Step[]>, Play]>([
  ['calm', calm, {}],
  ['calm, with a cap', calm, { cap: CAP }],
  ['calm, with slow groups', calm, { routes: 'slow' }],
  ['with silences', silenced, {}],
  ['with silences, inhibitions and a cap', silenced, { cap: CAP, inhibits: true }],
  ['with mute windows', silenced, { routes: 'evening', inhibits: true }],
  ['with clocks that are set, and reloads', namingAll, { cap: CAP }],
])('%s', async (_, histories, options) => {
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      expect(await playStored(history, options)).toEqual(shown(rest(play(history, options)).messages));
    }),
    { numRuns: 40 },
  );
});
