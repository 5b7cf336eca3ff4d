// The promise: whatever is decided arrives, whenever the process dies.
import { expect, test } from '@jest/globals';
import { systemClock } from '../../src/lib/clock.ts';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { serveSandbox } from '../../src/sandbox/server.ts';
import { createFolder, start } from '../support/daemon.ts';
import { createSmtpSink, createWebhookSink, type ReceivedMail, type WebhookCall } from '../support/sinks.ts';

const KILLS = 6;
const EVENTS_PER_LIFE = 4;

const RULES = `
watches:
  - id: vault-calls
    kind: internal-transactions
    of: vault
    every: 1s
    notify: [hook, post]
    alerts:
      - { id: failed, on: new, if: success == false, text: '{{ error }}' }
`;

interface Body {
  readonly data: { readonly id: string; readonly text: string };
}

test('kill -9 in a loop: every event arrives at least once, and a copy has the id of its original', async () => {
  const sandbox = createSandbox({ seed: 1, blockTimeMs: 'manual', clock: systemClock, quiet: true });
  const served = await serveSandbox(sandbox);
  await using hook = await createWebhookSink();
  await using post = await createSmtpSink();
  using folder = createFolder({
    'rules.yaml': RULES,
    'config.yaml': `
explorers: { chain: { form: instance, instance_url: '${served.url}' } }
addresses: { vault: ${sandbox.addresses.vault} }
channels:
  hook: { type: webhook, url: '${hook.origin}/alerts', allow: [127.0.0.0/8] }
  post: { type: email, from: a@example.com, to: [b@example.com], smtp: '${post.url}', allow: [127.0.0.0/8], cap: { per_hour: 1000, burst: 1000 } }
routes: [{ group_interval: 1s }]
self: none
http: { listen: 127.0.0.1:0 }
rules: [rules.yaml]
`,
  });
  const sent: string[] = [];
  const happen = (count: number): void => {
    for (let i = 0; i < count; i += 1) {
      sandbox.mine();
      sent.push(`event-${sent.length}`);
      sandbox.failCall({ to: 'vault', reason: `event-${sent.length - 1}` });
    }
  };

  await liveUntilBaseline(folder.path);
  for (let life = 0; life < KILLS; life += 1) {
    happen(EVENTS_PER_LIFE);
    await using daemon = start(['run'], folder.path);
    // The process dies while a receiver holds its message: taken over, and not yet recorded as sent.
    const killed = Promise.withResolvers<undefined>();
    hook.answerNext((response) => {
      daemon.kill('SIGKILL');
      response.destroy();
      killed.resolve(undefined);
    });
    await killed.promise;
    await daemon.ended;
  }
  happen(EVENTS_PER_LIFE);
  await using daemon = start(['run'], folder.path);
  await until(() => missing(sent, hook.calls.all.map(textOf)).length === 0, hook.calls);
  await until(() => toldIn(post.mails.all) >= sent.length, post.mails);
  daemon.kill('SIGTERM');
  expect(await daemon.ended).toEqual({ code: 0, signal: null });
  await served.close();

  const idsByText = Map.groupBy(hook.calls.all, textOf);
  for (const calls of idsByText.values()) {
    expect(new Set(calls.map((call) => (JSON.parse(call.body) as Body).data.id)).size).toBe(1);
    expect(new Set(calls.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(calls.map(({ body }) => body)).size).toBe(1);
  }
  // Only what was being sent when a kill fell may come twice: four at a time on each channel.
  const copies = hook.calls.all.length - idsByText.size;
  expect(idsByText.size).toBe(sent.length);
  expect(copies).toBeLessThanOrEqual(KILLS * 4);
  expect(copies).toBeGreaterThanOrEqual(KILLS);
  expect(toldIn(post.mails.all)).toBe(sent.length);
}, 300_000);

async function liveUntilBaseline(folder: string): Promise<void> {
  await using daemon = start(['run'], folder);
  await daemon.says('watch:baseline');
  daemon.kill('SIGTERM');
  await daemon.ended;
}

/** How many events these mails tell: a copy tells nothing, and several events of one moment are one mail. */
function toldIn(mails: readonly ReceivedMail[]): number {
  const subjects = new Map(mails.map(({ parsed }) => [parsed.messageId, parsed.subject ?? '']));
  return [...subjects.values()].reduce((sum, subject) => sum + Number(/ (\d+) alerts: /.exec(subject)?.[1] ?? 1), 0);
}

function textOf({ body }: WebhookCall): string {
  return (JSON.parse(body) as Body).data.text;
}

function missing(wanted: readonly string[], got: readonly string[]): string[] {
  return wanted.filter((text) => !got.some((one) => one.includes(text)));
}

async function until(
  isDone: () => boolean,
  arrivals: { readonly all: readonly unknown[]; reached(count: number): Promise<unknown> },
): Promise<void> {
  while (!isDone()) await arrivals.reached(arrivals.all.length + 1);
}
