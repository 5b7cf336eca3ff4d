// What the API asks of the daemon. `app/` carries it out; here stand only words that clients use.
import type { RequestMistake, ApiProblem } from '../problem.ts';

/** One request that changes something. */
export interface WriteRequest {
  /** The client's `Idempotency-Key`: a repeated request changes nothing, and gets the same answer. */
  readonly key: string;
  /** A digest of who asks for what. */
  readonly asked: string;
  /** The operator's name. */
  readonly actor: string;
}

/** Milliseconds since 1970-01-01T00:00:00Z. */
type Instant = number;

export interface PauseDraft {
  readonly until: Instant;
  readonly comment: string;
}

export interface PauseAnswer {
  readonly id: string;
  readonly watch: string;
  readonly from: Instant;
  readonly until: Instant;
  readonly actor: string;
  readonly comment: string;
}

/** Patterns by label. */
type Matchers = Readonly<Record<string, string | readonly string[]>>;

export interface SilenceDraft {
  readonly matchers: Matchers;
  /** Null: from now on. */
  readonly from: Instant | null;
  readonly until: Instant;
  /** It ends sooner where nothing that matches fires any more. */
  readonly untilResolved: boolean;
  readonly comment: string;
  /** It is meant, though it is about more than half of the rules. */
  readonly confirm: boolean;
}

export interface SilenceAnswer {
  readonly id: string;
  readonly matchers: Matchers;
  readonly from: Instant;
  readonly until: Instant;
  readonly untilResolved: boolean;
  readonly actor: string;
  readonly comment: string;
  readonly version: number;
}

/** One episode of an alert. */
export interface AlertName {
  readonly key: string;
  readonly episode: number;
}

export interface AckDraft {
  /** Of the transition that the operator saw. */
  readonly seq: number;
  /** Null: for as long as it may be. */
  readonly until: Instant | null;
  readonly comment: string | null;
}

export interface AckAnswer extends AlertName {
  readonly id: string;
  readonly seq: number;
  readonly actor: string;
  readonly comment: string | null;
  readonly at: Instant;
  readonly until: Instant;
}

export interface DeliveryAnswer {
  readonly id: string;
  readonly channel: string;
  readonly recipient: string;
  readonly state: 'owed' | 'dismissed';
}

export interface ChannelAnswer {
  readonly channel: string;
  /** How many messages are tried now. */
  readonly deliveries: number;
}

export interface SampleAnswer {
  readonly channel: string;
  readonly tries: readonly {
    readonly recipient: string;
    readonly outcome: 'sent' | 'again' | 'rejected' | 'unknown';
    readonly answer: string;
  }[];
}

export type ActionRefusal =
  | { readonly type: 'invalid'; readonly mistakes: readonly RequestMistake[] }
  | { readonly type: RefusalName; readonly detail: string };

type RefusalName =
  | 'not-found'
  | 'key-taken'
  | 'confirm-needed'
  | 'is-over'
  | 'stale-seq'
  | 'not-given-up'
  | 'later-sent'
  | 'not-storable';

export type Result<T> =
  { readonly type: 'done'; readonly value: T } | { readonly type: 'refused'; readonly why: ActionRefusal };

/** What operators may change. Each is durable before it resolves. */
export interface Interventions {
  /** `watch`: a rule's id or a watch's name. */
  pause(watch: string, draft: PauseDraft, operation: WriteRequest): Promise<Result<PauseAnswer>>;
  endPause(watch: string, operation: WriteRequest): Promise<Result<PauseAnswer>>;
  silence(draft: SilenceDraft, operation: WriteRequest): Promise<Result<SilenceAnswer>>;
  extendSilence(id: string, until: Instant, operation: WriteRequest): Promise<Result<SilenceAnswer>>;
  endSilence(id: string, operation: WriteRequest): Promise<Result<SilenceAnswer>>;
  ack(alert: AlertName, draft: AckDraft, operation: WriteRequest): Promise<Result<AckAnswer>>;
  endAck(alert: AlertName, operation: WriteRequest): Promise<Result<AckAnswer>>;
  /** Of one that was given up: it is due again, under its id. */
  retryDelivery(id: string, operation: WriteRequest): Promise<Result<DeliveryAnswer>>;
  /** Of one that was given up: nobody needs to look at it any more. */
  dismissDelivery(id: string, operation: WriteRequest): Promise<Result<DeliveryAnswer>>;
  /** What waits on the channel is tried now. */
  retryChannel(channel: string, operation: WriteRequest): Promise<Result<ChannelAnswer>>;
  /** Sends a message that says that it is a sample to each recipient of the channel, once. */
  sampleChannel(channel: string, operation: WriteRequest): Promise<Result<SampleAnswer>>;
}

const RETRY_STORAGE_S = 30;

export function problemOf(why: ActionRefusal): ApiProblem {
  switch (why.type) {
    case 'invalid':
      return {
        problem: 'invalid-request',
        detail: why.mistakes.map(({ pointer, detail }) => `${pointer.slice(1)} ${detail}`).join('; '),
        mistakes: why.mistakes,
      };
    case 'not-storable':
      return { problem: why.type, detail: why.detail, retryAfter: RETRY_STORAGE_S };
    default:
      return { problem: why.type, detail: why.detail };
  }
}
