// Runs the daemon from opening its log until it ends: the common part of `run` and `record`.
import { openApp } from '../../app/app.ts';
import type { Setup } from '../../app/setup/setup.ts';
import { secretsOf } from '../../config/config.ts';
import type { Recorder, RecorderOptions } from '../../recording/recorder.ts';
import { describeReports } from '../../rules/describe-reports.ts';
import { describeWatches } from '../../rules/describe.ts';
import { createLog, type LogLevel, type SafeLog } from '../../telemetry/logger.ts';
import { createMetrics, type Metrics } from '../../telemetry/metrics.ts';
import { EXIT, exitCodeOf } from '../exit.ts';
import type { ConfigOption, Reloadable } from '../load.ts';
import { onScreen, openingLines } from './opening.ts';
import type { Terminal } from '../terminal.ts';
import { readVersion } from '../version.ts';

export interface DaemonOptions extends ConfigOption {
  readonly dry: boolean;
  readonly logLevel?: LogLevel;
  readonly logFormat?: 'json' | 'text';
}

export interface DaemonRun extends Reloadable {
  /** The daemon stops after this time; null: it stops only by a signal. */
  readonly forMs: number | null;
  readonly hint: string;
  readonly openRecorder: (tools: RecorderTools) => Recorder | null;
}

/** The tools of a recorder, without its file and its limits. */
export type RecorderTools = Pick<RecorderOptions, 'clock' | 'log'> & { readonly onFailed: () => void };

/**
 * Runs until a signal. The first signal stops the daemon within ten seconds, a second signal at once. No unsent
 * delivery is lost.
 */
export async function runDaemon(terminal: Terminal, options: DaemonOptions, daemonRun: DaemonRun): Promise<number> {
  const { clock, pid, versions } = terminal;
  const { setup, tools } = daemonRun;
  const version = readVersion();
  const metrics = createMetrics({ clock, process: terminal.facts });
  metrics.buildInfo({ version, ...versions });
  const isScreen = terminal.isInteractive && options.logLevel === undefined && options.logFormat !== 'json';
  const daemonLog = openLog(terminal, options, { setup, metrics });
  const log = isScreen ? onScreen(daemonLog) : daemonLog;
  const crash = (error: unknown): void => {
    log.error('daemon:crashed', {
      error,
      effect: 'owed deliveries are in the state, and are sent after the next start',
    });
    terminal.exit(EXIT.bug);
  };
  terminal.onCrash((error) => {
    if (!isNetworkError(error)) {
      // The error interrupted code of the daemon, perhaps in the middle of a reload, or after a commit and before the
      // memory of this process was updated. Later decisions might not fit the state file. So the process ends, and a
      // new one starts from the file.
      crash(error);
      return;
    }
    metrics.networkErrorUncaught();
    log.error('daemon:uncaught', { error, effect: 'one connection ended; the daemon continues' });
  });
  const onFailed = (): void => {
    metrics.recordingFailed();
  };
  await using recorder = daemonRun.openRecorder({ clock, log, onFailed });
  const app = await openApp({
    ...tools,
    configFile: options.config,
    setup,
    clock,
    log,
    metrics,
    print: terminal.print,
    version,
    owner: `pid ${pid}`,
    recorder,
    isDry: options.dry,
  });
  const stop = stopOnSignal(terminal);
  terminal.onSignal('SIGHUP', () => {
    // If the terminal window was closed, the daemon stops: otherwise it would run unseen and keep the port.
    if (terminal.hasLostTerminal()) stop.abort();
    else app.reload();
  });
  if (isScreen) {
    const place = { version, url: app.url, configFile: options.config, hint: daemonRun.hint };
    for (const line of openingLines(setup, place)) terminal.err(`${line}\n`);
  }
  const { lines } = describeWatches(setup.watches, setup.config);
  for (const line of [...lines, ...describeReports(setup.reports)]) log.info('watching', { what: line });
  log.info('daemon:started', {
    version,
    pid,
    watches: setup.watches.length,
    ...(setup.config.http.page.isServed && { page: `${app.url}/` }),
    metrics: `${app.url}/metrics`,
    hint: daemonRun.hint,
  });
  if (daemonRun.forMs !== null)
    void clock.sleep(daemonRun.forMs, stop.signal).then(() => {
      stop.abort();
    });
  await app.run(stop.signal).catch((error: unknown) => {
    if (exitCodeOf(error) !== null) throw error;
    crash(error);
  });
  log.info('daemon:stopped');
  return EXIT.ok;
}

// Error codes that Node gives only for sockets, name lookups, TLS, HTTP parsers and streams. Codes that files give too
// (EIO, ENOSPC, EMFILE) are not among them.
const NETWORK_CODES =
  /^(?:ECONN[A-Z]+|E(?:HOST|NET)(?:UNREACH|DOWN)|EPIPE|EPROTO|ETIMEDOUT|ENOTCONN|ENOTFOUND|EAI_[A-Z]+|HPE_[A-Z_]+|ERR_(?:HTTP2?|SOCKET|SSL|STREAM|TLS)_[A-Z0-9_/]+)$/;

/**
 * True for an error that only reports the end of a connection: `isNetworkError({ code: 'ECONNRESET' }) // true`. Node
 * emits such an error from its own callback, so it interrupts no code of the program.
 */
function isNetworkError(error: unknown): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    'code' in error &&
    typeof error.code === 'string' &&
    NETWORK_CODES.test(error.code)
  );
}

interface LogSources {
  readonly setup: Setup;
  readonly metrics: Metrics;
}

/** Opens the log of the daemon. From then on, standard error never blocks. */
function openLog(terminal: Terminal, { logLevel, logFormat }: DaemonOptions, { setup, metrics }: LogSources): SafeLog {
  const onDropped = (lines: number): void => {
    metrics.logDropped(lines);
  };
  terminal.waitForNobody(onDropped);
  return createLog({
    level: logLevel ?? 'info',
    format: logFormat ?? (terminal.isInteractive ? 'text' : 'json'),
    clock: terminal.clock,
    write: (line) => {
      terminal.err(line);
    },
    secrets: secretsOf(setup.config),
    onDropped,
  });
}

function stopOnSignal(terminal: Terminal): AbortController {
  const stop = new AbortController();
  const onSignal = (): void => {
    if (stop.signal.aborted) terminal.exit(EXIT.ok);
    stop.abort();
  };
  terminal.onSignal('SIGTERM', onSignal);
  terminal.onSignal('SIGINT', onSignal);
  return stop;
}
