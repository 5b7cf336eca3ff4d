// Calls of a store as the only process that holds it makes them.
import { labelsOfMessage } from '../../../src/core/model/watch/identity.ts';
import type { Delivery, Settlement } from '../../../src/core/model/delivery.ts';
import type { Decision } from '../../../src/core/model/decision.ts';
import type { DeliveryId, Recipient, WatchId } from '../../../src/core/model/ids.ts';
import { isBegin, nameOfTransition } from '../../../src/core/model/transition.ts';
import { finish } from '../../../src/lib/steps.ts';
import { decideDue, type DueRound } from '../../../src/dispatch/rounds/due-round.ts';
import { WHOLE } from '../../../src/dispatch/shares.ts';
import type { DeliveryBatch, RoundResult } from '../../../src/dispatch/model.ts';
import { UNTOLD } from '../../../src/dispatch/owed.ts';
import { routeRound } from '../../../src/dispatch/rounds/route-round.ts';
import type { Owing, Turned } from '../../../src/dispatch/rounds/routing-round.ts';
import { routingOf } from '../../../src/dispatch/policy/match.ts';
import type { DispatchRules } from '../../../src/dispatch/rules.ts';
import type { Instant } from '../../../src/lib/clock.ts';
import type { DueQuery } from '../../../src/store/contract/dispatch.ts';
import type { CommitResult } from '../../../src/store/contract/fence.ts';
import type { Claimed, Share } from '../../../src/store/contract/deliveries.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import { aDecision, transitionsOf } from '../../store/builders.ts';
import { fenceOf } from './fences.ts';

const FENCE = 'service:test';
export const LEASE_MS = 60_000;

export function commit(store: Store, decisions: readonly Decision[], at: Instant): Promise<CommitResult[]> {
  return store.commit(decisions, at, fenceOf(store, FENCE));
}

/** A poll of the watch after which exactly these deliveries are owed, whoever would be chosen. */
export async function owe(
  store: Store,
  watch: WatchId,
  deliveries: readonly Delivery[],
  at: Instant,
  changes: Parameters<typeof aDecision>[1] = {},
): Promise<CommitResult[]> {
  const lines = deliveries.flatMap(linesOf);
  const ends = await commit(store, [aDecision(watch, { ...changes, transitions: transitionsOf(lines) })], at);
  if (!ends.includes('kept')) return ends;
  for (;;) {
    const round = await store.readRouting(100, at);
    if (round.unrouted.length === 0) break;
    const turned = round.unrouted.flatMap((notification): Turned[] => {
      if (notification.transition === 'firing')
        return [{ type: 'opened', notification, isEvent: false, needsAck: true }];
      return notification.transition === 'resolved' ? [{ type: 'closed', notification }] : [];
    });
    const keys = new Set(round.unrouted.map(({ key }) => key));
    const owing = owingOf(lines.filter(({ members: [{ message }] }) => keys.has(message.key)));
    const result = { owing, told: [], informed: [], turned, withdrawn: [], undeliverable: [] };
    if ((await store.commitRouting(round, result, at, fenceOf(store, FENCE))) === 'fenced') return ends;
  }
  await decided(store, { batches: deliveries.map(batchOf) }, at);
  return ends;
}

/** One for each of its members. */
function linesOf(delivery: Delivery): Delivery[] {
  return delivery.members.map((member) => ({ ...delivery, members: [member] }));
}

/** A round decides this, whatever is due. */
export async function decided(
  store: Store,
  made: Partial<Pick<RoundResult, 'batches' | 'withdrawn' | 'overtaken'>>,
  at: Instant,
): Promise<void> {
  const round: DueRound = { groups: [], sent: [], policy: await store.policy(at), sources: [] };
  const nothing = {
    groups: [],
    batches: [],
    states: new Map(),
    withdrawn: [],
    overtaken: [],
    repeating: new Map(),
    verdicts: new Map(),
  };
  const decision = {
    result: { ...nothing, ...made },
    shares: WHOLE,
    isKept: () => false,
    counts: () => true,
    isAnswered: () => true,
  };
  await store.commitDue(round, decision, at, fenceOf(store, FENCE));
}

function batchOf({ id, channel, recipient, members }: Delivery): DeliveryBatch {
  const [{ message }] = members;
  const asOwed = { renewed: null, heldAt: null, heldBy: null, present: null };
  const target = { channel, recipient };
  return {
    id,
    kind: 'news',
    target,
    groupId: null,
    severity: message.severity,
    critical: null,
    members: members.map(({ message: { key, seq }, as }) => ({ key, seq, as, ...asOwed })),
    dueAt: 0,
  };
}

/** All that is owed is in the deliveries. */
function owingOf(deliveries: readonly Delivery[]): Owing[] {
  return deliveries.map(({ channel, recipient, members: [{ message }] }) => {
    const { key, seq } = message;
    const begun = isBegin(nameOfTransition(message)) ? seq : null;
    const group = { id: '', target: { channel, recipient }, labels: labelsOfMessage(message) };
    return { key, notification: null, group, via: 'route', state: { ...UNTOLD, wanted: seq, closed: seq, begun } };
  });
}

/** Each alert alone and at once, on channels that have these recipients, else their own name. */
export function rulesAtOnce(recipients: readonly Recipient[] = []): DispatchRules {
  return {
    inhibit: [],
    recipientsOf: (channel) => {
      const own = recipients.filter((one) => one.channel === channel);
      return own.length > 0 ? own : [{ channel, recipient: channel }];
    },
    channelOf: () => ({ unit: 'alert', cap: null }),
    routingOf: (labels) => routingOf([], null, labels),
    ruleOf: () => null,
    counted: [],
    unanswered: [],
    startedAt: 0,
    lookedAt: () => null,
    coveredUntil: () => null,
    presentOf: () => null,
  };
}

/** The same as the dispatcher does it, where each channel has these recipients, else its own name. */
export async function dispatch(store: Store, at: Instant, recipients: readonly Recipient[] = []): Promise<void> {
  const rules = rulesAtOnce(recipients);
  const fence = fenceOf(store, FENCE);
  if ((await route(store, at, recipients)) === 'fenced') return;
  for (;;) {
    const round = await store.readDue(dueQuery(at));
    if (round.groups.length === 0) return;
    const decision = {
      result: finish(decideDue(round, rules, at)),
      shares: WHOLE,
      isKept: () => false,
      counts: () => true,
      isAnswered: () => true,
    };
    if ((await store.commitDue(round, decision, at, fence)) === 'fenced') return;
  }
}

/** The first half of it: targets are chosen, and what they are owed is due. */
export async function route(
  store: Store,
  at: Instant,
  recipients: readonly Recipient[] = [],
): Promise<'kept' | 'fenced'> {
  const rules = rulesAtOnce(recipients);
  for (;;) {
    const round = await store.readRouting(100, at);
    if (round.unrouted.length === 0) return 'kept';
    const end = await store.commitRouting(round, routeRound(round, rules), at, fenceOf(store, FENCE));
    if (end === 'fenced') return end;
  }
}

/** `members`: the most in one reading. */
export function dueQuery(at: Instant, members = 200): DueQuery {
  const whole = { limit: 200, counted: [], isFull: () => false };
  return { at, members, silencesSince: at, withSources: false, ...whole };
}

export function cover(store: Store, coverage: Parameters<Store['cover']>[0]): ReturnType<Store['cover']> {
  return store.cover(coverage, fenceOf(store, FENCE));
}

/** Whatever may go on the channel. */
export function allOf(channel: string): Share {
  return { channel, perRule: Number.MAX_SAFE_INTEGER, resting: [], onlyCritical: false };
}

export function claim(store: Store, channel: string, limit: number, at: Instant): Promise<Claimed[]> {
  return store.claim({ ...allOf(channel), limit, at, leaseMs: LEASE_MS, outOfTurn: null }, fenceOf(store, FENCE));
}

/** Ends the first try, unless another one is named. */
export function settle(
  store: Store,
  id: DeliveryId,
  settlement: Settlement,
  at: Instant,
  attempt = 1,
): ReturnType<Store['settle']> {
  return store.settle({ id, attempt }, settlement, at);
}
