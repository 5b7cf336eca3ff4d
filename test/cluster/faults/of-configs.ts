// Replicas that run other files than the rest, or another release.
import { setTimeout as pause } from 'node:timers/promises';
import { beyond, type Fault } from './fault.ts';

export const OF_CONFIGS = {
  // A stray file, in which watches are missing, where they would be ended at once.
  'another config': {
    room: 'config',
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
    room: 'config',
    async strike({ victim, all, leaseMs, agreedMs, files }) {
      const most = all.filter((one) => one !== victim);
      for (const one of most) one.write('rules.yaml', lacking(files['rules.yaml']));
      await pause(beyond(leaseMs) + agreedMs);
      for (const one of most) one.write('rules.yaml', files['rules.yaml'] ?? '');
    },
  },
  'a release behind': {
    room: 'config',
    async strike({ victim, leaseMs, formerMain }) {
      await victim.restart('SIGTERM', { downMs: 500, main: formerMain });
      await pause(beyond(leaseMs));
      await victim.restart('SIGTERM', { downMs: 500 });
    },
  },
} as const satisfies Readonly<Record<string, Fault>>;

/** Without the watch of the first purses. */
function lacking(rules = ''): string {
  return rules.replace(/^.* id: coins-0,.*$/m, '');
}
