// The type of an alert, by the keys that it has: an event, a count over events, or a condition. A key of another type
// is a problem, never ignored.
import type { EventName } from '../../core/model/ids.ts';
import { hintFor } from '../../config/values/nearest.ts';
import { quote } from '../../config/values/scalars.ts';
import { formatDuration } from '../../lib/durations.ts';
import type { Path } from '../../config/yaml/written.ts';
import type { Compiling } from './model.ts';
import { eventsOf, SCHEDULE } from '../language/events.ts';
import type { Language } from '../language/model.ts';
import { readPath, resolveNames } from '../language/reading/names.ts';
import type { AnyKind } from '../../core/model/watch/kind.ts';
import type { WrittenAlert } from '../schema/shape.ts';

type Form = 'event' | 'schedule' | 'at_least' | 'none_for' | 'condition';
type Key = keyof typeof OWNERS;

/** For each key, the key that it needs beside it. The message names that key. */
const OWNERS = {
  if: 'on',
  at_least: 'on',
  none_for: 'on',
  confirmations: 'on',
  provisional: 'confirmations',
  enrich: 'on',
  per: 'at_least',
  cron: 'on: schedule',
  zone: 'on: schedule',
  values: 'on: schedule',
  until: 'while',
  for: 'while',
  keep_firing_for: 'while',
  cooldown: 'while',
  resolved: 'while',
} as const;

const LEGAL: Readonly<Record<Form, readonly Key[]>> = {
  event: ['if', 'confirmations', 'provisional', 'enrich'],
  schedule: ['if', 'cron', 'zone', 'values'],
  at_least: ['if', 'at_least', 'per', 'keep_firing_for', 'cooldown', 'resolved'],
  none_for: ['if', 'none_for', 'keep_firing_for', 'cooldown', 'resolved'],
  condition: ['until', 'for', 'keep_firing_for', 'cooldown', 'resolved'],
};

function formOf(alert: WrittenAlert): Form {
  if (alert.while !== undefined) return 'condition';
  if (alert.on === SCHEDULE) return 'schedule';
  if (alert.at_least !== undefined) return 'at_least';
  return alert.none_for === undefined ? 'event' : 'none_for';
}

/** Reports the keys that the alert lacks, and those that belong to another type. */
export function complainOfForm(compiling: Compiling, alert: WrittenAlert, path: Path): void {
  const { complain } = compiling;
  complainOfStart(compiling, alert, path);
  const legal = LEGAL[formOf(alert)];
  for (const key of Object.keys(OWNERS) as Key[])
    if (alert[key] !== undefined && !legal.includes(key)) complain(path, strangerComplaint(key, alert));
  if (alert.at_least?.in_a_row !== undefined) complainOfRow(compiling, alert, path);
  if (alert.provisional === true && alert.confirmations === undefined)
    complain(path, { key: 'provisional', message: 'provisional needs confirmations', hint: 'Say how many.' });
  if (alert.enrich !== undefined) complainOfDetails(compiling, path);
  if (alert.confirmations !== undefined && !Object.values(compiling.kind.events).some(({ inBlocks }) => inBlocks))
    complain(path, {
      key: 'confirmations',
      message: `${compiling.kind.name} has no blocks to count`,
      hint: Object.hasOwn(compiling.kind.options.shape, 'confirmations') ? 'Write it at the watch.' : 'Remove it.',
    });
}

function complainOfDetails({ kind, catalogue, complain }: Compiling, path: Path): void {
  if (kind.details !== undefined) return;
  const others = catalogue.kinds.flatMap(({ name, details }) => (details === undefined ? [] : name));
  const hint = `Remove it. Possible with kind: ${others.join(', ')}.`;
  complain(path, { key: 'enrich', message: `${kind.name} has no transactions to look up`, hint });
}

/**
 * `in_a_row` needs items with an order. It also needs a condition, because a row ends at an item that does not match.
 */
function complainOfRow({ kind, complain }: Compiling, { on, if: selector, per }: WrittenAlert, path: Path): void {
  const at = [...path, 'at_least', 'in_a_row'];
  const event = on === undefined ? undefined : kind.events[on];
  if (event?.inBlocks === false) {
    const others = Object.entries(kind.events).flatMap(([name, { inBlocks }]) => (inBlocks ? [`on: ${name}`] : []));
    const hint = others.length === 0 ? 'Write count and within.' : `Write ${others.join(' or ')}.`;
    complain(at, { message: `in_a_row goes by blocks, and \`on: ${on ?? ''}\` is in none`, hint });
  }
  if (selector === undefined)
    complain(at, { message: 'in_a_row needs `if` beside at_least', hint: 'Say which items belong to the row.' });
  if (per !== undefined) complain(path, { key: 'per', message: 'per does not go with in_a_row', hint: 'Remove it.' });
}

function strangerComplaint(key: Key, alert: WrittenAlert): { key: Key; message: string; hint: string } {
  if (key === 'none_for' && alert.at_least !== undefined)
    return { key, message: 'at_least and none_for are both there', hint: 'Keep one of them.' };
  const form = formOf(alert);
  const owner = { schedule: 'on: schedule', at_least: form, none_for: form, event: null, condition: null }[form];
  const message = owner === null ? `${key} belongs to ${OWNERS[key]}` : `${key} does not go with ${owner}`;
  const hint = key === 'enrich' ? 'Remove it, or write it at an alert with on: new, and with if.' : 'Remove it.';
  return { key, message, hint };
}

function complainOfStart(compiling: Compiling, alert: WrittenAlert, path: Path): void {
  const { kind, complain } = compiling;
  const on = `on: ${eventNames(kind).join(', ')}`;
  if (alert.on !== undefined && alert.while !== undefined)
    complain(path, {
      key: 'while',
      message: 'on and while are both there',
      hint: 'An alert is either an event or a condition.',
    });
  else if (alert.on === undefined && alert.while === undefined)
    complain(path, {
      message: 'neither on nor while is there',
      hint: kind.while === null ? `Write ${on}.` : `Write ${on}, or while.`,
    });
  else if (alert.while !== undefined && kind.while === null)
    complain(path, { key: 'while', message: `${kind.name} has no while`, hint: `Write ${on}, with if.` });
  else if (alert.on !== undefined) complainOfEvent(compiling, alert.on, path);
}

function eventNames(kind: AnyKind): string[] {
  return eventsOf(kind).map(([name]) => name);
}

function complainOfEvent({ kind, catalogue, complain, hasAddress }: Compiling, on: EventName, path: Path): void {
  const names = eventNames(kind);
  if (on === SCHEDULE) {
    if (names.includes(on)) return;
    const others = catalogue.kinds.flatMap((one) => (one.while === null ? [] : one.name));
    const hint = `It sends present values, which ${others.join(', ')} have. Possible: ${names.join(', ')}.`;
    complain([...path, 'on'], { message: `${kind.name} has no event "schedule"`, hint });
    return;
  }
  const event = names.includes(on) ? kind.events[on] : undefined;
  if (event === undefined)
    complain([...path, 'on'], { message: `${kind.name} has no event ${quote(on)}`, hint: hintFor(on, names) });
  else if (event.needs === 'of' && !hasAddress)
    complain([...path, 'on'], { message: `${on} exists only with of`, hint: 'Say whose transactions are meant.' });
}

/** Types that `per` may group by. Free text is not among them: its author could make any number of groups. */
const GROUPING: readonly string[] = ['address', 'hash', 'word', 'int', 'bool'];

/** The full paths of `per`. Names that are no path are reported. */
export function groupPaths({ complain }: Compiling, alert: WrittenAlert, path: Path, language: Language): string[] {
  const written = alert.per ?? [];
  return written.flatMap((name, i) => {
    const at = [...path, 'per', ...(written.length > 1 ? [i] : [])];
    const found = resolveNames(language, name.split('.'), false);
    if ('failed' in found) {
      complain(at, { message: found.failed.message, hint: found.failed.hint });
      return [];
    }
    const full = 'path' in found ? readPath(found) : '';
    const isFit = 'path' in found && (full !== found.path || GROUPING.includes(found.type.type));
    if (!isFit)
      complain(at, {
        message: `${quote(name)} cannot be used in \`per\``,
        hint: 'Name addresses, ids, enumerations or whole numbers.',
      });
    return isFit ? [full] : [];
  });
}

// The most samples of a window. Each poll adds at most one. More would make memory large and every poll slow.
const MOST_SAMPLES = 20_000;

/** The problem of a window that is too short or too long for the watch's interval; undefined if there is none. */
export function windowComplaint(ms: number, intervalMs: number): { message: string; hint: string } | undefined {
  if (ms < intervalMs)
    return {
      message: `a window of ${formatDuration(ms)} holds no poll of a watch that polls every ${formatDuration(intervalMs)}`,
      hint: 'Look back further, or poll more often.',
    };
  if (ms / intervalMs <= MOST_SAMPLES) return undefined;
  return {
    message: `a window of ${formatDuration(ms)} holds more than ${MOST_SAMPLES} polls`,
    hint: `Write every: ${formatDuration(Math.ceil(ms / MOST_SAMPLES / 1000) * 1000)} or a longer one, or look back less far.`,
  };
}
