// The commands that run the daemon, and the commands that help to try it.
import { Option } from 'commander';
import { RELEASES } from '../../sandbox/releases/release.ts';
import type { InitOptions } from '../init/init.ts';
import type { ConfigOption } from '../load.ts';
import { CONFIG, collect, logFormat, logLevel, toDuration, toPort, toWhole, type Registry } from '../options.ts';
import type { DaemonOptions } from './daemon.ts';
import type { SandboxCommandOptions } from './explorer.ts';
import type { RecordOptions } from './record.ts';

export function addDaemonCommands(registry: Registry): void {
  addInit(registry);
  addRun(registry);
  addRecord(registry);
  addExplorer(registry);
  addNotify(registry);
}

function addInit({ program, terminal, end }: Registry): void {
  program
    .command('init')
    .description('write a config and rules with tests for an explorer and some addresses; asks for missing options')
    .option('--explorer <url>', "the explorer's address before /api/v2 (or before the chain id), or sandbox")
    .option('--chain-id <id>', 'the id of the chain, if one address serves several chains')
    .option('--key-env <name>', 'the environment variable that holds the key')
    .option('--address <name=address>', 'an address to watch; may be given several times', collect, [])
    .option('-o, --out <folder>', 'the folder to write to', '.')
    .action(async (options: InitOptions) => {
      end(await (await import('../init/init.ts')).init(terminal, options));
    });
}

function addRun({ program, terminal, end }: Registry): void {
  program
    .command('run')
    .description('run the daemon until SIGTERM, or until its terminal is closed; SIGHUP reloads config and rules')
    .option(...CONFIG)
    .option('--dry', 'send nothing, and keep nothing after the end of the process', false)
    .addOption(logLevel())
    .addOption(logFormat())
    .action(async (options: DaemonOptions) => {
      end(await (await import('./run.ts')).run(terminal, options));
    });
}

function addRecord({ program, terminal, end }: Registry): void {
  program
    .command('record')
    .description('poll as a dry run does, send nothing, and record the answers for replay')
    .option(...CONFIG)
    .requiredOption('-o, --out <file>', 'the recording: a new file')
    .option('--for <duration>', 'a duration, such as 1h; else until a signal', toDuration)
    .addOption(logLevel())
    .addOption(logFormat())
    .action(async (options: RecordOptions) => {
      end(await (await import('./record.ts')).record(terminal, options));
    });
}

function addExplorer({ program, terminal, end }: Registry): void {
  program
    .command('explorer')
    .description('serve the sandbox explorer on its own: a simulated chain behind both forms of the API')
    .option('-p, --port <port>', 'port on 127.0.0.1', toPort, 4000)
    .option('--seed <number>', 'the same seed gives the same chain', toWhole, 7)
    .addOption(new Option('--block-time <time>', 'the time between two blocks, or manual').default('2s'))
    .addOption(
      new Option('--as <release>', 'answer as that release of an explorer, not as specified').choices([...RELEASES]),
    )
    .option('--faults', 'faults drawn by the seed: replaced blocks, late lists, rows twice or out of order', false)
    .option(
      '--plan <credits>',
      'credits of the multichain form, such as 100000/day; refuses with 402 when they are used up',
    )
    .option('--control', 'also serve /control/..., which adds blocks, transfers, failures and flags on demand', false)
    .action(async (options: SandboxCommandOptions) => {
      end(await (await import('./explorer.ts')).explorer(terminal, options));
    });
}

function addNotify({ program, terminal, end }: Registry): void {
  const notify = program.command('notify').description('try the channels');
  notify
    .command('test <channel>')
    .description('send a sample alert through a channel and print the answer of the server')
    .option(...CONFIG)
    .action(async (channel: string, options: ConfigOption) => {
      end(await (await import('./notify-test.ts')).notifyTest(terminal, channel, options));
    });
}
