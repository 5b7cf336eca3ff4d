import { idOf } from '../../core/model/identity.ts';
import { newsOf, type Attempt, type Delivery, type Message } from '../../core/model/delivery.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Channel } from '../../config/model.ts';
import { CommandError, EXIT } from '../exit.ts';
import { loadOrFail, type ConfigOption } from '../load.ts';
import type { Terminal } from '../terminal.ts';
import { readVersion } from '../version.ts';

/** Sends a sample to every recipient of a channel and prints what was answered. Nothing is stored or repeated. */
export async function notifyTest(terminal: Terminal, name: string, { config: file }: ConfigOption): Promise<number> {
  const { config } = loadOrFail(terminal, file);
  const channel = config.channels.get(name);
  if (channel === undefined) {
    const known = [...config.channels.keys()].join(', ');
    throw new CommandError(EXIT.usage, `there is no channel "${name}" in ${file}. Possible: ${known}.`);
  }
  if (channel.missing.length > 0)
    throw new CommandError(EXIT.config, channel.missing.map(({ message }) => message).join('\n'));
  return send(terminal, channel);
}

async function send(terminal: Terminal, { name, notifier, to }: Channel): Promise<number> {
  const { clock } = terminal;
  const print = (line: string): Promise<void> => terminal.print(line);
  await using sender = notifier.open(to, { channel: name, clock, print, version: readVersion() });
  let failed = 0;
  // A receiver that keeps its own state of alerts has no recipients.
  const recipients = notifier.mirror === undefined ? notifier.recipients(to, name) : [name];
  for (const recipient of recipients) {
    const outcome = await sender.send(sampleFor(name, recipient, clock.now()), ONLY_TRY, new AbortController().signal);
    if (outcome.type !== 'sent') failed += 1;
    terminal.out(`${recipient}: ${outcome.type}: ${outcome.type === 'sent' ? outcome.answer : outcome.why}`);
  }
  return failed === 0 ? EXIT.ok : EXIT.problems;
}

const ONLY_TRY: Attempt = { number: 1, maybeCopy: false, receipt: null };

function sampleFor(channel: string, recipient: string, at: Instant): Delivery {
  const message: Message = {
    type: 'alert.event',
    at,
    key: idOf('sample', at),
    episode: 1,
    seq: 1,
    watch: 'sample',
    alert: 'notify-test',
    kind: 'sample',
    severity: 'info',
    explorer: 'none',
    chainId: null,
    of: null,
    token: null,
    title: 'A test from Chainwarden',
    detail: null,
    measured: null,
    lines: [],
    runbook: null,
    text: [{ text: `If you read this, the channel ${channel} works. Nothing happened on any chain.` }],
    condition: 'chainwarden notify test',
    rule: 'no rule',
    observedAt: at,
    since: at,
    resolvedAt: null,
    reason: null,
    late: false,
    fields: { value: { text: '1234.5' } },
    before: {},
    links: [],
    summary: null,
  };
  const id = idOf('sample', channel, recipient, at);
  return { id, channel, recipient, kind: 'news', at, members: [newsOf(message)], more: [] };
}
