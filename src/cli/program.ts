// The commands and their options. Each command is a file of its own, loaded when it is called.
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { StorageError, StoreBusyError } from '../store/store.ts';
import { WebError } from '../web/server.ts';
import { CommandError, EXIT } from './exit.ts';
import type { ExplorerOptions } from './explorer.ts';
import type { PlanOptions } from './plan.ts';
import type { RunOptions } from './run.ts';
import type { Terminal } from './terminal.ts';
import type { TestOptions } from './test.ts';
import { readVersion } from './version.ts';

const CONFIG = ['-c, --config <file>', 'the config file', 'config.yaml'] as const;

interface ConfigOption {
  readonly config: string;
}

/** Runs the command that argv names; resolves with the exit code when all was said. Never rejects. */
export async function main(terminal: Terminal): Promise<number> {
  let code: number = EXIT.ok;
  const program = createProgram(terminal, (ended) => {
    code = ended;
  });
  try {
    await program.parseAsync(terminal.argv, { from: 'user' });
    return code;
  } catch (error) {
    return explain(terminal, error);
  } finally {
    await terminal.flushed();
  }
}

function createProgram(terminal: Terminal, end: (code: number) => void): Command {
  const program = new Command('chainwarden')
    .description('Watches blockchains through an explorer, and tells you by mail and webhook. Rules are YAML.')
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
    .showHelpAfterError('(--help says what is possible)');

  program
    .command('run')
    .description('run the daemon until it is told to stop (SIGTERM); SIGHUP reloads config and rules')
    .option(...CONFIG)
    .option('--dry', 'do everything but send, with a memory that ends with the process', false)
    .addOption(
      new Option('--log-level <level>', 'least important lines shown')
        .choices(['debug', 'info', 'warn', 'error'])
        .default('info'),
    )
    .addOption(
      new Option('--log-format <format>', 'of the log on standard error; text on a terminal').choices(['json', 'text']),
    )
    .action(async (options: RunOptions) => {
      end(await (await import('./run.ts')).run(terminal, options));
    });

  program
    .command('check')
    .description('check config and rules; one line per watch: what it asks, how often, what it costs')
    .option(...CONFIG)
    .action(async (options: ConfigOption) => {
      end((await import('./check.ts')).check(terminal, options));
    });

  program
    .command('test [paths...]')
    .description('run the tests beside the rules (*.test.yaml), of the directory rules when none is named')
    .option('--only <text>', 'only tests that have this in their name')
    .option('--junit <file>', 'write the results as JUnit XML too')
    .action(async (paths: readonly string[], options: TestOptions) => {
      end(await (await import('./test.ts')).test(terminal, paths, options));
    });

  program
    .command('status')
    .description('what the state file knows: watches, alerts, deliveries; also while the daemon runs')
    .option(...CONFIG)
    .action(async (options: ConfigOption) => {
      end(await (await import('./status.ts')).status(terminal, options));
    });

  program
    .command('plan')
    .description('what a changed config would change: watches, alerts that open or close, people, credits a day')
    .option(...CONFIG)
    .option('--against <file>', 'compare with this config, instead of what the daemon runs')
    .action(async (options: PlanOptions) => {
      end(await (await import('./plan.ts')).plan(terminal, options));
    });

  program
    .command('explain <watch>')
    .description('why the alerts of a watch (id, id[label] or id/alert) fire or do not, from what was last looked at')
    .option(...CONFIG)
    .action(async (watch: string, options: ConfigOption) => {
      end(await (await import('./explain.ts')).explain(terminal, watch, options));
    });

  program
    .command('explorer')
    .description('serve the sandbox explorer on its own: a simulated chain behind both forms of the API')
    .option('-p, --port <port>', 'port on 127.0.0.1', toPort, 4000)
    .option('--seed <number>', 'the same seed is the same chain', toWhole, 7)
    .addOption(new Option('--block-time <time>', 'from block to block, or manual').default('2s'))
    .option('--control', 'serve /control/... too, which mines, moves, fails and flags on demand', false)
    .action(async (options: ExplorerOptions) => {
      end(await (await import('./explorer.ts')).explorer(terminal, options));
    });

  const notify = program.command('notify').description('channels');
  notify
    .command('test <channel>')
    .description('send a sample alert through a channel and print what the other side answered')
    .option(...CONFIG)
    .action(async (channel: string, options: ConfigOption) => {
      end(await (await import('./notify-test.ts')).notifyTest(terminal, channel, options));
    });

  program
    .command('schema')
    .description(
      'write rules.schema.json, rules-test.schema.json and config.schema.json, by which editors complete and check',
    )
    .option('-o, --out <directory>', 'where to', '.')
    .action(async (options: { readonly out: string }) => {
      end((await import('./schema.ts')).schema(terminal, options));
    });

  return program;
}

function toPort(text: string): number {
  const port = toWhole(text);
  if (port > 65_535) throw new InvalidArgumentError('A port is at most 65535.');
  return port;
}

function toWhole(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('A whole number is needed.');
  return Number(text);
}

function explain(terminal: Terminal, error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  const known = codeOf(error);
  const text = error instanceof Error ? error.message : String(error);
  if (known !== null) terminal.err(`chainwarden: ${text}\n`);
  else terminal.err(`chainwarden: a defect: ${error instanceof Error ? (error.stack ?? text) : text}\n`);
  return known ?? EXIT.bug;
}

function codeOf(error: unknown): number | null {
  if (error instanceof CommandError) return error.code;
  if (error instanceof StoreBusyError) return EXIT.busy;
  if (error instanceof StorageError) return EXIT.storage;
  if (error instanceof WebError) return EXIT.config;
  return null;
}
