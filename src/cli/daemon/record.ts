import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { openRecorder } from '../../recording/recorder.ts';
import { runDaemon, type DaemonOptions } from './daemon.ts';
import { CommandError, EXIT } from '../exit.ts';
import { loadToRun } from '../load.ts';
import type { Terminal } from '../terminal.ts';

export interface RecordOptions extends Omit<DaemonOptions, 'dry'> {
  readonly out: string;
  /** Milliseconds; left out = until a signal. */
  readonly for?: number;
}

// A file for this alone may have any size.
const BOUNDS = { keepMs: Number.MAX_SAFE_INTEGER, maxBytes: Number.MAX_SAFE_INTEGER };

/** Polls as a dry run does, with a memory of its own, and records the answers. It sends nothing. */
export async function record(command: Terminal, options: RecordOptions): Promise<number> {
  // A daemon of the same config may run, and use the port.
  const terminal = { ...command, env: { ...command.env, CHAINWARDEN_LISTEN: '127.0.0.1:0' } };
  const loaded = loadToRun(terminal, options.config);
  const file = resolve(options.out);
  // Its polls start from a blank memory, so they cannot follow those of another recording.
  if (existsSync(file)) throw new CommandError(EXIT.usage, `${options.out} exists. Name a new file with --out.`);
  const code = await runDaemon(
    terminal,
    { ...options, dry: true },
    {
      ...loaded,
      forMs: options.for ?? null,
      hint: `recording to ${options.out}; nothing is sent`,
      openRecorder: (tools) => openRecorder({ file, ...BOUNDS, ...tools }),
    },
  );
  terminal.out(`recorded to ${options.out}; chainwarden replay --config ${options.config} --recording ${options.out}`);
  return code;
}
