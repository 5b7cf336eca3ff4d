import { newsOf, type Delivery, type DeliveryMember, type Message } from '../../src/core/model/delivery.ts';
import type { Alert, ConditionState, Memory } from '../../src/core/model/memory.ts';
import { NOTHING_CLOSED } from '../../src/core/model/decision.ts';
import type { Decision } from '../../src/core/model/decision.ts';
import { labelsOfMessage } from '../../src/core/model/watch/identity.ts';
import type { Transition } from '../../src/core/model/transition.ts';
import { untrusted } from '../../src/lib/untrusted.ts';

export const NOON = Date.UTC(2026, 0, 1, 12);

/** A message that holds every shape a message can hold. */
function aMessage(changes: Partial<Message> = {}): Message {
  return {
    type: 'alert.firing',
    at: NOON,
    key: 'key-low',
    episode: 1,
    seq: 1,
    watch: 'treasury-low[treasury]',
    alert: 'low',
    kind: 'balance',
    severity: 'critical',
    explorer: 'ethereum',
    zone: 'UTC',
    place: null,
    chainId: '1',
    of: { name: 'treasury', address: '0x00000000000000000000000000000000000000aa' },
    token: { address: '0x00000000000000000000000000000000000000bb', symbol: untrusted('US"DC'), decimals: 6 },
    title: 'treasury is low',
    detail: '970,030, below 1,000,000',
    measured: '970,030',
    lines: [[{ text: 'Symbol given: ' }, { untrusted: untrusted('US"DC') }]],
    runbook: 'https://wiki.example/treasury',
    text: [{ text: 'balance of ' }, { untrusted: untrusted("'; DROP TABLE deliveries; --\u0000\u202e\ud83d\ude00") }],
    condition: 'balance < 1000000',
    rule: 'rules/treasury.yaml:17',
    observedAt: NOON,
    since: NOON,
    firedAt: null,
    resolvedAt: null,
    reason: null,
    late: false,
    fields: {
      balance: { text: '115792089237316195423570985008687907853269984665640564039457584007913129639935' },
      holders: 3,
      scam: false,
      token: { record: { name: { untrusted: untrusted('Tether') } } },
      tags: { list: [{ text: 'a' }, 1, true] },
    },
    before: {},
    links: ['https://explorer.example/token/0xbb'],
    summary: null,
    ...changes,
  };
}

/** `aDelivery({ id: 'd1', key: 'k', seq: 2 })` */
export function aDelivery(
  changes: { id?: string; channel?: string; recipient?: string } & Partial<Message> = {},
): Delivery {
  const { id = 'delivery-1', channel = 'ops', recipient = 'ops', ...message } = changes;
  const members = [newsOf(aMessage({ key: id, ...message }))] as const;
  return { id, channel, recipient, kind: 'news', at: NOON, members, more: [] };
}

/** The same message, which tells of one more alert. */
export function withMember(delivery: Delivery, changes: Partial<Message>, as: DeliveryMember['as'] = 'news'): Delivery {
  const [first, ...more] = delivery.members;
  return { ...delivery, members: [first, ...more, { ...newsOf(aMessage(changes)), as }] };
}

const FIRING: ConditionState = {
  type: 'condition',
  born: 0,
  state: 'firing',
  began: null,
  output: true,
  since: null,
  heldMs: 120_000,
  episode: 1,
  seq: 1,
  head: 17,
  firing: aMessage(),
  cooldownUntil: NOON,
  firings: [NOON],
  flapping: null,
  flaps: 2,
};

const CONFIRMED: Alert = {
  type: 'event',
  state: 'confirmed',
  block: 17,
  absent: 0,
  turnedAt: NOON,
  absentHead: 120,
  slot: '0x51/7',
  toldAt: NOON,
  retractions: 1,
  seq: 3,
  message: null,
  title: 'a call failed',
  since: NOON,
  values: { success: false, value: '1.5' },
};

export function aMemory(changes: Partial<Memory> = {}): Memory {
  return {
    version: 0,
    checksum: 'c1',
    state: { balance: '1000000.5', pairs: [[1, '0xab']], none: null },
    alerts: {
      low: { '': FIRING },
      seen: { tx1: { type: 'open', since: NOON, before: null }, tx2: CONFIRMED },
      many: {
        'per ': {
          type: 'group',
          meaning: 'm1',
          condition: FIRING,
          matches: [NOON],
          tallies: [[NOON, 2, '0.5']],
          reasons: [
            { text: 'Paused', at: NOON },
            { text: null, at: NOON },
          ],
          others: { count: 3, newest: NOON },
          row: [
            { place: [], key: 'waits', isHit: null, at: NOON },
            { place: [1000, 3, 1], key: 'a-call', isHit: true, at: NOON },
            { place: [1000, 4, 1], key: 'b-call', isHit: true, at: NOON, reason: 'Paused', isNew: true },
          ],
          items: [{ at: NOON, place: 'block 1', page: null }],
          last: { success: false },
        },
      },
    },
    history: { balance: [[NOON, null, '1000000.5']] },
    data: { state: 'ok', since: NOON, lastOk: null, fields: { balance: 0 } },
    coveredUntil: NOON,
    paceMs: null,
    ...changes,
  };
}

/** `aTransition({ key: 'k', type: 'alert.resolved', seq: 2 })`, of a rule that tells the channel `ops`. */
export function aTransition(changes: Partial<Message> = {}, notify: readonly string[] = ['ops']): Transition {
  const message = aMessage(changes);
  return { message, labels: labelsOfMessage(message), notify };
}

/** The transitions of which these are the deliveries, each once. */
export function transitionsOf(deliveries: readonly Delivery[]): Transition[] {
  const same = Map.groupBy(deliveries, ({ members: [{ message }] }) => `${message.key} ${message.seq}`);
  return [...same.values()].flatMap((own) =>
    own.slice(0, 1).map(({ members: [{ message }] }) => {
      const channels = new Set(own.map(({ channel }) => channel));
      return { message, labels: labelsOfMessage(message), notify: [...channels] };
    }),
  );
}

/** What `step` would hand over: `aDecision('w', { expects: 3, transitions: [...] })`. */
export function aDecision(
  watchId: string,
  changes: Partial<Omit<Decision, 'watchId'>> & { state?: Memory['state'] } = {},
): Decision {
  const { state, ...rest } = changes;
  const memory = aMemory(state === undefined ? {} : { state });
  const nothing = {
    transitions: [],
    reasons: [],
    now: null,
    snapshot: null,
    firing: [],
    truths: {},
    needs: null,
    askAgainMs: null,
    closed: NOTHING_CLOSED,
  };
  return { watchId, expects: 0, memory, hasChanged: true, ...nothing, ...rest };
}
