// Has messages tried again, or counted no more among those that were given up, through the API of the daemon.
import { singleLine } from '../../lib/untrusted.ts';
import { retryChannel } from '../../operators/channels.ts';
import { dismissDelivery, retryDelivery } from '../../operators/deliveries.ts';
import { createClient } from './client.ts';
import type { DaemonAddress } from './daemon-place.ts';
import { CommandError, EXIT } from '../exit.ts';
import type { Terminal } from '../terminal.ts';

export interface RetryOptions extends DaemonAddress {
  readonly channel?: string;
}

/** One that was given up, or all that wait on a channel. */
export async function retry(terminal: Terminal, id: string | undefined, options: RetryOptions): Promise<number> {
  if ((id === undefined) === (options.channel === undefined))
    throw new CommandError(EXIT.usage, 'Name a delivery, or a channel with --channel.');
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

/** One that was given up: somebody has looked at it. */
export async function dismiss(terminal: Terminal, id: string, options: DaemonAddress): Promise<number> {
  const client = createClient(terminal, options);
  const answer = await client.act(dismissDelivery, { id }, {});
  terminal.out(`${answer.id}: dismissed, to ${toOf(answer)}. It is sent no more, and status counts it no more.`);
  return EXIT.ok;
}

function toOf({ channel, recipient }: { readonly channel: string; readonly recipient: string }): string {
  return channel === recipient ? singleLine(channel) : `${singleLine(channel)} (${singleLine(recipient)})`;
}
