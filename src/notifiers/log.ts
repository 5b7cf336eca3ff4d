import { once } from 'node:events';
import { z } from 'zod';
import { showSecond } from '../lib/clock.ts';
import type { Delivery, Message, Outcome } from '../core/model/delivery.ts';
import { toBody } from './rendering/body.ts';
import { headingOf } from '../core/wording/message-words.ts';
import { firedFor, ours, reasonOf, stateOf, textOf } from './rendering/wording.ts';
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
    const lineOf = to.format === 'json' ? jsonLine : textLine;
    return {
      async send(delivery, _attempt, signal) {
        const over = new AbortController();
        try {
          return await Promise.race([printed(tools.print(lineOf(delivery))), stopped(signal, over.signal)]);
        } catch {
          return { type: 'again', why: 'standard output takes nothing at the moment' };
        } finally {
          over.abort();
        }
      },
      async [Symbol.asyncDispose]() {
        // Standard output belongs to the process.
      },
    };
  },
};

async function printed(taken: Promise<void>): Promise<Outcome> {
  await taken;
  return { type: 'sent', answer: 'printed' };
}

// A reader that stands still takes lines as late as it likes; the channel waits, and nothing else does.
async function stopped(signal: AbortSignal, over: AbortSignal): Promise<Outcome> {
  if (!signal.aborted) await once(signal, 'abort', { signal: over });
  return { type: 'unknown', why: 'stopped before standard output took the line' };
}

/** `2026-01-01T00:12:00Z CRITICAL treasury/low RESOLVED treasury USDC 1,120, above 1,050 - When it fired: 970. (after 12m)` */
function textLine({ members: [{ message }] }: Delivery): string {
  const text = textOf(message).join(' ');
  return [
    showSecond(message.at),
    message.severity.toUpperCase(),
    ours(`${message.watch}/${message.alert}`),
    stateOf(message),
    ours(headingOf(message)),
    ...(text === '' ? [] : ['-', text]),
    ...asides(message),
  ].join(' ');
}

function asides(message: Message): string[] {
  const [fired, reason] = [firedFor(message), reasonOf(message)];
  const all = [
    ...(fired === null ? [] : [`after ${fired}`]),
    ...(reason === null ? [] : [reason]),
    ...(message.late ? ['told late'] : []),
  ];
  return all.length === 0 ? [] : [`(${all.join('; ')})`];
}

// Terminals obey some characters beyond ASCII, and a log reader may split at others: all of them travel escaped.
function jsonLine(delivery: Delivery): string {
  return toBody(delivery).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
