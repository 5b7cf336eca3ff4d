// Receivers and explorers that do not answer, and daemons that do not belong to the installation.
import { setTimeout as pause } from 'node:timers/promises';
import { holderOf } from '../database.ts';
import { intrude } from '../intruder.ts';
import { beyond, type Fault } from './fault.ts';

const FAILING_MS = 8000;
/** Nothing takes so long. */
const REFUSED_MS = 60_000;
/** Longer than others may take to take over. */
const BARRED_MS = 30_000;
const NOTICED_MS = 4000;

export const OF_OTHERS = {
  'a receiver fails': {
    room: 'receiver',
    async strike({ sinks, roll }) {
      const plan = roll % sinks.count;
      sinks.behave(plan, FAILURES[Math.floor(roll / sinks.count) % FAILURES.length] ?? 'down');
      await pause(FAILING_MS);
      sinks.behave(plan, 'well');
    },
  },
  // It reaches the database, and no explorer.
  'lost egress': {
    room: 'explorer',
    victim: 'explorer:plan-1',
    async strike({ victim, explorer, url, noted }) {
      const from = Date.now();
      const before = victim.said().length;
      const isHolder = async (): Promise<boolean> =>
        (await holderOf(url, 'explorer:plan-1').catch(() => null)) === victim.address;
      const heldBefore = await isHolder();
      explorer.bar(victim.address, true);
      await pause(NOTICED_MS);
      const holds = heldBefore && (await isHolder());
      await pause(BARRED_MS - NOTICED_MS);
      explorer.bar(victim.address, false);
      if (holds && !victim.said().slice(before).includes('explorer:no-answer'))
        noted.findings.push(`${victim.name} reached no explorer, and did not say so`);
      noted.barred.push({ address: victim.address, from, to: Date.now() });
    },
  },
  // By mistake it has the URL of this database.
  'another installation': {
    room: 'config',
    async strike({ url, files, main, noted }) {
      const config = (files['config.yaml'] ?? '').replace(/name: \w+/, 'name: theirs');
      await using one = await intrude({ number: 1, url, main, files: { ...files, 'config.yaml': config } });
      const ended = await Promise.race([one.ended(), pause(REFUSED_MS, 'went on' as const)]);
      if (ended === 'went on') noted.findings.push('another installation went on');
      else if (ended !== 78) noted.findings.push(`another installation ended with ${String(ended)}:\n${one.said()}`);
    },
  },
  // Its name was copied along with its config. It has more replicas than the own one, one of which restarts.
  'a foreign config': {
    room: 'config',
    async strike({ victim, url, files, main, leaseMs, noted }) {
      const config = files['config.yaml'] ?? '';
      await using opened = new AsyncDisposableStack();
      const foreign = [1, 2, 3].map(async (number) =>
        opened.use(await intrude({ number, url, main, files: { 'config.yaml': config, 'rules.yaml': FOREIGN } })),
      );
      const all = await Promise.all(foreign);
      for (const one of all) await one.says('daemon:started');
      await victim.restart('SIGTERM', { downMs: beyond(leaseMs) });
      await pause(beyond(leaseMs));
      for (const one of all)
        if ((await one.readiness()) !== 503) noted.findings.push('a foreign config was said to be ready');
    },
  },
} as const satisfies Readonly<Record<string, Fault>>;

/** Refused for good, a message is tried again after more time than a run has. */
const FAILURES = ['busy', 'down', 'reset', 'late', 'mute'] as const;
const FOREIGN = `
watches:
  - { id: care-theirs, explorer: plan-0, kind: blocks, every: 1s, notify: [hook-0], alerts: [{ id: block, on: new }] }
`;
