// The message of a report: a table with a row for each balance, the total, and the balances that are not in the total.
import { LATE_AFTER_MS } from '../alerts/events/event-tracking.ts';
import { namesOf } from '../alerts/sentence.ts';
import { ON_SCHEDULE, type Fact, type Message } from '../model/delivery.ts';
import { idOf, scheduleKey } from '../model/watch/identity.ts';
import { showCron } from '../model/watch/schedule.ts';
import type { Watch } from '../model/watch/watch.ts';
import { Amount, showDollars } from '../values/amount.ts';
import { isDollars } from '../values/fields.ts';
import { showAmount, showPart, showSpan, showTime } from '../wording/words.ts';
import type { Instant } from '../../lib/clock.ts';
import { REPORT_ALERT, REPORT_KIND, type Report, type ReportValue } from './model.ts';
import { mainPath, type MemberReading } from './reading.ts';
import { changeBetween, totalsOf, type PartChange, type ReportTotals, type TotalChange } from './totals.ts';

export interface ReportTime {
  readonly due: Instant;
  readonly at: Instant;
}

export function reportMessage(report: Report, all: readonly MemberReading[], { due, at }: ReportTime): Message {
  const totals = totalsOf(report, all);
  const late = at - due > LATE_AFTER_MS;
  const moment = { now: at, zone: report.zone };
  return {
    type: 'alert.event',
    at,
    key: idOf(report.watchId, REPORT_ALERT, scheduleKey(due)),
    episode: 1,
    seq: 1,
    watch: report.id,
    alert: REPORT_ALERT,
    kind: REPORT_KIND,
    severity: report.severity,
    explorer: report.explorer,
    chainId: null,
    place: null,
    of: null,
    token: null,
    title: `report ${report.id}: ${[sumWords(report, totals), changeWords(report, totals)].filter(Boolean).join(', ')}`,
    detail: null,
    measured: null,
    table: tableOf(report, totals),
    lines: [
      ...(late ? [`Due at ${showTime(due, moment)}.`] : []),
      ...notesOf(totals, (since) => showTime(since, moment)),
    ].map((text) => [{ text }]),
    text: [],
    runbook: null,
    condition: `${ON_SCHEDULE} ${showCron(report.schedule)}`,
    rule: report.source,
    observedAt: at,
    since: due,
    firedAt: null,
    resolvedAt: null,
    reason: null,
    zone: report.zone,
    late,
    fields: factsOf(report, totals),
    before: {},
    links: [],
    summary: null,
  };
}

/** `$12,340,120 in 9 balances`, `8 of 9 balances known` */
function sumWords(report: Report, { sum, known, members }: ReportTotals): string {
  const [first] = members;
  const all = counted(members, members.length);
  if (known.length === 0) return `none of ${all} is known`;
  const isWhole = known.length === members.length;
  if (sum === undefined || first === undefined) return isWhole ? all : `${known.length} of ${all} known`;
  return `${shown(first.watch, mainPath(report, first.watch), sum)} in ${isWhole ? all : `${known.length} of ${all}`}`;
}

/** `9 balances` */
function counted(members: readonly MemberReading[], count: number): string {
  const areBalances = members.every(({ watch }) => watch.kind.while?.worth !== undefined);
  const [one, many] = areBalances ? ['balance', 'balances'] : ['watch', 'watches'];
  return `${count} ${count === 1 ? one : many}`;
}

/** `rose 2.1 % in 7 d`, `was $0 7 d ago`; null: the change is not known. */
function changeWords({ total }: Report, { changes: [first], members: [member] }: ReportTotals): string | null {
  if (first?.change === undefined || total === null || member === undefined) return null;
  const span = showSpan(first.ms);
  const { part } = first.change;
  if (part === null) return `was ${shown(member.watch, total, NOTHING)} ${span} ago`;
  if (part.digits === 0n) return `unchanged in ${span}`;
  return `${part.digits < 0n ? `fell ${showPart(part.negated())}` : `rose ${showPart(part)}`} in ${span}`;
}

const NOTHING = new Amount(0n, 0);

function tableOf({ values, total }: Report, totals: ReportTotals): string[][] {
  const head = values.map((value) => headOf(value));
  const rows = totals.members.map((one) => [one.watch.name, ...values.map((value) => cellOf(one, value))]);
  const last = values.map((value) => totalCell(value, totals, total));
  return [['', ...head], ...rows, ...(total === null ? [] : [['total', ...last]])];
}

/** `balance USD`, `change 7 d` */
function headOf(value: ReportValue): string {
  if (value.type === 'change') return `change ${showSpan(value.ms)}`;
  return value.path.replaceAll(/[._]/g, ' ').replace(/\busd\b/, 'USD');
}

function cellOf(one: MemberReading, value: ReportValue): string {
  if (value.type === 'change') return changeCell(changeOfMember(one, value.ms));
  const now = one.now(value.path);
  if (now !== undefined) return shown(one.watch, value.path, now);
  return one.lacks === 'price' ? 'no price' : 'not known';
}

function changeOfMember({ changed }: MemberReading, ms: number): PartChange | undefined {
  const ends = changed(ms);
  return changeBetween(ends?.now, ends?.then);
}

function changeCell(change: PartChange | undefined): string {
  if (change === undefined) return 'not known';
  const { part } = change;
  return part === null ? 'from 0' : `${part.digits > 0n ? '+' : ''}${showPart(part)}`;
}

function totalCell(value: ReportValue, { sum, changes, members: [first] }: ReportTotals, total: string | null): string {
  if (value.type === 'change') return changeCell(changes.find(({ ms }) => ms === value.ms)?.change);
  return value.path === total && sum !== undefined && first !== undefined ? shown(first.watch, total, sum) : '';
}

function shown(watch: Watch, path: string, value: Amount): string {
  const { kind } = watch;
  if (isDollars(kind.fields, path)) return showDollars(value);
  const unit = path === kind.while?.measured ? assetOf(watch) : null;
  return unit === null ? showAmount(value) : `${showAmount(value)} ${unit}`;
}

/** `USDC`, `ETH`: as the config names it; null: the watch is of no asset. */
export function assetOf(watch: Watch): string | null {
  const { token, coin, of } = namesOf(watch);
  return token ?? (of === null ? null : coin);
}

function notesOf({ members, copies, known, changes }: ReportTotals, timeOf: (at: Instant) => string): string[] {
  const unpriced = members.filter(({ lacks }) => lacks === 'price');
  return [
    ...limited(
      members.filter(({ lacks }) => lacks === 'value').map((one) => `${one.watch.name}: ${unknownWords(one, timeOf)}.`),
    ),
    ...limited(
      members
        .filter(({ lacks }) => lacks === 'poll')
        .map((one) => `${one.watch.name}: read for this report at its next poll.`),
    ),
    ...limited(
      members.flatMap((one) =>
        one.isAwaited && (one.lacks === 'nothing' || one.lacks === 'price') && one.at !== null
          ? `${one.watch.name}: not read since ${timeOf(one.at)}.`
          : [],
      ),
    ),
    ...named('Without a price', unpriced),
    ...changes.flatMap((change) => changeNotes(change, known.length)),
    ...limited(
      copies.map(([copy, one]) => `${copy.watch.name} is the same balance as ${one.watch.name}, and counts once.`),
    ),
    ...named(
      'May be old, since the head of the chain stands still',
      members.filter(({ isStale }) => isStale),
    ),
  ];
}

function changeNotes({ ms, without }: TotalChange, known: number): string[] {
  const span = showSpan(ms);
  if (known > 0 && without.length === known) return [`No value of ${span} ago is known, so the change is not.`];
  return named(`Not in the change of ${span}, since not known then`, without);
}

function unknownWords({ at, knownUntil }: MemberReading, timeOf: (at: Instant) => string): string {
  if (at === null) return 'not known yet';
  return knownUntil === null ? 'not known' : `not known since ${timeOf(knownUntil)}`;
}

const MOST_NAMED = 20;

/** `Without a price: vault, cold and 3 more.` */
function named(words: string, members: readonly MemberReading[]): string[] {
  if (members.length === 0) return [];
  const names = members.slice(0, MOST_NAMED).map(({ watch }) => watch.name);
  return [`${words}: ${names.join(', ')}${moreWords(members.length)}.`];
}

function limited(lines: readonly string[]): string[] {
  const more = moreWords(lines.length);
  return [...lines.slice(0, MOST_NAMED), ...(more === '' ? [] : [`${more.trim()}.`])];
}

function moreWords(count: number): string {
  return count > MOST_NAMED ? ` and ${count - MOST_NAMED} more` : '';
}

/** For programs: exact numbers, without unknown ones. */
function factsOf({ values }: Report, { members, known, sum, changes }: ReportTotals): Record<string, Fact> {
  const rows = members.map((one): Fact => ({
    record: { watch: { text: one.watch.name }, ...valuesOf(one, values) },
  }));
  const unpriced = members.filter(({ lacks }) => lacks === 'price').length;
  return {
    rows: { list: rows },
    known: known.length,
    unknown: members.length - known.length - unpriced,
    unpriced,
    ...(sum === undefined ? {} : { total: exact(sum) }),
    ...Object.fromEntries(changes.flatMap(({ name, change }) => (change?.part ? [[name, exact(change.part)]] : []))),
  };
}

function valuesOf(one: MemberReading, values: readonly ReportValue[]): Record<string, Fact> {
  return Object.fromEntries(
    values.flatMap((value): [string, Fact][] => {
      const [name, number] =
        value.type === 'field'
          ? [value.path.replaceAll('.', '_'), one.now(value.path)]
          : [value.name, changeOfMember(one, value.ms)?.part];
      return number === undefined || number === null ? [] : [[name, exact(number)]];
    }),
  );
}

function exact(number: Amount): Fact {
  return { text: number.toString() };
}
