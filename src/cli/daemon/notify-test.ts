// Sends a sample through one channel, without a daemon.
import type { Channel } from '../../config/model.ts';
import { ONLY_TRY, sampleFor, sampleRecipients } from '../../notifiers/sample.ts';
import { CommandError, EXIT } from '../exit.ts';
import { configOrFail, type ConfigOption } from '../load.ts';
import type { Terminal } from '../terminal.ts';
import { readVersion } from '../version.ts';

/** Sends a sample to every recipient of a channel and prints the answers. Nothing is stored or repeated. */
export async function notifyTest(terminal: Terminal, name: string, { config: file }: ConfigOption): Promise<number> {
  const config = configOrFail(terminal, file);
  const channel = config.channels.get(name);
  if (channel === undefined) {
    const known = [...config.channels.keys()].join(', ');
    throw new CommandError(EXIT.usage, `there is no channel "${name}" in ${file}. Possible: ${known}.`);
  }
  if (channel.missing.length > 0)
    throw new CommandError(EXIT.config, channel.missing.map(({ message }) => message).join('\n'));
  return send(terminal, channel);
}

async function send(terminal: Terminal, channel: Channel): Promise<number> {
  const { name, notifier, to } = channel;
  const { clock } = terminal;
  const print = (line: string): Promise<void> => terminal.print(line);
  await using sender = notifier.open(to, { channel: name, clock, print, version: readVersion() });
  let failed = 0;
  for (const recipient of sampleRecipients(channel)) {
    const outcome = await sender.send(sampleFor(name, recipient, clock.now()), ONLY_TRY, new AbortController().signal);
    if (outcome.type !== 'sent') failed += 1;
    terminal.out(`${recipient}: ${outcome.type === 'sent' ? `sent: ${outcome.answer}` : `not sent: ${outcome.why}`}`);
  }
  return failed === 0 ? EXIT.ok : EXIT.problems;
}
