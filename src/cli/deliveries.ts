// Who was told what, and who was not, from the state file. It answers beside a running daemon.
import type { DeliveryMember } from '../core/model/delivery.ts';
import { headingOf } from '../core/wording/message-words.ts';
import { showDuration, showInstant, type Instant } from '../lib/clock.ts';
import { singleLine } from '../lib/untrusted.ts';
import { showRecipient } from '../rules/describe.ts';
import { openReader } from '../store/open.ts';
import type { DeliveryFilter, StoredDelivery } from '../store/outbox.ts';
import { CommandError, EXIT } from './exit.ts';
import { loadOrFail, type ConfigOption } from './load.ts';
import type { Terminal } from './terminal.ts';

export interface ListOptions extends ConfigOption {
  readonly channel?: string;
  readonly state?: NonNullable<DeliveryFilter['state']>;
  readonly limit: number;
}

/** One line each, the newest first. */
export async function list(terminal: Terminal, options: ListOptions): Promise<number> {
  const { state = null, channel = null, limit } = options;
  const { config } = loadOrFail(terminal, options.config);
  await using reader = await openReader(config.state);
  const found = await reader.deliveries({ state, channel, before: null, limit });
  const now = terminal.clock.now();
  for (const delivery of found) terminal.out(lineOf(delivery, now));
  if (found.length === 0) terminal.out('No such delivery yet.');
  return EXIT.ok;
}

/** Everything that is known of one. */
export async function show(terminal: Terminal, id: string, { config: file }: ConfigOption): Promise<number> {
  const { config } = loadOrFail(terminal, file);
  await using reader = await openReader(config.state);
  const found = await reader.delivery(id);
  if (found === null) {
    const advice = 'chainwarden deliveries list shows those that are kept: for 30 days after they ended.';
    throw new CommandError(EXIT.usage, `there is no delivery ${singleLine(id, 60)}. ${advice}`);
  }
  for (const line of linesOf(found, terminal.clock.now())) terminal.out(line);
  return EXIT.ok;
}

/** `2026-01-01T00:00:00Z given up  webhook ops: treasury is low (firing) after 3 tries: 410 Gone  aaaa…` */
function lineOf(delivery: StoredDelivery, now: Instant): string {
  const { id, at } = delivery;
  const words = [
    WORDS[delivery.state],
    `to ${showRecipient(delivery)}:`,
    whatOf(delivery),
    `- ${progressOf(delivery, now)}`,
  ];
  return `${showInstant(at)}  ${words.join(' ')}  ${id}`;
}

function linesOf(delivery: StoredDelivery, now: Instant): string[] {
  const { id, members, more, at, settledAt, outcome } = delivery;
  return [
    `${id}  ${WORDS[delivery.state]}`,
    ...(delivery.kind === 'news' ? [] : [`  kind:     ${delivery.kind.replace('_', ' ')}`]),
    ...members.flatMap((member) => [
      `  message:  ${headingWithTransition(member)}`,
      `  alert:    ${member.message.watch}/${member.message.alert}, ${member.message.severity}, ${singleLine(member.message.rule)}`,
    ]),
    ...more.map(({ watch, alert, count }) => `  message:  ${count} more of ${watch}/${alert}`),
    `  to:       ${showRecipient(delivery)}`,
    `  decided:  ${showInstant(at)}`,
    `  tries:    ${triesOf(delivery)}${nextOf(delivery, now)}`,
    ...(settledAt === null ? [] : [`  ended:    ${showInstant(settledAt)}`]),
    ...(outcome === null ? [] : [`  answer:   ${singleLine([outcome.type, outcome.text].filter(Boolean).join(': '))}`]),
  ];
}

const WORDS: Readonly<Record<StoredDelivery['state'], string>> = {
  due: 'owed',
  sending: 'being sent',
  sent: 'sent',
  dead: 'given up',
  merged: 'said in a later one',
  cancelled: 'cancelled',
  parked: 'parked',
};

/** `treasury is low (firing) and 3 more` */
function whatOf({ members, more }: StoredDelivery): string {
  const others = members.length - 1 + more.reduce((sum, { count }) => sum + count, 0);
  return `${headingWithTransition(members[0])}${others === 0 ? '' : ` and ${others} more`}`;
}

function headingWithTransition({ message }: DeliveryMember): string {
  return `${singleLine(headingOf(message))} (${message.type.replace('alert.', '')})`;
}

/** `3 tries: 503 busy; next in 1m30s` */
function progressOf(delivery: StoredDelivery, now: Instant): string {
  const answer = delivery.outcome?.text ?? '';
  return `${triesOf(delivery)}${answer === '' ? '' : `: ${singleLine(answer)}`}${nextOf(delivery, now)}`;
}

function triesOf({ attempt }: StoredDelivery): string {
  if (attempt === 0) return 'not tried yet';
  return attempt === 1 ? 'one try' : `${attempt} tries`;
}

function nextOf({ state, attempt, dueAt }: StoredDelivery, now: Instant): string {
  if (state !== 'due' || attempt === 0) return '';
  return `; next ${dueAt <= now ? 'now' : `in ${showDuration(dueAt - now)}`}`;
}
