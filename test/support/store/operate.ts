// Actions of operators on a store without a daemon, as they are carried out after their checks.
import type { Instant } from '../../../src/lib/clock.ts';
import { ackAll } from '../../../src/operators/ack-all.ts';
import { ack, endAck } from '../../../src/operators/acks.ts';
import type { Action } from '../../../src/operators/action.ts';
import { ACTIONS } from '../../../src/operators/actions.ts';
import { commitAction } from '../../../src/operators/apply.ts';
import { retryChannel, sampleChannel } from '../../../src/operators/channels.ts';
import { retryDelivery } from '../../../src/operators/deliveries.ts';
import { retryGivenUp } from '../../../src/operators/given-up.ts';
import { endPause, pause } from '../../../src/operators/pauses.ts';
import { endSilence, extendSilence, silence } from '../../../src/operators/silences.ts';
import type { OperatorRequest, Unchanged } from '../../../src/store/contract/operators.ts';
import type { Store } from '../../../src/store/contract/store.ts';

type ChangeOf<A extends Pick<Action, 'apply'>> = Parameters<A['apply']>[1];

/** A change, named by its action. */
export type Act =
  | ({ readonly type: 'pause' } & ChangeOf<typeof pause>)
  | ({ readonly type: 'end-pause' } & ChangeOf<typeof endPause>)
  | ({ readonly type: 'silence' } & ChangeOf<typeof silence>)
  | ({ readonly type: 'extend-silence' } & ChangeOf<typeof extendSilence>)
  | ({ readonly type: 'end-silence' } & ChangeOf<typeof endSilence>)
  | ({ readonly type: 'ack' } & ChangeOf<typeof ack>)
  | ({ readonly type: 'ack-all' } & ChangeOf<typeof ackAll>)
  | ({ readonly type: 'end-ack' } & ChangeOf<typeof endAck>)
  | ({ readonly type: 'retry' | 'dismiss' } & ChangeOf<typeof retryDelivery>)
  | ({ readonly type: 'retry-given-up' | 'dismiss-given-up' } & ChangeOf<typeof retryGivenUp>)
  | ({ readonly type: 'retry-channel' } & ChangeOf<typeof retryChannel>)
  | ({ readonly type: 'sample' } & ChangeOf<typeof sampleChannel>);

/** The answer as the API sends it. */
export type OperatedEnd =
  { readonly type: 'kept'; readonly answer: unknown } | { readonly type: 'refused'; readonly why: Unchanged };

/** `notify`: the channels that are told of it; left out: nobody is. */
export async function operate(
  store: Pick<Store, 'operate'>,
  change: Act,
  request: OperatorRequest,
  { at, notify = () => [] }: { readonly at: Instant; readonly notify?: () => readonly string[] },
): Promise<OperatedEnd> {
  const { type, ...rest } = change;
  const committed = { change: rest, subject: null, by: { request, at, zone: 'UTC' } };
  const { end } = await commitAction(actionNamed(type), committed, { store, notify });
  return typeof end === 'string' ? { type: 'refused', why: end } : { type: 'kept', answer: end.answer };
}

/** The answer that was given to the request before; null: none. */
export async function answerTo(store: Pick<Store, 'answerTo'>, request: OperatorRequest): Promise<OperatedEnd | null> {
  const before = await store.answerTo(request);
  if (before === null || before.type === 'refused') return before;
  return { type: 'kept', answer: before.stored.answer };
}

function actionNamed(name: string): Action {
  const action = ACTIONS.find((one) => one.name === name);
  if (action === undefined) throw new Error(`no action ${name}`);
  return action;
}
