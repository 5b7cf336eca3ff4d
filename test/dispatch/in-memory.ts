// Rounds of dispatch over a store of plain maps: what the daemon does around the pure decision, without a database, a
// clock or a wire. Time moves only when it is told to.
import type { Recipient, Severity } from '../../src/core/model/ids.ts';
import { shiftOf, type ClockShift } from '../../src/dispatch/clock-jump.ts';
import { needsAck } from '../../src/dispatch/escalate.ts';
import { groupOf } from '../../src/dispatch/group.ts';
import { decideRound } from '../../src/dispatch/rounds/due-round.ts';
import { stateOwing, UNTOLD } from '../../src/dispatch/owed.ts';
import { reroute, type ActiveAlert } from '../../src/dispatch/reroute.ts';
import { CAP_OF_PEOPLE, type ClosedBefore, sentBeforeOf } from '../../src/dispatch/batches.ts';
import type {
  Ack,
  DeliveryBatch,
  Cap,
  DispatchGroup,
  DispatchRound,
  GroupMember,
  InhibitRule,
  Key,
  Labels,
  PendingTransition,
  InhibitionSource,
  RecipientState,
  RoundResult,
  Routing,
  Silence,
  TransitionName,
  MemberVerdict,
  Withdrawal,
} from '../../src/dispatch/model.ts';
import type { Instant } from '../../src/lib/clock.ts';

const HOUR = 3_600_000;

/** One message, with its way to the receiver. */
export interface Sent extends DeliveryBatch {
  readonly createdAt: Instant;
  state: 'due' | 'sent' | 'dead' | 'merged' | 'cancelled';
  attempt: number;
  settledAt: Instant | null;
  lines: DeliveryBatch['members'];
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
  needsAck: boolean;
  begunAt?: Instant;
  readonly news: PendingTransition[];
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

/** What a try of a message comes to; `busy`: it is not tried. */
export type Wire = (message: Sent) => 'sent' | 'again' | 'dead' | 'busy';

function severityOf({ severity }: Labels): Severity {
  return severity === 'critical' || severity === 'info' ? severity : 'warning';
}

function oneByOne(round: DispatchRound): DispatchRound[] {
  const byTarget = Map.groupBy(round.groups.toReversed(), ({ target }) => target.channel);
  return [...byTarget.values()].map((groups) => ({ ...round, groups }));
}

export class InMemoryDispatch {
  readonly messages: Sent[] = [];
  readonly alerts = new Map<Key, Known>();
  readonly states = new Map<string, Map<Key, RecipientState>>();
  silences: Silence[] = [];
  acks: Ack[] = [];
  wire: Wire = () => 'sent';
  /** The last decision of each alert at each target. */
  readonly verdicts = new Map<string, MemberVerdict>();
  #groups = new Map<string, { target: Recipient; closedAt: Instant | null; dueAt: Instant | null }>();
  #startedAt: Instant;
  #looked = new Map<string, Instant>();
  #covered = new Map<string, Instant>();
  /** By key: who has the alert in hand, as far as was noticed. */
  #answered = new Map<Key, string | null>();

  setup: Setup;
  now: Instant;
  /** Decides one target after the other, the last one first. */
  inParts = false;
  /** Called after every decision. */
  onDecided: (dispatch: InMemoryDispatch) => void = () => undefined;

  constructor(setup: Setup, now: Instant) {
    this.setup = setup;
    this.now = now;
    this.#startedAt = now;
  }

  /** A poll saw a transition: it is stored and routed. */
  happens(alert: Alert, transition: TransitionName): void {
    const known = this.#know(alert, transition);
    const seq = (known.news.at(-1)?.seq ?? 0) + 1;
    const one: PendingTransition = { seq, episode: known.episode, transition, at: this.now };
    known.news.push(one);
    this.poll(alert.labels['watch'] ?? '');
    const { channels } = this.setup.routing(known.labels);
    for (const channel of channels) this.#join(channel, alert);
    for (const [id, ofGroup] of this.states) {
      const [state, target] = [ofGroup.get(alert.key), this.#groups.get(id)?.target];
      if (state === undefined || target === undefined) continue;
      ofGroup.set(alert.key, stateOwing(state, one, channels.includes(target.channel)) ?? state);
      this.#wake(id, this.now);
    }
  }

  /** Lets time pass to an instant: every group and every message in its turn. */
  runUntil(until: Instant): void {
    this.work();
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
    this.#resume();
    for (const round of this.inParts ? oneByOne(this.read()) : [this.read()]) {
      if (round.groups.length === 0) continue;
      this.write(round, decideRound(round, this.now));
      this.onDecided(this);
    }
  }

  send(): void {
    for (const message of this.messages.filter(({ state }) => state === 'due')) {
      const outcome = this.#isBehind(message) ? 'busy' : this.wire(message);
      if (outcome === 'busy') continue;
      message.attempt += 1;
      if (outcome === 'again') continue;
      message.state = outcome;
      message.settledAt = this.now;
      for (const { key, seq } of message.lines)
        if (outcome === 'sent') this.#accept(message.target, key, seq);
        else this.#giveUp(message.target, key);
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
    this.#covered.set(watch, this.now);
  }

  /** A person changed what is in force: whatever is held back is looked at again. */
  policyChanged(): void {
    for (const id of this.#groups.keys()) if (this.#holds(id)) this.#wake(id, this.now);
  }

  #wakeAll(): void {
    for (const id of this.#groups.keys()) this.#wake(id, this.now);
  }

  endSilences(): void {
    this.silences = this.silences.map((one) => ({ ...one, until: Math.min(one.until, this.now) }));
    this.policyChanged();
  }

  /** The system clock is set; the time of what is stored moves with it. */
  jump(ms: number): void {
    this.now += ms;
    const shift = (at: Instant): Instant => shiftedBy(shiftOf([{ byMs: ms }], this.now), at);
    for (const group of this.#groups.values())
      Object.assign(group, { closedAt: group.closedAt && Math.min(group.closedAt, this.now), dueAt: this.now });
    for (const ofGroup of this.states.values())
      for (const [key, state] of ofGroup) {
        const heldAt = state.heldAt && Math.min(state.heldAt, this.now);
        ofGroup.set(key, { ...state, heldAt, notifiedAt: state.notifiedAt && shift(state.notifiedAt) });
      }
    this.acks = this.acks.map((ack) => ({ ...ack, until: ms > 0 ? ack.until + ms : ack.until }));
  }

  /** Other routes hold. */
  reload(setup: Setup): void {
    this.setup = setup;
    this.#reroute();
    this.#wakeAll();
  }

  #reroute(): void {
    const routing = (labels: Labels): Routing => this.setup.routing(labels);
    const { rerouted, owing, withdrawn } = reroute(
      [...this.alerts.keys()].map((key) => this.#active(key)),
      {
        routingOf: routing,
        recipientsOf: (channel) => [{ channel, recipient: channel }],
        channelOf: (channel) => this.#channel({ channel, recipient: channel }),
        ruleOf: (watch) => ({ type: 'fixed', channels: routing({ watch }).channels }),
      },
      {},
      this.now,
    );
    this.#withdraw(withdrawn);
    for (const { key, group, state } of [...rerouted, ...owing]) {
      for (const [id, ofGroup] of this.states)
        if (id !== group.id && this.#groups.get(id)?.target.channel === group.target.channel) ofGroup.delete(key);
      this.#groups.set(group.id, this.#groups.get(group.id) ?? { target: group.target, closedAt: null, dueAt: null });
      this.states.set(group.id, (this.states.get(group.id) ?? new Map<Key, RecipientState>()).set(key, state));
    }
  }

  #active(key: Key): ActiveAlert {
    const { labels, episode, isOpen, isEvent, news } = this.#known(key);
    const newest = news.at(-1)?.seq ?? 0;
    const began = isOpen && !isEvent ? (news.find((one) => one.episode === episode)?.seq ?? null) : null;
    const known = [...this.states].flatMap(([id, ofGroup]) => {
      const [group, state] = [this.#groups.get(id), this.#statesOf(id).get(key)];
      if (group === undefined || state === undefined || !ofGroup.has(key)) return [];
      return [{ key, target: group.target, via: 'route' as const, state, overFrom: null }];
    });
    const place = { key, watch: labels['watch'] ?? '', alert: key, severity: severityOf(labels) };
    return { ...place, labels, episode, newest, number: newest, began, known, members: [] };
  }

  /** Decides everything once, due or not. */
  decideAll(): RoundResult {
    this.#wakeAll();
    const round = this.read();
    const result = decideRound(round, this.now);
    this.write(round, result);
    return result;
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
        sentBefore: ({ channel }) => sentBeforeOf(this.#closedFor(channel), this.now),
        lookedAt: (watch) => this.#looked.get(watch) ?? null,
        coveredUntil: (watch) => this.#covered.get(watch) ?? null,
        presentOf: () => null,
      },
    };
  }

  #withdraw(withdrawn: readonly Withdrawal[]): void {
    for (const { target, key, from, as } of withdrawn)
      for (const message of this.#unsettled(target, key)) {
        message.lines = message.lines.filter((line) => line.key !== key || line.seq < from);
        if (message.lines.length === 0) message.state = as;
      }
  }

  write(round: DispatchRound, result: RoundResult): void {
    this.#withdraw(result.withdrawn);
    for (const { target, key } of result.overtaken)
      for (const message of this.#unsettled(target, key)) {
        message.lines = message.lines.filter(
          (line) => line.key !== key || !isOvertaken(message, line, this.alerts.get(key)),
        );
        if (message.lines.length === 0) message.state = 'cancelled';
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

  /** Those who know of an alert that nobody has in hand any more are told so. */
  #resume(): void {
    for (const [key, { isOpen, isEvent, episode, labels }] of this.alerts) {
      const ack = this.acks.find((one) => one.key === key && one.episode === episode && this.now < one.until);
      const hadOne = this.#answered.get(key);
      this.#answered.set(key, ack?.actor ?? null);
      if (isEvent || !isOpen || ack !== undefined || hadOne === undefined || hadOne === null) continue;
      this.#renew(key, this.setup.routing(labels).channels, hadOne);
    }
  }

  #renew(key: Key, channels: readonly string[], by: string): void {
    for (const [id, ofGroup] of this.states) {
      const state = ofGroup.get(key);
      if (state === undefined || state.begun === null || !channels.includes(this.#groups.get(id)?.target.channel ?? ''))
        continue;
      ofGroup.set(key, { ...state, renewed: { why: 'ack-ended', by } });
      this.#wake(id, this.now);
    }
  }

  #known(key: Key): Known {
    const known = this.alerts.get(key);
    if (known === undefined) throw new Error(`no alert ${key}`);
    return known;
  }

  #know({ key, labels }: Alert, transition: TransitionName): Known {
    const known = this.alerts.get(key) ?? {
      labels,
      episode: 0,
      isOpen: false,
      isEvent: false,
      needsAck: true,
      news: [],
    };
    this.alerts.set(key, known);
    if (transition === 'firing') known.episode += 1;
    if (transition === 'event')
      Object.assign(known, { isEvent: true, needsAck: needsAck(this.setup.routing(labels)), episode: 1 });
    if (transition === 'event' || transition === 'reinstated' || (transition === 'firing' && !known.isOpen))
      known.begunAt = this.now;
    known.isOpen = transition !== 'resolved' && transition !== 'retracted';
    if (known.isOpen) return known;
    this.acks = this.acks.filter((ack) => ack.key !== key);
    this.#answered.delete(key);
    return known;
  }

  #join(channel: string, alert: Alert): void {
    const isThere = [...this.states].some(
      ([id, all]) => this.#groups.get(id)?.target.channel === channel && all.has(alert.key),
    );
    if (isThere) return;
    const target = { channel, recipient: channel };
    const { id } = groupOf(target, this.#channel(target).unit, alert, this.setup.routing(alert.labels));
    this.#groups.set(id, this.#groups.get(id) ?? { target, closedAt: null, dueAt: null });
    const seq = this.alerts.get(alert.key)?.news.at(-1)?.seq ?? 0;
    const states = this.states.get(id) ?? new Map<Key, RecipientState>();
    this.states.set(id, states.set(alert.key, { ...UNTOLD, wanted: seq - 1, closed: seq - 1 }));
  }

  #giveUp(target: Recipient, key: Key): void {
    for (const [id, ofGroup] of this.states) {
      const state = ofGroup.get(key);
      if (this.#groups.get(id)?.target.channel !== target.channel || state === undefined) continue;
      if (state.begun !== null) ofGroup.set(key, { ...state, notifiedAt: this.now });
      this.#wake(id, this.now);
    }
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
    const acks = this.acks.map(({ until }) => until).filter((at) => at > this.now);
    const next = Math.min(...due, ...silences, ...acks);
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
    const known = this.#known(key);
    const { labels, episode, isEvent } = known;
    // An event that nobody answers is over after seven days.
    const isOpen = known.isOpen && !(isEvent && this.now - (known.begunAt ?? 0) >= 168 * HOUR);
    return {
      key,
      labels,
      episode,
      isOpen,
      isEvent,
      needsAck: known.needsAck,
      watch: labels['watch'] ?? '',
      routing: this.setup.routing(labels),
      severity: severityOf(labels),
      news: known.news.filter(({ seq }) => seq > closed),
    };
  }

  #statesOf(id: string): Map<Key, RecipientState> {
    const target = this.#groups.get(id)?.target;
    const withOwed = ([key, state]: [Key, RecipientState]): [Key, RecipientState] => {
      const open = target === undefined ? [] : this.#unsettled(target, key);
      // No outcome is unknown here.
      const owed = open.length === 0 ? null : 'untried';
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

  /** An earlier message to the same target about the same alert is not settled. */
  #isBehind(message: Sent): boolean {
    const earlier = this.messages.slice(0, this.messages.indexOf(message));
    return message.lines.some(({ key }) => this.#unsettled(message.target, key).some((one) => earlier.includes(one)));
  }

  #sources(): InhibitionSource[] {
    const open = [...this.alerts].filter(([, { isOpen, isEvent }]) => isOpen && !isEvent);
    return open.map(([key, { labels, begunAt = 0 }]) => ({
      key,
      watch: labels['watch'] ?? '',
      labels,
      openedAt: begunAt,
    }));
  }

  #closedFor(channel: string): ClosedBefore[] {
    return this.messages
      .filter(({ state }) => state !== 'merged' && state !== 'cancelled')
      .filter((one) => one.target.channel === channel && Math.abs(this.now - one.createdAt) < HOUR)
      .map(({ kind, critical, createdAt }) => ({ kind, critical, at: createdAt }));
  }

  #channel({ channel }: Recipient): Channel {
    return this.setup.channels[channel] ?? PEOPLE;
  }
}

/**
 * Converts an instant from which a wait is counted to the clock after the jump. One that was stored between the jump and
 * now is of that clock already.
 */
function shiftedBy({ byMs, now }: ClockShift, at: Instant): Instant {
  if (byMs <= 0) return Math.min(at, now);
  return at <= now - byMs ? at + byMs : at;
}

/** Whether the end of its alert leaves the line out of a message that waits. */
export function isOvertaken(
  { kind, attempt }: Sent,
  { seq }: Sent['lines'][number],
  alert: { readonly news: readonly PendingTransition[] } | undefined,
): boolean {
  const transition = alert?.news.find((one) => one.seq === seq)?.transition;
  return kind === 'repeat' || (attempt === 0 && (transition === 'firing' || transition === 'corrected'));
}
