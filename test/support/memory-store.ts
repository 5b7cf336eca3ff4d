import {
  foldKeyOf,
  hasRoom,
  isFoldable,
  MOST_UNSETTLED,
  OPEN_MS,
  openSummary,
  withMember,
} from '../../src/core/alerts/overflow.ts';
import type { KnownBlock } from '../../src/core/chain/chain-record.ts';
import { RANK_OF, type Delivery, type Settlement } from '../../src/core/model/delivery.ts';
import type { Memory, Run } from '../../src/core/model/memory.ts';
import type { ClosedRuns, Decision } from '../../src/core/model/decision.ts';
import type { DeliveryId, WatchId } from '../../src/core/model/ids.ts';
import type { Instant } from '../../src/lib/clock.ts';
import { createMemoryInterventions, nothingOfOperators, type KeptOfOperators } from './memory-interventions.ts';
import { LONGEST_LEASE_MS, type Fence, type Store, type StoredDiagnostics } from '../../src/store/store.ts';

interface Row {
  delivery: Delivery;
  /** What may be folded into it; null = nothing. */
  readonly folds: string | null;
  readonly createdAt: Instant;
  readonly ranBefore: number;
  state: Settlement['state'] | 'sending';
  attempt: number;
  dueAt: Instant;
  settledAt: Instant;
  leaseUntil: Instant;
}

/** What outlives a store: the next one over the same goes on from it. */
interface Kept {
  epoch: number;
  readonly memoryById: Map<WatchId, Memory>;
  readonly samplesById: Map<WatchId, Record<string, Run[]>>;
  readonly diagnosticsById: Map<WatchId, StoredDiagnostics>;
  /** In the order in which they were committed. */
  readonly rowById: Map<DeliveryId, Row>;
  readonly ranByChannel: Map<string, number>;
  readonly blocksByExplorer: Map<string, Map<string, KnownBlock>>;
  readonly operators: KeptOfOperators;
}

export function nothingKept(): Kept {
  return {
    epoch: 0,
    memoryById: new Map(),
    samplesById: new Map(),
    diagnosticsById: new Map(),
    rowById: new Map(),
    ranByChannel: new Map(),
    blocksByExplorer: new Map(),
    operators: nothingOfOperators(),
  };
}

/** The promise of `Store` in plain maps, without durability: the second subject of the contract suite. */
export function createMemoryStore(kept: Kept = nothingKept()): Store {
  const { memoryById, samplesById, diagnosticsById, rowById, ranByChannel, blocksByExplorer } = kept;
  const interventions = createMemoryInterventions(kept.operators);
  kept.epoch += 1;
  const fence: Fence = { key: 'all', slot: 0, owner: 'test', epoch: kept.epoch };
  for (const row of rowById.values()) row.leaseUntil = 0;
  const isHeld = ({ epoch }: Fence): boolean => epoch === kept.epoch;

  const rows = (...states: readonly Row['state'][]): Row[] =>
    [...rowById.values()].filter((row) => states.includes(row.state));
  const waiting = (channel: string): Row[] => {
    const own = rows('due', 'sending').filter(({ delivery }) => delivery.channel === channel);
    const lines = [...Map.groupBy(own, lineOf).values()].filter((line) => line.every(({ state }) => state === 'due'));
    const first = lines.flatMap((line) => line.toSorted(bySeq).slice(0, 1));
    return first.toSorted((a, b) => rankOf(a) - rankOf(b) || a.dueAt - b.dueAt);
  };

  function keep(
    { watchId, expects, memory, hasChanged, deliveries, closed }: Decision,
    at: Instant,
  ): 'kept' | 'superseded' {
    if ((memoryById.get(watchId)?.version ?? 0) !== expects) return 'superseded';
    if (!hasChanged && deliveries.length === 0) return 'kept';
    memoryById.set(watchId, structuredClone({ ...memory, version: expects + 1 }));
    samplesById.set(watchId, samplesAfter(samplesById.get(watchId) ?? {}, closed));
    const isOver = new Set(deliveries.map(({ channel }) => channel).filter((name) => owed(name) >= MOST_UNSETTLED));
    for (const delivery of deliveries) {
      if (isOver.has(delivery.channel) && isFoldable(delivery)) fold(delivery, at);
      else add(delivery, { at, dueAt: at });
    }
    return 'kept';
  }

  function owed(channel: string): number {
    return rows('due', 'sending').filter(({ delivery }) => delivery.channel === channel).length;
  }

  function add(
    delivery: Delivery,
    { at, dueAt, folds = null }: { at: Instant; dueAt: Instant; folds?: string | null },
  ) {
    if (rowById.has(delivery.id)) return;
    const row = { delivery: structuredClone(delivery), createdAt: at, attempt: 0, dueAt, settledAt: 0, folds };
    const ranBefore = ranByChannel.get(delivery.channel) ?? 0;
    rowById.set(delivery.id, { ...row, ranBefore, state: 'due', leaseUntil: 0 });
  }

  function fold(delivery: Delivery, at: Instant): void {
    const { channel, recipient } = delivery;
    const folds = JSON.stringify([channel, recipient, foldKeyOf(delivery)]);
    const open = rows('due').findLast((row) => row.folds === folds && row.attempt === 0 && row.dueAt > at);
    if (open !== undefined && hasRoom(open.delivery.message, delivery.message))
      open.delivery = { ...open.delivery, message: withMember(open.delivery.message, delivery.message, at) };
    else add(openSummary(delivery, at), { at, dueAt: at + OPEN_MS, folds });
  }

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
    async survey() {
      const owed = Map.groupBy(rows('due', 'sending'), ({ delivery }) => delivery.channel);
      const outbox = [...owed].map(([channel, own]) => ({
        channel,
        rows: own.length,
        oldest: Math.min(...own.map(({ createdAt }) => createdAt)),
      }));
      return {
        outbox: outbox.toSorted((a, b) => (a.channel < b.channel ? -1 : 1)),
        dead: rows('dead').length,
        sent: rows('sent').length,
      };
    },
    answerTo: async (request) => interventions.answerTo(request),
    intervene: async (change, request, at, fence) =>
      isHeld(fence) ? interventions.intervene(change, request, at) : { type: 'refused', why: 'fenced' },
    pauses: async () => interventions.pauses(),
    async prune(before) {
      interventions.prune(before);
      for (const { delivery, settledAt } of rows('sent', 'dead')) if (settledAt < before) rowById.delete(delivery.id);
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

function rankOf({ delivery }: Row): number {
  return RANK_OF[delivery.message.severity];
}

function lineOf({ delivery: { recipient, message } }: Row): string {
  return JSON.stringify([recipient, message.key]);
}

// A stable sort keeps the order of committing among equals.
function bySeq(a: Row, b: Row): number {
  return a.delivery.message.seq - b.delivery.message.seq;
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
