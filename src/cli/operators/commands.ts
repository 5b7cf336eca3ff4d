// The commands for people on call. Changes are made through the running daemon, since only the daemon changes its
// state.
import { Option } from 'commander';
import type { ConfigOption } from '../load.ts';
import { CONFIG, onDaemon, toWhole, type Registry } from '../options.ts';
import type { AckOptions } from './ack.ts';
import type { DaemonAddress } from './daemon-place.ts';
import type { DeliveryListOptions } from './deliveries.ts';
import type { GivenUpOptions } from './deliveries-retry.ts';
import type { PauseOptions } from './pause.ts';
import type { ExtendOptions, SilenceListOptions, SilenceOptions } from './silence.ts';

export function addOperatorCommands(registry: Registry): void {
  addOpen(registry);
  addPauses(registry);
  addSilences(registry);
  addAcks(registry);
  addDeliveries(registry);
  addSessions(registry);
}

function addOpen({ program, terminal, end }: Registry): void {
  program
    .command('open')
    .description('print a link that enters the page of the daemon on this machine; it works once, for a minute')
    .option(...CONFIG)
    .option('--url <address>', 'the address of the daemon, in place of the one in the config')
    .action(async (options: Pick<DaemonAddress, 'config' | 'url'>) => {
      end(await (await import('./open.ts')).open(terminal, options));
    });
}

function addPauses({ program, terminal, end }: Registry): void {
  onDaemon(program.command('pause <watch>'))
    .description('have a watch (id or id[label]) not polled for a while; its alerts stay as they are')
    .option('--for <duration>', 'a duration, such as 2h; at most 30d')
    .option('--until <time>', 'until then, such as 18:00 (UTC) or 2026-01-31T18:00Z')
    .option('-m, --comment <text>', 'why, for the others', 'paused on the command line')
    .action(async (watch: string, options: PauseOptions) => {
      end(await (await import('./pause.ts')).pause(terminal, watch, options));
    });

  onDaemon(program.command('resume <watch>'))
    .description('end the pause of a watch: it is polled at once')
    .action(async (watch: string, options: DaemonAddress) => {
      end(await (await import('./pause.ts')).resume(terminal, watch, options));
    });
}

function addSilences({ program, terminal, end }: Registry): void {
  const silence = onDaemon(program.command('silence'))
    .enablePositionalOptions()
    .description('silence alerts by their labels; says first which they are')
    .argument('<matchers...>', 'such as watch=treasury or severity!=info; * is any text, a,b is any of them')
    .option('--for <duration>', 'a duration, such as 2h; at most 30d')
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
    .action(async (id: string, options: DaemonAddress) => {
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
    .action(async (options: SilenceListOptions) => {
      end(await (await import('./silence.ts')).listSilences(terminal, options));
    });
}

function addAcks({ program, terminal, end }: Registry): void {
  onDaemon(program.command('ack <alert>'))
    .description('acknowledge what is open of an alert (id/alert, id[label]/alert) or of a watch')
    .option('--for <duration>', 'how long, such as 1h; 24h without it, and at most')
    .option('--until <time>', 'until then, such as 18:00 (UTC)')
    .option('-m, --comment <text>', 'for the others')
    .option('--replace', 'put it in the place of an acknowledgement that stands')
    .action(async (alert: string, options: AckOptions) => {
      end(await (await import('./ack.ts')).ack(terminal, alert, options));
    });
  onDaemon(program.command('unack <alert>'))
    .description('take an acknowledgement back')
    .action(async (alert: string, options: DaemonAddress) => {
      end(await (await import('./ack.ts')).unack(terminal, alert, options));
    });
}

function addDeliveries({ program, terminal, end }: Registry): void {
  const deliveries = program.command('deliveries').description('messages and their recipients');
  deliveries
    .command('list', { isDefault: true })
    .description('messages that were sent, are still to be sent, or were given up; the newest first')
    .option(...CONFIG)
    .option('--channel <name>', 'only messages of this channel')
    .addOption(new Option('--state <state>', 'only messages in this state').choices(['owed', 'given-up', 'sent']))
    .option('--limit <number>', 'the greatest number of messages', toWhole, 20)
    .action(async (options: DeliveryListOptions) => {
      end(await (await import('./deliveries.ts')).list(terminal, options));
    });
  deliveries
    .command('show <id>')
    .description('one delivery: its message, its tries, and the answers of the server')
    .option(...CONFIG)
    .action(async (id: string, options: ConfigOption) => {
      end(await (await import('./deliveries.ts')).show(terminal, id, options));
    });

  onDaemon(deliveries.command('retry [id]'))
    .description('have one that was given up tried again under its id, or with --channel all that wait there')
    .option('--channel <name>', 'whatever waits on this channel, also where its receiver said that it is gone')
    .option('--given-up', 'all that were given up, or with --channel those of the channel')
    .action(async (id: string | undefined, options: GivenUpOptions) => {
      end(await (await import('./deliveries-retry.ts')).retry(terminal, id, options));
    });
  onDaemon(deliveries.command('dismiss [id]'))
    .description('count one that was given up no more, or with --given-up all: somebody has looked at them')
    .option('--channel <name>', 'with --given-up: those of this channel')
    .option('--given-up', 'all that were given up')
    .action(async (id: string | undefined, options: GivenUpOptions) => {
      end(await (await import('./deliveries-retry.ts')).dismiss(terminal, id, options));
    });
}

function addSessions({ program, end, terminal }: Registry): void {
  const sessions = program.command('sessions').description('sessions of the page');
  onDaemon(sessions.command('end'))
    .description('end those of everybody at once; tokens stay valid')
    .action(async (options: DaemonAddress) => {
      end(await (await import('./sessions.ts')).endSessions(terminal, options));
    });
}
