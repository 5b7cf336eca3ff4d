// The parts of the process that commands use.
import { createInterface } from 'node:readline/promises';
import { userInfo } from 'node:os';
import { isatty } from 'node:tty';
import type { ReadFile } from '../config/model.ts';
import { systemClock, type Clock } from '../lib/clock.ts';
import { isReadableByAll, readRegularFile, writeRegularFile } from '../lib/files/regular-file.ts';
import type { ProcessFacts } from '../telemetry/daemon-metrics.ts';
import { createLineWriter, openNonBlocking, type LineWriter } from '../telemetry/line-writer.ts';

export interface Terminal {
  /** The arguments, without the paths of Node and of the script. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Whether a person reads standard error. */
  readonly isInteractive: boolean;
  /** Characters in a line of standard output; null: unknown. */
  readonly width: number | null;
  /** Whether the process was started on a terminal that is closed now. */
  hasLostTerminal(): boolean;
  /** The name of the person at the terminal, also behind sudo; null: unknown. */
  readonly login: string | null;
  readonly pid: number;
  readonly versions: { readonly node: string; readonly sqlite: string };
  readonly facts: ProcessFacts;
  /** Prints a line of the results on standard output. */
  out(line: string): void;
  /**
   * Prints an alert on standard output. Resolves when it was written, so it waits as long as nobody reads the output.
   */
  readonly print: (line: string) => Promise<void>;
  /** Prints problems and the log on standard error. `text` ends with a line feed. */
  err(text: string): void;
  /**
   * Makes `err` non-blocking: lines that nobody reads in time are dropped and counted. A daemon needs this, since a
   * full pipe must neither stop it nor fill its memory.
   */
  waitForNobody(onDropped: (lines: number) => void): void;
  /** Resolves when the text given to `err` was written, or after a limit. To be awaited before the process ends. */
  flushed(): Promise<void>;
  readonly readFile: ReadFile;
  readonly isReadableByAll: (path: string) => boolean;
  writeFile(path: string, text: string): void;
  /** Asks for one line of standard input; null if input or output is no terminal. */
  ask(question: string): Promise<string | null>;
  onSignal(name: SignalName, react: () => void): void;
  /** Calls `react` for an uncaught error, which Node would print unredacted. */
  onCrash(react: (error: unknown) => void): void;
  /** Ends the process at once. */
  exit(code: number): void;
}

export type SignalName = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

const FLUSH_BUDGET_MS = 1000;
const LARGEST_FILE = 1024 * 1024;

export function createTerminal(process: NodeJS.Process): Terminal {
  // A reader that closes the pipe (`| head`) must not end the daemon.
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);
  let writer: LineWriter | null = null;
  let printer: LineWriter | null = null;
  const open = (fd: 1 | 2, onDropped: (lines: number) => void): LineWriter => {
    const opened = createLineWriter({ fd: openNonBlocking(fd), clock: systemClock, onDropped });
    process.once('exit', () => {
      opened.close();
    });
    return opened;
  };
  const terminals = [0, 1, 2].filter(isatty);
  const startedAt = systemClock.now() - Math.round(process.uptime() * 1000);
  return {
    argv: process.argv.slice(2),
    env: process.env,
    clock: systemClock,
    isInteractive: process.stderr.isTTY,
    width: process.stdout.isTTY ? process.stdout.columns : widthIn(process.env['COLUMNS']),
    hasLostTerminal: () => terminals.length > 0 && !terminals.some(isatty),
    login: loginIn(process.env),
    pid: process.pid,
    versions: { node: process.versions.node, sqlite: process.versions['sqlite'] ?? 'unknown' },
    facts: {
      startedAt,
      cpuSeconds() {
        const { user, system } = process.cpuUsage();
        return (user + system) / 1e6;
      },
      residentBytes: () => process.memoryUsage.rss(),
    },
    out: (line) => process.stdout.write(`${line}\n`),
    err: (text) => {
      if (writer === null) process.stderr.write(text);
      else writer.write(text);
    },
    print(line) {
      printer ??= open(1, () => undefined);
      return printer.put(`${line}\n`);
    },
    waitForNobody(onDropped) {
      writer = open(2, onDropped);
    },
    async flushed() {
      await writer?.flushed(FLUSH_BUDGET_MS);
      // Waiting lines would keep the process alive for as long as the pipe is full, so they are dropped.
      writer?.close();
      printer?.close();
    },
    readFile: (path, bounds) => readRegularFile(path, { maxBytes: LARGEST_FILE, ...bounds }),
    isReadableByAll,
    writeFile: writeRegularFile,
    async ask(question) {
      if (!process.stdin.isTTY || !process.stderr.isTTY) return null;
      using lines = createInterface({ input: process.stdin, output: process.stderr });
      return await lines.question(question);
    },
    onSignal: (name, react) => process.on(name, react),
    onCrash: (react) => process.on('uncaughtException', react),
    exit: (code) => process.exit(code),
  };
}

function loginIn({ SUDO_USER }: NodeJS.ProcessEnv): string | null {
  try {
    return SUDO_USER ?? userInfo().username;
  } catch {
    return null;
  }
}

/** The width in the environment variable `COLUMNS`, which scripts and watch(1) set; null: not set or invalid. */
function widthIn(columns = ''): number | null {
  return /^\d{2,4}$/.test(columns) ? Number(columns) : null;
}
