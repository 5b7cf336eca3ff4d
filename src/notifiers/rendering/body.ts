import { MOST_KEYS } from '../../core/alerts/summary.ts';
import { type Delivery, type DeliveryMember, type Message, newsOf } from '../../core/model/delivery.ts';
import { pagesOf, runbookOf } from '../../core/wording/words.ts';
import { showInstant } from '../../lib/clock.ts';
import { plain } from '../../lib/untrusted.ts';
import { linesOf, type OwnLinks } from './alert-content.ts';
import { alertText, type MessageContent, othersText, sumOf } from './content.ts';
import { toPlain } from './facts.ts';
import { toContent } from './group-content.ts';
import { isAboutOne, memberSubject, ours, presentMessage, textOf } from './wording.ts';

/**
 * The JSON of one alert, as webhooks carry it and `format: json` prints it; for several alerts, an `alert.summary`.
 * Amounts are decimal text in whole units, unknown fields are left out. The same delivery gives the same bytes every
 * time.
 */
export function toBody(delivery: Delivery, links: OwnLinks = {}): string {
  return JSON.stringify(bodyOf(delivery, links));
}

type Body = ReturnType<typeof bodyOf>;

/** Every field of a body by its bare name, with the fields inside it; `any` if they differ from alert to alert. */
export const BODY_FIELDS: Readonly<
  Record<Exclude<keyof Body, 'data'> | keyof Body['data'], readonly string[] | 'any' | 'one value'>
> = {
  type: 'one value',
  timestamp: 'one value',
  id: 'one value',
  key: 'one value',
  episode: 'one value',
  seq: 'one value',
  watch: 'one value',
  alert: 'one value',
  kind: 'one value',
  severity: 'one value',
  explorer: 'one value',
  chain_id: 'one value',
  of: ['name', 'address'],
  token: ['address', 'symbol', 'decimals'],
  subject: 'one value',
  title: 'one value',
  lines: 'any',
  text: 'one value',
  condition: 'one value',
  rule: 'one value',
  observed_at: 'one value',
  since: 'one value',
  fired_at: 'one value',
  resolved_at: 'one value',
  reason: 'one value',
  late: 'one value',
  claim: 'one value',
  fields: 'any',
  before: 'any',
  page: 'one value',
  links: 'any',
  runbook: 'one value',
  summary: ['of', 'count', 'keys'],
};

/** The body of `toBody` as an object. */
export function bodyOf(delivery: Delivery, { pageOf }: OwnLinks = {}) {
  const { id, at } = delivery;
  const [member, message] = [asOne(delivery), messageOf(delivery)];
  const runbook = runbookOf(message);
  return {
    type: message.type,
    timestamp: showInstant(message.at),
    data: {
      id,
      key: message.key,
      episode: message.episode,
      seq: message.seq,
      watch: ours(message.watch),
      alert: ours(message.alert),
      kind: message.kind,
      severity: message.severity,
      explorer: ours(message.explorer),
      chain_id: message.chainId === null ? null : ours(message.chainId),
      of: ofIn(message),
      token: tokenIn(message),
      subject: memberSubject(member, at),
      title: ours(message.title),
      lines: linesOf(member, at).map(({ text }) => text),
      text: textOf(message).join('\n'),
      condition: ours(message.condition),
      rule: ours(message.rule),
      observed_at: showInstant(message.observedAt),
      since: showInstant(message.since),
      fired_at: message.firedAt === null ? null : showInstant(message.firedAt),
      resolved_at: message.resolvedAt === null ? null : showInstant(message.resolvedAt),
      reason: message.reason === null ? null : ours(message.reason),
      late: message.late,
      ...(message.isClaim === true ? { claim: true } : {}),
      fields: toPlain(message.fields),
      before: Object.keys(message.before).length === 0 ? null : toPlain(message.before),
      page: pageOf?.(message) ?? null,
      links: [...(runbook === null ? [] : [runbook]), ...pagesOf(message)],
      runbook,
      ...(message.summary === null ? {} : { summary: message.summary }),
    },
  };
}

function ofIn({ of }: Message) {
  return of === null ? null : { name: of.name === null ? null : ours(of.name), address: ours(of.address) };
}

function tokenIn({ token }: Message) {
  if (token === null) return null;
  const symbol = token.symbol === null ? null : plain(token.symbol);
  return { address: ours(token.address), symbol, decimals: token.decimals };
}

// The text for channels that show one alert at a time.

/** A delivery as one transition: its only member, or a summary of its members. */
export function asOne(delivery: Delivery): DeliveryMember {
  return isAboutOne(delivery) ? delivery.members[0] : newsOf(summaryOf(delivery));
}

/** The message for programs. If it is not new, `reason` shows why it is sent. */
function messageOf(delivery: Delivery): Message {
  const member = asOne(delivery);
  const [message, { as, renewed }] = [presentMessage(member), member];
  const isCalled = renewed === null || renewed.why === 'called';
  if (as === 'news' && isCalled) return message;
  const isOld = as === 'repeat' || !isCalled;
  return { ...message, reason: isCalled ? as : renewed.why, ...(isOld ? { at: delivery.at } : {}) };
}

function summaryOf(delivery: Delivery): Message {
  const { id, at, members, more } = delivery;
  const [{ message: first }] = members;
  const { isClaim, ...message } = first;
  const areClaims = more.length === 0 && members.every((member) => member.message.isClaim === true);
  const content = toContent(delivery);
  return {
    ...message,
    ...(areClaims && isClaim !== undefined ? { isClaim } : {}),
    type: 'alert.summary',
    at,
    key: id,
    episode: 1,
    seq: 1,
    title: titleIn(content),
    detail: null,
    measured: null,
    lines: content.lead.map(({ text }) => [{ text }]),
    text: [{ text: listIn(content) }],
    observedAt: at,
    since: at,
    firedAt: null,
    resolvedAt: null,
    reason: null,
    late: false,
    fields: {},
    before: {},
    links: [],
    summary: {
      of: message.summary?.of ?? message.type,
      count: members.length + sumOf(more),
      keys: [...members.map((member) => member.message.key), ...more.flatMap(({ keys }) => keys)].slice(0, MOST_KEYS),
    },
  };
}

/** The subject without the state in front of it. */
function titleIn({ subject }: MessageContent): string {
  return subject.replace(/^\[[^\]]*\] /, '');
}

function listIn({ alerts, others, text }: MessageContent): string {
  const left = othersText(others);
  const lines = [
    ...alerts.map((alert) => alertText(alert)),
    ...text.map((line) => line.text),
    ...(left === null ? [] : [left]),
  ];
  return lines.join('\n');
}
