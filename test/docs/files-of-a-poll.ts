// `npm run poll-files`: counts the source files that run between the due time of a poll and the answer of the webhook
// that it leads to: one watch of a balance, SQLite, a warm daemon that nobody reads. V8 counts the functions that ran;
// the bodies of modules are left out. The result is the poll of the median of five.
import { RUNTIME_FLAGS } from '../../src/cli/runtime-flags.ts';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { serveSandbox } from '../../src/sandbox/server.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { z } from 'zod';
import { createFolder, start } from '../support/daemon.ts';
import { createWebhookSink } from '../support/sinks.ts';

const WARM_UP = 5;
const MEASURED = 5;

const coverage = z.object({
  result: z.array(
    z.object({
      url: z.string(),
      functions: z.array(
        z.object({
          functionName: z.string(),
          ranges: z.array(z.object({ startOffset: z.number(), count: z.number() })).min(1),
        }),
      ),
    }),
  ),
});

/** Calls the inspector of the process at `url`. */
async function createInspector(url: string): Promise<(method: string, params?: object) => Promise<unknown>> {
  const socket = new WebSocket(url);
  const waiting = new Map<number, (result: unknown) => void>();
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = z.object({ id: z.number(), result: z.unknown() }).parse(JSON.parse(String(data)));
    waiting.get(id)?.(result);
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', reject);
  });
  let calls = 0;
  return (method, params = {}) =>
    new Promise((resolve) => {
      calls += 1;
      waiting.set(calls, resolve);
      socket.send(JSON.stringify({ id: calls, method, params }));
    });
}

/** The files with a function that ran, module bodies apart. */
function filesIn(taken: unknown): string[] {
  const ran = coverage.parse(taken).result.filter(
    ({ url, functions }) =>
      url.includes('/src/') &&
      functions.some(({ functionName, ranges: [first] }) => {
        const isModule = functionName === '' && first?.startOffset === 0;
        return !isModule && (first?.count ?? 0) > 0;
      }),
  );
  return ran.map(({ url }) => url.slice(url.lastIndexOf('/src/') + 1)).toSorted();
}

const sandbox = createSandbox({ seed: 1, blockTimeMs: 'manual', clock: systemClock, quiet: true });
const served = await serveSandbox(sandbox);
await using hook = await createWebhookSink();
using folder = createFolder({
  'rules/a.yaml': `
watches:
  - { id: coins, kind: balance, of: treasury, every: 2s, alerts: [{ id: any, on: changed }] }
`,
  'config.yaml': `
explorers: { chain: { form: instance, instance_url: '${served.url}' } }
addresses: { treasury: ${sandbox.addresses.treasury} }
channels: { hook: { type: webhook, url: '${hook.origin}', allow: [127.0.0.0/8] } }
self: none
http: { listen: 127.0.0.1:0 }
rules: [rules/*.yaml]
`,
});
await using daemon = start(['run'], folder.path, {
  NODE_OPTIONS: ['--inspect=127.0.0.1:0', ...RUNTIME_FLAGS].join(' '),
});
const [url = ''] = /ws:\/\/\S+/.exec(await daemon.says('Debugger listening on ')) ?? [];
const inspect = await createInspector(url);
await inspect('Profiler.enable');
await daemon.says('watch:baseline');
await inspect('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
const found: string[][] = [];
for (let n = 0; n < WARM_UP + MEASURED; n += 1) {
  // The message before is settled by then, and the next poll is due a second later.
  await systemClock.sleep(1000);
  await inspect('Profiler.takePreciseCoverage');
  sandbox.setBalance({ address: 'treasury', value: BigInt(n + 1) * 10n ** 18n });
  sandbox.mine();
  await hook.calls.reached(n + 1);
  const files = filesIn(await inspect('Profiler.takePreciseCoverage'));
  if (n >= WARM_UP) found.push(files);
}
found.sort((a, b) => a.length - b.length);
const median = found[Math.floor(MEASURED / 2)] ?? [];
for (const file of median) process.stdout.write(`${file}\n`);
process.stdout.write(`${median.length} files (${found.map(({ length }) => length).join(', ')})\n`);
await served[Symbol.asyncDispose]();
