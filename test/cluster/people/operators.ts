// Operators of a run: they silence, acknowledge and change their minds, at whatever replica answers.
import { setTimeout as pause } from 'node:timers/promises';
import { createDraw } from '../../simulation/draw.ts';
import { execute } from '../../support/store/postgres-server.ts';
import type { Replica } from '../replica.ts';
import { careOf } from './config.ts';

export interface OperatorsOptions {
  readonly seed: number;
  readonly url: string;
  readonly plans: number;
  readonly replicas: readonly Replica[];
}

export interface Operators {
  /** Resolves when it is done, or was in vain. */
  act(): Promise<void>;
}

const EVERY_MS = 4000;
const LEAST_SECONDS = 15;
const MOST_SECONDS = 70;
const OPEN = `
  SELECT key, episode, (SELECT max(seq) FROM notifications WHERE key = alerts.key)::int AS seq FROM alerts
  WHERE is_open = 1 AND watch LIKE 'care-%' ORDER BY key`;

export function createOperators({ seed, url, plans, replicas }: OperatorsOptions): Operators {
  const draw = createDraw('operators', seed);
  let calls = 0;

  const until = (): string => new Date(Date.now() + draw.between(LEAST_SECONDS, MOST_SECONDS) * 1000).toISOString();

  async function post(path: string, body: object): Promise<void> {
    const replica = replicas[draw.below(replicas.length)];
    calls += 1;
    await replica?.post(path, body, `${seed}-${calls}`);
  }

  async function actOnOpen(): Promise<void> {
    const open = await execute(url, OPEN);
    const one = open[draw.below(Math.max(open.length, 1))];
    if (one === undefined) return;
    const path = `/api/v1/alerts/${encodeURIComponent(String(one['key']))}/${String(one['episode'])}/acks`;
    if (draw.chance(0.3)) await post(`${path}/end`, {});
    else await post(path, { seq: one['seq'], until: until(), replace: draw.chance(0.5) });
  }

  const silence = (): Promise<void> =>
    post('/api/v1/silences', {
      matchers: { watch: careOf(draw.below(plans)) },
      until: until(),
      comment: 'nemesis',
      confirm: true,
    });

  return {
    async act() {
      await pause(EVERY_MS);
      // The database, or that replica, may be gone.
      await (draw.chance(0.6) ? actOnOpen() : silence()).catch(() => undefined);
    },
  };
}
