// Silences: no messages are sent for alerts with these labels for a while.
import { z } from 'zod';
import { quote } from '../config/values/scalars.ts';
import { Count, Time } from '../core/values/answer-shapes.ts';
import { showTime } from '../core/wording/words.ts';
import type { Matcher, Silence } from '../dispatch/model.ts';
import { showMatcher } from '../dispatch/policy/matcher-text.ts';
import { isSilencedBy, namesSelf } from '../dispatch/policy/match.ts';
import { showInstant, type Instant } from '../lib/clock.ts';
import { addSilence, endSilence as endSilenceAt } from '../store/tables/operators/silences.ts';
import {
  action,
  type ActionBy,
  type ActionCall,
  type OperatorWorld,
  type RequestMistake,
  type LineWords,
  type LineData,
} from './action.ts';
import { DAEMON } from './announcements.ts';
import { isWide, reachOf } from './reach.ts';
import { Comment, DAY_MS, Matchers, NoBody, untilMistakes, WrittenTime, endIn } from './shapes.ts';

const Labels = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

const SilenceAnswer = z
  .strictObject({
    id: z.string(),
    matchers: Labels.describe('Patterns by label. A list means any of them; a leading `!` negates the whole.'),
    from: Time,
    until: Time,
    until_resolved: z.boolean().describe('It ends sooner where nothing that matches fires any more.'),
    actor: z.string(),
    comment: z.string(),
    version: Count.describe('Rises when it is extended or ended.'),
  })
  .meta({ id: 'Silence', description: 'Alerts whose messages are held back.' });

const SilenceBody = z
  .strictObject({
    matchers: Matchers,
    from: WrittenTime.optional(),
    until: WrittenTime,
    until_resolved: z.boolean().default(false),
    comment: Comment,
    confirm: z.boolean().default(false),
  })
  .transform(({ from = null, until_resolved: untilResolved, ...draft }): SilenceDraft => {
    return { ...draft, from, untilResolved };
  });

/** A requested silence. */
export interface SilenceDraft {
  readonly matchers: Matcher;
  /** Null: the silence begins now. */
  readonly from: Instant | null;
  readonly until: Instant;
  /** The silence ends earlier if no matching alert fires any more. */
  readonly untilResolved: boolean;
  readonly comment: string;
  /** Confirms a silence for more than half of the rules. */
  readonly confirm: boolean;
}

const SILENCED: LineWords = { kind: 'silence', words: 'silenced', ended: 'silence ended', about: null };

export const silence = action({
  name: 'silence',
  summary: 'Silences alerts by their labels, for 30 days at most.',
  path: '/silences',
  tag: 'silences',
  status: 201,
  location: ({ id }) => `/silences/${encodeURIComponent(id)}`,
  problems: ['confirm-needed'],
  body: SilenceBody,
  answer: SilenceAnswer,
  answerOf: silenceJson,
  async check(draft: SilenceDraft, _call, world) {
    const now = world.clock.now();
    const { matchers, until, untilResolved, comment, confirm } = draft;
    const reach = reachOf(matchers, {
      watches: world.watches(),
      reports: world.reports(),
      selfLabels: world.selfLabels(),
    });
    const mistakes = ['rules' in reach ? [] : reach, timeMistakes(draft, now)].flat();
    if (mistakes.length > 0 || !('rules' in reach)) return { mistakes };
    if (isWide(reach) && !confirm)
      return {
        refusal: 'confirm-needed',
        detail: `It is about ${reach.rules} of ${reach.ofRules} rules. Send "confirm": true where that is meant.`,
      };
    if (untilResolved && !(await fires(matchers, world)))
      return { mistakes: [{ pointer: '/until_resolved', detail: 'nothing that matches fires now' }] };
    return {
      change: { matchers, from: Math.max(draft.from ?? now, now), until, untilResolved, comment },
    };
  },
  addsRow: true,
  changesPolicy: true,
  apply: (sql, change, { request: { key, actor }, at }) => addSilence(sql, { ...change, id: key, actor }, at),
  announce({ matchers, from, until, comment }, { request, at, zone }) {
    const begin = from > at ? `from ${showTime(from, { now: at, zone })} ` : '';
    const title = `${request.actor} silenced ${showMatcher(matchers)} ${begin}until ${showTime(until, { now: at, zone })}`;
    return { alert: 'silence', title, comment };
  },
  line: SILENCED,
  journal: silenceLine,
  log: ({ id, until, actor, comment }) => [
    'silence:begun',
    { silence: id, until: showInstant(until), by: actor, comment },
  ],
  notFound: () => '',
});

export const extendSilence = action({
  name: 'extend-silence',
  summary: 'Gives a silence a later end.',
  path: '/silences/:id/extend',
  tag: 'silences',
  status: 200,
  problems: ['not-found', 'is-over'],
  body: z.strictObject({ until: WrittenTime }),
  answer: SilenceAnswer,
  answerOf: silenceJson,
  async check({ until }, { parameter }, world) {
    const [now, id] = [world.clock.now(), parameter('id')];
    const found = (await world.silences()).find((one) => one.id === id);
    const mistakes = found === undefined ? [] : timeMistakes({ from: null, until, matchers: found.matchers }, now);
    if (found !== undefined && until <= found.until)
      mistakes.push({ pointer: '/until', detail: `is not later than its end, ${showInstant(found.until)}` });
    return mistakes.length > 0 ? { mistakes } : { change: { id, until } };
  },
  addsRow: false,
  changesPolicy: true,
  apply: (sql, { id, until }, { at }) => endSilenceAt(sql, id, until, at),
  announce({ matchers, until, comment }, { request, at, zone }) {
    const title = `${request.actor} extended the silence of ${showMatcher(matchers)} until ${showTime(until, { now: at, zone })}`;
    return { alert: 'silence', title, comment };
  },
  line: SILENCED,
  journal: silenceLine,
  log: ({ id, until }, { request }) => [
    'silence:extended',
    { silence: id, until: showInstant(until), by: request.actor },
  ],
  notFound: noSuchSilence,
});

export const endSilence = action({
  name: 'end-silence',
  summary: 'Ends a silence.',
  path: '/silences/:id/end',
  tag: 'silences',
  status: 200,
  problems: ['not-found', 'is-over'],
  body: NoBody,
  answer: SilenceAnswer,
  answerOf: silenceJson,
  check: (_body, { parameter }) => ({ change: { id: parameter('id') } }),
  addsRow: false,
  changesPolicy: true,
  apply: (sql, { id }, { at }) => endSilenceAt(sql, id, at, at),
  announce: (done, by) => ({ alert: 'silence', title: endTitle(done, by), comment: done.comment }),
  line: SILENCED,
  journal: silenceLine,
  log: ({ id }, { request }) => ['silence:ended', { silence: id, by: request.actor }],
  notFound: noSuchSilence,
});

function endTitle({ matchers, actor: maker }: Silence, { request: { actor } }: ActionBy): string {
  const what = showMatcher(matchers);
  if (actor !== DAEMON) return `${actor} ended the silence of ${what}`;
  return `the silence of ${what} by ${maker} is over: nothing of it fires any more`;
}

function silenceJson({ id, matchers, from, until, untilResolved, actor, comment, version }: Silence) {
  const times = { from: showInstant(from), until: showInstant(until), until_resolved: untilResolved };
  return { id, matchers: patternsOf(matchers), ...times, actor, comment, version };
}

function patternsOf(matchers: Matcher): z.output<typeof Labels> {
  const entries = Object.entries(matchers);
  return Object.fromEntries(entries.map(([label, of]) => [label, typeof of === 'string' ? of : [...of]]));
}

function silenceLine(done: Silence, by: ActionBy): LineData {
  const { id, matchers, from, until, untilResolved, comment } = done;
  const data = {
    comment,
    matchers,
    ...(from > by.at ? { from: showInstant(from) } : {}),
    ...endIn(until, by),
    ...(untilResolved ? { until_resolved: true } : {}),
  };
  return { subject: id, data };
}

function noSuchSilence({ parameter }: ActionCall): string {
  return `There is no silence ${quote(parameter('id'))}: \`chainwarden silence list\` shows them.`;
}

async function fires(matchers: Matcher, world: OperatorWorld): Promise<boolean> {
  const open = await world.openAlerts();
  return open.some(({ isEvent, labels }) => !isEvent && isSilencedBy(matchers, labels));
}

const LONGEST_MS = 30 * DAY_MS;
/** Shorter, so that the daemon's alerts about itself are never silenced for long. */
const LONGEST_OF_SELF_MS = DAY_MS;

function timeMistakes(
  { from, until, matchers }: Pick<SilenceDraft, 'from' | 'until' | 'matchers'>,
  now: Instant,
): RequestMistake[] {
  const longestMs = namesSelf(matchers) ? LONGEST_OF_SELF_MS : LONGEST_MS;
  const mistakes = untilMistakes(until, { now, longestMs });
  if (from !== null && from >= until) mistakes.push({ pointer: '/from', detail: 'is not before until' });
  return mistakes;
}
