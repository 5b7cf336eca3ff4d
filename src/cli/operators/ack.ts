// Acknowledges open alerts by their names. The names are looked up in the state, and the API of the daemon does the
// rest.
import { hintFor } from '../../config/values/nearest.ts';
import type { Moment } from '../../lib/time-zone.ts';
import { singleLine } from '../../lib/untrusted.ts';
import { ackAll, endAckAll, type AckedAlerts } from '../../operators/ack-all.ts';
import { createClient } from './client.ts';
import { momentOf, openStateOf, type DaemonAddress } from './daemon-place.ts';
import { showTime, showUntil, untilOf, type UntilOptions } from '../times.ts';
import { CommandError, EXIT } from '../exit.ts';
import type { Terminal } from '../terminal.ts';

export interface AckOptions extends DaemonAddress, UntilOptions {
  readonly comment?: string;
  readonly replace?: boolean;
}

/**
 * Acknowledges all open alerts of that name, or of a watch. A valid acknowledgement stays and is printed, unless
 * `replace` is set.
 */
export async function ack(terminal: Terminal, name: string, options: AckOptions): Promise<number> {
  const moment = momentOf(terminal, options);
  const until = untilOf(options, moment);
  const { comment, replace } = options;
  const named = await openNamed(terminal, name, options);
  const made = await createClient(terminal, options).act(
    ackAll,
    {},
    {
      ...named,
      up_to: new Date(moment.now).toISOString(),
      ...(until === null ? {} : { until: new Date(until).toISOString() }),
      ...(comment === undefined ? {} : { comment }),
      ...(replace === true ? { replace } : {}),
    },
  );
  for (const one of made.standing) {
    const words = `${one.actor} has acknowledged it until ${showUntil(Date.parse(one.until), moment)}; --replace puts yours in its place.`;
    terminal.out(`${ackedLine(one, moment)}: ${singleLine(words)}`);
  }
  for (const one of made.acknowledged) {
    const end = one.is_event ? '' : ', or until it is over';
    terminal.out(`${ackedLine(one, moment)}: acknowledged until ${showUntil(Date.parse(made.until), moment)}${end}.`);
  }
  terminal.out(`Take it back with: chainwarden unack '${singleLine(name)}'`);
  return EXIT.ok;
}

/** Ends the acknowledgements of an alert, or of a watch. */
export async function unack(terminal: Terminal, name: string, options: DaemonAddress): Promise<number> {
  const named = await openNamed(terminal, name, options);
  const { ended } = await createClient(terminal, options).act(endAckAll, {}, named);
  for (const one of ended) terminal.out(`${ackedLine(one, momentOf(terminal, options))}: not acknowledged any more.`);
  return EXIT.ok;
}

interface Named {
  readonly watch: string;
  readonly alert?: string;
}

/** Looks the name up among all open alerts. */
async function openNamed(terminal: Terminal, name: string, options: DaemonAddress): Promise<Named> {
  await using reader = await openStateOf(terminal, options);
  const open = await reader.openAlerts({ at: terminal.clock.now() });
  const names = new Map(
    open.flatMap(({ name: watch, rule, alert }) => [
      [watch, { watch }],
      [rule, { watch: rule }],
      [`${watch}/${alert}`, { watch, alert }],
      [`${rule}/${alert}`, { watch: rule, alert }],
    ]),
  );
  const found = names.get(name);
  if (found !== undefined) return found;
  const hint = hintFor(name, new Set(names.keys()));
  const shown = singleLine(name, 100);
  throw new CommandError(EXIT.problems, [`No open alert is named ${shown}.`, hint].filter(Boolean).join(' '));
}

/** `critical coins/low, since 12:00 UTC`, `critical vault/drained: 66 events since 12:00 UTC` */
function ackedLine({ severity, watch, alert, alerts, is_event: isEvent, since }: AckedAlerts, moment: Moment): string {
  const many = alerts === 1 ? ', since' : `: ${alerts} ${isEvent ? 'events' : 'conditions'} since`;
  return singleLine(`${severity} ${watch}/${alert}${many} ${showTime(Date.parse(since), moment)}`);
}
