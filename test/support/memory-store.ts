import {
  foldKeyOf,
  hasRoom,
  isFoldable,
  MOST_UNSETTLED,
  OPEN_MS,
  openSummary,
  withMember,
} from '../../src/core/alerts/overflow.ts';
import { journalOf } from '../../src/core/journal/decided.ts';
import { triedLine } from '../../src/core/journal/tried.ts';
import type { KnownBlock } from '../../src/core/chain/chain-record.ts';
import { RANK_OF, type Delivery, type Message, type Settlement } from '../../src/core/model/delivery.ts';
import { idOf } from '../../src/core/model/identity.ts';
import { isBegin, nameOfTransition } from '../../src/core/model/transition.ts';
import type {
  RoutingRound,
  Informed,
  Knower,
  RoutingResult,
  Unrouted,
  Untried,
} from '../../src/dispatch/routing-round.ts';
import type { Memory, Run } from '../../src/core/model/memory.ts';
import type { ClosedRuns, Decision } from '../../src/core/model/decision.ts';
import type { DeliveryId, Recipient, WatchId } from '../../src/core/model/ids.ts';
import type { Instant } from '../../src/lib/clock.ts';
import { createMemoryJournal, type MemoryJournal } from './memory-journal.ts';
import { createMemoryInterventions, nothingOfOperators, type KeptOfOperators } from './memory-interventions.ts';
import {
  LONGEST_LEASE_MS,
  type Changed,
  type CommitResult,
  type Fence,
  type OutboxDepth,
  type Store,
  type StoredDiagnostics,
  type Unchanged,
} from '../../src/store/store.ts';

interface Row {
  delivery: Delivery;
  /** Of all rows, from the first on. */
  readonly number: number;
  /** Those that have to end before it may go out. */
  readonly after: Set<DeliveryId>;
  /** What may be folded into it; null = nothing. */
  readonly folds: string | null;
  readonly createdAt: Instant;
  ranBefore: number;
  state: Settlement['state'] | 'sending' | 'cancelled';
  attempt: number;
  dueAt: Instant;
  settledAt: Instant;
  leaseUntil: Instant;
  isDismissed: boolean;
}

interface Notice {
  readonly message: Message;
  readonly notify: readonly string[];
  isRouted: boolean;
}

interface Heard extends Recipient {
  wanted: number;
  notified: number;
}

/** What outlives a store: the next one over the same goes on from it. */
interface Kept {
  epoch: number;
  readonly memoryById: Map<WatchId, Memory>;
  readonly samplesById: Map<WatchId, Record<string, Run[]>>;
  readonly diagnosticsById: Map<WatchId, StoredDiagnostics>;
  readonly noticeById: Map<string, Notice>;
  /** Seq of the begin of the present episode, and whether it lasts. */
  readonly alertByKey: Map<string, { began: number; isOpen: boolean }>;
  readonly heardByKey: Map<string, Heard[]>;
  /** In the order in which they were made. */
  readonly rowById: Map<DeliveryId, Row>;
  readonly ranByChannel: Map<string, number>;
  readonly blocksByExplorer: Map<string, Map<string, KnownBlock>>;
  readonly operators: KeptOfOperators;
  readonly journal: MemoryJournal;
}

export function nothingKept(): Kept {
  return {
    epoch: 0,
    memoryById: new Map(),
    samplesById: new Map(),
    diagnosticsById: new Map(),
    noticeById: new Map(),
    alertByKey: new Map(),
    heardByKey: new Map(),
    rowById: new Map(),
    ranByChannel: new Map(),
    blocksByExplorer: new Map(),
    operators: nothingOfOperators(),
    journal: createMemoryJournal(),
  };
}

/** The promise of `Store` in plain maps, without durability: the second subject of the contract suite. */
export function createMemoryStore(kept: Kept = nothingKept()): Store {
  const { memoryById, samplesById, diagnosticsById, ranByChannel, blocksByExplorer, journal } = kept;
  const { noticeById, alertByKey, heardByKey, rowById } = kept;
  kept.epoch += 1;
  const fence: Fence = { key: 'all', slot: 0, owner: 'test', epoch: kept.epoch };
  for (const row of rowById.values()) row.leaseUntil = 0;
  const isHeld = ({ epoch }: Fence): boolean => epoch === kept.epoch;

  const rows = (...states: readonly Row['state'][]): Row[] =>
    [...rowById.values()].filter((row) => states.includes(row.state));
  const waiting = (channel: string): Row[] => {
    const own = rows('due', 'sending').filter(({ delivery }) => delivery.channel === channel);
    const owed = new Set(own.map(({ delivery }) => delivery.id));
    const first = own.filter(({ state, after }) => state === 'due' && after.isDisjointFrom(owed));
    return first.toSorted((a, b) => rankOf(a) - rankOf(b) || a.dueAt - b.dueAt);
  };

  function keep(decision: Decision, at: Instant): 'kept' | 'superseded' {
    const { watchId, expects, memory, hasChanged, transitions, closed } = decision;
    if ((memoryById.get(watchId)?.version ?? 0) !== expects) return 'superseded';
    if (!hasChanged && transitions.length === 0) return 'kept';
    memoryById.set(watchId, structuredClone({ ...memory, version: expects + 1 }));
    samplesById.set(watchId, samplesAfter(samplesById.get(watchId) ?? {}, closed));
    for (const { message, notify } of transitions) {
      const id = idOf(message.key, message.episode, message.seq);
      if (!noticeById.has(id)) noticeById.set(id, structuredClone({ message, notify, isRouted: false }));
    }
    journal.append(journalOf(decision, at));
    return 'kept';
  }

  function unrouted(limit: number): Unrouted[] {
    const all = [...noticeById.values()].map((notice, number) => ({ ...notice, number }));
    const seen = new Set<string>();
    const some: Unrouted[] = [];
    for (const { message, notify, number } of all.filter(({ isRouted }) => !isRouted).slice(0, limit)) {
      const { key, episode, seq, severity, summary } = message;
      const about = summary?.keys ?? [key];
      if (about.some((one) => seen.has(one))) break;
      for (const one of about) seen.add(one);
      some.push({
        number,
        key,
        episode,
        seq,
        severity,
        notify,
        about,
        transition: nameOfTransition(message),
        damage: null,
      });
    }
    return some;
  }

  function knowersOf({ about }: Unrouted): Knower[] {
    return about.flatMap((key) => {
      const began = alertByKey.get(key)?.began ?? 1;
      const knowers = (heardByKey.get(key) ?? []).filter(({ wanted }) => wanted >= began);
      return knowers.map(({ channel, recipient }) => ({ key, channel, recipient }));
    });
  }

  function untriedOf({ about }: Unrouted): Untried[] {
    const own = [...rowById.values()].filter(({ delivery }) => about.includes(delivery.message.key));
    const lines = [...Map.groupBy(own, lineOf).values()].filter((line) => line.every(({ attempt }) => attempt === 0));
    return lines.flat().flatMap(({ state, number, delivery: { channel, recipient, message } }) => {
      const heard = heardByKey.get(message.key)?.find((one) => one.channel === channel && one.recipient === recipient);
      return state === 'due' && heard?.notified === 0
        ? [{ key: message.key, channel, recipient, delivery: number }]
        : [];
    });
  }

  function route(round: RoutingRound, { owed, informed, cancelled }: RoutingResult, at: Instant): CommitResult {
    const taken = cancelled.map(({ delivery }) => [...rowById.values()].find(({ number }) => number === delivery));
    if (!taken.every((row) => row?.state === 'due' && row.attempt === 0)) return 'superseded';
    const notices = round.unrouted.map(({ number }) => [...noticeById.values()][number]);
    if (!notices.every((notice) => notice?.isRouted === false)) return 'superseded';
    for (const row of taken) if (row !== undefined) row.state = 'cancelled';
    for (const notice of notices) if (notice !== undefined) notice.isRouted = true;
    const isOver = new Set(owed.map(({ channel }) => channel).filter((name) => waitingOn(name) >= MOST_UNSETTLED));
    for (const { id, channel, recipient, notification, undeliverable } of owed) {
      const { message } = [...noticeById.values()][notification.number] ?? {};
      if (message === undefined) continue;
      const delivery = { id, channel, recipient, message };
      if (isOver.has(channel) && isFoldable(delivery)) fold(delivery, at);
      else add(delivery, { at, dueAt: at, state: undeliverable === null ? 'due' : 'dead' });
    }
    for (const one of informed) inform(one);
    for (const one of round.unrouted) turn(one);
    return 'kept';
  }

  function inform({ channel, recipient, notification: { about, seq } }: Informed): void {
    for (const key of about) {
      const all = heardByKey.get(key) ?? [];
      const known = all.find((one) => one.channel === channel && one.recipient === recipient);
      if (known === undefined) all.push({ channel, recipient, wanted: seq, notified: 0 });
      else known.wanted = Math.max(known.wanted, seq);
      heardByKey.set(key, all);
    }
  }

  function turn({ key, seq, transition }: Unrouted): void {
    const known = alertByKey.get(key);
    if (transition === 'firing')
      alertByKey.set(key, { began: known?.isOpen === true ? known.began : seq, isOpen: true });
    if (transition === 'resolved' && known !== undefined) known.isOpen = false;
  }

  function note({ channel, recipient, message: { key, seq, summary } }: Delivery): void {
    for (const one of [key, ...(summary?.keys ?? [])])
      for (const heard of heardByKey.get(one) ?? [])
        if (heard.channel === channel && heard.recipient === recipient) heard.notified = Math.max(heard.notified, seq);
  }

  function waitingOn(channel: string): number {
    return rows('due', 'sending').filter(({ delivery }) => delivery.channel === channel).length;
  }

  function add(
    delivery: Delivery,
    {
      at,
      dueAt,
      folds = null,
      state = 'due',
    }: { at: Instant; dueAt: Instant; folds?: string | null; state?: 'due' | 'dead' },
  ) {
    if (rowById.has(delivery.id)) return;
    const owed = rows('due', 'sending').filter((other) => lineOf(other) === lineOf({ delivery }));
    const after = new Set(owed.map((other) => other.delivery.id));
    const own = { delivery: structuredClone(delivery), number: rowById.size, after };
    const row = { ...own, createdAt: at, attempt: 0, dueAt, settledAt: 0, folds };
    const ranBefore = ranByChannel.get(delivery.channel) ?? 0;
    rowById.set(delivery.id, { ...row, ranBefore, state, leaseUntil: 0, isDismissed: false });
  }

  function fold(delivery: Delivery, at: Instant): void {
    const { channel, recipient } = delivery;
    const folds = JSON.stringify([channel, recipient, foldKeyOf(delivery)]);
    const open = rows('due').findLast((row) => row.folds === folds && row.attempt === 0 && row.dueAt > at);
    if (open !== undefined && hasRoom(open.delivery.message, delivery.message))
      open.delivery = { ...open.delivery, message: withMember(open.delivery.message, delivery.message, at) };
    else add(openSummary(delivery, at), { at, dueAt: at + OPEN_MS, folds });
  }

  function onGivenUp(
    id: DeliveryId,
    state: 'owed' | 'dismissed',
    change: (row: Row) => Unchanged | undefined,
  ): Changed | Unchanged {
    const row = rowById.get(id);
    if (row?.state !== 'dead') return row === undefined ? 'not-found' : 'not-given-up';
    const { channel, recipient } = row.delivery;
    return change(row) ?? { type: 'delivery', id, channel, recipient, state };
  }

  const interventions = createMemoryInterventions(kept.operators, {
    append: (line) => {
      journal.append([line]);
    },
    retry: (id, at) =>
      onGivenUp(id, 'owed', (row) => {
        const line = [...rowById.values()].filter((other) => lineOf(other) === lineOf(row));
        const later = line.filter((other) => other.delivery.message.seq > row.delivery.message.seq);
        if (later.some((other) => other.state === 'sent')) return 'later-sent';
        Object.assign(row, {
          state: 'due',
          dueAt: at,
          isDismissed: false,
          ranBefore: ranByChannel.get(row.delivery.channel) ?? 0,
        });
        for (const other of later) other.after.add(id);
        return undefined;
      }),
    dismiss: (id) =>
      onGivenUp(id, 'dismissed', (row) => {
        row.isDismissed = true;
        return undefined;
      }),
    retryChannel(channel, at) {
      const own = rows('due').filter(({ delivery, dueAt }) => delivery.channel === channel && dueAt > at);
      const waiting = own.filter(({ folds, attempt }) => folds === null || attempt > 0);
      for (const row of waiting) row.dueAt = at;
      return waiting.length;
    },
  });

  return {
    fenceOf: () => fence,
    // It holds as much as the process does.
    setMaxBytes: () => undefined,
    recall: async (ids) =>
      new Map(
        [...memoryById].filter(([id]) => ids === undefined || ids.includes(id)).map((entry) => structuredClone(entry)),
      ),
    secure: async () => [],
    remembered: async () => [...memoryById.keys()],
    commit: async (decisions, at, fence) =>
      decisions.map((decision) => (isHeld(fence) ? keep(decision, at) : 'fenced')),
    async readRound(limit) {
      const some = unrouted(limit);
      const later = some.filter(({ transition }) => !isBegin(transition));
      const gone = some.filter(({ transition }) => transition === 'retracted');
      return { unrouted: some, knowers: later.flatMap(knowersOf), untried: gone.flatMap(untriedOf) };
    },
    commitRound: async (round, result, at, fence) => (isHeld(fence) ? route(round, result, at) : 'fenced'),
    async cover(coverage, fence) {
      if (!isHeld(fence)) return 'fenced';
      for (const [id, { until: coveredUntil, snapshot, health }] of coverage) {
        const memory = memoryById.get(id);
        if (memory === undefined) continue;
        memoryById.set(id, { ...memory, coveredUntil });
        const before = diagnosticsById.get(id) ?? { snapshot: null, health: {} };
        diagnosticsById.set(
          id,
          structuredClone({ snapshot: snapshot ?? before.snapshot, health: health ?? before.health }),
        );
      }
      return 'kept';
    },
    diagnostics: async (ids) => new Map([...diagnosticsById].filter(([id]) => ids === undefined || ids.includes(id))),
    samples: async (watch) => structuredClone(samplesById.get(watch) ?? {}),
    samplesAfter: async ({ watch, path }, after, limit) =>
      (samplesById.get(watch)?.[path] ?? []).filter(([, until]) => (until ?? 0) > after).slice(0, limit),
    chainBlocks: async (explorers) =>
      new Map(explorers.map((explorer) => [explorer, [...(blocksByExplorer.get(explorer)?.values() ?? [])]])),
    async keepChainBlocks(explorer, blocks, { from, anchor }, fence) {
      if (!isHeld(fence)) return 'fenced';
      const known = blocksByExplorer.get(explorer) ?? new Map<string, KnownBlock>();
      blocksByExplorer.set(explorer, known);
      for (const block of blocks) known.set(`${block.height}:${block.hash}`, block);
      for (const [key, { height }] of known) if (height < from && height !== anchor) known.delete(key);
      return 'kept';
    },
    keepRunning: async () => undefined,
    probe: async () => undefined,
    keepTroubles: async () => undefined,
    async forget(ids) {
      for (const id of ids) {
        memoryById.delete(id);
        diagnosticsById.delete(id);
        samplesById.delete(id);
      }
    },
    async claim({ channel, limit, at, leaseMs }, fence) {
      if (!isHeld(fence)) return [];
      const due = waiting(channel).filter(({ dueAt }) => dueAt <= at);
      return due.slice(0, limit).map((row) => {
        row.state = 'sending';
        row.leaseUntil = at + leaseMs;
        row.attempt += 1;
        const ageMs = (ranByChannel.get(channel) ?? 0) - row.ranBefore;
        return { delivery: structuredClone(row.delivery), attempt: row.attempt, ageMs };
      });
    },
    async ran(channel, ms) {
      ranByChannel.set(channel, (ranByChannel.get(channel) ?? 0) + ms);
    },
    async settle({ id, attempt }, settlement, at) {
      const row = rowById.get(id);
      const isOpen = row?.state === 'sending' && row.attempt === attempt;
      const isFact = row?.state === 'due' || row?.state === 'sending';
      if (row === undefined || !(isOpen || (settlement.state === 'sent' && isFact))) return 'superseded';
      row.state = settlement.state;
      row.settledAt = at;
      if (settlement.state === 'due') row.dueAt = settlement.dueAt;
      if (settlement.state === 'sent') note(row.delivery);
      journal.append([triedLine({ id, attempt }, settlement, at)]);
      return 'settled';
    },
    async expire(channel, at, held) {
      const isOver = ({ leaseUntil }: Row): boolean => leaseUntil <= at || leaseUntil > at + LONGEST_LEASE_MS;
      const own = rows('sending').filter(({ delivery }) => delivery.channel === channel && !held.includes(delivery.id));
      const expired = own.filter(isOver);
      for (const row of expired) Object.assign(row, { state: 'due', dueAt: at });
      return expired.length;
    },
    async nextDue(channel) {
      const instants = waiting(channel).map(({ dueAt }) => dueAt);
      return instants.length === 0 ? null : Math.min(...instants);
    },
    backlog: async (deadSince) => ({
      owed: depths(rows('due', 'sending'), ({ createdAt }) => createdAt),
      dead: depths(
        rows('dead').filter(({ settledAt, isDismissed }) => settledAt >= deadSince && !isDismissed),
        ({ settledAt }) => settledAt,
      ),
    }),
    async survey() {
      return {
        outbox: depths(rows('due', 'sending'), ({ createdAt }) => createdAt),
        dead: rows('dead').filter(({ isDismissed }) => !isDismissed).length,
        sent: rows('sent').length,
      };
    },
    answerTo: async (request) => interventions.answerTo(request),
    intervene: async (change, request, at, fence) =>
      isHeld(fence) ? interventions.intervene(change, request, at) : { type: 'refused', why: 'fenced' },
    pauses: async () => interventions.pauses(),
    async record(entries, fence) {
      if (!isHeld(fence)) return 'fenced';
      journal.append(entries);
      return 'kept';
    },
    chainJournal: async (limit, fence) => isHeld(fence) && journal.chain(limit),
    journalHead: async () => journal.head(),
    history: async (filter) => journal.history(filter),
    verifyJournal: async (anchor) => journal.verify(anchor),
    async prune({ settled, journal: before }, at) {
      interventions.prune(settled);
      journal.prune(before, at);
      for (const { delivery, settledAt } of rows('sent', 'dead', 'cancelled'))
        if (settledAt < settled) rowById.delete(delivery.id);
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

function depths(rows: readonly Row[], timeOf: (row: Row) => Instant): OutboxDepth[] {
  const all = [...Map.groupBy(rows, ({ delivery }) => delivery.channel)].map(([channel, own]) => ({
    channel,
    rows: own.length,
    oldest: Math.min(...own.map(timeOf)),
  }));
  return all.toSorted((a, b) => (a.channel < b.channel ? -1 : 1));
}

function rankOf({ delivery }: Row): number {
  return RANK_OF[delivery.message.severity];
}

function lineOf({ delivery: { channel, recipient, message } }: Pick<Row, 'delivery'>): string {
  return JSON.stringify([channel, recipient, message.key]);
}

function samplesAfter(before: Record<string, Run[]>, { runs, dropped, shiftedMs }: ClosedRuns): Record<string, Run[]> {
  const kept = Object.entries(before).filter(([path]) => !dropped.includes(path));
  const after = Object.fromEntries(
    kept.map(([path, own]): [string, Run[]] => [
      path,
      own.map(([since, until, value]) => [since - shiftedMs, (until ?? 0) - shiftedMs, value]),
    ]),
  );
  for (const { path, since, until, value, keptFrom } of runs)
    after[path] = [...(after[path] ?? []), [since, until, value] as const].filter(([, end]) => (end ?? 0) >= keptFrom);
  return after;
}
