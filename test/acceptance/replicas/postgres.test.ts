// Daemons as processes of their own on a real PostgreSQL.
import { expect } from '@jest/globals';
import { systemClock } from '../../../src/lib/clock.ts';
import { createSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { serveSandbox } from '../../../src/sandbox/server.ts';
import { createFolder, start, type Process } from '../../support/daemon.ts';
import { freePort } from '../../support/free-port.ts';
import {
  execute,
  hasPostgres,
  postgresTest,
  startPostgres,
  type PostgresServer,
} from '../../support/store/postgres.ts';
import { createWebhookSink, type WebhookSink } from '../../support/sinks.ts';

// A lease of a killed process lasts for 15 seconds.
const PASSWORD = 'canary-of-the-database';
const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes long').toString('base64')}`;
const RULES = `
watches:
  - { id: calls, kind: internal-transactions, of: vault, every: 1s, alerts: [{ id: failed, on: new, if: success == false }] }
`;

const server = hasPostgres ? await startPostgres() : null;

interface Scene extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly hook: WebhookSink;
  readonly postgres: PostgresServer;
  /** Another replica, with the same config but for its port. */
  replica(): Promise<Replica>;
  /** How many messages are not on record as sent. */
  owed(): Promise<number>;
  /** Runs a command to its end; resolves with what it printed. */
  command(...args: readonly string[]): Promise<string>;
}

interface Replica {
  readonly process: Process;
  readonly page: (path: string) => Promise<{ status: number; body: string }>;
}

async function aScene(): Promise<Scene> {
  if (server === null) throw new Error('PostgreSQL is not here');
  await using opened = new AsyncDisposableStack();
  const sandbox = createSandbox({ seed: 1, blockTimeMs: 'manual', clock: systemClock, quiet: true });
  const served = opened.adopt(await serveSandbox(sandbox), (one) => one.close());
  const hook = opened.use(await createWebhookSink());
  const folder = opened.use(
    createFolder({
      'rules.yaml': RULES,
      'config.yaml': `
explorers: { chain: { form: instance, instance_url: '${served.url}' } }
addresses: { vault: ${sandbox.addresses.vault} }
channels: { hook: { type: webhook, url: '${hook.origin}', secret: '${SECRET}', allow: [127.0.0.0/8] } }
self: none
state: { postgres: { env: DATABASE_URL, name: treasury } }
rules: [rules.yaml]
`,
    }),
  );
  // The server lets everybody of this machine in; the password is there to be looked for.
  const url = (await server.database()).replace('@', `:${PASSWORD}@`);
  const all: Process[] = [];
  opened.defer(() => {
    for (const one of all) for (const text of [one.out(), one.err()]) expect(text).not.toContain(PASSWORD);
  });
  const scene = opened.move();
  return {
    sandbox,
    hook,
    postgres: server,
    async replica() {
      const port = await freePort();
      const process = scene.use(
        start(['run', '--log-level', 'debug'], folder.path, {
          DATABASE_URL: url,
          CHAINWARDEN_LISTEN: `127.0.0.1:${port}`,
        }),
      );
      all.push(process);
      return {
        process,
        page: async (path) => {
          const answer = await fetch(`http://127.0.0.1:${port}${path}`);
          return { status: answer.status, body: await answer.text() };
        },
      };
    },
    async owed() {
      const rows = await execute(url, "SELECT FROM deliveries WHERE state IN ('due', 'sending')");
      return rows.length;
    },
    async command(...args) {
      const command = scene.use(start(args, folder.path, { DATABASE_URL: url }));
      all.push(command);
      await command.ended;
      return command.out();
    },
    [Symbol.asyncDispose]: () => scene.disposeAsync(),
  };
}

function fail({ sandbox }: Scene): void {
  sandbox.mine();
  sandbox.failCall({ to: 'vault', reason: 'paused' });
}

async function told({ hook }: Scene, count: number): Promise<(string | string[] | undefined)[]> {
  const calls = await hook.calls.reached(count);
  return calls.map(({ headers }) => headers['webhook-id']);
}

postgresTest(
  'a treasury went unwatched when a replica was killed: the others took over, told the rest, and nothing twice',
  async () => {
    await using scene = await aScene();
    const first = await scene.replica();
    await first.process.says('watch:baseline');
    fail(scene);
    await told(scene, 1);
    // Until then nobody knows how that try ended, and whoever takes over makes it again under its id.
    await first.process.says('delivery:sent');

    const second = await scene.replica();
    // It has its share of the work once the first one has given it some.
    await second.process.says('cluster:claimed');
    while ((await second.page('/readyz')).status !== 200);
    fail(scene);
    await told(scene, 2);
    while ((await scene.owed()) > 0);

    first.process.kill('SIGKILL');
    await first.process.ended;
    fail(scene);
    expect(new Set(await told(scene, 3)).size).toBe(3);
    while ((await scene.owed()) > 0);
    expect(await second.page('/readyz')).toMatchObject({ status: 200, body: expect.stringContaining('4 of 4 shards') });

    // Who is told to stop hands over at once.
    const third = await scene.replica();
    await third.process.says('daemon:started');
    second.process.kill('SIGTERM');
    expect(await second.process.ended).toEqual({ code: 0, signal: null });
    fail(scene);
    expect(new Set(await told(scene, 4)).size).toBe(4);
    while ((await scene.owed()) > 0);

    expect(await scene.command('state', 'check')).toMatch(
      /^PostgreSQL at 127\.0\.0\.1:.*\n(.*\n)*sound: nothing is damaged\n$/,
    );
    expect(await scene.command('history')).toContain('calls');
    expect(await scene.command('status')).toMatch(
      /^All quiet\n(?:.*\n)*replica .*: works on channel:hook, explorer:chain, service:dispatch, service:journal\n/,
    );
    third.process.kill('SIGTERM');
    expect(await third.process.ended).toEqual({ code: 0, signal: null });
    const ended = await scene.command('status');
    expect(ended).toMatch(/^No daemon runs\n(?:.*\n)*nobody works on: channel:hook, explorer:chain, /);
    expect(ended).not.toContain('replica');
    expect(scene.hook.calls.all).toHaveLength(4);
  },
);

postgresTest(
  'the database was restarted: the daemon said so, polled on, and told once what had happened meanwhile',
  async () => {
    await using scene = await aScene();
    const { process, page } = await scene.replica();
    await process.says('watch:baseline');
    fail(scene);
    await told(scene, 1);

    await scene.postgres.stop('immediate');
    fail(scene);
    await process.says('storage:');
    while ((await page('/readyz')).status !== 503);
    expect(await page('/healthz')).toMatchObject({ status: 200 });
    expect(scene.hook.calls.all).toHaveLength(1);

    await scene.postgres.start();
    expect(new Set(await told(scene, 2)).size).toBe(2);
    while ((await page('/readyz')).status !== 200);
    process.kill('SIGTERM');
    expect(await process.ended).toEqual({ code: 0, signal: null });
    expect(scene.hook.calls.all).toHaveLength(2);
  },
);
