// The first page as text: the verdict, what fires against its limit, what is in hand, and why watches are blind.
import { sinceWords } from '../../core/model/quality/blind-cause.ts';
import { formatAmount, Amount } from '../../core/values/amount.ts';
import { inColumns } from '../../lib/columns.ts';
import { showInZone } from '../../lib/time-zone.ts';
import { singleLine } from '../../lib/untrusted.ts';
import type { AlertCard, AlertRow } from '../../query/shapes/alerts.ts';
import type { MeasureShape, RecipientStatus } from '../../query/shapes/common.ts';
import { sharedOut } from '../../query/daemon/cluster.ts';
import type { BlindCauseShape, ClusterShape, Overview } from '../../query/shapes/overview.ts';

/** `zone`: the zone in which times are shown. */
export function overviewLines(overview: Overview, zone: string): string[] {
  const { headline, detail, cards, more, handled, more_handled, trust } = overview;
  const second = (time: string): string => showInZone(zone, Date.parse(time));
  const rows = [
    ...cards.map((card) => cardRow(card, second(card.since))),
    ...handled.map((row) => handledRow(row, second(row.since))),
  ];
  const left = more.alerts + more_handled;
  return [
    singleLine(headline),
    singleLine(detail),
    ...(rows.length === 0 ? [] : ['', ...inColumns([HEAD, ...rows])]),
    ...(left > 0 ? [`and ${left} more`] : []),
    ...spaced(trust.blind.map((cause) => causeLine(sinceWords(cause.cause), cause, second(cause.since)))),
    ...spaced(trust.overdue.map((cause) => causeLine('no usable answer since', cause, second(cause.since)))),
    ...spaced(trust.cluster === null ? [] : replicaLines(trust.cluster)),
    '',
  ];
}

function spaced(lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', ...lines];
}

const HEAD = ['SEVERITY', 'STATE', 'ALERT', 'VALUE', 'LIMIT', 'SINCE', 'NOTIFIED'];

function cardRow(card: AlertCard, since: string): readonly string[] {
  const { severity, state, watch, rule, alert, alerts, measure, recipients } = card;
  const shown =
    alerts === 1 ? [`${watch}/${alert}`, valueText(card), limitText(measure)] : [`${rule}/${alert}`, many(card), ''];
  return [severity, state, ...shown, since, notifiedText(recipients)];
}

/** `66 events`, `40 alerts` */
function many({ state, alerts }: Pick<AlertCard | AlertRow, 'state' | 'alerts'>): string {
  return `${alerts} ${state === 'event' ? 'events' : 'alerts'}`;
}

function handledRow(row: AlertRow, since: string): readonly string[] {
  const { severity, state, why, watch, alert, alerts, measure, ack, silence } = row;
  const value = alerts === 1 ? valueText(row) : many(row);
  const by = ack?.actor ?? silence?.actor ?? null;
  const who = why === 'pending' ? '' : by === null ? why : `${why} by ${singleLine(by)}`;
  return [severity, state, `${watch}/${alert}`, value, limitText(measure), since, who];
}

/** `940,264.59 USDC`, `was 940,264.59 USDC` of what nobody knows now, `74 items` of what counts. */
function valueText({ measure, count }: Pick<AlertRow, 'measure' | 'count'>): string {
  if (count !== null) return `${count.count} ${count.count === 1 ? 'item' : 'items'}`;
  if (measure === null) return '';
  if (measure.value === null) return 'not known';
  return `${measure.is_stale ? 'was ' : ''}${withUnit(measure.value, measure.unit)}`;
}

function limitText(measure: MeasureShape | null): string {
  if (measure === null || measure.limit === null || measure.fires === null) return '';
  return `${measure.fires} ${withUnit(measure.limit, measure.unit)}`;
}

function withUnit(number: string, unit: string): string {
  const amount = Amount.parse(number);
  const text = amount === undefined ? number : formatAmount(amount);
  return unit === '' ? text : `${text} ${unit}`;
}

const STATES: Readonly<Record<RecipientStatus['state'], string>> = {
  accepted: 'accepted',
  owed: 'owed',
  'given-up': 'given up',
  held: 'held back',
};

/** `oncall accepted, ops owed after 5 tries: 503 Service Unavailable` */
function notifiedText(recipients: readonly RecipientStatus[]): string {
  return recipients.map((one) => `${one.channel} ${STATES[one.state]}${failureText(one)}`).join(', ');
}

function failureText({ state, tries, answer }: RecipientStatus): string {
  if (state === 'accepted' || answer === null) return '';
  return tries === 0 ? `: ${answer}` : ` after ${tries} ${tries === 1 ? 'try' : 'tries'}: ${answer}`;
}

/** `no answer since 2026-01-01T00:00:00Z: 38 watches on gnosis: timeout` */
function causeLine(words: string, { cause, explorer, watches, names, fields }: BlindCauseShape, since: string): string {
  const which = fields.length === 0 ? '' : ` (${fields.join(', ')})`;
  const more = watches - names.length;
  const named = `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return `${words} ${since}: ${watches} ${watches === 1 ? 'watch' : 'watches'} on ${explorer}: ${cause}${which}: ${named}`;
}

/** `replica treasury-1: works on explorer:ethereum, channel:ops` */
function replicaLines(cluster: ClusterShape): string[] {
  const { replicas, free } = sharedOut(cluster);
  const lines = replicas.map(({ name, shards, isOutvoted }) => {
    const work = shards.length === 0 ? 'nothing' : shards.join(', ');
    return `replica ${singleLine(name)}: works on ${work}${isOutvoted ? '; runs another config than most, and claims nothing' : ''}`;
  });
  return free.length === 0 ? lines : [...lines, `nobody works on: ${free.join(', ')}`];
}
