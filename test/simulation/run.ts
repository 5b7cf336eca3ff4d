// One run of a history: the real engine, store and sender on virtual time, and all that is to be known of it
// afterwards. The same history leaves the same logs.
import { createMemoryDatabase } from '../../src/store/sqlite/driver.ts';
import { createMemoryStore } from '../support/store/memory-store.ts';
import type { Store } from '../../src/store/contract/store.ts';
import { chainLogOf } from './chain/chain-log.ts';
import { createVirtualTime, createWallClock, type WallClock } from './machine/clock.ts';
import { startDaemon } from './machine/daemon.ts';
import { createCredits } from './machine/credits.ts';
import { createFaultField } from './faults/field.ts';
import { endOf, scriptOf, START } from './history.ts';
import { createJournal, type Given } from './journal.ts';
import { clockOf, createLifeLine } from './life-line.ts';
import { createPolicyMemory } from './machine/policy-memory.ts';
import { createMachine, type Machine } from './machine/machine.ts';
import type { History, Logs, PlannedFault } from './model.ts';
import { createReplicas } from './chain/replicas.ts';
import { createLoad } from './scenes/loading.ts';
import { act, isOperators } from './scenes/operators.ts';
import { createVersions, isEdit } from './scenes/versions.ts';
import { sinkNotifiers } from './machine/sinks.ts';
import { storeOf } from './machine/store.ts';
import { virtualTimers } from './machine/timers.ts';
import { createTransport } from './machine/transport.ts';

export async function run(history: History): Promise<Logs> {
  const end = endOf(history);
  const time = createVirtualTime(START);
  const wall = createWallClock(time);
  const script = scriptOf(history);
  const world = { time, field: createFaultField(history.faults) };
  const replicas = createReplicas(script);
  const credits = createCredits(history.faults);
  const journal = createJournal(time);
  // It outlives each process; the next one takes it over.
  await using opened = new AsyncDisposableStack();
  const disk = opened.use(createMemoryDatabase());
  const open = (): Store => createMemoryStore(disk);
  const policy = createPolicyMemory(open());
  let present = createLifeLine();
  using _timers = virtualTimers({ time, wall, line: () => present });
  const notifiers = sinkNotifiers({ ...world, line: () => present, onTry: journal.begun });
  const versions = createVersions(history, createLoad(notifiers, history.stretch));
  const machine = createMachine({
    time,
    onLife: journal.lived,
    onStart: journal.started,
    boot(line) {
      present = line;
      return startDaemon({
        line,
        files: () => versions.at(time.now()),
        onApplied: journal.applied,
        onLook: journal.blind,
        clock: clockOf(line, wall, time),
        store: storeOf({ ...world, line, inner: open(), policy, observer: journal.store }),
        transport: createTransport({
          ...world,
          seed: history.seed,
          replicas,
          credits,
          deed: () => line.deed(),
          onServed: journal.served,
          onDisturbed: journal.store.disturbed,
        }),
        hook: journal.hook,
      });
    },
  });
  for (const fault of history.faults)
    time.at(fault.at, () => {
      strikeProcess(fault, machine, wall);
      if (isEdit(fault)) machine.reload();
      if (isOperators(fault)) void act(fault, { time, reach: machine.reached });
    });
  machine.start();
  await time.runUntil(end);
  machine.stop();
  await time.runUntil(end + STOPPING_MS);
  return journal.end(chainLogOf(script, end), { from: START, to: end }, givenTo(history));
}

const STOPPING_MS = 60_000;

/** What befalls the store and the clock by plan. */
function givenTo({ faults, stretch, watched }: History): Given {
  const planned = faults.toSorted((a, b) => a.at - b.at);
  return {
    stretch,
    watched,
    jumps: planned.flatMap(({ kind, at, amount }) => {
      if (kind === 'clock-forward') return [{ at, ms: amount }];
      return kind === 'clock-back' ? [{ at, ms: -amount }] : [];
    }),
    refusals: planned.flatMap(({ kind, at, ms }) => (kind === 'commit-refused' ? [{ from: at, to: at + ms }] : [])),
  };
}

function strikeProcess({ kind, amount, ms }: PlannedFault, machine: Machine, wall: WallClock): void {
  switch (kind) {
    case 'kill':
      machine.kill(amount, ms);
      return;
    case 'downtime':
      machine.stopFor(ms);
      return;
    case 'reload':
      machine.reload();
      return;
    case 'clock-forward':
      wall.shift(amount);
      return;
    case 'clock-back':
      wall.shift(-amount);
      return;
    default:
    // Faults of other groups are met where they strike.
  }
}
