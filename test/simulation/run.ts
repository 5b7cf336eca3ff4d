// One run of a history: the real engine, store and sender on virtual time, and all that is to be known of it
// afterwards. The same history leaves the same logs.
import { loadSetup, type Setup } from '../../src/app/setup/setup.ts';
import { recipientsIn } from '../../src/config/routing/recipients.ts';
import { formatProblems } from '../../src/config/problem.ts';
import type { Delivery } from '../../src/core/model/delivery.ts';
import type { AnyNotifier } from '../../src/notifiers/notifier.ts';
import { API_KEY } from '../../src/sandbox/names.ts';
import { createMemoryDatabase } from '../../src/store/sqlite/driver.ts';
import { createMemoryStore } from '../support/store/memory-store.ts';
import type { Store } from '../../src/store/contract/store.ts';
import { chainLogOf } from './chain/chain-log.ts';
import { createVirtualTime, createWallClock, type WallClock } from './machine/clock.ts';
import { startDaemon } from './machine/daemon.ts';
import { createFaultField } from './faults/field.ts';
import { endOf, scriptOf, START } from './history.ts';
import { createJournal, type Left } from './journal.ts';
import { clockOf, createLifeLine } from './life-line.ts';
import { createMachine, type Machine } from './machine/machine.ts';
import type { History, Logs, PlannedFault } from './model.ts';
import { createReplicas } from './chain/replicas.ts';
import { CONFIG, RULES } from './rules.ts';
import { sinkNotifiers } from './machine/sinks.ts';
import { claim } from '../support/store/store-calls.ts';
import { storeOf } from './machine/store.ts';
import { createTransport } from './machine/transport.ts';

export async function run(history: History): Promise<Logs> {
  const end = endOf(history);
  const time = createVirtualTime(START);
  const wall = createWallClock(time);
  const script = scriptOf(history);
  const world = { time, field: createFaultField(history.faults) };
  const replicas = createReplicas(script);
  // It outlives each process; the next one takes it over.
  await using opened = new AsyncDisposableStack();
  const disk = opened.adopt(createMemoryDatabase(), (database) => database.close());
  const open = (): Store => createMemoryStore(disk);
  let present = createLifeLine();
  const setup = setupFor(
    sinkNotifiers({
      ...world,
      line: () => present,
      onTaken: (delivery, clockAt) => {
        journal.taken(delivery, clockAt);
      },
    }),
  );
  const journal = createJournal(time, recipientsIn(setup.config));
  const machine = createMachine({
    time,
    onLife: journal.lived,
    boot(line) {
      present = line;
      return startDaemon({
        line,
        setup,
        clock: clockOf(line, wall, time),
        store: storeOf({
          ...world,
          line,
          inner: open(),
          onKept: journal.kept,
          onDispatched: journal.dispatched,
          onSent: journal.sent,
          onDisturbed: journal.disturbed,
        }),
        transport: createTransport({
          ...world,
          seed: history.seed,
          replicas,
          deed: () => line.deed(),
          onServed: journal.served,
          onDisturbed: journal.disturbed,
        }),
        hook: journal.hook,
      });
    },
  });
  for (const fault of history.faults)
    time.at(fault.at, () => {
      strikeProcess(fault, machine, wall);
    });
  machine.start();
  await time.runUntil(end);
  machine.stop();
  await time.runUntil(end + STOPPING_MS);
  return journal.end(chainLogOf(script, end), { from: START, to: end }, await leftIn(open()));
}

const CHANNELS = ['hook', 'post'];
const STOPPING_MS = 60_000;

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

function setupFor(notifiers: readonly AnyNotifier[]): Setup {
  const { setup, problems } = loadSetup('/simulation/config.yaml', {
    env: { EXPLORER_KEY: API_KEY },
    readFile: (path) => (path.endsWith('rules.yaml') ? RULES : CONFIG),
    listFiles: () => ['/simulation/rules.yaml'],
    notifiers,
  });
  if (setup === null) throw new Error(formatProblems(problems));
  return setup;
}

const ALL = 1_000_000;

async function leftIn(store: Store): Promise<Left> {
  const { unrouted } = await store.readRouting(ALL);
  const active = await store.readActive(null, ALL);
  return {
    deliveries: await owedIn(store),
    waiting: [
      // Of one alert only the first one is read.
      ...unrouted.map(({ key, seq }) => ({ key, from: seq - 1, to: Infinity, target: null })),
      ...active.map(({ key, target, state }) => ({ key, from: state.closed, to: state.wanted, target })),
    ],
  };
}

/** Takes all that is left out of the outbox, for it hands out one message of an alert at a time. */
async function owedIn(store: Store): Promise<Delivery[]> {
  const at = 8_640_000_000_000_000;
  const left: Delivery[] = [];
  for (const channel of CHANNELS) {
    await store.expire(channel, at, []);
    for (;;) {
      const claimed = await claim(store, channel, 100, at);
      if (claimed.length === 0) break;
      for (const { delivery, attempt } of claimed) {
        left.push(delivery);
        await store.settle({ id: delivery.id, attempt }, { state: 'sent', outcome: { type: 'sent', answer: '' } }, at);
      }
    }
  }
  return left;
}
