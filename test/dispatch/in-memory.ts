// Rounds of dispatch over a store of plain maps: what the daemon does around the pure decision, without a database, a
// clock or a wire. Time moves only when it is told to.
import type { Recipient } from '../../src/core/model/ids.ts';
import { groupOf } from '../../src/dispatch/group.ts';
import { decideRound } from '../../src/dispatch/round.ts';
import { UNTOLD } from '../../src/dispatch/owed.ts';
import { CAP_OF_PEOPLE } from '../../src/dispatch/rate.ts';
import type {
  Ack,
  Batch,
  Cap,
  DispatchGroup,
  DispatchRound,
  GroupMember,
  InhibitRule,
  Key,
  Labels,
  News,
  OpenAlert,
  RecipientState,
  RoundResult,
  Routing,
  Silence,
  Transition,
  Verdict,
} from '../../src/dispatch/model.ts';
import type { Instant } from '../../src/lib/clock.ts';

const HOUR = 3_600_000;
const SUMMARIES: ReadonlySet<string> = new Set(['overflow_summary', 'silence_summary', 'inhibition_summary']);

/** One message, with its way to the receiver. */
export interface Sent extends Batch {
  readonly createdAt: Instant;
  state: 'due' | 'sent' | 'dead' | 'merged' | 'cancelled';
  attempt: number;
  settledAt: Instant | null;
  lines: Batch['members'];
}

export interface Alert {
  readonly key: Key;
  readonly labels: Labels;
}

interface Known {
  labels: Labels;
  episode: number;
  isOpen: boolean;
  isEvent: boolean;
  readonly news: News[];
}

export interface Channel {
  readonly unit: DispatchGroup['unit'];
  readonly cap: Cap | null;
}

export const PEOPLE: Channel = { unit: 'group', cap: CAP_OF_PEOPLE };
export const MACHINE: Channel = { unit: 'alert', cap: null };

export const NO_OPTIONS: Routing['options'] = {
  groupBy: null,
  groupWaitMs: null,
  groupIntervalMs: null,
  repeatMs: null,
  requireAck: null,
  escalate: null,
  failover: null,
  mute: [],
};

export interface Setup {
  readonly channels: Readonly<Record<string, Channel>>;
  routing(labels: Labels): Routing;
  readonly inhibit?: readonly InhibitRule[];
}

/** What a try of a message comes to. */
export type Wire = (message: Sent) => 'sent' | 'again' | 'dead';

export class InMemoryDispatch {
  readonly messages: Sent[] = [];
  readonly alerts = new Map<Key, Known>();
  readonly states = new Map<string, Map<Key, RecipientState>>();
  silences: Silence[] = [];
  acks: Ack[] = [];
  wire: Wire = () => 'sent';
  /** The last decision of each alert at each target. */
  readonly verdicts = new Map<string, Verdict>();
  #groups = new Map<string, { target: Recipient; closedAt: Instant | null; dueAt: Instant | null }>();
  #startedAt: Instant;
  #looked = new Map<string, Instant>();

  setup: Setup;
  now: Instant;

  constructor(setup: Setup, now: Instant) {
    this.setup = setup;
    this.now = now;
    this.#startedAt = now;
  }

  /** A poll saw a transition: it is stored and routed. */
  happens(alert: Alert, transition: Transition): void {
    const known = this.#know(alert, transition);
    const seq = (known.news.at(-1)?.seq ?? 0) + 1;
    const one: News = { seq, episode: known.episode, transition, at: this.now };
    known.news.push(one);
    this.#looked.set(alert.labels['watch'] ?? '', this.now);
    const routing = this.setup.routing(known.labels);
    for (const channel of routing.channels) this.#owe({ channel, recipient: channel }, alert, routing, seq);
    for (const [id, ofGroup] of this.states) if (ofGroup.has(alert.key)) this.#wake(id, this.now);
  }

  /** Lets time pass to an instant: every group and every message in its turn. */
  runUntil(until: Instant): void {
    for (let next = this.#nextAt(); next !== null && next <= until; next = this.#nextAt()) {
      this.now = Math.max(this.now, next);
      this.work();
    }
    this.now = Math.max(this.now, until);
    this.work();
  }

  /** Decides what is due and sends what was closed, without letting time pass. */
  work(): void {
    this.decide();
    this.send();
  }

  decide(): void {
    const round = this.read();
    if (round.groups.length > 0) this.write(round, decideRound(round, this.now));
  }

  send(): void {
    for (const message of this.messages.filter(({ state }) => state === 'due')) {
      message.attempt += 1;
      const outcome = this.wire(message);
      if (outcome === 'again') continue;
      message.state = outcome;
      message.settledAt = this.now;
      if (outcome === 'sent') for (const { key, seq } of message.lines) this.#accept(message.target, key, seq);
    }
  }

  /** The daemon stops and starts: what is not stored is gone. */
  restart(): void {
    this.#startedAt = this.now;
    this.#looked.clear();
  }

  /** A watch is polled, and nothing happens. */
  poll(watch: string): void {
    this.#looked.set(watch, this.now);
  }

  /** A person changed what is in force: everything that waits is looked at again. */
  policyChanged(): void {
    for (const id of this.#groups.keys()) this.#wake(id, this.now);
  }

  /** Targets of alerts after a reload: who is new hears of later transitions only. */
  reload(setup: Setup): void {
    this.setup = setup;
    for (const [key, { labels, news }] of this.alerts) {
      const routing = setup.routing(labels);
      for (const [id, ofGroup] of [...this.states]) this.#reroute(id, ofGroup, key, routing);
      for (const channel of routing.channels)
        this.#owe({ channel, recipient: channel }, { key, labels }, routing, news.at(-1)?.seq ?? 0, true);
    }
    this.policyChanged();
  }

  read(): DispatchRound {
    const due = [...this.#groups].filter(([, { dueAt }]) => dueAt !== null && dueAt <= this.now);
    const targets = new Set(due.map(([, { target }]) => target.channel));
    const ids = [...this.#groups].filter(
      ([id, { target }]) => targets.has(target.channel) && (due.some(([one]) => one === id) || this.#holds(id)),
    );
    return {
      groups: ids.map(([id]) => this.#group(id)),
      states: new Map(ids.map(([id]) => [id, this.#statesOf(id)])),
      world: {
        startedAt: this.#startedAt,
        silences: this.silences,
        acks: this.acks,
        inhibit: this.setup.inhibit ?? [],
        sources: this.#sources(),
        sentAt: ({ channel }) => this.#closedAt(channel, false),
        summarizedAt: ({ channel }) => this.#closedAt(channel, true).at(-1) ?? null,
        lookedAt: (watch) => this.#looked.get(watch) ?? null,
      },
    };
  }

  write(round: DispatchRound, result: RoundResult): void {
    for (const { target, key, from, as } of result.withdrawn)
      for (const message of this.#unsettled(target, key).filter(({ attempt }) => attempt === 0)) {
        message.lines = message.lines.filter((line) => line.key !== key || line.seq < from);
        if (message.lines.length === 0) message.state = as;
      }
    for (const batch of result.batches)
      this.messages.push({
        ...batch,
        createdAt: this.now,
        state: 'due',
        attempt: 0,
        settledAt: null,
        lines: batch.members,
      });
    for (const { id, closedAt, wakeAt } of result.groups) {
      const group = this.#groups.get(id);
      if (group !== undefined) Object.assign(group, { closedAt, dueAt: wakeAt });
    }
    for (const [id, changed] of result.states) for (const [key, state] of changed) this.states.get(id)?.set(key, state);
    for (const { id, target } of round.groups)
      for (const [key, verdict] of result.verdicts.get(id) ?? [])
        this.verdicts.set(`${target.channel} ${key}`, verdict);
  }

  #know({ key, labels }: Alert, transition: Transition): Known {
    const known = this.alerts.get(key) ?? { labels, episode: 0, isOpen: false, isEvent: false, news: [] };
    this.alerts.set(key, known);
    if (transition === 'firing') known.episode += 1;
    if (transition === 'event') Object.assign(known, { isEvent: true, episode: 1 });
    known.isOpen = transition !== 'resolved' && transition !== 'retracted';
    if (!known.isOpen) this.acks = this.acks.filter((ack) => ack.key !== key);
    return known;
  }

  #owe(target: Recipient, alert: Alert, routing: Routing, seq: number, isLater = false): void {
    const found = [...this.states].find(
      ([id, all]) => this.#groups.get(id)?.target.channel === target.channel && all.has(alert.key),
    );
    if (found !== undefined) return;
    const { id } = groupOf(target, this.#channel(target).unit, alert, routing);
    const group = this.#groups.get(id) ?? { target, closedAt: null, dueAt: null };
    this.#groups.set(id, group);
    const states = this.states.get(id) ?? new Map<Key, RecipientState>();
    this.states.set(id, states.set(alert.key, { ...UNTOLD, wanted: seq, closed: isLater ? seq : seq - 1 }));
  }

  /** A target that is not named any more hears the ends of what it was told; what it was not told is closed. */
  #reroute(id: string, ofGroup: Map<Key, RecipientState>, key: Key, routing: Routing): void {
    const group = this.#groups.get(id);
    const state = ofGroup.get(key);
    if (group === undefined || state === undefined || routing.channels.includes(group.target.channel)) return;
    if (state.begun === null) ofGroup.delete(key);
  }

  #accept(target: Recipient, key: Key, seq: number): void {
    for (const [id, ofGroup] of this.states) {
      const state = ofGroup.get(key);
      if (this.#groups.get(id)?.target.channel !== target.channel || state === undefined) continue;
      ofGroup.set(key, { ...state, notified: Math.max(state.notified, seq), notifiedAt: this.now });
      this.#wake(id, this.now);
    }
  }

  #wake(id: string, at: Instant): void {
    const group = this.#groups.get(id);
    if (group !== undefined) group.dueAt = group.dueAt === null ? at : Math.min(group.dueAt, at);
  }

  #nextAt(): Instant | null {
    const due = [...this.#groups.values()].flatMap(({ dueAt }) => dueAt ?? []);
    const silences = this.silences.flatMap(({ from, until }) => [from, until]).filter((at) => at > this.now);
    const next = Math.min(...due, ...silences);
    return next === Infinity ? null : next;
  }

  #holds(id: string): boolean {
    return [...(this.states.get(id)?.values() ?? [])].some(({ held }) => held !== null);
  }

  #group(id: string): DispatchGroup {
    const group = this.#groups.get(id);
    if (group === undefined) throw new Error(`no group ${id}`);
    const { unit, cap } = this.#channel(group.target);
    const members = [...(this.states.get(id) ?? [])].map(([key, { closed }]) => this.#member(key, closed));
    return { id, target: group.target, unit, cap, version: 1, closedAt: group.closedAt, members };
  }

  #member(key: Key, closed: number): GroupMember {
    const known = this.alerts.get(key);
    if (known === undefined) throw new Error(`no alert ${key}`);
    const { labels, episode, isOpen, isEvent } = known;
    const severity = labels['severity'];
    return {
      ...{ key, labels, episode, isOpen, isEvent, watch: labels['watch'] ?? '', routing: this.setup.routing(labels) },
      severity: severity === 'critical' || severity === 'info' ? severity : 'warning',
      news: known.news.filter(({ seq }) => seq > closed),
    };
  }

  #statesOf(id: string): Map<Key, RecipientState> {
    const target = this.#groups.get(id)?.target;
    const withOwed = ([key, state]: [Key, RecipientState]): [Key, RecipientState] => {
      const open = target === undefined ? [] : this.#unsettled(target, key);
      const owed = open.length === 0 ? null : open.some(({ attempt }) => attempt > 0) ? 'tried' : 'untried';
      return [key, { ...state, owed }];
    };
    return new Map([...(this.states.get(id) ?? [])].map(withOwed));
  }

  #unsettled(target: Recipient, key: Key): Sent[] {
    return this.messages.filter(
      (one) =>
        one.state === 'due' && one.target.channel === target.channel && one.lines.some((line) => line.key === key),
    );
  }

  #sources(): OpenAlert[] {
    const open = [...this.alerts].filter(([, { isOpen, isEvent }]) => isOpen && !isEvent);
    return open.map(([key, { labels }]) => ({ key, watch: labels['watch'] ?? '', labels }));
  }

  #closedAt(channel: string, isSummary: boolean): Instant[] {
    return this.messages
      .filter((one) => one.target.channel === channel && SUMMARIES.has(one.kind) === isSummary)
      .map(({ createdAt }) => createdAt)
      .filter((at) => Math.abs(this.now - at) < HOUR);
  }

  #channel({ channel }: Recipient): Channel {
    return this.setup.channels[channel] ?? PEOPLE;
  }
}
