// What a poll costs at least: got and JSON.parse, as often as the daemon polls, and nothing else. Its requests leave one by
// one, evenly spread. Its CPU is what the daemon's is compared with, in the same seconds on the same machine.
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import got from 'got';
import { CONCURRENCY, type Due } from './protocol.ts';

export interface BareOrder {
  readonly origin: string;
  readonly intervalMs: number;
  readonly dues: readonly Due[];
}

async function poll(url: string, agent: Agent): Promise<void> {
  const { body } = await got(url, { agent: { http: agent }, retry: { limit: 0 } });
  JSON.parse(body);
}

async function run({ origin, intervalMs, dues }: BareOrder): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
  // So that short and long answers take turns.
  const inOrder = dues.toSorted((a, b) => a.phaseMs - b.phaseMs);
  const stepMs = intervalMs / inOrder.length;
  const startedAt = Date.now();
  for (let round = Math.ceil(startedAt / intervalMs); ; round += 1)
    for (const [i, { path }] of inOrder.entries()) {
      const waitMs = round * intervalMs + i * stepMs - Date.now();
      if (waitMs > 0) await sleep(waitMs);
      // Nothing is retried: one that fails is one that is missing in the count.
      poll(`${origin}/bare/api/v2/${path}`, agent).catch(() => undefined);
    }
}

process.on('message', (order: BareOrder) => void run(order));
process.on('disconnect', () => process.exit(0));
