// The text at the start of a daemon on a terminal: the watches, the URLs, and the files to edit. After it, only alerts,
// reloads and problems are printed.
import type { Setup } from '../../app/setup/setup.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import { inColumns } from '../../lib/columns.ts';
import { singleLine } from '../../lib/untrusted.ts';
import { dailyCosts } from '../../rules/costs.ts';
import { showSchedule } from '../../rules/describe.ts';
import type { LogFields } from '../../telemetry/log.ts';
import type { SafeLog } from '../../telemetry/logger.ts';

export interface OpeningFacts {
  readonly version: string;
  readonly url: string;
  readonly configFile: string;
  readonly hint: string;
}

const MOST_WATCHES = 12;
const MOST_TEXT = 100;

/** The lines, without line feeds. */
export function openingLines(setup: Setup, facts: OpeningFacts): string[] {
  const { watches } = setup;
  const more = watches.length - MOST_WATCHES;
  return [
    `chainwarden ${facts.version}: ${countOf(watches.length, 'watch', 'watches')}`,
    '',
    ...table(watches.slice(0, MOST_WATCHES).map(watchRow)),
    ...(more > 0 ? [`  and ${more} more: chainwarden check -c ${facts.configFile}`] : []),
    '',
    ...table(placeRows(setup, facts)),
    '',
    `${facts.hint}. Ctrl+C stops it. Alerts follow, one line each.`,
    '',
  ];
}

function table(rows: readonly (readonly string[])[]): string[] {
  return inColumns(rows.map((row) => row.map((cell) => singleLine(cell, MOST_TEXT)))).map((line) => `  ${line}`);
}

function watchRow({ name, kind, of, token, target, schedule, alerts }: Watch): string[] {
  const subject = [token?.name ?? token?.address ?? null, of === null ? null : `of ${of.name ?? of.address}`];
  const what = [kind.name, ...subject.filter((word) => word !== null), `on ${target.explorer}`].join(' ');
  return [name, what, showSchedule(schedule), countOf(alerts.length, 'alert', 'alerts')];
}

function placeRows({ config, watches }: Setup, { url, configFile }: OpeningFacts): string[][] {
  const channels = [...config.channels.values()].map(({ name, type }) => `${name} (${type})`);
  const sums = [...dailyCosts(watches)].map(
    ([explorer, { requests }]) => `${explorer} ${Math.round(requests).toLocaleString('en')} times a day`,
  );
  const { isServed } = config.http.page;
  return [
    ...(isServed ? [['page', `${url}/`]] : []),
    ['metrics', `${url}/metrics`],
    ['notifies', channels.length === 0 ? 'nobody: there are no channels' : channels.join(', ')],
    ['asks', sums.length === 0 ? 'nobody: there are no watches' : sums.join(', ')],
    ['acknowledge', `npx chainwarden ack WATCH/ALERT -c ${configFile}`],
    ...(isServed ? [['', `or on the page, through the link of npx chainwarden open -c ${configFile}`]] : []),
    ['edit', `${config.rules.join(', ')} and ${configFile}`],
  ];
}

function countOf(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Events of level `info` that a person at the terminal waits for. */
const SHOWN: ReadonlySet<string> = new Set(['config:reloaded', 'daemon:stopped']);

/** The log for a terminal after the opening text: warnings, errors, and the events in `SHOWN`. */
export function onScreen(log: SafeLog): SafeLog {
  return {
    ...log,
    info(event: string, fields?: LogFields) {
      if (SHOWN.has(event)) log.info(event, fields);
    },
  };
}
