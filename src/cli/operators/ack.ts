// Acknowledges open alerts by their names: they are found in the state file, and acknowledged through the API.
import { hintFor } from '../../config/values/nearest.ts';
import type { Instant } from '../../lib/clock.ts';
import { singleLine } from '../../lib/untrusted.ts';
import { ack as ackAction, endAck } from '../../operators/acks.ts';
import { acksOnOpen } from '../../query/alerts/open-alerts.ts';
import type { OpenAlertRow, StoredAck } from '../../store/contract/operators.ts';
import { createClient } from './client.ts';
import { openStateOf, type DaemonAddress } from './daemon-place.ts';
import { showTime, showUntil, untilOf, type UntilOptions } from '../times.ts';
import { CommandError, EXIT } from '../exit.ts';
import type { Terminal } from '../terminal.ts';

export interface AckOptions extends DaemonAddress, UntilOptions {
  readonly comment?: string;
  readonly replace?: boolean;
}

/** Acknowledges all that is open of an alert, or of a watch. An acknowledgement that stands is left and named. */
export async function ack(terminal: Terminal, name: string, options: AckOptions): Promise<number> {
  const now = terminal.clock.now();
  const until = untilOf(options, now);
  const { comment, replace } = options;
  const body = {
    ...(until === null ? {} : { until: new Date(until).toISOString() }),
    ...(comment === undefined ? {} : { comment }),
    ...(replace === true ? { replace } : {}),
  };
  const standingOn = acksOnOpen(replace === true ? [] : await acksOfState(terminal, options), now);
  const open = await openNamed(terminal, name, options);
  let left = 0;
  for (const alert of open) {
    const before = standingOn(alert);
    if (before !== null) {
      const words = `${before.actor} has acknowledged it until ${showUntil(before.until, now)}; --replace puts yours in its place.`;
      terminal.out(`${openLine(alert, now)}: ${singleLine(words)}`);
      left += 1;
      continue;
    }
    const client = createClient(terminal, keyedFor(options, alert));
    const made = await client.act(ackAction, alertNamed(alert), { seq: alert.seq, ...body });
    const end = alert.isEvent ? '' : ', or until it is over';
    terminal.out(`${openLine(alert, now)}: acknowledged until ${showUntil(Date.parse(made.until), now)}${end}.`);
  }
  if (left === open.length) return EXIT.problems;
  terminal.out(`Take it back with: chainwarden unack '${singleLine(name)}'`);
  return EXIT.ok;
}

/** Takes back what was acknowledged of an alert, or of a watch. */
export async function unack(terminal: Terminal, name: string, options: DaemonAddress): Promise<number> {
  const acks = await acksOfState(terminal, options);
  const isAcked = ({ key, episode }: OpenAlertRow): boolean =>
    acks.some((one) => one.key === key && one.episode === episode);
  const own = (await openNamed(terminal, name, options)).filter(isAcked);
  if (own.length === 0) throw new CommandError(EXIT.problems, `Nobody has acknowledged ${singleLine(name)}.`);
  for (const alert of own) {
    await createClient(terminal, keyedFor(options, alert)).act(endAck, alertNamed(alert), {});
    terminal.out(`${openLine(alert, terminal.clock.now())}: not acknowledged any more.`);
  }
  return EXIT.ok;
}

async function acksOfState(terminal: Terminal, options: DaemonAddress): Promise<readonly StoredAck[]> {
  await using reader = await openStateOf(terminal, options);
  return (await reader.policy(terminal.clock.now())).acks;
}

const MOST_AT_ONCE = 50;

async function openNamed(terminal: Terminal, name: string, options: DaemonAddress): Promise<readonly OpenAlertRow[]> {
  await using reader = await openStateOf(terminal, options);
  const open = await reader.openAlerts({ at: terminal.clock.now() });
  const found = open.filter((alert) => namesOf(alert).includes(name));
  if (found.length === 0) {
    const hint = hintFor(name, new Set(open.flatMap(namesOf)));
    const shown = singleLine(name, 100);
    throw new CommandError(EXIT.problems, [`No open alert is named ${shown}.`, hint].filter(Boolean).join(' '));
  }
  if (found.length > MOST_AT_ONCE)
    throw new CommandError(
      EXIT.problems,
      `${found.length} alerts of that name are open. Name a watch, or silence them.`,
    );
  return found;
}

/** Of the rule or of the watch, and with the alert. */
function namesOf({ name, labels, alert }: OpenAlertRow): string[] {
  const watches = [...new Set([name, labels['watch'] ?? name])];
  return watches.flatMap((watch) => [watch, `${watch}/${alert}`]);
}

/** `critical coins/low, since 12:00 UTC` */
export function openLine({ severity, name, alert, since }: OpenAlertRow, now: Instant): string {
  return singleLine(`${severity} ${name}/${alert}, since ${showTime(since, now)}`);
}

function alertNamed({ key, episode }: OpenAlertRow) {
  return { key, episode };
}

/** Each alert is a call of its own, also where the command is repeated under its key. */
function keyedFor(options: DaemonAddress, { key }: OpenAlertRow): DaemonAddress {
  return options.key === undefined ? options : { ...options, key: `${options.key}:${key}` };
}
