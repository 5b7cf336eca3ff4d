import type { Delivery, Settlement } from '../../src/core/delivery.ts';
import type { Memory } from '../../src/core/memory.ts';
import type { Decision, DeliveryId, Instant, WatchId } from '../../src/core/model.ts';
import type { Kept, Store } from '../../src/store/store.ts';

interface Row {
  readonly delivery: Delivery;
  readonly createdAt: Instant;
  state: Settlement['state'] | 'sending';
  attempt: number;
  dueAt: Instant;
  settledAt: Instant;
}

/** The promise of `Store` in plain maps, without durability: the second subject of the contract suite. */
export function createMemoryStore(): Store {
  const memoryById = new Map<WatchId, Memory>();
  const keptById = new Map<WatchId, Kept>();
  // In the order in which they were committed.
  const rowById = new Map<DeliveryId, Row>();

  const rows = (...states: readonly Row['state'][]): Row[] =>
    [...rowById.values()].filter((row) => states.includes(row.state));
  const isFirstInLine = (row: Row): boolean => {
    const line = rows('due', 'sending').filter((other) => isSameLine(row, other));
    return line.every(({ state }) => state !== 'sending') && line.toSorted(bySeq)[0] === row;
  };
  const waiting = (channel: string): Row[] =>
    rows('due')
      .filter((row) => row.delivery.channel === channel && isFirstInLine(row))
      .toSorted((a, b) => a.dueAt - b.dueAt);

  function keep({ watchId, expects, memory, learned, deliveries }: Decision, at: Instant): 'kept' | 'superseded' {
    if ((memoryById.get(watchId)?.version ?? 0) !== expects) return 'superseded';
    if (!learned && deliveries.length === 0) return 'kept';
    memoryById.set(watchId, structuredClone({ ...memory, version: expects + 1 }));
    for (const delivery of deliveries) {
      if (rowById.has(delivery.id)) continue;
      const row = { delivery: structuredClone(delivery), createdAt: at, attempt: 0, dueAt: at, settledAt: 0 };
      rowById.set(delivery.id, { ...row, state: 'due' });
    }
    return 'kept';
  }

  return {
    recall: async (ids) =>
      new Map(
        [...memoryById].filter(([id]) => ids === undefined || ids.includes(id)).map((entry) => structuredClone(entry)),
      ),
    remembered: async () => [...memoryById.keys()],
    commit: async (decisions, at) => decisions.map((decision) => keep(decision, at)),
    async cover(coverage) {
      for (const [id, { until: coveredUntil, look, health }] of coverage) {
        const memory = memoryById.get(id);
        if (memory === undefined) continue;
        memoryById.set(id, { ...memory, coveredUntil });
        const before = keptById.get(id) ?? { look: null, health: {} };
        keptById.set(id, structuredClone({ look: look ?? before.look, health: health ?? before.health }));
      }
    },
    kept: async (ids) => new Map([...keptById].filter(([id]) => ids === undefined || ids.includes(id))),
    keepRunning: async () => undefined,
    async forget(ids) {
      for (const id of ids) {
        memoryById.delete(id);
        keptById.delete(id);
      }
    },
    async claim(channel, limit, at) {
      const due = waiting(channel).filter(({ dueAt }) => dueAt <= at);
      return due.slice(0, limit).map((row) => {
        row.state = 'sending';
        row.attempt += 1;
        return { delivery: structuredClone(row.delivery), attempt: row.attempt, createdAt: row.createdAt };
      });
    },
    async settle(id, settlement, at) {
      const row = rowById.get(id);
      if (row?.state !== 'sending') return;
      row.state = settlement.state;
      row.settledAt = at;
      if (settlement.state === 'due') row.dueAt = settlement.dueAt;
    },
    async recover(at) {
      const open = rows('sending');
      for (const row of open) Object.assign(row, { state: 'due', dueAt: at });
      return open.length;
    },
    nextDue: async (channel) => waiting(channel)[0]?.dueAt ?? null,
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
    async prune(before) {
      for (const { delivery, settledAt } of rows('sent', 'dead')) if (settledAt < before) rowById.delete(delivery.id);
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

function isSameLine({ delivery: a }: Row, { delivery: b }: Row): boolean {
  return a.channel === b.channel && a.recipient === b.recipient && a.message.key === b.message.key;
}

// A stable sort keeps the order of committing among equals.
function bySeq(a: Row, b: Row): number {
  return a.delivery.message.seq - b.delivery.message.seq;
}
