// Prints a replay as lines for people, or as one JSON document.
import { showDuration, showInstant } from '../../../lib/clock.ts';
import { inColumns } from '../../../lib/columns.ts';
import { nameOf, type Entry, type AlertNoise, type ReplayReport } from '../../../replay/report.ts';

/** A timeline, then a line per alert with messages, then the totals per day. */
export function storyAsText(story: ReplayReport): string[] {
  const { from, until, entries, alerts, messagesPerDay } = story;
  const loud = alerts.filter(({ count, isFiring }) => count > 0 || isFiring);
  const silent = alerts.filter((noise) => !loud.includes(noise)).map(nameOf);
  const timeline = entries.length === 0 ? ['nothing would have been said'] : inColumns(entries.map(rowOf));
  const table = loud.length === 0 ? [] : ['', ...inColumns([HEADING, ...loud.map(noiseRow)])];
  return [
    ...timeline,
    ...table,
    '',
    ...(silent.length === 0 ? [] : [`silent: ${firstOf(silent)}`]),
    `${showInstant(from)} to ${showInstant(until)}: ${count(entries.length, 'message')}, ${rate(messagesPerDay)} a day`,
  ];
}

/** Times as text, durations in seconds, other values unchanged. */
export function storyAsJson({ from, until, entries, alerts, messagesPerDay }: ReplayReport): string {
  return JSON.stringify(
    {
      from: showInstant(from),
      until: showInstant(until),
      timeline: entries.map(({ at, firedForMs, ...entry }) => ({
        at: showInstant(at),
        ...entry,
        fired_for_seconds: toSeconds(firedForMs),
      })),
      alerts: alerts.map(({ perDay, longestMs, isFiring, ...noise }) => ({
        ...noise,
        per_day: rounded(perDay),
        longest_seconds: toSeconds(longestMs),
        firing: isFiring,
      })),
      messages_per_day: rounded(messagesPerDay),
    },
    null,
    2,
  );
}

const HEADING = ['alert', 'times', 'a day', 'longest'];
const MOST_NAMED = 20;

function rowOf(entry: Entry): string[] {
  const { at, severity, state, title, text, firedForMs, reason } = entry;
  const asides = [
    ...(firedForMs === null ? [] : [`after ${showDuration(firedForMs)}`]),
    ...(reason === null ? [] : [reason]),
  ];
  const messages = text === '' ? title : `${title} - ${text}`;
  return [
    showInstant(at),
    severity.toUpperCase(),
    nameOf(entry),
    state.toUpperCase(),
    asides.length === 0 ? messages : `${messages} (${asides.join('; ')})`,
  ];
}

function noiseRow(noise: AlertNoise): string[] {
  const { count: times, perDay, longestMs, isFiring } = noise;
  const longest = longestMs === null ? '' : showDuration(longestMs);
  return [nameOf(noise), String(times), rate(perDay), isFiring ? `${longest}, still firing` : longest];
}

/** `count(2, 'watch') // '2 watches'` */
export function count(number: number, thing: string): string {
  const ending = thing.endsWith('ch') ? 'es' : 's';
  return `${grouped(number)} ${thing}${number === 1 ? '' : ending}`;
}

/** `1,234`, and one decimal below ten. */
function rate(number: number): string {
  return grouped(number >= 10 ? Math.round(number) : rounded(number));
}

function grouped(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',');
}

function rounded(number: number): number {
  return Math.round(number * 10) / 10;
}

function toSeconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1000;
}

function firstOf(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return names.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ` and ${grouped(more)} more` : '');
}
