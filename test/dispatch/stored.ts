// The same rounds over the daemon's own store: what the dispatcher and the senders do, step by step and by hand.
import type { Fence } from '../../src/store/contract/fence.ts';
import type {
  DeliveryBatch,
  Labels,
  PendingTransition,
  RoundResult,
  TransitionName,
} from '../../src/dispatch/model.ts';
import { decideCalls } from '../../src/dispatch/rounds/call-round.ts';
import { leftBy, reroute } from '../../src/dispatch/reroute.ts';
import { routeRound } from '../../src/dispatch/rounds/route-round.ts';
import type { DispatchRules } from '../../src/dispatch/rules.ts';
import { decideDueGroups } from '../../src/engine/dispatching/due-rounds.ts';
import type { Instant } from '../../src/lib/clock.ts';
import type { CommitResult } from '../../src/store/contract/fence.ts';
import type { Delivery, Settlement } from '../../src/core/model/delivery.ts';
import type { Store } from '../../src/store/contract/store.ts';
import { createMemoryStore } from '../support/store/memory-store.ts';
import { aDecision, aTransition } from '../store/builders.ts';
import { isOvertaken, type Alert, type Sent, type Setup, type Wire } from './in-memory.ts';
import { fenceOf } from '../support/store/fences.ts';
import { allOf } from '../support/store/store-calls.ts';
import { operate } from '../support/store/operate.ts';
import { shiftOf } from '../../src/dispatch/clock-jump.ts';

const MANY = 1000;
const MOST_IN_TURN = 3;
const FENCE = 'service:test';

type Tried = ReturnType<Wire> | 'unknown';

interface Known {
  episode: number;
  isOpen: boolean;
  readonly news: PendingTransition[];
}

export class StoredDispatch implements AsyncDisposable {
  readonly messages: Sent[] = [];
  /** What receivers took, in this order; not `isSure`: or may have taken. */
  readonly taken: { readonly channel: string; readonly delivery: Delivery; readonly isSure: boolean }[] = [];
  /** What a try on a channel comes to; nothing else is said of it: it is sent. */
  readonly wires = new Map<string, Tried>();
  now: Instant;
  #store = createMemoryStore();
  #setup: Setup;
  #startedAt: Instant;
  #looked = new Map<string, Instant>();
  #covered = new Map<string, Instant>();
  #versions = new Map<string, number>();
  #alerts = new Map<string, Known>();
  #silences: { readonly id: string; readonly from: Instant; until: Instant }[] = [];
  #requests = 0;
  #rerouteAt: Instant | null = null;

  constructor(setup: Setup, now: Instant) {
    this.#setup = setup;
    this.now = now;
    this.#startedAt = now;
  }

  isOpen(key: string): boolean {
    return this.#alerts.get(key)?.isOpen ?? false;
  }

  newsOf(key: string): readonly PendingTransition[] {
    return this.#alerts.get(key)?.news ?? [];
  }

  lastOf(key: string): TransitionName | undefined {
    return this.#alerts.get(key)?.news.at(-1)?.transition;
  }

  /** A poll saw a transition, and it is committed. */
  async happens({ key, labels }: Alert, transition: TransitionName, severity = severityOf(labels)): Promise<void> {
    const known = this.#alerts.get(key) ?? { episode: 0, isOpen: false, news: [] };
    this.#alerts.set(key, known);
    if (transition === 'firing') known.episode += 1;
    if (transition === 'event') known.episode = 1;
    known.isOpen = transition !== 'resolved' && transition !== 'retracted';
    const seq = (known.news.at(-1)?.seq ?? 0) + 1;
    known.news.push({ seq, episode: known.episode, transition, at: this.now });
    const watch = labels['watch'] ?? '';
    this.poll(watch);
    const place = { key, seq, episode: known.episode, alert: key, type: `alert.${transition}` } as const;
    const { message } = aTransition({ ...place, severity });
    const told = { message, labels, notify: this.#setup.routing(labels).channels };
    const expects = this.#versions.get(watch) ?? 0;
    this.#versions.set(watch, expects + 1);
    await this.#store.commit([aDecision(watch, { expects, transitions: [told] })], this.now, this.#fence());
  }

  async runUntil(until: Instant): Promise<void> {
    await this.work();
    for (let next = await this.#nextAt(); next !== null && next <= until; next = await this.#nextAt()) {
      this.now = Math.max(this.now, next);
      await this.work();
    }
    this.now = Math.max(this.now, until);
    await this.work();
  }

  async work(): Promise<void> {
    if (this.#rerouteAt !== null && this.#rerouteAt <= this.now) await this.#reroute();
    await this.#route();
    await this.#callIn();
    await this.#decide();
    await this.#send();
  }

  async restart(): Promise<void> {
    this.#startedAt = this.now;
    this.#looked.clear();
    await this.#reroute();
  }

  poll(watch: string): void {
    this.#looked.set(watch, this.now);
    this.#covered.set(watch, this.now);
  }

  async silence(watch: string, ms: number): Promise<void> {
    const id = this.#nextId();
    const silence = { id, from: this.now, until: this.now + ms };
    this.#silences.push(silence);
    const change = { type: 'silence', ...silence, matchers: { watch }, untilResolved: false, comment: '' } as const;
    await operate(this.#store, change, this.#request(id), this.#act());
  }

  async endSilences(): Promise<void> {
    for (const silence of this.#silences.filter(({ until }) => until > this.now)) {
      silence.until = this.now;
      const change = { type: 'end-silence', id: silence.id } as const;
      await operate(this.#store, change, this.#request(this.#nextId()), this.#act());
    }
  }

  async ack(key: string, ms = 86_400_000): Promise<void> {
    const known = this.#alerts.get(key);
    if (known?.isOpen !== true) return;
    const place = { key, episode: known.episode, seq: known.news.at(-1)?.seq ?? 0, severity: 'critical' } as const;
    const change = { type: 'ack', replace: true, ...place, comment: null, until: this.now + ms } as const;
    await operate(this.#store, change, this.#request(this.#nextId()), this.#act());
  }

  async jump(ms: number): Promise<void> {
    this.now += ms;
    await this.noticeJump(ms);
  }

  /** The clock was set before. */
  async noticeJump(ms: number): Promise<void> {
    await this.#store.moveClock(shiftOf([{ byMs: ms }], this.now), this.#fence());
  }

  async reload(setup: Setup): Promise<void> {
    this.#setup = setup;
    await this.#reroute();
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#store[Symbol.asyncDispose]();
  }

  async #reroute(): Promise<void> {
    const { alerts } = await this.#store.readActive({ after: '', limit: MANY, at: this.now });
    const result = reroute(alerts, this.#rules(), await this.#store.goneTargets(), this.now);
    await this.#store.commitReroute(result, this.now, this.#fence());
    this.#withdraw(result.withdrawn);
    const { left, nextAt } = leftBy(result.gone, this.now);
    await this.#store.keepGone(result.gone, left, this.now, this.#fence());
    this.#rerouteAt = nextAt;
  }

  async #route(): Promise<void> {
    for (;;) {
      const round = await this.#store.readRouting(MANY, this.now);
      if (round.unrouted.length === 0) return;
      await this.#store.commitRouting(round, routeRound(round, this.#rules()), this.now, this.#fence());
    }
  }

  async #callIn(): Promise<void> {
    const round = await this.#store.readCalls(this.now, MANY, []);
    const result = { ...decideCalls(round, this.#rules(), this.now), announced: [] };
    await this.#store.commitCalls(round, result, this.now, this.#fence());
  }

  async #decide(): Promise<void> {
    const tools = {
      store: { ...this.#store, commitDue: (...commit: Parameters<Store['commitDue']>) => this.#commit(...commit) },
      rules: () => this.#rules(),
      clock: { now: () => this.now },
    };
    while ((await decideDueGroups(tools, this.now, this.#fence(), MOST_IN_TURN)) !== null);
  }

  async #commit(...[round, decision, ...rest]: Parameters<Store['commitDue']>): Promise<CommitResult> {
    const end = await this.#store.commitDue(round, { ...decision, isAnswered: () => true }, ...rest);
    if (end !== 'kept') return end;
    const { result, shares } = decision;
    this.#withdraw(result.withdrawn);
    this.#drop(result.overtaken);
    for (const batch of result.batches) {
      const share = shares.get(batch.id);
      if (share === undefined || share.isLast) this.messages.push(sentOf(share?.batch ?? batch, this.now));
    }
    return end;
  }

  #withdraw(withdrawn: RoundResult['withdrawn']): void {
    for (const { target, key, from, as } of withdrawn)
      for (const message of this.messages)
        if (message.state === 'due' && message.target.channel === target.channel) {
          const left = message.lines.filter((line) => line.key !== key || line.seq < from);
          if (left.length === 0) message.state = as;
          message.lines = left;
        }
  }

  #drop(overtaken: RoundResult['overtaken']): void {
    for (const { target, key } of overtaken)
      for (const message of this.messages)
        if (message.state === 'due' && message.target.channel === target.channel) {
          const left = message.lines.filter(
            (line) => line.key !== key || !isOvertaken(message, line, this.#alerts.get(key)),
          );
          if (left.length === 0) message.state = 'cancelled';
          message.lines = left;
        }
  }

  /** Each message once, those behind others after them. */
  async #send(): Promise<void> {
    const tried = new Set<string>();
    for (const channel of Object.keys(this.#setup.channels).filter((one) => this.wires.get(one) !== 'busy'))
      for (;;) {
        const claim = { ...allOf(channel), limit: MANY, at: Number.MAX_SAFE_INTEGER / 4, leaseMs: 1, outOfTurn: null };
        const claimed = await this.#store.claim(claim, this.#fence());
        for (const { delivery, attempt } of claimed) {
          const outcome = tried.has(delivery.id) ? 'busy' : this.#outcomeOf(delivery.id);
          await this.#store.settle({ id: delivery.id, attempt }, settlementOf(outcome), this.now);
          if (outcome === 'sent' || outcome === 'unknown')
            this.taken.push({ channel, delivery, isSure: outcome === 'sent' });
        }
        const fresh = claimed.filter(({ delivery }) => !tried.has(delivery.id));
        for (const { delivery } of fresh) tried.add(delivery.id);
        if (fresh.length === 0) break;
      }
  }

  #outcomeOf(id: string): Tried {
    const message = this.messages.find((one) => one.id === id);
    if (message === undefined) throw new Error(`nobody decided ${id}`);
    const outcome = this.wires.get(message.target.channel) ?? 'sent';
    message.attempt += 1;
    if (outcome === 'sent' || outcome === 'dead') message.state = outcome;
    return outcome;
  }

  #rules(): DispatchRules {
    const setup = this.#setup;
    const { channels, inhibit = [] } = setup;
    return {
      inhibit,
      recipientsOf: (channel) => (channel in channels ? [{ channel, recipient: channel }] : undefined),
      channelOf: (channel) => this.#channelOf(channel),
      routingOf: (labels) => setup.routing(labels),
      ruleOf: (watch) => ({ type: 'fixed', channels: setup.routing({ watch }).channels }),
      counted: Object.keys(channels).filter((channel) => this.#channelOf(channel).cap !== null),
      unanswered: [],
      startedAt: this.#startedAt,
      lookedAt: (watch) => this.#looked.get(watch) ?? null,
      coveredUntil: (watch) => this.#covered.get(watch) ?? null,
      presentOf: () => null,
    };
  }

  #channelOf(channel: string): Setup['channels'][string] {
    return this.#setup.channels[channel] ?? { unit: 'alert', cap: null };
  }

  async #nextAt(): Promise<Instant | null> {
    const due = await this.#store.nextRound();
    const silences = this.#silences.flatMap(({ from, until }) => [from, until]).filter((at) => at > this.now);
    const next = Math.min(due ?? Infinity, this.#rerouteAt ?? Infinity, ...silences);
    return next === Infinity ? null : next;
  }

  #nextId(): string {
    return `request-${++this.#requests}`;
  }

  #request(key: string): { key: string; asked: string; actor: string } {
    return { key, asked: key, actor: 'ada' };
  }

  #act(): { readonly at: Instant } {
    return { at: this.now };
  }

  #fence(): Fence {
    return fenceOf(this.#store, FENCE);
  }
}

function severityOf(labels: Labels): 'critical' | 'warning' | 'info' {
  const severity = labels['severity'];
  return severity === 'critical' || severity === 'info' ? severity : 'warning';
}

function sentOf(batch: DeliveryBatch, createdAt: Instant): Sent {
  return { ...batch, createdAt, state: 'due', attempt: 0, settledAt: null, lines: batch.members };
}

function settlementOf(outcome: Tried): Settlement {
  if (outcome === 'sent') return { state: 'sent', outcome: { type: 'sent', answer: '' } };
  if (outcome === 'unknown') return { state: 'due', dueAt: 0, outcome: { type: 'unknown', why: '' } };
  if (outcome === 'dead') return { state: 'dead', outcome: { type: 'rejected', why: '' } };
  return { state: 'due', dueAt: 0, outcome: { type: 'again', why: '' } };
}
