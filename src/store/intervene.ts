// What operators change. Each request is answered and carried out in one transaction of the caller's, so that a client
// that lost its answer gets the same one for the same key.
import { ANNOUNCER } from '../core/model/ids.ts';
import type { Transition } from '../core/model/transition.ts';
import type { Instant } from '../lib/clock.ts';
import { ackOr, decidesMessages, lineOf, makes, silenceOr } from './changes.ts';
import type {
  Act,
  OperatorChange,
  Intervened,
  Intervention,
  OperatorRequest,
  Unchanged,
} from './contract/operators.ts';
import type { Sql } from './sql/sql.ts';
import { askAgain } from './tables/alerts/alerts.ts';
import { wakeHolding } from './tables/alerts/groups.ts';
import { addNotifications } from './tables/alerts/notifications.ts';
import { dismiss, retry, retryChannel } from './tables/deliveries/dead-deliveries.ts';
import { append } from './tables/journal/journal.ts';
import { addAck, endAck, hasAck } from './tables/operators/acks.ts';
import { lockPolicy, raisePolicy } from './tables/operators/policy.ts';
import { answerTo, keepAnswer } from './tables/operators/requests.ts';
import { addPause, addSilence, endPause, endSilence, hasSilence, markAnnounced } from './tables/operators/silences.ts';

export async function intervene(
  sql: Sql,
  change: Intervention,
  request: OperatorRequest,
  { at, announce }: Act,
): Promise<Intervened> {
  await lockPolicy(sql);
  const before = await answerTo(sql, request);
  if (before !== null) return before;
  // Its answer is no longer kept, but what was made under that key is.
  if (makes(change) && ((await hasSilence(sql, request.key)) || (await hasAck(sql, request.key))))
    return { type: 'refused', why: 'key-taken' };
  const changed = await apply(sql, change, request, at);
  if (typeof changed === 'string') return { type: 'refused', why: changed };
  await keepAnswer(sql, request, changed, at);
  await append(sql, [lineOf(changed, request.actor, at)]);
  if (decidesMessages(changed)) {
    await raisePolicy(sql);
    await wakeHolding(sql, at);
    await askAgain(sql, at);
  }
  await addNotifications(sql, [{ watch: ANNOUNCER, transitions: announce?.(changed) ?? [] }], at);
  return { type: 'kept', changed };
}

/** Adds the transitions, and notes that people were told of the silence or pause. */
export async function announce(sql: Sql, id: string, transitions: readonly Transition[], at: Instant): Promise<void> {
  await markAnnounced(sql, id, at);
  await addNotifications(sql, [{ watch: ANNOUNCER, transitions }], at);
}

async function apply(
  sql: Sql,
  change: Intervention,
  { key, actor }: OperatorRequest,
  at: Instant,
): Promise<OperatorChange | Unchanged> {
  switch (change.type) {
    case 'pause': {
      const { watch, matchers, until, comment } = change;
      const pause = { id: key, watch, from: at, until, actor, comment };
      await addPause(sql, pause, matchers);
      return { type: 'pause', pause };
    }
    case 'end-pause': {
      const pause = await endPause(sql, change.watch, at);
      return pause === null ? 'not-found' : { type: 'pause', pause };
    }
    case 'silence': {
      const { type: _type, ...draft } = change;
      return silenceOr(await addSilence(sql, { ...draft, id: key, actor }, at));
    }
    case 'extend-silence':
      return silenceOr(await endSilence(sql, change.id, change.until, at));
    case 'end-silence':
      return silenceOr(await endSilence(sql, change.id, at, at));
    case 'ack': {
      const { type: _type, ...draft } = change;
      return ackOr(await addAck(sql, { ...draft, id: key, actor, at }));
    }
    case 'end-ack':
      return ackOr(await endAck(sql, change, at));
    case 'retry':
      return retry(sql, change.delivery, at);
    case 'dismiss':
      return dismiss(sql, change.delivery, at);
    case 'retry-channel': {
      const { channel } = change;
      return { type: 'channel', channel, deliveries: await retryChannel(sql, channel, at) };
    }
    case 'sample':
      return change;
  }
}
