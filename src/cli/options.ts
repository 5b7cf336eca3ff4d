// Options that several commands share, and how their texts are read.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../lib/durations.ts';
import type { Terminal } from './terminal.ts';

/** The program to which commands are added, with their tools. */
export interface Registry {
  readonly program: Command;
  readonly terminal: Terminal;
  /** Called with the exit code of the command. */
  readonly end: (code: number) => void;
}

export const CONFIG = ['-c, --config <file>', 'the config file', 'config.yaml'] as const;

/** Adds the options of a command that changes something in a running daemon. */
export function onDaemon(command: Command): Command {
  return command
    .option(...CONFIG)
    .option(
      '--url <address>',
      'the address of the daemon, in place of the one in the config; CHAINWARDEN_TOKEN has your token',
    )
    .option('--as <name>', 'the name of the operator for the journal, as local:NAME; your login name without it')
    .addOption(new Option('--key <key>', 'of a call whose answer was lost: it is not done twice').hideHelp());
}

export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

export function logLevel(): Option {
  return new Option('--log-level <level>', 'least important lines shown; info without it').choices([
    'debug',
    'info',
    'warn',
    'error',
  ]);
}

export function logFormat(): Option {
  const meaning = 'of the log on standard error; text on a terminal';
  return new Option('--log-format <format>', meaning).choices(['json', 'text']);
}

export function toDuration(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined || ms === 0) throw new InvalidArgumentError('A duration is needed, such as 30m, 24h or 7d.');
  return ms;
}

export function toPort(text: string): number {
  const port = toWhole(text);
  if (port > 65_535) throw new InvalidArgumentError('A port is at most 65535.');
  return port;
}

export function toWhole(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('A whole number is needed.');
  return Number(text);
}
