// Pauses: the daemon does not poll a watch, or all watches of a rule, for a while.
import { z } from 'zod';
import { hintFor } from '../config/values/nearest.ts';
import { quote } from '../config/values/scalars.ts';
import { Time } from '../core/values/answer-shapes.ts';
import { labelsOfWatch } from '../core/model/watch/identity.ts';
import { isPauseOf, LONGEST_PAUSE_MS, type Pause } from '../core/model/watch/pause.ts';
import type { Watch } from '../core/model/watch/watch.ts';
import { showTime } from '../core/wording/words.ts';
import type { Matcher } from '../dispatch/model.ts';
import { showInstant } from '../lib/clock.ts';
import { addPause, endPause as endPauseOf } from '../store/tables/operators/silences.ts';
import { action, type OperatorWorld, type LineWords, type ActionBy, type LineData } from './action.ts';
import { Comment, NoBody, untilMistakes, WrittenTime, endIn } from './shapes.ts';

const PauseAnswer = z
  .strictObject({
    id: z.string(),
    watch: z.string().describe('A rule, or one of its watches.'),
    from: Time,
    until: Time,
    actor: z.string(),
    comment: z.string(),
  })
  .meta({ id: 'Pause', description: 'A watch, or a rule, that is not polled.' });

const PAUSED: LineWords = { kind: 'pause', words: 'paused', ended: 'resumed', about: null };

export const pause = action({
  name: 'pause',
  summary: 'Pauses a watch, or all watches of a rule, for 30 days at most.',
  path: '/watches/:name/pauses',
  tag: 'watches',
  status: 201,
  location: ({ id }) => `/silences/${encodeURIComponent(id)}`,
  problems: ['not-found'],
  body: z.strictObject({ until: WrittenTime, comment: Comment }),
  answer: PauseAnswer,
  answerOf: pauseJson,
  check({ until, comment }, { parameter }, world) {
    const watch = parameter('name');
    const paused = world.watches().find((one) => isPauseOf({ watch }, one));
    if (paused === undefined) return null;
    const mistakes = untilMistakes(until, { now: world.clock.now(), longestMs: LONGEST_PAUSE_MS });
    if (mistakes.length > 0) return { mistakes };
    return { change: { watch, matchers: matchersOf(watch, paused), until, comment } };
  },
  addsRow: true,
  changesPolicy: true,
  async apply(sql, { watch, matchers, until, comment }, { request: { key, actor }, at }) {
    const added = { id: key, watch, from: at, until, actor, comment };
    await addPause(sql, added, matchers);
    return added;
  },
  announce({ watch, until, comment }, { request, at, zone }) {
    return {
      alert: 'pause',
      title: `${request.actor} paused ${watch} until ${showTime(until, { now: at, zone })}`,
      comment,
    };
  },
  line: PAUSED,
  journal: pauseLine,
  log: ({ watch, until, actor, comment }) => ['watch:paused', { watch, until: showInstant(until), by: actor, comment }],
  after: (_answer, effects) => effects.readPauses(),
  notFound: ({ parameter }, world) => noSuchWatch(parameter('name'), world),
});

export const endPause = action({
  name: 'end-pause',
  summary: 'Ends a pause: the watches are polled at once.',
  path: '/watches/:name/pauses/end',
  tag: 'watches',
  status: 200,
  problems: ['not-found'],
  body: NoBody,
  answer: PauseAnswer,
  answerOf: pauseJson,
  check: (_body, { parameter }) => ({ change: { watch: parameter('name') } }),
  addsRow: false,
  changesPolicy: true,
  apply: async (sql, { watch }, { at }) => (await endPauseOf(sql, watch, at)) ?? 'not-found',
  announce: ({ watch }, { request }) => ({ alert: 'pause', title: `${request.actor} resumed ${watch}`, comment: null }),
  line: PAUSED,
  journal: pauseLine,
  log: ({ watch }, { request }) => ['watch:resumed', { watch, by: request.actor }],
  async after({ watch }, effects) {
    await effects.readPauses();
    effects.pollNow(watch);
  },
  notFound: ({ parameter }) =>
    `No pause of ${quote(parameter('name'))} is in force: \`chainwarden status\` shows those that are.`,
});

function pauseJson({ id, watch, from, until, actor, comment }: Pause) {
  return { id, watch, from: showInstant(from), until: showInstant(until), actor, comment };
}

function pauseLine({ id, watch, until, comment }: Pause, by: ActionBy): LineData {
  return { subject: watch, data: { id, comment, ...endIn(until, by) } };
}

/** Matches the alerts of a rule, or of one of its watches. */
function matchersOf(name: string, watch: Watch): Matcher {
  return name === watch.rule ? { watch: name } : labelsOfWatch(watch);
}

function noSuchWatch(name: string, world: OperatorWorld): string {
  const names = new Set(world.watches().flatMap((watch) => [watch.rule, watch.name]));
  return [`There is no rule and no watch ${quote(name)}.`, hintFor(name, names)].filter(Boolean).join(' ');
}
