// The commands, in groups. Each command has a file of its own, which is loaded only when the command is called.
import { Command, CommanderError } from 'commander';
import { addDaemonCommands } from './daemon/commands.ts';
import { EXIT, exitCodeOf } from './exit.ts';
import { addOperatorCommands } from './operators/commands.ts';
import { addRuleCommands } from './rules/commands.ts';
import { addStateCommands } from './state/commands.ts';
import type { Terminal } from './terminal.ts';
import { readVersion } from './version.ts';

/** Runs the command that argv names; resolves with the exit code when all output was written. Never rejects. */
export async function main(terminal: Terminal): Promise<number> {
  let code: number = EXIT.ok;
  const program = createProgram(terminal, (ended) => {
    code = ended;
  });
  try {
    await program.parseAsync(terminal.argv, { from: 'user' });
    return code;
  } catch (error) {
    return sayFailure(terminal, error);
  } finally {
    await terminal.flushed();
  }
}

function createProgram(terminal: Terminal, end: (code: number) => void): Command {
  const program = new Command('chainwarden')
    .description('Watches blockchains through an explorer, and notifies you by mail and webhook. Rules are YAML.')
    .version(readVersion(), '-V, --version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        terminal.out(text.trimEnd());
      },
      writeErr: (text) => {
        terminal.err(text);
      },
    })
    // Options after `silence end` belong to `end`, not to `silence`.
    .enablePositionalOptions()
    .showHelpAfterError('(--help lists the commands and options)');

  const registry = { program, terminal, end };
  program.commandsGroup('The daemon:');
  addDaemonCommands(registry);
  program.commandsGroup('Rules:');
  addRuleCommands(registry);
  program.commandsGroup('Reading the state:');
  addStateCommands(registry);
  program.commandsGroup('On call:');
  addOperatorCommands(registry);
  program.commandsGroup('');
  return program;
}

function sayFailure(terminal: Terminal, error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  const known = exitCodeOf(error);
  const text = error instanceof Error ? error.message : String(error);
  if (known !== null) terminal.err(`chainwarden: ${text}\n`);
  else terminal.err(`chainwarden: a defect: ${error instanceof Error ? (error.stack ?? text) : text}\n`);
  return known ?? EXIT.bug;
}
