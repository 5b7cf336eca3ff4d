import { once } from 'node:events';
import { z } from 'zod';
import { showSecond, type Instant } from '../lib/clock.ts';
import {
  isHoldSummary,
  type Attempt,
  type Delivery,
  type DeliveryMember,
  type Message,
  type Outcome,
} from '../core/model/delivery.ts';
import { toBody } from './rendering/body.ts';
import { othersText } from './rendering/content.ts';
import { toContent } from './rendering/group-content.ts';
import { headingOf } from '../core/wording/words.ts';
import {
  firedFor,
  isToldLater,
  memberLead,
  ours,
  presentMessage,
  reasonOf,
  stateOf,
  textOf,
} from './rendering/wording.ts';
import type { Notifier } from './notifier.ts';

const config = z.strictObject({
  format: z
    .enum(['text', 'json'])
    .default('text')
    .describe(
      '`text`: TIME SEVERITY watch/alert STATE subject - first lines. `json`: the body of a webhook on one line.',
    ),
});

type LogConfig = z.infer<typeof config>;

export const log: Notifier<LogConfig> = {
  type: 'log',
  summary: 'Writes one line per alert to standard output.',
  unit: 'alert',
  idempotent: false,
  readBy: 'machines',
  config,
  secrets: [],
  giveUpAfterMs: 24 * 3_600_000,
  recipients: (_to, channel) => [channel],
  warnings: () => [],
  open(to, tools) {
    const linesOf = to.format === 'json' ? jsonLine : textLines;
    return {
      async send(delivery, attempt, signal) {
        const over = new AbortController();
        try {
          return await Promise.race([printed(tools.print(linesOf(delivery, attempt))), stopped(signal, over.signal)]);
        } catch {
          return { type: 'again', why: 'standard output is not writable' };
        } finally {
          over.abort();
        }
      },
      async [Symbol.asyncDispose]() {
        // Standard output belongs to the process, so nothing is closed here.
      },
    };
  },
};

async function printed(taken: Promise<void>): Promise<Outcome> {
  await taken;
  return { type: 'sent', answer: 'printed' };
}

// Standard output blocks while its reader is slow. Only this channel waits for it.
async function stopped(signal: AbortSignal, over: AbortSignal): Promise<Outcome> {
  if (!signal.aborted) await once(signal, 'abort', { signal: over });
  return { type: 'unknown', why: 'stopped before standard output took the line' };
}

/** One line per alert, and one line for the alerts that are not listed. */
function textLines(delivery: Delivery, { maybeCopy, unrecorded }: Attempt): string {
  const { kind, members, at } = delivery;
  const marks = [...(maybeCopy ? ['may be a copy'] : []), ...(unrecorded === true ? ['not on record'] : [])];
  if (isHoldSummary(kind)) return summaryLine(delivery, marks);
  const left = othersText(toContent(delivery).others);
  const lines = members.map((member) => memberLine(member, at, marks));
  return [...lines, ...(left === null ? [] : [`${showSecond(at)} ${left}`])].join('\n');
}

/** `2026-01-01T00:12:00Z INFO SUMMARY Silence ended: 2 events - Silenced meanwhile, by rule. calls/failed: 2 events` */
function summaryLine(delivery: Delivery, copy: readonly string[]): string {
  const { subject, lead, text } = toContent(delivery);
  const words = [...lead, ...text].map((line) => line.text);
  const state = subject.replace(/^\[(\w+)\]/, '$1 SUMMARY');
  return [showSecond(delivery.at), state, '-', ...words, ...inBrackets(copy)].join(' ');
}

/** `2026-01-01T00:12:00Z CRITICAL treasury/low RESOLVED treasury USDC 1,120, above 1,050 - When it fired: 970. (after 12m)` */
function memberLine(member: DeliveryMember, at: Instant, copy: readonly string[]): string {
  const { as } = member;
  const message = presentMessage(member);
  const own = isToldLater(member) && message.text.length === 0 ? [] : textOf(message);
  const text = [...memberLead(member, at), ...own].join(' ');
  return [
    showSecond(as === 'repeat' ? at : message.at),
    message.severity.toUpperCase(),
    ours(`${message.watch}/${message.alert}`),
    stateOf(message),
    ours(headingOf(message)),
    ...(text === '' ? [] : ['-', text]),
    ...inBrackets([...asides(message), ...copy]),
  ].join(' ');
}

function asides(message: Message): string[] {
  const [fired, reason] = [firedFor(message), reasonOf(message)];
  return [
    ...(fired === null ? [] : [`after ${fired}`]),
    ...(reason === null ? [] : [reason]),
    ...(message.late ? ['late'] : []),
  ];
}

function inBrackets(words: readonly string[]): string[] {
  return words.length === 0 ? [] : [`(${words.join('; ')})`];
}

// Terminals interpret some characters beyond ASCII as commands, and a log reader may split lines at others, so all of
// them are escaped.
function jsonLine(delivery: Delivery, attempt: Attempt): string {
  return toBody(delivery, attempt).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
