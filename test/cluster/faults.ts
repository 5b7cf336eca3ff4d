// What happens to the replicas and to their database. Which, to whom and in what order is drawn from the seed.
import { setTimeout as pause } from 'node:timers/promises';
import { createDraw, type Draw } from '../simulation/draw.ts';
import type { PostgresServer } from '../support/store/postgres-server.ts';
import type { Replica } from './replica.ts';

export interface Struck {
  readonly victim: Replica;
  readonly postgres: PostgresServer;
  readonly leaseMs: number;
  /** Files of the victim, by name, as all replicas have them. */
  readonly files: Readonly<Record<string, string>>;
}

interface Fault {
  /** Resolves when it is over. */
  readonly strike: (struck: Struck) => Promise<void>;
  /** Nobody can work meanwhile. */
  readonly isOfAll?: true;
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
  'another config': {
    async strike({ victim, leaseMs, files }) {
      // A stray file, in which watches are missing.
      victim.write('rules.yaml', (files['rules.yaml'] ?? '').replace(/^.* id: coins-0,.*$/m, ''));
      await pause(beyond(leaseMs) + 3000);
      victim.write('rules.yaml', files['rules.yaml'] ?? '');
    },
  },
} as const satisfies Readonly<Record<string, Fault>>;

export type FaultName = keyof typeof FAULTS;
export const EVERY_FAULT = Object.keys(FAULTS) as readonly FaultName[];

async function bounce(postgres: PostgresServer, how: 'fast' | 'immediate'): Promise<void> {
  await postgres.stop(how);
  await pause(500);
  await postgres.start();
}

export interface Planned {
  readonly name: FaultName;
  /** By its place. */
  readonly replica: number | 'who asked last';
}

/** Each of the kinds once before any comes again. */
export function drawFaults(seed: number, count: number, kinds: readonly FaultName[], replicas: number): Planned[] {
  const draw = createDraw('nemesis', seed);
  const planned: Planned[] = [];
  while (planned.length < count)
    planned.push(
      ...shuffled(kinds, draw).map((name): Planned => ({
        name,
        replica: draw.chance(0.6) ? 'who asked last' : draw.below(replicas),
      })),
    );
  return planned.slice(0, count);
}

function shuffled<T>(some: readonly T[], draw: Draw): T[] {
  const rest = [...some];
  const all: T[] = [];
  while (rest.length > 0) all.push(...rest.splice(draw.below(rest.length), 1));
  return all;
}
