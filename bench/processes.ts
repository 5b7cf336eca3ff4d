// The processes of a run: how they are started, and what the system knows of them. Reads /proc, so it needs Linux.
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { RUNTIME_FLAGS } from '../src/cli/runtime-flags.ts';
import type { BareOrder } from './bare.ts';
import type { Order, Report } from './protocol.ts';

const TICKS_PER_SECOND = 100;
const MB = 1024;

/** User and system time of all its threads, in seconds. */
export function cpuSecondsOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

export function rssMbOf(pid: number): number {
  return statusOf(pid, 'VmRSS');
}

/** The most it ever had. */
export function peakRssMbOf(pid: number): number {
  return statusOf(pid, 'VmHWM');
}

function statusOf(pid: number, field: string): number {
  const found = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(found?.[1]) / MB;
}

export interface Server {
  readonly port: number;
  send(order: Order): Promise<Report>;
  stop(): void;
}

export async function startServer(): Promise<Server> {
  const child = fork(new URL('server.ts', import.meta.url), { stdio: 'inherit' });
  const { port } = await replyOf(child);
  return {
    port,
    async send(order) {
      child.send(order);
      return replyOf(child);
    },
    stop: () => {
      child.disconnect();
    },
  };
}

async function replyOf(child: ChildProcess): Promise<Report> {
  const [reply] = (await once(child, 'message')) as [Report];
  return reply;
}

export interface Bare {
  readonly pid: number;
  stop(): void;
}

/** Polls from now on, with the V8 flags of the daemon. */
export function startBare(order: BareOrder): Bare {
  const child = fork(new URL('bare.ts', import.meta.url), { stdio: 'inherit', execArgv: [...RUNTIME_FLAGS] });
  child.send(order);
  return {
    pid: child.pid ?? 0,
    stop: () => {
      child.disconnect();
    },
  };
}

export interface Daemon {
  readonly pid: number;
  /** Resolves when it has ended. */
  stop(): Promise<void>;
}

const LOOK_EVERY_MS = 50;

/** `node dist/main.js run` in a folder with its config, as a user starts it; resolves when it polls. */
export async function startDaemon(folder: string, origin: string, nodeOptions: readonly string[]): Promise<Daemon> {
  const child = spawn(process.execPath, [...nodeOptions, resolve('dist/main.js'), 'run', '--log-format', 'json'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  showProblems(child.stderr);
  while (!(await isAlive(origin))) {
    if (child.exitCode !== null) throw new Error('the daemon ended before it polled');
    await sleep(LOOK_EVERY_MS);
  }
  return {
    pid: child.pid ?? 0,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** The log may leave out the line that says so: it waits for no reader. */
async function isAlive(origin: string): Promise<boolean> {
  const answer = await fetch(`${origin}/healthz`).catch(() => null);
  return answer?.ok === true;
}

/** Warnings and errors of a log, as they come. */
function showProblems(log: Readable): void {
  createInterface(log).on('line', (line) => {
    if (!line.includes('"level":"info"')) console.log(line);
  });
}
