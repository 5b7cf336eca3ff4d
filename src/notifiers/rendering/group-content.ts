// Several alerts in one message: a line each, the most severe first, and what is not listed counted by rule. A summary of
// what was silenced or held back counts all of it by rule.
import {
  isHoldSummary,
  MOST_LISTED,
  RANK_OF,
  stateWord,
  type AlikeMembers,
  type Delivery,
  type DeliveryMember,
  type HoldSummaryKind,
  type Message,
  type MessageType,
} from '../../core/model/delivery.ts';
import type { Severity } from '../../core/model/ids.ts';
import { shortHex } from '../../core/values/address.ts';
import { showRange, showTime } from '../../core/wording/words.ts';
import type { Instant } from '../../lib/clock.ts';
import type { OwnLinks } from './alert-content.ts';
import {
  ACKNOWLEDGE_ALL,
  byRule,
  ourLine,
  sumOf,
  type MessageContent,
  type ListedAlert,
  type RuleCount,
  type MessageTone,
} from './content.ts';
import { memberAside, memberSubject } from './member.ts';
import { ours, pagesOf, runbookOf, subjectOf } from './wording.ts';

export function toGroupContent(delivery: Delivery, { ackUrl, pageOf }: OwnLinks = {}): MessageContent {
  const { kind } = delivery;
  if (isHoldSummary(kind)) return countedContent(delivery, kind);
  const { members, more, at } = delivery;
  const alike = [...members.map(countOf), ...more];
  const tone = toneOf(alike);
  return {
    ...NOTHING_MORE,
    ...headOf(delivery, alike, tone),
    tone,
    alerts: linesOf(members.slice(0, MOST_LISTED), kind === 'overflow_summary').map((some) => ({
      ...listed(some, kind === 'overflow_summary', at),
      link: pageOf?.(some[0].message) ?? anyPageOf(some[0].message),
    })),
    links: ackUrl === undefined ? [] : [{ label: ACKNOWLEDGE_ALL, url: ackUrl }],
    others: byRule([...members.slice(MOST_LISTED).map(countOf), ...more].map(ruleCountOf)),
  };
}

const NOTHING_MORE = {
  alerts: [],
  others: [],
  links: [],
  text: [],
  values: [],
  about: [],
  details: [],
  notes: [],
} as const;

function countOf({ message }: DeliveryMember): AlikeMembers {
  const { watch, alert, severity, type, summary } = message;
  return { watch, alert, severity, type: summary?.of ?? type, count: summary?.count ?? 1 };
}

function ruleCountOf({ watch, alert, count }: AlikeMembers): RuleCount {
  return { rule: `${ruleOf(watch)}/${ours(alert)}`, count };
}

/** `coins` of `coins[treasury]` */
function ruleOf(watch: string): string {
  return ours(watch.replace(/\[.*$/s, ''));
}

function headOf(
  { kind, members, more }: Delivery,
  alike: readonly AlikeMembers[],
  tone: MessageTone,
): Pick<MessageContent, 'subject' | 'lead'> {
  const alerts = numberOf(sumOf(alike), 'alert');
  if (kind === 'overflow_summary') {
    const severities = severityWords(alike);
    return { subject: `[${tagOf(alike, tone)}] ${alerts} in one summary`, lead: [ourLine(severities)] };
  }
  const still = kind === 'repeat' ? ` still ${members.every(isFiring) ? 'firing' : 'open'}` : '';
  const subject = `[${tagOf(alike, tone)}] ${alerts}${still}: ${namesOf(members, more)}`;
  const states = stateWords(alike);
  return { subject, lead: states === null ? [] : [ourLine(states)] };
}

function isFiring({ message: { type } }: DeliveryMember): boolean {
  return type === 'alert.firing';
}

const ENDS: ReadonlySet<MessageType> = new Set(['alert.resolved', 'alert.retracted']);

/** The highest severity of what is not over. */
function toneOf(alike: readonly AlikeMembers[]): MessageTone {
  return severitiesOf(alike.filter(({ type }) => !ENDS.has(type)))[0] ?? 'resolved';
}

/** What is over, or is all of one other state, says so. */
function tagOf(alike: readonly AlikeMembers[], tone: MessageTone): string {
  const [type, ...others] = new Set(alike.map((one) => one.type));
  if (type !== undefined && others.length === 0 && type !== 'alert.event' && type !== 'alert.firing')
    return stateWord(type).toUpperCase();
  return tone.toUpperCase();
}

function severitiesOf(alike: readonly Pick<AlikeMembers, 'severity'>[]): Severity[] {
  return [...new Set(alike.map(({ severity }) => severity))].toSorted((a, b) => RANK_OF[a] - RANK_OF[b]);
}

/** `3 critical, 54 warning; critical first.` */
function severityWords(alike: readonly AlikeMembers[]): string {
  const [first, ...others] = severitiesOf(alike);
  const words = [...(first === undefined ? [] : [first]), ...others].map(
    (severity) => `${sumOf(alike.filter((one) => one.severity === severity))} ${severity}`,
  );
  return `${words.join(', ')}${first === undefined || others.length === 0 ? '' : `; ${first} first`}.`;
}

/** `2 firing, 1 resolved.`; null where all are of one state. */
function stateWords(alike: readonly AlikeMembers[]): string | null {
  const byType = Map.groupBy(alike, ({ type }) => type);
  if (byType.size < 2) return null;
  return `${[...byType].map(([type, some]) => numberOfState(sumOf(some), type)).join(', ')}.`;
}

function numberOfState(count: number, type: MessageType): string {
  return type === 'alert.event' ? numberOf(count, 'event') : `${count} ${stateWord(type)}`;
}

/** `1 event`, `4 alerts` */
function numberOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

const MOST_NAMES = 4;

/** The rules, then the explorers: `coins, ethereum`. */
function namesOf(members: readonly DeliveryMember[], more: readonly AlikeMembers[]): string {
  const rules = [...members.map(({ message }) => message.watch), ...more.map(({ watch }) => watch)].map(ruleOf);
  const explorers = members.map(({ message }) => ours(message.explorer));
  const [all, places] = [[...new Set(rules)], [...new Set(explorers)]];
  const shown = all.slice(0, MOST_NAMES);
  const left = all.length - shown.length;
  return [...new Set([...shown, ...(left > 0 ? [`${left} more rules`] : []), ...places.slice(0, MOST_NAMES)])].join(
    ', ',
  );
}

/** Members of one line: the same thing happened to all of them. */
type Line = readonly [DeliveryMember, ...DeliveryMember[]];

/** The worst first, conditions before events. Events that read alike are one line. */
function linesOf(members: readonly DeliveryMember[], isSummary: boolean): Line[] {
  const lines = [...Map.groupBy(members, (member) => lineKeyOf(member, isSummary)).values()];
  return lines
    .flatMap(([first, ...others]): Line[] => (first === undefined ? [] : [[first, ...others]]))
    .toSorted(byRank);
}

function lineKeyOf({ message, as, renewed, heldAt }: DeliveryMember, isSummary: boolean): string {
  const { key, seq, watch, alert, type, severity } = message;
  const isPlain = type === 'alert.event' && as === 'news' && renewed === null && (heldAt === null || isSummary);
  return JSON.stringify(isPlain ? [watch, alert, severity, subjectOf(message)] : [key, seq]);
}

function byRank([a]: Line, [b]: Line): number {
  return RANK_OF[a.message.severity] - RANK_OF[b.message.severity] || Number(isEvent(a)) - Number(isEvent(b));
}

function isEvent({ message: { type } }: DeliveryMember): boolean {
  return type === 'alert.event';
}

/** Of a summary all members were held back: that is what it is. */
function listed(line: Line, isSummary: boolean, at: Instant): Omit<ListedAlert, 'link'> {
  const [first] = line;
  const { message } = first;
  const alone = memberAside(isSummary ? { ...first, heldAt: null } : first, at);
  return {
    subject: memberSubject(first, at),
    aside: line.length === 1 ? alone : foldedAside(line, at),
    tone: ENDS.has(message.type) ? 'resolved' : message.severity,
    counts: { ...ruleCountOf(countOf(first)), count: sumOf(line.map(countOf)) },
  };
}

const MOST_CALLERS = 3;

/** `6 times, 00:05\u201300:08 UTC, from 0x1E46\u2026FD90` */
function foldedAside(line: Line, now: Instant): string {
  const times = line.map(({ message: { at } }) => at);
  const [first, last, moment] = [Math.min(...times), Math.max(...times), { now, zone: line[0].message.zone }];
  const range = first === last ? showTime(first, moment) : showRange(first, last, moment);
  const callers = [...new Set(line.flatMap(({ message }) => callerOf(message)))];
  const more = callers.length - MOST_CALLERS;
  const from = [...callers.slice(0, MOST_CALLERS), ...(more > 0 ? [`${more} more`] : [])].join(', ');
  return `${sumOf(line.map(countOf))} times, ${range}${from === '' ? '' : `, from ${from}`}`;
}

function callerOf({ fields: { from } }: Message): string[] {
  const hash = typeof from === 'object' && 'record' in from ? from.record['hash'] : undefined;
  return typeof hash === 'object' && 'text' in hash ? [shortHex(ours(hash.text))] : [];
}

function anyPageOf(message: Message): string | null {
  const [page] = pagesOf(message);
  return page ?? runbookOf(message);
}

const WHY = {
  silence_summary: { ended: 'Silence ended', held: 'Silenced meanwhile, by rule' },
  inhibition_summary: { ended: 'Inhibition ended', held: 'Held back meanwhile, by rule' },
} as const;

/** What happened and what cleared meanwhile is over: it is counted. */
function countedContent({ members, more }: Delivery, kind: HoldSummaryKind): MessageContent {
  const alike = [...members.map(countOf), ...more];
  const [conditions, events] = partition(alike);
  const words = [
    ...(events.length > 0 ? [numberOf(sumOf(events), 'event')] : []),
    ...(conditions.length > 0 ? [numberOf(sumOf(conditions), 'condition')] : []),
  ];
  return {
    ...NOTHING_MORE,
    subject: `[INFO] ${WHY[kind].ended}: ${words.join(', ')}`,
    tone: 'info',
    lead: [ourLine(`${WHY[kind].held}. What still fires is told in a message of its own.`)],
    text: [...ruleLines(events, 'event'), ...ruleLines(conditions, 'condition')].map(ourLine),
  };
}

function partition(alike: readonly AlikeMembers[]): [conditions: AlikeMembers[], events: AlikeMembers[]] {
  const isCondition = ({ type }: AlikeMembers): boolean => type === 'alert.firing' || type === 'alert.resolved';
  return [alike.filter(isCondition), alike.filter((one) => !isCondition(one))];
}

function ruleLines(alike: readonly AlikeMembers[], noun: string): string[] {
  const rules = byRule(alike.map(ruleCountOf));
  const rest = rules.slice(MOST_LISTED);
  return [
    ...rules.slice(0, MOST_LISTED).map(({ rule, count }) => `${rule}: ${numberOf(count, noun)}`),
    ...(rest.length === 0 ? [] : [`${numberOf(rest.length, 'more rule')}: ${numberOf(sumOf(rest), noun)}`]),
  ];
}
