// Lists the deliveries in the state file, and shows one of them. A daemon may be running meanwhile.
import { showDuration, type Instant } from '../../lib/clock.ts';
import { singleLine } from '../../lib/untrusted.ts';
import { delivery, deliveries } from '../../query/records/deliveries.ts';
import type { DeliveryListFilter } from '../../query/shapes.ts';
import type { DeliveryDetail, DeliveryRow } from '../../query/shapes/operators.ts';
import { showRecipient } from '../../rules/describe.ts';
import { openReader } from '../../store/open.ts';
import { CommandError, EXIT } from '../exit.ts';
import { configOrFail, type ConfigOption } from '../load.ts';
import type { Terminal } from '../terminal.ts';

export interface DeliveryListOptions extends ConfigOption {
  readonly channel?: string;
  readonly state?: NonNullable<DeliveryListFilter['state']>;
  readonly limit: number;
}

/**
 * Prints one line for each delivery. Those that were given up come first, then those that are owed, then those that
 * were sent; in each group the newest comes first.
 */
export async function list(terminal: Terminal, options: DeliveryListOptions): Promise<number> {
  const { state = null, channel = null, limit } = options;
  const config = configOrFail(terminal, options.config);
  await using reader = await openReader(config.state);
  const { items } = await deliveries({ store: reader }, { state, channel, after: null, limit });
  const now = terminal.clock.now();
  for (const row of items) terminal.out(lineOf(row, now));
  if (items.length === 0) terminal.out('No such delivery yet.');
  return EXIT.ok;
}

/** Prints all facts about one delivery. */
export async function show(terminal: Terminal, id: string, { config: file }: ConfigOption): Promise<number> {
  const config = configOrFail(terminal, file);
  await using reader = await openReader(config.state);
  const found = await delivery({ store: reader }, id);
  if (found === null) {
    const advice = 'Deliveries are kept for 30 days after they ended: chainwarden deliveries list shows them.';
    throw new CommandError(EXIT.usage, `there is no delivery ${singleLine(id, 60)}. ${advice}`);
  }
  for (const line of linesOf(found, terminal.clock.now())) terminal.out(line);
  return EXIT.ok;
}

/** `2026-01-01T00:00:00Z  given up to ops: treasury is low (firing) - 3 tries: 410 Gone  aaaa…` */
function lineOf(row: DeliveryRow, now: Instant): string {
  const { id, decided_at: at, members, recipient } = row;
  const others = members === 1 ? '' : ` and ${members - 1} more`;
  const answer = recipient.answer === null || recipient.answer === '' ? '' : `: ${recipient.answer}`;
  const progress = `${triesOf(row)}${answer}${nextOf(row, now)}`;
  const what = `${WORDS[row.state]} to ${showRecipient(recipient)}: ${headingOf(row)}${others} - ${progress}`;
  return [at, what, id].join('  ');
}

function linesOf(found: DeliveryDetail, now: Instant): string[] {
  const { id, kind, messages, more, recipient, decided_at: at, ended_at: endedAt, outcome } = found;
  return [
    `${id}  ${WORDS[found.state]}`,
    ...(kind === 'news' ? [] : [`  kind:     ${kind.replace('_', ' ')}`]),
    ...messages.flatMap((message) => [
      `  message:  ${headingOf(message)}`,
      `  alert:    ${message.watch}/${message.alert}, ${message.severity}, ${message.rule}`,
    ]),
    ...more.map(({ watch, alert, count }) => `  message:  ${count} more of ${watch}/${alert}`),
    `  to:       ${showRecipient(recipient)}`,
    `  decided:  ${at}`,
    `  tries:    ${triesOf(found)}${nextOf(found, now)}`,
    ...(endedAt === null ? [] : [`  ended:    ${endedAt}`]),
    ...(outcome === null ? [] : [`  answer:   ${[outcome, recipient.answer].filter(Boolean).join(': ')}`]),
  ];
}

const WORDS: Readonly<Record<DeliveryRow['state'], string>> = {
  owed: 'owed',
  sent: 'sent',
  'given-up': 'given up',
  merged: 'merged into a later one',
  cancelled: 'cancelled',
};

function headingOf({ title, transition }: { readonly title: string; readonly transition: string }): string {
  return `${title} (${transition})`;
}

function triesOf({ recipient: { tries } }: DeliveryRow): string {
  if (tries === 0) return 'not tried yet';
  return tries === 1 ? 'one try' : `${tries} tries`;
}

function nextOf({ recipient: { next_try: next, tries } }: DeliveryRow, now: Instant): string {
  if (next === null || tries === 0) return '';
  const dueAt = Date.parse(next);
  return `; next ${dueAt <= now ? 'now' : `in ${showDuration(dueAt - now)}`}`;
}
