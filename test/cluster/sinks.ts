// Who is told in a run: one receiver for each plan, which keeps what it got.
import { z } from 'zod';
import { SEVERITIES } from '../../src/core/model/ids.ts';
import { TRANSITIONS } from '../../src/store/tables/alerts/notifications.ts';
import type { TryOutcome } from '../simulation/people/log.ts';
import { createInbox, createWebhookSink, type Arrivals, type WebhookCall } from '../support/sinks.ts';
import { toldIn, type Told } from '../support/crash/receivers.ts';

export interface Heard extends Told {
  readonly at: number;
}

/** What one request said, and how it was answered. */
export interface SeenTry {
  readonly id: string;
  readonly channel: string;
  readonly attempt: number;
  readonly saysCopy: boolean;
  /** It says that it is not on record. */
  readonly isFromMemory: boolean;
  readonly begunAt: number;
  /** Null: never. */
  readonly endedAt: number | null;
  readonly outcome: TryOutcome;
  readonly message: ToldMessage;
}

export type ToldMessage = z.output<typeof Body>;

const Named = z.enum(TRANSITIONS);
const Body = z
  .object({
    type: z.string(),
    timestamp: z.string(),
    data: z.object({
      key: z.string(),
      episode: z.number(),
      seq: z.number(),
      watch: z.string(),
      alert: z.string(),
      severity: z.enum(SEVERITIES),
      reason: z.string().nullable(),
      summary: z.object({ of: z.string(), keys: z.array(z.string()) }).optional(),
    }),
  })
  .transform(({ type, timestamp, data: { summary, ...data } }) => ({
    ...data,
    type: Named.parse((summary?.of ?? type).replace('alert.', '')),
    at: Date.parse(timestamp),
    summary: summary === undefined ? null : { keys: summary.keys },
  }));

export interface Sinks extends AsyncDisposable {
  readonly told: Arrivals<Heard>;
  /** Every request. */
  readonly tries: readonly SeenTry[];
  /** `channels:` of the config. */
  readonly yaml: string;
  /** How many there are. */
  readonly count: number;
  /** From now on everything is refused, or nothing is. */
  refuse(all: boolean): void;
  /** From now on that receiver answers so. */
  behave(plan: number, how: Behaviour): void;
}

/**
 * `busy`: it answers 429. `down`: 503. `reset`: nobody is there. `late`: it takes seconds. `mute`: it has the message, and
 * says nothing.
 */
export type Behaviour = 'well' | 'busy' | 'down' | 'reset' | 'late' | 'mute';

const ANSWER_MS = 200;
const LATE_MS = 4000;
const MUTE_MS = 8000;

export const hookOf = (plan: number): string => `hook-${plan}`;

/** `others`: besides those of the plans. */
export async function openSinks(plans: number, others: readonly string[] = []): Promise<Sinks> {
  const told = createInbox<Heard>();
  const tries: { -readonly [K in keyof SeenTry]: SeenTry[K] }[] = [];
  let refusesAll = false;
  const behaviours = new Map<string, Behaviour>();
  const web = await createWebhookSink((response, call) => {
    const channel = call.path.slice(1);
    const how = refusesAll ? 'down' : (behaviours.get(channel) ?? 'well');
    const one = { ...seenTry(channel, call), outcome: OUTCOMES[how] };
    tries.push(one);
    const end = (answer: () => void, ms: number): void => {
      setTimeout(() => {
        answer();
        one.endedAt = Date.now();
      }, ms);
    };
    if (how === 'busy') end(() => response.writeHead(429, { 'retry-after': String(BUSY_MS / 1000) }).end(), 0);
    else if (how === 'down') end(() => response.writeHead(503).end(), 0);
    else if (how === 'reset') end(() => response.destroy(), 0);
    else {
      told.push({ ...toldIn(channel, call), at: Date.now() });
      if (how === 'mute') end(() => response.destroy(), MUTE_MS);
      // Slow enough for who is killed meanwhile not to know.
      else end(() => response.writeHead(204).end(), how === 'late' ? LATE_MS : ANSWER_MS);
    }
  });
  const names = [...Array.from({ length: plans }, (_, plan) => hookOf(plan)), ...others];
  return {
    told,
    tries,
    yaml: `channels:\n${names
      .map((name) => `  ${name}: { type: webhook, url: '${web.origin}/${name}', allow: [127.0.0.0/8] }\n`)
      .join('')}`,
    count: plans,
    behave(plan, how) {
      behaviours.set(hookOf(plan), how);
    },
    refuse(all) {
      refusesAll = all;
    },
    [Symbol.asyncDispose]: () => web[Symbol.asyncDispose](),
  };
}

const BUSY_MS = 2000;

const OUTCOMES: Readonly<Record<Behaviour, TryOutcome>> = {
  well: { type: 'accepted' },
  late: { type: 'accepted' },
  mute: { type: 'unknown', took: true },
  reset: { type: 'unknown', took: false },
  busy: { type: 'refused', why: 'busy', retryAfterMs: BUSY_MS },
  down: { type: 'refused', why: 'busy', retryAfterMs: null },
};

function seenTry(channel: string, { headers, body }: WebhookCall): Omit<SeenTry, 'outcome'> {
  const attempt = String(headers['chainwarden-attempt']);
  return {
    id: String(headers['webhook-id']),
    channel,
    attempt: Number.parseInt(attempt, 10),
    saysCopy: attempt.includes('may be a copy'),
    isFromMemory: attempt.includes('unrecorded'),
    begunAt: Date.now(),
    endedAt: null,
    message: Body.parse(JSON.parse(body)),
  };
}
