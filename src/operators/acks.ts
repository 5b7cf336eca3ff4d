// Acknowledgements: an operator takes charge of one episode of an alert. The alert is not repeated until the
// acknowledgement ends.
import { z } from 'zod';
import { quote } from '../config/values/scalars.ts';
import type { Severity } from '../core/model/ids.ts';
import type { Watch } from '../core/model/watch/watch.ts';
import { showTime } from '../core/wording/words.ts';
import type { Moment } from '../lib/time-zone.ts';
import { acksAt } from '../dispatch/policy/holds.ts';
import { showInstant } from '../lib/clock.ts';
import type { OpenAlertRow, StoredAck } from '../store/contract/operators.ts';
import { addAck, endAck as endAckOf } from '../store/tables/operators/policy.ts';
import { action, type ActionBy, type ActionCall, type OperatorWorld, type LineWords, type LineData } from './action.ts';
import { DAEMON } from './announcements.ts';
import { AckShape, ackJson, Comment, DAY_MS, NoBody, untilMistakes, WrittenTime, endIn } from './shapes.ts';

export const LONGEST_ACK_MS = DAY_MS;

const AckBody = z
  .strictObject({
    seq: z.int('is not a whole number').positive(),
    until: WrittenTime.optional(),
    comment: Comment.optional(),
    replace: z.boolean('is neither true nor false').optional(),
  })
  .transform(({ seq, until = null, comment = null, replace = false }) => ({ seq, until, comment, replace }));

export const ACKNOWLEDGED: LineWords = {
  kind: 'ack',
  words: 'acknowledged',
  ended: 'acknowledgement ended',
  about: 'alert',
};

export const ack = action({
  name: 'ack',
  summary: 'Acknowledges one episode of an alert, for 24 hours at most; `seq` is the newest transition that was seen.',
  path: '/alerts/:key/:episode/acks',
  tag: 'alerts',
  status: 201,
  location: ({ key, episode }) => `/alerts/${encodeURIComponent(key)}/${episode}`,
  problems: ['not-found', 'is-over', 'stale-seq', 'already-acknowledged'],
  body: AckBody,
  answer: AckShape,
  answerOf: ackJson,
  async check({ seq, until, comment, replace }, call, world) {
    const [now, { key, episode }] = [world.clock.now(), alertIn(call)];
    const end = until ?? now + LONGEST_ACK_MS;
    const mistakes = untilMistakes(end, { now, longestMs: LONGEST_ACK_MS });
    if (mistakes.length > 0) return { mistakes };
    const open = await openAlert({ key, episode }, world);
    // If the alert is not open, the store gives the reason why it cannot be acknowledged.
    const severity = open === null ? 'critical' : severityOf(open, world.watches());
    const standing = replace ? null : await standingAck({ key, episode, severity }, world);
    if (standing !== null)
      return { refusal: 'already-acknowledged', detail: standingText(standing, { now, zone: world.timeZone() }) };
    const change = { key, episode, seq, severity, until: end, comment, replace };
    return open === null ? { change } : { change, subject: nameOf(open) };
  },
  addsRow: true,
  changesPolicy: true,
  apply: (sql, { replace, ...change }, { request: { key, actor }, at }) =>
    addAck(sql, { ...change, id: key, actor, at }, replace),
  announce({ key, until, comment }, { request, at: now, zone }, subject) {
    const title = `${request.actor} acknowledged ${subject ?? key} until ${showTime(until, { now, zone })}`;
    return { alert: 'ack', title, comment };
  },
  line: ACKNOWLEDGED,
  journal: ackLine,
  log: ({ key, until, actor, comment }) => [
    'alert:acknowledged',
    { alert: key, until: showInstant(until), by: actor, comment },
  ],
  notFound({ parameter }) {
    return `There is no open alert ${quote(parameter('key'))} with this episode and seq: \`chainwarden status\` shows those that are open.`;
  },
});

export const endAck = action({
  name: 'end-ack',
  summary: 'Ends an acknowledgement: the alert is repeated again.',
  path: '/alerts/:key/:episode/acks/end',
  tag: 'alerts',
  status: 200,
  problems: ['not-found', 'is-over'],
  body: NoBody,
  answer: AckShape,
  answerOf: ackJson,
  async check(_body, call, world) {
    const alert = alertIn(call);
    const open = await openAlert(alert, world);
    return open === null ? { change: alert } : { change: alert, subject: nameOf(open) };
  },
  addsRow: false,
  changesPolicy: true,
  apply: (sql, alert, { at }) => endAckOf(sql, alert, at),
  announce: (done, by, subject) => ({ alert: 'ack', title: endTitle(done, by, subject ?? done.key), comment: null }),
  line: ACKNOWLEDGED,
  journal: ackLine,
  log: ({ key }, { request }) => ['alert:unacknowledged', { alert: key, by: request.actor }],
  notFound: ({ parameter }) => `Nobody has acknowledged the alert ${quote(parameter('key'))} in this episode.`,
});

function endTitle({ actor: maker }: StoredAck, { request: { actor } }: ActionBy, name: string): string {
  if (actor !== DAEMON) return `${actor} took the acknowledgement of ${name} back`;
  return `the acknowledgement of ${name} by ${maker} is over: it is more severe now`;
}

export function ackLine({ id, key, episode, seq, comment, until }: StoredAck, by: ActionBy): LineData {
  return { subject: key, data: { id, episode, seq, comment, ...endIn(until, by) } };
}

/** One episode of an alert. */
interface NamedEpisode {
  readonly key: string;
  readonly episode: number;
}

/** The alert in the path. If its episode is not a number, it is -1, which no alert has. */
export function alertIn({ parameter }: ActionCall): NamedEpisode {
  const episode = parameter('episode');
  return { key: parameter('key'), episode: /^\d{1,15}$/.test(episode) ? Number(episode) : -1 };
}

/**
 * The acknowledgement in force of the episode, by any operator; null: none. It is not in force if the severity was
 * raised after it.
 */
async function standingAck(
  { key, episode, severity }: NamedEpisode & { readonly severity: Severity },
  { acks, clock }: Pick<OperatorWorld, 'acks' | 'clock'>,
): Promise<StoredAck | null> {
  return acksAt(await acks(), clock.now())({ key, episode, severity });
}

function standingText({ actor, until }: StoredAck, moment: Moment): string {
  return `${actor} has acknowledged it until ${showTime(until, moment)}. \`replace: true\` puts yours in its place.`;
}

async function openAlert({ key, episode }: NamedEpisode, world: OperatorWorld): Promise<OpenAlertRow | null> {
  return (await world.openAlerts([key])).find((one) => one.episode === episode) ?? null;
}

/** The severity of the rule in force; if the rule was removed, the severity of the message. */
export function severityOf({ watch, alert, severity }: OpenAlertRow, watches: readonly Watch[]): Severity {
  const rule = watches.find(({ id }) => id === watch)?.alerts.find(({ id }) => id === alert);
  return rule?.severity ?? severity;
}

/** `coins[treasury]/low` */
export function nameOf({ name, alert }: OpenAlertRow): string {
  return `${name}/${alert}`;
}
