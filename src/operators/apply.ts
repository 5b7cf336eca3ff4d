// Carries out actions of operators. It checks an action, commits it in one transaction with its answer, its journal
// line and its announcement, and only then applies its effects outside of the state.
import { failpoint } from '../lib/failpoint.ts';
import type { AppliedWork, Operated, OperatorStore, StoredAnswer, Unchanged } from '../store/contract/operators.ts';
import { StorageError } from '../store/contract/store.ts';
import { parsed } from '../store/sql/rows.ts';
import type { Sql } from '../store/sql/sql.ts';
import type {
  Action,
  ActionBy,
  ActionEffects,
  ActionResult,
  OperatorWorld,
  PerformAction,
  RequestedAction,
} from './action.ts';
import { ACTIONS } from './actions.ts';
import { announcementOf } from './announcements.ts';

export interface CommitTools {
  readonly store: Pick<OperatorStore, 'operate'>;
  /** The channels for messages about actions. */
  readonly notify: () => readonly string[];
}

export interface PerformTools extends CommitTools {
  readonly store: Pick<OperatorStore, 'answerTo' | 'operate'>;
  readonly world: OperatorWorld;
  readonly effects: ActionEffects;
  /** Called after a commit of transitions, and after the recipients of messages have changed. */
  readonly onChanged: () => void;
  readonly log: OperatorLog;
}

interface OperatorLog {
  info(event: string, fields: Readonly<Record<string, unknown>>): void;
  error(event: string, fields: Readonly<Record<string, unknown>>): void;
}

export function createPerform(tools: PerformTools): PerformAction {
  return async (action, requested) => {
    try {
      return await perform(action, requested, tools);
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      tools.log.error('storage:failed', { action: 'intervene', error });
      return { type: 'refused', why: { type: 'not-storable', detail: NOT_STORABLE } };
    }
  };
}

async function perform<Body, Change, Done extends object, Answer extends object>(
  action: Action<Body, Change, Done, Answer>,
  requested: RequestedAction<Body>,
  tools: PerformTools,
): Promise<ActionResult<Answer>> {
  const { body, call, request } = requested;
  const { store, world } = tools;
  const before = await store.answerTo(request);
  if (before !== null) return resultOf(action, requested, answerIn(action, before), world);
  const checked = await action.check(body, call, world);
  if (checked === null) return resultOf(action, requested, 'not-found', world);
  if ('mistakes' in checked) return { type: 'refused', why: { type: 'invalid', mistakes: checked.mistakes } };
  if ('refusal' in checked) return { type: 'refused', why: { type: checked.refusal, detail: checked.detail } };
  const { change, subject = null } = checked;
  const by = { request, at: world.clock.now(), zone: world.timeZone() };
  const { end, done } = await commitAction(action, { change, subject, by }, tools);
  if (done !== null) await follow(action, done, by, tools);
  failpoint('operator.kept');
  return resultOf(action, requested, end, world);
}

export interface CommittedChange<Change> {
  readonly change: Change;
  /** The name of the alert; null if the action is not about an alert. */
  readonly subject: string | null;
  readonly by: ActionBy;
}

export interface Committed<Done, Answer> {
  readonly end: StoredEnd<Answer>;
  /** Null if nothing was changed, or if another request with the same key was faster. */
  readonly done: Done | null;
}

/** The answer, or why nothing was changed. */
type StoredEnd<Answer> = { readonly answer: Answer } | Unchanged;

/**
 * Stores the change, its answer, its line in the journal and its announcement, or returns the reason why nothing was
 * changed.
 */
export async function commitAction<Body, Change, Done extends object, Answer extends object>(
  action: Action<Body, Change, Done, Answer>,
  { change, subject, by }: CommittedChange<Change>,
  { store, notify }: CommitTools,
): Promise<Committed<Done, Answer>> {
  const { request, at, zone } = by;
  const { name, addsRow, changesPolicy } = action;
  const result: { done: Done | null } = { done: null };
  const operated = await store.operate({
    request,
    at,
    action: name,
    addsRow,
    changesPolicy,
    async apply(sql: Sql): Promise<AppliedWork | Unchanged> {
      const done = await action.apply(sql, change, by);
      if (typeof done === 'string') return done;
      result.done = done;
      const text = action.announce(done, by, subject);
      const line = { at, kind: action.line.kind, actor: request.actor };
      return {
        answer: action.answerOf(done),
        lines: [action.journal(done, by)].flat().map((one) => ({ ...line, ...one })),
        announced: text === null ? [] : announcementOf(text, { id: request.key, at, zone, notify: notify() }),
      };
    },
  });
  return { end: answerIn(action, operated), done: operated.type === 'kept' ? result.done : null };
}

/** Applies the effects of a stored action. */
async function follow<Body, Change, Done extends object, Answer extends object>(
  action: Action<Body, Change, Done, Answer>,
  done: Done,
  by: ActionBy,
  { effects, log, onChanged }: PerformTools,
): Promise<void> {
  await action.after?.(action.answerOf(done), effects);
  const [event, fields] = action.log(done, by);
  log.info(event, fields);
  onChanged();
}

/**
 * Reads the stored answer. A request includes a digest of its path, so that an action never gets the answer of another
 * one.
 */
function answerIn<Body, Change, Done extends object, Answer extends object>(
  action: Action<Body, Change, Done, Answer>,
  operated: Operated,
): StoredEnd<Answer> {
  if (operated.type === 'refused') return operated.why;
  return operated.stored.action === action.name ? { answer: answerOf(action, operated.stored) } : 'key-taken';
}

/** Throws a `StorageError` if the stored answer is damaged. */
function answerOf<Answer extends object>(
  { answer }: Pick<Action<unknown, unknown, object, Answer>, 'answer'>,
  stored: StoredAnswer,
): Answer {
  return parsed('answer to an operator', () => answer.parse(stored.answer));
}

/**
 * Applies the effects of an action that another replica stored. An action that this release does not know has no
 * effects here.
 */
export async function followElsewhere(stored: StoredAnswer, effects: ActionEffects): Promise<void> {
  const action = ACTIONS.find(({ name }) => name === stored.action);
  if (action !== undefined) await action.after?.(answerOf(action, stored), effects);
}

function resultOf<Body, Change, Done extends object, Answer extends object>(
  action: Action<Body, Change, Done, Answer>,
  { call }: RequestedAction<Body>,
  end: StoredEnd<Answer>,
  world: OperatorWorld,
): ActionResult<Answer> {
  if (typeof end !== 'string') return { type: 'done', answer: end.answer };
  const detail = end === 'not-found' ? action.notFound(call, world) : DETAILS[end];
  return { type: 'refused', why: { type: end, detail } };
}

const NOT_STORABLE = 'The state cannot be written: the log of the daemon says why. Nothing was changed.';

const DETAILS: Readonly<Record<Exclude<Unchanged, 'not-found'>, string>> = {
  'key-taken': 'Something else was done under this Idempotency-Key. Use another one.',
  'is-over': 'It has ended already. Nothing was changed.',
  'stale-seq': 'The alert has changed since you looked at it. Look at it again, then acknowledge what it says now.',
  'already-acknowledged': 'Somebody has acknowledged it meanwhile. `replace: true` puts yours in its place.',
  'not-given-up': 'It was not given up: it is sent, or still owed and will be tried again by itself.',
  'later-sent': 'A later message of the same alert was sent to this recipient: this one would read as if it were news.',
  'not-named': 'The config does not name this recipient any more, so nothing is sent to it. Dismiss the delivery.',
};
