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

// This file is one recording that the user asked for, so no poll is dropped because of its age or the size of the file.
const BOUNDS = { keepMs: Number.MAX_SAFE_INTEGER, maxBytes: Number.MAX_SAFE_INTEGER };

/** Polls like a dry run, with its own empty memory, and records the answers. Sends nothing. */
export async function record(command: Terminal, options: RecordOptions): Promise<number> {
  // A daemon of the same config may run and use the port, so this one takes any free port.
  const terminal = { ...command, env: { ...command.env, CHAINWARDEN_LISTEN: '127.0.0.1:0' } };
  const loaded = loadToRun(terminal, options.config);
  const file = resolve(options.out);
  // The polls start from an empty memory, so they cannot continue another recording.
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
