// What the daemon prints when it starts on a terminal: what is watched, where to look, and what to edit. After it, only
// alerts, reloads and what is wrong.
import type { Setup } from '../app/setup.ts';
import type { Watch } from '../core/model/watch.ts';
import { inColumns } from '../lib/columns.ts';
import { singleLine } from '../lib/untrusted.ts';
import { dailySums, showSchedule } from '../rules/describe.ts';
import type { LogFields } from '../telemetry/log.ts';
import type { SafeLog } from '../telemetry/logger.ts';

export interface OpeningFacts {
  readonly version: string;
  readonly url: string;
  readonly configFile: string;
  readonly hint: string;
}

const MOST_WATCHES = 12;
const MOST_TEXT = 60;

/** The lines, without line feeds. */
export function openingLines({ config, watches }: Setup, { version, url, configFile, hint }: OpeningFacts): string[] {
  const shown = watches.slice(0, MOST_WATCHES).map(watchRow);
  const more = watches.length - shown.length;
  const places = [
    ...(config.http.page ? [['page', `${url}/`]] : []),
    ['metrics', `${url}/metrics`],
    ['told by', [...config.channels.values()].map(({ name, type }) => `${name} (${type})`).join(', ')],
    [
      'asks',
      [...dailySums(watches)].map(([explorer, sum]) => `${explorer} ${countOf(sum.requests)} times a day`).join(', '),
    ],
    ['edit', `${config.rules.join(', ')} and ${configFile}`],
  ];
  return [
    `chainwarden ${version}: ${watches.length} ${watches.length === 1 ? 'watch' : 'watches'} on ${[...new Set(watches.map(({ target }) => target.explorer))].join(', ')}`,
    '',
    ...inColumns(shown).map((line) => `  ${line}`),
    ...(more > 0 ? [`  and ${more} more: chainwarden check -c ${configFile}`] : []),
    '',
    ...inColumns(places).map((line) => `  ${line}`),
    '',
    `${hint}. Ctrl+C stops it. Alerts follow, a line each.`,
    '',
  ].map((line) => singleLine(line, 400));
}

function watchRow({ name, kind, of, token, target, schedule, alerts }: Watch): string[] {
  const thing = of === null ? target.explorer : (of.name ?? of.address);
  const what = [kind.name, token === null ? '' : (token.name ?? token.address), of === null ? 'on' : 'of', thing];
  const count = `${alerts.length} ${alerts.length === 1 ? 'alert' : 'alerts'}`;
  return [
    singleLine(name, MOST_TEXT),
    singleLine(what.filter((word) => word !== '').join(' '), MOST_TEXT),
    showSchedule(schedule),
    count,
  ];
}

function countOf(number: number): string {
  return Math.round(number).toLocaleString('en');
}

/** Of what only informs, what somebody at the terminal waits for. */
const SHOWN: ReadonlySet<string> = new Set(['config:reloaded', 'daemon:stopped']);

/** The log for a terminal below the opening: warnings and errors, and what was just done. */
export function onScreen(log: SafeLog): SafeLog {
  return {
    ...log,
    info(event: string, fields?: LogFields) {
      if (SHOWN.has(event)) log.info(event, fields);
    },
  };
}
