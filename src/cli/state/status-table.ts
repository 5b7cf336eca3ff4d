// The first page as text: the verdict, firing alerts with their limits, alerts that need no attention now, and causes
// of blind watches. No line is wider than the terminal.
import { sinceWords } from '../../core/model/quality/blind-cause.ts';
import { formatAmount, Amount } from '../../core/values/amount.ts';
import { inColumns, wrapped, wrappedItem } from '../../lib/columns.ts';
import type { Moment } from '../../lib/time-zone.ts';
import { singleLine } from '../../lib/untrusted.ts';
import type { AlertCard, AlertRow } from '../../query/shapes/alerts.ts';
import type { MeasureShape, RecipientStatus } from '../../query/shapes/common.ts';
import { sharedOut } from '../../query/daemon/cluster.ts';
import type { BlindCauseShape, ClusterShape, Overview } from '../../query/shapes/overview.ts';
import { showTime } from '../times.ts';

export interface Screen extends Moment {
  /** In characters. */
  readonly width: number;
}

export function overviewLines(overview: Overview, screen: Screen): string[] {
  const { detail, cards, more, handled, more_handled, trust } = overview;
  const shown = foldedRows(handled, screen);
  const rows = [...cards.map((card) => cardRow(card, screen)), ...shown.slice(0, MOST_HANDLED).map(({ row }) => row)];
  const beyond = shown.slice(MOST_HANDLED).reduce((sum, { alerts }) => sum + alerts, 0);
  const left = more.alerts + more_handled + beyond;
  const causes = [
    ...trust.blind.map((cause) => causeLine(sinceWords(cause.cause), cause, screen)),
    ...trust.overdue.map((cause) => causeLine('no usable answer since', cause, screen)),
  ];
  return [
    ...wrapped(verdictLine(overview), screen.width),
    ...wrapped(singleLine(detail), screen.width),
    ...spaced(rows.length === 0 ? [] : fitted(rows, screen.width)),
    ...(left > 0 ? [`and ${left} more`] : []),
    ...spaced(causes.flatMap((line) => wrappedItem(line, screen.width))),
    ...spaced(trust.cluster === null ? [] : replicaLines(trust.cluster)),
    '',
  ];
}

const MOST_HANDLED = 8;

/** `CRITICAL: treasury USDC 940,264.59, below 1,000,000 (and one more)`, `All quiet` */
function verdictLine({ verdict, headline }: Overview): string {
  const says = verdict === 'critical' || verdict === 'warning' ? `${verdict.toUpperCase()}: ` : '';
  return `${says}${singleLine(headline)}`;
}

function spaced(lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', ...lines];
}

type Row = readonly [severity: string, state: string, alert: string, value: string, since: string, notified: string];

const HEAD: Row = ['SEVERITY', 'STATE', 'ALERT', 'VALUE', 'SINCE', 'NOTIFIED'];

/** As many columns as fit into the width; the other cells of a row follow below it. */
function fitted(rows: readonly Row[], width: number): string[] {
  for (const columns of [HEAD.length, HEAD.length - 1]) {
    const lines = folded(rows, columns, width);
    if (lines.every((line) => line.length <= width)) return lines;
  }
  return folded(rows, SHORTEST, width);
}

const SHORTEST = 3;

function folded(rows: readonly Row[], columns: number, width: number): string[] {
  const [head = '', ...lines] = inColumns([HEAD, ...rows].map((row) => row.slice(0, columns)));
  return [head, ...rows.flatMap((row, i) => [lines[i] ?? '', ...belowOf(row, columns, width)])];
}

function belowOf([, , , value, since, notified]: Row, columns: number, width: number): string[] {
  const rest = [
    ...(columns > SHORTEST ? [] : [value, `since ${since}`]),
    ...(columns === HEAD.length ? [] : [notified]),
  ];
  return wrapped(rest.filter((part) => part !== '').join('; '), width, { first: '  ', next: '  ' });
}

function cardRow(card: AlertCard, screen: Screen): Row {
  const { severity, state, watch, rule, alert, alerts, recipients } = card;
  const [name, value] = alerts === 1 ? [watch, valueText(card)] : [rule, many(card)];
  return [severity, state, `${name}/${alert}`, value, timeText(card.since, screen), notifiedText(recipients)];
}

/** `66 events`, `40 alerts` */
function many({ state, alerts }: Pick<AlertCard | AlertRow, 'state' | 'alerts'>): string {
  return `${alerts} ${state === 'event' ? 'events' : 'alerts'}`;
}

interface Handled {
  readonly row: Row;
  readonly alerts: number;
}

/** Up to this many alike alerts of a rule have a row each; more share one row. */
const MOST_ALIKE = 3;

/** Rows for the alerts that need no attention now. Many alike alerts of one rule become one row. */
function foldedRows(handled: readonly AlertRow[], screen: Screen): Handled[] {
  const alike = Map.groupBy(handled, (row) => JSON.stringify([row.severity, row.state, ruleOf(row), whoText(row)]));
  return [...alike.values()].flatMap((rows) => {
    const [first] = rows;
    if (first === undefined || rows.length <= MOST_ALIKE)
      return rows.map((row) => ({ row: handledRow(row, screen), alerts: row.alerts }));
    const alerts = rows.reduce((sum, row) => sum + row.alerts, 0);
    const since = timeText(rows.map((row) => row.since).toSorted()[0] ?? first.since, screen);
    const { severity, state } = first;
    return [{ row: [severity, state, ruleOf(first), many({ state, alerts }), since, whoText(first)], alerts }];
  });
}

/** `payroll/low` for the alert `payroll[alice]/low` */
function ruleOf({ watch, alert }: AlertRow): string {
  return `${watch.replace(/\[.*$/, '')}/${alert}`;
}

function handledRow(row: AlertRow, screen: Screen): Row {
  const { severity, state, watch, alert, alerts } = row;
  const value = alerts === 1 ? valueText(row) : many(row);
  return [severity, state, `${watch}/${alert}`, value, timeText(row.since, screen), whoText(row)];
}

function whoText({ why, ack, silence }: AlertRow): string {
  const by = ack?.actor ?? silence?.actor ?? null;
  return why === 'pending' ? '' : by === null ? why : `${why} by ${singleLine(by)}`;
}

function timeText(time: string, screen: Screen): string {
  return showTime(Math.floor(Date.parse(time) / 1000) * 1000, screen);
}

/** `940,264.59 USDC, below 1,000,000`; `was 940,264.59 USDC` for an old value; `74 items` for an alert that counts. */
function valueText({ measure, count }: Pick<AlertRow, 'measure' | 'count'>): string {
  if (count !== null) return `${count.count} ${count.count === 1 ? 'item' : 'items'}`;
  if (measure === null) return '';
  if (measure.value === null) return ['not known', limitText(measure, measure.unit)].filter(Boolean).join(', ');
  const value = `${measure.is_stale ? 'was ' : ''}${withUnit(measure.value, measure.unit)}`;
  return [value, limitText(measure, '')].filter(Boolean).join(', ');
}

function limitText({ limit, fires }: MeasureShape, unit: string): string {
  return limit === null || fires === null ? '' : `${fires} ${withUnit(limit, unit)}`;
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

/** `oncall, night accepted; ops owed after 5 tries: 503 Service Unavailable` */
function notifiedText(recipients: readonly RecipientStatus[]): string {
  const alike = Map.groupBy(recipients, (one) => `${STATES[one.state]}${failureText(one)}`);
  return [...alike].map(([state, all]) => `${channelsOf(all)} ${state}`).join('; ');
}

/** `ops, oncall (3)`: three recipients of one channel. */
function channelsOf(recipients: readonly RecipientStatus[]): string {
  const byChannel = Map.groupBy(recipients, ({ channel }) => channel);
  return [...byChannel].map(([name, { length }]) => (length === 1 ? name : `${name} (${length})`)).join(', ');
}

function failureText({ state, tries, answer }: RecipientStatus): string {
  if (state === 'accepted' || answer === null) return '';
  return tries === 0 ? `: ${answer}` : ` after ${tries} ${tries === 1 ? 'try' : 'tries'}: ${answer}`;
}

/** `no answer since 21:16 UTC: 38 watches on gnosis: timeout` */
function causeLine(words: string, cause: BlindCauseShape, screen: Screen): string {
  const { explorer, watches, names, fields } = cause;
  const which = fields.length === 0 ? '' : ` (${fields.join(', ')})`;
  const more = watches - names.length;
  const named = `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const since = timeText(cause.since, screen);
  return `${words} ${since}: ${watches} ${watches === 1 ? 'watch' : 'watches'} on ${explorer}: ${cause.cause}${which}: ${named}`;
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
