// Acknowledges the open alerts of a rule or a watch at once, up to the time that the request names. Valid
// acknowledgements stay, and the answer lists them.
import { z } from 'zod';
import { Count, Time } from '../core/values/answer-shapes.ts';
import { SEVERITIES } from '../core/model/ids.ts';
import { idOf } from '../core/model/watch/identity.ts';
import { showTime } from '../core/wording/words.ts';
import { acksAt } from '../dispatch/policy/holds.ts';
import { showInstant, type Instant } from '../lib/clock.ts';
import type { Moment } from '../lib/time-zone.ts';
import type { OpenAlertRow, StoredAck } from '../store/contract/operators.ts';
import { addAcks, endAck } from '../store/tables/operators/policy.ts';
import { action, type OperatorWorld } from './action.ts';
import { ACKNOWLEDGED, ackLine, LONGEST_ACK_MS, severityOf } from './acks.ts';
import { Comment, untilMistakes, WrittenTime } from './shapes.ts';

/** Alerts by name. */
interface NamedAlerts {
  /** The id of a rule, or the name of one of its watches. */
  readonly watch: string;
  /** Null for all alerts of the watch. */
  readonly alert: string | null;
}

const named = { watch: z.string().min(1), alert: z.string().min(1).optional() };

const AckAllBody = z
  .strictObject({
    ...named,
    up_to: WrittenTime,
    until: WrittenTime.optional(),
    comment: Comment.optional(),
    replace: z.boolean('is neither true nor false').optional(),
  })
  .transform(({ watch, alert = null, up_to: upTo, until = null, comment = null, replace = false }) => {
    return { watch, alert, upTo, until, comment, replace };
  });

const AckedAlerts = z.strictObject({
  watch: z.string(),
  alert: z.string(),
  severity: z.enum(SEVERITIES),
  is_event: z.boolean(),
  alerts: Count.describe('The number of alerts with this name. Each event counts.'),
  since: Time.describe('The time of the oldest of them.'),
});
export type AckedAlerts = z.output<typeof AckedAlerts>;

const StandingAcks = AckedAlerts.extend({ actor: z.string(), until: Time });
type StandingAcks = z.output<typeof StandingAcks>;

const AckAllShape = z
  .strictObject({
    acknowledged: z.array(AckedAlerts),
    standing: z
      .array(StandingAcks)
      .describe('Alerts that somebody has acknowledged already. Their acknowledgements stay as they are.'),
    until: Time,
  })
  .meta({ id: 'AckedAlerts', description: 'Alerts that were acknowledged at once, by name.' });

/** An alert with its acknowledgement, new or existing. */
interface Acked {
  readonly row: OpenAlertRow;
  readonly ack: StoredAck;
}

interface AckAllChange {
  readonly rows: readonly OpenAlertRow[];
  readonly standing: readonly Acked[];
  readonly until: Instant;
  readonly comment: string | null;
  readonly replace: boolean;
}

interface AckAllDone {
  readonly made: readonly Acked[];
  readonly standing: readonly Acked[];
  readonly until: Instant;
  readonly comment: string | null;
}

export const ackAll = action({
  name: 'ack-all',
  summary:
    'Acknowledges all that is open of a rule, a watch or one of its alerts, and its critical events of a day, up to a time; for 24 hours at most.',
  path: '/acks',
  tag: 'alerts',
  status: 201,
  problems: ['not-found', 'stale-seq', 'already-acknowledged'],
  body: AckAllBody,
  answer: AckAllShape,
  answerOf: ({ made, standing, until }: AckAllDone) => ({
    acknowledged: grouped(made).map(({ first, all }) => ackedJson(first, all)),
    standing: grouped(standing).map(({ first, all }) => standingJson(first, all)),
    until: showInstant(until),
  }),
  async check({ upTo, until, comment, replace, ...name }, _call, world) {
    const now = world.clock.now();
    const end = until ?? now + LONGEST_ACK_MS;
    const mistakes = untilMistakes(end, { now, longestMs: LONGEST_ACK_MS });
    if (mistakes.length > 0) return { mistakes };
    const open = (await openNamed(name, world)).filter((row) => stands(row) && row.at <= upTo);
    if (open.length === 0) return null;
    const standing = replace ? [] : await ackedOf(open, world);
    const taken = new Set(standing.map(({ row }) => row));
    const rows = open.filter((row) => !taken.has(row));
    if (rows.length === 0)
      return { refusal: 'already-acknowledged', detail: standingText(standing, { now, zone: world.timeZone() }) };
    const change: AckAllChange = { rows, standing, until: end, comment, replace };
    return { change, subject: shownName(name) };
  },
  addsRow: false,
  changesPolicy: true,
  async apply(sql, { rows, standing, until, comment, replace }, { request: { key: id, actor }, at }) {
    const acks = rows.map(({ key, episode, seq, severity }): StoredAck => {
      return { key, episode, seq, severity, id: idOf(id, key, episode), actor, comment, at, until };
    });
    const ends = await addAcks(sql, acks, { replace, at });
    const made = rows.flatMap((row, n) => {
      const ack = ends[n];
      return ack === undefined || typeof ack === 'string' ? [] : [{ row, ack }];
    });
    return made.length === 0 ? 'stale-seq' : { made, standing, until, comment };
  },
  announce({ made, until, comment }, { request, at, zone }, subject) {
    const what = `${subject ?? ''} (${countText(made)})`;
    return {
      alert: 'ack',
      title: `${request.actor} acknowledged ${what} until ${showTime(until, { now: at, zone })}`,
      comment,
    };
  },
  line: ACKNOWLEDGED,
  journal: ({ made }, by) => made.map(({ ack }) => ackLine(ack, by)),
  log: ({ made, until, comment }, { request }) => [
    'alerts:acknowledged',
    { alerts: namesIn(made), count: made.length, until: showInstant(until), by: request.actor, comment },
  ],
  notFound: () => 'Nothing of that name waits for an acknowledgement: `chainwarden status` shows what does.',
});

const EndAllBody = z.strictObject(named).transform(({ watch, alert = null }) => ({ watch, alert }));

const EndedShape = z
  .strictObject({ ended: z.array(StandingAcks) })
  .meta({ id: 'EndedAcks', description: 'Acknowledgements that were ended at once, by name.' });

interface EndAllDone {
  readonly ended: readonly Acked[];
}

export const endAckAll = action({
  name: 'end-ack-all',
  summary: 'Ends all acknowledgements of what is open of a rule, a watch or one of its alerts.',
  path: '/acks/end',
  tag: 'alerts',
  status: 200,
  problems: ['not-found', 'is-over'],
  body: EndAllBody,
  answer: EndedShape,
  answerOf: ({ ended }: EndAllDone) => ({ ended: grouped(ended).map(({ first, all }) => standingJson(first, all)) }),
  async check(name, _call, world) {
    const acked = await ackedOf(await openNamed(name, world), world);
    return acked.length === 0 ? null : { change: { acked }, subject: shownName(name) };
  },
  addsRow: false,
  changesPolicy: true,
  async apply(sql, { acked }: { readonly acked: readonly Acked[] }, { at }) {
    const ended: Acked[] = [];
    for (const { row } of acked) {
      const ack = await endAck(sql, row, at);
      if (typeof ack !== 'string') ended.push({ row, ack });
    }
    return ended.length === 0 ? 'is-over' : { ended };
  },
  announce: ({ ended }, { request }, subject) => ({
    alert: 'ack',
    title: `${request.actor} took the acknowledgement of ${subject ?? ''} back (${countText(ended)})`,
    comment: null,
  }),
  line: ACKNOWLEDGED,
  journal: ({ ended }, by) => ended.map(({ ack }) => ackLine(ack, by)),
  log: ({ ended }, { request }) => [
    'alerts:unacknowledged',
    { alerts: namesIn(ended), count: ended.length, by: request.actor },
  ],
  notFound: () => 'Nobody has acknowledged anything that is open of that name.',
});

async function openNamed({ watch, alert }: NamedAlerts, world: OperatorWorld): Promise<OpenAlertRow[]> {
  const rows = (await world.openAlerts()).filter(
    (row) => (row.rule === watch || row.name === watch) && (alert === null || row.alert === alert),
  );
  return rows.map((row) => ({ ...row, severity: severityOf(row, world.watches()) }));
}

/** Whether the alert stays on the first page until somebody responds to it. */
function stands({ isFollowed, severity }: OpenAlertRow): boolean {
  return isFollowed || severity === 'critical';
}

async function ackedOf(rows: readonly OpenAlertRow[], world: OperatorWorld): Promise<Acked[]> {
  const ackOf = acksAt(await world.acks(), world.clock.now());
  return rows.flatMap((row) => {
    const ack = ackOf(row);
    return ack === null ? [] : [{ row, ack }];
  });
}

function standingText(standing: readonly Acked[], moment: Moment): string {
  const [first] = standing;
  const others = new Set(standing.map(({ ack }) => ack.actor)).size - 1;
  const who = `${first?.ack.actor ?? ''}${others > 0 ? ` and ${others} more` : ''}`;
  const until = showTime(Math.max(...standing.map(({ ack }) => ack.until)), moment);
  return `${who} has acknowledged it until ${until}. \`replace: true\` (\`--replace\`) puts yours in its place.`;
}

interface Group {
  readonly first: Acked;
  readonly all: readonly Acked[];
}

/** Groups alerts that differ only in their time, in the order of each group's first alert. */
function grouped(acked: readonly Acked[]): Group[] {
  const alike = Map.groupBy(acked, ({ row: { name, alert, severity, isEvent }, ack: { actor, until } }) =>
    JSON.stringify([name, alert, severity, isEvent, actor, until]),
  );
  return [...alike.values()].flatMap((all) => all.slice(0, 1).map((first) => ({ first, all })));
}

function ackedJson({ row }: Acked, all: readonly Acked[]): AckedAlerts {
  return {
    watch: row.name,
    alert: row.alert,
    severity: row.severity,
    is_event: row.isEvent,
    alerts: all.length,
    since: showInstant(Math.min(...all.map((one) => one.row.since))),
  };
}

function standingJson(first: Acked, all: readonly Acked[]): StandingAcks {
  return { ...ackedJson(first, all), actor: first.ack.actor, until: showInstant(first.ack.until) };
}

function shownName({ watch, alert }: NamedAlerts): string {
  return alert === null ? watch : `${watch}/${alert}`;
}

function namesIn(acked: readonly Acked[]): string[] {
  return [...new Set(acked.map(({ row }) => `${row.name}/${row.alert}`))].slice(0, MOST_NAMES);
}

const MOST_NAMES = 20;

/** `66 events`, `1 condition and 2 events` */
function countText(acked: readonly Acked[]): string {
  const events = acked.filter(({ row }) => row.isEvent).length;
  const parts = [counted(acked.length - events, 'condition'), counted(events, 'event')];
  return parts.filter((part) => part !== '').join(' and ');
}

function counted(count: number, one: string): string {
  return count === 0 ? '' : `${count} ${one}${count === 1 ? '' : 's'}`;
}
