// Several alerts in one message: a line each, the most severe first; alerts that are not listed are counted by rule. A
// summary of silenced or held back alerts only counts by rule.
import {
  type AlikeMembers,
  type Delivery,
  type DeliveryMember,
  type HoldSummaryKind,
  isHoldSummary,
  type Message,
  type MessageType,
  MOST_LISTED,
  RANK_OF,
  stateWord,
} from '../../core/model/delivery.ts';
import type { Severity } from '../../core/model/ids.ts';
import { shortHex } from '../../core/values/address.ts';
import { pagesOf, runbookOf, showRange, showTime } from '../../core/wording/words.ts';
import type { Instant } from '../../lib/clock.ts';
import { plain } from '../../lib/untrusted.ts';
import { type OwnLinks, toAlertContent } from './alert-content.ts';
import {
  ACKNOWLEDGE_ALL,
  byRule,
  type ListedAlert,
  type MessageContent,
  type MessageTone,
  ourLine,
  quoted,
  type RuleCount,
  sumOf,
} from './content.ts';
import { isAboutOne, memberAside, memberSubject, ours, subjectOf } from './wording.ts';

function toGroupContent(delivery: Delivery, { ackUrl, pageOf }: OwnLinks = {}): MessageContent {
  const { kind } = delivery;
  if (isHoldSummary(kind)) return countedContent(delivery, kind);
  const { members, more, at } = delivery;
  const isSummary = kind === 'overflow_summary';
  const alike = [...members.map(countOf), ...more];
  const lines = linesOf(members, isSummary);
  const [worst] = lines;
  return {
    ...NOTHING_MORE,
    subject: headOf(worst, sumOf(alike), at),
    lead: leadOf(alike, isSummary).map(ourLine),
    tone: toneOf(worst[0].message),
    alerts: lines.slice(0, MOST_LISTED).map((some) => ({
      ...listed(some, isSummary, at),
      link: pageOf?.(some[0].message) ?? anyPageOf(some[0].message),
    })),
    links: ackUrl === undefined ? [] : [{ label: ACKNOWLEDGE_ALL, url: ackUrl }],
    others: byRule([...lines.slice(MOST_LISTED).flat().map(countOf), ...more].map(ruleCountOf)),
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

/** The worst line, and the number of other alerts: `[CRITICAL] treasury USDC 970,030, below 1,000,000 (and 3 more)`. */
function headOf(worst: Line, all: number, at: Instant): string {
  const count = sumOf(worst.map(countOf));
  const aside = [...(count > 1 ? [`${count} times`] : []), ...(all > count ? [`and ${all - count} more`] : [])];
  const subject = memberSubject(worst[0], at);
  return aside.length === 0 ? subject : `${subject} (${aside.join(', ')})`;
}

/** The number of alerts in each state, or of each severity in a summary; empty if all alerts are in one state. */
function leadOf(alike: readonly AlikeMembers[], isSummary: boolean): string[] {
  if (isSummary) return [`${numberOf(sumOf(alike), 'alert')} in one summary: ${severityWords(alike)}`];
  const states = stateWords(alike);
  return states === null ? [] : [states];
}

const ENDS: ReadonlySet<MessageType> = new Set(['alert.resolved', 'alert.retracted']);

function toneOf({ type, severity }: Message): MessageTone {
  return ENDS.has(type) ? 'resolved' : severity;
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

/** `2 firing, 1 resolved.`; null if all alerts are in one state. */
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

/** Members of one line: the same thing happened to all of them. */
type Line = readonly [DeliveryMember, ...DeliveryMember[]];

/** The worst line comes first, conditions before events. Events with the same text share a line. */
function linesOf(members: Delivery['members'], isSummary: boolean): readonly [Line, ...Line[]] {
  const byText = Map.groupBy(members, (member) => lineKeyOf(member, isSummary)).values();
  const lines = [...byText].flatMap(([first, ...others]): Line[] => (first === undefined ? [] : [[first, ...others]]));
  const [worst = [members[0]], ...rest] = lines.toSorted(byRank);
  return [worst, ...rest];
}

function lineKeyOf({ message, as, renewed, heldAt }: DeliveryMember, isSummary: boolean): string {
  const { key, seq, watch, alert, type, severity } = message;
  const isPlain = type === 'alert.event' && as === 'news' && renewed === null && (heldAt === null || isSummary);
  return JSON.stringify(isPlain ? [watch, alert, severity, subjectOf(message)] : [key, seq]);
}

function byRank([a]: Line, [b]: Line): number {
  return rankOf(a.message) - rankOf(b.message) || Number(isEvent(a)) - Number(isEvent(b));
}

/** An end needs no action, so it ranks below warnings. The end of a warning or critical alert ranks above information. */
const RANK_OF_END: Readonly<Record<Severity, number>> = { critical: 1.25, warning: 1.5, info: 2.5 };

function rankOf({ type, severity }: Message): number {
  return (ENDS.has(type) ? RANK_OF_END : RANK_OF)[severity];
}

function isEvent({ message: { type } }: DeliveryMember): boolean {
  return type === 'alert.event';
}

/** All members of a summary were held back, so the lines do not repeat it. */
function listed(line: Line, isSummary: boolean, at: Instant): Omit<ListedAlert, 'link'> {
  const [first] = line;
  const { message } = first;
  const when = line.length === 1 ? memberAside(isSummary ? { ...first, heldAt: null } : first, at) : timesOf(line, at);
  const reasons = isEvent(first) ? firstOf(line.flatMap(({ message: one }) => strangeIn(one))) : [];
  return {
    subject: memberSubject(first, at),
    aside: [when, ...callersOf(line), ...reasons].join(', '),
    strange: reasons.length > 0,
    tone: toneOf(message),
    counts: { ...ruleCountOf(countOf(first)), count: sumOf(line.map(countOf)) },
  };
}

/** `6 times, 00:05\u201300:08 UTC` */
function timesOf(line: Line, now: Instant): string {
  const times = line.map(({ message: { at } }) => at);
  const [first, last, moment] = [Math.min(...times), Math.max(...times), { now, zone: line[0].message.zone }];
  const range = first === last ? showTime(first, moment) : showRange(first, last, moment);
  return `${sumOf(line.map(countOf))} times, ${range}`;
}

const MOST_DISTINCT = 3;

/** Each text once; the ones left out are counted. */
function firstOf(texts: readonly string[]): string[] {
  const all = [...new Set(texts)];
  const more = all.length - MOST_DISTINCT;
  return [...all.slice(0, MOST_DISTINCT), ...(more > 0 ? [`${more} more`] : [])];
}

/** `from 0x1E46\u2026FD90` */
function callersOf(line: Line): string[] {
  const callers = firstOf(line.flatMap(({ message }) => callerOf(message)));
  return callers.length === 0 ? [] : [`from ${callers.join(', ')}`];
}

const LONGEST_REASON = 60;

/** `\u201cout of gas\u201d`: the contract's own reason for a failed call. */
function strangeIn({ lines }: Message): string[] {
  const parts = lines.flat().flatMap((part) => ('untrusted' in part ? [plain(part.untrusted, LONGEST_REASON)] : []));
  return parts.filter((text) => text !== '').map((text) => quoted({ text, strange: true }));
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

/** Events and ended conditions are over, so they are only counted. */
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
    lead: [ourLine(`${WHY[kind].held}. Alerts that still fire get a message of their own.`)],
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

/** The content of a delivery for people: all facts about one alert, or one line for each of several alerts. */
export function toContent(delivery: Delivery, links: OwnLinks = {}): MessageContent {
  const { kind, members, at } = delivery;
  const isOfOne = isAboutOne(delivery) && !isHoldSummary(kind);
  return isOfOne ? toAlertContent(members[0], at, links) : toGroupContent(delivery, links);
}
