import type { z } from 'zod';
import type { Clock } from '../lib/clock.ts';
import type { Attempt, Delivery, Outcome } from '../core/model/delivery.ts';
import type { ShownAlert } from '../core/model/mirror.ts';

/** A type of channel. A new one is a file in `notifiers/` and its line in `notifiers/index.ts`. */
export interface Notifier<D> {
  readonly type: string;
  /** One sentence for docs and the editor schema. */
  readonly summary: string;
  /** The channel's keys in the config, without `type`, secrets already resolved to text. */
  readonly config: z.ZodType<D>;
  /** The keys of `config` that may be written as `{ env: NAME }` or `{ file: PATH }`. No message ever shows their value. */
  readonly secrets: readonly string[];
  /** `group`: one message may contain several alerts. `alert`: one call for each alert. */
  readonly unit: 'alert' | 'group';
  /**
   * True if the receiver recognises a second copy by its id and drops it. Otherwise the text of the message names the
   * possible copy.
   */
  readonly idempotent: boolean;
  /** The number of messages to people is limited unless the config says otherwise; machines get any number. */
  readonly readBy: 'people' | 'machines';
  /** The number of messages that the service accepts on one channel; left out if there is no limit. */
  readonly pace?: SendingPace | undefined;
  /** A delivery that is not accepted is given up after this time. Only time in which it could be tried counts. */
  readonly giveUpAfterMs: number;
  /**
   * Stable names of the recipients that get messages of their own. A channel with one receiver returns its own name.
   */
  recipients(to: D, channel: string): readonly string[];
  /** Warnings at load, such as "unsigned: no secret". */
  warnings(to: D): readonly string[];
  /** Connects to nothing yet. The caller disposes of the sender. */
  open(to: D, tools: NotifierTools): OpenNotifier;
  /** Set if the receiver keeps its own state of alerts: it gets no deliveries, only the open alerts. */
  readonly mirror?: Mirror<D>;
}

/** At most `most` messages in `inMs` milliseconds. */
export interface SendingPace {
  readonly most: number;
  readonly inMs: number;
}

export interface Mirror<D> {
  /** The interval at which all alerts are shown, and how long an alert stays open without being shown. */
  timesOf(to: D): { readonly refreshMs: number; readonly holdMs: number };
  /** Connects to nothing yet. The caller disposes of it. */
  open(to: D, tools: NotifierTools): OpenMirror;
}

export interface OpenMirror extends AsyncDisposable {
  /** Shows all given alerts once. Returns the outcome of each alert, in their order. Never throws. */
  show(alerts: readonly ShownAlert[], signal: AbortSignal): Promise<readonly Outcome[]>;
}

export type AnyNotifier = Notifier<unknown>;

export interface NotifierTools {
  readonly channel: string;
  readonly clock: Clock;
  /** For the `log` channel: standard output. Resolves when the line is written, rejects if that fails. */
  readonly print: (line: string) => Promise<void>;
  readonly version: string;
}

/**
 * An open channel. `send` never throws: it returns an outcome in every case. The same delivery gives the same bytes
 * each time.
 */
export interface OpenNotifier extends AsyncDisposable {
  send(delivery: Delivery, attempt: Attempt, signal: AbortSignal): Promise<Outcome>;
  /** Set if the receiver keeps its own acknowledgements. Never throws; can be repeated. */
  readonly acknowledge?: (alert: AnsweredAlert, signal: AbortSignal) => Promise<Outcome>;
}

export interface AnsweredAlert {
  readonly key: string;
  /** Whether the alert is over. An event has no end of its own: it is over once it is acknowledged, or old. */
  readonly isOver: boolean;
}
