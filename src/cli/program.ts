// The commands and their options. Each command is a file of its own, loaded when it is called.
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../lib/durations.ts';
import type { DaemonOptions } from './daemon.ts';
import { EXIT, exitCodeOf } from './exit.ts';
import type { ExplorerOptions } from './explorer.ts';
import type { ApiOptions } from './api/daemon.ts';
import type { ListOptions } from './deliveries.ts';
import type { RetryOptions } from './deliveries-retry.ts';
import type { ConfigOption } from './load.ts';
import type { AckOptions } from './ack.ts';
import type { PauseOptions } from './pause.ts';
import type { StatusOptions } from './status.ts';
import type { ExtendOptions, ListOptions as SilencesOptions, SilenceOptions } from './silence.ts';
import type { HistoryOptions } from './history.ts';
import type { PlanOptions } from './plan.ts';
import type { FieldsOptions } from './fields.ts';
import type { InitOptions } from './init/init.ts';
import type { RecordOptions } from './record.ts';
import type { ReplayOptions } from './replay/replay.ts';
import type { Terminal } from './terminal.ts';
import type { TestOptions } from './test.ts';
import { RELEASES } from '../sandbox/releases/release.ts';
import { readVersion } from './version.ts';

const CONFIG = ['-c, --config <file>', 'the config file', 'config.yaml'] as const;

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
    // Options behind `silence end` are its own, and not those of `silence`.
    .enablePositionalOptions()
    .showHelpAfterError('(--help says what is possible)');

  program
    .command('init')
    .description('write a config and rules with tests for an explorer and some addresses; asks for what is left out')
    .option('--explorer <url>', "the explorer's address before /api/v2 (or before the chain id), or sandbox")
    .option('--chain-id <id>', 'where one address serves several chains')
    .option('--key-env <name>', 'the environment variable that holds the key')
    .option('--address <name=address>', 'what is watched; may be given several times', collect, [])
    .option('-o, --out <folder>', 'where to', '.')
    .action(async (options: InitOptions) => {
      end(await (await import('./init/init.ts')).init(terminal, options));
    });

  program
    .command('run')
    .description('run the daemon until it is told to stop (SIGTERM); SIGHUP reloads config and rules')
    .option(...CONFIG)
    .option('--dry', 'do everything but send, with a memory that ends with the process', false)
    .addOption(logLevel())
    .addOption(logFormat())
    .action(async (options: DaemonOptions) => {
      end(await (await import('./run.ts')).run(terminal, options));
    });

  program
    .command('record')
    .description('poll as a dry run does, send nothing, and write down what is seen, for replay')
    .option(...CONFIG)
    .requiredOption('-o, --out <file>', 'the recording: a new file')
    .option('--for <duration>', 'how long, such as 1h; else until a signal', toDuration)
    .addOption(logLevel())
    .addOption(logFormat())
    .action(async (options: RecordOptions) => {
      end(await (await import('./record.ts')).record(terminal, options));
    });

  program
    .command('replay')
    .description('what rules would have said over a recording, or over what the explorers still know; sends nothing')
    .argument('[rules...]', 'rule files, instead of those of the config')
    .option(...CONFIG)
    .option('-r, --recording <file>', 'the recording; without it, the explorers are asked, back to --since')
    .option('--since <when>', 'from there on: 24h back from the end, or a time such as 2026-01-31T12:00:00Z')
    .option('--until <when>', 'up to there')
    .addOption(new Option('--format <format>', 'of the result').choices(['text', 'json']).default('text'))
    .option('--max-pages <number>', 'of one question, when an explorer is asked', toWhole, 200)
    .option('-y, --yes', 'ask the explorers, whatever it costs', false)
    .action(async (rules: string[], options: ReplayOptions) => {
      end(await (await import('./replay/replay.ts')).replay(terminal, rules, options));
    });

  program
    .command('check')
    .description(
      'check config and rules; one line per watch: what it asks, how often, what it costs; one per alert: who is told',
    )
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
    .description('what fires and whether to trust that, then what the state file knows; also while the daemon runs')
    .option(...CONFIG)
    .option('--json', 'what fires as JSON, as the API gives it')
    .action(async (options: StatusOptions) => {
      end(await (await import('./status.ts')).status(terminal, options));
    });

  onDaemon(program.command('pause <watch>'))
    .description('have a watch (id or id[label]) not polled for a while; its alerts stay as they are')
    .option('--for <duration>', 'how long, such as 2h; at most 30d')
    .option('--until <time>', 'until then, such as 18:00 (UTC) or 2026-01-31T18:00Z')
    .option('-m, --comment <text>', 'why, for the others', 'paused on the command line')
    .action(async (watch: string, options: PauseOptions) => {
      end(await (await import('./pause.ts')).pause(terminal, watch, options));
    });

  onDaemon(program.command('resume <watch>'))
    .description('end the pause of a watch: it is polled at once')
    .action(async (watch: string, options: ApiOptions) => {
      end(await (await import('./pause.ts')).resume(terminal, watch, options));
    });

  const silence = onDaemon(program.command('silence'))
    .enablePositionalOptions()
    .description('silence alerts by their labels; says first which they are')
    .argument('<matchers...>', 'such as watch=treasury or severity!=info; * is any text, a,b is any of them')
    .option('--for <duration>', 'how long, such as 2h; at most 30d')
    .option('--until <time>', 'until then, such as 18:00 (UTC) or 2026-01-31T18:00Z')
    .option('--from <time>', 'from then on, instead of now')
    .option('--until-resolved', 'end it sooner where nothing of it fires any more', false)
    .option('-m, --comment <text>', 'why, for the others')
    .option('--confirm', 'also where it is about more than half of the rules', false)
    .option('--preview', 'only say which alerts they are', false)
    .action(async (matchers: readonly string[], options: SilenceOptions) => {
      end(await (await import('./silence.ts')).silence(terminal, matchers, options));
    });
  onDaemon(silence.command('end <id>'))
    .description('end a silence')
    .action(async (id: string, options: ApiOptions) => {
      end(await (await import('./silence.ts')).endSilence(terminal, id, options));
    });
  onDaemon(silence.command('extend <id>'))
    .description('have a silence end later')
    .option('--for <duration>', 'how long from now on, such as 2h')
    .option('--until <time>', 'until then, such as 18:00 (UTC) or 2026-01-31T18:00Z')
    .action(async (id: string, options: ExtendOptions) => {
      end(await (await import('./silence.ts')).extendSilence(terminal, id, options));
    });
  silence
    .command('list')
    .description('the silences that are in force or will be; also while the daemon runs')
    .option(...CONFIG)
    .option('--json', 'a JSON object a line', false)
    .action(async (options: SilencesOptions) => {
      end(await (await import('./silence.ts')).listSilences(terminal, options));
    });

  onDaemon(program.command('ack <alert>'))
    .description('acknowledge what is open of an alert (id/alert, id[label]/alert) or of a watch')
    .option('--for <duration>', 'how long, such as 1h; 24h without it, and at most')
    .option('--until <time>', 'until then, such as 18:00 (UTC)')
    .option('-m, --comment <text>', 'for the others')
    .action(async (alert: string, options: AckOptions) => {
      end(await (await import('./ack.ts')).ack(terminal, alert, options));
    });
  onDaemon(program.command('unack <alert>'))
    .description('take an acknowledgement back')
    .action(async (alert: string, options: ApiOptions) => {
      end(await (await import('./ack.ts')).unack(terminal, alert, options));
    });

  program
    .command('open')
    .description('print a link that enters the page of the daemon on this machine; it works once, for a minute')
    .option(...CONFIG)
    .option('--url <address>', 'of the daemon, where it is not as the config says')
    .action(async (options: Pick<ApiOptions, 'config' | 'url'>) => {
      end((await import('./open.ts')).open(terminal, options));
    });

  program
    .command('history')
    .description('what was decided, told and changed, from the journal; also while the daemon runs')
    .option(...CONFIG)
    .option('--alert <name>', 'of one watch (id, id[label]) or alert (id/alert)')
    .option('--since <when>', 'from there on: 24h back, or a time such as 2026-01-31T12:00:00Z')
    .option('--limit <number>', 'the newest so many lines', toWhole, 200)
    .option('--json', 'a JSON object a line, with position and hash', false)
    .option('--verify [anchor]', 'only whether the journal is whole; an anchor is a position:hash kept elsewhere')
    .action(async (options: HistoryOptions) => {
      end(await (await import('./history.ts')).history(terminal, options));
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
    .addOption(
      new Option('--as <release>', 'answer as that release of an explorer, not as specified').choices([...RELEASES]),
    )
    .option('--faults', 'faults drawn by the seed: replaced blocks, late lists, rows twice or out of order', false)
    .option('--control', 'serve /control/... too, which mines, moves, fails and flags on demand', false)
    .action(async (options: ExplorerOptions) => {
      end(await (await import('./explorer.ts')).explorer(terminal, options));
    });

  const deliveries = program.command('deliveries').description('messages and their recipients');
  deliveries
    .command('list')
    .description('who was told what, who is still to be told, and what was given up; the newest first')
    .option(...CONFIG)
    .option('--channel <name>', 'of this channel')
    .addOption(new Option('--state <state>', 'in this state').choices(['owed', 'given-up', 'sent']))
    .option('--limit <number>', 'at most so many', toWhole, 20)
    .action(async (options: ListOptions) => {
      end(await (await import('./deliveries.ts')).list(terminal, options));
    });
  deliveries
    .command('show <id>')
    .description('one delivery: its message, its tries, and what the other side answered')
    .option(...CONFIG)
    .action(async (id: string, options: ConfigOption) => {
      end(await (await import('./deliveries.ts')).show(terminal, id, options));
    });

  onDaemon(deliveries.command('retry [id]'))
    .description('have one that was given up tried again under its id, or with --channel all that wait there')
    .option('--channel <name>', 'whatever waits on this channel, also where its receiver said that it is gone')
    .action(async (id: string | undefined, options: RetryOptions) => {
      end(await (await import('./deliveries-retry.ts')).retry(terminal, id, options));
    });
  onDaemon(deliveries.command('dismiss <id>'))
    .description('count one that was given up no more: somebody has looked at it')
    .action(async (id: string, options: ApiOptions) => {
      end(await (await import('./deliveries-retry.ts')).dismiss(terminal, id, options));
    });

  const notify = program.command('notify').description('channels');
  notify
    .command('test <channel>')
    .description('send a sample alert through a channel and print what the other side answered')
    .option(...CONFIG)
    .action(async (channel: string, options: ConfigOption) => {
      end(await (await import('./notify-test.ts')).notifyTest(terminal, channel, options));
    });

  const state = program.command('state').description('what is remembered');
  state
    .command('forget <watch>')
    .description('take what is remembered of a watch (id or id[label]) out, damaged or not: it begins anew')
    .option(...CONFIG)
    .action(async (watch: string, options: ConfigOption) => {
      end(await (await import('./state-forget.ts')).stateForget(terminal, watch, options));
    });
  state
    .command('check')
    .description('examine every page and row of the state file, or of a backup; also while the daemon runs')
    .argument('[file]', 'a backup, instead of the state file')
    .option(...CONFIG)
    .action(async (file: string | undefined, options: ConfigOption) => {
      end(await (await import('./state.ts')).stateCheck(terminal, file, options));
    });
  state
    .command('backup')
    .description('copy the state file and check the copy; also while the daemon runs')
    .argument('[file]', 'a new file; without it, one in state.backup.directory')
    .option(...CONFIG)
    .action(async (file: string | undefined, options: ConfigOption) => {
      end(await (await import('./state.ts')).stateBackup(terminal, file, options));
    });
  state
    .command('restore')
    .description('make a backup the state file, and keep the former one beside it; stop the daemon first')
    .argument('<file>', 'the backup')
    .option(...CONFIG)
    .action(async (file: string, options: ConfigOption) => {
      end(await (await import('./state.ts')).stateRestore(terminal, file, options));
    });

  program
    .command('fields')
    .description('what rules may say: the fields, events, functions and filters of a kind; without one, the kinds')
    .argument('[kind]', 'such as balance')
    .addOption(
      new Option('--format <format>', 'markdown is for documents').choices(['text', 'markdown']).default('text'),
    )
    .action(async (kind: string | undefined, options: FieldsOptions) => {
      end((await import('./fields.ts')).fields(terminal, kind, options));
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

/** A command that changes something in a daemon that runs. */
function onDaemon(command: Command): Command {
  return command
    .option(...CONFIG)
    .option('--url <address>', 'of the daemon, instead of that in the config; CHAINWARDEN_TOKEN holds your token')
    .addOption(new Option('--key <key>', 'of a call whose answer was lost: it is not done twice').hideHelp());
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

function logLevel(): Option {
  return new Option('--log-level <level>', 'least important lines shown; info without it').choices([
    'debug',
    'info',
    'warn',
    'error',
  ]);
}

function logFormat(): Option {
  const meaning = 'of the log on standard error; text on a terminal';
  return new Option('--log-format <format>', meaning).choices(['json', 'text']);
}

function toDuration(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined || ms === 0) throw new InvalidArgumentError('A duration is needed, such as 30m, 24h or 7d.');
  return ms;
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

function sayFailure(terminal: Terminal, error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  const known = exitCodeOf(error);
  const text = error instanceof Error ? error.message : String(error);
  if (known !== null) terminal.err(`chainwarden: ${text}\n`);
  else terminal.err(`chainwarden: a defect: ${error instanceof Error ? (error.stack ?? text) : text}\n`);
  return known ?? EXIT.bug;
}
