// Retries messages, or dismisses those that were given up, through the API of the daemon.
import { singleLine } from '../../lib/untrusted.ts';
import { retryChannel } from '../../operators/channels.ts';
import { dismissDelivery, retryDelivery } from '../../operators/deliveries.ts';
import { dismissGivenUp, retryGivenUp } from '../../operators/given-up.ts';
import { createClient } from './client.ts';
import type { DaemonAddress } from './daemon-place.ts';
import { CommandError, EXIT } from '../exit.ts';
import type { Terminal } from '../terminal.ts';

export interface RetryOptions extends DaemonAddress {
  readonly channel?: string;
}

export interface GivenUpOptions extends RetryOptions {
  readonly givenUp?: boolean;
}

/** Retries one delivery that was given up, all of them, or all that wait on a channel. */
export async function retry(terminal: Terminal, id: string | undefined, options: GivenUpOptions): Promise<number> {
  if (id === undefined && options.givenUp === true) return changeAll(terminal, retryGivenUp, options);
  if ((id === undefined) === (options.channel === undefined))
    throw new CommandError(EXIT.usage, 'Name a delivery, or a channel with --channel, or --given-up.');
  const client = createClient(terminal, options);
  if (options.channel !== undefined) {
    const answer = await client.act(retryChannel, { name: options.channel }, {});
    const waiting = answer.deliveries === 1 ? 'one message that waited' : `${answer.deliveries} messages that waited`;
    terminal.out(`${singleLine(answer.channel)}: sends again; ${waiting} for the next try, due now.`);
    return EXIT.ok;
  }
  const answer = await client.act(retryDelivery, { id: id ?? '' }, {});
  terminal.out(`${answer.id}: due again, to ${toOf(answer)}, under the same id. How it goes says:`);
  terminal.out(`chainwarden deliveries show ${answer.id}`);
  return EXIT.ok;
}

async function changeAll(terminal: Terminal, change: typeof retryGivenUp, options: GivenUpOptions): Promise<number> {
  const { channel } = options;
  const answer = await createClient(terminal, options).act(change, {}, channel === undefined ? {} : { channel });
  const how = change === retryGivenUp ? 'due again' : 'dismissed';
  for (const one of answer.channels) terminal.out(`${singleLine(one.channel)}: ${one.deliveries} ${how}.`);
  if (answer.left > 0)
    terminal.out(`${answer.left} stay given up: a later message arrived, the alert is over, or repeat the command.`);
  return EXIT.ok;
}

/** Dismisses one delivery that was given up, or all: a person has seen them. */
export async function dismiss(terminal: Terminal, id: string | undefined, options: GivenUpOptions): Promise<number> {
  if (id === undefined && options.givenUp === true) return changeAll(terminal, dismissGivenUp, options);
  if (id === undefined || options.channel !== undefined)
    throw new CommandError(EXIT.usage, 'Name a delivery, or --given-up for all, or those of one --channel.');
  const client = createClient(terminal, options);
  const answer = await client.act(dismissDelivery, { id }, {});
  terminal.out(`${answer.id}: dismissed, to ${toOf(answer)}. It is sent no more, and status counts it no more.`);
  return EXIT.ok;
}

function toOf({ channel, recipient }: { readonly channel: string; readonly recipient: string }): string {
  return channel === recipient ? singleLine(channel) : `${singleLine(channel)} (${singleLine(recipient)})`;
}
