import { openApp } from '../app/app.ts';
import { secretsOf } from '../config/config.ts';
import { createRuleCache } from '../rules/cache.ts';
import { describeWatches } from '../rules/describe.ts';
import { createLog, type LogLevel } from '../telemetry/logger.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { EXIT } from './exit.ts';
import { loadOrFail } from './load.ts';
import type { Terminal } from './terminal.ts';
import { readVersion } from './version.ts';

export interface RunOptions {
  readonly config: string;
  readonly dry: boolean;
  readonly logLevel: LogLevel;
  readonly logFormat?: 'json' | 'text';
}

/** Runs the daemon. The first signal stops it within ten seconds, the second at once: nothing unsent is lost. */
export async function run(terminal: Terminal, options: RunOptions): Promise<number> {
  const { clock, env, pid, versions } = terminal;
  const version = readVersion();
  const cache = createRuleCache();
  const setup = loadOrFail({ ...terminal, cache }, options.config);
  const metrics = createMetrics({ clock, process: terminal.facts });
  metrics.buildInfo({ version, ...versions });
  const onDropped = (lines: number): void => {
    metrics.logDropped(lines);
  };
  terminal.waitForNobody(onDropped);
  const log = createLog({
    level: options.logLevel,
    format: options.logFormat ?? (terminal.isInteractive ? 'text' : 'json'),
    clock,
    write: (line) => {
      terminal.err(line);
    },
    secrets: secretsOf(setup.config),
    onDropped,
  });
  const app = await openApp({
    configFile: options.config,
    setup,
    env,
    cache,
    readFile: (path) => terminal.readFile(path),
    clock,
    log,
    metrics,
    print: (line) => {
      terminal.out(line);
    },
    version,
    owner: `pid ${pid}`,
    isDry: options.dry,
  });
  const stop = stopOnSignal(terminal);
  terminal.onSignal('SIGHUP', () => {
    app.reload();
  });
  for (const line of describeWatches(setup.watches, setup.config).lines) log.info('watching', { what: line });
  log.info('daemon:started', {
    version,
    pid,
    watches: setup.watches.length,
    metrics: `${app.url}/metrics`,
    hint: hintFor(setup.config.rules, options),
  });
  await app.run(stop);
  log.info('daemon:stopped');
  return EXIT.ok;
}

function hintFor(rules: readonly string[], { dry }: RunOptions): string {
  return `${dry ? 'dry run: nothing is sent; ' : ''}edit ${rules.join(', ')}: a change takes effect when it is saved`;
}

function stopOnSignal(terminal: Terminal): AbortSignal {
  const stop = new AbortController();
  const onSignal = (): void => {
    if (stop.signal.aborted) terminal.exit(EXIT.ok);
    stop.abort();
  };
  terminal.onSignal('SIGTERM', onSignal);
  terminal.onSignal('SIGINT', onSignal);
  return stop.signal;
}
