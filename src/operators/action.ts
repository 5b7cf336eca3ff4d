// An operator's action as data. The HTTP route with its role and problems, the OpenAPI entry, the call of the command line,
// the form of a page, the stored answer, the journal line and the announcement are derived from it.
import type { z } from 'zod';
import type { Announcement, Labels } from '../core/model/ids.ts';
import type { Watch } from '../core/model/watch/watch.ts';
import type { Json } from '../core/values/fields.ts';
import type { Key, Silence } from '../dispatch/model.ts';
import type { Clock, Instant } from '../lib/clock.ts';
import type { OpenAlertRow, OperatorRequest, StoredAck, Unchanged } from '../store/contract/operators.ts';
import type { Sql } from '../store/sql/sql.ts';

export type { OperatorRequest } from '../store/contract/operators.ts';

/** How the only try of a sample ended. */
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
  /** Not the same for any other action: a stored request names it. */
  readonly name: string;
  /** For the OpenAPI document. */
  readonly summary: string;
  /** Under the root of the API, with parameters as `:name`. */
  readonly path: `/${string}`;
  readonly tag: 'watches' | 'alerts' | 'silences' | 'deliveries' | 'daemon';
  readonly status: 200 | 201;
  /** The path under the API's root of the thing that was made, if it is one thing. */
  location?(answer: Answer): `/${string}`;
  /** In addition to the problems of every call. */
  readonly problems: readonly ActionProblem[];
  /** Parses a request. */
  readonly body: z.ZodType<Body>;
  /** The answer in its JSON form: keys in snake_case, times in RFC 3339. */
  readonly answer: z.ZodType<Answer>;
  answerOf(done: Done): Answer;
  /** Before the transaction; skipped for a repeated request. Null: there is nothing that it could change. */
  check(body: Body, call: ActionCall, world: OperatorWorld): Promise<CheckedAction<Change>> | CheckedAction<Change>;
  /** In the transaction, which awaits nothing else; a text: why nothing was changed. */
  apply(sql: Sql, change: Change, by: ActionBy): Promise<Done | Unchanged>;
  /** An action that adds a row gives it the key of the request as its id. */
  readonly addsRow: boolean;
  /** Deliveries that are held back are decided again. */
  readonly changesPolicy: boolean;
  /** Sent to the channels of `self:`; null: no message. `subject`: the name of the alert for people. */
  announce(done: Done, by: ActionBy, subject: string | null): AnnouncementText | null;
  log(done: Done, by: ActionBy): readonly [event: string, fields: Readonly<Record<string, unknown>>];
  readonly line: LineWords;
  journal(done: Done, by: ActionBy): LineData | readonly LineData[];
  /** After the commit. Rejects with a `StorageError` where it has to be tried again. */
  after?(answer: Answer, effects: ActionEffects): Promise<void> | void;
  /** Advice where there is nothing to be changed. */
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
  /** As the journal has it; several actions may share one. */
  readonly kind: string;
  /** `acknowledged` */
  readonly words: string;
  /** For a line that ends something begun earlier: `acknowledgement ended`. */
  readonly ended?: string;
  /** The thing that its subject names; null: neither. */
  readonly about: 'alert' | 'delivery' | null;
}

/** The parts of a line in the journal that are not the same for each action. */
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

/** The request that an action follows from, and its time. */
export interface ActionBy {
  readonly request: OperatorRequest;
  readonly at: Instant;
  /** The zone in which people are shown times. */
  readonly zone: string;
}

/** The parts of the daemon that checks read. */
export interface OperatorWorld {
  readonly clock: Pick<Clock, 'now'>;
  /** The zone in which people are shown times. */
  readonly timeZone: () => string;
  watches(): readonly Watch[];
  /** Labels of the daemon's alerts about itself. */
  selfLabels(): readonly Labels[];
  /** Names of those in the config in force. */
  channels(): readonly string[];
  /** All, or those of these keys. */
  openAlerts(keys?: readonly Key[]): Promise<readonly OpenAlertRow[]>;
  /** Silences and pauses that are in force or will be. */
  silences(): Promise<readonly Silence[]>;
  /** Acknowledgements of episodes that last. */
  acks(): Promise<readonly StoredAck[]>;
  /** Sends a sample to each recipient of the channel; how each try ended. */
  sample(channel: string): Promise<readonly SampleTry[]>;
}

/** The parts of a running daemon that actions change besides the state. */
export interface ActionEffects {
  readPauses(): Promise<void>;
  /** Polls the watches of that name, or of that rule, at once. */
  pollNow(name: string): void;
  /** Sends the due deliveries of the channel, even if its receiver had answered that it no longer exists. */
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

export type ActionProblem =
  | 'not-found'
  | 'key-taken'
  | 'confirm-needed'
  | 'is-over'
  | 'stale-seq'
  | 'already-acknowledged'
  | 'not-given-up'
  | 'later-sent';

export type ActionRefusal =
  | { readonly type: 'invalid'; readonly mistakes: readonly RequestMistake[] }
  | { readonly type: ActionProblem | 'not-storable'; readonly detail: string };

export type ActionResult<Answer> =
  { readonly type: 'done'; readonly answer: Answer } | { readonly type: 'refused'; readonly why: ActionRefusal };

/** Text of an announcement. The words are those of operators. */
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

/** Carries out an action once, however often it is requested under one key. It is durable when this resolves. */
export type PerformAction = <Body, Change, Done extends object, Answer extends object>(
  action: Action<Body, Change, Done, Answer>,
  requested: RequestedAction<Body>,
) => Promise<ActionResult<Answer>>;
