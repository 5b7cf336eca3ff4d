// What happens to the replicas and to their database. Which, to whom and in what order is drawn from the seed.
import { setTimeout as pause } from 'node:timers/promises';
import { createDraw, type Draw } from '../simulation/draw.ts';
import type { PostgresServer } from '../support/store/postgres-server.ts';
import type { Shard } from '../../src/store/contract/fence.ts';
import type { Replica } from './replica.ts';
import type { Sinks } from './sinks.ts';

export interface Struck {
  readonly victim: Replica;
  readonly all: readonly Replica[];
  readonly postgres: PostgresServer;
  readonly sinks: Pick<Sinks, 'refuse'>;
  readonly leaseMs: number;
  /** How long all have to run one config before anything is retired. */
  readonly agreedMs: number;
  /** Files of each replica, by name. */
  readonly files: Readonly<Record<string, string>>;
  /** Of the sources of a release before, which computes another checksum of the same files. */
  readonly formerMain: string;
}

interface Fault {
  /** Resolves when it is over. */
  readonly strike: (struck: Struck) => Promise<void>;
  /** Nobody can work meanwhile. */
  readonly isOfAll?: true;
  /** Struck is whoever holds that shard. */
  readonly victim?: Shard;
  /** Nothing is promised of it: it is struck only where it is named. */
  readonly isUnpromised?: true;
}

const HOUR_MS = 3_600_000;
const beyond = (leaseMs: number): number => leaseMs + 2000;

export const FAULTS = {
  kill: { strike: ({ victim, leaseMs }) => victim.restart('SIGKILL', { downMs: beyond(leaseMs) }) },
  'stop and start': { strike: ({ victim }) => victim.restart('SIGTERM', { downMs: 1000 }) },
  freeze: {
    async strike({ victim, leaseMs }) {
      victim.signal('SIGSTOP');
      await pause(beyond(leaseMs));
      victim.signal('SIGCONT');
    },
  },
  'database restarts': { strike: ({ postgres }) => bounce(postgres, 'fast'), isOfAll: true },
  'database crashes': { strike: ({ postgres }) => bounce(postgres, 'immediate'), isOfAll: true },
  'slow line': {
    async strike({ victim, leaseMs }) {
      victim.line.set({ type: 'slow', ms: 40 });
      await pause(leaseMs);
      victim.line.set({ type: 'open' });
    },
  },
  // What was decided in time is written when others have the shards.
  'late line': {
    async strike({ victim, leaseMs }) {
      victim.line.set({ type: 'late' });
      await pause(beyond(leaseMs));
      victim.line.set({ type: 'open' });
    },
  },
  'cut line': {
    async strike({ victim, leaseMs }) {
      victim.line.set({ type: 'cut' });
      await pause(beyond(leaseMs));
      victim.line.set({ type: 'open' });
    },
  },
  'silent line': {
    async strike({ victim, leaseMs }) {
      victim.line.set({ type: 'silent' });
      await pause(beyond(leaseMs));
      victim.line.set({ type: 'open' });
    },
  },
  'clock an hour ahead': {
    strike: ({ victim }) => victim.restart('SIGTERM', { downMs: 500, skewMs: HOUR_MS }),
  },
  'clock an hour behind': {
    strike: ({ victim }) => victim.restart('SIGTERM', { downMs: 500, skewMs: -HOUR_MS }),
  },
  // A stray file, in which watches are missing, where they would be ended at once.
  'another config': {
    victim: 'service:dispatch',
    async strike({ victim, leaseMs, agreedMs, files }) {
      await pause(agreedMs);
      victim.write('rules.yaml', lacking(files['rules.yaml']));
      await pause(beyond(leaseMs));
      victim.write('rules.yaml', files['rules.yaml'] ?? '');
    },
  },
  // A new file that is rolled out, and comes to a halt before the last replica has it.
  'a halted rollout': {
    async strike({ victim, all, leaseMs, agreedMs, files }) {
      const most = all.filter((one) => one !== victim);
      for (const one of most) one.write('rules.yaml', lacking(files['rules.yaml']));
      await pause(beyond(leaseMs) + agreedMs);
      for (const one of most) one.write('rules.yaml', files['rules.yaml'] ?? '');
    },
  },
  'a release behind': {
    async strike({ victim, leaseMs, formerMain }) {
      await victim.restart('SIGTERM', { downMs: 500, main: formerMain });
      await pause(beyond(leaseMs));
      await victim.restart('SIGTERM', { downMs: 500 });
    },
  },
  // As when a standby takes over that lacks the last seconds. Nobody was told of those.
  'the database goes back': {
    isOfAll: true,
    isUnpromised: true,
    async strike({ all, postgres, sinks, leaseMs }) {
      await postgres.stop('fast');
      const putBack = postgres.copyData();
      sinks.refuse(true);
      await postgres.start();
      await pause(beyond(leaseMs));
      for (const one of all) one.signal('SIGSTOP');
      await postgres.stop('immediate');
      putBack();
      await postgres.start();
      sinks.refuse(false);
      for (const one of all) one.signal('SIGCONT');
    },
  },
} as const satisfies Readonly<Record<string, Fault>>;

export type FaultName = keyof typeof FAULTS;
export const ALL_FAULTS = Object.keys(FAULTS) as readonly FaultName[];
export const EVERY_FAULT = ALL_FAULTS.filter((name) => !('isUnpromised' in FAULTS[name]));

/** Without the watch of the first purses. */
function lacking(rules = ''): string {
  return rules.replace(/^.* id: coins-0,.*$/m, '');
}

async function bounce(postgres: PostgresServer, how: 'fast' | 'immediate'): Promise<void> {
  await postgres.stop(how);
  await pause(500);
  await postgres.start();
}

export interface Planned {
  readonly name: FaultName;
  /** By its place. */
  readonly replica: number | 'who asked last' | Shard;
}

/** Each of the kinds once before any comes again. */
export function drawFaults(seed: number, count: number, kinds: readonly FaultName[], replicas: number): Planned[] {
  const draw = createDraw('nemesis', seed);
  const planned: Planned[] = [];
  while (planned.length < count)
    planned.push(
      ...shuffled(kinds, draw).map((name): Planned => ({
        name,
        replica: victimOf(name) ?? (draw.chance(0.6) ? 'who asked last' : draw.below(replicas)),
      })),
    );
  return planned.slice(0, count);
}

function victimOf(name: FaultName): Shard | null {
  const fault: Fault = FAULTS[name];
  return fault.victim ?? null;
}

function shuffled<T>(some: readonly T[], draw: Draw): T[] {
  const rest = [...some];
  const all: T[] = [];
  while (rest.length > 0) all.push(...rest.splice(draw.below(rest.length), 1));
  return all;
}
