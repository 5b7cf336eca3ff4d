// The Alertmanager of Prometheus itself, where it is installed: what it is shown, it has.
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import type { Outcome } from '../../src/core/model/delivery.ts';
import type { ShownAlert } from '../../src/core/model/mirror.ts';
import { alertmanagerWith } from '../../src/notifiers/alertmanager.ts';
import { freePort } from '../support/free-port.ts';
import { corpus } from '../hostile/corpus.ts';
import { STRANGERS } from '../hostile/messages.ts';
import { hasTool, startTool } from '../telemetry/prometheus-tools.ts';
import { LOOPBACK, never, someTools } from './samples.ts';

const TOOL = 'prometheus-alertmanager';
const HOUR = 3_600_000;

const Active = z.array(z.object({ labels: z.record(z.string(), z.string()), status: z.object({ state: z.string() }) }));

async function anAlertmanager() {
  const folder = mkdtempSync(join(tmpdir(), 'chainwarden-alertmanager-'));
  writeFileSync(join(folder, 'am.yml'), 'route: { receiver: nobody }\nreceivers: [{ name: nobody }]\n');
  const port = await freePort();
  const args = ['--config.file=am.yml', '--storage.path=data', '--cluster.listen-address='];
  const server = startTool(TOOL, [...args, `--web.listen-address=127.0.0.1:${port}`], folder);
  const listens = Promise.withResolvers<undefined>();
  let said = '';
  // Read to its end: a program of Go that cannot write there is ended.
  server.stderr.on('data', (chunk) => {
    said += String(chunk);
    if (/listening/i.test(said)) listens.resolve(undefined);
  });
  await Promise.race([listens.promise, once(server, 'exit').then(() => Promise.reject(new Error(said)))]);
  const url = `http://127.0.0.1:${port}`;
  const none = { token: undefined, user: undefined, password: undefined };
  const { mirror } = alertmanagerWith({ totalMs: 60_000 });
  const open = mirror?.open({ url, ...none, refresh: 60_000, hold: 24 * HOUR, allow: LOOPBACK }, someTools());
  return {
    show: async (alerts: readonly ShownAlert[]): Promise<readonly Outcome[]> => (await open?.show(alerts, never)) ?? [],
    /** The keys of those that are open there. */
    async open(): Promise<string[]> {
      const answer = await fetch(`${url}/api/v2/alerts?active=true`);
      return Active.parse(await answer.json()).map(({ labels }) => labels['chainwarden_key'] ?? '');
    },
    async [Symbol.asyncDispose]() {
      await open?.[Symbol.asyncDispose]();
      server.kill('SIGKILL');
      await once(server, 'close');
      rmSync(folder, { recursive: true });
    },
  };
}

(hasTool(TOOL) ? test : test.skip)(
  'it takes every alert whatever strangers write in it, each as one of its own, and ends those that are over',
  async () => {
    await using server = await anAlertmanager();
    const now = Date.now();
    const messages = Object.values(STRANGERS).flatMap((messageWith) => corpus.map(([, text]) => messageWith(text)));
    const alerts = messages.map((message, i) => ({
      message: { ...message, key: `key-${i}` },
      labels: { watch: message.watch, severity: message.severity, team: 'treasury' },
      shown: { startsAt: now - 60_000, endsAt: now + HOUR },
    }));
    const outcomes = await server.show(alerts);
    expect(outcomes.filter(({ type }) => type !== 'sent')).toEqual([]);
    expect((await server.open()).toSorted()).toEqual(alerts.map(({ message }) => message.key).toSorted());
    const over = alerts.map((one) => ({ ...one, shown: { startsAt: now - 60_000, endsAt: now - 1000 } }));
    await server.show(over.slice(1));
    expect(await server.open()).toEqual(['key-0']);
  },
);
