// What a storm costs: notifications that were committed at once are routed, decided and put into deliveries, over a state
// file on the disk: 500, which is more than most rounds have, and 20,000. Prints the CPU time of all of it, and the
// longest time for which the event loop did nothing else. CPU time of the thread, so that other programs on the machine
// do not count. Nothing is asserted.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DispatchRules } from '../src/dispatch/rules.ts';
import { CAP_OF_PEOPLE } from '../src/dispatch/batches.ts';
import { routingOf } from '../src/dispatch/policy/match.ts';
import { createDispatcher } from '../src/engine/dispatching/dispatcher.ts';
import { systemClock } from '../src/lib/clock.ts';
import { openSqliteStore } from '../src/store/sqlite/open.ts';
import type { Store } from '../src/store/contract/store.ts';
import { aDecision, aTransition } from '../test/store/builders.ts';
import { createRecordingLog } from '../test/support/recording-log.ts';
import { fenceOf, ownershipOf } from '../test/support/store/fences.ts';
import { createClockJumps } from '../src/engine/upkeep/clock-jumps.ts';

const STORMS = [500, 20_000];
const PER_POLL = 50;

type Way = ReturnType<DispatchRules['channelOf']>;

const WAYS: Readonly<Record<string, Way>> = {
  'people (mail, chat)': { unit: 'group', cap: CAP_OF_PEOPLE },
  'programs (webhook)': { unit: 'alert', cap: null },
};

for (const [name, way] of Object.entries(WAYS))
  for (const storm of STORMS) {
    const { cpuMs, longestMs, deliveries } = await measure(way, storm);
    const each = ((cpuMs * 1000) / storm).toFixed(0);
    console.log(
      `${name}: ${(cpuMs / 1000).toFixed(2)} s of CPU for ${storm} notifications (${each} µs each), ` +
        `${deliveries} deliveries; the longest turn ${longestMs.toFixed(1)} ms`,
    );
  }

async function measure(way: Way, storm: number): Promise<{ cpuMs: number; longestMs: number; deliveries: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'chainwarden-bench-'));
  try {
    await using store = await openSqliteStore({ file: join(folder, 'state.db') });
    await commitAll(store, storm);
    const stop = new AbortController();
    const dispatcher = createDispatcher({
      store: until(store, () => {
        stop.abort();
      }),
      ownership: ownershipOf(store),
      rules: () => rulesOf(way),
      announce: () => [],
      onOwed: () => undefined,
      clock: systemClock,
      jumps: createClockJumps(systemClock),
      log: createRecordingLog(),
    });
    const turns = watchTurns();
    await dispatcher.run(stop.signal);
    const { cpuMs, longestMs } = turns.end();
    const { outbox } = await store.survey();
    return { cpuMs, longestMs, deliveries: outbox.reduce((sum, { rows }) => sum + rows, 0) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function commitAll(store: Store, storm: number): Promise<void> {
  const fence = fenceOf(store, 'service:bench');
  for (let poll = 0; poll < storm / PER_POLL; poll += 1) {
    const transitions = Array.from({ length: PER_POLL }, (_, n) =>
      aTransition({ key: `event-${poll}-${n}`, watch: `rule-${poll % 40}`, type: 'alert.event', seq: 1 }),
    );
    await store.commit([aDecision(`watch-${poll}`, { transitions })], systemClock.now(), fence);
  }
}

/** Says when nothing is left to be decided. */
function until(store: Store, onDone: () => void): Store {
  return {
    ...store,
    async readDue(query) {
      const round = await store.readDue(query);
      if (round.groups.length === 0) onDone();
      return round;
    },
  };
}

function rulesOf(way: Way): DispatchRules {
  return {
    inhibit: [],
    recipientsOf: (channel) => [{ channel, recipient: channel }],
    channelOf: () => way,
    routingOf: (labels) => routingOf([], null, labels),
    ruleOf: () => ({ type: 'fixed', channels: ['ops'] }),
    counted: way.cap === null ? [] : ['ops'],
    unanswered: [],
    startedAt: 0,
    lookedAt: () => null,
    coveredUntil: () => null,
    presentOf: () => null,
  };
}

/** CPU time of this thread, in all and in the longest turn of the event loop. */
function watchTurns(): { end(): { cpuMs: number; longestMs: number } } {
  const cpuMs = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  const began = cpuMs();
  let [last, longestMs] = [began, 0];
  let next = setImmediate(look);
  function look(): void {
    const now = cpuMs();
    longestMs = Math.max(longestMs, now - last);
    last = now;
    next = setImmediate(look);
  }
  return {
    end() {
      clearImmediate(next);
      return { cpuMs: cpuMs() - began, longestMs };
    },
  };
}
