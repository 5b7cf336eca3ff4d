// The text for channels that show one alert at a time.
import { newsOf, type Delivery, type DeliveryMember, type Message } from '../../core/model/delivery.ts';
import { MOST_KEYS } from '../../core/alerts/summary.ts';
import { alertText, othersText, sumOf, type MessageContent } from './content.ts';
import { isAboutOne, toContent } from './delivery-content.ts';
import { presentMessage } from './member.ts';

/** A delivery as one transition: its only member, or a summary of its members. */
export function asOne(delivery: Delivery): DeliveryMember {
  return isAboutOne(delivery) ? delivery.members[0] : newsOf(summaryOf(delivery));
}

/** The message for programs. If it is not new, `reason` shows why it is sent. */
export function messageOf(delivery: Delivery): Message {
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
