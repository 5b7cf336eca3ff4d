// A replica ends, stands still, is cut off from the database, or has a clock that is off.
import { setTimeout as pause } from 'node:timers/promises';
import type { Line } from '../proxy.ts';
import { beyond, type Fault, type Struck } from './fault.ts';

const HOUR_MS = 3_600_000;

export const OF_REPLICAS = {
  kill: { room: 'replica', strike: ({ victim, leaseMs }) => victim.restart('SIGKILL', { downMs: beyond(leaseMs) }) },
  'stop and start': { room: 'replica', strike: ({ victim }) => victim.restart('SIGTERM', { downMs: 1000 }) },
  freeze: {
    room: 'replica',
    async strike({ victim, leaseMs, noted }) {
      victim.signal('SIGSTOP');
      await pause(beyond(leaseMs));
      victim.signal('SIGCONT');
      noted.woken.push({ address: victim.address, at: Date.now() });
    },
  },
  'slow line': {
    room: 'replica',
    strike: (struck) => onLine(struck, { type: 'slow', ms: 40 }, struck.leaseMs),
  },
  // What was decided in time is written when others have the shards.
  'late line': { room: 'replica', strike: (struck) => onLine(struck, { type: 'late' }) },
  'cut line': { room: 'replica', strike: (struck) => onLine(struck, { type: 'cut' }) },
  'silent line': { room: 'replica', strike: (struck) => onLine(struck, { type: 'silent' }) },
  // The server has committed, and the replica does not know.
  'lost answers': {
    room: 'replica',
    strike: (struck) => onLine(struck, { type: 'forgetful', texts: STATEMENTS }),
  },
  'clock an hour ahead': {
    room: 'replica',
    strike: ({ victim }) => victim.restart('SIGTERM', { downMs: 500, skewMs: HOUR_MS }),
  },
  'clock an hour behind': {
    room: 'replica',
    strike: ({ victim }) => victim.restart('SIGTERM', { downMs: 500, skewMs: -HOUR_MS }),
  },
} as const satisfies Readonly<Record<string, Fault>>;

/** Of transactions: a message is claimed, one is settled, a memory is written, a shard is claimed. */
const STATEMENTS = [
  `SET state = 'sending'`,
  'UPDATE deliveries SET state',
  'UPDATE memory SET version',
  'UPDATE shards AS s SET owner',
  'INSERT INTO notifications',
];

async function onLine({ victim, leaseMs }: Struck, line: Line, ms = beyond(leaseMs)): Promise<void> {
  victim.line.set(line);
  await pause(ms);
  victim.line.set({ type: 'open' });
}
