// An operator's action as data, from which the program derives the HTTP route with its role and problems, the OpenAPI
// entry, the call of the command line, the form of a page, the stored answer, the journal line and the announcement.
import type { z } from 'zod';
import type { Announcement, Labels } from '../core/model/ids.ts';
import type { Report } from '../core/reports/model.ts';
import type { Watch } from '../core/model/watch/watch.ts';
import type { Json } from '../core/values/fields.ts';
import type { Key, Silence } from '../dispatch/model.ts';
import type { Clock, Instant } from '../lib/clock.ts';
import type { OpenAlertRow, OperatorRequest, StoredAck, Unchanged } from '../store/contract/operators.ts';
import type { Sql } from '../store/sql/sql.ts';

export type { OperatorRequest } from '../store/contract/operators.ts';

/** The result of the one attempt to send a sample. */
export interface SampleTry {
  readonly recipient: string;
  readonly outcome: 'sent' | 'again' | 'rejected' | 'unknown';
  /** The server's answer, or why there was none. */
  readonly answer: string;
}

export interface Action<
  Body = unknown,
  Change = unknown,
  Done extends object = object,
  Answer extends object = object,
> {
  /** Unique among all actions: a stored request refers to it. */
  readonly name: string;
  /** For the OpenAPI document. */
  readonly summary: string;
  /** Under the root of the API, with parameters as `:name`. */
  readonly path: `/${string}`;
  readonly tag: 'watches' | 'alerts' | 'silences' | 'deliveries' | 'daemon';
  readonly status: 200 | 201;
  /** The path of the created object under the API's root, if the action creates one object. */
  location?(answer: Answer): `/${string}`;
  /** The problems that it can have in addition to those of every call. */
  readonly problems: readonly ActionProblem[];
  /** Parses a request. */
  readonly body: z.ZodType<Body>;
  /** The answer in its JSON form: keys in snake_case, times in RFC 3339. */
  readonly answer: z.ZodType<Answer>;
  answerOf(done: Done): Answer;
  /** Runs before the transaction; skipped for a repeated request. Null if there is nothing to change. */
  check(body: Body, call: ActionCall, world: OperatorWorld): Promise<CheckedAction<Change>> | CheckedAction<Change>;
  /** Runs in the transaction, so it must await only `sql`. Returns the reason, a text, if nothing was changed. */
  apply(sql: Sql, change: Change, by: ActionBy): Promise<Done | Unchanged>;
  /** True if the action adds a row. The key of the request is then the row's id. */
  readonly addsRow: boolean;
  /** True if the dispatch must decide again about held-back deliveries after the action. */
  readonly changesPolicy: boolean;
  /** Sent to the channels of `self:`; null: no message. `subject`: the name of the alert for people. */
  announce(done: Done, by: ActionBy, subject: string | null): AnnouncementText | null;
  log(done: Done, by: ActionBy): readonly [event: string, fields: Readonly<Record<string, unknown>>];
  readonly line: LineWords;
  journal(done: Done, by: ActionBy): LineData | readonly LineData[];
  /** Runs after the commit. Rejects with a `StorageError` if it must run again. */
  after?(answer: Answer, effects: ActionEffects): Promise<void> | void;
  /** Advice if there is nothing to change. */
  notFound(call: ActionCall, world: OperatorWorld): string;
}

/** Infers the types of an action. */
export function action<Body, Change, Done extends object, Answer extends object>(
  parts: Action<Body, Change, Done, Answer>,
): Action<Body, Change, Done, Answer> {
  return parts;
}

/** The line of an action in the journal, for people. */
export interface LineWords {
  /** The kind in the journal; several actions may share one. */
  readonly kind: string;
  /** `acknowledged` */
  readonly words: string;
  /** For a line that ends something begun earlier: `acknowledgement ended`. */
  readonly ended?: string;
  /** The kind of object that the subject names; null: it names neither. */
  readonly about: 'alert' | 'delivery' | null;
}

/** The parts of a journal line that differ from action to action. */
export interface LineData {
  readonly subject: string;
  readonly data: Json;
}

/** The parameters of the path, decoded. */
export interface ActionCall {
  readonly parameter: (name: string) => string;
}

/** `callOf({ key: 'k1', episode: 2 })` */
export function callOf(parameters: Readonly<Record<string, string | number>>): ActionCall {
  return { parameter: (name) => String(parameters[name] ?? '') };
}

/** The request behind an action, and its time. */
export interface ActionBy {
  readonly request: OperatorRequest;
  readonly at: Instant;
  /** The time zone for texts to people. */
  readonly zone: string;
}

/** The parts of the daemon that `check` reads. */
export interface OperatorWorld {
  readonly clock: Pick<Clock, 'now'>;
  /** The time zone for texts to people. */
  readonly timeZone: () => string;
  watches(): readonly Watch[];
  reports(): readonly Report[];
  /** Labels of the daemon's alerts about itself. */
  selfLabels(): readonly Labels[];
  /** The names of the channels in the config in force. */
  channels(): readonly string[];
  /** All open alerts, or those with the given keys. */
  openAlerts(keys?: readonly Key[]): Promise<readonly OpenAlertRow[]>;
  /** Silences and pauses that are in force or will be. */
  silences(): Promise<readonly Silence[]>;
  /** Acknowledgements that have not ended. */
  acks(): Promise<readonly StoredAck[]>;
  /** Sends a sample to each recipient of the channel; resolves with the end of each attempt. */
  sample(channel: string): Promise<readonly SampleTry[]>;
}

/** The parts of a running daemon that actions change besides the state. */
export interface ActionEffects {
  readPauses(): Promise<void>;
  /** Polls the watches with that name, or of that rule, at once. */
  pollNow(name: string): void;
  /** Sends the due deliveries of the channel, even if the receiver answered earlier that it no longer exists. */
  retryChannel(channel: string): void;
}

export type CheckedAction<Change> =
  /** `subject`: the name of the alert for people. */
  | { readonly change: Change; readonly subject?: string }
  | { readonly mistakes: readonly RequestMistake[] }
  | { readonly refusal: 'confirm-needed' | 'already-acknowledged'; readonly detail: string }
  | null;

/** One mistake in a request, with its place as a JSON pointer. */
export interface RequestMistake {
  readonly pointer: string;
  readonly detail: string;
}

export type ActionProblem = Unchanged | 'confirm-needed';

export type ActionRefusal =
  | { readonly type: 'invalid'; readonly mistakes: readonly RequestMistake[] }
  | { readonly type: ActionProblem | 'not-storable'; readonly detail: string };

export type ActionResult<Answer> =
  { readonly type: 'done'; readonly answer: Answer } | { readonly type: 'refused'; readonly why: ActionRefusal };

/** The text of an announcement. Parts of it were written by operators. */
export interface AnnouncementText {
  readonly alert: Announcement;
  /** One line: who did it, the action, and its end. */
  readonly title: string;
  /** Null if no reason was given. */
  readonly comment: string | null;
}

/** A request for an action. */
export interface RequestedAction<Body> {
  readonly call: ActionCall;
  readonly body: Body;
  readonly request: OperatorRequest;
}

/** Carries out an action once for each key of a request. The action is durable when the promise resolves. */
export type PerformAction = <Body, Change, Done extends object, Answer extends object>(
  action: Action<Body, Change, Done, Answer>,
  requested: RequestedAction<Body>,
) => Promise<ActionResult<Answer>>;
